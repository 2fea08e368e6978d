/** What the model's calls about the archive do: one ended task goes there, and comes back; its plan names it meanwhile. */
import type { Entity } from "./entity.ts";
import { refuse } from "./entity.ts";
import type { Turn } from "./model.ts";

const ENDED = ["DONE", "FAILED", "CANCELED"];

export function putAway(turn: Turn): void {
  const { model, input, by } = turn;
  const entity = model.shown(input, by);
  model.expect(input, entity.ops.length);
  if (entity.kind === "plan") refuse("TARGET_CONTRADICTION");
  if (entity.archived) refuse("ALREADY_DONE");
  model.change(turn, entity, (change) => {
    if (!ENDED.includes(change.whole["status"] as string)) refuse("NOT_DONE");
    change.undoable = false;
    change.about("", { gone: true });
    entity.archived = true;
  });
  name(turn, entity, true);
}

export function bringBack(turn: Turn): void {
  const { model, input, by } = turn;
  const entity = model.shown(input, by);
  model.change(turn, entity, (change) => {
    if (entity.kind === "plan") refuse("TARGET_CONTRADICTION");
    if (!entity.archived) refuse("ALREADY_DONE");
    change.undoable = false;
    change.about("");
    entity.archived = false;
  });
  if (entity.named) name(turn, entity, false);
}

function name(turn: Turn, entity: Entity, isNamed: boolean): void {
  const plan = turn.model.state.entities[entity.parent ?? ""];
  if (!plan || plan.deleted) return;
  turn.model.change({ ...turn, input: {} }, plan, (change) => {
    change.undoable = false;
    change.about("", { free: true });
  });
  entity.named = isNamed;
}
