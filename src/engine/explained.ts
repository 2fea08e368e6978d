/** A refusal with what only the whole workspace tells: a focus that is gone, a plan's tasks, which of the calls it offers pass. */
import type { Engine } from "./engine.ts";
import { aboutFocus } from "./focus_gone.ts";
import { withPassing } from "./offered.ts";
import { aboutPlan } from "./plan_named.ts";
import type { ReadCall } from "./read.ts";

export function explained(engine: Engine, call: ReadCall, e: unknown): unknown {
  try {
    const from = engine.reading();
    return withPassing(from, call, aboutPlan(from, call, aboutFocus(engine.world, call, e)));
  } catch {
    // A disk that fails by now takes nothing from the refusal, which is an answer.
    return e;
  }
}
