// @ts-check
// `node examples/read_artifacts.mjs REPO` prints the facts that a reviewer can read from the committed files, without taskfold.
// It reads JSON lines and the flat part of task.yaml, and takes SHA-256 from node:crypto. A wrong hash makes the exit code 1.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = process.argv[2];
if (root === undefined) {
  console.error("usage: node examples/read_artifacts.mjs REPO");
  process.exit(2);
}

/** @typedef {{ ts: string, type: string, by: string, hash: string, payload: { message: string } }} Event */

let wrong = 0;
const tasks = join(root, ".coco/tasks");
for (const id of readdirSync(tasks).toSorted()) {
  const folder = join(tasks, id);
  const card = topLevel(readFileSync(join(folder, "task.yaml"), "utf8"));
  console.log(`${id}  ${card["title"]}`);
  const under = card["parent"] === "null" ? "" : `, under ${card["parent"]}`;
  console.log(`  ${card["kind"]}, ${card["status"]}, state ${card["state"]}, revision ${card["revision"]}${under}`);
  for (const step of steps(readFileSync(join(folder, "task.yaml"), "utf8"))) {
    console.log(`  ${step["path"]}  ${step["state"]}  ${step["title"]}`);
  }
  const events = readLog(join(folder, "events.jsonl"));
  history(events);
  evidence(folder);
  console.log("");
}
console.log(wrong === 0 ? "every hash is right" : `${wrong} hashes are wrong`);
process.exitCode = wrong === 0 ? 0 : 1;

/** The work of each actor, and the last things that were done. @param {Event[]} events */
function history(events) {
  /** @type {Record<string, number>} */
  const by = {};
  for (const event of events) by[event.by] = (by[event.by] ?? 0) + 1;
  console.log(
    `  ${events.length} events: ${Object.entries(by)
      .map(([who, n]) => `${who} ${n}`)
      .join(", ")}`,
  );
  for (const { ts, by: who, payload } of events.slice(-4)) console.log(`    ${ts} ${who}: ${payload["message"]}`);
}

/** Every entry with its exit code, and whether the captured bytes are those that were captured. @param {string} folder */
function evidence(folder) {
  const entries = JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8"));
  for (const { id, title, sources } of entries) {
    for (const source of sources) {
      const what =
        source.type === "commandExecution"
          ? `exit ${source.exitCode}`
          : `${source.path}:${source.startLine}-${source.endLine}`;
      console.log(`  evidence:${id}  ${title}  (${what})`);
      for (const ref of [source.stdoutRef, source.stderrRef]) if (ref) checkBlob(join(folder, ref));
    }
  }
}

/** The name of a captured file is the SHA-256 of its bytes. @param {string} path */
function checkBlob(path) {
  const right = existsSync(path) && createHash("sha256").update(readFileSync(path)).digest("hex") === path.slice(-64);
  if (!right) wrong++;
  console.log(`    ${path.slice(-64, -52)} ${right ? "is what was captured" : "IS NOT what was captured"}`);
}

/**
 * Every event of a log. Its hash is that of its line without the member "hash", which stands between two others.
 * Order is by time here, which is good enough to read; the real order follows the links in "prev".
 * @param {string} path @returns {Event[]}
 */
function readLog(path) {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const events = lines.map((line) => {
    const event = JSON.parse(line);
    const bare = line.replace(`"hash":"${event.hash}",`, "");
    if (createHash("sha256").update(bare).digest("base64url") !== event.hash) wrong++;
    return event;
  });
  return events.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** `key: value` at the left edge. @param {string} yaml */
function topLevel(yaml) {
  return Object.fromEntries(
    [...yaml.matchAll(/^(\w+): (.+)$/gm)].map(([, key = "", value = ""]) => [key, scalar(value)]),
  );
}

/** The maps in the list below `steps:`. @param {string} yaml */
function steps(yaml) {
  const [, list = ""] = yaml.split(/^steps:\n/m);
  return list
    .split(/^ *- /m)
    .slice(1)
    .map((item) =>
      Object.fromEntries(
        [...item.matchAll(/^ *(\w+): (.+)$/gm)].map(([, key = "", value = ""]) => [key, scalar(value)]),
      ),
    );
}

/** Double-quoted YAML of this shape is JSON. @param {string} value */
function scalar(value) {
  return value.startsWith('"') ? JSON.parse(value) : value;
}
