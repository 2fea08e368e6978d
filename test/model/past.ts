/** The model's undo and redo (UNDO rules): an op is what it wrote, and what it wrote can be set back. */
import type { Asking } from "./claims.ts";
import { refuseHeld } from "./claims.ts";
import type { Change, Entity, Op, Write } from "./entity.ts";
import { isLive, parentOf, refuse, steps, upFrom } from "./entity.ts";
import { lacks, openAbove, openChildren, settle, someFailed } from "./steps.ts";

/** The number of the op that is taken back. */
export function undo(change: Change, asking: Asking, hash: string | undefined): number {
  const { by, now } = asking;
  refuseHeld(change, "", { by, now });
  const { ops } = change.entity;
  const index =
    hash === undefined
      ? ops.findLastIndex((op) => op.undoable && !op.undone)
      : ops.findIndex((one) => one.hash === hash);
  const op = ops[index];
  if (!op) return refuse(hash === undefined ? "NOTHING_TO_UNDO" : "UNKNOWN_ID");
  if (op.undone || !op.undoable) refuse("NOTHING_TO_UNDO");
  for (const place of placesOf(op)) refuseHeld(change, place, asking);
  if (hash === undefined && op.by !== by) refuse("UNDO_CONFLICT");
  turn(change, index, "before");
  return index;
}

export function redo(change: Change, asking: Asking): number {
  refuseHeld(change, "", { by: asking.by, now: asking.now });
  const index = change.entity.redo.at(-1);
  if (index === undefined) return refuse("NOTHING_TO_REDO");
  for (const place of placesOf(change.entity.ops[index]!)) refuseHeld(change, place, asking);
  turn(change, index, "after");
  return index;
}

function turn(change: Change, index: number, to: "before" | "after"): void {
  const { entity } = change;
  const op = entity.ops[index]!;
  const later = entity.ops.slice(index + 1).filter((one) => !one.undone && !one.turn);
  if (later.some((one) => isInTheWay(entity, op, one, to))) refuse("UNDO_CONFLICT");
  for (const step of closedBy(entity, op, to)) if (someFailed(entity, step)) refuse("PROOF_FAILED");
  change.undoable = false;
  const judged = new Set(
    Object.values(op.writes)
      .filter(gates)
      .map(({ place }) => place),
  );
  // Nothing since changed the gate of what this closes again; that would stand in the way.
  const lacked = new Map(
    [...judged].flatMap((step) => (change.at(step)["done"] === true ? [[step, lacks(entity, step)] as const] : [])),
  );
  for (const write of Object.values(op.writes)) {
    const { place, key } = write;
    change.at(place)[key] = write[to];
  }
  for (const place of placesOf(op)) change.about(place);
  // Evidence that came since may ask for more than a closed step has; only what is about closing brings that up (STEP-15).
  for (const step of judged) {
    const { done, forced } = change.at(step);
    const before = lacked.get(step);
    if (before) settle(change, step, before);
    if (change.at(step)["done"] === true) delete entity.leases[step];
    const above = upFrom(parentOf(step)).find((one) => one !== "" && change.at(one)["done"] === true);
    const stands = above !== undefined && change.at(above)["forced"] !== null;
    if (done !== true && isLive(entity, step) && !stands) openAbove(change, parentOf(step));
    if (done === true && forced === null && openChildren(entity, step).length > 0)
      throw new Error(`${step} would be closed above open steps`);
  }
}

/** Live steps that it closes, and where it completes the task all that are closed. */
function closedBy(entity: Entity, { writes }: Op, to: "before" | "after"): string[] {
  const all = Object.values(writes);
  const whole = all.some((one) => one.place === "" && one.key === "status" && one[to] === "DONE");
  const closes = new Set(all.flatMap((one) => (one.key === "done" && one[to] === true ? [one.place] : [])));
  return steps(entity).filter((step) => (entity.places[step]!["done"] === true ? whole : closes.has(step)));
}

/** What turning an op is about: the steps that it wrote, else the whole. */
function placesOf({ writes }: Op): string[] {
  const places = Object.values(writes).flatMap(({ place }) => (place === "" ? [] : [stepOf(place)]));
  return places.length === 0 ? [""] : [...new Set(places)];
}

/** The step that a node stands in; a step itself. */
const stepOf = (place: string): string => place.replace(/\.t:\d+$/, "");

/** What the gate of a step is judged by. */
const GATE = /^(?:done|deleted|blocked|success_criteria|tests|confirmed\..+|proof\..+)$/;
const gates = ({ place, key }: Write): boolean => place.startsWith("s:") && !place.includes("t:") && GATE.test(key);

/** UNDO-4: it wrote the same, worked on what would go, closed what rests on it, or changed what would be closed again. */
function isInTheWay(entity: Entity, op: Op, later: Op, to: "before" | "after"): boolean {
  const writes = Object.values(op.writes);
  const theirs = Object.values(later.writes);
  if (theirs.some(({ place, key }) => `${place} ${key}` in op.writes)) return true;
  const added = writes.filter(({ key, before }) => key === "deleted" && before === true).map(({ place }) => place);
  if (added.some((place) => later.touched.includes(place))) return true;
  const rests = new Set(writes.filter(gates).flatMap(({ place }) => upFrom(place)));
  if (
    theirs.some(
      ({ place, key, after }) => rests.has(place) && key === (place === "" ? "status" : "done") && isClosed(after),
    )
  )
    return true;
  const closes = writes.filter((w) => (w.key === "done" || w.key === "status") && isClosed(w[to])).map((w) => w.place);
  return theirs.some((one) => gates(one) && upFrom(one.place).some((place) => closes.includes(place)));
}

const isClosed = (value: unknown): boolean => value === true || value === "DONE";
