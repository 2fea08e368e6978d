// @ts-check
// Folders that led out of the root, or that stopped the engine by one odd entry (items 1-6, 9, 12-14, 16 and 21).
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { createdLine, headOf, journal, noteLine, sha256 } from "./lines.mjs";
import { BY, remove, walk, WORKSPACE } from "./world.mjs";

/** @typedef {import("./attack.mjs").Attack} Attack */
/** @typedef {{ item: number, seconds?: number, megabytes?: number, run: (attack: Attack) => Promise<unknown> }} Exact */

const NOTE = { workspace: WORKSPACE, task: "TASK-001", note: "hello" };
const KEYED = { workspace: WORKSPACE, kind: "task", title: "By key", idempotency_key: "key-1" };
const LOG = ".coco/tasks/TASK-001/events.jsonl";
const TEMPORARY_LINKS = 40_000;
const RACE_MS = 1500;

/** @param {string} root @param {string} path @param {string} target */
function link(root, path, target) {
  const at = join(root, path);
  fs.mkdirSync(dirname(at), { recursive: true });
  remove(at);
  fs.symlinkSync(target, at);
}

/** @param {string} root @param {string} path @param {string | Buffer} bytes */
function file(root, path, bytes) {
  const at = join(root, path);
  fs.mkdirSync(dirname(at), { recursive: true });
  fs.writeFileSync(at, bytes);
}

/** A journal whose one part says it is of a folder outside. @param {boolean} made */
function foreignJournal(made) {
  return (/** @type {Attack} */ attack) => (/** @type {string} */ root) => {
    const id = made ? "../../../out/evil" : "../../../out/victim/.coco/tasks/TASK-001";
    const { heads, seq } = made ? { heads: [], seq: 0 } : headOf(join(attack.world.out, "victim", LOG));
    const line = made
      ? createdLine({ id: "evil" }, "Made outside")
      : noteLine({ id: "TASK-001", heads, seq }, "appended outside");
    file(root, ".coco/registry/journal/0123456789abcdef", journal([{ id, made, prev: heads, ops: [line] }]));
  };
}

/** Links under the names that the temporary files of `names` have in these processes. @param {string} root @param {string} folder @param {readonly string[]} names @param {number} count */
function temporaryLinks(root, folder, names, count) {
  const at = join(root, folder);
  fs.mkdirSync(at, { recursive: true });
  const target = `${"../".repeat(folder.split("/").length + 1)}out/secret.txt`;
  const first = process.pid - Math.floor(count / 2);
  for (const name of names)
    for (let i = 0; i < count; i++) fs.symlinkSync(target, join(at, `.tf-tmp-${first + i}-${name}`));
}

/** Swaps a folder of the root and a link again and again, from a process of its own, while work goes on. @param {Attack} attack @param {string} path @param {() => Promise<unknown>} work */
async function racing(attack, path, work) {
  const at = join(attack.root, path);
  const code = `
    const fs = require("node:fs");
    const [at, out] = process.argv.slice(1);
    const aside = at + ".aside";
    fs.symlinkSync(out, at + ".link");
    for (;;) try {
      fs.renameSync(at, aside); fs.renameSync(at + ".link", at);
      fs.renameSync(at, at + ".link"); fs.renameSync(aside, at);
    } catch { process.exit(); }`;
  const racer = spawn(process.execPath, ["-e", code, at, join(attack.world.out, "folder")], { stdio: "ignore" });
  const ended = new Promise((done) => racer.on("exit", done));
  const until = performance.now() + RACE_MS;
  while (performance.now() < until) await work();
  racer.kill("SIGKILL");
  await ended;
}

/** @param {(root: string) => void} plant @param {readonly string[]} operations @returns {(attack: Attack) => Promise<void>} */
function odd(plant, operations) {
  return async (attack) => {
    await attack.planted(plant);
    for (const name of operations) attack.mustGoOn(await attack.operation(name), name);
    const log = fs.readFileSync(join(attack.root, ".coco/tasks/TASK-002/events.jsonl"), "utf8");
    if (!log.includes("TASK-002")) attack.fault("believed", "the log of TASK-002 is not there any more");
  };
}

const ALL = ["list", "verify", "rebuild", "resolve", "tasks_create with a key"];

/** @param {string} root @param {string} path */
function fifo(root, path) {
  remove(join(root, path));
  execFileSync("mknod", [join(root, path), "p"]);
}

/** By what was planted. @type {Record<string, Exact>} */
export const LINKS = {
  "registry/unsynced/TASK-001 -> out/folder, tasks_note": {
    item: 1,
    run: async (attack) => {
      await attack.cloned((root) => link(root, ".coco/registry/unsynced/TASK-001", "../../../../out/folder"));
      await attack.call("tasks_note", NOTE);
    },
  },
  "registry/unsynced/TASK-001/x -> secret, tasks_note": {
    item: 1,
    run: async (attack) => {
      await attack.cloned((root) => link(root, ".coco/registry/unsynced/TASK-001/x", "../../../../../out/secret.txt"));
      await attack.call("tasks_note", NOTE);
      for (const path of walk(attack.root))
        if (fs.lstatSync(path).isFile() && fs.readFileSync(path).includes("SECRET=outside"))
          attack.fault("escaped", `the secret is in ${path.slice(attack.root.length)}`);
    },
  },
  "40,000 links under temporary names of goals.md, rebuild": {
    item: 2,
    seconds: 60,
    run: async (attack) => {
      await attack.cloned((root) => {
        temporaryLinks(root, ".coco/tasks/TASK-001/taskdoc.tsk", ["goals.md"], TEMPORARY_LINKS);
        remove(join(root, ".coco/tasks/TASK-001/taskdoc.tsk/goals.md"));
      });
      await attack.operation("rebuild");
    },
  },
  "links under temporary names of this process, rebuild and changes": {
    item: 2,
    run: async (attack) => {
      const names = {
        "": ["README.md", "task.yaml", "events.jsonl"],
        "/taskdoc.tsk": ["goals.md", "progress.md", "constraints.md"],
        "/shared/evidence": ["index.json"],
        "/shared/reports": ["joined-summary.md"],
      };
      await attack.cloned((root) => {
        const task = ".coco/tasks/TASK-001";
        for (const [folder, files] of Object.entries(names)) {
          temporaryLinks(root, task + folder, files, 3);
          for (const name of files) if (name !== "events.jsonl") remove(join(root, task + folder, name));
        }
        for (const name of fs.readdirSync(join(root, task, "shared/evidence/blobs"))) {
          temporaryLinks(root, `${task}/shared/evidence/blobs`, [name], 3);
          remove(join(root, task, "shared/evidence/blobs", name));
        }
      });
      for (const name of ["rebuild", "tasks_note", "change_mind", "tasks_evidence_capture", "tasks_report", "resolve"])
        await attack.operation(name);
    },
  },
  "a journal that makes a log outside": {
    item: 3,
    run: async (attack) => {
      await attack.planted(foreignJournal(true)(attack));
      await attack.call("tasks_note", NOTE);
    },
  },
  "a journal that appends to a log outside": {
    item: 3,
    run: async (attack) => {
      await attack.planted(foreignJournal(false)(attack));
      await attack.call("tasks_note", NOTE);
    },
  },
  "a journal of a log outside, only read": {
    item: 3,
    run: async (attack) => {
      await attack.cloned(foreignJournal(false)(attack));
      for (const name of ["list", "verify", "delta", "radar"]) await attack.operation(name);
    },
  },
  "locks/TASK-001.lock.d -> out, tasks_note": {
    item: 4,
    run: async (attack) => {
      await attack.cloned((root) => {
        file(root, ".coco/locks/kind", "lockfile\n");
        link(root, ".coco/locks/TASK-001.lock.d", "../../../out");
      });
      await attack.call("tasks_note", NOTE);
    },
  },
  "registry/journal -> out, rebuild": {
    item: 5,
    run: async (attack) => {
      await attack.cloned((root) => link(root, ".coco/registry/journal", "../../../out"));
      for (const name of ["list", "rebuild", "tasks_note"]) await attack.operation(name);
    },
  },
  "registry/index/creates.jsonl -> canary, keyed tasks_create": {
    item: 6,
    run: async (attack) => {
      await attack.cloned((root) => link(root, ".coco/registry/index/creates.jsonl", "../../../../out/canary"));
      await attack.call("tasks_create", KEYED);
    },
  },
  ...Object.fromEntries(
    Object.entries({
      "registry/journal/x": ["list", "tasks_note", "rebuild"],
      [`registry/focus/${sha256(`${WORKSPACE}\n${BY}`).slice(0, 22)}.json`]: ["radar of the focus", "tasks_focus_set"],
      "registry/dirty/left-x": ["tasks_note"],
      "registry/index/creates.jsonl": ["tasks_create with a key"],
      "locks/TASK-001.lock.d/owner-x": ["tasks_note"],
    }).map(([path, operations]) => [
      `${path.replace(/[\w-]{22}/, "x")} -> /dev/zero`,
      {
        item: 9,
        run: async (/** @type {Attack} */ attack) => {
          await attack.cloned((root) => {
            if (path.startsWith("locks/")) file(root, ".coco/locks/kind", "lockfile\n");
            link(root, `.coco/${path}`, "/dev/zero");
          });
          for (const name of operations) await attack.operation(name);
        },
      },
    ]),
  ),
  "a task named ../../../out/hollow, with a key": {
    item: 12,
    run: async (attack) => {
      await attack.planted(() => undefined);
      for (const task of ["../../../out/hollow", "../../../out/folder", "../../../out/victim/.coco/tasks/TASK-001"])
        for (const tool of ["tasks_note", "tasks_delete", "tasks_undo", "change_mind"]) {
          const more =
            tool === "tasks_note" ? { note: "x" } : tool === "change_mind" ? { selector: "goals", content: "x" } : {};
          await attack.call(tool, { workspace: WORKSPACE, task, idempotency_key: "k", ...more });
        }
    },
  },
  "a plain file in tasks/": { item: 14, run: odd((root) => file(root, ".coco/tasks/odd", "x\n"), ALL) },
  "a dangling link in tasks/": { item: 14, run: odd((root) => link(root, ".coco/tasks/odd", "nowhere"), ALL) },
  "a link to a folder outside in tasks/": {
    item: 14,
    run: odd((root) => link(root, ".coco/tasks/odd", "../../../out/folder"), ALL),
  },
  "a FIFO in tasks/": { item: 14, run: odd((root) => fifo(root, ".coco/tasks/odd"), ALL) },
  "an entity whose log is a link": {
    item: 14,
    run: odd((root) => link(root, ".coco/tasks/odd/events.jsonl", "../../../../out/events.jsonl"), ALL),
  },
  "a FIFO as a log, keyed tasks_create": { item: 16, run: odd((root) => fifo(root, LOG), ["tasks_create with a key"]) },
  "a FIFO as a log of a second folder": {
    item: 16,
    run: odd((root) => {
      fs.mkdirSync(join(root, ".coco/tasks/odd"));
      fifo(root, ".coco/tasks/odd/events.jsonl");
    }, ALL),
  },
  "bytes in registry/unsynced that are no log line": {
    item: 21,
    run: async (attack) => {
      await attack.cloned((root) => file(root, ".coco/registry/unsynced/TASK-001/x", "no line of a log\n"));
      await attack.call("tasks_note", NOTE);
      if (fs.readFileSync(join(attack.root, LOG), "utf8").includes("no line of a log"))
        attack.fault("believed", "the bytes are in the log");
    },
  },
  ".coco -> out/victim/.coco": {
    item: 21,
    run: async (attack) => {
      await attack.cloned((root) => link(root, ".coco", "../out/victim/.coco"));
      for (const name of ["list", "verify", "tasks_note", "rebuild"]) await attack.operation(name);
    },
  },
  "sub/.coco -> out/victim/.coco": {
    item: 21,
    run: async (attack) => {
      await attack.cloned((root) => link(root, "sub/.coco", "../../out/victim/.coco"), { at: "sub" });
      for (const name of ["list", "verify", "tasks_note", "rebuild"]) await attack.operation(name);
    },
  },
  ...Object.fromEntries(
    Object.entries({
      "registry/quarantine": "../../../out/folder",
      "registry/focus": "../../../out/folder",
      "archive/TASK-009": "../../../out/folder",
    }).map(([path, target]) => [
      `${path} -> out/folder`,
      {
        item: 21,
        run: async (/** @type {Attack} */ attack) => {
          await attack.cloned((root) => link(root, `.coco/${path}`, target));
          fs.appendFileSync(join(attack.root, LOG), "no line of a log\n");
          for (const name of [
            "list",
            "verify",
            "tasks_focus_set",
            "radar of the focus",
            "tasks_note",
            "resolve",
            "rebuild",
          ])
            await attack.operation(name);
        },
      },
    ]),
  ),
  "a folder in the place of a log": {
    item: 21,
    run: odd(
      (root) => {
        remove(join(root, LOG));
        fs.mkdirSync(join(root, LOG));
      },
      ["list", "verify", "tasks_create with a key"],
    ),
  },
  "a file in archive/": { item: 21, run: odd((root) => file(root, ".coco/archive/odd", "x\n"), ALL) },
  "a log with a second name outside": {
    item: 21,
    run: async (attack) => {
      await attack.planted((root) => {
        const bytes = fs.readFileSync(join(root, LOG));
        const outside = attack.world.plantOutside("linked", [{ path: "", mode: 0o644, bytes }]);
        remove(join(root, LOG));
        fs.linkSync(outside, join(root, LOG));
      });
      await attack.call("tasks_note", NOTE);
      await attack.call("tasks_note", NOTE);
      attack.linked = "out/linked";
    },
  },
  ...Object.fromEntries(
    Object.entries({
      ".coco/tasks/TASK-001/taskdoc.tsk": "change_mind",
      ".coco/tasks/TASK-001": "tasks_note",
      ".coco/tasks/TASK-001/shared": "tasks_evidence_capture",
    }).map(([path, operation]) => [
      `a race of a folder and a link at ${path}`,
      {
        item: 21,
        run: async (/** @type {Attack} */ attack) => {
          await attack.planted(() => undefined);
          await racing(attack, path, () => attack.operation(operation));
        },
      },
    ]),
  ),
};
