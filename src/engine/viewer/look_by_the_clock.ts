/** Changes that no watch tells of: a claim ends, a dispatcher is killed, another program writes its task.yaml. */
import { holdsFor } from "../../files/look_again.ts";
import type { Runtime } from "../../runtime.ts";
import { every } from "../../runtime.ts";
import type { BoardRows } from "./rows.ts";

/** `told` takes the ids whose rows are others. Gives what ends it. */
export function lookByTheClock(
  runtime: Runtime,
  rows: BoardRows,
  now: () => string,
  told: (ids: string[]) => void,
): () => void {
  const seen = () => ({ now: now(), lost: rows.lost(), foreign: rows.foreignSigns() });
  let before = seen();
  const look = (): void => {
    const after = seen();
    const came = after.lost.filter((id) => !before.lost.includes(id));
    const went = before.lost.filter((id) => !after.lost.includes(id));
    const written = [...after.foreign].filter(([id, sign]) => (before.foreign.get(id) ?? sign) !== sign);
    const ids = [...came, ...went, ...rows.ended(before.now, after.now), ...written.map(([id]) => id)];
    before = after;
    if (ids.length > 0) told(ids);
  };
  return every(runtime, holdsFor("clock"), look);
}
