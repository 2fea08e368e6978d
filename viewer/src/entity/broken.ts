/** Evidence that the check of the folder found changed or gone: it proves nothing now. */
import type { CheckAnswer, EntityAnswer } from "../../../src/views/viewer/api.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";

type Checked = CheckAnswer["evidence"][string];

/** Entries by their ids. */
export type Broken = ReadonlyMap<string, Checked>;

const NONE: Broken = new Map();

function brokenIn({ evidence }: CheckAnswer): Broken {
  return new Map(Object.entries(evidence).filter(([, { status }]) => status === "broken"));
}

/** None of a state of the past, and none until the folder was checked. */
export function useBroken({ id, available, evidence_total }: EntityAnswer, present: boolean): Broken {
  const isAsked = present && available.check && evidence_total > 0;
  const { value } = useAnswer(isAsked ? names.check(id) : null);
  return value ? brokenIn(value) : NONE;
}
