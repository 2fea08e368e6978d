/**
 * One entity in memory: its log, the state folded from it, and how far that is. It is carried forward by reading only new
 * bytes. If the file is another one or its history got branches, it is loaded anew, from a snapshot if there is one.
 */
import { TaskfoldError } from "../../errors.ts";
import { Fold } from "../../events/fold.ts";
import { withPending } from "../../events/foreign.adopted.ts";
import { isKnownType } from "../../events/index.ts";
import { unshare } from "../../files/atomic.ts";
import { refuseLinks } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { headDigest } from "../../log/canonical.ts";
import { FileLog } from "../../log/file_log.ts";
import { Replay } from "../../log/replay.ts";
import { noEntity } from "./no_entity.ts";
import type { SavedReplay } from "../../log/replay.ts";
import type { LogReport } from "../../log/report.ts";
import type { ByteSource } from "../../log/source.ts";
import type { Op } from "../../log/types.ts";
import type { Entity, Folded } from "../../state/entity.ts";
import { LIMITS } from "../../state/limits.ts";
import type { KeyUse, Snapshots } from "./snapshot.ts";
import type { EngineContext } from "../core/context.ts";
import type { Disk, FileStat } from "../../disk.ts";
import type { Runtime } from "../../runtime.ts";
import { join } from "node:path";
import type { Layout } from "../../files/layout.ts";
import { LOG_FILE } from "../../files/layout.ts";

/** A page of a timeline has at most so many events, so no more ops. */
const TAIL = LIMITS.listPage;

export class LoadedEntity {
  readonly id: string;
  readonly folder: string;
  readonly log: FileLog;
  readonly fold = new Fold();
  /** How often the log was read from its start or from a snapshot, and not carried forward. */
  loads = 0;
  /** How many events the snapshot on disk spares a cold open; 0: there is none that holds. */
  eventsInSnapshot = 0;
  readonly #keys = new Map<string, KeyUse>();
  /** Keys of the ops that a snapshot stands for, until a caller asks for keys. */
  #earlierKeys: (() => Map<string, KeyUse>) | null = null;
  readonly #snapshots: Snapshots | undefined;
  readonly disk: Disk;
  readonly layout: Layout;
  readonly runtime: Runtime;
  /** The folders that lead to this one; none of them is a link. */
  readonly #way: string[];
  /** Where the last ops begin in the log, in replay order: a timeline reads them there and not the whole. */
  #tail: number[] = [];
  #readWhole = false;
  #replay: Replay;
  #digest: { of: readonly string[]; is: string } | null = null;

  /** Without `snapshots` the log is always read from its start. */
  constructor(
    context: Pick<EngineContext, "disk" | "layout" | "pendingLines" | "runtime">,
    id: string,
    folder: string,
    snapshots?: Snapshots,
  ) {
    this.disk = context.disk;
    this.layout = context.layout;
    this.runtime = context.runtime;
    this.#way = context.layout.wayTo(folder);
    this.#snapshots = snapshots;
    this.id = id;
    this.folder = folder;
    this.log = new FileLog(context.disk, join(folder, LOG_FILE), {
      unshare: (path) => unshare(context.disk, path),
      extra: context.pendingLines?.get(folder),
    });
    this.#replay = this.#newReplay();
  }

  get report(): LogReport {
    return this.#replay.report;
  }

  get entity(): Entity | null {
    return this.fold.entity;
  }

  /** Idempotency keys of all ops; of two uses the first counts. */
  get keys(): Map<string, KeyUse> {
    const earlier = this.#earlierKeys?.();
    this.#earlierKeys = null;
    for (const [key, use] of earlier ?? []) this.#keys.set(key, use);
    return this.#keys;
  }

  get head(): string {
    const heads = this.report.heads;
    const known = this.#digest;
    if (known?.of === heads) return known.is;
    const is = headDigest(heads);
    this.#digest = { of: heads, is };
    return is;
  }

  /** Reads what is new. True when there is a log at all. */
  catchUp(): boolean {
    try {
      const seen = this.log.look();
      if (seen === "same" && !this.fold.stale) return true;
      if (seen === "missing") {
        this.#clear();
        return false;
      }
      if (seen === "replaced") this.refuseLinks();
      const carried =
        seen === "grown" && !this.fold.stale && this.log.withSource((source) => this.#replay.follow(source));
      if (!carried) {
        this.#clear();
        this.fold.forget();
        this.log.withSource((source, stat) => {
          if (this.#readWhole || !this.#resume(source, stat)) this.#replay.load(source);
        });
        this.#readWhole = false;
        this.loads++;
        this.fold.live();
      }
      this.log.remember(this.report.offset);
      return true;
    } catch (e) {
      // After any failure on the way, nothing is known of the log.
      this.#clear();
      this.log.forget();
      // Another process moved the folder between the look and the reading.
      if (errnoOf(e) === "ENOENT") return false;
      throw unreadable(e);
    }
  }

  /**
   * Throws PATH_UNSAFE if a link stands on the way to the folder (DIR-50), and from then on until none does. Called where another
   * file than the one known is met, and before anything is written beside the log. A call before each append would find
   * nothing: the log that is open is the entity's own, wherever it was moved to.
   */
  refuseLinks(): void {
    try {
      refuseLinks(this.disk, this.#way);
    } catch (e) {
      this.log.doubt();
      throw e;
    }
  }

  /** An op of ours was appended at the end: `bytes` is what it took, a newline before it included. */
  appended(op: Op, bytes: number): void {
    this.#passed(this.#replay.accept(op.events, bytes));
    this.fold.written(op);
  }

  /** Takes a torn tail off the log, once `keep` has it. False when the file is not the one that was read. */
  cutTorn(keep: (bytes: Buffer) => void): boolean {
    const { torn } = this.report;
    if (!torn) return true;
    if (!this.log.cut(torn.offset, keep)) return false;
    this.#replay.cut();
    return true;
  }

  /** Offsets of the last ops in replay order, at least `TAIL` where there are as many. */
  get tail(): readonly number[] {
    return this.#tail;
  }

  /** The part of a snapshot that is about the log; null while no later reader can go on from it. */
  saveReplay(): SavedReplay | null {
    return this.fold.stale ? null : this.#replay.save();
  }

  /** Drops everything; the next `catchUp` reads from the start, past any snapshot. */
  forget(): void {
    this.log.forget();
    this.#clear();
    this.#readWhole = true;
  }

  /** The state that readers answer from: lines of other programs that wait for their place count (LOG-18). */
  subject(workspace: string): Folded {
    if (!this.entity) throw noEntity(this, this.report);
    const { foreign, bytes } = this.report;
    return { id: this.id, workspace, entity: withPending(this.entity, foreign), head: this.head, bytes };
  }

  #clear(): void {
    this.#forgetOps();
    this.#replay = this.#newReplay();
    this.#digest = null;
  }

  #forgetOps(): void {
    this.fold.reset();
    this.#tail = [];
    this.#keys.clear();
    this.#earlierKeys = null;
    this.eventsInSnapshot = 0;
  }

  /** Goes on from the snapshot; false when there is none that holds. */
  #resume(source: ByteSource, stat: FileStat): boolean {
    const snapshot = this.#snapshots?.read(this.id, source, stat);
    if (!snapshot) return false;
    this.#replay.resume(snapshot.replay);
    this.fold.resume(snapshot);
    this.#earlierKeys = snapshot.keys;
    this.#tail = snapshot.tail;
    this.eventsInSnapshot = snapshot.replay.tip.events;
    return this.#replay.follow(source);
  }

  #passed(op: Op): void {
    this.#tail.push(op.offset);
    if (this.#tail.length > 2 * TAIL) this.#tail = this.#tail.slice(-TAIL);
  }

  #newReplay(): Replay {
    return new Replay(
      {
        reset: () => this.#forgetOps(),
        op: (op, place) => {
          const again = this.fold.op(op, place);
          this.#passed(op);
          const { key, req, tool } = op.events[0]!.op;
          if (key !== undefined && req !== undefined && !this.#keys.has(key))
            this.#keys.set(key, { op: op.hash, tool, req });
          return again;
        },
      },
      { isKnownType },
    );
  }
}

/** Returns the error to throw when a log could not be read. An error that is not of the disk is returned as it is. */
export function unreadable(e: unknown): unknown {
  const errno = errnoOf(e);
  if (errno === undefined) return e;
  if (errno === "EACCES" || errno === "EPERM" || errno === "EISDIR" || errno === "ELOOP" || errno === "ENOTDIR") {
    return new TaskfoldError("LOG_UNREADABLE", `Expected a readable events.jsonl; the system said ${errno}.`, {
      cause: e,
      recovery: "Give this user the right to read it, or put it back from git.",
    });
  }
  return storageError(e, "read events.jsonl");
}
