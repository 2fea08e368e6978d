import { internalsOf } from "../../src/engine/groups/internals.ts";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { reviewed } from "../support/packet_work.ts";
import { call, logLines, logPath, newTask, ok, openTemp, START, ticking, WORKSPACE } from "../support/workspace.ts";
import { BRIEF, DIFF, MANIFEST, REVIEW, runOf, TASK, withPacket } from "./packet_support.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const STAGES = ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"];
const GOOD: Record<string, object> = {
  gemini_brief: { out: BRIEF },
  codex_impl: { out: DIFF, applies: "applied", changed_paths: ["src/read.ts"] },
  codex_verify: {
    out: "ran",
    acceptance: ["npm test", "npm run check"].map((command) => ({ command, exit_code: 0 })),
  },
  gemini_review: { out: REVIEW },
};

type Move = { what: "start" | "pass" | "fail" | "interrupt" | "reopen" | "reset"; stage: string };
const move: fc.Arbitrary<Move> = fc.record({
  what: fc.constantFrom("start", "start", "pass", "pass", "fail", "interrupt", "reopen", "reset"),
  stage: fc.constantFrom(...STAGES),
});

function inputOf({ what, stage }: Move): [string, object] {
  const reason = "because";
  switch (what) {
    case "start":
      return ["packet_stage_start", { stage }];
    case "pass":
      return ["packet_stage_finish", { stage, exit_code: 0, ...GOOD[stage] }];
    case "fail":
      return ["packet_stage_finish", { stage, exit_code: 1, err: "socket closed\n" }];
    case "interrupt":
      return ["packet_stage_interrupt", { stage, reason }];
    case "reopen":
      return ["packet_stage_reopen", { stage, reason }];
    default:
      return ["packet_budget_reset", { kind: "paid_call_budget", reason }];
  }
}

const REFUSALS: Record<Move["what"], string[]> = {
  start: ["STAGE_RUNNING", "ALREADY_DONE", "BUDGET_EXHAUSTED"],
  pass: ["STAGE_NOT_RUNNING"],
  fail: ["STAGE_NOT_RUNNING"],
  interrupt: ["STAGE_NOT_RUNNING"],
  reopen: ["NOT_DONE", "STAGE_RUNNING"],
  reset: ["STAGE_RUNNING"],
};

const folder = (ws: Workspace): string => join(ws.root, ".coco/tasks", TASK);
const markers = (ws: Workspace): string[] => {
  const path = join(folder(ws), "done");
  return existsSync(path) ? readdirSync(path).map((name) => name.replace(/\.done$/, "")) : [];
};

/** A packet whose stage was reopened, and a copy of its workspace: two branches that run the stage. */
async function reopenedInTwo(): Promise<{ a: Workspace; other: string; id: string }> {
  const a = openTemp();
  const id = await reviewed(a);
  await ok(a, "packet_stage_reopen", { task: id, stage: "gemini_review", reason: "again" });
  await a.close();
  const other = join(tempFolder(), "other");
  cpSync(a.root, other, { recursive: true });
  return { a, other, id };
}

describe("a packet", () => {
  it(
    "[PACKET-82] markers are the stages that passed, pay is the starts since the reset, files are their rebuild",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
          const ws = openTemp({ durability: "os" });
          await newTask(ws);
          const budgets = { retry_budget: 2, paid_call_budget: 5, max_wallclock_sec: 60 };
          await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, budgets } });
          const done = new Set<string>();
          const running = new Set<string>();
          const unpassed = new Set<string>();
          let paid = 0;
          for (const one of moves) {
            const { what, stage } = one;
            const [tool, input] = inputOf(one);
            const { success, result, error } = await ws.callTool(tool, {
              workspace: WORKSPACE,
              task: TASK,
              ...runOf(ws, tool, stage),
              ...input,
            });
            // What the model of the packet says of this call, and what the call said.
            const free = !running.has(stage) && !done.has(stage) && paid < 5;
            const again = done.has(stage) || unpassed.has(stage);
            const may = { start: free, reopen: again, reset: running.size === 0 }[what as string] ?? running.has(stage);
            const code = success ? null : error?.code;
            expect(success ? [null] : REFUSALS[what]).toContain(code);
            expect(!success || may).toBe(true);
            if (!success) continue;
            if (what === "start") {
              running.add(stage);
              unpassed.delete(stage);
              paid++;
            } else if (what === "reset") paid = 0;
            else if (what === "reopen") done.delete(stage);
            else running.delete(stage);
            if (what === "pass" && (result as { passed: boolean }).passed) done.add(stage);
            else if (["pass", "fail", "interrupt"].includes(what)) unpassed.add(stage);
            expect(markers(ws).toSorted()).toEqual([...done].toSorted());
            const stats = JSON.parse(readFileSync(join(folder(ws), "state/stats.json"), "utf8")) as {
              paid_calls_used: number;
              stages_completed: string[];
            };
            expect(stats.paid_calls_used).toBe(paid);
            expect(stats.stages_completed.toSorted()).toEqual([...done].toSorted());
          }
          expect(ws.verify().findings).toEqual([]);
          const { rebuilt } = await ws.repair.rebuild();
          expect(rebuilt.flatMap(({ files }) => files)).toEqual([]);
          await ws.close();
        }),
        runsOf(25),
      );
    },
  );

  it("[PACKET-82] a marker or a count that another program wrote is drift: verify shows it, and the next change puts it aside", async () => {
    const ws = await withPacket();
    mkdirSync(join(folder(ws), "done"), { recursive: true });
    writeFileSync(join(folder(ws), "done/codex_impl.done"), "2026-01-01T00:00:00Z\n");
    writeFileSync(join(folder(ws), "state/stats.json"), '{"paid_calls_used":0}\n');
    const files = ws.verify().findings.map(({ code, file }) => [code, file?.split("/").slice(-2).join("/")]);
    expect(files).toEqual([
      ["PACKET_MARKER_FOREIGN", "done/codex_impl.done"],
      ["PROJECTION_DIFFERS", "state/stats.json"],
    ]);
    const reply = await call(ws, "packet_stage_start", { task: TASK, stage: "gemini_brief" });
    expect(reply.warnings.map(({ code }) => code)).toEqual(["PROJECTION_DRIFT", "PROJECTION_DRIFT"]);
    expect(markers(ws)).toEqual([]);
    expect(readdirSync(join(ws.root, ".coco/registry/quarantine")).toSorted()).toEqual([
      expect.stringContaining("done_codex_impl.done"),
      expect.stringContaining("state_stats.json"),
    ]);
  });

  it("[regression PROJ-81] a count of a moment that no other file names is no drift: its writer was killed before the next file", async () => {
    const ws = await withPacket();
    const path = (name: string): string => join(folder(ws), name);
    const before = ["README.md", "task.yaml"].map((name) => [path(name), readFileSync(path(name))] as const);
    const stage = { task: TASK, stage: "gemini_brief" };
    await ok(ws, "packet_stage_start", stage);
    const between = readFileSync(path("state/stats.json"));
    await ok(ws, "packet_stage_interrupt", { ...stage, reason: "no time" });
    await ok(ws, "packet_stage_start", stage);
    await ws.close();
    for (const [file, bytes] of before) writeFileSync(file, bytes);
    writeFileSync(path("state/stats.json"), between);
    const again = openTemp({ root: ws.root });
    expect((await call(again, "tasks_note", { task: TASK, note: "goes on" })).warnings).toEqual([]);
    writeFileSync(path("state/stats.json"), '{"paid_calls_used":7}\n');
    const { warnings } = await call(again, "tasks_note", { task: TASK, note: "and on" });
    expect(warnings.map(({ code }) => code)).toEqual(["PROJECTION_DRIFT"]);
  });

  it("[regression PROJ-81] a count of a moment at which the log had branches is no drift either, once an op joined them", async () => {
    const { a, other, id } = await reopenedInTwo();
    const path = (name: string): string => join(a.root, ".coco/tasks", id, name);
    const before = ["README.md", "task.yaml"].map((name) => [path(name), readFileSync(path(name))] as const);
    const start = { task: id, stage: "gemini_review" };
    for (const root of [a.root, other]) {
      const ws = openTemp({ root });
      await ok(ws, "packet_stage_start", start);
      await ws.close();
    }
    writeFileSync(logPath(a.root, id), readFileSync(logPath(other, id)), { flag: "a" });
    const one = openTemp({ root: a.root });
    await one.repair.rebuild();
    const between = readFileSync(path("state/stats.json"));
    await ok(one, "packet_stage_finish", { ...start, exit_code: 0, out: `${REVIEW}\nof one\n`, err: "" });
    await one.close();
    expect(readFileSync(path("state/stats.json")).equals(between)).toBe(false);
    for (const [file, bytes] of before) writeFileSync(file, bytes);
    writeFileSync(path("state/stats.json"), between);
    const again = openTemp({ root: a.root });
    expect((await call(again, "tasks_note", { task: id, note: "goes on" })).warnings).toEqual([]);
  });

  it("[PACKET-130] an attempt that ends after a later one of another branch leaves the output of that one as it is", async () => {
    const { a, other, id } = await reopenedInTwo();
    const hour = (n: number): (() => number) => ticking(START + n * 3_600_000);
    const start = { task: id, stage: "gemini_review" };
    const one = openTemp({ root: a.root, now: hour(1) });
    await ok(one, "packet_stage_start", start);
    const two = openTemp({ root: other, now: hour(2) });
    await ok(two, "packet_stage_start", start);
    await ok(two, "packet_stage_finish", { ...start, exit_code: 0, out: `${REVIEW}\nof two\n`, err: "two\n" });
    await two.close();
    const outputs = (root: string): string => join(root, ".coco/tasks", id, "outputs");
    writeFileSync(logPath(a.root, id), readFileSync(logPath(other, id)), { flag: "a" });
    cpSync(outputs(other), outputs(a.root), { recursive: true });
    await one.repair.resolve();
    await ok(one, "packet_stage_finish", { ...start, exit_code: 0, out: `${REVIEW}\nof one\n`, err: "one\n" });
    const read = (name: string): string => readFileSync(join(outputs(a.root), `gemini_review.gemini.${name}`), "utf8");
    expect([read("err"), read("2.err"), read("out").split("\n").at(-2)]).toEqual(["two\n", "one\n", "of two"]);
    expect(one.verify().findings).toEqual([]);
  });

  it("[PACKET-353] a log whose task another process deleted meanwhile is put back nowhere", async () => {
    const one = openTemp();
    const id = await reviewed(one);
    await ok(one, "packet_stage_start", { task: id, stage: "codex_review" });
    const kept = readFileSync(logPath(one.root, id));
    const other = openTemp({ root: one.root });
    await ok(other, "packet_stage_interrupt", { task: id, stage: "codex_review", reason: "given up" });
    await ok(other, "tasks_delete", { task: id });
    expect(await internalsOf(one).restoreLines(id, kept)).toBe(0);
    expect(existsSync(join(one.root, ".coco/tasks", id))).toBe(false);
    expect(one.verify().findings).toEqual([]);
    // Git took the last lines out of it there.
    const away = join(one.root, ".coco/archive", id, "events.jsonl");
    const whole = readFileSync(away);
    writeFileSync(away, whole.subarray(0, kept.lastIndexOf(10, -2) + 1));
    expect(await internalsOf(one).restoreLines(id, kept)).toBeGreaterThan(0);
    expect(existsSync(join(one.root, ".coco/tasks", id))).toBe(false);
    expect(readFileSync(away)).toEqual(kept);
  });

  it("[PACKET-353] a log of two entities is put back where the whole folder is gone", async () => {
    const later = openTemp({ now: ticking(START + 9_000_000) });
    const id = await reviewed(later);
    const one = openTemp();
    await newTask(one, id);
    const kept = Buffer.concat([readFileSync(logPath(one.root, id)), readFileSync(logPath(later.root, id))]);
    rmSync(join(one.root, ".coco/tasks", id), { recursive: true });
    expect(await internalsOf(one).restoreLines(id, kept)).toBeGreaterThan(0);
    expect(readdirSync(join(one.root, ".coco/tasks"))).toHaveLength(2);
    expect(existsSync(logPath(one.root, id))).toBe(true);
  });

  it("[PACKET-130] attempts of two branches stay apart, and two manifests are a conflict", async () => {
    const ws = await withPacket();
    const other = join(tempFolder(), "other");
    cpSync(ws.root, other, { recursive: true });
    const theirs = openTemp({ root: other });
    await ok(ws, "packet_patch", { task: TASK, manifest: { goal: "Ours" } });
    await ok(theirs, "packet_patch", { task: TASK, manifest: { goal: "Theirs" } });
    for (const one of [ws, theirs]) {
      await ok(one, "packet_stage_start", { task: TASK, stage: "gemini_brief" });
      await ok(one, "packet_stage_finish", { task: TASK, stage: "gemini_brief", exit_code: 1, err: "socket closed\n" });
      await one.close();
    }
    const lines = new Set([...logLines(ws.root), ...logLines(other)]);
    writeFileSync(join(folder(ws), "events.jsonl"), `${[...lines].join("\n")}\n`);
    const merged = openTemp({ root: ws.root });
    const { packet } = await ok(merged, "packet_show", { task: TASK });
    expect(packet).toMatchObject({
      budgets: { paid_calls_used: 2 },
      stages: [{ attempts: 2, state: "failed" }, {}, {}, {}],
    });
    const radar = (await ok(merged, "tasks_radar", { task: TASK }))["radar"] as unknown as { blockers: string[] };
    expect(radar.blockers[0]).toContain("Conflict on manifest");
    await ok(merged, "packet_patch", { task: TASK, manifest: { goal: "Both" } });
    const metas = ["gemini_brief.gemini.1.meta.json", "gemini_brief.gemini.meta.json"];
    const numberIn = (name: string): unknown =>
      (JSON.parse(readFileSync(join(folder(merged), "outputs", name), "utf8")) as { attempt: unknown }).attempt;
    expect(metas.map(numberIn)).toEqual([1, 2]);
    // Both wrote one output under one name: verify says which attempt has lost its own.
    expect(
      merged
        .verify()
        .findings.filter(({ info }) => !info)
        .map(({ code }) => code),
    ).toEqual(["PACKET_FILE_MISSING"]);
  });
});
