/** What verify finds in the files beside a log: projections, skeleton, captured bytes, links in the way. */
import { join, sep } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { UnsafePathError } from "../disk.ts";
import { EVENTS } from "../events/index.ts";
import type { CapturedItem } from "../events/evidence.captured.ts";
import { readIfThere } from "../files/atomic.ts";
import { inspectFile } from "../files/inspect.ts";
import { errnoOf } from "../files/storage_error.ts";
import { utf8Text } from "../files/utf8_text.ts";
import type { Event } from "../log/types.ts";
import { projectionsGone, projectionsOf, SKELETON, SKELETON_FOLDERS } from "../projections/index.ts";
import type { Entity, Folded } from "../state/entity.ts";
import { BLOB_FOLDER } from "./blobs.ts";
import type { Finding } from "./finding.ts";
import { wholeFile } from "./finding.ts";
import { firstDifference } from "./first_difference.ts";
import { strayViolations } from "./taskdoc_package.ts";
import { unmigratedTaskdoc } from "./unmigrated_taskdoc.ts";

/** Where the files of one entity are: on disk, and relative to the root for what is printed. Each is looked at once. */
export class Where {
  readonly disk: Disk;
  readonly folder: string;
  readonly relative: string;
  readonly #kinds = new Map<string, FileStat["kind"] | undefined>();
  readonly #found = new Map<string, Buffer | Finding | undefined>();

  constructor(disk: Disk, folder: string, relative: string) {
    this.disk = disk;
    this.folder = folder;
    this.relative = relative;
  }

  /** What stands at a name (with `/`); undefined when nothing does. A folder above it may be a link. */
  kindOf(name: string): FileStat["kind"] | undefined {
    if (!this.#kinds.has(name)) this.#kinds.set(name, this.disk.lstat(join(this.folder, name))?.kind);
    return this.#kinds.get(name);
  }

  /** The same, "unsafe" where no folder leads to it. */
  fileAt(name: string): FileStat["kind"] | "unsafe" | undefined {
    for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1)) {
      const kind = this.kindOf(name.slice(0, end));
      if (kind === undefined) return undefined;
      if (kind !== "folder") return "unsafe";
    }
    return this.kindOf(name);
  }

  /** Bytes of a regular file to which no link leads, why there are none, or undefined when nothing stands there. */
  regularFile(name: string): Buffer | Finding | undefined {
    if (!this.#found.has(name)) this.#found.set(name, this.#read(name));
    return this.#found.get(name);
  }

  /** A file that is read tells that folders lead to it, and that saves a look at each. */
  #read(name: string): Buffer | Finding | undefined {
    const file = `${this.relative}/${name}`;
    try {
      const bytes = readIfThere(this.disk, `${this.folder}${sep}${name}`);
      if (bytes) this.#leadsTo(name);
      return bytes ?? (this.fileAt(name) === "unsafe" ? inTheWay(file) : undefined);
    } catch (e) {
      const kind = e instanceof UnsafePathError ? "unsafe" : this.fileAt(name);
      return kind === "file" || kind === undefined ? unreadable(file, e) : inTheWay(file);
    }
  }

  #leadsTo(name: string): void {
    for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1))
      this.#kinds.set(name.slice(0, end), "folder");
    this.#kinds.set(name, "file");
  }
}

function inTheWay(file: string): Finding {
  return wholeFile("PATH_UNSAFE", file, "Expected a regular file, found something else at this place or above it.");
}

/** What the system said is told of one file; the others of the folder are looked at all the same. */
function unreadable(file: string, e: unknown): Finding {
  const errno = errnoOf(e);
  if (errno === undefined) throw e;
  return wholeFile("FILE_UNREADABLE", file, `Expected a file that can be read; the system said ${errno}.`);
}

/** What `look` finds in one file, which may not be read. `file`: relative to the root. */
export function findingsIn(file: string, look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (e) {
    return [unreadable(file, e)];
  }
}

/** Every projected file that is not as it is rendered now (VERIFY-4). */
export function projectionFindings(where: Where, subject: Folded): Finding[] {
  const findings: Finding[] = [];
  for (const [name, text] of projectionsOf(subject)) {
    const file = `${where.relative}/${name}`;
    const found = where.regularFile(name);
    if (!found)
      findings.push(wholeFile("PROJECTION_MISSING", file, "Expected the file that the log folds to, found none."));
    else if (!Buffer.isBuffer(found)) findings.push(found);
    else {
      const difference = firstDifference(Buffer.from(text), found);
      if (difference)
        findings.push({
          code: "PROJECTION_DIFFERS",
          file,
          ...difference,
          message: "The file differs from what the log folds to, first here.",
        });
    }
  }
  for (const name of projectionsGone(subject)) {
    // A marker that no event tells of is a finding of its own (PACKET-216).
    if (name.startsWith("done/") || where.kindOf(name) === undefined) continue;
    const file = `${where.relative}/${name}`;
    findings.push(wholeFile("PROJECTION_DIFFERS", file, "Expected no file here: the log does not fold to it."));
  }
  return findings;
}

/** What stands in the package of the Taskdoc and is no section of the log (VERIFY-12), and a Taskdoc beside it (IMPORT-13). */
export function packageFindings(where: Where, { taskdoc }: Entity): Finding[] {
  const old = unmigratedTaskdoc(where.disk, where.folder, taskdoc).map(({ path, message }) =>
    wholeFile("TASKDOC_UNMIGRATED", `${where.relative}/${path}`, message),
  );
  const stray = strayViolations(where.disk, where.folder, taskdoc).map(({ path, message }) =>
    wholeFile("TASKDOC_STRAY", `${where.relative}/${path}`, message),
  );
  return [...old, ...stray];
}

/** Folders and people's files that every entity has. git keeps no empty folder: a missing one is nothing to say (DIR-2). */
export function skeletonFindings(where: Where): Finding[] {
  const findings: Finding[] = [];
  for (const name of SKELETON_FOLDERS) {
    const file = `${where.relative}/${name}`;
    const kind = where.kindOf(name);
    if (kind !== undefined && kind !== "folder")
      findings.push(wholeFile("PATH_UNSAFE", file, `Expected a folder, found a ${kind}.`));
  }
  for (const [name, text] of Object.entries(SKELETON)) {
    const file = `${where.relative}/${name}`;
    const found = where.regularFile(name);
    if (!found)
      findings.push(wholeFile("SKELETON_MISSING", file, "Expected a file for people to write in, found none."));
    else if (!Buffer.isBuffer(found)) findings.push(found);
    else if (!found.equals(Buffer.from(text)) && utf8Text(found) === undefined)
      findings.push(wholeFile("NOTES_NOT_READ", file, "Expected UTF-8, found other bytes; no write reads them in."));
  }
  return findings;
}

/** Captured bytes that events name, and that are not there or are other bytes (VERIFY-6). */
export function blobFindings(where: Where, events: readonly Event[]): Finding[] {
  const findings: Finding[] = [];
  for (const sha256 of blobsNamed(events)) {
    const file = `${where.relative}/${BLOB_FOLDER}/${sha256}`;
    findings.push(...findingsIn(file, () => blobFinding(where, file, sha256)));
  }
  return findings;
}

function blobFinding(where: Where, file: string, sha256: string): Finding[] {
  const found = inspectFile(where.disk, where.folder, `${BLOB_FOLDER}/${sha256}`);
  if (found.state === "missing")
    return [wholeFile("BLOB_MISSING", file, "Expected captured bytes that an event names, found none.")];
  if (found.state === "unsafe")
    return [wholeFile("PATH_UNSAFE", file, `Expected captured bytes that an event names: ${found.why}.`)];
  if (found.sha256 === sha256) return [];
  return [wholeFile("BLOB_DIFFERS", file, `Expected bytes whose SHA-256 is the file's name, found ${found.sha256}.`)];
}

/** Digests of all captured bytes that these events name, each once. */
export function blobsNamed(events: readonly Event[]): Set<string> {
  const named = new Set<string>();
  for (const { type, payload } of events) {
    if (type !== "evidence.captured" || EVENTS[type]?.fits(payload) !== true) continue;
    for (const item of payload["items"] as CapturedItem[]) {
      for (const blob of [item.stdout, item.stderr, item.diff, item.content]) {
        if (blob && /^[0-9a-f]{64}$/.test(blob.sha256)) named.add(blob.sha256);
      }
    }
  }
  return named;
}
