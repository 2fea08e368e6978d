/** A refusal with what only the whole workspace tells: a focus that is gone, the kind that a tool takes, a plan's tasks, which of the calls it offers pass. */
import type { Engine } from "./engine.ts";
import { aboutFocus } from "./focus_gone.ts";
import { aboutKind } from "./kind_named.ts";
import { withPassing } from "./offered.ts";
import { aboutPlan } from "./plan_named.ts";
import type { ReadCall } from "./read.ts";

export function explained(engine: Engine, call: ReadCall, e: unknown): unknown {
  try {
    const from = engine.reading();
    return withPassing(from, call, aboutPlan(from, call, aboutKind(call, aboutFocus(engine.world, call, e))));
  } catch {
    // A disk that fails by now takes nothing from the refusal, which is an answer.
    return e;
  }
}
