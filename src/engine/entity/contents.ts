/**
 * Files of a packet that no event holds whole: in place and synced before the event that names them (PACKET-125). Each is
 * written whole, or is an earlier one that gets another name.
 */
import { dirname, join } from "node:path";
import { writeAtomic } from "../../files/atomic.ts";
import { ensureFolderInside } from "../../files/folders.ts";
import type { Content } from "../../tools/define.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import type { EngineContext } from "../core/context.ts";

export function writeContents(
  { disk, durability }: EngineContext,
  handle: LoadedEntity,
  contents: readonly Content[],
): void {
  if (contents.length === 0) return;
  const { folder } = handle;
  handle.refuseLinks();
  const changed = new Set<string>();
  for (const content of contents) {
    const path = join(folder, content.path);
    for (const made of ensureFolderInside(disk, folder, dirname(content.path))) changed.add(made);
    if ("bytes" in content) writeAtomic(disk, path, content.bytes, { sync: durability !== "os" });
    else if (disk.lstat(join(folder, content.from))?.kind === "file") {
      disk.rename(join(folder, content.from), path);
      changed.add(dirname(path));
    }
  }
  if (durability !== "os") for (const each of changed) disk.syncFolder(each);
}
