import fc from "fast-check";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WatchChange } from "../../src/engine/watch/watch_options.ts";
import type { TaskfoldEvent } from "../../src/index.ts";
import { passTime } from "../support/clock.ts";
import { repository } from "../support/git.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { ROTATING, runsOf, SWEEP } from "../support/sweep.ts";
import { ROOT } from "../support/source.ts";
import { logPath, newTask, ok, openTemp, tree } from "../support/workspace.ts";

type Events = AsyncIterableIterator<TaskfoldEvent>;

const note = (ws: Workspace, text: string, task = "TASK-001") => ok(ws, "tasks_note", { task, note: text });

/** The next `n` events. */
async function take(events: Events, n: number): Promise<TaskfoldEvent[]> {
  const taken: TaskfoldEvent[] = [];
  while (taken.length < n) {
    const { done, value } = await events.next();
    if (done) throw new Error(`expected ${n} events, the watch ended after ${taken.length}`);
    taken.push(value);
  }
  return taken;
}

/** What comes before a note that is written now: nothing else is under way. */
async function rest(ws: Workspace, events: Events): Promise<TaskfoldEvent[]> {
  const result = await note(
    ws,
    "the end",
    (await ok(ws, "tasks_create", { kind: "task", title: "End" }))["id"] as string,
  );
  const last = (result["event"] as { event_id: string }).event_id;
  const taken: TaskfoldEvent[] = [];
  while (taken.at(-1)?.event_id !== last) taken.push(...(await take(events, 1)));
  return taken.slice(0, -2);
}

const notes = (events: TaskfoldEvent[]): string[] =>
  events.flatMap((e) => (e.type === "step_noted" ? [e["note"] as string] : []));

async function allEvents(ws: Workspace, since?: string): Promise<{ events: TaskfoldEvent[]; cursor: string }> {
  const events: TaskfoldEvent[] = [];
  for (let cursor = since; ;) {
    const page = await ok(ws, "tasks_delta", { limit: 200, ...(cursor === undefined ? {} : { since: cursor }) });
    events.push(...(page["events"] as object[] as TaskfoldEvent[]));
    cursor = page["cursor"] as string;
    if (page["next"] === 0) return { events, cursor };
  }
}

describe("watch", () => {
  it("[WATCH-1] gives what lands from now on, as a delta prints it", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { cursor } = await allEvents(ws);
    const events = ws.watch();
    await note(ws, "one");
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await newTask(ws, "TASK-002");
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    const given = await take(events, 6);
    expect(given).toEqual((await allEvents(ws, cursor)).events);
    expect(given.map((e) => e.type)).toEqual([
      "step_noted",
      "step_verified",
      "step_done",
      "task_created",
      "steps_added",
      "task_deleted",
    ]);
  });

  it("[WATCH-1] a folder without a write yet", ROTATING, async () => {
    const ws = openTemp();
    const events = ws.watch();
    await newTask(ws, "TASK-001", []);
    expect((await take(events, 1))[0]).toMatchObject({ type: "task_created", task: "TASK-001" });
  });

  it("[WATCH-1] other processes at once: every event, once", ROTATING, async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const events = ws.watch();
    const workers = ["a", "b", "c"].map((name) => worker([ws.root, name, "20", "TASK-001", "TASK-002"]));
    const given = await take(events, 60);
    expect(await Promise.all(workers)).toEqual([0, 0, 0]);
    const wanted = ["a", "b", "c"].flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name} ${i}`));
    expect(notes(given).toSorted()).toEqual(wanted.toSorted());
    expect(await rest(ws, events)).toEqual([]);
  });

  it("[WATCH-1] [WATCH-3] whatever is called: the same events as a delta, each once", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(15), anyWork(30), fc.nat(30), (before, after, at) =>
        inTempFolder(async (root) => {
          const one = new RandomWork(root, "one");
          await one.do(before);
          const { cursor } = await allEvents(one.ws);
          const live = one.ws.watch();
          await one.do(after.slice(0, at));
          const later = one.ws.watch({ since: cursor });
          const other = new RandomWork(root, "other", { calls: one.calls });
          await other.do(after.slice(at));
          const wanted = (await allEvents(one.ws, cursor)).events.map((e) => e.event_id).toSorted();
          for (const events of [live, later]) {
            const given = await take(events, wanted.length);
            expect(given.map((e) => e.event_id).toSorted()).toEqual(wanted);
          }
          await other.ws.close();
          await one.ws.close();
          expect(await live.next()).toEqual({ done: true, value: undefined });
        }),
      ),
      runsOf(12),
    );
  });

  it("[WATCH-1] git: branches come and go and are merged, and every event is given once", ROTATING, async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws);
    await note(ws, "base");
    ada.commit("base");
    ada.git("checkout", "-q", "-b", "docs");
    const events = ws.watch();
    await note(ws, "docs 1");
    await newTask(ws, "TASK-002", []);
    expect(notes(await take(events, 2))).toEqual(["docs 1"]);
    ada.commit("docs");
    ada.git("checkout", "-q", "main");
    await note(ws, "main 1");
    await note(ws, "main 2");
    expect(notes(await take(events, 2))).toEqual(["main 1", "main 2"]);
    ada.commit("main");
    ada.git("checkout", "-q", "docs");
    await note(ws, "docs 2");
    expect(notes(await take(events, 1))).toEqual(["docs 2"]);
    ada.commit("docs again");
    ada.git("checkout", "-q", "main");
    ada.tries("merge", "-q", "--no-edit", "docs");
    await ws.repair.resolve();
    expect(await rest(ws, events)).toEqual([]);
    ada.commit("merged");
    // What somebody else did on a branch is new here when it is merged.
    ada.git("checkout", "-q", "-b", "theirs");
    await note(ws, "kept back");
    ada.commit("theirs");
    ada.git("checkout", "-q", "main");
    const later = ws.watch();
    ada.git("merge", "-q", "--no-edit", "theirs");
    expect(notes(await take(later, 1))).toEqual(["kept back"]);
  });

  it("[WATCH-1] a log that was copied, moved or archived by hand is nothing new", async () => {
    const ws = openTemp();
    await newTask(ws);
    await note(ws, "before");
    const events = ws.watch();
    const tasks = join(ws.root, ".coco", "tasks");
    cpSync(join(tasks, "TASK-001"), join(tasks, "TASK-009"), { recursive: true });
    expect(await rest(ws, events)).toEqual([]);
    rmSync(join(tasks, "TASK-001"), { recursive: true });
    mkdirSync(join(ws.root, ".coco", "archive"), { recursive: true });
    renameSync(join(tasks, "TASK-009"), join(ws.root, ".coco", "archive", "TASK-009"));
    expect(await rest(ws, events)).toEqual([]);
  });

  it("[WATCH-3] refuses a cursor that is none", async () => {
    const ws = openTemp();
    await newTask(ws);
    expect(() => ws.watch({ since: "nonsense" })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    expect(() => ws.watch({ since: "AAAAAAAAAAAAAAAAAAAAAA" })).toThrow(
      expect.objectContaining({ code: "CURSOR_EXPIRED" }),
    );
  });

  it("[WATCH-4] without a single hint of the system a look finds everything", async () => {
    const silent: Disk = { ...nodeDisk, watch: () => () => undefined };
    const none: Disk = {
      ...nodeDisk,
      watch: () => {
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      },
    };
    for (const disk of [none, silent]) {
      const ws = openTemp({ disk });
      await newTask(ws);
      const events = ws.watch();
      await note(ws, "unheard");
      passTime(5000);
      expect(notes(await take(events, 1))).toEqual(["unheard"]);
      await events.return?.();
    }
  });

  it("[WATCH-4] [FRESH-2] another writer's change shows at once where the system watches no folder of a task", async () => {
    // As above two thousand tasks: of all watches only that of the notification file's folder is given.
    const disk: Disk = {
      ...nodeDisk,
      watch: (path, changed, failed) => {
        if (path.endsWith("registry")) return nodeDisk.watch(path, changed, failed);
        throw Object.assign(new Error("no more watches"), { code: "ENOSPC" });
      },
    };
    const ws = openTemp({ disk });
    await newTask(ws);
    const events = ws.watch();
    const other = openTemp({ root: ws.root });
    // No look at everything falls due any more.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    for (let i = 0; i < 5; i++) {
      const next = take(events, 1);
      await note(other, `${i}`);
      expect(notes(await next)).toEqual([`${i}`]);
    }
  });

  it("[regression WATCH-5] keeps no more than a page for a reader who is slow", ROTATING, async () => {
    const ws = openTemp({ durability: "os", projections: "manual" });
    await newTask(ws);
    const events = ws.watch();
    for (let i = 0; i < 300; i++) await note(ws, `note ${i}`);
    const log = readFileSync(logPath(ws.root));
    for (let i = 300; i < 500; i++) await note(ws, `note ${i}`);
    expect(notes(await take(events, 1))).toEqual(["note 0"]);
    // What is not in the log any more cannot be given by somebody who has not kept it.
    writeFileSync(`${logPath(ws.root)}.new`, log);
    renameSync(`${logPath(ws.root)}.new`, logPath(ws.root));
    expect(notes(await rest(ws, events))).toEqual(Array.from({ length: 299 }, (_, i) => `note ${i + 1}`));
  });

  it("[WATCH-7] ends by signal, return and close, also for who is waiting", async () => {
    const ws = openTemp();
    await newTask(ws);
    const abort = new AbortController();
    const three = [ws.watch({ signal: abort.signal }), ws.watch(), ws.watch()] as const;
    const waiting = three.map((events) => events.next());
    abort.abort();
    await three[1].return?.();
    await ws.close();
    for (const result of await Promise.all(waiting)) expect(result).toEqual({ done: true, value: undefined });
    for (const events of three) expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(() => ws.watch()).toThrow(expect.objectContaining({ code: "CLOSED" }));
    const again = openTemp({ root: ws.root });
    for await (const _ of again.watch({ signal: AbortSignal.abort() })) throw new Error("expected no event");
    const seen: string[] = [];
    const looped = again.watch();
    await note(again, "x");
    for await (const event of looped) {
      seen.push(event.type);
      break;
    }
    expect(seen).toEqual(["step_noted"]);
  });

  it("[WATCH-7] keeps the process alive while it is waited for, and writes nothing", ROTATING, async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.close();
    const before = tree(ws.root);
    const library = JSON.stringify(join(ROOT, "dist/index.js"));
    const begin = `import { openWorkspace } from ${library};
      const events = openWorkspace({ root: ${JSON.stringify(ws.root)} }).watch();`;
    expect(await exit(["--input-type=module", "-e", begin])).toBe(0);
    const ended = `setTimeout(() => events.return(), 300).unref(); console.log((await events.next()).done);`;
    expect(await exit(["--input-type=module", "-e", `${begin}\n${ended}`])).toBe(0);
    expect(tree(ws.root)).toEqual(before);
  });

  it("[WATCH-8] tells which logs are others, also when one is gone or is as it was before", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const early = readFileSync(logPath(ws.root));
    await note(ws, "later");
    const told: WatchChange[][] = [];
    let tell = (): void => undefined;
    const next = async (): Promise<WatchChange[]> => {
      while (told.length === 0) await new Promise<void>((done) => (tell = done));
      return told.shift()!;
    };
    const events = ws.watch({
      onChange: (changes) => {
        told.push(changes);
        tell();
      },
    });
    const end = events.next();
    writeFileSync(`${logPath(ws.root)}.new`, early);
    renameSync(`${logPath(ws.root)}.new`, logPath(ws.root));
    expect(await next()).toEqual([{ id: "TASK-001", what: "changed" }]);
    rmSync(join(ws.root, ".coco", "tasks", "TASK-002"), { recursive: true });
    expect(await next()).toEqual([{ id: "TASK-002", what: "gone" }]);
    cpSync(join(ws.root, ".coco", "tasks", "TASK-001"), join(ws.root, ".coco", "tasks", "TASK-003"), {
      recursive: true,
    });
    expect(await next()).toEqual([{ id: "TASK-003", what: "new" }]);
    await events.return?.();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it(
    "[WATCH-10] [TASKDOC-8] who reads a file on an event of another process finds the text of the event or a later one",
    ROTATING,
    async () => {
      const ws = openTemp();
      await newTask(ws);
      const goal = (): number =>
        Number(readFileSync(join(ws.root, ".coco/tasks/TASK-001/taskdoc.tsk/goals.md"), "utf8").trim());
      const atChanges: [number, number][] = [];
      let given = 0;
      const events = ws.watch({ onChange: () => atChanges.push([goal(), given]) });
      const script = `
      import { openWorkspace } from ${JSON.stringify(join(ROOT, "dist/index.js"))};
      const ws = openWorkspace({ root: process.argv[1], by: "agent:two" });
      const goals = { workspace: "acme/repo", task: "TASK-001", selector: "goals" };
      for (let i = 1; i <= 50; i++) await ws.call("change_mind", { ...goals, content: String(i) });
      await ws.close();`;
      const writer = exit(["--input-type=module", "-e", script, ws.root]);
      for (; given < 50; given++) {
        const [event] = await take(events, 1);
        expect(goal(), `on ${event!.event_id}`).toBeGreaterThanOrEqual(Number((event as { content?: string }).content));
      }
      expect(await writer).toBe(0);
      expect(atChanges.length).toBeGreaterThan(0);
      for (const [shown, before] of atChanges) expect(shown).toBeGreaterThan(before);
    },
  );

  it(
    "[WATCH-10] events are given although no process writes their files, also of a task that has none",
    ROTATING,
    async () => {
      const ws = openTemp();
      await newTask(ws);
      const writer = openTemp({ root: ws.root, projections: "manual" });
      const events = ws.watch();
      await note(writer, "one");
      expect(notes(await take(events, 1))).toEqual(["one"]);
      await note(writer, "two");
      expect(notes(await take(events, 1))).toEqual(["two"]);
      rmSync(join(ws.root, ".coco/tasks/TASK-001/task.yaml"));
      mkdirSync(join(ws.root, ".coco/tasks/TASK-001/task.yaml"));
      await note(writer, "three");
      expect(notes(await take(events, 1))).toEqual(["three"]);
      await newTask(writer, "TASK-002", []);
      expect((await take(events, 1))[0]).toMatchObject({ type: "task_created", task: "TASK-002" });
    },
  );

  it("[WATCH-7] [WATCH-10] ends at once also while it waits for files", async () => {
    const ws = openTemp();
    await newTask(ws);
    const writer = openTemp({ root: ws.root, projections: "manual" });
    const events = ws.watch();
    const end = events.next();
    await note(writer, "never shown");
    await events.return?.();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it("[WATCH-1] a log that cannot be read is tried again", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const events = ws.watch();
    await note(ws, "behind a folder");
    const log = logPath(ws.root);
    renameSync(log, `${log}.aside`);
    mkdirSync(log);
    await note(ws, "in another", "TASK-002");
    expect(notes(await take(events, 1))).toEqual(["in another"]);
    rmSync(log, { recursive: true });
    renameSync(`${log}.aside`, log);
    expect(notes(await take(events, 1))).toEqual(["behind a folder"]);
  });
});

function worker(args: string[]): Promise<number | null> {
  return exit([join(ROOT, "test/support/note_worker.mjs"), ...args]);
}

function exit(argv: string[]): Promise<number | null> {
  return new Promise((done) =>
    spawn(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"] }).on("exit", done),
  );
}
