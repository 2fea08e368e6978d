/**
 * What a list says of every entity, kept by the stat of its log: a log that is as it was costs one look. Over many of them an
 * index in `index/` of the machine's folder spares the next process reading them; it is this machine's only, like a snapshot, and nobody's truth.
 */
import { dirname, join, sep } from "node:path";
import { WHOLE_FILE_BYTES } from "../disk.ts";
import type { FileStat } from "../disk.ts";
import { isTaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { Fold, FOLD_VERSION } from "../events/fold.ts";
import { isKnownType } from "../events/index.ts";
import { readCache, readRegular, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { LOG_FILE, TASK_FILE } from "../files/layout.ts";
import { errnoOf, storageError } from "../files/storage_error.ts";
import { sha256 } from "../log/canonical.ts";
import { Replay } from "../log/replay.ts";
import { bytesSource } from "../log/source.ts";
import { listedOf } from "../state/listed.ts";
import type { Listed } from "../state/listed.ts";
import type { Entities } from "./entities.ts";
import { listedHead } from "./listed_head.ts";
import { lostEndsIn, shorterWarnings } from "./log_shorter.ts";
import type { Store } from "./store.ts";
import { logWarnings } from "./writable.ts";
import type { World } from "./world.ts";

/** Goes up with any change of what the index holds. */
const FORMAT = 2;
/** Reading so many logs costs as much as the index is worth. */
const WORTH_AN_INDEX = 200;
/** A longer log is read through its handle, which goes on from a snapshot; a shorter one leaves nothing in memory. */
const SHORT_BYTES = 64 * 1024;

type Sign = [dev: number, ino: number, size: number, mtimeMs: number, ctimeMs: number];

interface Row {
  sign: Sign;
  listed: Listed;
}

export class Listing {
  readonly #world: World;
  readonly #store: Store;
  readonly #entities: Entities;
  /** Up to the name of a folder: `join` would cost a tenth of the look that it is for. */
  readonly #tasks: string;
  #rows: Map<string, Row> | null = null;
  /** Rows that the index lacks. */
  #fresh = 0;

  constructor(world: World, store: Store, entities: Entities) {
    this.#world = world;
    this.#store = store;
    this.#entities = entities;
    this.#tasks = world.layout.tasks + sep;
  }

  /** Every entity under `tasks/`, in no particular order. What cannot be read is left out with a warning. */
  rows(workspace: string): { rows: Listed[]; warnings: Warning[] } {
    const rows: Listed[] = [];
    const warnings: Warning[] = [];
    const names = this.#store.folders();
    const known = (this.#rows ??= names.length < WORTH_AN_INDEX ? new Map<string, Row>() : this.#load());
    for (const id of names) {
      try {
        const listed = this.#row(known, id, workspace);
        if (listed) rows.push(listed);
      } catch (e) {
        if (isTaskfoldError(e) && e.code === "UNKNOWN_ID") continue;
        const { message } = storageError(e, `read ${id}`);
        const recovery = `taskfold verify ${id}`;
        warnings.push({ code: "LOG_DAMAGED", message: `${id} is left out: ${message}`, recovery });
      }
    }
    return { rows, warnings };
  }

  /** Leaves an index behind where that is worth it. Failing to is nobody's loss. */
  close(): void {
    if (this.#fresh < WORTH_AN_INDEX) return;
    try {
      this.#save();
    } catch (e) {
      // A full or read-only disk: the next process reads the logs instead.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  #row(known: Map<string, Row>, id: string, workspace: string): Listed | undefined {
    const stat = this.#world.disk.lstat(`${this.#tasks}${id}${sep}${LOG_FILE}`);
    const row = known.get(id);
    if (stat && row && isSigned(row.sign, stat)) return row.listed;
    const short = stat && this.#unopened(id, stat);
    const found = short ? { listed: short, foreign: false } : this.#look(id, workspace);
    // What another program's folder says stands in its task.yaml, and a lost end shows there: their logs' stats tell nothing of it.
    if (stat && found && !found.foreign && !found.listed.log_warnings?.includes("LOG_SHORTER")) {
      known.set(id, { sign: signOf(stat), listed: found.listed });
      this.#fresh++;
    }
    return found?.listed;
  }

  /** What nothing in memory is about, past the store: by its head, else by folding a log that is short. */
  #unopened(id: string, stat: FileStat): Listed | undefined {
    if (this.#store.isOpen(id)) return undefined;
    const { disk } = this.#world;
    const folder = this.#tasks + id;
    return listedHead(disk, folder, id, stat) ?? this.#readShort(id, folder, stat);
  }

  #readShort(id: string, folder: string, stat: FileStat): Listed | undefined {
    const { disk } = this.#world;
    if (stat.kind !== "file" || stat.size > SHORT_BYTES) return undefined;
    const fold = new Fold();
    const replay = new Replay({ reset: () => fold.reset(), op: (op, place) => fold.op(op, place) }, { isKnownType });
    const bytes = disk.readFile(join(folder, LOG_FILE));
    replay.load(bytesSource(bytes));
    const { entity } = fold;
    if (!entity) return undefined;
    const { report } = replay;
    const taskYaml = readRegular(disk, join(folder, TASK_FILE))?.toString("utf8");
    const shorter = shorterWarnings({ id }, lostEndsIn(bytes, entity, report, taskYaml));
    return marked(listedOf({ id, entity }), [...logWarnings({ id, report }), ...shorter]);
  }

  /** The way of every other read: what another program made, and what cannot be read, is told there. */
  #look(id: string, workspace: string): { listed: Listed; foreign: boolean } | undefined {
    const handle = this.#store.find(id);
    if (!handle) return undefined;
    const { subject, foreign, warnings } = this.#entities.look(handle, workspace);
    return { listed: foreign ? listedOf(subject) : marked(listedOf(subject), warnings), foreign };
  }

  /** The rows of the index; none when this release did not write it, or somebody else did since. */
  #load(): Map<string, Row> {
    const bytes = readCache(this.#world.disk, this.#path, WHOLE_FILE_BYTES);
    const end = bytes?.indexOf(0x0a) ?? -1;
    if (!bytes || end < 0) return new Map();
    const body = bytes.subarray(end + 1);
    if (bytes.toString("latin1", 0, end) !== headOf(body)) return new Map();
    const rows = JSON.parse(body.toString("utf8")) as [Sign, Listed][];
    return new Map(rows.map(([sign, listed]) => [listed.id, { sign, listed }]));
  }

  #save(): void {
    const names = new Set(this.#store.names());
    const rows = [...(this.#rows ?? [])].filter(([id]) => names.has(id)).map(([, row]) => [row.sign, row.listed]);
    const body = JSON.stringify(rows);
    ensureFolder(this.#world.disk, dirname(this.#path));
    writeAtomic(this.#world.disk, this.#path, `${headOf(body)}\n${body}`);
    this.#fresh = 0;
  }

  get #path(): string {
    return this.#world.layout.machineFile("index", "listing.json");
  }
}

function marked(listed: Listed, warnings: readonly Warning[]): Listed {
  if (warnings.length === 0) return listed;
  return { ...listed, log_warnings: [...new Set(warnings.map(({ code }) => code))] };
}

function headOf(body: string | Uint8Array): string {
  return JSON.stringify([FORMAT, FOLD_VERSION, sha256(body)]);
}

function signOf({ dev, ino, size, mtimeMs, ctimeMs }: FileStat): Sign {
  return [dev, ino, size, mtimeMs, ctimeMs];
}

function isSigned([dev, ino, size, mtimeMs, ctimeMs]: Sign, stat: FileStat): boolean {
  return (
    ino === stat.ino && size === stat.size && mtimeMs === stat.mtimeMs && ctimeMs === stat.ctimeMs && dev === stat.dev
  );
}
