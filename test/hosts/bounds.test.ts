// @module-tag long
/** The answer of every reading tool has a bound, whatever the task holds, through every host. */
import { describe, expect, it } from "vitest";
import { countCodePoints } from "../../src/state/code_points.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { DEFAULT_CHARS } from "../../src/views/budget.ts";
import { packetManifest } from "../support/packet_work.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";
import { HOSTS } from "./each_host.ts";

const huge = (n: number): string => `${n} ${'long "words" \u0001'.repeat(5_500)}`;
const title = (n: number): string => `${n} ${'"'.repeat(190)}`;
const READS = Object.values(TOOLS).filter(({ effect }) => effect === "read");
const inputsOf = ({ input }: { input: unknown }): object => (input as { properties: object }).properties;
/** Those that are cut here; the others name things, and the names are short. */
const LONG = [
  "packet_show",
  "recall_taskdoc",
  "tasks_context",
  "tasks_context_pack",
  "tasks_delta",
  "tasks_mirror",
  "tasks_resume",
  "tasks_resume_pack",
  "tasks_resume_super",
  "tasks_search",
  "tasks_snapshot",
];
const FIXED = new Set(["packet_next", "tasks_focus_get", "tasks_storage", "tasks_templates_list"]);

/** A plan and a task that hold much of everything, a task whose manifest is long, and many tasks. */
async function hugeWorkspace(): Promise<string> {
  const root = tempFolder();
  const ws = openTemp({ root, durability: "os", projections: "manual" });
  const plan = "PLAN-001";
  const contract = { contract: huge(0), contract_data: { one: huge(1), two: huge(2) } };
  await ok(ws, "tasks_create", { kind: "plan", title: title(0), description: huge(0), ...contract });
  await ok(ws, "tasks_plan", { plan, steps: Array.from({ length: 40 }, (_, i) => huge(i).slice(0, 20_000)) });
  const steps = Array.from({ length: 60 }, (_, i) => ({
    title: title(i),
    success_criteria: [huge(i).slice(0, 3_000)],
    tests: [huge(i).slice(0, 3_000)],
    blockers: [huge(i).slice(0, 3_000), "the key"],
  }));
  const depends_on = [plan];
  await ok(ws, "tasks_create", { parent: plan, title: title(1), description: huge(1), steps, depends_on });
  const task = "TASK-001";
  await ok(ws, "tasks_edit", { task, context: huge(1) });
  for (let i = 0; i < 8; i++) await ok(ws, "tasks_note", { task, note: huge(i) });
  for (let i = 0; i < 6; i++)
    await ok(ws, "tasks_think", { task, trace: huge(i), decision: { title: title(i), text: huge(i) } });
  const checks = Array.from({ length: 20 }, (_, i) => `CMD: ${huge(i).slice(0, 3_000)}`);
  await ok(ws, "tasks_evidence_capture", { task, path: "s:0", checks, checkpoint: ["criteria", "tests", "docs"] });
  for (let i = 0; i < 6; i++)
    await ok(ws, "tasks_task_add", {
      task,
      parent_step: "s:0",
      title: title(i),
      description: huge(i),
      risks: [huge(i)],
    });
  await ok(ws, "change_mind", { task, category: "ux", selector: "checklist", content: huge(3) });
  for (let i = 0; i < 60; i++)
    await ok(ws, "tasks_create", { parent: plan, title: title(i), tags: [1, 2, 3, 4].map(title) });
  const manifest = packetManifest({
    goal: "g".repeat(10_000),
    constraints: Array.from({ length: 12 }, () => "c".repeat(9_000)),
  });
  await ok(ws, "packet_define", { task: "TASK-002", manifest });
  await ws.close();
  return root;
}

/** Calls every reading tool through a host, holds the answers to the bound, and returns the tools whose answer was cut. */
async function cutBy(host: string, root: string): Promise<string[]> {
  const cut = new Set<string>();
  const call = await HOSTS[host]!(root);
  for (const { name, input } of READS) {
    const has = (member: string): boolean => member in inputsOf({ input });
    const targets = name.startsWith("packet_") ? ["TASK-002"] : has("task") ? ["TASK-001", "PLAN-001"] : [""];
    for (const target of has("selector") ? ["TASK-001"] : targets) {
      const section = has("selector") ? { category: "ux", selector: "checklist" } : {};
      const words = has("text") ? { text: '"' } : {};
      const most = has("limit") ? { limit: 200 } : has("tasks_limit") ? { tasks_limit: 200 } : {};
      const { result, error, warnings, suggestions } = await call(name, {
        ...(target === "" ? {} : { task: target }),
        ...section,
        ...most,
        ...words,
      });
      const where = `${name} of ${target} through ${host}`;
      expect(error, where).toBeNull();
      const size = countCodePoints(JSON.stringify(result));
      expect(size, where).toBeLessThanOrEqual(DEFAULT_CHARS);
      expect(countCodePoints(JSON.stringify({ warnings, suggestions })), where).toBeLessThan(8_000);
      const isCut = warnings.some(({ code }) => code === "BUDGET_TRUNCATED");
      expect("budget" in result!, where).toBe(isCut);
      if (!isCut) continue;
      cut.add(name);
      // One host is enough: the answers are long, and the same.
      if (host !== "the library") continue;
      const { full_chars } = (result as { budget: { full_chars: number } }).budget;
      const whole = (
        await call(name, {
          ...(target === "" ? {} : { task: target }),
          ...section,
          ...most,
          ...words,
          max_chars: full_chars,
        })
      ).result as JsonObject;
      expect(countCodePoints(JSON.stringify(whole)), where).toBe(full_chars);
    }
  }
  return [...cut];
}

describe("the bound of reading tools", () => {
  it("[BUDGET-10] every one takes max_chars, but those whose answer has a fixed size", () => {
    for (const tool of READS) expect("max_chars" in inputsOf(tool), tool.name).toBe(!FIXED.has(tool.name));
  });

  it("[BUDGET-10] [LIMIT-1] no answer has more than 80,000 characters by itself, and a cut one says so", async () => {
    expect(await cutBy("the library", await hugeWorkspace())).toEqual(expect.arrayContaining(LONG));
  });

  it("[BUDGET-10] nor has one through the command line or the MCP server", ROTATING, async () => {
    const root = await hugeWorkspace();
    for (const host of ["the command line", "the MCP server"])
      expect(await cutBy(host, root), host).toEqual(expect.arrayContaining(LONG));
  });

  it("[BUDGET-8] pages that a budget made shorter give every row once", async () => {
    const ws = openTemp({ durability: "os" });
    const steps = Array.from({ length: 60 }, (_, i) => ({
      title: title(i),
      success_criteria: [],
      blockers: [huge(i).slice(0, 3_000)],
    }));
    await ok(ws, "tasks_create", { kind: "task", title: "t", steps });
    for (let i = 0; i < 30; i++) await ok(ws, "tasks_edit", { task: "TASK-001", description: huge(i) });
    const seen: string[] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const told = await ok(ws, "tasks_mirror", { task: "TASK-001", cursor, limit: 200 });
      const page = told as unknown as { steps: { path: string }[]; pagination: { next_cursor: number | null } };
      seen.push(...page.steps.map(({ path }) => path));
      cursor = page.pagination.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `s:${i}`));
    const revisions: number[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const asked = { task: "TASK-001", max_chars: 4_000, ...(before === undefined ? {} : { before }) };
      const told = await ok(ws, "tasks_history", asked);
      const page = told as unknown as { operations: { revision: number }[]; next_before: number | null };
      revisions.push(...page.operations.map(({ revision }) => revision));
      before = page.next_before;
    }
    expect(revisions).toEqual(Array.from({ length: revisions[0]! }, (_, i) => revisions[0]! - i));
  });
});
