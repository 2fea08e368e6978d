/** A refused transaction keeps nothing: its refusal names no evidence that only its own parts would have brought (TXN-12). */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { evidenceOf } from "../rules/capture_evidence.ts";
import type { Entity } from "../state/entity.ts";
import type { Staged } from "./job.ts";

interface Part {
  handle: { entity: Entity | null };
  staged: readonly Pick<Staged, "op">[];
}

/** Call it before the parts are taken back: their evidence is still there to be named. */
export function withoutUnrecorded(e: unknown, parts: readonly Part[]): unknown {
  if (!isTaskfoldError(e) || !e.message.includes(CITED)) return e;
  const ids = new Set(parts.flatMap(evidenceIn));
  const cites = (id: unknown): boolean => typeof id === "string" && ids.has(id);
  const message = e.message.replaceAll(CITATION, (all, id: string) => (cites(id) ? "the run of this call" : all));
  if (message === e.message) return e;
  const { code, recovery, suggestions, details, cause } = e;
  const failed = details?.["failed"];
  const named = Array.isArray(failed)
    ? { failed: failed.map((run: { evidence: unknown }) => (cites(run.evidence) ? { ...run, evidence: null } : run)) }
    : {};
  return new TaskfoldError(code, message, {
    recovery: [recovery, KEPT_NOTHING].filter(Boolean).join(" "),
    suggestions,
    details: { ...details, ...named },
    cause,
  });
}

const CITED = "evidence:";
const CITATION = /evidence:([A-Za-z0-9_-]+)/g;
const KEPT_NOTHING =
  "A refused call records nothing: if the failed run is to stay on record, capture it with tasks_evidence_capture.";

function evidenceIn({ handle: { entity }, staged }: Part): string[] {
  if (!entity) return [];
  const captured = staged.flatMap(({ op }) => op.events.filter(({ type }) => type === "evidence.captured"));
  return captured.flatMap(({ hash }) => evidenceOf(entity, hash).map(({ id }) => id));
}
