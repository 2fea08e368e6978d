/** Writes a packet's folder, or the artifacts of its review, somewhere else (PACKET-200). */
import { createHash } from "node:crypto";
import { dirname, join, resolve, sep } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import type { Disk } from "../../disk.ts";
import type { HeldDisk } from "../../disks.ts";
import { ensureFolder, ensureFolderInside } from "../../files/folders.ts";
import { removeQuietly, writeAll, writeAtomic } from "../../files/atomic.ts";
import { inspectFile } from "../../files/inspect.ts";
import { packetFiles, PACKET_FOLDERS } from "../../projections/packet/index.ts";
import { storageError } from "../../files/storage_error.ts";
import { packetOf } from "../../rules/packet/packet_of.ts";
import { REVIEW_ARTIFACTS } from "../../rules/packet/review_files.ts";
import type { Packet } from "../../state/packet.ts";
import { attemptsOf } from "../../state/packet.ts";
import type { EngineParts } from "../parts.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { namedFiles, promptsOf } from "../packet/named_by_events.ts";
import { isFromSystem } from "../entity/reply.ts";
import { findEntity } from "../entities/target.ts";

export interface ExportPacketReport {
  task: string;
  /** From the folder on, in the order of their names. */
  files: string[];
  /** Files that events name and that are not as they name them, or that the archive dropped. */
  missing: { path: string; reason: string }[];
}

const MANIFEST = "manifest.yaml";
const SUMMARY = "outputs/_summary.md";

/** A relative `dir` starts at `from`. @internal */
export function exportPacket(engine: EngineParts, id: string, dir: string, from: string): ExportPacketReport {
  const { loaded, packet } = exported(engine, id);
  refuseFull(engine.context.disks.anywhere, dir, from);
  return new Target(engine, loaded, { dir, from }).within((target) => {
    for (const folder of PACKET_FOLDERS) target.folder(folder);
    const { [MANIFEST]: manifest = "", ...texts } = Object.fromEntries(packetFiles(packet));
    for (const [path, text] of Object.entries(texts)) target.write(path, text);
    for (const file of namedFiles(packet)) {
      const { path, dropped } = file;
      if (dropped === true) target.missing.push({ path, reason: "the archive left it out" });
      else target.copy(path, path, file);
    }
    for (const file of promptsOf(packet)) target.copy(file.path, file.path, file);
    // Last: a folder without a manifest is no packet, so one that was left half written is none.
    target.write(MANIFEST, manifest);
    return target.report();
  });
}

/** Only what the review has: a stage that did not end leaves nothing. @internal */
export function exportReview(engine: EngineParts, id: string, dir: string, from: string): ExportPacketReport {
  const { loaded, packet } = exported(engine, id);
  refuseFile(engine.context.disks.anywhere, dir, from);
  return new Target(engine, loaded, { dir, from }).within((target) => {
    for (const { stage, name } of REVIEW_ARTIFACTS) {
      // The output of an interrupted attempt is no artifact.
      const ended = attemptsOf(packet, stage).flatMap((one) => (one.ended?.how === "interrupted" ? [] : [one.ended]));
      const out = ended.findLast((one) => one?.files.out !== undefined)?.files.out;
      if (!out) target.missing.push({ path: name, reason: `${stage} left no output` });
      else if (out.dropped === true) target.missing.push({ path: name, reason: "the archive left it out" });
      else target.copy(out.path, name, out);
    }
    target.write("summary.md", packetFiles(packet).get(SUMMARY)!);
    return target.report();
  });
}

/**
 * Makes the folder that an export is to go to, and writes in it, before a caller pays for what is exported. PATH_UNSAFE,
 * INVALID_INPUT for a file, or what the disk says. The function that it returns takes back what it made. @internal
 */
export function prepareFolder(disk: Disk, coco: string, dir: string, from: string): () => void {
  refuseInside(coco, dir, from);
  refuseFile(disk, dir, from);
  const at = resolve(from, dir);
  const probe = join(at, PROBE);
  try {
    const made = ensureFolder(disk, at).length;
    writeAtomic(disk, probe, "");
    disk.unlink(probe);
    return () => removeEmpty(disk, at, made);
  } catch (e) {
    throw storageError(e, `write into ${dir}`);
  }
}

/** `folder` and those above it, `count` in all. One that is not empty stays. */
function removeEmpty(disk: Disk, folder: string, count: number): void {
  if (count === 0 || disk.readdir(folder).length > 0) return;
  disk.rmdir(folder);
  removeEmpty(disk, dirname(folder), count - 1);
}

const PROBE = ".taskfold-can-write";

/** A live packet, or one in the archive. */
function exported({ store, binding }: EngineParts, id: string): { loaded: LoadedEntity; packet: Packet } {
  const workspace = binding?.workspace ?? "";
  const archived = store.has(id) ? undefined : store.findArchived(id);
  const isArchived = archived?.catchUp() === true && archived.entity?.packet?.archived === true;
  const loaded = isArchived ? archived! : findEntity(store, workspace, id);
  loaded.catchUp();
  return { loaded, packet: packetOf(loaded.subject(workspace)) };
}

/** Messages name a folder as the caller did. */
function refuseFull(disk: Disk, dir: string, from: string): void {
  refuseFile(disk, dir, from);
  const at = resolve(from, dir);
  if (disk.stat(at) && disk.readdir(at).length > 0)
    throw noFolder(dir, "one with files in it", " that is empty or not there yet");
}

function refuseFile(disk: Disk, dir: string, from: string): void {
  const kind = disk.stat(resolve(from, dir))?.kind;
  if (kind !== undefined && kind !== "folder") throw noFolder(dir, `a ${kind}`);
}

function noFolder(dir: string, found: string, which = ""): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected a folder${which}, found ${found} at ${JSON.stringify(dir)}.`, {
    recovery: "Name another folder; nothing was written.",
  });
}

/** Files there are folded from logs. */
function refuseInside(coco: string, dir: string, from: string): void {
  const at = resolve(from, dir);
  if (at !== coco && !at.startsWith(coco + sep)) return;
  throw new TaskfoldError("PATH_UNSAFE", `Expected a folder outside of .coco, found ${JSON.stringify(dir)}.`, {
    recovery: "Name another folder; nothing was written.",
  });
}

const OTHER_FILE = "it is not the file that its event names";
/** Of a prompt no event tells the size; its parts are limited, and so is the whole. */
const MAX_PROMPT = 64 * 1024 * 1024;

/** The folder that is written. The caller chose it; below it no link is followed. */
class Target {
  readonly missing: ExportPacketReport["missing"] = [];
  readonly #files: string[] = [];
  readonly #source: Disk;
  readonly #loaded: LoadedEntity;
  readonly #named: { dir: string; from: string };
  readonly #dir: string;
  readonly #coco: string;
  readonly #anywhere: Disk;
  readonly #held: HeldDisk;
  readonly #disk: Disk;

  constructor({ context }: EngineParts, loaded: LoadedEntity, named: { dir: string; from: string }) {
    this.#coco = context.layout.coco;
    this.#source = context.disk;
    this.#loaded = loaded;
    this.#named = named;
    this.#dir = resolve(named.from, named.dir);
    this.#anywhere = context.disks.anywhere;
    this.#held = context.disks.below(this.#dir);
    this.#disk = this.#held.disk;
  }

  within<T>(work: (target: Target) => T): T {
    const { dir, from } = this.#named;
    refuseInside(this.#coco, dir, from);
    try {
      ensureFolder(this.#anywhere, this.#dir);
      return work(this);
    } catch (e) {
      throw isFromSystem(e) ? storageError(e, `write into ${dir}`) : e;
    } finally {
      this.#held.release();
    }
  }

  report(): ExportPacketReport {
    return { task: this.#loaded.id, files: this.#files.toSorted(), missing: this.missing };
  }

  folder(path: string): void {
    ensureFolderInside(this.#disk, this.#dir, path);
  }

  write(path: string, text: string): void {
    this.#ready(path);
    writeAtomic(this.#disk, join(this.#dir, path), text);
    this.#files.push(path);
  }

  /** Copies a file of the packet if it is the one that its event names. */
  copy(from: string, to: string, { sha256, size }: { sha256: string; size?: number }): void {
    const found = inspectFile(this.#source, this.#loaded.folder, from, 0);
    if (found.state !== "present") {
      const reason = found.state === "missing" ? "it is not there" : found.why;
      this.missing.push({ path: to, reason });
      return;
    }
    // Another file may be of any size; nothing of it is copied to find that out.
    if (size === undefined ? found.size > MAX_PROMPT : found.size !== size) {
      this.missing.push({ path: to, reason: OTHER_FILE });
      return;
    }
    this.#ready(to);
    const path = join(this.#dir, to);
    const kind = this.#disk.lstat(path)?.kind;
    if (kind === "file" || kind === "link") this.#disk.unlink(path);
    if (this.#copied(join(this.#loaded.folder, from), path) === sha256) {
      this.#files.push(to);
      return;
    }
    removeQuietly(this.#disk, path);
    this.missing.push({ path: to, reason: OTHER_FILE });
  }

  #ready(path: string): void {
    if (dirname(path) !== ".") this.folder(dirname(path));
  }

  /** In pieces: an output may have more bytes than this process has memory for. */
  #copied(from: string, to: string): string {
    const hash = createHash("sha256");
    const source = this.#source.open(from, "r");
    try {
      const target = this.#disk.open(to, "wx");
      try {
        const chunk = Buffer.allocUnsafe(256 * 1024);
        let at = 0;
        for (let n = this.#source.read(source, chunk, 0); n > 0; n = this.#source.read(source, chunk, at)) {
          hash.update(chunk.subarray(0, n));
          writeAll(this.#disk, target, chunk.subarray(0, n));
          at += n;
        }
      } finally {
        this.#disk.close(target);
      }
    } finally {
      this.#source.close(source);
    }
    return hash.digest("hex");
  }
}
