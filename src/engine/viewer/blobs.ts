/** Captured bytes of one folder, and outputs of its packet: by their digest alone, below one folder, through no link. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import type { Disk } from "../../disk.ts";
import { BLOB_FOLDER } from "../commit/named_files.ts";
import type { EngineContext } from "../core/context.ts";
import type { RemoteBytes } from "../core/remote_bytes.ts";
import { folderOf } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { signOf } from "../../files/file_sign.ts";
import { refuseLinks } from "../../files/folders.ts";
import { inspectFile } from "../../files/inspect.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import type { Packet } from "../../state/packet.ts";
import { STAGE_FILES, stageFile } from "../../state/packet.ts";
import { API_VERSION, OUTPUT_PAGE } from "../../views/viewer/api.ts";
import type { BlobRef, OutputAnswer } from "../../views/viewer/api.ts";
import { capturedText } from "../../views/viewer/captured_text.ts";
import type { BlobOf } from "../../views/viewer/evidence_items.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** A larger one is not read: a page of it would cost as much as the whole. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes that become text: a page of more would keep the other readers of the server waiting. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Texts that are kept for the next page. */
const MAX_KEPT = 4;
const SHA256 = /^[0-9a-f]{64}$/;
/** Every file of a stage lies there (state/packet.ts). */
const OUTPUT_FOLDER = "outputs";
const REF = /^\.\/shared\/evidence\/blobs\/([0-9a-f]{64})$/;

export interface BlobFolder {
  disk: Disk;
  id: string;
  folder: string;
  /** The folders that lead to it, none of them a link. */
  way: string[];
  /** Files that events of its packet name, by digest. A later attempt moves a file to a numbered name. */
  outputs: ReadonlyMap<string, readonly NamedFile[]>;
  remote: Pick<RemoteBytes, "has">;
}

interface NamedFile {
  path: string;
  size: number;
}

/** Another one once captured bytes, or outputs of its packet, come or go, by a sync or by git: no log changes then. */
export function bytesSign({ disk, layout }: EngineContext, place: EntityLocation): string {
  const folder = folderOf({ layout }, place);
  return [BLOB_FOLDER, OUTPUT_FOLDER].map((part) => folderSign(disk, join(folder, part))).join();
}

function folderSign(disk: Disk, folder: string): string {
  try {
    return signOf(disk.lstat(folder));
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return signOf(undefined);
  }
}

/** Where each file of a packet may lie. */
export function outputsOf(packet: Packet | null | undefined): Map<string, NamedFile[]> {
  const found = new Map<string, NamedFile[]>();
  for (const { stage, attempt, ended } of packet?.attempts ?? []) {
    for (const kind of STAGE_FILES) {
      const file = ended?.files[kind];
      if (!file || file.dropped === true) continue;
      const known = found.get(file.sha256) ?? [];
      for (const path of new Set([file.path, stageFile(stage, kind, attempt)])) known.push({ path, size: file.size });
      found.set(file.sha256, known);
    }
  }
  return found;
}

/** Where a page finds the bytes that evidence names; one look at the disk for each of them. */
export function blobsIn(of: BlobFolder): BlobOf {
  return (ref) => {
    const sha256 = REF.exec(ref)?.[1];
    return sha256 === undefined ? null : blobRef(of, sha256, sizeOf(of, sha256));
  };
}

/** The same for the files of its packet. */
export function outputsIn(of: BlobFolder): (sha256: string) => BlobRef {
  return (sha256) => blobRef(of, sha256, sizeOf(of, sha256) ?? sizeOfOutput(of, sha256));
}

function blobRef({ id }: BlobFolder, sha256: string, size: number | null): BlobRef {
  return {
    sha256,
    size,
    pages: size === null ? 0 : Math.max(1, Math.ceil(Math.min(size, MAX_TEXT) / OUTPUT_PAGE)),
    raw: size === null ? null : rawName(id, sha256),
  };
}

export function rawName(id: string, sha256: string): string {
  return `raw/v1/${id}/${sha256}`;
}

/** UNKNOWN_ID where there are none of this name or they were changed, CONTENT_TOO_LARGE above 64 MiB, PATH_UNSAFE for a link. */
export function blobBytes(of: BlobFolder, sha256: string): Buffer {
  if (sizeOf(of, sha256) === null) return outputBytes(of, sha256);
  refuseLinks(of.disk, [...of.way, join(of.folder, "shared"), join(of.folder, "shared/evidence"), blobFolder(of)]);
  const bytes = of.disk.readFile(join(blobFolder(of), sha256), MAX_BYTES);
  if (hexOf(bytes) !== sha256) throw otherBytes(of.id, sha256);
  return bytes;
}

function hexOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of several files that the events name, the one that has these bytes: another may have come to lie there since. */
function outputBytes(of: BlobFolder, sha256: string): Buffer {
  const { disk, folder, outputs } = of;
  for (const { path } of outputs.get(sha256) ?? []) {
    const found = inspectFile(disk, folder, path);
    if (found.state === "present" && found.sha256 === sha256) return disk.readFile(join(folder, path), MAX_BYTES);
  }
  throw noBlob(of, sha256);
}

interface OutputText {
  text: string;
  size: number;
  binary: boolean;
}

/** Captured output as text, page by page. A reader asks for one page after another, so the last texts are kept. */
export class OutputTexts {
  /** By entity and digest, the latest last. The same digest is the same text for ever. */
  readonly #kept = new Map<string, OutputText>();

  /** Pages are cut where a character begins. */
  page(of: BlobFolder, sha256: string, page: number): OutputAnswer {
    const { text, size, binary } = this.#textOf(of, sha256);
    const pages = pagesOf(text);
    if (page >= pages) throw noBlob(of, `${sha256}/${page}`);
    return {
      api: API_VERSION,
      id: of.id,
      sha256,
      size,
      page,
      pages,
      text: text.slice(cutAt(text, page * OUTPUT_PAGE), cutAt(text, (page + 1) * OUTPUT_PAGE)),
      binary,
      cut: size > MAX_TEXT,
    };
  }

  #textOf(of: BlobFolder, sha256: string): OutputText {
    const key = `${of.id}/${sha256}`;
    const kept = this.#kept.get(key) ?? textOf(blobBytes(of, sha256));
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return kept;
  }
}

function textOf(bytes: Buffer): OutputText {
  let end = Math.min(bytes.length, MAX_TEXT);
  // Not inside of a character.
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  const text = capturedText(bytes.toString("utf8", 0, end));
  return { text, size: bytes.length, binary: bytes.subarray(0, end).includes(0) };
}

function pagesOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / OUTPUT_PAGE));
}

/** Not between the halves of one character. */
function cutAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function blobFolder({ folder }: BlobFolder): string {
  return join(folder, "shared", "evidence", "blobs");
}

function sizeOf(of: BlobFolder, sha256: string): number | null {
  if (!SHA256.test(sha256)) return null;
  return (
    unlessRefused(() => {
      const stat = of.disk.lstat(join(blobFolder(of), sha256));
      return stat?.kind === "file" ? stat.size : null;
    }) ?? null
  );
}

function sizeOfOutput({ disk, folder, outputs }: BlobFolder, sha256: string): number | null {
  return (
    unlessRefused(() => {
      const files = outputs.get(sha256) ?? [];
      const found = files.find(({ path, size }) => {
        const stat = disk.lstat(join(folder, path));
        return stat?.kind === "file" && stat.size === size;
      });
      return found?.size ?? null;
    }) ?? null
  );
}

/** These bytes prove nothing of those that were captured. */
function otherBytes(id: string, sha256: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected captured bytes of ${id} with the SHA-256 ${sha256}; the file of that name has other bytes.`,
    remedy`${TASKFOLD} verify ${id} lists what was changed; git may have the bytes that were captured.`,
  );
}

function noBlob({ id, remote }: BlobFolder, named: string): TaskfoldError {
  if (remote.has(named))
    return new TaskfoldError(
      "UNKNOWN_ID",
      `Expected captured bytes of ${id} on this machine; ${named} is on the shared log only.`,
      { ...remedy`${TASKFOLD} shared sync --blobs fetches all such bytes.`, details: { reason: "BYTES_REMOTE" } },
    );
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected captured bytes of ${id}, found none named ${JSON.stringify(named)}.`,
    {
      recovery: `GET /api/v1/entities/${id}.json names the bytes that evidence has.`,
    },
  );
}
