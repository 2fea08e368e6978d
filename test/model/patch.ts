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

export function patch(change: Change, model: Model, one: Patch & Pick<Input, "task_node_id">): void {
  if (one.task_node_id !== undefined || one.path?.includes(".t:") === true) {
    const node = nodeOf(change, model, one);
    return setNode(change, node, workedOut(change.at(node), one, FIELDS.node) as Input);
  }
  if (one.path !== undefined || one.step_id !== undefined) {
    const step = model.stepOf(change.entity, one);
    return define(change, step, workedOut(change.at(step), one, FIELDS.step) as Partial<StepBody>);
  }
  const set = workedOut(change.whole, one, FIELDS.whole);
  for (const [field, value] of Object.entries(set)) {
    const line = field === "title" || field === "priority";
    change.write("", field, line ? titled(value as string) : Array.isArray(value) ? clean(value as string[]) : value);
  }
  change.about("");
}

/** The fields that come out otherwise, and those that were set; INVALID_INPUT when there are none. */
function workedOut(at: Place, { ops }: Patch, fields: readonly string[]): Record<string, Value> {
  const now: Record<string, Value> = {};
  const set = new Set<string>();
  for (const { op, field, value } of ops) {
    if (!fields.includes(field)) refuse("INVALID_INPUT");
    const list = LISTS.includes(field);
    if (op === "set") {
      if (Array.isArray(value) !== list) refuse("INVALID_INPUT");
      set.add(field);
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
  const changed = Object.entries(now).filter(([f, v]) => set.has(f) || JSON.stringify(v) !== JSON.stringify(at[f]));
  return changed.length === 0 ? refuse("INVALID_INPUT") : Object.fromEntries(changed);
}

export function refuseOtherKind({ entity }: Change, kind: "plan" | "task"): void {
  if (entity.kind !== kind) refuse("INVALID_INPUT");
}
