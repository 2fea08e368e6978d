/** Workers: what they claim, renew, close and give back, in this process and in several that are killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { Runtime } from "../../src/runtime.ts";
import { runWorker } from "../../src/runner/run_worker.ts";
import type { WorkerEvent, WorkerOptions, WorkerRun } from "../../src/runner/run_worker.ts";
import type { WorkFunction } from "../../src/runner/work.ts";
import { codeBlocks } from "../support/markdown.ts";
import { openWorkspace } from "../support/open.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";

const WORKSPACE = "acme/repo";

interface StepRow {
  path: string;
  done: boolean;
  blocked: boolean;
  block_reason: string | null;
  done_by: string | null;
  lease?: { by: string } | null;
}

/** The time of a third of a claim passes at once, and any other as it does. */
const HURRIED: Runtime = {
  ...nodeRuntime,
  host: nodeRuntime.host,
  threadsBeside: nodeRuntime.threadsBeside,
  after: (ms, call, idle) => nodeRuntime.after(ms === 300_000 ? 1 : ms, call, idle),
};

/** A task of such steps, and one who works on it. */
async function world(
  titles: readonly string[],
  more: { tests?: string[]; proof?: JsonObject; ordered?: boolean; runtime?: Runtime } = {},
) {
  const root = tempFolder();
  const { ordered = false, runtime, ...of } = more;
  const ws = openWorkspace({ root, workspace: WORKSPACE, by: "agent:ada", ...(runtime ? { runtime } : {}) });
  const steps = titles.map((title) => ({ title, success_criteria: ["it works"], ...of }));
  const task = { kind: "task", title: "T", steps, ordered, complete_when_done: true };
  const call = async (tool: string, input: JsonObject, by = "human:eve"): Promise<JsonObject> => {
    const { result, error } = await ws.callTool(tool, { workspace: WORKSPACE, ...input }, { by });
    if (error) throw new Error(`${error.code}: ${error.message}`);
    return result;
  };
  await call("tasks_create", task);
  const rows = async (): Promise<StepRow[]> =>
    (await call("tasks_mirror", { task: "TASK-001" }))["steps"] as unknown as StepRow[];
  const events = (): string[] => ws.log("TASK-001").events.map(({ type }) => type);
  const told: WorkerEvent[] = [];
  const work = (worker: WorkFunction, options: WorkerOptions = {}): Promise<WorkerRun> =>
    runWorker(ws, worker, { on: (event) => void told.push(event), ...options });
  const heard = (type: WorkerEvent["type"]): number => told.filter((event) => event.type === type).length;
  return { root, ws, call, rows, events, told, heard, work };
}

const done = (): Promise<void> => Promise.resolve();
const aborted = (signal: AbortSignal): Promise<unknown> => (signal.aborted ? Promise.resolve() : once(signal, "abort"));

describe("a worker", () => {
  it("[regression LEASE-59] that is no function is refused before a claim, and blocks nothing", async () => {
    const { rows, told, work } = await world(["a"]);
    for (const wrong of [null, undefined, {}])
      await expect(work(wrong as never)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(told).toEqual([]);
    expect(await rows()).toMatchObject([{ blocked: false, done: false }]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", null, "options to be an object, found null"],
    ["a number", 4, "options to be an object, found 4"],
    ["a name that is none", { concurrency: 4 }, 'found "concurrency"'],
    ["a time of no claim", { ttlSeconds: 0 }, "ttlSeconds to be a whole number from 1 to 604800, found 0"],
    ["a time that is no number", { ttlSeconds: Number.NaN }, "ttlSeconds"],
    ["a part of a second", { ttlSeconds: 0.5 }, "ttlSeconds"],
    ["more than a week", { ttlSeconds: 604_801 }, "ttlSeconds"],
    ["a time in words", { ttlSeconds: "5" }, "ttlSeconds"],
    ["a signal that is none", { signal: {} }, "signal to be an AbortSignal"],
    ["a listener that is none", { on: 5 }, "on to be a function, found 5"],
    ["a plan that is no text", { plan: 5 }, "plan to be text, found 5"],
  ])("[regression LEASE-60] that is given %s as options is refused before a claim", async (_name, options, words) => {
    const { ws, rows, told } = await world(["a"]);
    await expect(runWorker(ws, done, options as WorkerOptions)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(words) as string,
      recovery: expect.stringContaining("runWorker(workspace, ") as string,
    });
    expect(told).toEqual([]);
    expect(await rows()).toMatchObject([{ blocked: false, done: false }]);
  });

  it("[ENG-19] whose options are null takes the defaults", async () => {
    const { ws, rows } = await world(["a"]);
    const none = { plan: null, task: null, ttlSeconds: null, signal: null, on: null };
    expect(await runWorker(ws, done, none as never)).toMatchObject({ closed: 1 });
    expect(await rows()).toMatchObject([{ done: true }]);
  });

  it("[regression LEASE-61] whose function confirms what is no checkpoint ends with the refusal, and blocks no step", async () => {
    const { rows, work, events } = await world(["a", "b", "c"]);
    await expect(work((async () => true) as never)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect((await rows()).every((step) => !step.blocked && !step.done && !step.lease)).toBe(true);
    expect(events().filter((type) => type === "lease_claimed")).toHaveLength(1);
  });

  it("[LEASE-56] is one of many in a process, which Node takes for no leak, and one signal stops them all", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
    const { work, rows } = await world(names);
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const before = process.listenerCount("SIGHUP");
    let working = 0;
    const runs = names.map((_, n) =>
      work(
        async (_work, signal) => {
          if (++working === names.length) process.emit("SIGHUP");
          await aborted(signal);
        },
        { actor: `agent:a${n}` },
      ),
    );
    expect((await Promise.all(runs)).map(({ outcome, released }) => [outcome, released])).toEqual(
      names.map(() => ["stopped", 1]),
    );
    expect(process.listenerCount("SIGHUP")).toBe(before);
    expect((await rows()).every((step) => !step.lease)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it(
    "[LEASE-55] in the function of another one ends as stuck, and takes what is ready before that",
    ROTATING,
    async () => {
      const { work } = await world(["a", "b"]);
      const inner: WorkerRun[] = [];
      const run = await work(async () => void inner.push(await work(done)));
      expect(inner).toMatchObject([{ outcome: "stuck", closed: 1 }]);
      expect(run).toMatchObject({ outcome: "all_done", closed: 1 });
    },
  );

  it(
    "[LEASE-55] in the function of one of another workspace waits for the claims there as ever",
    ROTATING,
    async () => {
      const [outer, other] = [await world(["a"]), await world(["b"])];
      await other.call("tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 4 });
      const inner: WorkerRun[] = [];
      await outer.work(async () => void inner.push(await other.work(done)));
      expect(inner).toMatchObject([{ outcome: "all_done", closed: 1 }]);
    },
  );

  it("[LEASE-56] whose workspace is closed meanwhile ends with CLOSED, and the function is told", async () => {
    const { ws, work, told } = await world(["a"], { runtime: HURRIED });
    let reason: unknown;
    const run = work(async (_work, signal) => {
      await ws.close();
      await aborted(signal);
      reason = signal.reason;
    });
    await expect(run).rejects.toMatchObject({ code: "CLOSED" });
    expect(reason).toMatchObject({ code: "CLOSED" });
    expect(told.map(({ type }) => type)).toEqual(["claimed", "lost"]);
  });

  it("[LEASE-55] does the ready steps in order, and ends when none is left", async () => {
    const { rows, told, work } = await world(["a", "b", "c"], { ordered: true });
    const seen: string[] = [];
    const run = await work(async ({ task, title, success_criteria }) => {
      seen.push(`${task} ${title}: ${success_criteria.join()}`);
    });
    expect(run).toEqual({ outcome: "all_done", closed: 3, released: 0, lost: 0, blocked: 0 });
    expect(seen).toEqual(["a", "b", "c"].map((title) => `TASK-001 ${title}: it works`));
    expect((await rows()).every((step) => step.done)).toBe(true);
    expect(told.map(({ type }) => type)).toEqual(["a", "b", "c"].flatMap(() => ["claimed", "closed"]));
    expect(await work(done)).toMatchObject({ outcome: "all_done", closed: 0 });
  });

  it("[LEASE-55] records what the work runs as evidence that closes the step, and acts as the actor it is given", async () => {
    const { rows, work } = await world(["a"], { tests: ["true"], proof: { tests: "captured" } });
    const run = await work(
      async (one) => {
        expect(await one.run(["sh", "-c", "true"], { test: "true" })).toMatchObject({
          exit_code: 0,
          degree: "captured",
        });
      },
      { actor: "agent:ben" },
    );
    expect(run.closed).toBe(1);
    expect((await rows())[0]).toMatchObject({ done: true, done_by: "agent:ben" });
  });

  it("[LEASE-55] waits for a claim that ends, and for a step that another caller closes", ROTATING, async () => {
    const { call, heard, work } = await world(["a", "b"], { ordered: true });
    const { lease } = await call("tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 900 });
    const closed = work(done);
    await expect.poll(() => heard("waiting")).toBeGreaterThan(0);
    const { fence } = lease as { fence: number };
    await call("tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate", fence });
    expect(await closed).toMatchObject({ outcome: "all_done", closed: 1 });
  });

  it(
    "[LEASE-55] ends as stuck where only another actor can free a step, and tells that it waited",
    ROTATING,
    async () => {
      const { call, told, work } = await world([]);
      expect(await work(done)).toMatchObject({ outcome: "stuck", closed: 0 });
      expect(told.map(({ type }) => type)).toEqual(["waiting"]);
      const blocked = await world(["a"]);
      await blocked.call("tasks_block", { task: "TASK-001", path: "s:0", blocked: true, reason: "no key" });
      expect(await blocked.work(done)).toMatchObject({ outcome: "stuck", closed: 0 });
      const steps = [{ title: "z", success_criteria: ["it works"] }];
      await call("tasks_create", { kind: "task", title: "U", steps, depends_on: ["TASK-001"] });
      expect(await work(done)).toMatchObject({ outcome: "stuck", closed: 0 });
    },
  );

  it("[LEASE-55] rejects where the folder of the workspace is gone, and does not say that all is done", async () => {
    const { root, work } = await world(["a"]);
    const gone = work(async () => rmSync(join(root, ".coco"), { recursive: true }));
    await expect(gone).rejects.toMatchObject({ code: "NO_WORKSPACE" });
  });

  it("[LEASE-56] renews its claim while the function works", async () => {
    const { events, work } = await world(["a"], { runtime: HURRIED });
    const claims = (): number => events().filter((type) => type === "lease_claimed").length;
    const run = await work(async () => {
      while (claims() < 5) await pause(5);
    });
    expect(run).toMatchObject({ closed: 1, lost: 0, blocked: 0 });
  });

  it(
    "[LEASE-56] stops work on a step whose claim another caller ended, and changes nothing of it",
    ROTATING,
    async () => {
      const { call, events, work } = await world(["a"], { runtime: HURRIED });
      let tries = 0;
      const run = await work(async ({ step_id }, signal) => {
        tries++;
        await call("tasks_release", { task: "TASK-001", step_id, force: true, reason: "mine" });
        await aborted(signal);
        // Even if it says that all is well.
        return "gate";
      });
      expect(run).toEqual({ outcome: "stuck", closed: 0, released: 0, lost: 1, blocked: 0 });
      expect(events().filter((type) => type === "step_done")).toHaveLength(0);
      expect(tries).toBe(1);
    },
  );

  it("[LEASE-55] blocks a step whose work fails, with the reason, and goes on", async () => {
    const { rows, told, work } = await world(["a", "b"]);
    const stop = new AbortController();
    const run = await work(
      async ({ title }) => {
        if (title === "a") throw new Error("no\nkey");
        stop.abort();
        return "gate";
      },
      { signal: stop.signal },
    );
    expect(run).toEqual({ outcome: "stopped", closed: 1, released: 0, lost: 0, blocked: 1 });
    expect(await rows()).toMatchObject([{ blocked: true, block_reason: "no key", done: false }, { done: true }]);
    expect((await rows()).map(({ lease }) => lease ?? null)).toEqual([null, null]);
    expect(told).toContainEqual(expect.objectContaining({ type: "blocked", path: "s:0", reason: "no key" }));
  });

  it("[LEASE-55] blocks a step whose work throws what has no text, and goes on", ROTATING, async () => {
    const { rows, work } = await world(["a", "b"]);
    const run = await work(async ({ title }) => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a function of a user may do so
      if (title === "a") throw Object.create(null);
    });
    expect(run).toMatchObject({ outcome: "stuck", closed: 1, blocked: 1 });
    expect((await rows())[0]!.block_reason).toBe("the work failed with a value that has no text");
  });

  it("[LEASE-55] says in the block why a step may not close: a run of the work failed", ROTATING, async () => {
    const { rows, work } = await world(["a", "b", "c", "d"], { tests: ["false"] });
    const failing: WorkFunction = async (one) => void (await one.run(["false"]));
    await expect(work(failing)).rejects.toMatchObject({ code: "PROOF_FAILED" });
    const all = await rows();
    expect(all.map(({ blocked }) => blocked)).toEqual([true, true, true, false]);
    expect(all[0]!.block_reason).toMatch(/^PROOF_FAILED: /);
    expect(all.map(({ lease }) => lease ?? null)).toEqual([null, null, null, null]);
  });

  it("[LEASE-55] rejects with a refusal that no repeating helps, and leaves no claim when a listener throws", async () => {
    const { rows, work } = await world(["a"]);
    await expect(work(done, { task: "TASK-009" })).rejects.toMatchObject({ code: "UNKNOWN_ID" });
    const on = (): never => {
      throw new Error("full");
    };
    await expect(work(done, { on })).rejects.toThrow("full");
    expect((await rows())[0]).toMatchObject({ done: false, blocked: false });
    expect((await rows())[0]!.lease ?? null).toBeNull();
  });

  it("[LEASE-56] gives its claim back when its caller stops it, and closes only what the function says holds", async () => {
    const { rows, heard, work } = await world(["a"]);
    const stopped = new AbortController();
    const cut = work(async (_work, signal) => void (await aborted(signal)), { signal: stopped.signal });
    await expect.poll(() => heard("claimed")).toBe(1);
    stopped.abort();
    expect(await cut).toEqual({ outcome: "stopped", closed: 0, released: 1, lost: 0, blocked: 0 });
    expect((await rows())[0]).toMatchObject({ done: false, blocked: false });
    const again = new AbortController();
    const finished = work(
      async (_work, signal) => {
        again.abort();
        await aborted(signal);
        return { criteria: true, tests: true };
      },
      { signal: again.signal },
    );
    expect(await finished).toMatchObject({ outcome: "stopped", closed: 1 });
  });
});

const PROGRAM = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** A worker in a process of its own, and what it tells. */
function start(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const read = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const ended = Promise.all([once(child, "exit"), once(read, "close")]).then(
    ([exit]) => exit as [number | null, string | null],
  );
  const has = (type: string) => (): boolean => lines.some((line) => line.includes(`"type":"${type}"`));
  return { child, lines, ended, has };
}

describe("workers in processes of their own", ROTATING, () => {
  it("[LEASE-56] do all steps once, though one of them is killed and one is told to end", async () => {
    const { root, ws, rows } = await world(
      Array.from({ length: 8 }, (_, n) => `step ${n}`),
      {
        tests: ["sleep 0.2"],
        proof: { tests: "captured" },
      },
    );
    const workers = ["one", "two", "three", "four"].map((name) => start([PROGRAM, root, `agent:${name}`, "5"], root));
    const [killed, ended, ...rest] = workers as [(typeof workers)[0], (typeof workers)[0], ...typeof workers];
    await expect.poll(killed.has("claimed"), { timeout: 30_000 }).toBe(true);
    killed.child.kill("SIGKILL");
    await expect.poll(ended.has("claimed"), { timeout: 30_000 }).toBe(true);
    ended.child.kill("SIGTERM");
    expect(await killed.ended).toEqual([null, "SIGKILL"]);
    expect(await ended.ended).toEqual([0, null]);
    expect(JSON.parse(ended.lines.at(-1)!)).toMatchObject({ outcome: "stopped", blocked: 0 });
    for (const { ended: end, lines } of rest) {
      expect(await end).toEqual([0, null]);
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ outcome: "all_done", blocked: 0 });
    }
    expect((await rows()).map((step) => step.done)).toEqual(Array.from({ length: 8 }, () => true));
    const log = ws.log("TASK-001", { limit: 1000 }).events.map(({ type }) => type);
    expect(log.filter((type) => type === "step_done")).toHaveLength(8);
    expect(log.filter((type) => type === "task_completed")).toHaveLength(1);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[LEASE-55] [LEASE-56] run as docs/many-agents.md shows it, compiled as strictly as TypeScript can", async () => {
    const { root, rows } = await world(["a", "b", "c", "d"], { tests: ["sleep 0.2"], proof: { tests: "captured" } });
    const code = codeBlocks("docs/many-agents.md").find(({ language }) => language === "ts")!.text;
    mkdirSync(join(root, "node_modules"));
    for (const name of ["taskfold", "@types"])
      symlinkSync(
        name === "taskfold" ? ROOT : join(ROOT, "node_modules", name),
        join(root, "node_modules", name),
        "junction",
      );
    writeFileSync(join(root, "worker.mts"), code);
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noImplicitReturns"];
    const how = ["--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck"];
    const tsc = start([join(ROOT, "node_modules/typescript/bin/tsc"), ...strict, ...how, "worker.mts"], root);
    expect([await tsc.ended, tsc.lines]).toEqual([[0, null], []]);
    const first = start(["worker.mjs"], root);
    await expect.poll(first.has("claimed"), { timeout: 30_000 }).toBe(true);
    first.child.kill("SIGTERM");
    expect(await first.ended).toEqual([0, null]);
    expect(first.lines.at(-1)).toMatch(/^stopped: \d closed, 0 blocked$/);
    const others = [start(["worker.mjs"], root), start(["worker.mjs"], root)];
    for (const { ended, lines } of others) {
      expect(await ended).toEqual([0, null]);
      expect(lines.at(-1)).toMatch(/^all_done: \d closed, 0 blocked$/);
    }
    expect((await rows()).every((step) => step.done)).toBe(true);
  });
});
