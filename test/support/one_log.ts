import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { LoadedEntity } from "../../src/engine/entity/loaded_entity.ts";
import { machineFolderOf } from "../../src/files/machine_folder.ts";
import { Snapshots } from "../../src/engine/entity/snapshot.ts";
import { Layout } from "../../src/files/layout.ts";
import { logPath } from "./workspace.ts";

/** A log on its own in a workspace folder, with snapshots of however short a log. */
export class OneLog {
  readonly context: { disk: typeof nodeDisk; layout: Layout; runtime: typeof nodeRuntime };
  readonly path: string;
  readonly #snapshots: Snapshots;

  constructor(root: string, id = "TASK-001") {
    const here = { disk: nodeDisk, runtime: nodeRuntime };
    this.context = { ...here, layout: new Layout(root, machineFolderOf(here, root)) };
    this.path = logPath(root, id);
    this.#snapshots = new Snapshots(this.context, 0, 0);
    mkdirSync(dirname(this.path), { recursive: true });
  }

  open(how: "with snapshots" | "whole"): LoadedEntity {
    const folder = dirname(this.path);
    const loaded = new LoadedEntity(this.context, "TASK-001", folder, how === "whole" ? undefined : this.#snapshots);
    loaded.catchUp();
    return loaded;
  }

  snapshot(): void {
    this.#snapshots.saveIfDue(this.open("whole"));
  }
}

/** All that anybody can ask of an open log. */
export function known({ entity, report, head, keys, fold }: LoadedEntity) {
  // What one reading says in detail of the order, another says less of.
  return {
    entity,
    report: { ...report, linear: null },
    head,
    keys: new Map([...keys].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    redo: fold.history.redo,
  };
}
