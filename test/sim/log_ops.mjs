// @ts-check
/** The contents of a log, as the reader of the build finds them. */
import { isKnownType } from "../../dist/events/index.js";
import { readOps } from "../../dist/log/read_ops.js";
import { bytesSource } from "../../dist/log/source.js";
import { derivedHex } from "../../dist/state/derived_hex.js";

/** @typedef {import("../../dist/log/types.js").Op} Op */

/** Those that were read before: no one changes the bytes of a buffer. @type {WeakMap<Buffer, Op[]>} */
const known = new WeakMap();

/** @param {Buffer} bytes @returns {Op[]} */
export function opsIn(bytes) {
  let ops = known.get(bytes);
  if (!ops) known.set(bytes, (ops = readOps(bytesSource(bytes), { isKnownType }).ops));
  return ops;
}

/** The attempt of a stage that a log has under way, as the events of its end name it. @param {Buffer} bytes @param {string} stage */
export function attemptUnderWay(bytes, stage) {
  /** @type {string | null} */
  let run = null;
  for (const { type, hash, payload } of opsIn(bytes).flatMap(({ events }) => events)) {
    if (payload["stage"] !== stage) continue;
    if (type === "stage.started") run = derivedHex(hash, payload["long_ids"] === true);
    else if (payload["run"] === run) run = null;
  }
  return run;
}

/** States on which more than one change of a log builds. @param {readonly Op[]} ops @returns {string[]} */
export function forksIn(ops) {
  const built = ops.map(({ events }) => events[0]?.prev.join(" ") ?? "");
  return built.filter((prev, i) => built.indexOf(prev) !== i);
}

/** Ids of events that an answer names, its own alone. @param {unknown} value @returns {string[]} */
export function eventIds(value) {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === "event_id" ? [String(inner)] : eventIds(inner)));
}

/** The logs of all plans and tasks on a disk. @param {import("./disk.mjs").Disk} disk @returns {{ id: string, folder: string, log: Buffer }[]} */
export function logFiles(disk) {
  return ["/w/.coco/tasks", "/w/.coco/archive"].flatMap((part) => {
    if (!disk.find(part)) return [];
    return disk.readdir(part).flatMap((id) => {
      const folder = `${part}/${id}`;
      if (disk.find(folder)?.kind !== "folder" || !disk.find(`${folder}/events.jsonl`)) return [];
      return [{ id, folder, log: disk.readFile(`${folder}/events.jsonl`) }];
    });
  });
}
