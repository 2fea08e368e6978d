/** What the model's calls about whole plans and tasks do: status, fields, checklist, contract, deletion, the next claim. */
import type { Asking } from "./claims.ts";
import { claim, firstReady, hasClaims, refuseHeld } from "./claims.ts";
import type { Change, Entity } from "./entity.ts";
import { dueSteps, refuse } from "./entity.ts";
import type { Input } from "./input.ts";
import type { Model, Turn } from "./model.ts";
import { patch, refuseOtherKind } from "./patch.ts";
import { clean, deleteStep, hasBegun, hasBegunTask, titled, unmet } from "./steps.ts";

export function complete(change: Change, model: Model, status = "DONE"): void {
  if (status === "DONE") {
    const why = unmet(change.entity);
    if (why !== null) refuse(why);
  }
  const { entity } = change;
  const hasWork = entity.kind === "plan" ? hasBegunTask(entity, model) : hasBegun(entity);
  if (status === "TODO" && hasWork) refuse("WORK_BEGUN");
  change.write("", "status", status);
  if (!["TODO", "ACTIVE"].includes(status)) delete change.entity.leases[""];
  change.about("");
}

/** STEP-79: where the task or its plan asks for that, closing the last step completes the task, if it may be DONE. */
export function completeWithLastStep(change: Change, model: Model): void {
  const { entity, whole } = change;
  const plan = model.state.entities[entity.parent ?? ""]?.places[""];
  const asks = whole["complete_when_done"] ?? plan?.["complete_when_done"];
  const isOpen = ["TODO", "ACTIVE"].includes(whole["status"] as string);
  if (asks !== true || !isOpen || unmet(entity) !== null) return;
  change.write("", "status", "DONE");
  delete entity.leases[""];
}

/** One text that stands beside others: undo takes it out, and nothing is ever in its way. */
export function say(change: Change, place: string, text: string): void {
  if (text.trim() === "") refuse("INVALID_INPUT");
  change.write("", `said ${change.entity.ops.length}`, text);
  change.touch(place);
  change.about(place, { free: true });
}

export function edit(change: Change, { model, input }: Turn): void {
  const { title, description, priority, tags, depends_on, complete_when_done: completes } = input;
  const given = [title, description, priority, tags, depends_on, completes];
  if (given.every((one) => one === undefined)) refuse("INVALID_INPUT");
  for (const id of depends_on ?? []) if (model.find(id) === change.entity) refuse("INVALID_INPUT");
  if (title !== undefined) change.write("", "title", titled(title));
  if (description !== undefined) change.write("", "description", description ?? "");
  if (priority !== undefined) change.write("", "priority", titled(priority));
  if (tags !== undefined) change.write("", "tags", clean(tags));
  if (depends_on !== undefined) change.write("", "depends_on", clean(depends_on));
  if (completes !== undefined) change.write("", "complete_when_done", completes);
  change.about("");
}

export function checklist(change: Change, { steps, current, advance }: Input): void {
  refuseOtherKind(change, "plan");
  const { whole } = change;
  const list = steps === undefined ? (whole["checklist"] as string[]) : clean(steps as string[]);
  const at = whole["current"] as number;
  if (advance === true && current !== undefined) refuse("INVALID_INPUT");
  if (steps === undefined && current === undefined && advance !== true) refuse("INVALID_INPUT");
  const next =
    advance === true ? Math.min(at, list.length) + 1 : ((current as number | undefined) ?? Math.min(at, list.length));
  if (next > list.length) refuse("INVALID_INPUT");
  if (steps !== undefined) change.write("", "checklist", list);
  if (next !== at || current !== undefined) change.write("", "current", next);
  change.about("");
}

export function contract(change: Change, { current, clear }: Input): void {
  refuseOtherKind(change, "plan");
  if ((clear === true) === (current !== undefined)) refuse("INVALID_INPUT");
  change.write("", "contract", clear === true ? null : (current as string));
  change.about("");
}

export function closeTask(turn: Turn): void {
  const { model, input, by } = turn;
  const entity = model.target(input, by);
  const make = (change: Change, asking?: Asking): void => {
    if (asking) refuseHeld(change, "", asking);
    for (const one of input.patches ?? []) patch(change, model, one);
    if (input.apply === true) complete(change, model);
  };
  if (input.apply === true) return model.change(turn, entity, make);
  model.expect(input, entity.ops.length);
  model.dry(entity, make);
}

/** Nothing is left to take up: it has ended, or has steps, and all of them are closed. */
function isOver(entity: Entity): boolean {
  const steps = dueSteps(entity);
  const isClosed = steps.length > 0 && steps.every((step) => entity.places[step]!["done"] === true);
  return isClosed || !["TODO", "ACTIVE"].includes(entity.places[""]!["status"] as string);
}

export function claimNext(turn: Turn): void {
  const { model, input, by } = turn;
  const focus = model.state.focus[by];
  const scope = model.named(input) ?? (focus === undefined ? undefined : model.find(focus));
  const all = scope?.kind === "task" ? [scope] : model.live("task").filter((one) => !scope || one.parent === scope.id);
  const isReady = (one: Entity): boolean =>
    ["TODO", "ACTIVE"].includes(one.places[""]!["status"] as string) &&
    (one.places[""]!["depends_on"] as string[]).every((id) => model.isDone(id)) &&
    firstReady(one, model.now) !== undefined &&
    !(input.whole === true && hasClaims(one, model.now));
  if (scope?.archived) refuse("ARCHIVED");
  const entity = scope?.kind === "task" ? scope : all.find(isReady);
  const none = all.every((one) => isOver(one)) ? "ALL_DONE" : "NOTHING_READY";
  if (!entity) return refuse(none);
  model.change(turn, entity, (change, asking) => {
    if (!isReady(entity)) refuse(none);
    const place = input.whole === true ? "" : firstReady(entity, model.now)!;
    claim(change, place, input.ttl_s ?? 900, asking);
  });
}

export function remove(turn: Turn): void {
  const { model, input, by } = turn;
  const entity = model.target(input, by);
  model.expect(input, entity.ops.length);
  const place = model.stepOrWhole(entity, input);
  const gone = [entity, ...(place === "" ? model.live("task").filter((one) => one.parent === entity.id) : [])];
  for (const one of gone) {
    const its = one === entity ? turn : { ...turn, input: {} };
    model.change(its, one, (change) => {
      if (place !== "") return deleteStep(change, place);
      change.undoable = false;
      change.about("", { gone: true });
      one.deleted = true;
    });
  }
}
