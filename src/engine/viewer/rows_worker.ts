/** The program of the thread of rows_thread.ts. */
import { nodeDisks } from "../../disks.ts";
import { Layout } from "../../files/layout.ts";
import { thisThread } from "../../node_runtime.ts";
import { PART, partsLeft } from "../core/parts_left.ts";
import { folderOf } from "../entity/entity_on_disk.ts";
import type { RowsRead, RowsWork } from "./rows_work.ts";
import { readShortRow } from "./short_row.ts";

const { work, tell } = thisThread();
const { root, workspace, places, taken } = work as RowsWork;
const { disk, release } = nodeDisks().below(root);
const layout = new Layout(root);
for (const at of partsLeft(places.length, taken)) {
  const logs = places
    .slice(at, at + PART)
    .map((place) => readShortRow(disk, folderOf({ layout }, place), place.id, workspace) ?? null);
  tell({ at, logs } satisfies RowsRead);
}
release();
