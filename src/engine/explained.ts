/** A refusal with what only the whole workspace tells: a focus that is gone, the kind that a tool takes, a plan's tasks, which of the calls it offers pass. */
import type { Suggestion } from "../errors.ts";
import { aboutFocus } from "./focus_gone.ts";
import { aboutKind } from "./kind_named.ts";
import { withoutHeld, withPassing } from "./offered.ts";
import { aboutPlan } from "./plan_named.ts";
import type { CheckedCall, Outcome } from "./job.ts";
import type { Readable } from "./readable.ts";
import type { World } from "./world.ts";

/** Who answers: an engine, or a reader. */
interface Answering {
  readonly world: World;
  reading(): Readable;
}

export function explained(from: Answering, call: CheckedCall, e: unknown): unknown {
  try {
    const readable = from.reading();
    return withPassing(readable, call, aboutPlan(readable, call, aboutKind(call, aboutFocus(from.world, call, e))));
  } catch {
    // A disk that fails by now takes nothing from the refusal, which is an answer.
    return e;
  }
}

/** The calls that an answer offers, as its caller may make them now. */
export function offeredBy(from: Answering, call: CheckedCall, { suggestions, warnings }: Outcome): Suggestion[] {
  if (suggestions.length === 0) return suggestions;
  try {
    const isRepeated = warnings.some(({ code }) => code === "REPLAYED");
    return withoutHeld(from.reading(), call, suggestions, isRepeated);
  } catch {
    // A disk that fails by now takes nothing from the answer.
    return suggestions;
  }
}
