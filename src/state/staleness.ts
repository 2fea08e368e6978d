/** Whether files changed since a run that Taskfold captured (PROOF-51). */
import type { Sentence } from "../sentence.ts";
import type { AttestationFacts, CapturedFacts, EvidenceFacts } from "./evidence.ts";
import type { Entity, Step } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";

/** The work tree that a run saw, as far as it was recorded. */
export type Seen = Pick<
  CapturedFacts,
  "git_commit" | "tree" | "ignores" | "attributes" | "changes" | "wrote" | "left" | "checkout" | "scope"
> &
  Partial<Pick<CapturedFacts, "started_at">>;

/** Paths below the root that count; null: the whole work tree. */
export type Scope = { readonly allow: readonly string[]; readonly deny: readonly string[] } | null;

/**
 * `paths`: from the root, sorted. `commit`: the last one since the run that changed one of them; null: none is committed. `during`: all of
 * them were there at the start, and changed while it ran.
 */
export type Staleness =
  | { is: "fresh" }
  | { is: "stale"; paths: string[]; commit: string | null; during: boolean }
  /** `why` as a clause: the run cannot be compared with the work tree. */
  | { is: "unknown"; why: Sentence }
  /** There is no git to ask about a run that was made where one was. */
  | { is: "unasked" };

/**
 * Compares what a run of the task of that id saw with the work tree as it is now. Files count that are in the scope, or in that of the
 * time of the run. A later change of the packet takes no file out.
 */
export type StalenessOf = (id: string, seen: Seen, scope: Scope) => Staleness;

/** The work tree that stands behind an entry: that of its run, else the commit that an attestation names; undefined for a claim. */
export function seenBy({ facts }: Entity, evidence: string): Seen | undefined {
  const one: EvidenceFacts | undefined = facts.get(evidence);
  if (one?.captured) return one.captured;
  const signed = one?.attested_in?.map((id): AttestationFacts | undefined => facts.get(id)?.attestation).at(-1);
  return signed && { git_commit: signed.git_commit, ...(signed.scope ? { scope: signed.scope } : {}) };
}

/** The files of the step; without any, those that the packet of its task is about. `step` null: evidence on the whole. */
export function scopeOf({ packet }: Entity, step: Step | null): Scope {
  const files = step?.files ?? [];
  return files.length > 0 ? { allow: files, deny: [] } : (packet?.manifest.scope ?? null);
}

/** The step that an entry is linked to; null where it stands on the whole. */
export function stepWith({ steps }: Entity, evidence: string): Step | null {
  for (const step of steps.values())
    for (const c of CHECKPOINTS) if (step.linked[c].some((link) => link.evidence === evidence)) return step;
  return null;
}
