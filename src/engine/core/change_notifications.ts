/**
 * The notification file: one file in `registry/`. Every writer of ours appends a line to it after it has changed a log or moved a folder,
 * and before its caller is told. Readers learn from it which logs to look at (spec/freshness.md). It is not synced.
 */
import { sep } from "node:path";
import type { Disk } from "../../disk.ts";
import { writeAll } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import type { Layout } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Runtime } from "../../runtime.ts";

/** How long a writer takes its open file for the one that the path names. */
export const CHECK_MS = 1000;
/** Above so many bytes a writer lets the file begin anew; the old one stays beside it. */
const MAX_BYTES = 4 * 1024 * 1024;
const WRITER_DIGITS = 12;
/** The key that a writer notifies if its last lines may have gone to a file that is no longer there. */
export const ANY_KEY = "*";

interface OpenFile {
  fd: number;
  dev: number;
  ino: number;
  checkedAt: number;
}

/** The last event of a change that was acknowledged, so that it is known where git takes the change away (VERIFY-100). */
export interface AcknowledgedChange {
  hash: string;
  /** Changes in the log, with this one. */
  revision: number;
  /** The beginning of the entity's root. */
  root: string;
  /**
   * The highest revision of the marks that its writer compared with the log: it takes the place of those. Without it, of those up to its own
   * revision; with 0 of none.
   */
  compared?: number;
}

/** As a reader of the notification file has it. `at`: when it was acknowledged, in ms. */
export interface MarkRead extends AcknowledgedChange {
  at: number;
}

/** Of a root, so many characters tell entities of one name apart. */
export const ROOT_CHARACTERS = 8;

export class ChangeNotifications {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #runtime: Runtime;
  readonly #writer: string;
  #open: OpenFile | null = null;
  #count = 0;
  #changes = 0;
  #lost = 0;

  constructor(disk: Disk, layout: Layout, runtime: Runtime) {
    this.#disk = disk;
    this.#layout = layout;
    this.#runtime = runtime;
    this.#writer = runtime.randomHex(WRITER_DIGITS);
  }

  /** How many changes of this process went without a notification while the file could not be removed either. */
  get lost(): number {
    return this.#lost;
  }

  /** How many changes this process made here. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Call when the log in this folder has changed, or the folder came or went. Never fails: readers then look at everything. `mark`: the
   * change is in the log as durably as its caller asked for.
   */
  notify(folder: string, mark?: AcknowledgedChange): void {
    this.#changes++;
    try {
      this.#write(folder.slice(this.#layout.coco.length + 1).replaceAll(sep, "/"), mark && textOf(mark));
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      this.#remove();
    }
  }

  close(): void {
    if (this.#open) this.#disk.close(this.#open.fd);
    this.#open = null;
  }

  #write(key: string, suffix = ""): void {
    const line = this.#line(key, suffix);
    do {
      this.#open = this.#inPlace();
      writeAll(this.#disk, this.#open.fd, line);
      // The process may have been stopped between the check and the write.
    } while (this.#runtime.uptime() - this.#open.checkedAt > CHECK_MS);
  }

  /** No two lines are the same: a reader knows the file by its first one. The time says how old a file is at least. */
  #line(key: string, suffix = ""): Buffer {
    return Buffer.from(
      `${key} ${this.#runtime.now().toString(36)}.${this.#writer}.${(this.#count++).toString(36)}${suffix}\n`,
    );
  }

  #inPlace(): OpenFile {
    const open = this.#open;
    const checkedAt = this.#runtime.uptime();
    if (open && checkedAt - open.checkedAt <= CHECK_MS) return open;
    const stat = open && this.#disk.lstat(this.#layout.notifications);
    if (!open || stat?.ino !== open.ino || stat.dev !== open.dev) return this.#reopen(checkedAt);
    if (stat.size > MAX_BYTES) return this.#beginAnew(checkedAt);
    return { ...open, checkedAt };
  }

  #reopen(checkedAt: number): OpenFile {
    const wasOpen = this.#open !== null;
    this.close();
    const fd = this.#openFile();
    const { dev, ino, links, size } = this.#disk.fstat(fd);
    this.#open = { fd, dev, ino, checkedAt };
    // To empty a file with a second name would empty a file of another owner.
    if (links > 1) throw Object.assign(new Error("the notifications has a second name"), { code: "EMLINK" });
    // Commands open it, notify once and end.
    if (size > MAX_BYTES) return this.#beginAnew(checkedAt);
    if (wasOpen) writeAll(this.#disk, fd, this.#line(ANY_KEY));
    return this.#open;
  }

  /** Others notify the old file for a second at most, which is kept: its marks still count. */
  #beginAnew(checkedAt: number): OpenFile {
    this.#disk.rename(this.#layout.notifications, this.#layout.notificationsBefore);
    return this.#reopen(checkedAt);
  }

  #openFile(): number {
    const { notifications, registry } = this.#layout;
    try {
      return this.#disk.open(notifications, "a+");
    } catch (e) {
      if (errnoOf(e) !== "ENOENT") throw e;
    }
    ensureFolder(this.#disk, registry);
    return this.#disk.open(notifications, "a+");
  }

  /** Without the file every reader looks at everything. Anything but a file counts as none. */
  #remove(): void {
    try {
      this.close();
      if (this.#disk.lstat(this.#layout.notifications)?.kind === "file") this.#disk.unlink(this.#layout.notifications);
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      this.#lost++;
    }
  }
}

/** The end of a line with a mark. A log that is shorter than what was marked before was compared with that. */
function textOf({ revision, hash, root, compared = revision }: AcknowledgedChange): string {
  return `.${revision}.${hash}.${root}${compared === revision ? "" : `.${compared}`}`;
}
