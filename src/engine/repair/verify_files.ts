/** Findings of verify in the files beside a log: projections, skeleton, captured bytes, links in the way. */
import { utf8Text } from "../../files/utf8_text.ts";
import type { Event } from "../../log/types.ts";
import { isMade, projectionsGone, projectionsOf, SKELETON, SKELETON_FOLDERS } from "../../projections/index.ts";
import type { Entity, Folded } from "../../state/entity.ts";
import { TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import { BLOB_FOLDER, blobsNamed } from "../commit/named_files.ts";
import type { EntityFiles } from "../entity/entity_files.ts";
import { unreadable } from "../entity/entity_files.ts";
import type { Finding } from "../core/finding.ts";
import { remoteFinding, wholeFile } from "../core/finding.ts";
import { firstDifference } from "../core/first_difference.ts";
import { inspectNamed } from "../core/remote_bytes.ts";
import { strayViolations } from "../projection/taskdoc_package.ts";
import { unmigratedTaskdoc } from "../projection/unmigrated_taskdoc.ts";

/** Returns the findings of `look` in one file, which may not be read. `file`: relative to the root. */
export function findingsIn(file: string, look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (e) {
    return [unreadable(file, e)];
  }
}

/** Every projected file that is not as it is rendered now (VERIFY-9). */
export function projectionFindings(where: EntityFiles, subject: Folded): Finding[] {
  const findings: Finding[] = [];
  for (const [name, text] of projectionsOf(subject)) {
    const file = `${where.relative}/${name}`;
    const found = where.regularFile(name);
    if (!found) {
      if (isMade(subject, name))
        findings.push(wholeFile("PROJECTION_MISSING", file, "Expected the file that the log folds to, found none."));
    } else if (!Buffer.isBuffer(found)) findings.push(found);
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
    // A marker that no event tells of is a finding of its own (PACKET-215).
    if (name.startsWith("done/") || where.kindOf(name) === undefined) continue;
    const file = `${where.relative}/${name}`;
    findings.push(wholeFile("PROJECTION_DIFFERS", file, "Expected no file here: the log does not fold to it."));
  }
  return findings;
}

/**
 * Returns the files in the package of the Taskdoc that are no section of the log (VERIFY-9), and a Taskdoc beside it
 * (IMPORT-13).
 */
export function packageFindings(where: EntityFiles, { taskdoc }: Entity): Finding[] {
  const old = unmigratedTaskdoc(where.disk, where.folder, taskdoc).map(({ path, message }) =>
    wholeFile("TASKDOC_UNMIGRATED", `${where.relative}/${path}`, message),
  );
  const stray = strayViolations(where.disk, where.folder, taskdoc).map(({ path, message }) =>
    wholeFile("TASKDOC_STRAY", `${where.relative}/${path}`, message),
  );
  return [...old, ...stray];
}

/** Folders and people's files that every entity has. git keeps no empty folder: a missing one is nothing to say (DIR-3). */
export function skeletonFindings(where: EntityFiles): Finding[] {
  const findings: Finding[] = [];
  for (const name of [...SKELETON_FOLDERS, TASKDOC_PACKAGE]) {
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

/** Captured bytes that events name, and that are not there or are other bytes (VERIFY-9). `remote`: those that the shared log has. */
export function blobFindings(where: EntityFiles, events: readonly Event[], remote: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  for (const sha256 of blobsNamed(events)) {
    const file = `${where.relative}/${BLOB_FOLDER}/${sha256}`;
    findings.push(...findingsIn(file, () => blobFinding(where, file, sha256, remote)));
  }
  return findings;
}

function blobFinding(
  { disk, folder }: EntityFiles,
  file: string,
  sha256: string,
  remote: ReadonlySet<string>,
): Finding[] {
  const found = inspectNamed({ disk, remote }, folder, { path: `${BLOB_FOLDER}/${sha256}`, sha256 });
  if (found.state === "remote") return [remoteFinding(file)];
  if (found.state === "missing")
    return [wholeFile("BLOB_MISSING", file, "Expected captured bytes that an event names, found none.")];
  if (found.state === "unsafe")
    return [wholeFile("PATH_UNSAFE", file, `Expected captured bytes that an event names: ${found.why}.`)];
  if (found.sha256 === sha256) return [];
  return [wholeFile("BLOB_DIFFERS", file, `Expected bytes whose SHA-256 is the file's name, found ${found.sha256}.`)];
}
