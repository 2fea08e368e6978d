/** Puts what a person wrote into a folded file aside, where a merge driver or a hook of git writes that file anew (GIT-4). */
import { basename } from "node:path";
import type { Disks } from "../../disks.ts";
import { Layout } from "../../files/layout.ts";
import type { FoldedFile } from "./merge_sides.ts";
import { keptName, quarantine } from "../core/quarantine.ts";

/** Its path from the root. `root`: the folder that holds `.coco`. */
export function keepEdited(
  disks: Disks,
  root: string,
  { id, name }: Pick<FoldedFile, "id" | "name">,
  bytes: Buffer,
): string {
  const { disk, release } = disks.below(root);
  try {
    const path = quarantine({ disk, layout: new Layout(root) }, keptName(id, name), bytes);
    return `.coco/registry/quarantine/${basename(path)}`;
  } finally {
    release();
  }
}
