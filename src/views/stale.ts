/** Lines about proof that is of other files than those of now (PROOF-52). */
import { highestDegree, takesNoClaim } from "../state/degree.ts";
import { proofMode, proofsAmong, proofsToCompare } from "../state/checkpoint.ts";
import type { Link, ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import { staleWords } from "../state/stale_words.ts";
import type { Staleness, StalenessOf } from "../state/staleness.ts";
import { scopeOf, seenBy, stepWith } from "../state/staleness.ts";
import { hasEnded } from "../state/ended.ts";
import { postOrder } from "../state/tree.ts";
import { stepName } from "./lines.ts";

/** Undefined for a claim, which saw no work tree. */
export function stalenessOf({ id, entity }: Subject, evidence: string, of: StalenessOf): Staleness | undefined {
  const seen = seenBy(entity, evidence);
  return seen && of(id, seen, scopeOf(entity, stepWith(entity, evidence)));
}

interface StaleProof {
  step: Step;
  checkpoint: ProofCheckpoint;
  words: string;
}

/** Work goes on behind a closed step, so that is told only where its mode takes no claim. */
export function* staleProofs(subject: Subject, of: StalenessOf): Generator<StaleProof> {
  for (const step of postOrder(subject.entity.children)) {
    for (const checkpoint of PROOF_CHECKPOINTS) {
      if (step.done && !takesNoClaim(proofMode(step, checkpoint))) continue;
      const groups = proofsOf(step, checkpoint);
      const [words] = groups.flatMap((links) => staleProof(subject, step, links, of) ?? []);
      if (words !== undefined) yield { step, checkpoint, words };
    }
  }
}

/** Lists of proofs, of which one each is to be of the files of now. In a mode that takes no claim each declared test has its own. */
function proofsOf(step: Step, checkpoint: ProofCheckpoint): Link[][] {
  if (!takesNoClaim(proofMode(step, checkpoint))) return [proofsAmong(step.linked[checkpoint])];
  return proofsToCompare(step).flatMap(({ checkpoint: c, links }) => (c === checkpoint ? [links] : []));
}

/** The same as lines. */
export function* staleLines(subject: Subject, of: StalenessOf): Generator<string> {
  for (const { step, checkpoint, words } of staleProofs(subject, of))
    yield `${stepName(step)}: proof of ${checkpoint} is stale: ${words}`;
}

/** Entries that prove something and are stale, each with the words. None of a task that has ended: work goes on behind it. */
export function staleEntries(subject: Subject, of: StalenessOf): ReadonlyMap<string, string> {
  const stale = new Map<string, string>();
  if (hasEnded(subject.entity)) return stale;
  const proofs = [...postOrder(subject.entity.children)].flatMap(({ linked }) =>
    PROOF_CHECKPOINTS.flatMap((c) => proofsAmong(linked[c])),
  );
  for (const evidence of new Set(proofs.map((link) => link.evidence))) {
    const found = stalenessOf(subject, evidence, of);
    const words = found && staleWords(found);
    if (words !== undefined) stale.set(evidence, words);
  }
  return stale;
}

/** Undefined where one of them is of the files of now, and where only claims prove. */
function staleProof(subject: Subject, step: Step, links: readonly Link[], of: StalenessOf): string | undefined {
  if ((highestDegree(links, step.done_by) ?? "claimed") === "claimed") return undefined;
  const found = links.toReversed().flatMap(({ evidence }) => stalenessOf(subject, evidence, of) ?? []);
  const each = found.map(staleWords);
  return each.includes(undefined) ? undefined : each[0];
}
