// @ts-check
// The forms that an attacker may put in place of a file or folder of `.coco`, and the paths: one half of the matrix.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { remove } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {{ plant: (world: World, path: string, at: string) => string | void, unprivileged?: boolean }} Form gives the canary that has a second name inside; `unprivileged`: it says nothing to root */

const GIB = 1024 ** 3;
const FOLDER_ENTRY = { path: "", mode: 0o755 };
const FILE_ENTRY = { path: "", mode: 0o644, bytes: Buffer.from("planted outside\n") };

/** Files that are planted where the template has none: others look for them by name, or list the folder. */
const NOT_IN_TEMPLATE = [
  "archive/x",
  "locks/TASK-001.lock.d",
  "locks/TASK-001.lock.d/owner-x",
  "locks/TASK-001.lock.wanted",
  "locks/.workspace.lock.d",
  "registry/cursors/x",
  "registry/dirty/left-x",
  "registry/exchange/x",
  "registry/index/creates.jsonl",
  "registry/index/listing.index",
  "registry/journal",
  "registry/journal/x",
  "registry/quarantine",
  "registry/quarantine/x",
  "registry/snapshots",
  "registry/snapshots/TASK-001.json",
  "registry/unsynced",
  "registry/unsynced/TASK-001",
  "registry/unsynced/TASK-001/x",
  "tasks/x",
  "tasks/TASK-001/shared/decisions/x.md",
  "tasks/TASK-001/taskdoc.tsk/x",
  "tasks/TASK-002/done/codex_review.done",
  "tasks/TASK-002/inputs/attachments/x",
  // Files of the next attempt, and the names that it gives to files of the attempt before.
  "tasks/TASK-002/inputs/prompt/copilot.review_consolidate.md",
  "tasks/TASK-002/outputs/codex_review.codex.2.out",
  "tasks/TASK-002/outputs/x",
  "tasks/TASK-002/state/acceptance.commands.override",
  // The names of temporary files of a process whose number is known.
  "tasks/TASK-001/.tf-tmp-<pid>-README.md",
  "tasks/TASK-001/.tf-tmp-<pid>-task.yaml",
  "tasks/TASK-001/shared/evidence/.tf-tmp-<pid>-index.json",
  "tasks/TASK-001/taskdoc.tsk/.tf-tmp-<pid>-goals.md",
  "tasks/TASK-002/.tf-tmp-<pid>-manifest.yaml",
  "tasks/TASK-002/done/.tf-tmp-<pid>-gemini_review.done",
  "tasks/TASK-002/outputs/.tf-tmp-<pid>-_summary.md",
  "tasks/TASK-002/state/.tf-tmp-<pid>-stats.json",
];
/** Names of the registry that do not depend on the machine; another one is a folder of this machine alone. */
const PARTS = new Set([
  "notifications",
  "cursors",
  "dirty",
  "exchange",
  "focus",
  "index",
  "journal",
  "quarantine",
  "snapshots",
  "unsynced",
]);
/** A digest, a number of a process, a random name: other in every world. */
const UNSTABLE = /[A-Za-z0-9_-]{16,}|\d+-\d+-[0-9a-f]{8}|(?<![A-Za-z-])[0-9a-f]{8,}/g;
/** Entities like another one of the template: what is tried there is tried. */
const ALIKE = /^(?:tasks\/(?:PLAN-001|TASK-002)|archive\/TASK-003)\/.*|^locks\/(?:PLAN-001|TASK-00[23])\..*/;
const ALIKE_BUT =
  /^(?:tasks\/PLAN-001|archive\/TASK-003)\/(?:events\.jsonl|task\.yaml|shared)$|^tasks\/TASK-002\/(?:manifest\.yaml|inputs|outputs|state|done)(?:\/|$)/;

/** Every path of the matrix, with what differs between worlds written as `*`. The empty one is `.coco` itself. @param {World} world */
export function matrixPaths(world) {
  const there = world.paths().filter((path) => !ALIKE.test(path) || ALIKE_BUT.test(path));
  const machines = there.filter((path) => {
    const [registry, part, ...rest] = path.split("/");
    return registry === "registry" && part !== undefined && rest.length === 0 && !PARTS.has(part);
  });
  const planted = NOT_IN_TEMPLATE.flatMap((path) => [
    path,
    ...(path.startsWith("registry/") ? machines.map((machine) => path.replace("registry", machine)) : []),
  ]);
  return [...new Set(["", ...there, ...planted].map(nameOf))].toSorted();
}

/** The path of this world that has this name. @param {World} world @param {string} name */
export function pathOf(world, name) {
  const path = world.paths().find((one) => nameOf(one) === name) ?? withMachine(world, name);
  return path.replace("<pid>", String(process.pid));
}

/** @param {string} path */
function nameOf(path) {
  return /^registry\/|\/blobs\//.test(path) ? path.replaceAll(UNSTABLE, "*") : path;
}

/** Of a file that is not in the template, in a folder that is. @param {World} world @param {string} name */
function withMachine(world, name) {
  if (!name.includes("*")) return name;
  const parts = name.split("/");
  const above = parts.slice(0, 2).join("/");
  const machine = world.paths().find((one) => nameOf(one) === above) ?? above;
  return [machine, ...parts.slice(2)].join("/");
}

/** By name. @type {Record<string, Form>} */
export const FORMS = {
  "link to a file": {
    plant: (world, path, at) => {
      const bytes = world.bytesOf(path);
      const target = world.plantOutside("planted", [bytes ? { ...FILE_ENTRY, bytes } : FILE_ENTRY]);
      fs.symlinkSync(target, at);
    },
  },
  "link to a folder": {
    plant: (world, path, at) => {
      const below = world.bytesOf(path) ? [] : world.below(path);
      const entries =
        below.length > 0 ? [FOLDER_ENTRY, ...below.filter((entry) => entry.path !== "")] : plainFolder(path);
      fs.symlinkSync(world.plantOutside("planted", entries), at);
    },
  },
  "dangling link": { plant: (world, _path, at) => fs.symlinkSync(join(world.out, "not-there"), at) },
  "link loop": { plant: (_world, _path, at) => fs.symlinkSync(basename(at), at) },
  FIFO: { plant: (_world, _path, at) => void execFileSync("mknod", [at, "p"]) },
  "link to a device": { plant: (_world, _path, at) => fs.symlinkSync("/dev/zero", at) },
  device: { plant: (_world, _path, at) => void execFileSync("mknod", [at, "c", "1", "5"]) },
  folder: {
    plant: (_world, _path, at) => {
      fs.mkdirSync(at);
      fs.writeFileSync(join(at, "x"), "not what belongs here\n");
    },
  },
  file: { plant: (_world, _path, at) => fs.writeFileSync(at, "not what belongs here\n") },
  unreadable: {
    plant: (world, path, at) => {
      if (world.below(path).some((entry) => entry.bytes === undefined)) fs.mkdirSync(at);
      else fs.writeFileSync(at, world.bytesOf(path) ?? "");
      fs.chmodSync(at, 0);
    },
    unprivileged: true,
  },
  "sparse file": {
    plant: (_world, _path, at) => {
      fs.writeFileSync(at, "");
      fs.truncateSync(at, GIB);
    },
  },
  "second name of a file": {
    plant: (world, path, at) => {
      const bytes = world.bytesOf(path);
      fs.linkSync(world.plantOutside("planted", [bytes ? { ...FILE_ENTRY, bytes } : FILE_ENTRY]), at);
      return "out/planted";
    },
  },
};

/** Plants a form at a path, in the place of what is there. @param {World} world @param {string} form @param {string} path */
export function plant(world, form, path) {
  const at = path === "" ? world.coco : join(world.coco, path);
  if (path === "") world.setCocoAside();
  else {
    fs.mkdirSync(dirname(at), { recursive: true });
    remove(at);
  }
  if (path.includes(".lock.d")) fs.writeFileSync(join(world.coco, "locks", "kind"), "lockfile\n");
  // Only a file that has to be written anew needs a temporary one.
  const folded = /\.tf-tmp-\d+-(?<name>.*)$/.exec(path)?.groups?.["name"];
  if (folded !== undefined) remove(join(dirname(at), folded));
  return FORMS[form]?.plant(world, path, at) ?? undefined;
}

/** The forms that this system and this user cannot make. @param {string} folder */
export function notAvailable(folder) {
  /** @type {string[]} */
  const missing = [];
  for (const [name, kind] of /** @type {const} */ ([
    ["device", ["c", "1", "5"]],
    ["FIFO", ["p"]],
  ])) {
    const at = join(folder, "try");
    try {
      execFileSync("mknod", [at, ...kind], { stdio: "ignore" });
      fs.closeSync(fs.openSync(at, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK));
    } catch {
      missing.push(name);
    }
    remove(at);
  }
  return missing;
}

/** @param {string} path */
function plainFolder(path) {
  const names = ["a.txt", "TASK-001", "events.jsonl", "owner-x", basename(path)];
  const bytes = Buffer.from("canary in a folder\n");
  return [
    FOLDER_ENTRY,
    ...[...new Set(names)].filter((name) => name !== "").map((path) => ({ path, mode: 0o644, bytes })),
  ];
}
