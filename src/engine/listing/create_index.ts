/**
 * Which idempotency key made which entity, deleted ones too. Kept in `index/creates.jsonl` of the machine's folder. A creating
 * call with a key looks into no log that was there before. The file may be deleted or cut at any moment: a process reads
 * what it lacks from the first line of the log.
 */
import { dirname, join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { readCache, writeAll } from "../../files/atomic.ts";
import { signOf } from "../../files/file_sign.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { WHOLE_FILE_BYTES } from "../../disk.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { ChangeFeed } from "./change_feed.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Store } from "../entity/store.ts";
import { idIn } from "./entity_names.ts";
import type { EntityNames } from "./entity_names.ts";
import type { EngineContext } from "../core/context.ts";
import { IdGroups } from "../../state/id_groups.ts";

/** The envelope and the payload's start of a usual first line fit; the key stands before the payload. */
const HEAD_BYTES = 4096;

/** Which key made the entity of a log, null for none, and by what the log is known: another after git swapped it. */
interface Known {
  key: string | null;
  file: string;
}

export class CreateIndex {
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #names: EntityNames;
  readonly #feed: Pick<ChangeFeed, "git">;
  /** By `<part>/<id>`. */
  readonly #known = new Map<string, Known>();
  readonly #byKey = new IdGroups();
  /** Names without a log of ours that can be read: each is tried again. */
  readonly #unread = new Set<string>();
  /** The sign of git when every log was looked at last; empty: look again. */
  #git = "";
  #savedGit = "";
  #loaded = false;
  #isLooked = false;

  /** The names come from the same feed. */
  constructor(context: EngineContext, store: Store, names: EntityNames, feed: Pick<ChangeFeed, "git">) {
    this.#context = context;
    this.#store = store;
    this.#names = names;
    this.#feed = feed;
  }

  /** Entities that a call with this key may have made, live ones first. Call while holding the workspace lock. */
  find(key: string): LoadedEntity[] {
    this.#look();
    const ids = [...this.#byKey.of(key)].map(idIn);
    const live = ids.map((id) => this.#store.find(id));
    // Where a name was looked at and where its folder is now may differ: the archive takes it under a lock of its own.
    const archived = ids.map((id) => this.#store.findArchived(id));
    return [...new Set([...live, ...archived])].filter((loaded) => loaded !== undefined);
  }

  /** Which of these keys made what, by key. Call while holding the workspace lock. */
  madeBy(keys: ReadonlySet<string>): Map<string, string> {
    this.#look();
    const made = new Map<string, string>();
    for (const key of keys) {
      const id = [...this.#byKey.of(key)].map(idIn).find((one) => this.#names.has(one));
      if (id !== undefined) made.set(key, id);
    }
    return made;
  }

  /** An entity was created, by this process and under the same lock. */
  made(id: string, key: string | null): void {
    if (!this.#loaded) return;
    const at = `tasks/${id}`;
    const known = { key, file: this.#fileOf(at) };
    this.#know(at, known);
    this.#save([[at, known]]);
  }

  /** Looks at the logs whose names came since the last look; at all of them when git was here. */
  #look(): void {
    this.#load();
    this.#names.look("names");
    const { git } = this.#feed;
    const swapped = git === "" || git !== this.#git;
    const isFirst = !this.#isLooked;
    this.#isLooked = true;
    const came = this.#names.takeAdded();
    const added: [string, Known][] = [];
    for (const at of swapped ? this.#names.all : new Set([...came, ...this.#unread])) {
      const known = this.#known.get(at);
      // A name that comes again later may be another's.
      if (known && isFirst && !swapped) continue;
      const file = this.#fileOf(at);
      if (known?.file === file) continue;
      const key = this.#keyOf(at);
      if (key === undefined) this.#unread.add(at);
      else added.push([at, { key, file }]);
    }
    for (const [at, known] of added) this.#know(at, known);
    this.#git = git;
    if (added.length > 0 || swapped) this.#save(added);
  }

  #know(at: string, known: Known): void {
    const before = this.#known.get(at)?.key ?? null;
    if (before !== null) this.#byKey.delete(before, at);
    this.#known.set(at, known);
    this.#unread.delete(at);
    if (known.key !== null) this.#byKey.add(known.key, at);
  }

  #load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    const text = readCache(this.#context.disk, this.#path, WHOLE_FILE_BYTES)?.toString("utf8") ?? "";
    for (const line of text.split("\n")) {
      const [at, key, file] = parseLine(line) ?? [];
      if (typeof at === "string" && (key === null || typeof key === "string") && typeof file === "string")
        this.#know(at, { key, file });
      else if (at === null && typeof key === "string") this.#git = this.#savedGit = key;
    }
  }

  /** A line for each entity, then the sign of git where it is another than in the file. */
  #save(added: [string, Known][]): void {
    const { disk } = this.#context;
    const lines: unknown[] = added.map(([at, { key, file }]) => [at, key, file]);
    if (this.#git !== this.#savedGit) lines.push([null, this.#git]);
    if (lines.length === 0) return;
    // The folder that marks and doubtful bytes are kept in may begin to be here: its name has to last as theirs do.
    const text = `\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
    try {
      ensureDurableFolder(disk, dirname(this.#path));
      const fd = disk.open(this.#path, "a+");
      try {
        writeAll(disk, fd, Buffer.from(text));
        this.#savedGit = this.#git;
      } finally {
        disk.close(fd);
      }
    } catch (e) {
      // Kept for speed only: what is missing is read from the logs, and the entity it is about stands already.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  /** A file that was only appended to is read again for nothing. */
  #fileOf(at: string): string {
    try {
      return signOf(this.#context.disk.lstat(this.#logOf(at)));
    } catch (e) {
      // A plain file in the place of the folder, or one that may not be looked into.
      if (errnoOf(e) === undefined) throw e;
      return signOf(undefined);
    }
  }

  #logOf(at: string): string {
    return join(this.#context.layout.coco, at, LOG_FILE);
  }

  /** undefined: no log of ours there yet. */
  #keyOf(at: string): string | null | undefined {
    const head = Buffer.alloc(HEAD_BYTES);
    let fd: number;
    try {
      fd = this.#context.disk.open(this.#logOf(at), "r");
    } catch (e) {
      if (errnoOf(e) !== undefined) return undefined;
      throw e;
    }
    try {
      const n = this.#context.disk.read(fd, head, 0);
      const text = head.subarray(0, n).toString("utf8");
      // A canonical line has the op's stamp before the payload, so nothing a caller wrote can look like it.
      const match =
        /^\{(?:"agentInstance":"(?:[^"\\]|\\.)*",)?"by":"[^"]*","hash":"[^"]*","op":\{"id":"(?:[^"\\]|\\.)*",(?:"key":("(?:[^"\\]|\\.)*"),)?"n":1,/.exec(
          text,
        );
      if (match) return match[1] === undefined ? null : parseKey(match[1]);
    } finally {
      this.#context.disk.close(fd);
    }
    return this.#keyByReplay(at);
  }

  /** The first line is another program's, or stands elsewhere since a merge. */
  #keyByReplay(at: string): string | null | undefined {
    const loaded = at.startsWith("tasks/") ? this.#store.find(idIn(at)) : this.#store.findArchived(idIn(at));
    try {
      if (!loaded?.catchUp() || !loaded.entity) return undefined;
    } catch (e) {
      // One log that cannot be read keeps no other entity from being made.
      if (!isTaskfoldError(e)) throw e;
      return undefined;
    }
    for (const [key, use] of loaded.keys) if (use.op === loaded.entity.root) return key;
    return null;
  }

  get #path(): string {
    return this.#context.layout.machineFile("index", "creates.jsonl");
  }
}

/** Undefined for a line that was cut, or is of another release. */
function parseLine(line: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : undefined;
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}

function parseKey(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch (e) {
    if (e instanceof SyntaxError) return null;
    throw e;
  }
}
