/** Puts what a person wrote into a folded file aside, where a merge driver or a hook of git writes that file anew (GIT-6). */
import { basename } from "node:path";
import { Layout } from "../../files/layout.ts";
import { RootedDisk } from "../../rooted_disk.ts";
import type { FoldedFile } from "./merge_sides.ts";
import { keptName, quarantine } from "../core/quarantine.ts";

/** Its path from the root. `root`: the folder that holds `.coco`. */
export function keepEdited(root: string, { id, name }: Pick<FoldedFile, "id" | "name">, bytes: Buffer): string {
  const disk = new RootedDisk(root);
  try {
    const path = quarantine({ disk, layout: new Layout(root) }, keptName(id, name), bytes);
    return `.coco/registry/quarantine/${basename(path)}`;
  } finally {
    disk.release();
  }
}
