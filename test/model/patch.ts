/** The model's patches (PATCH rules): worked out on what is there, then set the way of the tool that sets those fields. */
import type { Change, Place, Value } from "./entity.ts";
import { refuse } from "./entity.ts";
import type { Input, Patch } from "./input.ts";
import type { Model } from "./model.ts";
import { nodeOf, setNode } from "./nodes.ts";
import type { StepBody } from "./steps.ts";
import { clean, define, titled } from "./steps.ts";

const LISTS = ["tags", "success_criteria", "tests", "blockers", "risks"];
const FIELDS = {
  whole: ["title", "description", "priority", "tags"],
  step: ["title", "success_criteria", "tests", "blockers"],
  node: ["title", "status", "risks"],
};

/** Whether it changes anything. */
export function patch(change: Change, model: Model, one: Patch & Pick<Input, "task_node_id">): boolean {
  if (one.task_node_id !== undefined || one.path?.includes(".t:") === true) {
    const node = nodeOf(change, model, one);
    const set = workedOut(change.at(node), one, FIELDS.node);
    if (!isEmpty(set)) setNode(change, node, set as Input);
    return !isEmpty(set);
  }
  if (one.path !== undefined || one.step_id !== undefined) {
    const step = model.stepOf(change.entity, one);
    const set = workedOut(change.at(step), one, FIELDS.step);
    if (!isEmpty(set)) define(change, step, set as Partial<StepBody>);
    return !isEmpty(set);
  }
  const set = workedOut(change.whole, one, FIELDS.whole);
  if (isEmpty(set)) return false;
  for (const [field, value] of Object.entries(set)) {
    const line = field === "title" || field === "priority";
    change.write("", field, line ? titled(value as string) : Array.isArray(value) ? clean(value as string[]) : value);
  }
  change.about("");
  return true;
}

const isEmpty = (set: object): boolean => Object.keys(set).length === 0;

/** The fields that come out otherwise. */
function workedOut(at: Place, { ops }: Patch, fields: readonly string[]): Record<string, Value> {
  const now: Record<string, Value> = {};
  for (const { op, field, value } of ops) {
    if (!fields.includes(field)) refuse("INVALID_INPUT");
    const list = LISTS.includes(field);
    if (op === "set") {
      if (Array.isArray(value) !== list) refuse("INVALID_INPUT");
      now[field] = value!;
    } else if (op === "unset") {
      if (!list && field !== "description") refuse("INVALID_INPUT");
      now[field] = list ? [] : "";
    } else {
      if (!list) refuse("INVALID_INPUT");
      const before = (now[field] ?? at[field] ?? []) as string[];
      const said = [value!].flat().map((text) => text.trim());
      now[field] = op === "append" ? [...new Set([...before, ...said])] : before.filter((text) => !said.includes(text));
    }
  }
  return Object.fromEntries(Object.entries(now).filter(([f, v]) => JSON.stringify(v) !== JSON.stringify(at[f])));
}

export function refuseOtherKind({ entity }: Change, kind: "plan" | "task"): void {
  if (entity.kind !== kind) refuse("INVALID_INPUT");
}
