// @ts-check
// One random attack of each kind: what is planted or said, and what is done then.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toolCall } from "./calls.mjs";
import { fuzzedLog } from "./logs.mjs";
import { fuzzedSession } from "./mcp.mjs";
import { hex, junk, mutated, mutatedBytes, PATHS, pick, text } from "./values.mjs";
import { createdLine, headOf, journal, noteLine, sha256 } from "../hostile/lines.mjs";
import { OPERATIONS } from "../hostile/operations.mjs";
import { makeForeign, remove, WORKSPACE } from "../hostile/world.mjs";

/** @typedef {import("../hostile/attack.mjs").Attack} Attack */
/** @typedef {import("../../support/random_calls.mjs").Random} Random */
/** @typedef {(attack: Attack, random: Random) => Promise<void>} Run */

const LOGS = ["tasks/TASK-001", "tasks/TASK-002", "tasks/PLAN-001", "archive/TASK-003", "tasks/foreign-1"];
/** To ask git takes longer than all of the rest. */
const NAMES = Object.keys(OPERATIONS).filter((name) => !/git|snapshot|evidence_verify/.test(name));
const REGISTRY = ["cursors/x", "dirty/left-x", "exchange/x", "focus/x", "index/creates.jsonl", "index/listing.index"];
const MORE_REGISTRY = ["journal/0123456789abcdef", "quarantine/x", "snapshots/TASK-001.json", "unsynced/TASK-001/x"];
const LOCKS = ["kind", "TASK-001.lock", "TASK-001.lock.d/owner-x", ".workspace.lock.d/idle-x"];
const COMMANDS = [
  "init",
  "radar",
  "handoff",
  "list",
  "log",
  "history",
  "delta",
  "undo",
  "redo",
  "verify",
  "rebuild",
  "resolve",
];
const MORE_COMMANDS = ["adopt", "taskdoc", "tools", "call", "x"];
const OPTIONS = [
  "--at",
  "--max-chars",
  "--since",
  "--limit",
  "--before",
  "--op",
  "--dry-run",
  "--again",
  "--json",
  "--by",
];

/** With how much of the time. @type {Record<string, { weight: number, run: Run }>} */
export const KINDS = {
  log: {
    weight: 8,
    run: async (attack, random) => {
      await plantIn(attack, (coco) => {
        for (let left = 1 + random.below(2); left > 0; left--) {
          const folder = pick(random, LOGS);
          const path = join(coco, folder, "events.jsonl");
          writeFileSync(path, fuzzedLog(readFileSync(path, "utf8"), folder.slice(folder.indexOf("/") + 1), random));
        }
      });
      await operate(attack, random, ["list", "verify"]);
    },
  },
  registry: {
    weight: 5,
    run: async (attack, random) => {
      await plantIn(attack, (coco) => {
        for (let left = 1 + random.below(3); left > 0; left--) plantRegistry(attack, coco, random);
      });
      await operate(attack, random, ["tasks_note"]);
    },
  },
  yaml: {
    weight: 3,
    run: async (attack, random) => {
      await plantIn(attack, (coco) => plantYaml(coco, random));
      await operate(attack, random, ["adopt --dry-run", "tasks_note", "list"]);
    },
  },
  cursor: {
    weight: 2,
    run: async (attack, random) => {
      const since = cursor(attack, random);
      await attack.call("tasks_delta", { workspace: WORKSPACE, since });
      await attack.call("tasks_delta", { workspace: WORKSPACE, task: "TASK-001", since });
      await attack.command("log", "TASK-001", "--since", since.replaceAll("\0", "") || "x");
      await attack.within(async (workspace) => {
        for await (const event of workspace.watch({ since, signal: AbortSignal.timeout(20) })) if (!event) break;
      });
    },
  },
  tool: {
    weight: 8,
    run: async (attack, random) => {
      for (let left = 1 + random.below(5); left > 0; left--) await attack.call(...toolCall(random));
    },
  },
  ids: {
    weight: 3,
    run: async (attack, random) => {
      const [name, input] = toolCall(random);
      const odd = pick(random, PATHS);
      await attack.call(name, {
        ...input,
        [pick(random, ["task", "plan", "target", "path", "id"])]: odd,
        idempotency_key: "k",
      });
      await attack.within((workspace) => workspace.files(odd));
      await attack.within((workspace) => workspace.log(odd));
      await attack.within((workspace) => workspace.verify(odd));
      await attack.within((workspace) => workspace.repair.rebuild(odd));
      await attack.within((workspace) => workspace.repair.resolve(odd));
      await attack.within((workspace) => workspace.repair.adopt(odd));
      await attack.within((workspace) => workspace.taskdoc.importMarkdown("TASK-001", odd, { dryRun: true }));
    },
  },
  command: {
    weight: 2,
    run: async (attack, random) => {
      const args = Array.from({ length: random.below(5) }, () =>
        pick(random, random.chance(0.5) ? OPTIONS : [text(random)]),
      );
      const name = pick(random, random.chance(0.8) ? COMMANDS : MORE_COMMANDS);
      await attack.command(
        name,
        ...(random.chance(0.5) ? ["TASK-001"] : []),
        ...args.map((one) => one.replaceAll("\0", "")),
      );
    },
  },
  mcp: { weight: 1, run: fuzzedSession },
};

/** One kind, by its weight. @param {Random} random */
export function kindOf(random) {
  const all = Object.entries(KINDS).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  return pick(random, all);
}

/** @param {Attack} attack @param {(coco: string) => void} plant */
async function plantIn(attack, plant) {
  plant(attack.world.coco);
  attack.world.watch();
}

/** Some of these, and others. @param {Attack} attack @param {Random} random @param {readonly string[]} first */
async function operate(attack, random, first) {
  const more = Array.from({ length: 1 + random.below(4) }, () => pick(random, NAMES));
  for (const name of [...first.filter(() => random.chance(0.8)), ...more]) await attack.operation(name);
}

/** @param {string} at @param {string | Buffer} bytes */
function put(at, bytes) {
  remove(at);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, bytes);
}

/** A file of this machine: one that is there, mutated, or one that says anything in the right form. @param {Attack} attack @param {string} coco @param {Random} random */
function plantRegistry(attack, coco, random) {
  const there = attack.world.paths().filter((path) => /^(?:registry|locks)\//.test(path) && attack.world.bytesOf(path));
  if (there.length > 0 && random.chance(0.4)) {
    const path = pick(random, there);
    const bytes = attack.world.bytesOf(path) ?? Buffer.alloc(0);
    put(join(coco, path), mutatedBytes(bytes, random));
    return;
  }
  const name = pick(random, [...REGISTRY, ...MORE_REGISTRY]);
  if (random.chance(0.2)) {
    writeFileSync(join(coco, "locks", "kind"), pick(random, ["lockfile\n", "os\n", "x\n", "", "lockfile"]));
    put(join(coco, "locks", pick(random, LOCKS)), owner(random));
  } else put(join(coco, "registry", name), contentFor(name, coco, random));
}

/** @param {Random} random */
function owner(random) {
  const whole = {
    token: "x",
    pid: pick(random, [1, 999_999, process.pid]),
    host: "elsewhere",
    started: "1",
    since: Date.now(),
  };
  return JSON.stringify(random.chance(0.6) ? mutated(whole, random) : whole);
}

/** @param {string} name @param {string} coco @param {Random} random */
function contentFor(name, coco, random) {
  const id = pick(random, ["TASK-001", "TASK-002", "foreign-1", "../../../out/evil", "TASK-777"]);
  if (name.startsWith("journal/")) return journalFor(id, coco, random);
  if (name.startsWith("unsynced/")) return fuzzedLog(logOf(coco, "TASK-001"), "TASK-001", random);
  if (name.startsWith("focus/"))
    return JSON.stringify(mutated({ workspace: WORKSPACE, by: "agent:mallory", target: id }, random));
  if (name.startsWith("dirty/")) return `${id}\n${text(random)}\n`;
  const body = `${JSON.stringify(junk(random))}\n${JSON.stringify(junk(random))}\n`;
  if (name.startsWith("snapshots/")) return `${JSON.stringify([3, 9, sha256(body)])}\n${body}`;
  if (name.endsWith(".jsonl")) return `${JSON.stringify([`tasks/${id}`, "key-1", "1 1"])}\n${body}`;
  return random.chance(0.5) ? body : text(random);
}

/** @param {string} id @param {string} coco @param {Random} random */
function journalFor(id, coco, random) {
  const { heads, seq } = random.chance(0.7) ? headsIn(coco, id) : { heads: [], seq: 0 };
  const place = { id: id.slice(id.lastIndexOf("/") + 1), heads, seq, n: random.below(1000) };
  const op = random.chance(0.7) ? noteLine(place, text(random).toWellFormed()) : createdLine(place, "x");
  const bytes = journal([{ id, made: random.chance(0.3), prev: heads, ops: [op] }]);
  if (random.chance(0.5)) return bytes;
  // Another header, and the digest of what stands below it still.
  const end = bytes.indexOf("\n");
  const header = mutated(JSON.parse(bytes.toString("utf8", 0, end)), random);
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), bytes.subarray(end + 1)]);
}

/** @param {string} coco @param {string} id */
function headsIn(coco, id) {
  return /^TASK-00[12]$/.test(id) ? headOf(join(coco, "tasks", id, "events.jsonl")) : { heads: [], seq: 0 };
}

/** @param {string} coco @param {string} id */
function logOf(coco, id) {
  return readFileSync(join(coco, "tasks", id, "events.jsonl"), "utf8");
}

/** @param {string} coco @param {Random} random */
function plantYaml(coco, random) {
  const more = Array.from({ length: random.below(4) }, () => `${pick(random, YAML)}\n`).join("");
  switch (random.below(4)) {
    case 0:
      put(join(coco, "workspace.yaml"), mutatedBytes(Buffer.from(`v: 1\nworkspace: ${WORKSPACE}\n${more}`), random));
      break;
    case 1:
      put(
        join(coco, "tasks/TASK-001/shared/context-manifest.yaml"),
        mutatedBytes(Buffer.from(`attachments: []\n${more}`), random),
      );
      break;
    case 2:
      put(join(coco, "tasks/TASK-001/shared/human-notes.md"), mutatedBytes(Buffer.from(more), random));
      break;
    default: {
      const folder = join(coco, "tasks", "foreign-1");
      remove(folder);
      makeForeign(folder, more);
      const path = join(folder, "task.yaml");
      if (random.chance(0.7)) put(path, mutatedBytes(readFileSync(path), random));
      if (random.chance(0.3))
        put(join(folder, "shared/evidence/index.json"), JSON.stringify(mutated([{ id: "x", kind: "y" }], random)));
    }
  }
}

const YAML = [
  "x: &x [*x]",
  "a: &a {b: *a}",
  "? [a, b]\n: c",
  "? {a: b}\n: c",
  "<<: {id: other}",
  "x: !!binary aGVsbG8=",
  "x: !!set {a, b}",
  "x: !<tag:x,2026:y> z",
  "x: 0x7fffffffffffffff",
  "x: .nan",
  "x: -.inf",
  "x: 2026-01-01",
  "x: ~",
  "id: 7",
  "title: [a]",
  "milestones: x",
  "milestones: [1, null, {id: a}]",
  "milestones:\n  - id: a\n    title: b\n    state: x",
  "roster: {a: b}",
  "gates: [[]]",
  "gates:\n  - id: g\n    type: x\n    state: y",
  "config: []",
  "createdAt: 7",
  'updatedAt: "yesterday"',
  "state: toString",
  "__proto__: {a: 1}",
  "constructor: x",
  "--- \n--- ",
  "%YAML 9.9",
  `x: ${"[".repeat(500)}`,
  `x: "${"y".repeat(5000)}"`,
  "\tx: y",
];

/** @param {Attack} attack @param {Random} random */
function cursor(attack, random) {
  if (random.chance(0.2)) return attack.world.cursor;
  if (random.chance(0.3)) return mutatedBytes(Buffer.from(attack.world.cursor || "x"), random).toString("utf8");
  const value = [1, [hex(random, 43)], [[hex(random, 43), 1]], 411];
  const made = Buffer.from(JSON.stringify(random.chance(0.7) ? mutated(value, random) : value)).toString("base64url");
  return random.chance(0.2) ? text(random) : made;
}
