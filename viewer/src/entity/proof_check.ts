/** Proof after the check of the folder: evidence that was changed or is gone, and runs of other files than those of now. */
import type { CheckAnswer, EntityAnswer } from "../../../src/views/viewer/api.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";

type Checked = CheckAnswer["evidence"][string];

/** Entries by their ids. */
export type Broken = ReadonlyMap<string, Checked>;

export interface ProofCheck {
  broken: Broken;
  stale: CheckAnswer["stale"];
}

const UNKNOWN: ProofCheck = { broken: new Map(), stale: [] };

function proofCheckIn({ evidence, stale }: CheckAnswer): ProofCheck {
  return { broken: new Map(Object.entries(evidence).filter(([, { status }]) => status === "broken")), stale };
}

/** Nothing of a state of the past, and nothing until the folder was checked. */
export function useProofCheck({ id, available, evidence_total }: EntityAnswer, present: boolean): ProofCheck {
  const isAsked = present && available.check && evidence_total > 0;
  const { value } = useAnswer(isAsked ? names.check(id) : null);
  return value ? proofCheckIn(value) : UNKNOWN;
}
