/** Stale proof keeps a step open, and is named when its task is completed (PROOF-51, PROOF-52). */
import type { Suggestion, Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { proofMode, proofsToCompare } from "../state/checkpoint.ts";
import type { ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { scopeOf, seenBy } from "../state/staleness.ts";
import type { StalenessOf } from "../state/staleness.ts";
import { staleWords } from "../state/stale_words.ts";
import { postOrder } from "../state/tree.ts";
import { cited, keptNothing, listed, nameOf, oneLine } from "./phrase.ts";
import { FILES_CHANGED, howToProve, linesToRun, packetLines, runLine, wholeLine } from "./run_line.ts";
import { acceptanceCall, provingCall } from "./suggest.ts";
import { remedy } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";

/** `test`: the declared one, or "". */
interface Stale {
  checkpoint: ProofCheckpoint;
  test: string;
  evidence: string;
  words: string;
  paths: string[];
  commit: string | null;
  during: boolean;
  /** Whether there is no git to ask. */
  unasked: boolean;
  /** Whether the packet made it. */
  ofPacket: boolean;
}

const WITHOUT_GIT = remedy`Put git into PATH, then call again. A program that opens the workspace gives it: openWorkspace({ root, git: () => openGit(root) }), with openGit of taskfold/git.`;

/** PROOF_STALE if the step rests on proof that is stale. `by`: the actor who closes it. */
export function refuseStale(subject: Subject, step: Step, by: string | undefined, staleness: StalenessOf): void {
  const stale = staleOn(subject, step, by, staleness);
  if (stale.length === 0) return;
  const { missing, found, recovery, suggestion } = proofWords(subject, step, stale, subject);
  throw new TaskfoldError(
    "PROOF_STALE",
    `Expected proof of ${missing.join(", ")} for ${nameOf(step)} on the files as they are; found ${found}.`,
    {
      ...remedy`${recovery}${keptNothing(
        subject,
        stale.map(({ evidence }) => evidence),
      )}`,
      suggestions: recovery === WITHOUT_GIT ? [] : [suggestion],
      details: { step_id: step.id, missing, stale: stale.map(({ unasked: _u, ofPacket: _p, ...one }) => one) },
    },
  );
}

/** For a task that was completed. Work goes on behind a closed step, so stale proof does not keep the task open. */
export function warnOfStale(subject: Subject, staleness: StalenessOf): Warning[] {
  return [...postOrder(subject.entity.children)].flatMap((step) => {
    const stale = step.done ? staleOn(subject, step, undefined, staleness) : [];
    if (stale.length === 0) return [];
    const { missing, found, recovery } = proofWords(subject, step, stale);
    const message = `${nameOf(step)} was closed with proof of ${missing.join(", ")} that is stale now: ${found}.`;
    return [{ code: "PROOF_STALE", message, ...recovery }];
  });
}

function staleOn(subject: Subject, step: Step, by: string | undefined, staleness: StalenessOf): Stale[] {
  return proofsToCompare(subject.entity, step, by).flatMap(({ checkpoint, test, evidence: all, ofPacket }): Stale[] => {
    let last: Stale | undefined;
    for (const evidence of all.toReversed()) {
      const seen = seenBy(subject.entity, evidence);
      const found = seen ? staleness(subject.id, seen, scopeOf(subject.entity, step)) : { is: "fresh" as const };
      const words = staleWords(found);
      if (words === undefined) return [];
      const { paths, commit, during } = found.is === "stale" ? found : { paths: [], commit: null, during: false };
      const how = { unasked: found.is === "unasked", ofPacket: ofPacket === true };
      last ??= { checkpoint, test, evidence, words: words.text, paths, commit, during, ...how };
    }
    return last ? [last] : [];
  });
}

interface StaleWords {
  missing: ProofCheckpoint[];
  /** The end of a sentence. */
  found: string;
  /** It names the command line that makes it fresh. */
  recovery: Remedy;
  suggestion: Suggestion;
}

/** `refused`: the subject again, in a refusal. */
function proofWords(subject: Subject, step: Step, stale: readonly Stale[], refused?: Subject): StaleWords {
  const missing = [...new Set(stale.map(({ checkpoint }) => checkpoint))];
  const each = stale.map(({ evidence, test, words }) => {
    const what = test === "" ? "" : ` "${oneLine(test)}"`;
    return `${cited(evidence, refused)}${what}, but ${words}`;
  });
  const tests = stale.flatMap(({ test }) => (test === "" ? [] : [test]));
  const isOfPacket = stale.some(({ ofPacket }) => ofPacket);
  const run = runLine(subject, step, missing, tests[0]);
  const mode = proofMode(step, missing[0]!);
  const make = isOfPacket
    ? remedy`Run it again with ${linesToRun(packetLines(subject, FILES_CHANGED))}.`
    : mode === "captured"
      ? remedy`Run it again with ${linesToRun([run])}.`
      : howToProve(subject, step, run, { mode, changed: "changed" });
  const again = remedy`${make}${stale.some(({ during }) => during) ? WRITES : ""}`;
  const recovery = stale.some(({ unasked }) => unasked) ? WITHOUT_GIT : again;
  const suggestion = isOfPacket ? acceptanceCall(subject, step) : provingCall(subject, step, wholeLine(run));
  return { missing, found: listed(each), recovery, suggestion };
}

const WRITES = " If the command itself writes such a file anew on each run, let git ignore the file.";
