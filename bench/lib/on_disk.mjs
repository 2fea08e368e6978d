// The files in the folders of plans and tasks, for the bare side of the figures about whole workspaces.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Paths of all files of all tasks. @param {string} root @returns {string[]} */
export function entityFiles(root) {
  return readdirSync(join(root, ".coco/tasks"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {readonly string[]} paths */
export function withoutLogs(paths) {
  return paths.filter((path) => basename(path) !== "events.jsonl");
}

/** Reads them and takes the digest of each. @param {readonly string[]} paths */
export function readAndHash(paths) {
  for (const path of paths) createHash("sha256").update(readFileSync(path)).digest("base64url");
}

/** Makes the folders and writes the files. @param {string} folder @param {ReadonlyMap<string, Buffer>} files */
export function writeBare(folder, files) {
  for (const of of new Set([...files.keys()].map(dirname))) mkdirSync(join(folder, of), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}
