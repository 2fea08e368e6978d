/** Closings that are refused for who closes, or for files that changed since the proof, whichever call makes them (PROOF-48, PROOF-51). */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDone } from "../events/step.done.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { isOfPacket, missingProofs, proofMode, proofsToCompare } from "../state/checkpoint.ts";
import { takesNoClaim } from "../state/degree.ts";
import type { ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { scopeOf, seenBy } from "../state/staleness.ts";
import type { StalenessOf } from "../state/staleness.ts";
import { staleWords } from "../state/stale_words.ts";
import { listed, nameOf, oneLine } from "./phrase.ts";
import { runLine, wholeLine } from "./run_line.ts";
import { provingCall } from "./suggest.ts";
import { unproved } from "./unproved.ts";

/** PROOF_REQUIRED where a step wants a repeat by another actor than the one who closes it; PROOF_STALE where files changed since. */
export function refuseUnprovedBy(
  subject: Subject,
  drafts: readonly Draft[],
  { by, staleness }: { by: string; staleness: StalenessOf },
): void {
  for (const { type, payload } of drafts) {
    if (type !== stepDone.type) continue;
    const step = subject.entity.steps.get(payload["step_id"] as string);
    if (!step) continue;
    const missing = missingProofs(step, by);
    if (missing.length > 0) throw unproved(subject, step, missing, by);
    refuseStale(subject, step, by, staleness);
  }
}

/** Events that give fields back, and so may close a step again. */
const TURNS: ReadonlySet<string> = new Set([undoApplied.type, redoApplied.type]);

/** Open steps, if the drafts are a turn that may close one. */
export function openBeforeTurn({ entity }: Subject, drafts: readonly Draft[]): Step[] {
  if (!drafts.some(({ type }) => TURNS.has(type))) return [];
  return [...entity.steps.values()].filter((step) => !step.done);
}

/** The same refusals for a step that a turn closed: its proof may have gone since, or may be of other files. */
export function refuseUnprovedTurn(subject: Subject, open: readonly Step[], staleness: StalenessOf): void {
  for (const step of open) {
    if (!step.done || step.deleted) continue;
    const closer = step.done_by ?? undefined;
    const missing = missingProofs(step, closer).filter(
      (c) => c !== "criteria" && !isOfPacket(step, c) && takesNoClaim(proofMode(step, c)),
    );
    if (missing.length > 0) throw unproved(subject, step, missing, closer);
    refuseStale(subject, step, closer, staleness);
  }
}

/** Proof that is of other files than those of now. `test`: the declared one, or "". */
interface Stale {
  checkpoint: ProofCheckpoint;
  test: string;
  evidence: string;
  words: string;
  paths: string[];
  commit: string | null;
  during: boolean;
}

const WITHOUT_GIT =
  "Put git into PATH, then call again. A program that opens the workspace gives it: openWorkspace({ root, git: () => openGit(root) }), with openGit of taskfold/git.";

function refuseStale(subject: Subject, step: Step, by: string | undefined, staleness: StalenessOf): void {
  let isUnasked = false;
  const stale = proofsToCompare(step, by).flatMap(({ checkpoint, test, links }): Stale[] => {
    let last: Stale | undefined;
    for (const { evidence } of links.toReversed()) {
      const seen = seenBy(subject.entity, evidence);
      const found = seen ? staleness(subject.id, seen, scopeOf(subject.entity)) : { is: "fresh" as const };
      const words = staleWords(found);
      if (words === undefined) return [];
      const { paths, commit, during } = found.is === "stale" ? found : { paths: [], commit: null, during: false };
      isUnasked ||= found.is === "unasked";
      last ??= { checkpoint, test, evidence, words, paths, commit, during };
    }
    return last ? [last] : [];
  });
  if (stale.length === 0) return;
  const missing = [...new Set(stale.map(({ checkpoint }) => checkpoint))];
  const each = stale.map(({ evidence, test, words }) => {
    const what = test === "" ? "" : ` "${oneLine(test)}"`;
    return `evidence:${evidence}${what}, but ${words}`;
  });
  const tests = stale.flatMap(({ test }) => (test === "" ? [] : [test]));
  const run = wholeLine(runLine(subject, step, missing, tests[0]));
  throw new TaskfoldError(
    "PROOF_STALE",
    `Expected proof of ${missing.join(", ")} for ${nameOf(step)} on the files as they are; found ${listed(each)}.`,
    {
      recovery: isUnasked
        ? WITHOUT_GIT
        : `Run it again with "${run}".${stale.some(({ during }) => during) ? WRITES : ""}`,
      suggestions: isUnasked ? [] : [provingCall(subject, step, run)],
      details: { step_id: step.id, missing, stale },
    },
  );
}

const WRITES = " If the command itself writes such a file anew on each run, let git ignore the file.";
