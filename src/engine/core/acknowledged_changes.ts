/**
 * The last change of each plan and task that this machine acknowledged, as the notification file marks it. A writer asks when it has read a log anew. It is
 * a hint and no more: the notification file is not synced, and a mark that is not there says nothing.
 */
import type { Disk } from "../../disk.ts";
import { readCache } from "../../files/atomic.ts";
import type { Layout } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { MarkRead } from "./change_notifications.ts";

/** More than a notification file grows to before it begins anew. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Longer than a first line. */
const FIRST_BYTES = 256;
const LINE =
  /^(?:tasks|archive)\/([^/ ]+) ([^. ]+)\.[^. ]+\.[^. ]+\.(\d{1,9})\.([\w-]{43})\.([\w-]{8})(?:\.(\d{1,9}))?$/;
/** Of entities that had one name, one after another, so many are known beside the last one. */
const MAX_BEFORE = 8;
const NONE: readonly MarkRead[] = [];

export class AcknowledgedChanges {
  readonly #disk: Disk;
  readonly #layout: Layout;
  #marks = new Map<string, MarkRead>();
  /** By id those that came later, of changes that may not have seen the first one. */
  #late = new Map<string, MarkRead[]>();
  /** By id those of other entities that had it before, the latest first. */
  #before = new Map<string, MarkRead[]>();
  /** The first line of the file that was read, and how far. */
  #first = "";
  #offset = 0;

  constructor(disk: Disk, layout: Layout) {
    this.#disk = disk;
    this.#layout = layout;
  }

  /** Mostly there is one at most. */
  of(id: string): readonly MarkRead[] {
    const last = this.all().get(id);
    return last ? [last, ...(this.#late.get(id) ?? [])] : NONE;
  }

  /** Those of one id: of the entity that had it last, and of others that had it before. Call `all` first: this does not look at the file. */
  every(id: string): readonly MarkRead[] {
    const last = this.#marks.get(id);
    return last ? [last, ...(this.#before.get(id) ?? [])] : [];
  }

  /** By id. */
  all(): ReadonlyMap<string, MarkRead> {
    try {
      this.#catchUp();
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
    }
    return this.#marks;
  }

  #catchUp(): void {
    const stat = this.#disk.lstat(this.#layout.notifications);
    if (stat?.kind !== "file" || stat.size > MAX_BYTES) return;
    const fd = this.#disk.open(this.#layout.notifications, "r");
    try {
      const { size } = this.#disk.fstat(fd);
      const first = this.#first === "" ? "" : this.#firstLine(fd);
      const isSame = first !== "" && first === this.#first && size >= this.#offset;
      if (isSame && size === this.#offset) return;
      if (!isSame) {
        this.#marks = new Map();
        this.#late = new Map();
        this.#before = new Map();
        this.#take(readCache(this.#disk, this.#layout.notificationsBefore, MAX_BYTES) ?? Buffer.alloc(0));
        this.#offset = 0;
      }
      const tail = Buffer.allocUnsafe(size - this.#offset);
      const n = this.#disk.read(fd, tail, this.#offset);
      this.#offset += this.#take(tail.subarray(0, n));
      this.#first = this.#firstLine(fd);
    } finally {
      this.#disk.close(fd);
    }
  }

  /** Returns how many bytes whole lines took. */
  #take(bytes: Buffer): number {
    const end = bytes.lastIndexOf(0x0a) + 1;
    for (const line of bytes.toString("latin1", 0, end).split("\n")) {
      const [, id, at, revision, hash, root, compared = revision] = LINE.exec(line) ?? [];
      if (id === undefined) continue;
      const mark = { hash: hash!, revision: Number(revision), root: root!, at: Number.parseInt(at!, 36) };
      this.#add(id, mark, Number(compared));
    }
    return end;
  }

  /**
   * Two processes tell of their changes in any order. So a mark takes the place of those up to the revision `seen` alone. Its log had that
   * revision, or its writer compared the log with a mark of it. With 0 it takes no place.
   */
  #add(id: string, mark: MarkRead, seen: number): void {
    const top = this.#marks.get(id);
    const late = this.#late.get(id) ?? [];
    this.#late.delete(id);
    if (!top || top.root !== mark.root || top.revision <= seen) {
      if (top && top.root !== mark.root) this.#replaced(id, top, mark.root);
      this.#marks.set(id, mark);
    } else {
      const left = late.filter(({ revision, hash }) => revision > seen && hash !== mark.hash);
      this.#late.set(id, top.hash === mark.hash ? left : [...left, mark]);
    }
  }

  #replaced(id: string, last: MarkRead, root: string): void {
    const others = (this.#before.get(id) ?? []).filter((one) => one.root !== root);
    this.#before.set(id, [last, ...others].slice(0, MAX_BEFORE));
  }

  /** No two files have the same. */
  #firstLine(fd: number): string {
    const head = Buffer.allocUnsafe(FIRST_BYTES);
    const n = this.#disk.read(fd, head, 0);
    return head.toString("latin1", 0, head.subarray(0, n).indexOf(0x0a) + 1);
  }
}
