/**
 * Snapshots: the state that one log folded to, in `snapshots/<id>.json` of the machine's folder. With one, a cold open reads
 * the tail alone. It is for this machine only, never synced, and no source of truth. One that is damaged, of another release
 * or not of this log counts as none. Written by writes and `close`, never by reads (SNAP rules).
 */
import { dirname } from "node:path";
import { WHOLE_FILE_BYTES } from "../../disk.ts";
import type { FileStat } from "../../disk.ts";
import { FOLD_VERSION } from "../../events/fold.ts";
import type { Fold } from "../../events/fold.ts";
import { readCache, writeAtomic } from "../../files/atomic.ts";
import type { SavedUndoHistory } from "../../events/undo_history.ts";
import { same } from "../../files/file_sign.ts";
import { ensureFolder } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import type { FileLog } from "../../log/file_log.ts";
import type { SavedReplay } from "../../log/replay.ts";
import type { LogReport } from "../../log/report.ts";
import type { ByteSource } from "../../log/source.ts";
import { entityFromJson, entityToJson } from "../../state/entity_json.ts";
import type { EntityJson } from "../../state/entity_json.ts";
import type { Entity } from "../../state/entity.ts";
import type { EngineContext } from "../core/context.ts";

/** Goes up with any change of what a snapshot holds. */
const FORMAT = 5;
/** Reading so many events takes five milliseconds; to write a snapshot for fewer would cost a busy writer more than it spares. */
const EVENTS_BETWEEN = 2000;
/** No log of that many events is shorter: below it no reader looks for a snapshot. */
const LEAST_BYTES = 128 * 1024;
const BACKWARDS = 4096;

/** Where an idempotency key was used. */
export interface KeyUse {
  op: string;
  tool: string;
  req: string;
}

/** An entity in memory, as far as a snapshot holds it. */
interface Loaded {
  readonly id: string;
  readonly entity: Entity | null;
  readonly report: Pick<LogReport, "events">;
  readonly fold: Pick<Fold, "save">;
  readonly log: Pick<FileLog, "seen" | "withSource">;
  readonly tail: readonly number[];
  readonly keys: ReadonlyMap<string, KeyUse>;
  eventsInSnapshot: number;
  saveReplay(): SavedReplay | null;
}

/** A state to go on from; `keys` makes the map, which may be large and which few calls ask for. */
export interface Snapshot {
  replay: SavedReplay;
  entity: Entity;
  redo: string[];
  turns: SavedUndoHistory;
  /** Offsets of the last ops, as the loaded entity has them. */
  tail: number[];
  keys: () => Map<string, KeyUse>;
}

interface Saved {
  file: Omit<FileStat, "kind">;
  /** The line that ends where the snapshot does, LF included. */
  last: { bytes: number; sha256: string };
  replay: SavedReplay;
  entity: EntityJson;
  redo: readonly string[];
  turns: SavedUndoHistory;
  tail: readonly number[];
}

export class Snapshots {
  readonly #context: Pick<EngineContext, "disk" | "layout">;
  readonly #eventsBetween: number;
  readonly #leastBytes: number;

  constructor(
    context: Pick<EngineContext, "disk" | "layout">,
    eventsBetween = EVENTS_BETWEEN,
    leastBytes = LEAST_BYTES,
  ) {
    this.#context = context;
    this.#eventsBetween = eventsBetween;
    this.#leastBytes = leastBytes;
  }

  /** The snapshot of this log, if there is one that its bytes go on from. */
  read(id: string, source: ByteSource, stat: FileStat): Snapshot | null {
    if (stat.size < this.#leastBytes) return null;
    const parts = this.#load(id);
    if (!parts) return null;
    const { replay, entity, redo, turns, tail, ...rest } = JSON.parse(parts.state.toString("utf8")) as Saved;
    if (!goesOn({ replay, ...rest }, source, stat)) return null;
    // A copy: the other lines' bytes are not kept for it.
    const text = Buffer.from(parts.keys);
    const keys = (): Map<string, KeyUse> => new Map(JSON.parse(text.toString("utf8")) as [string, KeyUse][]);
    return { replay, entity: entityFromJson(entity), redo: [...redo], turns, tail: [...tail], keys };
  }

  /** Writes one when enough was read or written since the last. Failing to do so loses nothing. */
  saveIfDue(loaded: Loaded): void {
    if (loaded.report.events - loaded.eventsInSnapshot < this.#eventsBetween) return;
    try {
      this.#save(loaded);
    } catch (e) {
      // A full or read-only disk: the next open reads the log instead.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  #save(loaded: Loaded): void {
    const replay = loaded.saveReplay();
    const { entity, fold } = loaded;
    const stat = loaded.log.seen;
    if (!replay || !entity || stat?.size !== replay.next.offset) return;
    const { kind: _kind, ...file } = stat;
    const last = loaded.log.withSource((source, now) => (same(stat, now) ? lineBefore(source, stat.size) : null));
    if (!last) return;
    const saved: Saved = {
      file,
      last: { bytes: last.length, sha256: sha256(last) },
      replay,
      entity: entityToJson(entity),
      ...fold.save(),
      tail: loaded.tail,
    };
    const body = `${JSON.stringify(saved)}\n${JSON.stringify([...loaded.keys])}\n`;
    const path = this.#path(loaded.id);
    ensureFolder(this.#context.disk, dirname(path));
    writeAtomic(this.#context.disk, path, `${headOf(body)}\n${body}`);
    loaded.eventsInSnapshot = replay.tip.events;
  }

  /** The two lines of a file that this release wrote, and whose bytes are as they were written. */
  #load(id: string): { state: Buffer; keys: Buffer } | null {
    const bytes = readCache(this.#context.disk, this.#path(id), WHOLE_FILE_BYTES);
    if (!bytes) return null;
    const head = bytes.indexOf(0x0a);
    const body = bytes.subarray(head + 1);
    if (bytes.toString("latin1", 0, Math.max(0, head)) !== headOf(body)) return null;
    const end = body.indexOf(0x0a);
    return { state: body.subarray(0, end), keys: body.subarray(end + 1) };
  }

  #path(id: string): string {
    return this.#context.layout.machineFile("snapshots", `${id}.json`);
  }
}

/** The first line: which release's, and the digest of what follows. */
function headOf(body: string | Uint8Array): string {
  return JSON.stringify([FORMAT, FOLD_VERSION, sha256(body)]);
}

/**
 * Whether the file is the one that was read, or has only grown. If the last line is there still, all lines before it are, too,
 * because in a straight log each line answers for those before it. Lines of other programs answer for nothing.
 */
function goesOn(
  { file, last, replay }: Pick<Saved, "file" | "last" | "replay">,
  source: ByteSource,
  stat: FileStat,
): boolean {
  const { offset } = replay.next;
  if (stat.size < offset) return false;
  const { waiting, adopted, expected } = replay.tally.foreign;
  const straight = replay.forked === null && waiting.length + adopted.length + expected.length === 0;
  if (!same(file, stat) && !(straight && stat.size > file.size)) return false;
  const line = Buffer.allocUnsafe(last.bytes);
  return source.read(line, offset - last.bytes) === line.length && sha256(line) === last.sha256;
}

/** The line that ends at `offset`, with its LF. */
function lineBefore(source: ByteSource, offset: number): Buffer {
  for (let length = Math.min(BACKWARDS, offset); ; length = Math.min(length * 4, offset)) {
    const bytes = Buffer.allocUnsafe(length);
    source.read(bytes, offset - length);
    const lf = length > 1 ? bytes.lastIndexOf(0x0a, length - 2) : -1;
    if (lf >= 0 || length === offset) return bytes.subarray(lf + 1);
  }
}
