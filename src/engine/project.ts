/**
 * Step 6: the files folded from a log. Under a lock of their own, whose holder renders the log's present end: a change
 * that comes meanwhile is the next holder's. Failing to write one never fails the change; it comes back as a warning
 * and the next write or `rebuild` heals it (PROJ rules).
 */
import { dirname, join, sep } from "node:path";
import type { FileStat } from "../disk.ts";
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { readIfThere, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import { projectionsOf, RENDERER, SKELETON, SKELETON_FOLDERS } from "../projections/index.ts";
import type { Handle } from "./handle.ts";
import { acquire } from "./lock.ts";
import type { World } from "./world.ts";

interface Written {
  text: string;
  stat: FileStat;
}

/** What this engine last wrote, so that an unchanged file costs a comparison and a stat. */
export class Projector {
  readonly #world: World;
  readonly #written = new Map<string, Written>();
  readonly #seen = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Brings the files of one entity to its log's present end. Returns warnings; never throws. */
  async project(handle: Handle, workspace: string): Promise<Warning[]> {
    try {
      const lock = await acquire(this.#world.locks(), `${handle.id}.files`, {
        timeoutMs: this.#world.lockTimeoutMs,
        now: this.#world.now,
      });
      try {
        handle.catchUp();
        return this.#render(handle, workspace);
      } finally {
        lock.release();
      }
    } catch (e) {
      const { message } = storageError(e, "write the files folded from the log");
      return [{ code: "PROJECTION_FAILED", message, recovery: `taskfold rebuild ${handle.id}` }];
    }
  }

  /** Forgets what was written to an entity's folder: somebody moved or rebuilt it. */
  forget(handle: Handle): void {
    this.#seen.delete(handle.id);
    for (const path of this.#written.keys()) if (path.startsWith(handle.folder + sep)) this.#written.delete(path);
  }

  #render(handle: Handle, workspace: string): Warning[] {
    if (handle.report.newer) {
      return [
        {
          code: "LOG_NEWER_VERSION",
          message: "The files folded from this log are left to the release that knows its events.",
        },
      ];
    }
    const { disk } = this.#world;
    if (!this.#seen.has(handle.id)) {
      const theirs = rendererOf(readIfThere(disk, join(handle.folder, "task.yaml"))?.toString("utf8"));
      if (theirs > RENDERER) {
        return [
          {
            code: "RENDERER_NEWER",
            message: `task.yaml was written by renderer ${theirs}, this is ${RENDERER}; it is left as it is.`,
            recovery: "Use the newer release.",
          },
        ];
      }
      ensureSkeleton(this.#world, handle.folder);
      this.#seen.add(handle.id);
    }
    for (const [name, text] of projectionsOf(handle.subject(workspace))) this.#write(join(handle.folder, name), text);
    return [];
  }

  #write(path: string, text: string): void {
    const { disk } = this.#world;
    const known = this.#written.get(path);
    if (known?.text === text && sameFile(known.stat, disk.lstat(path))) return;
    if (readIfThere(disk, path)?.equals(Buffer.from(text)) !== true || disk.lstat(path)?.kind !== "file")
      writeAtomic(disk, path, text);
    const stat = disk.lstat(path);
    if (stat) this.#written.set(path, { text, stat });
  }
}

function sameFile(a: FileStat, b: FileStat | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Number of the renderer that wrote a task.yaml; 0 when it does not say. */
export function rendererOf(taskYaml: string | undefined): number {
  return Number(/^renderer: (\d{1,9})$/m.exec(taskYaml ?? "")?.[1] ?? 0);
}

/** Folders and people's files: made where they are missing, never touched where they are. */
export function ensureSkeleton(world: Pick<World, "disk">, folder: string): void {
  for (const name of SKELETON_FOLDERS) {
    const path = join(folder, name);
    ensureFolder(world.disk, path);
    // A link here would make every projection a write outside the folder that is reviewed.
    if (world.disk.lstat(path)?.kind !== "folder")
      throw new TaskfoldError("PATH_UNSAFE", `Expected ${name} to be a folder, found a link.`);
  }
  for (const [name, text] of Object.entries(SKELETON)) {
    const path = join(folder, name);
    if (world.disk.lstat(path)) continue;
    ensureFolder(world.disk, dirname(path));
    writeAtomic(world.disk, path, text);
  }
}
