/**
 * Step 6: the files folded from a log. Under a lock of their own, whose holder renders the log's present end: a change
 * that comes meanwhile is the next holder's. Failing to write one never fails the change; it comes back as a warning,
 * and the next write or `rebuild` repairs it (PROJ rules).
 */
import { dirname, join, sep } from "node:path";
import type { FileStat } from "../../disk.ts";
import { same } from "../../files/file_sign.ts";
import type { TaskfoldError, Warning } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import type { KnownFile, ReplacedFile } from "../../files/replace.ts";
import { replacedFileAt, Replacer } from "../../files/replace.ts";
import { TempFilePool } from "../../files/temp_file_pool.ts";
import { storageError } from "../../files/storage_error.ts";
import { foldersOf, isMade, projectionsGone, projectionsOf, RENDERER } from "../../projections/index.ts";
import type { Folded } from "../../state/entity.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { acquire, filesLock } from "../core/lock.ts";
import { isUnnoted, lostEndsOf, shorterWarnings } from "../entity/log_truncated.ts";
import { isOrphan } from "../locks/process_files.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { quarantineReplaced } from "./quarantine_replaced.ts";
import type { MissingFile, Obstacle } from "./skeleton_files.ts";
import { ensureFolders, isBehind, missingHumanFiles, writeHumanFiles } from "./skeleton_files.ts";
import { mayProject } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";
import { remedy, remedyOf, TASKFOLD } from "../../remedy.ts";

/** Entities whose files are written together where there are many: what a sync costs is shared by those that wait for one. */
export const PROJECTED_AT_ONCE = 32;

interface Written {
  text: string;
  stat: FileStat;
}

/** A file by its name in the folder, what it is to be, and what stands there now. */
interface Projected {
  name: string;
  text: string;
  /** The result of a look at it. */
  seen: KnownFile;
  /** The file that stood there then, if it is neither its text nor what this engine wrote. */
  found: ReplacedFile | undefined;
}

/** The texts that this engine last wrote, so that an unchanged file costs a comparison and a stat. */
export class Projector {
  readonly #context: EngineContext;
  readonly #makeLast: (loaded: LoadedEntity) => void;
  readonly #tempFiles: TempFilePool;
  readonly #replacer: Replacer;
  readonly #written = new Map<string, Written>();
  readonly #seen = new Set<string>();
  /** Head of each entity at its last rendering here. */
  readonly #rendered = new Map<string, string>();
  /** Entities whose files stay behind until the last of many calls. */
  readonly #held = new Set<string>();
  /** The texts of an entity's files if the process that wrote last is done with them. */
  readonly #expected = new Map<string, Map<string, string>>();

  /** `name`: of this open workspace (process_files.ts). `makeLast`: syncs a log that another process may have left unsynced. */
  constructor(context: EngineContext, name: string, makeLast: (loaded: LoadedEntity) => void) {
    this.#context = context;
    this.#makeLast = makeLast;
    this.#tempFiles = new TempFilePool(context.disk, context.layout.machineFolder("exchange"), name, () =>
      context.runtime.uptime(),
    );
    this.#replacer = new Replacer(context.disk, this.#tempFiles);
  }

  /** Brings the files of one entity to its log's present end. Returns warnings; never throws. */
  async project(loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
    try {
      const name = filesLock(loaded.id);
      const lock = this.#context.locks().tryAcquire(name) ?? (await acquire(this.#context, name));
      try {
        loaded.catchUp();
        const missing: MissingFile[] = [];
        const warnings = this.#render(loaded, workspace, missing);
        if (missing.length === 0) return warnings;
        return [...warnings, ...(await this.#writeHumanFiles(loaded, missing))];
      } finally {
        lock.release();
      }
    } catch (e) {
      return [projectionFailed(loaded, whyNot(loaded, e))];
    }
  }

  async #writeHumanFiles(loaded: LoadedEntity, missing: readonly MissingFile[]): Promise<Warning[]> {
    try {
      await writeHumanFiles(this.#context, missing);
      return [];
    } catch (e) {
      this.#rendered.delete(loaded.id);
      return [projectionFailed(loaded, whyNot(loaded, e))];
    }
  }

  /**
   * Looks at an entity that is caught up and about to change. When another process wrote it last, its files are most
   * likely as of now. To know them later costs a rendering here and a replay of the whole log then (drift.ts).
   */
  expectProjection(loaded: LoadedEntity, workspace: string): void {
    if (this.#context.projections !== "batch" || !loaded.entity) return;
    if (this.#rendered.get(loaded.id) === loaded.head || this.#held.has(loaded.id)) return;
    this.#expected.set(loaded.id, projectionsOf(loaded.subject(workspace)));
  }

  /** The files of an entity stay behind its log for now, and no other process wrote it. */
  held(loaded: LoadedEntity): void {
    this.#held.add(loaded.id);
  }

  /** Forgets the texts that were written to an entity's folder, because it was moved or rebuilt. */
  forget(loaded: LoadedEntity): void {
    this.#seen.delete(loaded.id);
    this.#rendered.delete(loaded.id);
    this.#expected.delete(loaded.id);
    this.#held.delete(loaded.id);
    for (const path of this.#written.keys()) if (path.startsWith(loaded.folder + sep)) this.#written.delete(path);
  }

  /** Lets go of what is not in view. */
  close(): void {
    this.#tempFiles.close();
  }

  /** `missing`: takes the people's files that are to be written besides. */
  #render(loaded: LoadedEntity, workspace: string, missing: MissingFile[]): Warning[] {
    if (loaded.report.newer) {
      return [
        {
          code: "LOG_NEWER_VERSION",
          message: "The files folded from this log are left to the release that knows its events.",
        },
      ];
    }
    // The files show more than the remaining lines while lines are missing; no caller may write then either.
    if (!mayProject(loaded.report)) return [];
    const { disk } = this.#context;
    // They are all that tells of what is missing, until a write notes it.
    if (isUnnoted(disk, loaded)) return shorterWarnings(loaded, lostEndsOf(disk, loaded));
    if (!this.#seen.has(loaded.id)) {
      const theirs = rendererOf(readRegular(disk, join(loaded.folder, TASK_FILE))?.toString("utf8"));
      if (theirs > RENDERER) {
        return [
          {
            code: "RENDERER_NEWER",
            message: `task.yaml was written by renderer ${theirs}, this is ${RENDERER}; it is left as it is.`,
            recovery: "Use the newer release.",
          },
        ];
      }
      if (this.#seen.size === 0) this.#tempFiles.sweep((name) => isOrphan(this.#context, name));
      this.#seen.add(loaded.id);
    }
    const subject = loaded.subject(workspace);
    const all = projected(subject);
    for (const file of all) this.#look(loaded, file);
    const files = all.filter(({ name, seen }) => seen.stat !== undefined || isMade(subject, name));
    const unmade = files.filter(({ name }) => !isMade(subject, name)).map(({ name }) => dirname(name));
    // Where this engine's own file stands, its folder does: to look at each costs as much as to look at the file.
    const folders = [...foldersOf(subject), ...new Set(unmade)].filter(
      (folder) => !files.some(({ seen, name }) => seen.own && name.startsWith(`${folder}/`)),
    );
    const obstacles = ensureFolders(this.#context, loaded, folders);
    missing.push(...missingHumanFiles(this.#context, loaded, obstacles));
    const toWrite = files.filter((file) => !isBehind(obstacles, file.name) && !this.#isInPlace(loaded, file));
    // Every file is checked before the first write, because task.yaml tells their moment of the log. It comes last: a
    // reader that finds an op in it finds the other files in place, also after a crash between two of them.
    toWrite.sort((a, b) => Number(a.name === TASK_FILE) - Number(b.name === TASK_FILE));
    const gone = projectionsGone(subject).flatMap((name) => this.#leftOver(loaded, name, obstacles));
    const replaced = [...toWrite, ...gone].filter(({ found }) => found !== undefined);
    // A file of another program gives way here: a power cut must not take that file and the log both (DUR-113).
    if (replaced.length > 0) this.#makeLast(loaded);
    const warnings = replaced.length === 0 ? [] : quarantineReplaced(this.#context, loaded, workspace, replaced);
    for (const { name } of gone) {
      disk.unlink(pathOf(loaded, { name }));
      this.#written.delete(pathOf(loaded, { name }));
    }
    for (const file of toWrite) obstacles.push(...this.#write(loaded, workspace, file, warnings));
    if (obstacles.length > 0) return [...warnings, projectionFailed(loaded, obstacles[0]!.message)];
    this.#rendered.set(loaded.id, loaded.head);
    this.#expected.delete(loaded.id);
    this.#held.delete(loaded.id);
    return warnings;
  }

  /** A folder in the way is told and keeps nothing else from being written; any other fault of the disk is thrown. */
  #write(loaded: LoadedEntity, workspace: string, file: Projected, warnings: Warning[]): Obstacle[] {
    const path = pathOf(loaded, file);
    if (file.seen.stat?.kind === "folder")
      return [{ path: file.name, message: `Expected ${file.name} to be a file, found a folder.` }];
    const stat = this.#replacer.replace(path, file.text, file.seen, (found) => {
      const known = file.found?.bytes ?? Buffer.from(this.#written.get(path)?.text ?? "");
      if (found.kind !== "file" || !found.bytes.equals(known))
        warnings.push(...quarantineReplaced(this.#context, loaded, workspace, [{ ...file, found }]));
    });
    if (stat) this.#written.set(path, { text: file.text, stat });
    return [];
  }

  #look(loaded: LoadedEntity, file: Projected): void {
    const path = pathOf(loaded, file);
    const stat = this.#context.disk.lstat(path);
    const known = this.#written.get(path);
    file.seen = { stat, own: known !== undefined && same(known.stat, stat) };
  }

  /** A file that is no more part of the projection, if one stands there; a folder of that name stays. */
  #leftOver(loaded: LoadedEntity, name: string, obstacles: readonly Obstacle[]): Projected[] {
    if (isBehind(obstacles, name)) return [];
    const file: Projected = { name, text: "", seen: { stat: undefined, own: false }, found: undefined };
    this.#look(loaded, file);
    const { stat, own } = file.seen;
    if (!stat || stat.kind === "folder") return [];
    if (!own) file.found = replacedFileAt(this.#context.disk, pathOf(loaded, file), stat.kind);
    return [file];
  }

  /** Of a file that was looked at; with `found` in it when something else stands there that this engine did not write. */
  #isInPlace(loaded: LoadedEntity, file: Projected): boolean {
    const { disk } = this.#context;
    const path = pathOf(loaded, file);
    const { stat, own } = file.seen;
    if (own) return this.#written.get(path)!.text === file.text;
    if (!stat || stat.kind === "folder") return false;
    const found = replacedFileAt(disk, path, stat.kind);
    const holds = (text: string | undefined): boolean =>
      text !== undefined && found.kind === "file" && found.bytes.equals(Buffer.from(text));
    if (holds(file.text)) {
      this.#written.set(path, { text: file.text, stat });
      return true;
    }
    if (!holds(this.#expected.get(loaded.id)?.get(file.name))) file.found = found;
    return false;
  }
}

/** Put together by hand: of what a file that is as it was costs, `join` would be a quarter. */
function pathOf({ folder }: LoadedEntity, { name }: Pick<Projected, "name">): string {
  return `${folder}${sep}${name}`;
}

/** A link on the way to the folder is named, and keeps the log from growing behind it until it is gone. */
function whyNot(loaded: LoadedEntity, e: unknown): TaskfoldError | string {
  try {
    loaded.refuseLinks();
  } catch (link) {
    return (link as Error).message;
  }
  return storageError(e, "write the files folded from the log");
}

/** Rights that are missing have to come first. */
export function projectionFailed({ id }: Pick<LoadedEntity, "id">, why: TaskfoldError | string): Warning {
  const again = remedy`${TASKFOLD} rebuild ${id}`;
  if (typeof why === "string") return { code: "PROJECTION_FAILED", message: why, ...again };
  const { code, message } = why;
  return { code: "PROJECTION_FAILED", message, ...again, ...(code === "READ_ONLY" ? remedyOf(why) : {}) };
}

function projected(subject: Folded): Projected[] {
  return [...projectionsOf(subject)].map(([name, text]) => ({
    name,
    text,
    seen: { stat: undefined, own: false },
    found: undefined,
  }));
}
