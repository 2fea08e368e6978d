/** One reader's place in the notification file (notification file.ts). */
import type { Disk, FileStat } from "../../disk.ts";
import { isSettled, same } from "../../files/file_sign.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Runtime } from "../../runtime.ts";
import { ANY_KEY, CHECK_MS } from "../core/change_notifications.ts";
import type { EngineContext } from "../core/context.ts";
import { isFolderName } from "../entity/folder_name.ts";

/** Longer than a first line. */
const FIRST_BYTES = 256;
/** To read more lines than these costs more than to look at everything. */
const MAX_READ = 2 * 1024 * 1024;
/** From then on no writer notifies a file that stood there before: each looks where its file is every second. */
const TRUSTED_MS = 2 * CHECK_MS;

interface KnownFile {
  first: string;
  offset: number;
  stat: FileStat;
  /** Whether each change after that look shows in a stat. */
  isSettled: boolean;
  /** When this reader first saw the file, by the clock that never jumps. The file's own times say nothing: git may have put it there. */
  since: number;
}

const NONE: ReadonlySet<string> = new Set();

export class NotificationReader {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #runtime: Runtime;
  #known: KnownFile | null = null;
  #trustNext: boolean;

  /** `trustFirst`: the file that is met first counts as known for long. */
  constructor({ disk, layout, runtime }: Pick<EngineContext, "disk" | "layout" | "runtime">, trustFirst = false) {
    this.#trustNext = trustFirst;
    this.#disk = disk;
    this.#path = layout.notifications;
    this.#runtime = runtime;
  }

  /** Keys (`tasks/<id>`, `archive/<id>`) that were notified since the last call; null when the file cannot tell. */
  read(): ReadonlySet<string> | null {
    try {
      return this.#read();
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      this.#known = null;
      return null;
    }
  }

  /** Whether every writer notifies this file, for a reader who looked at everything from this moment on. */
  isTrusted(lookedAt: number): boolean {
    return this.#known !== null && lookedAt - this.#known.since > TRUSTED_MS;
  }

  #read(): ReadonlySet<string> | null {
    const stat = this.#disk.lstat(this.#path);
    if (stat?.kind !== "file") {
      this.#known = null;
      return null;
    }
    if (this.#known?.isSettled && same(stat, this.#known.stat)) return NONE;
    const fd = this.#disk.open(this.#path, "r");
    try {
      return this.#readOpen(fd);
    } finally {
      this.#disk.close(fd);
    }
  }

  #readOpen(fd: number): ReadonlySet<string> | null {
    const known = this.#known;
    const stat = this.#disk.fstat(fd);
    const settled = isSettled({ runtime: this.#runtime }, stat);
    const tail = known ? this.#tail(fd, known.offset, stat.size) : null;
    // After the tail: had the file been emptied before that was read, the first line would be another.
    const first = this.#first(fd);
    if (!known || !tail || first !== known.first) {
      const since = this.#trustNext ? -Infinity : this.#runtime.uptime();
      this.#trustNext = false;
      this.#known = first === "" ? null : { first, offset: stat.size, stat, isSettled: settled, since };
      return null;
    }
    const end = tail.lastIndexOf(0x0a) + 1;
    this.#known = { ...known, stat, isSettled: settled, offset: known.offset + end };
    return keysIn(tail.toString("utf8", 0, end));
  }

  /** Null when the file is shorter than it was, or too much was added. */
  #tail(fd: number, from: number, to: number): Buffer | null {
    if (to < from || to - from > MAX_READ) return null;
    const tail = Buffer.allocUnsafe(to - from);
    return tail.length === 0 || this.#disk.read(fd, tail, from) === tail.length ? tail : null;
  }

  /** Empty while there is none. */
  #first(fd: number): string {
    const head = Buffer.allocUnsafe(FIRST_BYTES);
    const n = this.#disk.read(fd, head, 0);
    return head.toString("latin1", 0, head.subarray(0, n).indexOf(0x0a) + 1);
  }
}

/** Null when one of the lines is none of a writer's, or names no log. */
function keysIn(lines: string): ReadonlySet<string> | null {
  if (lines === "") return NONE;
  const keys = new Set<string>();
  for (const line of lines.slice(0, -1).split("\n")) {
    const key = /^(\S+) \S+$/.exec(line)?.[1];
    if (key === undefined || key === ANY_KEY) return null;
    const [, id] = /^(?:tasks|archive)\/(.*)$/.exec(key) ?? [];
    if (id === undefined || !isFolderName(id)) return null;
    keys.add(key);
  }
  return keys;
}
