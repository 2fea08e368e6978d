/** Lines about proof that is of other files than those of now (PROOF-52). */
import { phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { highestDegree, takesNoClaim } from "../state/degree.ts";
import { proofMode, proofsAmong, proofsToCompare } from "../state/checkpoint.ts";
import type { Entity, ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import { acceptingRuns } from "../state/packet_proof.ts";
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
  words: Sentence;
}

/** The stale proofs that wait for an actor. Work goes on behind a closed step, so that is told only where its mode takes no claim. */
export function* staleProofs(subject: Subject, of: StalenessOf): Generator<StaleProof> {
  yield* staleAmong(subject, of, isNeed);
}

/** Every stale proof of a task, for who looks at the proof of each step. It costs a look at the files of each closed step, too. */
export function* allStaleProofs(subject: Subject, of: StalenessOf): Generator<StaleProof & { is_need: boolean }> {
  for (const one of staleAmong(subject, of, () => true)) yield { ...one, is_need: isNeed(one.step, one.checkpoint) };
}

function isNeed(step: Step, checkpoint: ProofCheckpoint): boolean {
  return !step.done || takesNoClaim(proofMode(step, checkpoint));
}

function* staleAmong(subject: Subject, of: StalenessOf, isAsked: typeof isNeed): Generator<StaleProof> {
  for (const step of postOrder(subject.entity.children)) {
    if (!step.packet && PROOF_CHECKPOINTS.every((c) => step.linked[c].length === 0)) continue;
    for (const checkpoint of PROOF_CHECKPOINTS) {
      if (!isAsked(step, checkpoint)) continue;
      const groups = proofsOf(subject.entity, step, checkpoint);
      const [words] = groups.flatMap((evidence) => staleProof(subject, step, evidence, of) ?? []);
      if (words !== undefined) yield { step, checkpoint, words };
    }
  }
}

/**
 * Evidence of proofs, of which in each list one is to be of the files of now. In a mode that takes no claim each declared test has its own, and each
 * command of a packet.
 */
function proofsOf(entity: Entity, step: Step, checkpoint: ProofCheckpoint): string[][] {
  if (takesNoClaim(proofMode(step, checkpoint)))
    return proofsToCompare(entity, step).flatMap(({ checkpoint: c, evidence }) => (c === checkpoint ? [evidence] : []));
  const links = proofsAmong(step.linked[checkpoint]);
  const isClaim = (highestDegree(links, step.done_by) ?? "claimed") === "claimed";
  return isClaim ? [] : [links.map(({ evidence }) => evidence)];
}

export function staleLine(step: Step, checkpoint: ProofCheckpoint, words: Sentence): Sentence {
  return phrased`${stepName(step)}: proof of ${[checkpoint]} is stale: ${words}`;
}

/** The same as lines. */
export function* staleLines(subject: Subject, of: StalenessOf): Generator<Sentence> {
  for (const { step, checkpoint, words } of staleProofs(subject, of)) yield staleLine(step, checkpoint, words);
}

/** Entries that prove something and are stale, each with the words. None of a task that has ended: work goes on behind it. */
export function staleEntries(subject: Subject, of: StalenessOf): ReadonlyMap<string, Sentence> {
  const stale = new Map<string, Sentence>();
  if (hasEnded(subject.entity)) return stale;
  const steps = [...postOrder(subject.entity.children)];
  const links = steps.flatMap(({ linked }) => PROOF_CHECKPOINTS.flatMap((c) => proofsAmong(linked[c])));
  const ofPacket = steps.some(({ packet }) => packet) ? acceptingRuns(subject.entity).flat() : [];
  for (const evidence of new Set([...links.map((link) => link.evidence), ...ofPacket])) {
    const found = stalenessOf(subject, evidence, of);
    const words = found && staleWords(found);
    if (words !== undefined) stale.set(evidence, words);
  }
  return stale;
}

/** Undefined where one of them is of the files of now. The evidence of a packet stands on one step, and proves others. */
function staleProof(
  { id, entity }: Subject,
  step: Step,
  proofs: readonly string[],
  of: StalenessOf,
): Sentence | undefined {
  const seen = proofs.toReversed().flatMap((evidence) => seenBy(entity, evidence) ?? []);
  const each = seen.map((one) => staleWords(of(id, one, scopeOf(entity, step))));
  return each.includes(undefined) ? undefined : each[0];
}
