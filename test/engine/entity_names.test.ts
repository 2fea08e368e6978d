import fc from "fast-check";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { ChangeNotifications } from "../../src/engine/core/change_notifications.ts";
import { SparseCheckout } from "../../src/engine/core/sparse_checkout.ts";
import { ChangeFeed } from "../../src/engine/listing/change_feed.ts";
import { EntityNames } from "../../src/engine/listing/entity_names.ts";
import { Layout } from "../../src/files/layout.ts";
import { passTime, stopTime } from "../support/clock.ts";
import { notificationsPath, oldNotifications } from "../support/notifications.ts";
import { inTempFolder, tempFolder } from "../support/temp.ts";
import { ROOT } from "../support/source.ts";
import { call, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const create = async (ws: ReturnType<typeof openTemp>, kind: "plan" | "task"): Promise<string> =>
  (await ok(ws, "tasks_create", { kind, title: "One" }))["id"] as string;

/** A disk that counts how often the folder of live plans and tasks is listed. */
function countedLists(): { disk: Disk; times: number } {
  const counted = {
    times: 0,
    disk: {
      ...nodeDisk,
      readdir: (path: string) => {
        if (path.endsWith("tasks")) counted.times++;
        return nodeDisk.readdir(path);
      },
    },
  };
  return counted;
}

describe("ids of new entities", () => {
  it("[ID-1] making one does not list the folders while no other process changed them", async () => {
    const listed = countedLists();
    const ws = openTemp({ disk: listed.disk, durability: "os" });
    expect([await create(ws, "task"), await create(ws, "plan"), await create(ws, "task")]).toEqual([
      "TASK-001",
      "PLAN-001",
      "TASK-002",
    ]);
    listed.times = 0;
    for (let n = 3; n < 9; n++) expect(await create(ws, "task")).toBe(`TASK-00${n}`);
    expect(listed.times).toBe(0);
  });

  it("[ID-1] numbers of others count, whichever program made them and wherever they are now", async () => {
    const ws = openTemp({ durability: "os" });
    expect(await create(ws, "task")).toBe("TASK-001");
    const other = openTemp({ root: ws.root, durability: "os" });
    expect(await create(other, "task")).toBe("TASK-002");
    await ok(other, "tasks_delete", { task: "TASK-002" });
    expect(await create(ws, "task")).toBe("TASK-003");
    await newTask(other, "TASK-040", []);
    expect(await create(ws, "task")).toBe("TASK-041");
    // Two changes in one tick of the file system's clock look like one.
    await new Promise((done) => setTimeout(done, 50));
    mkdirSync(join(ws.root, ".coco", "tasks", "task-050", "agents"), { recursive: true });
    expect(await create(ws, "task")).toBe("TASK-051");
  });

  it("[ID-1] a number that is taken is not given, also when the folder looks as it did", async () => {
    // A file system whose clock stands still: every change falls into one tick.
    const still: Disk = {
      ...nodeDisk,
      stat: (path) => {
        const stat = nodeDisk.stat(path);
        return stat && { ...stat, mtimeMs: 0, ctimeMs: 0 };
      },
    };
    const a = openTemp({ disk: still, durability: "os" });
    const other = openTemp({ root: a.root, disk: still, durability: "os" });
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await create(a, "task"), await create(other, "task"));
    expect(new Set(ids).size).toBe(8);
    await ok(a, "tasks_delete", { task: ids.at(-1)! });
    expect(ids).not.toContain(await create(other, "task"));
    rmSync(join(a.root, ".coco", "registry"), { recursive: true });
    expect((await call(a, "tasks_create", { kind: "task", title: "One" })).error).toBeNull();
  });
});

/** A file system whose clock stands still: no folder shows that it was changed. */
const STILL: Disk = {
  ...nodeDisk,
  stat: (path) => {
    const stat = nodeDisk.stat(path);
    return stat && { ...stat, mtimeMs: 0, ctimeMs: 0 };
  },
};

/** The names of one root, and those who change them. */
class Names {
  readonly layout: Layout;
  readonly names: EntityNames;
  listed = 0;
  /** A look at all names holds for a second. On a slow machine thirty changes took longer, and the names were listed again. */
  readonly pass = stopTime();
  readonly #disk: Disk;

  constructor(root: string, disk: Disk = STILL) {
    this.layout = new Layout(root);
    this.#disk = disk;
    oldNotifications(root);
    mkdirSync(this.layout.tasks, { recursive: true });
    mkdirSync(this.layout.archive);
    this.names = this.reader();
    this.names.look("names");
    this.names.look("names");
    this.listed = 0;
  }

  /** Names of a process that knows nothing yet. */
  reader(): EntityNames {
    const own = new ChangeNotifications(nodeDisk, this.layout, nodeRuntime);
    const list = (folder: string): string[] => {
      this.listed++;
      return readdirSync(folder);
    };
    const store = {
      names: () => list(this.layout.tasks),
      archivedNames: () => list(this.layout.archive),
      wentAway: { reported: () => [] },
    };
    const sparse = new SparseCheckout({ disk: this.#disk, runtime: nodeRuntime }, this.layout.root);
    const context = { disk: this.#disk, layout: this.layout, runtime: nodeRuntime, notifications: own, sparse };
    return new EntityNames(context, store, new ChangeFeed(context, { trustFirst: true }).reader());
  }

  /** As a process of its own does. */
  make(id: string, { ends = "after" }: { ends?: "after" | "before it notifies again" } = {}): void {
    const notifications = new ChangeNotifications(nodeDisk, this.layout, nodeRuntime);
    notifications.notify(this.layout.folder(id));
    mkdirSync(this.layout.folder(id), { recursive: true });
    if (ends === "after") notifications.notify(this.layout.folder(id));
    notifications.close();
  }

  put(id: string, to: "tasks" | "archive"): void {
    const [live, archived] = [this.layout.folder(id), this.layout.archived(id)];
    const [from, target] = to === "archive" ? [live, archived] : [archived, live];
    if (!readdirSync(join(from, "..")).includes(id)) return;
    renameSync(from, target);
    const notifications = new ChangeNotifications(nodeDisk, this.layout, nodeRuntime);
    for (const folder of [from, target]) notifications.notify(folder);
    notifications.close();
  }

  here(id: string): void {
    const notifications = new ChangeNotifications(nodeDisk, this.layout, nodeRuntime);
    this.names.look("names");
    if (this.names.spellingsOf(id).length > 0) return;
    notifications.notify(this.layout.folder(id));
    mkdirSync(this.layout.folder(id));
    notifications.notify(this.layout.folder(id));
    notifications.close();
    this.names.made(id);
  }

  get there(): string[] {
    const of = (part: "tasks" | "archive"): string[] => readdirSync(this.layout[part]).map((id) => `${part}/${id}`);
    return [...of("tasks"), ...of("archive")].toSorted();
  }
}

const IDS = ["TASK-001", "Task-001", "TASK-007", "PLAN-002", "mine", "Mine"];
const CHANGES = ["here", "other", "other", "crash", "archive", "restore", "look without the lock"] as const;

describe("names that are kept", () => {
  it("[FRESH-2] are those of a listing, whichever writers of ours change them, also where no folder shows it", async () => {
    const change = fc.record({ what: fc.constantFrom(...CHANGES), id: fc.constantFrom(...IDS) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 30 }), (changes) =>
        inTempFolder(async (root) => {
          const scene = new Names(root);
          for (const { what, id } of changes) {
            if (what === "here") scene.here(id);
            else if (what === "other") scene.make(id);
            else if (what === "crash") scene.make(id, { ends: "before it notifies again" });
            else if (what === "look without the lock") scene.names.look("names");
            else scene.put(id, what === "archive" ? "archive" : "tasks");
            scene.names.look("names");
            expect([...scene.names.all].toSorted()).toEqual(scene.there);
          }
          expect(scene.listed).toBe(0);
          await Promise.resolve();
        }),
      ),
      { numRuns: 60 },
    );
  });

  it("[regression ENG-90] the first number keeps no name, and what was notified before the next look counts in it", () => {
    const scene = new Names(tempFolder());
    for (const id of ["TASK-004", "PLAN-002"]) mkdirSync(scene.layout.folder(id));
    const names = scene.reader();
    expect(names.look("numbers")).toBe(true);
    expect([names.newest("task"), names.newest("plan")]).toEqual([
      { number: 4, id: "TASK-004" },
      { number: 2, id: "PLAN-002" },
    ]);
    expect(names.all.size).toBe(0);
    const notifications = new ChangeNotifications(nodeDisk, scene.layout, nodeRuntime);
    notifications.notify(scene.layout.folder("TASK-009"));
    expect(names.look("names")).toBe(true);
    expect([...names.all].toSorted()).toEqual(["tasks/PLAN-002", "tasks/TASK-004"]);
    scene.listed = 0;
    mkdirSync(scene.layout.folder("TASK-009"));
    expect(names.look("names")).toBe(true);
    expect([names.newest("task").id, scene.listed]).toEqual(["TASK-009", 0]);
    notifications.close();
  });

  it("[FRESH-2] a writer that ends between its two notifications, while another looks without the lock, hides no name", () => {
    const scene = new Names(tempFolder());
    const notifications = new ChangeNotifications(nodeDisk, scene.layout, nodeRuntime);
    notifications.notify(scene.layout.folder("TASK-009"));
    expect(scene.names.look("names")).toBe(false);
    mkdirSync(scene.layout.folder("TASK-009"));
    expect(scene.names.look("names")).toBe(true);
    expect(scene.names.newest("task")).toEqual({ number: 9, id: "TASK-009" });
    notifications.close();
  });

  it("[FRESH-2] a creation notifies before its folder is there", async () => {
    const ended: Disk = {
      ...nodeDisk,
      mkdir: (path) => {
        if (path.endsWith("TASK-005")) throw new Error("the process ended");
        nodeDisk.mkdir(path);
      },
    };
    const ws = openTemp({ disk: ended, durability: "os" });
    await ok(ws, "tasks_create", { kind: "plan", title: "One" });
    await call(ws, "tasks_create", { kind: "task", id: "TASK-005", title: "Five" });
    expect(readFileSync(notificationsPath(ws.root), "utf8")).toMatch(/^tasks\/TASK-005 /m);
  });

  it("[FRESH-2] what another program makes shows at once where only it changed the folder, and within a second beside others", async () => {
    const scene = new Names(tempFolder(), nodeDisk);
    await new Promise((done) => setTimeout(done, 20));
    mkdirSync(scene.layout.folder("theirs"));
    expect(scene.names.look("names")).toBe(true);
    expect(scene.names.has("theirs")).toBe(true);
    mkdirSync(scene.layout.folder("hidden"));
    scene.make("TASK-001");
    scene.names.look("names");
    expect(scene.names.has("TASK-001")).toBe(true);
    scene.pass(1100);
    scene.names.look("names");
    expect(scene.names.has("hidden")).toBe(true);
  });

  it("[FRESH-2] twenty creations with ids and keys of their own list the folders once a second, not each", async () => {
    const listed = countedLists();
    const ws = openTemp({ disk: listed.disk, durability: "os" });
    const make = (id: string): Promise<unknown> =>
      ok(ws, "tasks_create", { kind: "task", id, title: "One", idempotency_key: id });
    for (const id of ["first", "next"]) await make(id);
    // From then on the notification file is believed (FRESH-5).
    passTime(2100);
    await make("second");
    const pass = stopTime();
    for (let second = 0; second < 2; second++) {
      listed.times = 0;
      for (let n = 0; n < 10; n++) await make(`more-${second}-${n}`);
      expect(listed.times).toBeLessThan(3);
      pass(1100);
    }
    expect((await call(ws, "tasks_create", { kind: "task", id: "MORE-0-3", title: "One" })).error?.code).toBe(
      "ID_TAKEN",
    );
  });

  it(
    "[ENG-5] processes that create at once, and are killed, give no id and use no key twice",
    { tags: ["rotating"], timeout: 60_000 },
    async () => {
      const ws = openTemp({ durability: "os" });
      await newTask(ws);
      const started = Date.now();
      const worker = async (n: number): Promise<void> => {
        for (let life = 0; life < 3; life++) {
          const child = fork(join(ROOT, "test/support/create_worker.mjs"), [ws.root, String(n), String(life)]);
          const ended = once(child, "exit");
          // The last life does all; those before end in the middle of whatever they do, some with a notification file that is believed.
          if (life < 2) setTimeout(() => child.kill("SIGKILL"), life === 0 ? 3200 + 37 * n : 450);
          await ended;
        }
      };
      await Promise.all([0, 1, 2].map(worker));
      expect(Date.now() - started).toBeGreaterThan(2000);
      const ids = readdirSync(join(ws.root, ".coco", "tasks"));
      expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
      const keys = ids.flatMap((id) => {
        const [line = ""] = readFileSync(join(ws.root, ".coco", "tasks", id, "events.jsonl"), "utf8").split("\n");
        return (JSON.parse(line) as { op: { key?: string } }).op.key ?? [];
      });
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(keys)).toEqual(new Set(Array.from({ length: 60 }, (_none, n) => `key-${n}`)));
      expect((await ws.callTool("tasks_lint", { workspace: WORKSPACE, target: "TASK-001" })).error).toBeNull();
    },
  );
});
