/** Where the engine keeps what is for one machine and one root alone. */
import { join } from "node:path";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { machineFolderOf } from "../../src/files/machine_folder.ts";

/** A part of it, or a file in that: `machinePath(root, "index", "listing.index")`. */
export function machinePath(root: string, ...names: string[]): string {
  return join(root, ".coco", "registry", machineFolderOf({ disk: nodeDisk, runtime: nodeRuntime }, root)(), ...names);
}
