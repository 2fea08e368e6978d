/** Changes that no watch tells of: a claim ends, a dispatcher is killed, another program writes its task.yaml. */
import { holdsFor } from "../../files/look_again.ts";
import type { Runtime } from "../../runtime.ts";
import { every } from "../../runtime.ts";
import type { OtherFiles } from "../watch/other_files.ts";
import type { BoardRows } from "./rows.ts";

/** `onChanged` takes the ids whose rows are others. `files`: those that folders of other programs are shown from. Gives what ends it. */
export function lookByTheClock(
  runtime: Runtime,
  rows: BoardRows,
  files: Pick<OtherFiles, "look">,
  now: () => string,
  onChanged: (ids: string[]) => void,
): () => void {
  const seen = () => ({ now: now(), lost: rows.lost() });
  let before = seen();
  const look = (): void => {
    const after = seen();
    const came = after.lost.filter((id) => !before.lost.includes(id));
    const went = before.lost.filter((id) => !after.lost.includes(id));
    const ids = [...came, ...went, ...rows.ended(before.now, after.now), ...files.look()];
    before = after;
    if (ids.length > 0) onChanged(ids);
  };
  return every(runtime, holdsFor("clock"), look);
}
