// @module-tag long
/** Which tasks a claim may take is the same for a reader that kept what it knows and for one that reads everything anew. */
import fc from "fast-check";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import { TaskfoldError } from "../../src/errors.ts";
import { Entities } from "../../src/engine/entities/entities.ts";
import { openRoot } from "../../src/engine/open_root.ts";
import { Store } from "../../src/engine/entity/store.ts";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { addUp, isReady, NO_STEPS, SHOWN, stepCounts } from "../../src/rules/ready.ts";
import { isArchivedOrDeleted } from "../../src/state/archive.ts";
import { compareIds } from "../../src/state/compare_ids.ts";
import { hasEnded } from "../../src/state/ended.ts";
import type { Ref, Subject } from "../../src/state/entity.ts";
import { firstReady } from "../../src/state/first_ready.ts";
import { notificationsPath, BY_NOTIFICATIONS, oldNotifications } from "../support/notifications.ts";
import { UNSYNCED } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { newTask, ok, START, WORKSPACE } from "../support/workspace.ts";

const PLANS = ["PLAN-001", "PLAN-002"] as const;
const TASKS = ["TASK-001", "TASK-002", "TASK-003", "TASK-004", "TASK-005"] as const;
const STEPS = ["a", "b"].map((title) => ({ title, success_criteria: ["it works"] }));

const CALLS = {
  create: (_, on) => ["tasks_create", { parent: PLANS[1], title: "Another", depends_on: [on], steps: STEPS }],
  depend: (task, on) => ["tasks_edit", { task, depends_on: [on] }],
  "depend on none": (task) => ["tasks_edit", { task, depends_on: [] }],
  claim: (task) => ["tasks_claim", { task, path: "s:0", ttl_s: 60 }],
  "claim all": (task) => ["tasks_claim", { task, ttl_s: 120 }],
  "claim next": () => ["tasks_claim_next", { ttl_s: 90 }],
  "claim next of a plan": () => ["tasks_claim_next", { plan: PLANS[0], ttl_s: 30 }],
  release: (task) => ["tasks_release", { task, path: "s:0", force: true, reason: "r" }],
  close: (task) => ["tasks_close_step", { task, path: "s:0", checkpoints: "gate" }],
  block: (task) => ["tasks_block", { task, path: "s:0", blocked: true, reason: "r" }],
  done: (task) => ["tasks_complete", { task, status: "DONE" }],
  canceled: (task) => ["tasks_complete", { task, status: "CANCELED", reason: "r" }],
  "open again": (task) => ["tasks_complete", { task, status: "TODO", reason: "r" }],
  archive: (task) => ["tasks_archive", { tasks: [task] }],
  restore: (task) => ["tasks_restore", { task }],
  delete: (task) => ["tasks_delete", { task }],
  "delete a step": (task) => ["tasks_delete", { task, path: "s:0" }],
  undo: (task) => ["tasks_undo", { task }],
  redo: (task) => ["tasks_redo", { task }],
} satisfies Record<string, (task: string, on: string) => [tool: string, input: object]>;
const GIT = ["commit", "switch", "stash", "stash pop", "reset"] as const;
const TIMES = ["a second later", "a minute later", "a minute before"] as const;
const MOVES = { "a second later": 1000, "a minute later": 61_000, "a minute before": -60_000 };

type What = keyof typeof CALLS | (typeof GIT)[number] | (typeof TIMES)[number];
/** Those first that end what others wait for, and bring it back. */
const ENDS: What[] = ["done", "canceled", "open again", "archive", "restore"];
const kinds: What[] = [...ENDS, ...ENDS, ...ENDS, ...(Object.keys(CALLS) as (keyof typeof CALLS)[]), ...TIMES];

interface Step {
  what: What;
  task: number;
  on: number;
  writer: number;
  read: boolean;
}

function steps(some: readonly What[], maxLength: number): fc.Arbitrary<Step[]> {
  const [task, on] = [fc.nat(TASKS.length - 1), fc.integer({ min: 1, max: TASKS.length - 1 })];
  const step = fc.record({
    what: fc.constantFrom(...some),
    task,
    on,
    writer: fc.nat(1),
    read: fc.nat(3).map((n) => n > 0),
  });
  return fc.array(step, { minLength: 5, maxLength });
}

/** Two who write, and readers of both ways to look, who keep what they know. */
class Scene {
  readonly git: Clone;
  readonly writers: Workspace[];
  readonly context: EngineContext;
  readonly readers: readonly Entities[];
  readonly #release: () => void;
  #now = START;

  static async make(root: string): Promise<Scene> {
    const scene = new Scene(root);
    const [ws] = scene.writers as [Workspace];
    for (const title of ["One", "Two"]) await ok(ws, "tasks_create", { title });
    for (const [i, id] of TASKS.entries())
      await (i === 4
        ? newTask(ws, id)
        : ok(ws, "tasks_create", { parent: PLANS[i % 2]!, id, title: `Task ${id}`, steps: i < 2 ? STEPS : [] }));
    for (const i of [0, 1]) await ok(ws, "tasks_edit", { task: TASKS[i]!, depends_on: [TASKS[i + 2]!] });
    scene.git.commit("begin");
    scene.git.git("branch", "side");
    return scene;
  }

  private constructor(root: string) {
    oldNotifications(root);
    this.git = Clone.init(root);
    const now = (): number => this.#now;
    const options = { root, disk: UNSYNCED, now, durability: "os" } as const;
    this.writers = [1, 2].map(() => openWorkspace({ ...options, workspace: WORKSPACE }));
    const { context, release } = openRoot(options, {
      locks: () => never(),
      packetConfigs: { given: undefined, own: () => never() },
    });
    this.context = context;
    this.#release = release;
    this.readers = [{}, BY_NOTIFICATIONS].map((how) => new Entities(context, new Store(context), how));
  }

  async do({ what, task, on, writer }: Step): Promise<void> {
    if (what in MOVES) this.#now += MOVES[what as keyof typeof MOVES];
    else if (what in CALLS) {
      const [tool, input] = CALLS[what as keyof typeof CALLS](TASKS[task]!, TASKS[(task + on) % TASKS.length]!);
      const { error } = await this.writers[writer]!.callTool(tool, { workspace: WORKSPACE, ...input });
      if (error?.code === "INTERNAL" || error?.code === "INVALID_INPUT") throw new Error(`${tool}: ${error.message}`);
    } else this.#git(what as (typeof GIT)[number]);
  }

  /** Throws where a reader finds others than the walk. */
  check(): void {
    const now = new Date(this.#now).toISOString();
    const fresh = new Store(this.context);
    const walked = readyTasks(fresh, new Entities(this.context, fresh), now);
    const plans = new Set([undefined, ...walked.map(({ entity }) => entity.parent?.root)]);
    for (const [reader, { listing }] of this.readers.entries())
      for (const plan of plans) {
        const within = walked.filter(({ entity }) => plan === undefined || entity.parent?.root === plan);
        const [found, wanted] = [[...listing.open(WORKSPACE).ready(now, plan)], within.map(({ id }) => id)];
        if (found.join(" ") !== wanted.join(" "))
          throw new Error(`reader ${reader} found ${found.join(" ")}, the walk ${wanted.join(" ")}`);
        this.#checkStanding(reader, now, plan);
      }
  }

  /** What a refusal tells, counted and by a walk. */
  #checkStanding(reader: number, now: string, plan: string | undefined): void {
    const fresh = new Entities(this.context, new Store(this.context));
    const find = (ref: Ref): Subject | undefined => fresh.subjectOf(ref, WORKSPACE);
    const open = allTasks(fresh, plan).filter(({ entity }) => !hasEnded(entity));
    const walked = open.reduce((sum, task) => addUp(sum, stepCounts(task, find, now)), NO_STEPS);
    const first = open.slice(0, SHOWN).map(({ id }) => id);
    const told = this.readers[reader]!.listing.open(WORKSPACE).openCounts(now, find, plan);
    const counted = { count: told.count, first: told.first.map(({ id }) => id), details: told.details };
    const wanted = { count: open.length, first, details: walked };
    if (!isDeepStrictEqual(counted, wanted))
      throw new Error(`reader ${reader} counted ${JSON.stringify(counted)}, the walk ${JSON.stringify(wanted)}`);
  }

  async close(): Promise<void> {
    for (const ws of this.writers) await ws.close();
    this.#release();
  }

  #git(what: (typeof GIT)[number]): void {
    const { git } = this;
    if (what === "stash") git.tries("stash", "-q", "-u");
    else if (what === "reset") git.git("reset", "-q", "--hard");
    else git.commit("work");
    if (what === "switch")
      git.git("checkout", "-q", git.git("branch", "--show-current").trim() === "main" ? "side" : "main");
    if (what === "stash pop") {
      git.tries("stash", "pop", "-q");
      git.commit("popped as it is");
    }
  }
}

function never(): never {
  throw new Error("a reader takes no lock");
}

/** Every task is opened, and the rule asked of it. */
function readyTasks(store: Store, entities: Entities, now: string): Subject[] {
  const find = (ref: Ref): Subject | undefined => entities.subjectOf(ref, WORKSPACE);
  const subjects = store.ids().flatMap((id): Subject[] => {
    try {
      const loaded = store.find(id);
      return loaded ? [entities.look(loaded, WORKSPACE).subject] : [];
    } catch (e) {
      if (!(e instanceof TaskfoldError)) throw e;
      return [];
    }
  });
  return subjects
    .filter(
      (one) => !isArchivedOrDeleted(one.entity) && isReady(one, find) && firstReady(one.entity, now) !== undefined,
    )
    .toSorted((a, b) => compareIds(a.id, b.id));
}

function allTasks(entities: Entities, plan: string | undefined): Subject[] {
  return entities.listing
    .rows(WORKSPACE)
    .rows.flatMap((row) => entities.listing.subjectOf(row, WORKSPACE) ?? [])
    .filter(({ entity }) => entity.kind === "task" && (plan === undefined || entity.parent?.root === plan));
}

async function law(some: readonly What[], runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps(some, 25), (work) =>
      inTempFolder(async (root) => {
        const scene = await Scene.make(root);
        for (const step of work) {
          await scene.do(step);
          if (step.read) scene.check();
        }
        scene.check();
        await scene.close();
      }),
    ),
    runsOf(runs),
  );
}

describe("what can be claimed next", () => {
  it(
    "[regression LEASE-35, ENG-83] is what a walk over all tasks finds, whatever writers changed, and when",
    SWEEP,
    () => expect(law(kinds, 12)).resolves.toBeUndefined(),
  );

  it("[regression LEASE-35] also after git brings another version", SWEEP, () =>
    expect(law([...kinds, ...GIT, ...GIT, ...GIT], 8)).resolves.toBeUndefined(),
  );

  it("[regression LEASE-35] also after another program put away, or brought back, what lies in the archive", () =>
    inTempFolder(async (root) => {
      const scene = await Scene.make(root);
      const [task, on] = [0, 1];
      for (const what of ["done", "archive"] as const) await scene.do({ what, task: 2, on, writer: 0, read: false });
      const archived = join(root, ".coco/archive/TASK-003");
      expect(() => scene.check()).not.toThrow();
      for (const [from, to] of [
        [archived, `${root}/away`],
        [`${root}/away`, archived],
      ] as const) {
        renameSync(from, to);
        // A reader that goes by the notification file looks at everything where there is none.
        rmSync(notificationsPath(root));
        expect(() => scene.check()).not.toThrow();
        await scene.do({ what: "claim", task, on, writer: 1, read: false });
        await scene.do({ what: "release", task, on, writer: 1, read: false });
        expect(() => scene.check()).not.toThrow();
      }
      await scene.close();
    }));
});
