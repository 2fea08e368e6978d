/** How the open steps of a task stand. A row of a list keeps it, so that a refusal counts tasks without opening them. */
import { isBlocked } from "./blocked_step.ts";
import type { Claimable, Entity, Step } from "./entity.ts";
import { allClaims } from "./lease.ts";
import { waitsFor } from "./step_waits.ts";
import { postOrder } from "./tree.ts";

/** Counts over live open steps; without a clock. */
export interface StepStanding {
  blocked: number;
  /** Those that wait for other steps. */
  waiting: number;
  /** Ends of the claims that cover a step, and how many steps those cover. */
  claims: readonly (readonly [ends: readonly string[], steps: number])[];
}

/** Undefined where no open step is blocked, waits or is claimed, as in most tasks. */
export function stepStanding(entity: Entity): StepStanding | undefined {
  let [blocked, waiting] = [0, 0];
  const claims = new Map<string, { ends: string[]; steps: number }>();
  for (const step of postOrder(entity.children)) {
    if (step.done) continue;
    if (isBlocked(step)) blocked++;
    if (waitsFor(entity, step).length > 0) waiting++;
    const ends = endsOver(entity, step);
    if (ends.length === 0) continue;
    const same = claims.get(ends.join(" "));
    if (same) same.steps++;
    else claims.set(ends.join(" "), { ends, steps: 1 });
  }
  if (blocked + waiting + claims.size === 0) return undefined;
  return { blocked, waiting, claims: Array.from(claims.values(), ({ ends, steps }) => [ends, steps] as const) };
}

/** Ends of all claims that cover a step or come to cover it when others are over. */
function endsOver(entity: Entity, place: Step): string[] {
  const over: Claimable[] = [];
  for (let step: Step | null = place; step; step = step.parent) over.push(step);
  return [...over, entity].flatMap(allClaims).map(({ expires_at }) => expires_at);
}
