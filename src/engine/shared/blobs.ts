/** Captured bytes of evidence (EVID rules): they travel beside the messages that name them, under their SHA-256. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { readRegular } from "../../files/atomic.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { BLOB_FOLDER, writeBlobs } from "../commit/named_files.ts";
import type { SharedLog } from "../core/shared_log.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineParts } from "../parts.ts";
import { blobsNamed } from "../repair/verify_files.ts";
import type { SharedPart } from "./message.ts";
import { eventsOf } from "./step.ts";
import { homeOf } from "./take_in.ts";

/** No captured output is larger. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Blobs {
  readonly #parts: EngineParts;
  /** Names of captured bytes that may be missing, by id. */
  readonly #due = new Map<string, Set<string>>();
  #working: Promise<void> | null = null;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Fetches what these parts name, behind the change. */
  wanted(log: SharedLog, parts: readonly SharedPart[]): void {
    for (const part of parts) {
      const home = homeOf(this.#parts, part);
      if (home) this.#want(home.id, [...blobsNamed(part.ops.flatMap(({ events }) => events))]);
    }
    if (this.#due.size > 0) this.#working ??= this.#fetch(log).finally(() => (this.#working = null));
  }

  /** Fetches everything that the logs name and their folders lack. */
  async fetchAll(log: SharedLog, ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#want(id, [...blobsNamed(eventsOf(this.#parts, id))]);
    await this.finish();
    await this.#fetch(log);
  }

  async finish(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Puts what these parts name into the store, as far as it is here. */
  async upload(log: SharedLog, parts: readonly SharedPart[]): Promise<void> {
    for (const { id, ops } of parts) {
      for (const name of blobsNamed(ops.flatMap(({ events }) => events))) {
        const bytes = this.#read(id, name);
        if (bytes) await log.putBlob(name, bytes);
      }
    }
  }

  #want(id: string, names: readonly string[]): void {
    const missing = names.filter((name) => !this.#read(id, name));
    if (missing.length > 0) this.#due.set(id, new Set([...(this.#due.get(id) ?? []), ...missing]));
  }

  async #fetch(log: SharedLog): Promise<void> {
    for (const [id, names] of this.#due) {
      this.#due.delete(id);
      try {
        for (const name of names) await this.#fetchOne(log, id, name);
      } catch (e) {
        // The log has its line, and verify names the bytes until a sync fetches them.
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      }
    }
  }

  async #fetchOne(log: SharedLog, id: string, name: string): Promise<void> {
    const bytes = await log.getBlob(name);
    const loaded = this.#loaded(id);
    if (!bytes || !loaded || createHash("sha256").update(bytes).digest("hex") !== name) return;
    writeBlobs(this.#parts.context, loaded, [{ sha256: name, bytes }]);
  }

  #read(id: string, name: string): Buffer | undefined {
    const loaded = this.#loaded(id);
    return loaded && readRegular(this.#parts.context.disk, join(loaded.folder, BLOB_FOLDER, name), MOST_BYTES);
  }

  #loaded(id: string): LoadedEntity | undefined {
    return this.#parts.store.find(id) ?? this.#parts.store.findArchived(id);
  }
}
