/** Files that ops name, in place and synced before the ops: captured bytes (EVID rules), and files of a packet (PACKET-125). */
import { dirname, join } from "node:path";
import { EVENTS } from "../../events/index.ts";
import type { CapturedItem } from "../../events/evidence.captured.ts";
import { readRegular, syncBytes, syncFile, writeAtomic } from "../../files/atomic.ts";
import { ensureFolderInside, syncWay } from "../../files/folders.ts";
import type { Blob, Content } from "../../state/named_bytes.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineContext } from "../core/context.ts";
import type { NamedFile } from "../core/remote_bytes.ts";
import type { Event } from "../../log/types.ts";

export const BLOB_FOLDER = "shared/evidence/blobs";

/** Files that these events name by their digests: captured bytes, and files of a packet at the paths that they had then. */
export function filesNamed(events: readonly Event[]): NamedFile[] {
  const captured = [...blobsNamed(events)].map((sha256) => ({ path: `${BLOB_FOLDER}/${sha256}`, sha256 }));
  return [...captured, ...events.flatMap(packetFilesNamed)];
}

/** A prompt is named when its stage starts, the other files when it ends. */
function packetFilesNamed({ type, payload }: Event): NamedFile[] {
  if (type !== "stage.started" && type !== "stage.finished" && type !== "stage.imported") return [];
  if (EVENTS[type]?.fits(payload) !== true) return [];
  const { files = {}, prompt } = payload as { files?: Record<string, NamedFile>; prompt?: NamedFile | null };
  return [...Object.values(files), ...(prompt ? [prompt] : [])].map(({ path, sha256 }) => ({ path, sha256 }));
}

/** Digests of all captured bytes that these events name, each once. */
export function blobsNamed(events: readonly Event[]): Set<string> {
  const named = new Set<string>();
  for (const { type, payload } of events) {
    if (type !== "evidence.captured" || EVENTS[type]?.fits(payload) !== true) continue;
    for (const item of payload["items"] as CapturedItem[]) {
      const { captured, attestation } = item;
      const unread = [captured?.changes, captured?.wrote, attestation?.envelope];
      for (const blob of [item.stdout, item.stderr, item.diff, item.content, ...unread]) {
        if (blob && /^[0-9a-f]{64}$/.test(blob.sha256)) named.add(blob.sha256);
      }
    }
  }
  return named;
}

/** Entities whose way to the blobs is on disk: the skeleton that holds them is made without a sync. */
const durable = new WeakSet<LoadedEntity>();

/** Captured bytes, each under its digest. */
export function writeBlobs(context: EngineContext, loaded: LoadedEntity, blobs: readonly Blob[]): void {
  const { folder } = loaded;
  loaded.refuseLinks();
  const into = join(folder, BLOB_FOLDER);
  const made = ensureFolderInside(context.disk, folder, BLOB_FOLDER);
  const sync = context.durability !== "os";
  if (sync && (made.length > 0 || !durable.has(loaded))) {
    syncWay(context.disk, folder, into);
    durable.add(loaded);
  }
  for (const { sha256, bytes } of blobs) {
    const path = join(into, sha256);
    // The file there may be a stranger's: only the bytes themselves are proof of it.
    if (readRegular(context.disk, path, bytes.length)?.equals(bytes) !== true)
      writeAtomic(context.disk, path, bytes, { sync });
    else if (sync) syncFile(context.disk, path);
  }
}

/**
 * Files that no event holds whole. Each is written whole, or is one that another program wrote. If it has another name, it gets its own. A process
 * that was killed synced nothing of it, so its bytes and the names on its way are synced all the same (DUR-113).
 */
export function writeContents(
  { disk, durability }: EngineContext,
  loaded: LoadedEntity,
  contents: readonly Content[],
): void {
  const { folder } = loaded;
  loaded.refuseLinks();
  const sync = durability !== "os";
  const changed = new Set<string>();
  for (const content of contents) {
    const path = join(folder, content.path);
    ensureFolderInside(disk, folder, dirname(content.path));
    if ("bytes" in content) writeAtomic(disk, path, content.bytes, { sync });
    else {
      const from = join(folder, content.from);
      if (disk.lstat(from)?.kind !== "file") continue;
      if (from !== path) disk.rename(from, path);
      if (sync) syncBytes(disk, path);
    }
    for (let at = dirname(path); at.length >= folder.length; at = dirname(at)) changed.add(at);
  }
  if (sync) for (const each of changed) disk.syncFolder(each);
}
