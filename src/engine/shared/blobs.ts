/**
 * Bytes that events name by their SHA-256 (EVID rules). They travel beside the messages that name them, in the object store. A machine
 * fetches them when a call looks at them, or all of them behind the change.
 */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { readRegular } from "../../files/atomic.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { BLOB_FOLDER, blobsNamed, writeBlobs } from "../commit/named_files.ts";
import type { NamedFile } from "../core/remote_bytes.ts";
import type { SharedLog } from "../core/shared_log.ts";
import type { MissingBytes } from "../entity/job.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineParts } from "../parts.ts";
import type { SharedPart } from "./message.ts";
import { eventsOf } from "./step.ts";
import { homeOf } from "./take_in.ts";

/** No captured output is larger. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface Fetched {
  /** How many files were fetched. */
  files: number;
  /** Those that the object store lacks, or has with other bytes. */
  absent: MissingBytes[];
}

export class Blobs {
  readonly #parts: EngineParts;
  readonly #isEager: boolean;
  /** Files that may be missing, by id. */
  readonly #due = new Map<string, Map<string, NamedFile>>();
  #working: Promise<void> | null = null;

  /** `isEager`: fetches everything behind the change that names it. */
  constructor(parts: EngineParts, isEager: boolean) {
    this.#parts = parts;
    this.#isEager = isEager;
  }

  /** Notes what these parts name and this machine lacks, before the position is behind their message. */
  wanted(log: SharedLog, parts: readonly SharedPart[]): void {
    const digests: string[] = [];
    for (const part of parts) {
      const files = filesNamed(part);
      const home = files.length > 0 ? homeOf(this.#parts, part) : undefined;
      const missing = home ? this.#missing(home.id, files) : [];
      digests.push(...missing.map(({ sha256 }) => sha256));
      if (this.#isEager && missing.length > 0) this.#want(home!.id, missing);
    }
    if (digests.length > 0) this.#parts.context.remote.add(digests);
    if (this.#due.size > 0) this.#working ??= this.#fetchDue(log).finally(() => (this.#working = null));
  }

  /** Fetches everything that the logs of these plans and tasks name and their folders lack. */
  async fetchAll(log: SharedLog, ids: readonly string[]): Promise<Fetched> {
    const all: Fetched = { files: 0, absent: [] };
    for (const id of ids) {
      const files = this.#missing(id, blobFiles(blobsNamed(eventsOf(this.#parts, id))));
      if (files.length === 0) continue;
      const { files: fetched, absent } = await this.fetch(log, { id, files });
      all.files += fetched;
      all.absent.push(...absent);
    }
    return all;
  }

  /** Fetches these files. SHARED_UNAVAILABLE where no server answers. */
  async fetch(log: SharedLog, { id, files }: MissingBytes): Promise<Fetched> {
    const absent: NamedFile[] = [];
    for (const file of files) if (!(await this.#fetchOne(log, id, file))) absent.push(file);
    return { files: files.length - absent.length, absent: absent.length > 0 ? [{ id, files: absent }] : [] };
  }

  async finish(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Puts what these parts name into the store, as far as it is here. */
  async upload(log: SharedLog, parts: readonly SharedPart[]): Promise<void> {
    for (const part of parts) for (const file of filesNamed(part)) await this.#put(log, part.id, file);
  }

  /** Puts what the store lacks there, of all that these plans and tasks name; how many files. */
  async uploadAll(log: SharedLog, ids: readonly string[]): Promise<number> {
    let files = 0;
    for (const id of ids) {
      const named = blobFiles(blobsNamed(eventsOf(this.#parts, id)));
      for (const file of named) if (!(await log.hasBlob(file.sha256)) && (await this.#put(log, id, file))) files++;
    }
    return files;
  }

  /** False where the file is not here, or is another one. */
  async #put(log: SharedLog, id: string, { path, sha256 }: NamedFile): Promise<boolean> {
    const bytes = this.#read(id, path);
    if (!bytes || !isOf(bytes, sha256)) return false;
    await log.putBlob(sha256, bytes);
    return true;
  }

  #want(id: string, files: readonly NamedFile[]): void {
    const due = this.#due.get(id) ?? new Map<string, NamedFile>();
    for (const file of files) due.set(file.path, file);
    this.#due.set(id, due);
  }

  #missing(id: string, files: readonly NamedFile[]): NamedFile[] {
    const loaded = files.length > 0 ? this.#loaded(id) : undefined;
    if (!loaded) return [];
    return files.filter(({ path }) => !this.#parts.context.disk.lstat(join(loaded.folder, path)));
  }

  async #fetchDue(log: SharedLog): Promise<void> {
    for (const [id, files] of this.#due) {
      this.#due.delete(id);
      try {
        await this.fetch(log, { id, files: [...files.values()] });
      } catch (e) {
        // The log has its line, and the next look at the bytes or a sync fetches them.
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      }
    }
  }

  async #fetchOne(log: SharedLog, id: string, { path, sha256 }: NamedFile): Promise<boolean> {
    const bytes = await log.getBlob(sha256);
    const loaded = this.#loaded(id);
    if (!bytes || !loaded || !isOf(bytes, sha256)) {
      this.#parts.context.remote.lost(sha256);
      return false;
    }
    writeBlobs(this.#parts.context, loaded, [{ sha256: basename(path), bytes }]);
    return true;
  }

  #read(id: string, path: string): Buffer | undefined {
    const loaded = this.#loaded(id);
    return loaded && readRegular(this.#parts.context.disk, join(loaded.folder, path), MOST_BYTES);
  }

  #loaded(id: string): LoadedEntity | undefined {
    return this.#parts.store.find(id) ?? this.#parts.store.findArchived(id);
  }
}

function filesNamed({ ops }: SharedPart): NamedFile[] {
  return blobFiles(blobsNamed(ops.flatMap(({ events }) => events)));
}

function blobFiles(digests: Iterable<string>): NamedFile[] {
  return [...digests].map((sha256) => ({ path: `${BLOB_FOLDER}/${sha256}`, sha256 }));
}

function isOf(bytes: Uint8Array, sha256: string): boolean {
  return createHash("sha256").update(bytes).digest("hex") === sha256;
}
