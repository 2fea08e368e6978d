/** Which steps can be taken up now (LEASE-7): in the order in which they are due, with all they wait for behind them. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import type { Subject } from "../state/entity.ts";
import { covering, inEffect } from "../state/lease.ts";
import { postOrder } from "../state/tree.ts";
import { firstReady, hasEnded } from "./first_ready.ts";
import type { Asking, Term } from "./lease.ts";
import { claim } from "./lease.ts";
import { counted } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** Whether work on the task may begin or go on at all. */
export function isReady({ entity }: Subject, find: Find): boolean {
  return entity.kind === "task" && !hasEnded(entity) && !entity.deleted && openDependencies(entity, find).length === 0;
}

/** Claims the first step that is ready; NOTHING_READY says why there is none. */
export function claimNext(subject: Subject, term: Term, find: Find, asking: Asking): Draft[] {
  const step = isReady(subject, find) ? firstReady(subject.entity, asking.now) : undefined;
  if (step) return claim(subject, step, term, { by: asking.by, now: asking.now });
  throw new TaskfoldError(
    "NOTHING_READY",
    `Expected a step of ${subject.id} that can be taken up, found ${whyNot(subject, find, asking.now)}.`,
    {
      recovery: "Take up another task, or see what stands in the way.",
      suggestions: [callOn(subject, "tasks_radar", {}, "See what stands in the way.")],
    },
  );
}

function whyNot({ id, entity }: Subject, find: Find, now: string): string {
  if (entity.kind === "plan") return `the plan ${id}, which has none`;
  if (hasEnded(entity)) return `${id} ${entity.status}`;
  const waits = openDependencies(entity, find);
  if (waits.length > 0) return `${id} waiting for ${waits.map((ref) => find(ref)?.id ?? ref.id).join(", ")}`;
  const open = [...postOrder(entity.children)].filter((step) => !step.done);
  const blocked = open.filter((step) => step.blocked).length;
  const claimed = open.filter((step) => covering(entity, step).some(({ lease }) => inEffect(lease, now))).length;
  return `${id} with ${open.length} open, ${blocked} of them blocked, ${claimed} claimed`;
}

/** Why none of many tasks has a step to take up: of the first that have not ended what stands in their way, and how many more there are. */
export function whyNone(tasks: readonly Subject[], find: Find, now: string): string {
  const open = tasks.filter(({ entity }) => entity.kind === "task" && !hasEnded(entity));
  if (open.length === 0) return "no task that has not ended";
  const shown = open.slice(0, SHOWN).map((task) => whyNot(task, find, now));
  return [...shown, ...(open.length > SHOWN ? [counted(open.length - SHOWN, "more task")] : [])].join("; ");
}

const SHOWN = 3;
