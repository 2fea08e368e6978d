import { TaskfoldError } from "../../../errors.ts";
import { mustBeText } from "./must_be_text.ts";

const BY = /^(?:system|(?:human|agent|system):[A-Za-z0-9._@/+-]{1,64})$/;

export function isActor(by: string): boolean {
  return BY.test(by);
}

/** INVALID_INPUT unless `by` says who acts in the form that every log entry has. */
export function checkBy(by: unknown): asserts by is string {
  mustBeText("by", by);
  if (isActor(by)) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected by to be human:NAME, agent:NAME or system (letters, digits, ._@/+- , at most 64), found ${JSON.stringify(by.slice(0, 100))}.`,
  );
}
