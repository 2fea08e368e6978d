// @ts-check
// Old faults of the engine, one each, done to a folder before every call: the cases have to find it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { nodeDisk } from "../../../dist/disk.js";
import { nodeDisks } from "../../../dist/disks.js";
import { ownPacketConfigAt } from "../../../dist/engine/projection/packet_config_folder.js";
import { TrustedConfigs } from "../../../dist/runner/trusted_configs.js";
import { GIT_ENV } from "./world.mjs";

/** @typedef {{ cases: RegExp, seconds?: number, weaken: (root: string) => void }} Weakened what it does before each call, the cases that have to tell, and their limit of time */

/** By name. @type {Record<string, Weakened>} */
export const WEAKENED = {
  /** Item 1: what lies in `registry/unsynced` goes to the log, and is removed. */
  unsynced: {
    cases: /^exact: 1:/,
    weaken: inCoco((coco) => {
      for (const id of names(join(coco, "registry/unsynced")))
        for (const path of paths(join(coco, "registry/unsynced", id))) {
          fs.appendFileSync(join(coco, "tasks", id, "events.jsonl"), fs.readFileSync(path));
          fs.unlinkSync(path);
        }
    }),
  },
  /** Item 2: temporary files have a name that can be guessed, and are opened through links. */
  temporary: {
    cases: /^exact: 2: links/,
    weaken: inCoco((coco) => {
      const folder = join(coco, "tasks/TASK-001/taskdoc.tsk");
      const path = join(folder, "goals.md");
      if (fs.existsSync(path)) return;
      const temp = join(folder, `.tf-tmp-${process.pid}-goals.md`);
      fs.writeFileSync(temp, "Every sample parses.\n");
      fs.renameSync(temp, path);
    }),
  },
  /** Item 3: a part of a journal names the folder that is written to. */
  journal: {
    cases: /^exact: 3: a journal that/,
    weaken: inCoco((coco) => {
      for (const path of paths(join(coco, "registry/journal"))) {
        const text = fs.readFileSync(path, "utf8");
        const body = text.slice(text.indexOf("\n") + 1);
        const { parts, sha256 } = JSON.parse(text.slice(0, text.indexOf("\n")));
        if (createHash("sha256").update(body).digest("base64url") !== sha256) continue;
        for (const { id } of parts) {
          fs.mkdirSync(join(coco, "tasks", id), { recursive: true });
          fs.appendFileSync(join(coco, "tasks", id, "events.jsonl"), body);
        }
      }
    }),
  },
  /** Item 4: the files of a lock whose owner is dead are moved to quarantine. */
  lock: {
    cases: /^exact: 4:/,
    weaken: inCoco((coco) => {
      if (fs.readFileSync(join(coco, "locks/kind"), "utf8").trim() !== "lockfile") return;
      for (const name of names(join(coco, "locks")).filter((one) => one.endsWith(".lock.d")))
        for (const path of paths(join(coco, "locks", name))) moveTo(join(coco, "registry/quarantine"), path);
    }),
  },
  /** Item 5: what is no journal is moved out of the folder of journals. */
  journals: {
    cases: /^exact: 5:/,
    weaken: inCoco((coco) => {
      for (const path of paths(join(coco, "registry/journal"))) {
        const into = join(coco, "registry/quarantine");
        fs.mkdirSync(into, { recursive: true });
        fs.copyFileSync(path, join(into, basename(path)));
        fs.unlinkSync(path);
      }
    }),
  },
  /** Item 6: the index of keys is appended to, wherever it leads. */
  creates: {
    cases: /^exact: 6:/,
    weaken: inCoco((coco) => fs.appendFileSync(join(coco, "registry/index/creates.jsonl"), "[]\n")),
  },
  /** Item 7: git does what the repository says. */
  git: {
    cases: /^exact: 7: .*with core\.fsmonitor$/,
    weaken: (root) =>
      void execFileSync("git", ["status"], { cwd: root, env: { ...process.env, ...GIT_ENV }, stdio: "ignore" }),
  },
  /** Item 22: the configuration that comes with a repository is trusted. */
  trust: {
    cases: /^exact: 22: a configuration of packets$/,
    weaken: inCoco((coco) => {
      const root = dirname(coco);
      const config = ownPacketConfigAt(nodeDisks(), root);
      if (config) new TrustedConfigs(nodeDisk, root, process.env).add(config);
    }),
  },
  /** A pipe is waited for. */
  waiting: {
    cases: /^matrix: \.coco\/tasks\/TASK-001\/events\.jsonl: FIFO: tasks_lint/,
    // It waits without an end: how long the run looks on shows nothing more.
    seconds: 2,
    weaken: inCoco((coco) => fs.closeSync(fs.openSync(join(coco, "tasks/TASK-001/events.jsonl"), "r"))),
  },
  /** A device is read to its end. */
  reading: {
    cases: /^exact: 9: registry\/journal/,
    weaken: inCoco((coco) => {
      for (const path of paths(join(coco, "registry/journal"))) fs.readFileSync(path);
    }),
  },
};

/** A folder that is not as it was meant ends the attempt: as it did. @param {(coco: string) => void} work @returns {(root: string) => void} */
function inCoco(work) {
  return (root) => {
    try {
      work(join(root, ".coco"));
    } catch (error) {
      if (!(error instanceof Error && "code" in error) && !(error instanceof SyntaxError)) throw error;
    }
  };
}

/** @param {string} folder */
function names(folder) {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

/** @param {string} folder */
function paths(folder) {
  return names(folder).map((name) => join(folder, name));
}

/** @param {string} folder @param {string} path */
function moveTo(folder, path) {
  fs.mkdirSync(folder, { recursive: true });
  fs.renameSync(path, join(folder, `${basename(dirname(path))}-${basename(path)}`));
}
