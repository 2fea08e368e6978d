/** Closings that are refused for who closes, or for files that changed since the proof, whichever call makes them (PROOF-48, PROOF-51). */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepDone } from "../events/step.done.ts";
import { missingProofs, proofsToCompare } from "../state/checkpoint.ts";
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

/** Proof that is of other files than those of now. `test`: the declared one, or "". */
interface Stale {
  checkpoint: ProofCheckpoint;
  test: string;
  evidence: string;
  words: string;
  paths: string[];
  commit: string | null;
}

const WITHOUT_GIT =
  "Put git into PATH, then call again. A program that opens the workspace gives it: openWorkspace({ root, git: () => openGit(root) }), with openGit of taskfold/git.";

function refuseStale(subject: Subject, step: Step, by: string, staleness: StalenessOf): void {
  let isUnasked = false;
  const stale = proofsToCompare(step, by).flatMap(({ checkpoint, test, links }): Stale[] => {
    let last: Stale | undefined;
    for (const { evidence } of links.toReversed()) {
      const seen = seenBy(subject.entity, evidence);
      const found = seen ? staleness(subject.id, seen, scopeOf(subject.entity)) : { is: "fresh" as const };
      const words = staleWords(found);
      if (words === undefined) return [];
      const { paths, commit } = found.is === "stale" ? found : { paths: [], commit: null };
      isUnasked ||= found.is === "unasked";
      last ??= { checkpoint, test, evidence, words, paths, commit };
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
      recovery: isUnasked ? WITHOUT_GIT : `Run it again with "${run}".`,
      suggestions: isUnasked ? [] : [provingCall(subject, step, run)],
      details: { step_id: step.id, missing, stale },
    },
  );
}
