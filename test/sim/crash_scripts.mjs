// @ts-check
/** Work that covers every kind of write. Each script is small, so that a survivor of it is checked in milliseconds. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./disk.mjs").Disk} Disk */
/** A call with its key, or one of the workspace itself. @typedef {{ key: string, tool: string, input: Record<string, unknown> }} Step */
/**
 * `before`: what is there and synced when the stops begin. `prepare`: changes that disk besides. `steps`: those of one group are made at once.
 * `fails`: which sync fails, counted from the first of that kind. `forks`: the disk has branches of a log. `shared`: mode of a shared log.
 * `elsewhere`: what another machine changes there, after `before`. `beside`: the change of another process that takes itself for the holder of the same lock; `begun` is what it did before the script.
 * `refusal`: a step may be answered with that.
 * @typedef {{ name: string, durability?: "fsync" | "group", before?: Omit<Step, "key">[], prepare?: (disk: Disk, branch: Branch) => Promise<void> | void,
 *   steps: Omit<Step, "key">[][], fails?: { name: string, nth: number, seen: boolean }, forks?: boolean, shared?: "strict" | "merge",
 *   elsewhere?: Omit<Step, "key">[], beside?: { step: Omit<Step, "key">, begun: (disk: Disk, log: Buffer) => void, meanwhile: Meanwhile }, refusal?: string }} Script
 */
/** Goes on with that change before a call, of which the log is the result. True: its caller has the answer. @typedef {(disk: Disk, call: import("./alone.mjs").DiskCall, log: Buffer) => boolean} Meanwhile */
/** Makes a change on a copy of the disk, and gives the copy. @typedef {(tool: string, input: Record<string, unknown>) => Promise<Disk>} Branch */

const STEP = { title: "A step", success_criteria: ["it works"], tests: ["npm test"] };
const PLAN = { tool: "tasks_create", input: { id: "PLAN-001", title: "The plan" } };
const TASK = { tool: "tasks_create", input: { id: "TASK-001", parent: "PLAN-001", title: "One", steps: [STEP] } };
const OTHER = { tool: "tasks_create", input: { id: "TASK-002", kind: "task", title: "Two", steps: [STEP, STEP] } };
const LOG = "/w/.coco/tasks/TASK-001/events.jsonl";
const COCO = join(import.meta.dirname, "../data/coco");
const ADOPTED = "task-54f8aee925574a318538c248fa3532f3";

/** @param {number} n @param {string} [task] */
function note(n, task = "TASK-001") {
  return { tool: "tasks_note", input: { task, note: `note ${n}` } };
}

/** @param {string} reason */
function batch(reason) {
  const blocks = [
    { task: "TASK-001", path: "s:0" },
    { task: "TASK-002", path: "s:0" },
    { task: "TASK-002", path: "s:1" },
  ];
  const operations = [
    ...blocks.map((args) => ({ tool: "tasks_block", args: { ...args, reason } })),
    { tool: "tasks_patch", args: { plan: "PLAN-001", ops: [{ op: "append", field: "tags", value: reason }] } },
  ];
  return { tool: "tasks_batch", input: { atomic: true, operations } };
}

/** @param {number} lines */
function evidence(lines) {
  const items = [{ kind: "run", command: "npm test", exit_code: 0, stdout: "all is well\n".repeat(lines) }];
  return { tool: "tasks_evidence_capture", input: { task: "TASK-001", path: "s:0", items, checkpoint: "tests" } };
}

/** Puts a folder of this machine onto the disk. @param {Disk} disk @param {string} from @param {string} to */
function place(disk, from, to) {
  disk.mkdir(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (statSync(path).isDirectory()) place(disk, path, `${to}/${name}`);
    else disk.write(disk.open(`${to}/${name}`, "a+").ino, readFileSync(path), undefined);
  }
}

const MADE = "/w/.coco/tasks/TASK-002";
const REGISTRY = "/w/.coco/registry";
const JOURNAL = `${REGISTRY}/journal`;

/** @param {Disk} disk @param {Buffer} log */
function halfMade(disk, log) {
  disk.mkdir(MADE);
  disk.write(disk.open(`${MADE}/events.jsonl`, "a+").ino, log.subarray(0, 20), undefined);
}

/** As a process of that number leaves it which is killed before it folds the files. @param {Disk} disk @param {string} id @param {number} pid */
function marked(disk, id, pid) {
  const folder = `${REGISTRY}/${disk.readdir(REGISTRY).find((name) => name.startsWith("machine-"))}/dirty`;
  if (!disk.find(folder)) disk.mkdir(folder);
  disk.write(disk.open(`${folder}/${pid}--00000000`, "a+").ino, Buffer.from(`\n${id}\n`), undefined);
}

/**
 * The maker writes the rest right before its folder goes aside, reads it back, syncs every name on the way, and is killed. A third process made the journal, and was
 * killed before it synced the name. @type {Meanwhile}
 */
function madeWhole(disk, { name, args }, log) {
  if (!disk.find(JOURNAL)) disk.mkdir(JOURNAL);
  if (name === "rename" && String(args[1]).startsWith(`${JOURNAL}/aside.`)) {
    const { ino } = disk.open(`${MADE}/events.jsonl`, "a+");
    marked(disk, "TASK-002", 1);
    disk.write(ino, log.subarray(20), undefined);
    disk.syncing(ino).done();
    disk.syncFolder(MADE);
  }
  if (disk.find(MADE)) return false;
  disk.syncFolder("/w/.coco/tasks");
  return true;
}

/** @type {readonly Script[]} */
export const SCRIPTS = [
  { name: "the first plan", steps: [[PLAN], [TASK]] },
  {
    name: "one op",
    before: [PLAN, TASK],
    steps: [[note(1)], [note(2)]],
  },
  {
    name: "an op of many events",
    before: [PLAN, TASK],
    steps: [
      [{ tool: "tasks_decompose", input: { task: "TASK-001", steps: [STEP, STEP, STEP] } }],
      [{ tool: "tasks_undo", input: { task: "TASK-001" } }],
    ],
  },
  {
    name: "one sync for several calls",
    before: [PLAN, TASK, OTHER],
    steps: [[note(1), note(2), note(3), note(4, "TASK-002")]],
  },
  {
    name: "level group",
    durability: "group",
    before: [PLAN, TASK],
    steps: [[note(1), note(2)], [note(3)]],
  },
  ...[true, false].map((seen) => ({
    name: `a failed sync whose bytes ${seen ? "are gone at once" : "a cut takes"}`,
    before: [PLAN, TASK],
    steps: [[note(1)], [note(2)], [note(3)]],
    fails: { name: "fdatasyncSync", nth: 2, seen },
  })),
  {
    name: "a failed sync of several calls",
    before: [PLAN, TASK],
    steps: [[note(1), note(2), note(3)], [note(4)]],
    fails: { name: "fdatasync", nth: 1, seen: false },
  },
  {
    name: "a transaction over several folders",
    before: [PLAN, TASK, OTHER],
    steps: [[batch("waits")]],
  },
  {
    name: "a plan and a task at once",
    before: [PLAN],
    steps: [[{ tool: "tasks_bootstrap", input: { plan_title: "Next", task_title: "First", steps: [STEP] } }]],
  },
  { name: "bytes and their event", before: [PLAN, TASK], steps: [[evidence(20)], [evidence(800)]] },
  {
    name: "folding",
    before: [PLAN, TASK, ...[1, 2, 3, 4].map((n) => note(n))],
    steps: [[note(5)], [note(6)]],
  },
  {
    name: "a deletion",
    before: [PLAN, TASK],
    steps: [[{ tool: "tasks_delete", input: { plan: "PLAN-001" } }]],
  },
  {
    name: "the archive",
    before: [OTHER, { tool: "tasks_complete", input: { task: "TASK-002", status: "CANCELED", reason: "done" } }],
    steps: [
      [{ tool: "tasks_archive", input: { task: "TASK-002" } }],
      [{ tool: "tasks_restore", input: { task: "TASK-002" } }],
    ],
  },
  {
    name: "the rest of a creation that is none",
    before: [PLAN, TASK],
    beside: { step: OTHER, begun: halfMade, meanwhile: madeWhole },
    steps: [[{ tool: "tasks_create", input: { id: "TASK-002", kind: "task", title: "Mine" } }], [note(1)]],
    refusal: "ID_TAKEN",
  },
  {
    name: "an adoption",
    before: [PLAN],
    prepare: (disk) => place(disk, join(COCO, ADOPTED), `/w/.coco/tasks/${ADOPTED}`),
    steps: [[{ tool: "adopt", input: { id: ADOPTED } }], [note(1, ADOPTED)]],
  },
  {
    name: "a merge that is resolved",
    forks: true,
    before: [PLAN, TASK],
    prepare: async (disk, branch) => {
      const [{ length }, ours, theirs] = [
        disk.readFile(LOG),
        (await branch("tasks_note", { task: "TASK-001", note: "ours" })).readFile(LOG),
        (await branch("tasks_edit", { task: "TASK-001", title: "Theirs" })).readFile(LOG),
      ];
      const { ino } = disk.open(LOG, "a+");
      const torn = Buffer.from('{"v":1,"half\n');
      disk.write(ino, Buffer.concat([ours.subarray(length), torn, theirs.subarray(length)]), undefined);
    },
    steps: [[{ tool: "resolve", input: {} }], [note(1)]],
  },
  {
    name: "a consumer of a shared log",
    shared: "strict",
    before: [PLAN, TASK],
    elsewhere: [note(1), OTHER, evidence(20)],
    steps: [[{ tool: "sync", input: {} }], [note(2)]],
  },
  {
    name: "a consumer of a shared log that follows",
    shared: "merge",
    forks: true,
    before: [PLAN, TASK],
    elsewhere: [note(1), note(2)],
    steps: [[note(3)], [{ tool: "sync", input: {} }]],
  },
  {
    name: "all files folded anew",
    before: [PLAN, TASK],
    prepare: (disk) => disk.unlink("/w/.coco/tasks/TASK-001/README.md"),
    steps: [[{ tool: "rebuild", input: {} }]],
  },
];
