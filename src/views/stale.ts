/** Lines about proof that is of other files than those of now (PROOF-52). */
import { highestDegree, takesNoClaim } from "../state/degree.ts";
import { proofMode, proofsAmong } from "../state/checkpoint.ts";
import type { Link, Step, Subject } from "../state/entity.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import { staleWords } from "../state/stale_words.ts";
import type { Staleness, StalenessOf } from "../state/staleness.ts";
import { scopeOf, seenBy } from "../state/staleness.ts";
import { postOrder } from "../state/tree.ts";
import { stepName } from "./lines.ts";

/** Undefined for a claim, which saw no work tree. */
export function stalenessOf({ id, entity }: Subject, evidence: string, of: StalenessOf): Staleness | undefined {
  const seen = seenBy(entity, evidence);
  return seen && of(id, seen, scopeOf(entity));
}

/** Work goes on behind a closed step, so that is told only where its mode takes no claim. */
export function* staleLines(subject: Subject, of: StalenessOf): Generator<string> {
  for (const step of postOrder(subject.entity.children)) {
    for (const c of PROOF_CHECKPOINTS) {
      if (step.done && !takesNoClaim(proofMode(step, c))) continue;
      const words = staleProof(subject, step, proofsAmong(step.linked[c]), of);
      if (words !== undefined) yield `${stepName(step)}: proof of ${c} is stale: ${words}`;
    }
  }
}

/** Undefined where one of them is of the files of now, and where only claims prove. */
function staleProof(subject: Subject, step: Step, links: readonly Link[], of: StalenessOf): string | undefined {
  if ((highestDegree(links, step.done_by) ?? "claimed") === "claimed") return undefined;
  const found = links.toReversed().flatMap(({ evidence }) => stalenessOf(subject, evidence, of) ?? []);
  const each = found.map(staleWords);
  return each.includes(undefined) ? undefined : each[0];
}
