/**
 * Ends of logs that a machine which is far behind appends to. The lines are checked as those of any message. They are folded once, when a
 * caller looks at the entity or its files are written, and not line by line.
 */
import { join } from "node:path";
import { unshare } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { FileLog } from "../../log/file_log.ts";
import type { EngineContext } from "../core/context.ts";
import type { LogEnd, LogWriter } from "../commit/log_writer.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { SharedPart } from "./message_codec.ts";

interface Tail extends LogEnd {
  root: string;
  head: string;
  /** Lines that are to go behind it. */
  due: Buffer[];
  /** Whether the file was looked at since the locks were taken. */
  isChecked: boolean;
}

/** Open tails. Each is a few hundred bytes. */
const MOST = 10_000;

export class LogTails {
  readonly #context: EngineContext;
  readonly #logs: LogWriter;
  readonly #tails = new Map<string, Tail>();

  constructor(context: EngineContext, logs: LogWriter) {
    this.#context = context;
    this.#logs = logs;
  }

  /** Before a batch, once its locks are held: other processes may have written since the last one. */
  begin(): void {
    for (const tail of this.#tails.values()) {
      tail.isChecked = false;
      // A batch that failed left its lines out: the log does not end as it was to end.
      if (tail.due.length > 0) this.forget(tail.id);
    }
    if (this.#tails.size > MOST) this.#tails.clear();
  }

  /**
   * Puts the lines of a part behind the end of its log; false where they do not go there. `open`: a log that is read and may be
   * appended to.
   */
  add(part: SharedPart, open: () => LoadedEntity | undefined): boolean {
    const tail = this.#known(part) ?? this.#opened(part, open());
    if (!tail) return false;
    let { head } = tail;
    for (const { events } of part.ops)
      for (const { prev, hash } of events) {
        if (prev.length !== 1 || prev[0] !== head) return false;
        head = hash;
      }
    tail.head = head;
    for (const { bytes } of part.ops) tail.due.push(bytes);
    return true;
  }

  /** Writes the lines; false where a log was replaced meanwhile: the caller finds out what each log has. */
  write(): boolean {
    let isWhole = true;
    for (const tail of this.#tails.values()) {
      if (tail.due.length === 0) continue;
      const appended = this.#logs.append({ to: tail, lines: tail.due });
      const isThere = appended !== "moved" && tail.log.holds(appended.offset, appended.bytes);
      if (appended !== "moved") tail.log.close();
      if (!isThere) {
        this.forget(tail.id);
        isWhole = false;
      }
      tail.due = [];
    }
    return isWhole;
  }

  /** Root and last op of an entity whose end is known, and is still the end of its file. */
  of(id: string): { root: string; head: string } | undefined {
    const tail = this.#tails.get(id);
    return tail?.due.length === 0 && tail.log.look() === "same" ? tail : undefined;
  }

  /** Lines go into the log in another way. */
  forget(id: string): void {
    this.#tails.get(id)?.log.close();
    this.#tails.delete(id);
  }

  #known({ id, root }: SharedPart): Tail | undefined {
    const tail = this.#tails.get(id);
    if (!tail || tail.isChecked) return tail?.root === root ? tail : undefined;
    tail.isChecked = true;
    if (tail.root === root && tail.log.look() === "same" && !this.#logs.syncs.isDoubtful(id)) return tail;
    this.forget(id);
    return undefined;
  }

  #opened({ id, root }: SharedPart, loaded: LoadedEntity | undefined): Tail | undefined {
    const [head, ...others] = loaded?.report.heads ?? [];
    if (!loaded || head === undefined || others.length > 0 || this.#tails.has(id)) return undefined;
    const { disk } = this.#context;
    const log = new FileLog(disk, join(loaded.folder, LOG_FILE), { unshare: (path) => unshare(disk, path) });
    log.look();
    const size = log.withSource((source) => source.size());
    log.remember(size);
    if (size !== loaded.report.offset || log.unended) return undefined;
    const tail: Tail = { id, folder: loaded.folder, log, root, head, due: [], isChecked: true };
    this.#tails.set(id, tail);
    return tail;
  }
}
