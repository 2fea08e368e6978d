/**
 * Moves an entity's folder. It lies among the live ones or in the archive, as its log says; this is the one way from
 * one to the other.
 */
import { ensureFolderInside, removeHollow } from "../../files/folders.ts";
import type { EngineContext } from "../core/context.ts";

/** Call while holding the locks of its log and of its files. False where something else has the name there: then nothing moves. */
export function moveFolder(
  { disk, layout, notifications }: Pick<EngineContext, "disk" | "layout" | "notifications">,
  id: string,
  to: "tasks" | "archive",
): boolean {
  const live = layout.folder(id);
  const archived = layout.archived(id);
  const [from, target] = to === "archive" ? [live, archived] : [archived, live];
  // A process that was killed may have made the folder and not synced its name (DUR-113).
  ensureFolderInside(disk, layout.root, `.coco/${to}`);
  disk.syncFolder(layout.coco);
  removeHollow(disk, target);
  if (disk.lstat(target)) return false;
  disk.rename(from, target);
  for (const folder of [from, target]) notifications.notify(folder);
  // First the folder that it came to: a crash between the two leaves both names, and never none.
  disk.syncFolder(to === "archive" ? layout.archive : layout.tasks);
  disk.syncFolder(to === "archive" ? layout.tasks : layout.archive);
  return true;
}
