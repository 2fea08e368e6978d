import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { finish, start, withPacket } from "../packet/packet_support.ts";
import { cocoAppends } from "../support/coco.ts";
import { openTemp, WORKSPACE } from "../support/workspace.ts";

const TASK = "TASK-001";
const BEGAN = Date.parse("2026-03-01T10:00:00.000Z");

interface Row {
  what: string;
  task: string;
  path: string | null;
  why: string;
  who: string[];
  since: string | null;
  held?: { by: string; until: string };
  call: { tool: string; input: JsonObject } | null;
  command?: string;
}

interface Told {
  needs_you: Row[];
  happened: { day: string; by: string; task: string; count: number; changes: { message: string }[] }[];
  happened_more: boolean;
  since: string | null;
  unseen: Record<string, number>;
}

const clock = { at: BEGAN };

const reply = (ws: Workspace, tool: string, input: JsonObject, by?: string) =>
  ws.callTool(tool, { workspace: WORKSPACE, ...input }, by === undefined ? {} : { by });

async function ok(ws: Workspace, tool: string, input: JsonObject, by?: string): Promise<JsonObject> {
  const { error, result } = await reply(ws, tool, input, by);
  expect(error).toBeNull();
  return result!;
}

async function opened(...titles: string[]): Promise<Workspace> {
  clock.at = BEGAN;
  const ws = openTemp({ now: () => clock.at });
  const steps = titles.map((title) => ({ title, success_criteria: ["it works"], tests: ["npm test"] }));
  await ok(ws, "tasks_create", { kind: "task", title: "A parser", steps });
  return ws;
}

async function told(ws: Workspace, input: JsonObject = {}, by?: string): Promise<Told> {
  return (await ok(ws, "tasks_status", input, by)) as unknown as Told;
}

/** As a caller fills in what only the caller knows. */
const filled = (input: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(input).replaceAll(/<fill:[^>]*>/g, "filled in")) as JsonObject;

/** The only row; the call that it names is made, and must end it. */
async function ends(ws: Workspace, what: string, facts: Partial<Row>): Promise<void> {
  const { needs_you: rows } = await told(ws);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ what, task: TASK, ...facts });
  const { tool, input } = rows[0]!.call!;
  await ok(ws, tool, filled(input));
  expect((await told(ws)).needs_you.filter((row) => row.what === what)).toEqual([]);
}

const close = (ws: Workspace, path: string) =>
  ok(ws, "tasks_close_step", { task: TASK, path, checkpoints: { criteria: true, tests: true } });

describe("what needs you", () => {
  it("[STATUS-2] [STATUS-1] given a task whose steps are closed, when it is asked, then the row completes it", async () => {
    const ws = await opened("First");
    expect((await told(ws)).needs_you).toEqual([]);
    await close(ws, "s:0");
    await ends(ws, "complete", {
      path: null,
      since: new Date(BEGAN).toISOString(),
      call: { tool: "tasks_complete", input: { workspace: "acme/repo", task: TASK } },
    });
  });

  it("[STATUS-1] given a run that failed, when it is asked, then the row names the step and a run again", async () => {
    const ws = await opened("First", "Second");
    const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "no" }];
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items });
    await ends(ws, "proof", { path: "s:0", why: expect.stringContaining("failed") as string });
  });

  it("[STATUS-2] given a run that failed on an open step or the whole, when it is asked, then who made it", async () => {
    const ws = await opened("First", "Second");
    const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "no" }];
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items }, "agent:ben");
    await ok(ws, "tasks_evidence_capture", { task: TASK, checkpoint: "docs", items }, "agent:ann");
    const { needs_you: rows } = await told(ws);
    expect(rows.map(({ path, who }) => [path, who])).toEqual([
      ["s:0", ["agent:ben"]],
      [null, ["agent:ann"]],
    ]);
  });

  it("[STATUS-2] given a failed run of another command than the test, when it is asked, then the row puts it aside", async () => {
    const ws = await opened("First");
    const items = [{ kind: "run", command: "npm run lint", exit_code: 1, stdout: "no" }];
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items });
    const command = "taskfold run TASK-001 s:0 --for tests -- npm test";
    expect((await told(ws)).needs_you).toMatchObject([{ command }]);
    await ends(ws, "proof", { path: "s:0" });
  });

  it("[STATUS-1] given a claim that ran out, when it is asked, then the row says whose and when, and claims it", async () => {
    const ws = await opened("First");
    await ok(ws, "tasks_claim", { task: TASK, path: "s:0", ttl_s: 60 }, "agent:ben");
    expect((await told(ws)).needs_you).toEqual([]);
    clock.at += 3_600_000;
    const since = new Date(BEGAN + 60_000).toISOString();
    await ends(ws, "claim_over", { path: "s:0", who: ["agent:ben"], since });
  });

  it("[STATUS-1] given a blocked step, when it is asked, then the row says by whom and since when, and unblocks it", async () => {
    const ws = await opened("First");
    expect((await told(ws)).needs_you).toEqual([]);
    await ok(ws, "tasks_block", { task: TASK, path: "s:0", reason: "no licence" }, "agent:ben");
    const since = new Date(BEGAN).toISOString();
    await ends(ws, "blocked", { path: "s:0", why: "s:0 First is blocked: no licence", who: ["agent:ben"], since });
  });

  it("[STATUS-1] given a block and blockers in words, when it is asked, then one row names both, and its one call ends both", async () => {
    const ws = await opened("First");
    await ok(ws, "tasks_define", { task: TASK, path: "s:0", blockers: ["no key", "no disk"] }, "agent:ann");
    await ok(ws, "tasks_block", { task: TASK, path: "s:0", reason: "no licence" }, "agent:ben");
    const rows = (await told(ws)).needs_you;
    expect(rows).toMatchObject([
      { what: "blocked", why: "s:0 First is blocked: no licence; it waits for: no key; no disk", who: ["agent:ben"] },
    ]);
    await ends(ws, "blocked", { command: expect.stringMatching(/^taskfold unblock TASK-001 STEP-/) as string });
  });

  it("[STATUS-1] given an ended claim on a step that is blocked, waits for a person or failed, when it is asked, then one row tells both", async () => {
    const ws = await opened("First", "Second", "Third", "Fourth");
    const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "no" }];
    await ok(ws, "tasks_define", { task: TASK, path: "s:2", confirm: ["criteria"] });
    for (const path of ["s:0", "s:1", "s:2", "s:3"])
      await ok(ws, "tasks_claim", { task: TASK, path, ttl_s: 60 }, "agent:ben");
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items }, "agent:ben");
    await ok(ws, "tasks_block", { task: TASK, path: "s:1", reason: "no licence" }, "agent:ben");
    await ok(ws, "tasks_verify", { task: TASK, path: "s:2", checkpoints: { tests: true } }, "agent:ben");
    clock.at += 60_000;
    const { needs_you: rows } = await told(ws);
    expect(rows.map(({ what, path }) => [what, path])).toEqual([
      ["proof", "s:0"],
      ["claim_over", "s:3"],
      ["blocked", "s:1"],
      ["gate", "s:2"],
    ]);
    for (const { what, why } of rows)
      expect(why).toContain(what === "claim_over" ? "the claim of agent:ben ended" : "; the claim of agent:ben ended");
    await ok(ws, "tasks_block", { task: TASK, path: "s:1", blocked: false }, "agent:ann");
    expect((await told(ws, { by: "agent:ben" })).needs_you.map(({ what, path }) => [what, path])).toContainEqual([
      "claim_over",
      "s:1",
    ]);
  });

  it("[STATUS-2] given a row whose call only looks, when another actor holds the whole, then the row is not held", async () => {
    const ws = await opened("First");
    const payload = { gateId: "gate-w1", reason: "Which table?", agentInstance: "w1" };
    cocoAppends(join(ws.root, ".coco/tasks", TASK), new Date(BEGAN).toISOString(), "gate.blocked", { payload });
    await ok(ws, "tasks_claim", { task: TASK }, "agent:ben");
    const { needs_you: rows } = await told(ws);
    expect(rows).toMatchObject([{ what: "gate", call: { tool: "tasks_radar" } }]);
    expect(rows[0]).not.toHaveProperty("held");
  });

  it("[STATUS-2] given work that another actor has claimed, when it is asked, then rows say who holds it, and name no call that is refused", async () => {
    const ws = await opened("First", "Second", "Third");
    const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "no" }];
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items });
    await ok(ws, "tasks_block", { task: TASK, path: "s:1", reason: "no licence" });
    await ok(ws, "tasks_claim", { task: TASK, path: "s:2", ttl_s: 60 });
    clock.at += 60_000;
    await ok(ws, "tasks_claim", { task: TASK, ttl_s: 600 }, "agent:ben");
    const held = { by: "agent:ben", until: new Date(clock.at + 600_000).toISOString() };
    const { needs_you: rows } = await told(ws);
    expect(rows.map(({ what }) => what)).toEqual(["proof", "claim_over", "blocked"]);
    for (const row of rows) {
      expect(row).toMatchObject({ held, call: null });
      expect(row).not.toHaveProperty("command");
    }
    const others = async (by?: string) => {
      for (const { held: holder, call } of (await told(ws, {}, by)).needs_you) {
        expect(holder).toBeUndefined();
        expect((await reply(ws, call!.tool, filled(call!.input), by)).error).toBeNull();
      }
    };
    await others("agent:ben");
    await ok(ws, "tasks_block", { task: TASK, path: "s:1", reason: "no licence" }, "agent:ben");
    clock.at += 1_000_000;
    await others();
  });

  it("[STATUS-2] given claims of another actor, when it is asked, then those rows alone are held that they refuse", async () => {
    const ws = await opened("First", "Second");
    for (const path of ["s:0", "s:1"]) await close(ws, path);
    await ok(ws, "tasks_claim", { task: TASK }, "agent:ben");
    expect((await told(ws)).needs_you).toMatchObject([{ what: "complete", held: { by: "agent:ben" }, call: null }]);
    appendFileSync(join(ws.root, ".coco/tasks/TASK-001/shared/human-notes.md"), "Mind the brackets.\n");
    const [, note] = (await told(ws)).needs_you;
    expect(note).toMatchObject({ what: "note", call: { tool: "tasks_note" } });
    await ok(ws, note!.call!.tool, filled(note!.call!.input));
  });

  it("[STATUS-1] given a step that was blocked before this process, when it is asked, then the row says by whom", async () => {
    const first = await opened("First", "Second");
    await ok(first, "tasks_block", { task: TASK, path: "s:0", reason: "no licence" }, "agent:ben");
    await ok(first, "tasks_block", { task: TASK, path: "s:1", reason: "no key" }, "agent:ann");
    await first.close();
    const ws = openTemp({ root: first.root, now: () => clock.at });
    const { needs_you: rows } = await told(ws);
    expect(rows.map(({ path, who }) => [path, who])).toEqual([
      ["s:0", ["agent:ben"]],
      ["s:1", ["agent:ann"]],
    ]);
  });

  it("[STATUS-1] given blockers, when it is asked, then the row of a step says who wrote them and when the first, and another process too", async () => {
    const first = await opened("First");
    const at = (minutes: number): string => new Date(BEGAN + minutes * 60_000).toISOString();
    const define = (minutes: number, by: string, input: JsonObject): Promise<JsonObject> => {
      clock.at = BEGAN + minutes * 60_000;
      return ok(first, "tasks_define", { task: TASK, path: "s:0", ...input }, by);
    };
    await define(1, "agent:ann", { blockers: ["no key"] });
    await define(2, "agent:ben", { blockers: ["no key", "no disk"] });
    await define(3, "agent:cyd", { blockers: ["no disk"] });
    await define(4, "agent:dan", { blockers: ["no key", "no disk"] });
    await define(5, "agent:eva", { title: "Other" });
    clock.at = BEGAN + 6 * 60_000;
    const added = [{ title: "Second", success_criteria: ["x"], blockers: ["no ink"] }];
    await ok(first, "tasks_decompose", { task: TASK, steps: added }, "agent:fay");
    await define(7, "agent:eva", { path: "s:1", title: "Third" });
    const rows = [
      ["s:0", ["agent:dan", "agent:ben"], at(2)],
      ["s:1", ["agent:fay"], at(6)],
    ];
    const facts = async (ws: Workspace) => (await told(ws)).needs_you.map(({ path, who, since }) => [path, who, since]);
    expect(await facts(first)).toEqual(rows);
    await first.close();
    expect(await facts(openTemp({ root: first.root, now: () => clock.at }))).toEqual(rows);
  });

  it("[STATUS-1] given a blocker that came with the task, when it is asked, then the row says who made it", async () => {
    clock.at = BEGAN;
    const ws = openTemp({ now: () => clock.at });
    const steps = [{ title: "First", success_criteria: ["x"], blockers: ["no key"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "A", steps }, "agent:ann");
    clock.at += 60_000;
    await ok(ws, "tasks_note", { task: TASK, note: "later" }, "agent:ben");
    const since = new Date(BEGAN).toISOString();
    expect((await told(ws)).needs_you).toMatchObject([{ what: "blocked", who: ["agent:ann"], since }]);
  });

  it("[STATUS-1] given a plan whose tasks have ended, when it is asked, then who ended the last one and when", async () => {
    clock.at = BEGAN;
    const ws = openTemp({ now: () => clock.at });
    await ok(ws, "tasks_create", { kind: "plan", title: "P" });
    for (const title of ["A", "B"]) await ok(ws, "tasks_create", { parent: "PLAN-001", title });
    const cancel = (task: string, by: string) =>
      ok(ws, "tasks_complete", { task, status: "CANCELED", reason: "no" }, by);
    clock.at += 60_000;
    await cancel("TASK-001", "agent:ann");
    clock.at += 60_000;
    await cancel("TASK-002", "agent:ben");
    const since = new Date(clock.at).toISOString();
    clock.at += 60_000;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "later" }, "agent:cyd");
    expect((await told(ws)).needs_you).toMatchObject([
      { what: "complete", task: "PLAN-001", who: ["agent:ben"], since },
    ]);
  });

  it("[STATUS-1] given a step that another actor has to confirm, when it is asked, then the row confirms it", async () => {
    const ws = await opened("First");
    await ok(ws, "tasks_define", { task: TASK, path: "s:0", confirm: ["criteria"] });
    await ok(ws, "tasks_claim", { task: TASK, path: "s:0" });
    await ok(ws, "tasks_verify", { task: TASK, path: "s:0", checkpoints: { tests: true } });
    const { needs_you: rows } = await told(ws);
    expect(rows).toMatchObject([{ what: "gate", path: "s:0", call: { tool: "tasks_verify" } }]);
  });

  it("[STATUS-1] given a closed step that later evidence asks more of, when it is asked, then the row confirms it", async () => {
    const ws = await opened("First", "Second");
    await close(ws, "s:0");
    expect((await told(ws)).needs_you).toEqual([]);
    const docs = { checks: ["CMD: make docs"], checkpoint: "docs" };
    clock.at += 60_000;
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", ...docs }, "agent:ben");
    const since = new Date(BEGAN).toISOString();
    await ends(ws, "gate", {
      path: "s:0",
      why: "s:0 First is closed, and docs not confirmed",
      who: ["human:local"],
      since,
    });
  });

  it("[STATUS-1] given a gate of another program that is blocked, when it is asked, then the row says why", async () => {
    const ws = await opened("First");
    const payload = { gateId: "gate-w1", reason: "Which table?", agentInstance: "w1" };
    cocoAppends(join(ws.root, ".coco/tasks", TASK), new Date(BEGAN).toISOString(), "gate.blocked", { payload });
    expect((await told(ws)).needs_you).toMatchObject([
      { what: "gate", task: TASK, path: null, why: expect.stringContaining("Which table?") as string },
    ]);
  });

  it("[STATUS-1] given a packet that used up a budget, when it is asked, then the row resets it", async () => {
    const ws = await withPacket({ budgets: { retry_budget: 0, paid_call_budget: 2, max_wallclock_sec: 5 } });
    const gates = async () => (await told(ws)).needs_you.filter(({ what }) => what === "gate");
    await start(ws, "gemini_brief");
    expect(await gates()).toEqual([]);
    await finish(ws, "gemini_brief", { exit_code: 1, err: "socket closed\n" });
    const [row] = await gates();
    expect(row).toMatchObject({ task: TASK, call: { tool: "packet_budget_reset" }, who: ["human:local"] });
    await ok(ws, row!.call!.tool, filled(row!.call!.input));
    expect(await gates()).toEqual([]);
  });

  it("[STATUS-1] given files that people changed, when it is asked, then one row is drift and one a note", async () => {
    const ws = await opened("First");
    appendFileSync(join(ws.root, ".coco/tasks", TASK, "README.md"), "an edit\n");
    appendFileSync(join(ws.root, ".coco/tasks", TASK, "shared/human-notes.md"), "mind the gap\n");
    const { needs_you: rows } = await told(ws);
    expect(rows.map(({ what, why }) => [what, why])).toEqual([
      ["drift", "README.md changed by hand"],
      ["note", "A person changed shared/human-notes.md"],
    ]);
    // The command line does the same act.
    expect(rows.filter((row) => "command" in row)).toEqual([]);
    for (const { call: one } of rows) await ok(ws, one!.tool, filled(one!.input));
    expect((await told(ws)).needs_you).toEqual([]);
  });

  it("[STATUS-1] rows stand by kind, then by id, and by keeps those about one actor", async () => {
    const ws = await opened("First");
    await ok(ws, "tasks_create", {
      kind: "task",
      title: "Another",
      steps: [{ title: "One", success_criteria: ["x"] }],
    });
    await ok(ws, "tasks_block", { task: TASK, path: "s:0" }, "agent:ben");
    await ok(ws, "tasks_close_step", { task: "TASK-002", path: "s:0", checkpoints: { criteria: true, tests: true } });
    expect((await told(ws)).needs_you.map(({ what, task }) => [what, task])).toEqual([
      ["complete", "TASK-002"],
      ["blocked", TASK],
    ]);
    expect((await told(ws, { by: "agent:ben" })).needs_you.map(({ what }) => what)).toEqual(["blocked"]);
  });
});

describe("what happened", () => {
  it("[STATUS-11] stands by day, actor and task, newest first, since a time or the caller's last change", async () => {
    const ws = await opened("First");
    const note = (by: string, text: string) => ok(ws, "tasks_note", { task: TASK, note: text }, by);
    await note("agent:ada", "one");
    clock.at += 24 * 3_600_000;
    await note("agent:ben", "two");
    clock.at += 1000;
    await note("agent:ben", "three");
    const all = await told(ws, { since: "2026-01-01" });
    expect(all.happened.map(({ day, by, count }) => [day, by, count]).slice(0, 2)).toEqual([
      ["2026-03-02", "agent:ben", 2],
      ["2026-03-01", "agent:ada", 1],
    ]);
    expect((await told(ws, {}, "agent:ada")).happened.map(({ by }) => by)).toEqual(["agent:ben"]);
    expect((await told(ws, { since: "2026-03-02T10:00:00Z" })).happened).toMatchObject([{ by: "agent:ben", count: 1 }]);
    const { cursor } = (await ok(ws, "tasks_delta", {})) as unknown as { cursor: string };
    await note("agent:ada", "four");
    expect((await told(ws, { since: cursor })).happened).toMatchObject([{ by: "agent:ada", count: 1 }]);
    const refused = await reply(ws, "tasks_status", { since: "2026-99" });
    expect(refused.error).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("[STATUS-11] a row names its five newest changes, and a look ends at 100", async () => {
    const ws = await opened("First");
    for (let n = 0; n < 101; n++) await ok(ws, "tasks_note", { task: TASK, note: `note ${n}` }, "agent:ada");
    const { happened, happened_more: isMore } = await told(ws, { since: "2026-01-01" });
    expect([happened.length, happened[0]!.count, happened[0]!.changes.length, isMore]).toEqual([1, 100, 5, true]);
    expect(happened[0]!.changes[0]!.message).toContain("note 100");
  });

  it("[STATUS-10] a budget leaves out changes first, then old rows, then the last needs, and says what", async () => {
    const ws = await opened(...Array.from({ length: 12 }, (_, n) => `step ${n}`));
    for (let n = 0; n < 12; n++)
      await ok(ws, "tasks_block", { task: TASK, path: `s:${n}`, reason: "why ".repeat(30) }, `agent:a${n}`);
    const input = { since: "2026-01-01T00:00:00.000Z" };
    const whole = await ok(ws, "tasks_status", input);
    const size = JSON.stringify(whole).length;
    const lists = async (max_chars: number): Promise<[needs: number, rows: number, told: number]> => {
      const cut = await ok(ws, "tasks_status", { ...input, max_chars });
      expect(JSON.stringify(cut).length).toBeLessThanOrEqual(max_chars);
      expect(cut["budget"]).toMatchObject({ full_chars: size });
      const { needs_you, happened } = cut as unknown as Told;
      return [needs_you.length, happened.length, happened.filter((row) => "changes" in row).length];
    };
    expect((whole as unknown as Told).needs_you).toHaveLength(12);
    expect(await lists(size - 1)).toEqual([12, 13, 12]);
    expect(await lists(size - 2000)).toEqual([12, 13, expect.any(Number)]);
    const [needs, rows, told] = await lists(5000);
    expect([needs < 12, rows, told]).toEqual([true, 5, 0]);
  });

  it("[STATUS-10] [STATUS-11] unseen counts logs that were not read, and all reads them", async () => {
    const ws = await opened("First");
    for (let n = 0; n < 12; n++) await ok(ws, "tasks_create", { kind: "task", title: `More ${n}` });
    expect((await told(ws)).unseen).toEqual({ plans: 0, tasks: 13, ended: 0, archived: 0 });
    expect((await told(ws, { all: true })).unseen).toEqual({ plans: 0, tasks: 0, ended: 0, archived: 0 });
  });
});
