/**
 * Step 6: the files folded from a log. Under a lock of their own, whose holder renders the log's present end: a change
 * that comes meanwhile is the next holder's. Failing to write one never fails the change; it comes back as a warning
 * and the next write or `rebuild` heals it (PROJ rules).
 */
import { basename, join, sep } from "node:path";
import type { FileStat } from "../disk.ts";
import type { Warning } from "../errors.ts";
import { readIfThere, writeAtomic } from "../files/atomic.ts";
import { ensureFolderInside, refuseLinks } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import { projectionsOf, RENDERER, SKELETON, SKELETON_FOLDERS } from "../projections/index.ts";
import type { Subject } from "../state/entity.ts";
import type { PeoplesFile } from "../state/people.ts";
import { driftOf } from "./drift.ts";
import { mayProject } from "./entity_on_disk.ts";
import type { Handle } from "./handle.ts";
import { acquire } from "./lock.ts";
import { quarantine } from "./quarantine.ts";
import type { World } from "./world.ts";

interface Written {
  text: string;
  stat: FileStat;
}

/** A file by its name in the folder, what it is to be, and what stands there instead. */
interface Projected {
  name: string;
  text: string;
  found: Buffer | undefined;
}

/** What this engine last wrote, so that an unchanged file costs a comparison and a stat. */
export class Projector {
  readonly #world: World;
  readonly #written = new Map<string, Written>();
  readonly #seen = new Set<string>();
  /** Head of each entity at its last rendering here. */
  readonly #rendered = new Map<string, string>();
  /** What the files of an entity say if the process that wrote last is done with them. */
  readonly #passing = new Map<string, Map<string, string>>();

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

  /**
   * Looks at an entity that is caught up and about to change. When somebody else wrote it last, its files are most
   * likely as of now; to know them later costs a rendering here and a replay of the whole log then (drift.ts).
   */
  passing(handle: Handle, workspace: string): void {
    if (this.#world.projections !== "batch" || !handle.entity) return;
    if (this.#rendered.get(handle.id) === handle.head) return;
    this.#passing.set(handle.id, projectionsOf(handle.subject(workspace)));
  }

  /** Forgets what was written to an entity's folder: somebody moved or rebuilt it. */
  forget(handle: Handle): void {
    this.#seen.delete(handle.id);
    this.#rendered.delete(handle.id);
    this.#passing.delete(handle.id);
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
    // The files show more than what is left while lines are missing; nobody may write then either.
    if (!mayProject(handle.report)) return [];
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
      this.#seen.add(handle.id);
    }
    ensureFolders(this.#world, handle.folder);
    restorePeoplesFiles(this.#world, handle);
    const toWrite = projected(handle.subject(workspace)).filter((file) => !this.#isInPlace(handle, file));
    const warnings = this.#setDriftAside(handle, workspace, toWrite);
    for (const { name, text } of toWrite) {
      const path = join(handle.folder, name);
      writeAtomic(disk, path, text);
      this.#remember(path, text);
    }
    this.#rendered.set(handle.id, handle.head);
    this.#passing.delete(handle.id);
    return warnings;
  }

  /** Looks at a file; with `found` in it when something else stands there that this engine did not write. */
  #isInPlace(handle: Handle, file: Projected): boolean {
    const { disk } = this.#world;
    const path = join(handle.folder, file.name);
    const stat = disk.lstat(path);
    if (stat?.kind !== "file") return false;
    const known = this.#written.get(path);
    if (known && sameFile(known.stat, stat)) return known.text === file.text;
    const found = disk.readFile(path);
    if (found.equals(Buffer.from(file.text))) {
      this.#remember(path, file.text);
      return true;
    }
    if (!found.equals(Buffer.from(this.#passing.get(handle.id)?.get(file.name) ?? "")) || found.length === 0)
      file.found = found;
    return false;
  }

  #remember(path: string, text: string): void {
    const stat = this.#world.disk.lstat(path);
    if (stat) this.#written.set(path, { text, stat });
  }

  /** Before anything is written: task.yaml tells at which moment of the log the files were written. */
  #setDriftAside(handle: Handle, workspace: string, toWrite: readonly Projected[]): Warning[] {
    const { disk } = this.#world;
    const differing = toWrite.flatMap(({ name, found, text }) => (found ? [{ name, found, text }] : []));
    if (differing.length === 0) return [];
    const taskYaml = readIfThere(disk, join(handle.folder, "task.yaml"))?.toString("utf8");
    return driftOf(disk, handle, workspace, differing, taskYaml).map(({ name, found }) => {
      const kept = quarantine(this.#world, `${handle.id}-${name.replaceAll("/", "_")}`, found);
      return {
        code: "PROJECTION_DRIFT",
        message: `${name} of ${handle.id} was changed by somebody else; it is written anew from the log, and what stood there is in .coco/registry/quarantine/${basename(kept)}.`,
        recovery:
          name === "task.yaml" && rendererOf(found.toString("utf8")) === 0
            ? `To take in what another program wrote, put it back and run taskfold adopt ${handle.id} --again.`
            : "Make the change with a tool; a file folded from the log is not edited by hand.",
      };
    });
  }
}

function projected(subject: Subject): Projected[] {
  return [...projectionsOf(subject)].map(([name, text]) => ({ name, text, found: undefined }));
}

function sameFile(a: FileStat, b: FileStat | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Number of the renderer that wrote a task.yaml; 0 when it does not say. */
export function rendererOf(taskYaml: string | undefined): number {
  return Number(/^renderer: (\d{1,9})$/m.exec(taskYaml ?? "")?.[1] ?? 0);
}

/** Made where they are missing. Looked at each time: a link that came meanwhile would lead out of what is reviewed. */
function ensureFolders({ disk, layout }: Pick<World, "disk" | "layout">, folder: string): void {
  refuseLinks(disk, layout.wayTo(folder));
  for (const name of SKELETON_FOLDERS) ensureFolderInside(disk, folder, name);
}

/** People's files where they are missing, with what was read of them last (DIR-24). */
function restorePeoplesFiles(world: Pick<World, "disk" | "durability">, { folder, entity }: Handle): void {
  for (const [name, text] of Object.entries(SKELETON)) {
    const path = join(folder, name);
    if (world.disk.lstat(path)) continue;
    // Synced, unlike what is folded: a file that a power cut leaves empty would be read in as what a person wrote.
    const sync = world.durability !== "os";
    writeAtomic(world.disk, path, entity?.people[name as PeoplesFile].content ?? text, { sync });
  }
}
