/**
 * How far this machine has applied the shared log, in `shared/position` of the machine's folder, for all its processes. Each line adds a
 * sequence number and the heads of the entities that its message was about. Lines are not synced. After a restart of the machine those
 * behind the last sync count for nothing: a message that is applied twice does no harm. Call while holding the shared lock.
 */
import { dirname } from "node:path";
import { readRegular, removeQuietly, writeAll, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { EngineContext } from "../core/context.ts";

export interface CheckpointEntry {
  /** Of the last message. */
  seq: number;
  /** Stands for that message and all before it; empty where it is not known. */
  mark: string;
  /** By root. */
  heads: readonly { root: string; heads: readonly string[] }[];
}

const HEADER = "taskfold shared position 1";
const MAX_BYTES = 512 * 1024 * 1024;
/** A file is written anew once it is so many times as long as it needs to be. */
const SLACK = 4;
const LEAST_BYTES = 1024 * 1024;
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** Readers of the first version take it for a word about no entity. */
const MARK = /^@[A-Za-z0-9_-]{43}$/;
const HASHES = /^[A-Za-z0-9_-]{43}(?:,[A-Za-z0-9_-]{43})*$/;

export class ConsumerCheckpoint {
  readonly #context: EngineContext;
  readonly #path: string;
  readonly #boot: string;
  #identity = "";
  #seq = 0;
  #mark = "";
  #heads = new Map<string, readonly string[]>();
  /** How much of which file was read. */
  #read: { ino: number; size: number } | null = null;
  #rest = "";
  /** Of the file of `#read`, whatever the path names. While it is open, the system gives no other file that inode number. */
  #fd: number | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
    this.#path = context.layout.machineFile("shared", "position");
    this.#boot = bootOf(context);
  }

  /** Sequence number of the last message that is in the logs. */
  get seq(): number {
    return this.#seq;
  }

  /** Mark of that message; empty where the file does not say, as one of an earlier version. */
  get mark(): string {
    return this.#mark;
  }

  /** Identity of the shared log that the numbers are of; empty before the first one. */
  get identity(): string {
    return this.#identity;
  }

  /** Heads that the shared log has of an entity; undefined where it has none of it. */
  headsOf(root: string): readonly string[] | undefined {
    return this.#heads.get(root);
  }

  get roots(): IterableIterator<string> {
    return this.#heads.keys();
  }

  /** Reads what other processes of this machine noted since. */
  refresh(): void {
    const stat = this.#context.disk.lstat(this.#path);
    if (stat?.kind !== "file") return this.#forget();
    // Times are left out on purpose: this engine alone writes the file, only appends, and holds the inode open.
    if (this.#read?.ino === stat.ino && this.#read.size === stat.size) return;
    const isGrown = this.#read?.ino === stat.ino && stat.size > this.#read.size;
    if (!isGrown) {
      this.#forget();
      if (!this.#hold(stat.ino)) return;
    }
    const bytes = isGrown
      ? this.#tail(this.#read!.size, stat.size)
      : readRegular(this.#context.disk, this.#path, MAX_BYTES);
    if (!bytes) return this.#forget();
    this.#read = { ino: stat.ino, size: (isGrown ? this.#read!.size : 0) + bytes.length };
    const lines = (this.#rest + bytes.toString("latin1")).split("\n");
    this.#rest = lines.pop() ?? "";
    if (isGrown) for (const line of lines) this.#parse(line);
    else this.#load(lines);
  }

  /** Begins to count messages of another shared log, from its first one. */
  begin(identity: string): void {
    this.#forget();
    this.#identity = identity;
    this.#writeAnew("s");
  }

  add(noted: CheckpointEntry): void {
    if (!this.#append(lineOf(noted))) return;
    this.#apply(noted);
    if (this.#read!.size > Math.max(LEAST_BYTES, SLACK * 90 * this.#heads.size)) this.#writeAnew("m");
  }

  /** Everything that was noted is durable in the logs, and now here, too. */
  markSynced(): void {
    if (this.#seq > 0 && this.#append(`s ${this.#seq}\n`)) this.#context.disk.fdatasyncSync(this.#fd!);
  }

  /** Forgets how much was read: the file may give way to another one of the same inode number. */
  close(): void {
    if (this.#fd !== null) this.#context.disk.close(this.#fd);
    this.#fd = null;
    this.#read = null;
  }

  /** This machine counts no messages any more. */
  leave(): void {
    removeQuietly(this.#context.disk, this.#path);
    this.#forget();
  }

  #load(lines: readonly string[]): void {
    const [header, boot] = lines[0]?.startsWith(`${HEADER} `) ? lines[0].slice(HEADER.length + 1).split(" ") : [];
    if (header === undefined || boot === undefined) return this.#forget();
    this.#identity = header;
    const isSameBoot = boot === this.#boot && boot !== "";
    const upTo = isSameBoot ? lines.length : lines.findLastIndex((line) => line.startsWith("s ")) + 1;
    for (const line of lines.slice(1, upTo)) this.#parse(line);
    if (!isSameBoot) this.#writeAnew("s");
  }

  #parse(line: string): void {
    const [kind, seq, ...rest] = line.split(" ");
    const number = Number(seq);
    if (!Number.isSafeInteger(number) || (kind !== "m" && kind !== "s" && kind !== "h")) return;
    const heads = rest.flatMap((word) => {
      const [root, hashes = ""] = word.split("=");
      return root !== undefined && HASHES.test(hashes) ? [{ root, heads: hashes.split(",") }] : [];
    });
    const mark = rest.find((word) => MARK.test(word))?.slice(1) ?? "";
    this.#apply({ seq: number, mark, heads });
  }

  #apply({ seq, mark, heads }: CheckpointEntry): void {
    for (const one of heads) this.#heads.set(one.root, one.heads);
    if (seq > this.#seq) this.#mark = mark;
    this.#seq = Math.max(this.#seq, seq);
  }

  #append(text: string): boolean {
    if (!this.#read || this.#fd === null) return false;
    writeAll(this.#context.disk, this.#fd, Buffer.from(text, "latin1"));
    this.#read = { ino: this.#read.ino, size: this.#read.size + text.length };
    return true;
  }

  /** Opens the file of that inode number. False: another process has left, or begun anew. */
  #hold(ino: number): boolean {
    const { disk } = this.#context;
    this.#fd = disk.open(this.#path, "ra");
    if (disk.fstat(this.#fd).ino === ino) return true;
    this.close();
    return false;
  }

  /** `kind`: `s` where all of it is durable in the logs. */
  #writeAnew(kind: "m" | "s"): void {
    const { disk } = this.#context;
    const heads = [...this.#heads].map(([root, hashes]) => `h 0 ${root}=${hashes.join(",")}\n`);
    const text = `${HEADER} ${this.#identity} ${this.#boot}\n${heads.join("")}${kind} ${this.#seq}${wordOf(this.#mark)}\n`;
    this.close();
    ensureDurableFolder(disk, dirname(this.#path));
    writeAtomic(disk, this.#path, Buffer.from(text, "latin1"), { sync: true });
    const { ino } = disk.lstat(this.#path)!;
    if (this.#hold(ino)) this.#read = { ino, size: text.length };
    this.#rest = "";
  }

  #tail(from: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size - from);
    return bytes.subarray(0, this.#context.disk.read(this.#fd!, bytes, from));
  }

  #forget(): void {
    this.close();
    this.#identity = "";
    this.#seq = 0;
    this.#mark = "";
    this.#heads = new Map();
    this.#rest = "";
  }
}

function lineOf({ seq, mark, heads }: CheckpointEntry): string {
  const words = heads.map((one) => ` ${one.root}=${one.heads.join(",")}`);
  return `m ${seq}${wordOf(mark)}${words.join("")}\n`;
}

function wordOf(mark: string): string {
  return mark === "" ? "" : ` @${mark}`;
}

/** Empty where the system does not say: then no line behind the last sync counts after a start of the process. */
function bootOf({ disk }: EngineContext): string {
  try {
    return disk.outside.readFile(BOOT_ID, 64).toString("latin1").trim();
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return "";
  }
}
