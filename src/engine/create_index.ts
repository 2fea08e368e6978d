/**
 * Which idempotency key made which entity. Kept in `registry/index/creates.jsonl` so that a creating call with a key costs one
 * listing and not a look into every log; whatever the file lacks is read from the first line of the log
 * concerned, so it may be deleted or cut at any moment.
 */
import { dirname, join } from "node:path";
import { readIfThere } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { LOG_FILE } from "../files/layout.ts";
import { errnoOf } from "../files/storage_error.ts";
import type { Store } from "./store.ts";
import type { World } from "./world.ts";

/** The envelope and the payload's start of a usual first line fit; the key stands before the payload. */
const HEAD_BYTES = 4096;

export class CreateIndex {
  readonly #world: World;
  readonly #store: Store;
  /** Entity id to the key that made it; null: made without one. */
  readonly #keys = new Map<string, string | null>();
  #loaded = false;

  constructor(world: World, store: Store) {
    this.#world = world;
    this.#store = store;
  }

  /** Id of the live entity that a call with this key made. Call while holding the workspace lock. */
  find(key: string): string | undefined {
    this.#load();
    const added: [string, string | null][] = [];
    let found: string | undefined;
    for (const id of this.#store.names()) {
      let known = this.#keys.get(id);
      if (known === undefined) {
        known = this.#keyOf(id);
        if (known === undefined) continue;
        this.#keys.set(id, known);
        added.push([id, known]);
      }
      if (known === key && this.#store.has(id)) found = id;
    }
    this.#save(added);
    return found;
  }

  /** An entity was created: what is known of an earlier one of that id holds no more. */
  made(id: string, key: string | null): void {
    this.#load();
    if (!this.#keys.has(id) || this.#keys.get(id) === key) return;
    this.#keys.set(id, key);
    this.#save([[id, key]]);
  }

  #load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    const text = readIfThere(this.#world.disk, this.#path)?.toString("utf8") ?? "";
    for (const line of text.split("\n")) {
      const match = /^\["([^"\\]+)",(null|".*")\]$/.exec(line);
      if (match) this.#keys.set(match[1]!, parseKey(match[2]!));
    }
  }

  #save(added: [string, string | null][]): void {
    if (added.length === 0) return;
    const { disk } = this.#world;
    ensureFolder(disk, dirname(this.#path));
    const fd = disk.open(this.#path, "a+");
    try {
      disk.write(fd, Buffer.from(`\n${added.map((entry) => JSON.stringify(entry)).join("\n")}\n`));
    } finally {
      disk.close(fd);
    }
  }

  /** undefined: no log of ours there yet. */
  #keyOf(id: string): string | null | undefined {
    const head = Buffer.alloc(HEAD_BYTES);
    let fd: number;
    try {
      fd = this.#world.disk.open(join(this.#world.layout.folder(id), LOG_FILE), "r");
    } catch (e) {
      if (errnoOf(e) !== undefined) return undefined;
      throw e;
    }
    try {
      const n = this.#world.disk.read(fd, head, 0);
      const text = head.subarray(0, n).toString("utf8");
      // A canonical line has the op's stamp before the payload, so nothing a caller wrote can look like it.
      const match =
        /^\{(?:"agentInstance":"(?:[^"\\]|\\.)*",)?"by":"[^"]*","hash":"[^"]*","op":\{"id":"(?:[^"\\]|\\.)*",(?:"key":("(?:[^"\\]|\\.)*"),)?"n":1,/.exec(
          text,
        );
      if (match) return match[1] === undefined ? null : parseKey(match[1]);
    } finally {
      this.#world.disk.close(fd);
    }
    return this.#keyByReplay(id);
  }

  /** The first line is another program's, or stands elsewhere since a merge. */
  #keyByReplay(id: string): string | null | undefined {
    const handle = this.#store.find(id);
    if (!handle?.catchUp() || !handle.entity) return undefined;
    for (const [key, use] of handle.keys) if (use.op === handle.entity.root) return key;
    return null;
  }

  get #path(): string {
    return this.#world.layout.registryFile("index", "creates.jsonl");
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
