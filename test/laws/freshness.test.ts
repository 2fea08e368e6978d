// @module-tag long
/** A reader that was told of a change before it asked has it, of every maker of a change (FRESH rules). */
import fc from "fast-check";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { Clone } from "../support/git_clone.mjs";
import {
  notificationsPath,
  BY_NOTIFICATIONS,
  brokenNotifications,
  logsIn,
  LogReader,
  oldNotifications,
  OtherProcess,
} from "../support/notifications.ts";
import { inTempFolder } from "../support/temp.ts";
import { ROTATING_SWEEP, SWEEP, runsOf, sized } from "../support/sweep.ts";
import { newTask, ok } from "../support/workspace.ts";

const TASKS = ["TASK-001", "TASK-002", "TASK-003"];
/** Longer than git's index counts as too young to tell. */
const CALM_MS = 120;

/** The first ones more often: after the last ones readers believe no notification file for a while. */
const WRITES = [
  "here",
  "here",
  "other process",
  "other process",
  "other process",
  "new process",
  "created",
  "deleted",
  "transaction",
  "crash",
  "crash, and again",
  "no room for the notifications",
  "registry cleared",
  "notifications full",
  "append of another program",
] as const;
const GIT = [
  "here",
  "here",
  "other process",
  "wait",
  "wait",
  "wait",
  "commit",
  "switch",
  "merge",
  "stash",
  "stash pop",
  "reset",
] as const;

interface Step<K> {
  what: K;
  task: number;
  /** Whether a caller asks afterwards. */
  read: boolean;
}

function steps<K extends string>(kinds: readonly K[], maxLength: number): fc.Arbitrary<Step<K>[]> {
  return fc.array(fc.record({ what: fc.constantFrom(...kinds), task: fc.nat(2), read: fc.boolean() }), {
    minLength: 4,
    maxLength,
  });
}

let other: OtherProcess;
beforeAll(() => void (other = new OtherProcess()));
afterAll(() => other.end());

/** One workspace, with those who write to it and two who read it. */
class Scene {
  readonly root: string;
  /** Another process, which works in the same workspace. */
  readonly beside: OtherProcess;
  readonly ws: Workspace;
  /** Every log each time, for there are few; and those logs only that were notified. */
  readonly exact: LogReader;
  readonly notified: LogReader;
  /** Written by a process that told no caller: a reader that goes by the notification file may have missed it. */
  readonly untold = new Set<string>();
  #n = 0;

  static async make(root: string, beside: OtherProcess): Promise<Scene> {
    oldNotifications(root);
    const scene = new Scene(root, beside);
    for (const id of TASKS) await newTask(scene.ws, id);
    // The notification file that every writer appends to is the one that it knows: one that comes later is believed after a while.
    check(scene);
    return scene;
  }

  private constructor(root: string, beside: OtherProcess) {
    this.root = root;
    this.beside = beside;
    this.ws = this.open();
    this.exact = new LogReader(root);
    this.notified = new LogReader(root, BY_NOTIFICATIONS);
  }

  open(disk?: Disk): Workspace {
    return openWorkspace({ root: this.root, durability: "os", ...(disk ? { disk } : {}) });
  }

  note(task: string): { task: string; note: string } {
    return { task, note: `note ${this.#n++}` };
  }

  has(task: string): boolean {
    return logsIn(this.root).has(`tasks/${task}`);
  }

  async close(): Promise<void> {
    await this.beside.close(this.root);
    await this.ws.close();
  }
}

/** Both readers have what stands in the logs; the one that goes by the notification file may lack what no caller was told of. */
function check(scene: Scene): void {
  const now = logsIn(scene.root);
  expect(scene.exact.read().logs).toEqual(now);
  const { logs, whole } = scene.notified.read();
  if (whole) scene.untold.clear();
  const told = (all: ReadonlyMap<string, string>) => new Map([...all].filter(([key]) => !scene.untold.has(key)));
  expect(told(logs)).toEqual(told(now));
}

const act: Record<(typeof WRITES)[number], (scene: Scene, task: string) => Promise<unknown> | void> = {
  here: async (scene, task) => void (await ok(scene.ws, "tasks_note", scene.note(task))),
  "other process": (scene, task) => scene.beside.call(scene.root, "tasks_note", scene.note(task)),
  "new process": async (scene, task) => {
    const ws = scene.open();
    await ok(ws, "tasks_note", scene.note(task));
    await ws.close();
  },
  created: async (scene) => void (await ok(scene.ws, "tasks_create", { kind: "task", title: "Another" })),
  deleted: async (scene) => {
    const { id } = await ok(scene.ws, "tasks_create", { kind: "task", title: "Short-lived" });
    check(scene);
    await ok(scene.ws, "tasks_delete", { task: id as string });
  },
  transaction: async (scene, task) => {
    const args = { path: "s:0", blocked: true, reason: "r" };
    const operations = [task, TASKS.find((id) => id !== task)!].map((id) => ({
      tool: "tasks_block",
      args: { task: id, ...args },
    }));
    await ok(scene.ws, "tasks_batch", { atomic: true, operations } as never);
  },
  crash,
  "crash, and again": async (scene, task) => {
    const input = await crash(scene, task);
    const ws = scene.open();
    expect((await ok(ws, "tasks_note", input as never))["event"]).toBeDefined();
    await ws.close();
    scene.untold.delete(`tasks/${task}`);
  },
  "no room for the notifications": async (scene, task) => {
    const ws = scene.open(brokenNotifications("full"));
    await ok(ws, "tasks_note", scene.note(task));
    await ws.close();
  },
  "registry cleared": (scene) => rmSync(join(scene.root, ".coco/registry"), { recursive: true, force: true }),
  "notifications full": async (scene, task) => {
    await act.here(scene, task);
    const line = `tasks/${task} 0.filler.0\n`;
    appendFileSync(notificationsPath(scene.root), line.repeat(Math.ceil((1024 * 1024) / line.length)));
    await act["new process"](scene, task);
  },
  "append of another program": (scene, task) => {
    appendFileSync(join(scene.root, ".coco/tasks", task, "events.jsonl"), '{"type":"agent.note","text":"x"}\n');
    scene.untold.add(`tasks/${task}`);
  },
};

/** The line is in the log; no caller was told, and no writer notified. */
async function crash(scene: Scene, task: string): Promise<object> {
  const input = { ...scene.note(task), idempotency_key: `key ${Math.random()}` };
  const ws = scene.open(brokenNotifications("ends"));
  const reply = await ws.callTool("tasks_note", { workspace: "acme/repo", ...input });
  expect(reply.success).toBe(false);
  scene.untold.add(`tasks/${task}`);
  await ws.close();
  return input;
}

const gitAct: Record<Exclude<(typeof GIT)[number], "here" | "other process">, (git: Clone) => unknown> = {
  commit: (git) => git.commit("work"),
  switch: (git) => {
    git.commit("work");
    const branch = git.git("branch", "--show-current").trim() === "main" ? "side" : "main";
    git.git("checkout", "-q", branch);
  },
  merge: (git) => {
    git.commit("work");
    git.tries("merge", "-q", git.git("branch", "--show-current").trim() === "main" ? "side" : "main");
    git.commit("merged as it is");
  },
  stash: (git) => git.tries("stash", "-q", "-u"),
  "stash pop": (git) => {
    git.commit("work");
    git.tries("stash", "pop", "-q");
    git.commit("popped as it is");
  },
  reset: (git) => git.git("reset", "-q", "--hard"),
  wait: () => new Promise((done) => setTimeout(done, CALM_MS)),
};

describe("read your writes", () => {
  it(
    "[FRESH-1] [FRESH-8] [FRESH-2] a caller that is told of a change before it asks has it, whichever process made it",
    SWEEP,
    async () => {
      const looks = { all: 0, some: 0 };
      await fc.assert(
        fc.asyncProperty(steps(WRITES, 20), (work) =>
          inTempFolder(async (root) => {
            const scene = await Scene.make(root, other);
            for (const { what, task, read } of work) {
              await act[what](scene, TASKS[task]!);
              if (read) check(scene);
            }
            check(scene);
            looks.some += scene.notified.looks.some;
            looks.all += scene.notified.looks.all;
            await scene.close();
          }),
        ),
        runsOf(12, 3),
      );
      // Not every answer came of a look at everything: the notification file was believed.
      expect(looks.some).toBeGreaterThan(looks.all / 10);
    },
  );

  it("[FRESH-1] [FRESH-5] git's changes are seen by who asks when git is done", ROTATING_SWEEP, async () => {
    const { numRuns, seed } = runsOf(8);
    // A run waits for git's clock most of its time, so several run beside each other.
    const lanes = Math.min(LANES, numRuns);
    const some = await Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        gitLane({ numRuns: Math.ceil((numRuns - lane) / lanes), seed: seed + lane }),
      ),
    );
    expect(some.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(sized(0, 1));
  });
});

const LANES = 4;

/** How often readers believed the notifications in so many runs of git's changes. */
async function gitLane(runs: { numRuns: number; seed: number }): Promise<number> {
  let some = 0;
  const beside = new OtherProcess();
  try {
    await fc.assert(
      fc.asyncProperty(steps(GIT, 20), (work) =>
        inTempFolder(async (root) => {
          const git = Clone.init(root);
          const scene = await Scene.make(root, beside);
          git.commit("begin");
          git.git("branch", "side");
          for (const { what, task, read } of work) {
            if (what === "here" || what === "other process") {
              // Where git has left the log in two sides, writers refuse; that is no matter of readers.
              await Promise.resolve(act[what](scene, TASKS[task]!)).catch(() => undefined);
            } else await gitAct[what](git);
            if (read) check(scene);
          }
          check(scene);
          // The next look at everything knows the times of git's files long enough. The one after it believes the notification file (FRESH-12).
          await gitAct.wait(git);
          for (const _again of ["everything", "some"]) check(scene);
          some += scene.notified.looks.some;
          await scene.close();
        }),
      ),
      runs,
    );
  } finally {
    beside.end();
  }
  return some;
}
