// @ts-check
// The effects in a workspace: the keys that its logs hold after replay, and how often each counted. Used by storm and crash.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeDisk } from "../dist/disk.js";
import { Layout } from "../dist/files/layout.js";
import { LoadedEntity } from "../dist/engine/entity/loaded_entity.js";
import { isKnownType } from "../dist/events/index.js";
import { nodeRuntime } from "../dist/node_runtime.js";
import { readOps } from "../dist/log/read_ops.js";
import { bytesSource } from "../dist/log/source.js";

/** @typedef {import("../dist/log/types.js").Op} Op */

/**
 * `keys`: idempotency keys, texts of notes and titles of creations that replay tells, all entities together. `doubled`: how many times a note or a
 * creation counted again, and `twice` of which ones.
 * @param {string} root
 * @returns {{keys: Set<string>, doubled: number, twice: Set<string>, forks: number, entities: number}}
 */
export function effectsIn(root) {
  const keys = new Set();
  const creations = new Map();
  const twice = new Set();
  let [doubled, forks, entities] = [0, 0, 0];
  for (const folder of logFolders(root)) {
    entities++;
    const ops = opsOf(folder);
    const notes = new Set();
    for (const op of ops) {
      const { key } = op.events[0]?.op ?? {};
      if (key !== undefined) keys.add(key);
      for (const { type, payload } of op.events) {
        if (type === "step.noted") (notes.has(payload["note"]) ? twice : notes).add(payload["note"]);
        if (type === "task.created") keys.add(/** @type {string} */ (payload["title"]));
      }
    }
    for (const note of notes) keys.add(note);
    const made = ops[0]?.events[0]?.op.key;
    if (made !== undefined) creations.set(made, (creations.get(made) ?? 0) + 1);
    // As the engine itself counts, not as this file does.
    const handle = new LoadedEntity({ disk: nodeDisk, layout: new Layout(root), runtime: nodeRuntime }, "x", folder);
    handle.catchUp();
    doubled += (handle.entity?.note_count ?? 0) - notes.size;
    forks += ops.length - new Set(ops.map((op) => op.events[0]?.prev.join(" "))).size;
    handle.forget();
  }
  for (const [key, times] of creations) {
    doubled += times - 1;
    if (times > 1) twice.add(key);
  }
  return { keys, doubled, twice, forks, entities };
}

/** @param {string} folder @returns {Op[]} */
export function opsOf(folder) {
  return readOps(bytesSource(readFileSync(join(folder, "events.jsonl"))), { isKnownType }).ops;
}

/** @param {string} root */
export function logFolders(root) {
  return ["tasks", "archive"].flatMap((part) => {
    const all = join(root, ".coco", part);
    if (!existsSync(all)) return [];
    return readdirSync(all)
      .map((id) => join(all, id))
      .filter((folder) => existsSync(join(folder, "events.jsonl")));
  });
}
