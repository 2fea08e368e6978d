/** The past of an entity: the ring in memory, or every op by a replay that keeps them all. */
import type { Past, PastOf } from "../rules/undo.ts";
import type { Entity } from "../state/entity.ts";
import type { Handle } from "./handle.ts";
import { stateAt } from "./state_at.ts";

/** `entity`: the present one; it may be another program's, which has no past here. */
export function pastOf(handle: Handle, entity: Entity): PastOf {
  return (whole): Past => {
    const { history } = handle.fold;
    const near: Past = { entity, ops: history.ops, redo: history.redo, whole: history.whole };
    if (!whole || history.whole) return near;
    const last = handle.report.ops - 1;
    const moment = stateAt(handle, "", (op) => op.index === last, Infinity);
    if (!moment) return near;
    // Ops of this batch that are decided and not yet written are in the ring only.
    const staged = history.ops.filter((op) => op.revision > last + 1);
    const redo = staged.length === 0 ? moment.fold.history.redo : near.redo;
    return { entity, ops: [...moment.fold.history.ops, ...staged], redo, whole: true };
  };
}
