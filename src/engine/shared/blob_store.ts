/**
 * Bytes that events name by their SHA-256 (EVID rules). They travel beside the messages that name them, in the object store. A machine
 * fetches them when a call looks at them, or all of them behind the change.
 */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { readRegular } from "../../files/atomic.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { inspectFile } from "../../files/inspect.ts";
import { BLOB_FOLDER, filesNamed, writeBlobs, writeContents } from "../commit/named_files.ts";
import { acquire } from "../core/lock.ts";
import type { NamedFile } from "../core/remote_bytes.ts";
import { unwaited } from "../core/unwaited.ts";
import type { SharedLog } from "../core/shared_log.ts";
import type { MissingBytes } from "../entity/job.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineParts } from "../parts.ts";
import { digestsOfPacket, filesOfPacket } from "../packet/named_by_events.ts";
import type { LogWrite } from "../commit/log_writer.ts";
import { isUnreachable } from "./failures.ts";
import type { SharedPart } from "./message_codec.ts";
import { renameOutputs } from "./outputs.ts";
import { eventsOf } from "./divergence.ts";
import { homeOf, presentIn } from "./log_home.ts";

/** No captured output is larger. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface Fetched {
  /** How many files were fetched. */
  files: number;
  /** Those that the object store lacks or has with other bytes, and those whose place is taken. */
  absent: MissingBytes[];
}

export interface LackedThere {
  /** How many files were looked for. */
  checked: number;
  restored: number;
  lacking: { id: string; path: string; isHere: boolean }[];
}

/** Bytes that an op names. */
export interface NamedBytes {
  sha256: string;
  bytes: Uint8Array;
}

export class BlobStore {
  readonly #parts: EngineParts;
  readonly #isEager: boolean;
  /** Ids whose files may be missing. */
  readonly #due = new Set<string>();
  #working: Promise<void> | null = null;
  #isEnding = false;

  /** `isEager`: fetches everything behind the change that names it. */
  constructor(parts: EngineParts, isEager: boolean) {
    this.#parts = parts;
    this.#isEager = isEager;
  }

  /** Notes what these parts name and this machine lacks, before the checkpoint is behind their message. */
  wanted(log: SharedLog, parts: readonly SharedPart[]): void {
    const digests: string[] = [];
    for (const part of parts) {
      const files = filesIn(part);
      const home = files.length > 0 ? homeOf(this.#parts, part) : undefined;
      const missing = home ? this.#lackedBy(home.id, files, () => true) : [];
      digests.push(...missing.map(({ sha256 }) => sha256));
      if (this.#isEager && missing.length > 0) this.#due.add(home!.id);
    }
    if (digests.length > 0) this.#parts.context.remote.add(digests);
    if (this.#due.size === 0 || this.#working) return;
    const working = this.#fetchDue(log).finally(() => (this.#working = null));
    this.#working = working;
    unwaited(this.#parts.context, "SHARED_BEHIND", () => working);
  }

  /** Files that the logs of these plans and tasks name and that their folders lack. */
  missing(ids: readonly string[]): MissingBytes[] {
    return ids.flatMap((id) => {
      const files = this.#lackedBy(id, this.#named(id), this.#givesOf(id));
      return files.length > 0 ? [{ id, files }] : [];
    });
  }

  /** Fetches these files. SHARED_UNAVAILABLE where no server answers. */
  async fetch(log: SharedLog, missing: readonly MissingBytes[]): Promise<Fetched> {
    const all: Fetched = { files: 0, absent: [] };
    for (const { id, files } of missing) {
      const absent: NamedFile[] = [];
      const loaded = this.#loaded(id);
      if (loaded) await renameOutputs(this.#parts, loaded);
      for (const file of this.#lackedBy(id, files, this.#givesOf(id)))
        if (!(await this.#fetchedOne(log, id, file))) absent.push(file);
      all.files += files.length - absent.length;
      if (absent.length > 0) all.absent.push({ id, files: absent });
    }
    return all;
  }

  async finish(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** As `finish`, but the first time that no server gives something is the last. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.finish();
  }

  /** Bytes that these ops will name. Files of a packet may lie in the folder already. */
  namedBytes({ loaded, staged }: LogWrite): NamedBytes[] {
    return staged.flatMap(({ op, blobs, contents }) => {
      const given = new Map<string, Uint8Array>(blobs.map(({ sha256, bytes }) => [`${BLOB_FOLDER}/${sha256}`, bytes]));
      for (const content of contents) if ("bytes" in content) given.set(content.path, content.bytes);
      return filesNamed(op.events).flatMap(({ path, sha256 }) => {
        const bytes = given.get(path) ?? readRegular(this.#parts.context.disk, join(loaded.folder, path), MAX_BYTES);
        return bytes && isOf(bytes, sha256) ? [{ sha256, bytes }] : [];
      });
    });
  }

  /** Puts what these parts name into the store, as far as it is here. */
  async upload(log: SharedLog, parts: readonly SharedPart[]): Promise<void> {
    for (const part of parts) {
      const files = filesIn(part);
      if (files.length === 0) continue;
      const digests = new Set(files.map(({ sha256 }) => sha256));
      // An attempt that began since gave earlier files another name.
      const moved = this.#named(part.id).filter(({ path, sha256 }) => digests.has(sha256) && !isBlob(path));
      for (const file of [...files, ...moved]) await this.#put(log, part.id, file);
    }
  }

  /** Puts what the store lacks there, of all that these plans and tasks name; how many files. */
  async uploadAll(log: SharedLog, ids: readonly string[]): Promise<number> {
    let files = 0;
    for (const id of ids) for (const file of this.#named(id)) if (await this.#put(log, id, file)) files++;
    return files;
  }

  /**
   * Files of these plans and tasks that the store lacks, or has with other bytes. Reads all bytes that the store has of them. With `restores`
   * what is here is put there first.
   */
  async lackedThere(log: SharedLog, ids: readonly string[], restores: boolean): Promise<LackedThere> {
    const seen = new Set<string>();
    const all: LackedThere = { checked: 0, restored: 0, lacking: [] };
    for (const id of ids)
      for (const file of this.#named(id)) {
        const { path, sha256 } = file;
        if (seen.has(sha256)) continue;
        seen.add(sha256);
        all.checked++;
        const there = await log.getBlob(sha256);
        if (there && isOf(there, sha256)) continue;
        const here = this.#bytesHere(id, file);
        if (here && restores) {
          await log.putBlob(sha256, here);
          all.restored++;
        } else all.lacking.push({ id, path, isHere: here !== undefined });
      }
    return all;
  }

  /** False where the store has the file, or this machine has none or another one. */
  async #put(log: SharedLog, id: string, file: NamedFile): Promise<boolean> {
    const bytes = (await log.hasBlob(file.sha256)) ? undefined : this.#bytesHere(id, file);
    if (bytes) await log.putBlob(file.sha256, bytes);
    return bytes !== undefined;
  }

  #bytesHere(id: string, { path, sha256 }: NamedFile): Buffer | undefined {
    const loaded = this.#loaded(id);
    const bytes = loaded && readRegular(this.#parts.context.disk, join(loaded.folder, path), MAX_BYTES);
    return bytes && isOf(bytes, sha256) ? bytes : undefined;
  }

  /** At the paths that they have now. */
  #named(id: string): NamedFile[] {
    const captured = filesNamed(eventsOf(this.#parts, id)).filter(({ path }) => isBlob(path));
    const packet = this.#loaded(id)?.entity?.packet;
    return [...captured, ...(packet ? filesOfPacket(packet) : [])].filter(isInFolder);
  }

  /** Which bytes at the path of others may go. A file that no event names is a person's: it stays. */
  #givesOf(id: string): (sha256: string) => boolean {
    const packet = this.#loaded(id)?.entity?.packet;
    const digests = packet ? digestsOfPacket(packet) : new Set();
    return (sha256) => digests.has(sha256);
  }

  /** Files that are not there. `gives`: whether bytes of this digest that lie there instead may go. */
  #lackedBy(id: string, files: readonly NamedFile[], gives: (sha256: string) => boolean): NamedFile[] {
    const loaded = files.length > 0 ? this.#loaded(id) : undefined;
    if (!loaded) return [];
    const { disk } = this.#parts.context;
    return files.filter(({ path, sha256 }) => {
      if (isBlob(path)) return !disk.lstat(join(loaded.folder, path));
      const found = inspectFile(disk, loaded.folder, path);
      if (found.state === "present") return found.sha256 !== sha256 && gives(found.sha256);
      return found.state === "missing";
    });
  }

  async #fetchDue(log: SharedLog): Promise<void> {
    for (const id of this.#due) {
      this.#due.delete(id);
      try {
        await this.fetch(log, this.missing([id]));
      } catch (e) {
        // The log has its line, and the next look at the bytes or a sync fetches them.
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
        if (this.#isEnding && isUnreachable(e)) this.#due.clear();
      }
    }
  }

  /** False, too, if something stands at its place: the other files come all the same. */
  async #fetchedOne(log: SharedLog, id: string, file: NamedFile): Promise<boolean> {
    try {
      return await this.#fetchOne(log, id, file);
    } catch (e) {
      if (isTaskfoldError(e) && e.code === "PATH_UNSAFE") return false;
      throw e;
    }
  }

  async #fetchOne(log: SharedLog, id: string, { path, sha256 }: NamedFile): Promise<boolean> {
    const bytes = await log.getBlob(sha256);
    const { context } = this.#parts;
    if (!bytes || !isOf(bytes, sha256)) {
      context.remote.lost(sha256);
      return false;
    }
    const loaded = this.#loaded(id);
    if (!loaded) return false;
    if (isBlob(path)) writeBlobs(context, loaded, [{ sha256: basename(path), bytes }]);
    else await this.#writeOutput(loaded, { path, sha256 }, bytes);
    return true;
  }

  /** Meanwhile a later attempt may have written another file there. */
  async #writeOutput(loaded: LoadedEntity, file: NamedFile, bytes: Buffer): Promise<void> {
    const { context } = this.#parts;
    const { id } = loaded;
    const lock = await acquire(context, id);
    try {
      const named = this.#named(id);
      const there = named.filter(({ path }) => path === file.path);
      if (there.length > 0 && !there.some(({ sha256 }) => sha256 === file.sha256)) return;
      const lacked = this.#lackedBy(id, [file], this.#givesOf(id));
      if (lacked.length > 0) writeContents(context, loaded, [{ path: file.path, bytes }]);
    } finally {
      lock.release();
    }
  }

  #loaded(id: string): LoadedEntity | undefined {
    return presentIn(this.#parts, id);
  }
}

function filesIn({ ops }: SharedPart): NamedFile[] {
  return filesNamed(ops.flatMap(({ events }) => events)).filter(isInFolder);
}

/** Another program may have named a path out of the folder, behind a file, or one that no disk has. */
function isInFolder({ path }: NamedFile): boolean {
  return isBlob(path) || (OWN_FOLDER.test(path) && Buffer.byteLength(basename(path)) <= LONGEST_NAME);
}

const OWN_FOLDER = /^(?:outputs|inputs\/prompt)\/(?!\.{1,2}$)[^/\\\0]+$/;

/** Bytes, on the file systems in use. */
const LONGEST_NAME = 255;

function isBlob(path: string): boolean {
  return dirname(path).replace(/^\.\//, "") === BLOB_FOLDER;
}

function isOf(bytes: Uint8Array, sha256: string): boolean {
  return createHash("sha256").update(bytes).digest("hex") === sha256;
}
