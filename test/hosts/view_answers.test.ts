/** What the interface of the viewer answers, from real folders. */
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf } from "../../src/sentence.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import type {
  AgentsAnswer,
  BoardAnswer,
  BoardRow,
  CardsAnswer,
  CheckAnswer,
  DifferenceAnswer,
  EntityAnswer,
  EvidenceAnswer,
  GraphAnswer,
  HealthAnswer,
  HistoryAnswer,
  NotesAnswer,
  OutputAnswer,
  TraceAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import { readEntity, subjectOf } from "../../src/engine/entity/entity_on_disk.ts";
import { isKnownType } from "../../src/events/index.ts";
import { entityAnswer } from "../../src/views/viewer/entity_answer.ts";
import type { PageAround } from "../../src/views/viewer/entity_answer.ts";
import { differenceOf } from "../../src/views/viewer/difference.ts";
import { capturedText } from "../../src/views/viewer/captured_text.ts";
import { planGraph } from "../../src/views/viewer/plan_graph.ts";
import { passTime } from "../support/clock.ts";
import { ok, openTemp, START, tree, WORKSPACE } from "../support/workspace.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { COCO_TASK } from "./view_coco.ts";
import { read, viewerOf } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

const HOUR = 3_600_000;

function refused(viewer: Viewer, name: string): Promise<string> {
  return viewer.answer(name).then(
    async ({ body }) =>
      body().then(
        () => "",
        (e: { code: string }) => e.code,
      ),
    (e: { code: string }) => e.code,
  );
}

const STEPS = ["Write the grammar", "Write the parser"].map((title) => ({
  title,
  success_criteria: ["samples parse"],
  tests: ["npm test"],
}));

/** A plan with a task that was worked on, and one that waits for it. */
async function worked(options: Parameters<typeof openTemp>[0] = {}): Promise<Workspace> {
  const ws = openTemp({ by: "agent:ada", ...options });
  await ok(ws, "tasks_create", { title: "Version 2" });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", steps: STEPS });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Its docs", depends_on: ["TASK-001"], steps: STEPS });
  await ok(ws, "tasks_evidence_capture", {
    task: "TASK-001",
    path: "s:0",
    checkpoint: "tests",
    items: [{ kind: "run", command: "npm test", exit_code: 1, stdout: "\u001b[31mred\u001b[0m\u001b]0;evil\u0007\n" }],
  });
  await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "see https://ci.example/1" });
  await ok(ws, "tasks_edit", { task: "TASK-001", title: "A better parser" });
  await ok(ws, "tasks_undo", { task: "TASK-001" });
  return ws;
}

describe("the history", () => {
  it("[VIEWER-9] names notes, cards, gates and added steps by step and text, and never by a hash", async () => {
    const ws = await worked();
    const task = "TASK-001";
    await ok(ws, "tasks_block", { task, path: "s:1", reason: "no grammar" });
    await ok(ws, "tasks_decompose", { task, parent: "s:0", steps: [STEPS[1]!] });
    await ok(ws, "tasks_note", { task, note: "of the whole" });
    await ok(ws, "tasks_think", { task, decision: "Recursive descent", trace: "It is simple" });
    const { ops } = await read<HistoryAnswer>(viewerOf(ws.root), `entities/${task}/history/0.json`);
    const written = ops.flatMap(({ changes }) =>
      changes.map(({ label, before, after }) => [label, before, after] as const),
    );
    expect(written).toContainEqual(["s:0 note", null, "see https://ci.example/1"]);
    expect(written).toContainEqual(["note", null, "of the whole"]);
    expect(written).toContainEqual(["s:0.s:0", null, "Write the parser"]);
    expect(written).toContainEqual(["trace", null, "It is simple"]);
    expect(written).toContainEqual(["s:1 gate", null, expect.objectContaining({ reason: "no grammar" })]);
    expect(written.find(([label]) => label.startsWith("card "))).toMatchObject([
      "card Recursive descent",
      null,
      expect.stringContaining("Recursive descent"),
    ]);
    expect(written.filter(([label]) => /[A-Za-z0-9_-]{20}|STEP-|NODE-/.test(label))).toEqual([]);
  });
});

describe("what an op of the history wrote", () => {
  it("[VIEWER-9] names no field whose value was the same before", async () => {
    const ws = await worked();
    await ok(ws, "tasks_close_step", { task: "TASK-002", path: "s:0", checkpoints: { criteria: true, tests: true } });
    const { ops } = await read<HistoryAnswer>(viewerOf(ws.root), "entities/TASK-002/history/0.json");
    const closing = ops.at(-1)!;
    expect(closing.changes).toContainEqual(expect.objectContaining({ label: "s:0 done", before: false, after: true }));
    expect(closing.changes.filter(({ before, after }) => before === after)).toEqual([]);
    expect(closing.changes_total).toBe(closing.changes.length);
  });
});

describe("rows", () => {
  it("[VIEWER-5] a row says what can be taken up, what waits, and which proof failed", async () => {
    const ws = await worked();
    await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 3600 });
    const { rows, total, pages } = await read<BoardAnswer>(
      viewerOf(ws.root, () => START + HOUR / 2),
      "board/0.json",
    );
    expect([total, pages]).toEqual([3, 1]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(byId.get("PLAN-001")).toMatchObject({ kind: "plan", progress: { done: 0, total: 2 }, plan: null });
    expect(byId.get("TASK-001")).toMatchObject({
      plan: "PLAN-001",
      status: "ACTIVE",
      failed_proof: 1,
      ready: { path: "s:1" },
      claims: [{ by: "agent:ada", step: { path: "s:0" } }],
      source: "log",
    });
    expect(byId.get("TASK-002")).toMatchObject({ waits_for: ["TASK-001"], depends_on: ["TASK-001"], ready: null });
    const later = await read<BoardAnswer>(
      viewerOf(ws.root, () => START + 3 * HOUR),
      "board/0.json",
    );
    expect(later.rows.find(({ id }) => id === "TASK-001")!.ready).toMatchObject({ path: "s:0" });
  });

  it("[VIEWER-122] no answer calls a task blocked of which a step is ready, nor a claim over of which a step is not", async () => {
    const ws = openTemp();
    const step = (title: string) => ({ title, success_criteria: ["done"], tests: ["npm test"] });
    await ok(ws, "tasks_create", { title: "A plan" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Two ways", steps: [step("One"), step("Other")] });
    const seen = async (hours: number) => {
      const viewer = viewerOf(ws.root, () => START + HOUR / 2 + hours * HOUR);
      const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
      const { nodes, ready } = await read<GraphAnswer>(viewer, "plans/PLAN-001/graph.json");
      const { counts } = await read<WorkspaceAnswer>(viewer, "workspace.json");
      const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
      const row = rows.find(({ id }) => id === "TASK-001")!;
      const node = nodes.find(({ id }) => id === "TASK-001")!;
      expect([node.ready, node.ready, page.ready !== null]).toEqual([
        row.ready !== null,
        ready.includes("TASK-001"),
        row.ready !== null,
      ]);
      expect([counts.blocked, counts.ready]).toEqual([node.blocked ? 1 : 0, node.ready ? 1 : 0]);
      expect(page.claims).toEqual(row.claims);
      expect(node.claimed_by !== null).toBe(row.claims.some(({ holds }) => holds));
      return { ready: row.ready?.path, blocked: node.blocked, partly: node.partly_blocked, claimed: node.claimed_by };
    };
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "no samples" });
    expect(await seen(0)).toEqual({ ready: "s:1", blocked: false, partly: true, claimed: null });
    await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:1", ttl_s: 3600 });
    expect(await seen(0)).toMatchObject({
      ready: undefined,
      blocked: false,
      partly: true,
      claimed: expect.any(String),
    });
    expect(await seen(2)).toMatchObject({ ready: "s:1", blocked: false, partly: true, claimed: null });
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:1", reason: "no parser" });
    expect(await seen(0), "the claimed step is blocked itself").toMatchObject({ blocked: true, partly: false });
  });

  it("[VIEWER-90] [regression VIEWER-95] a step is ready only in a task that can be taken up, and the page says what comes before it and who holds it", async () => {
    const now = START + HOUR / 2;
    const ws = await worked();
    const steps = [STEPS[0]!, { ...STEPS[1]!, depends_on: ["s:0"] }];
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Held whole", steps: STEPS });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Held in part", steps });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Canceled", steps: STEPS });
    await ok(ws, "tasks_decompose", { task: "TASK-004", parent: "s:0", steps: STEPS });
    await ok(ws, "tasks_claim", { task: "TASK-003", ttl_s: 3600 });
    await ok(ws, "tasks_claim", { task: "TASK-004", path: "s:0", ttl_s: 3600 });
    await ok(ws, "tasks_complete", { task: "TASK-005", status: "CANCELED", reason: "too much" });
    const pageOf = (id: string, at: number): Promise<EntityAnswer> =>
      read(
        viewerOf(ws.root, () => at),
        `entities/${id}.json`,
      );
    const states = async (id: string, at = now): Promise<string[]> =>
      (await pageOf(id, at)).steps.map(({ path, state }) => `${path} ${state}`);
    expect(await states("TASK-001")).toEqual(["s:0 ready", "s:1 ready"]);
    expect(await states("TASK-002")).toEqual(["s:0 waiting", "s:1 waiting"]);
    expect(await states("TASK-003")).toEqual(["s:0 claimed", "s:1 claimed"]);
    expect(await states("TASK-003", START + 3 * HOUR)).toEqual(["s:0 ready", "s:1 ready"]);
    const held = ["s:0 claimed", "s:0.s:0 claimed", "s:0.s:1 claimed", "s:1 waiting"];
    expect(await states("TASK-004")).toEqual(held);
    expect(await states("TASK-005")).toEqual(["s:0 open", "s:1 open"]);
    const { rows } = await read<BoardAnswer>(
      viewerOf(ws.root, () => now),
      "board/0.json",
    );
    for (const { id, kind, ready, waits_for } of rows.filter((row) => row.kind === "task")) {
      const page = await pageOf(id, now);
      expect(page.ready, `${kind} ${id}`).toEqual(ready);
      expect(page.steps.some(({ state }) => state === "ready")).toBe(ready !== null);
      expect(page.waits_for.map((one) => one.id)).toEqual(waits_for);
    }
    const claimOf = async (at: number): Promise<unknown> =>
      (await pageOf("TASK-003", at)).radar.blockers.map(({ text }) => text).filter((line) => line.includes("claimed"));
    expect(await claimOf(now)).toEqual([expect.stringContaining("The task is claimed by agent:ada until")]);
    expect(await claimOf(START + 3 * HOUR), "[regression VIEWER-95] a claim that ran out keeps no step").toEqual([]);
    expect((await pageOf("TASK-002", now)).waits_for).toMatchObject([{ id: "TASK-001", title: "A parser" }]);
  });

  it("[VIEWER-2] what another process wrote is in the next answer, and the answer has another tag", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const before = await viewer.answer("board/0.json");
    const stamp = await viewer.stamp();
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED", reason: "no need" });
    passTime(300);
    expect(await viewer.stamp()).not.toBe(stamp);
    const after = await viewer.answer("board/0.json");
    expect(after.etag).not.toBe(before.etag);
    expect(JSON.parse(await after.body())).toMatchObject({ rows: [{}, {}, { id: "TASK-002", status: "CANCELED" }] });
  });

  it("[VIEWER-3] a folder that Coco made is shown from its task.yaml", async () => {
    const ws = await worked();
    mkdirSync(join(ws.root, ".coco/tasks/coco-1"));
    writeFileSync(join(ws.root, ".coco/tasks/coco-1/task.yaml"), COCO_TASK);
    const viewer = viewerOf(ws.root);
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows.find(({ id }) => id === "coco-1")).toMatchObject({
      source: "coco",
      title: "Fix the build",
      revision: 0,
    });
    const page = await read<EntityAnswer>(viewer, "entities/coco-1.json");
    expect(page).toMatchObject({ source: "coco", op: null, steps: [{ title: "Look" }, { title: "Mend" }] });
    expect(await read<HistoryAnswer>(viewer, "entities/coco-1/history/0.json")).toMatchObject({ total: 0, ops: [] });
    expect(await refused(viewer, "entities/coco-1/revisions/1.json")).toBe("UNKNOWN_ID");
  });

  it("[VIEWER-3] a log that cannot be read is a warning, and the rest is shown", async () => {
    const ws = await worked();
    const log = join(ws.root, ".coco/tasks/TASK-002/events.jsonl");
    rmSync(log);
    mkdirSync(log);
    const viewer = viewerOf(ws.root);
    const { rows, warnings } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows.map(({ id }) => id)).toEqual(["PLAN-001", "TASK-001"]);
    expect(warnings).toMatchObject([
      { code: "LOG_UNREADABLE", message: expect.stringContaining("TASK-002") as string },
    ]);
    expect(await refused(viewer, "entities/TASK-002.json")).toBe("LOG_UNREADABLE");
  });

  it("[VIEWER-3] a log of which no line can be read is a warning as well", async () => {
    const ws = await worked();
    for (const [id, text] of [
      ["TASK-888", "<<<<<<< ours\n=======\n>>>>>>> theirs\n"],
      ["TASK-889", "{not json\n".repeat(1000)],
    ] as const) {
      mkdirSync(join(ws.root, ".coco/tasks", id));
      writeFileSync(join(ws.root, ".coco/tasks", id, "events.jsonl"), text);
    }
    const viewer = viewerOf(ws.root);
    for (const name of ["board/0.json", "workspace.json"]) {
      const { warnings } = await read<BoardAnswer>(viewer, name);
      expect(
        warnings.map(({ message }) => message.slice(0, 8)),
        name,
      ).toEqual(["TASK-888", "TASK-889"]);
    }
  });

  it("[VIEWER-3] a task.yaml that its program writes anew is read anew", async () => {
    const root = tempFolder();
    const folder = join(root, ".coco/tasks/coco-1");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "events.jsonl"), '{"type":"task.created"}\n');
    writeFileSync(join(folder, "task.yaml"), COCO_TASK);
    const viewer = viewerOf(root);
    const title = async (): Promise<string> => (await read<BoardAnswer>(viewer, "board/0.json")).rows[0]!.title;
    expect(await title()).toBe("Fix the build");
    writeFileSync(join(folder, "task.yaml"), COCO_TASK.replace("Fix the build", "Fix the whole build"));
    await expect.poll(title).toBe("Fix the whole build");
  });

  it("[VIEWER-14] [VIEWER-5] the board has pages, and lists of a page their counts", async () => {
    const ws = openTemp();
    for (let i = 0; i < 12; i++) await ok(ws, "tasks_create", { title: `Plan ${i}` });
    const viewer = viewerOf(ws.root);
    const { total, pages } = await read<BoardAnswer>(viewer, "board/0.json");
    expect([total, pages]).toEqual([12, 1]);
    expect(await refused(viewer, "board/1.json")).toBe("UNKNOWN_ID");
    const page = await read<EntityAnswer>(viewer, "entities/PLAN-001.json");
    expect(page).toMatchObject({ notes_total: 0, steps_total: 0, cards_total: 0, evidence_total: 0, trace_total: 0 });
  });
});

describe("pages", () => {
  it("[VIEWER-7] [VIEWER-8] a page is as of any revision, and two of them give their difference", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const now = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    expect(now).toMatchObject({
      title: "A parser",
      revision: now.latest.revision,
      parent: { id: "PLAN-001", title: "Version 2" },
      needed_by: [{ id: "TASK-002" }],
      evidence_total: 1,
      notes: [{ by: "agent:ada", step: { path: "s:0" } }],
      steps: [
        { path: "s:0", depth: 0 },
        { path: "s:1", state: "ready" },
      ],
    });
    expect(now.steps[0]!.checkpoints.find(({ name }) => name === "tests")).toMatchObject({ proof_state: "failed" });
    const last = now.latest.revision;
    const edited = await read<EntityAnswer>(viewer, `entities/TASK-001/revisions/${last - 1}.json`);
    expect(edited).toMatchObject({ title: "A better parser", revision: last - 1, latest: { revision: last } });
    const first = await read<EntityAnswer>(viewer, "entities/TASK-001/revisions/1.json");
    expect(first).toMatchObject({ title: "A parser", evidence: [], notes: [] });
    const difference = await read<DifferenceAnswer>(viewer, `entities/TASK-001/differences/1-${last - 1}.json`);
    expect(difference).toMatchObject({
      from: 1,
      to: last - 1,
      fields: expect.arrayContaining([
        { field: "title", before: "A parser", after: "A better parser" },
        { field: "status", before: "TODO", after: "ACTIVE" },
      ]) as unknown,
      parts: [
        { part: "steps", items: [{ name: "s:0 Write the grammar", how: "changed" }], added: 0, removed: 0 },
        { part: "evidence", items: [{ id: now.evidence[0]!.id, how: "added" }], added: 1 },
        { part: "notes", items: [{ name: "see https://ci.example/1", by: "agent:ada", how: "added" }] },
      ],
      cut: [],
    });
    const { api: _api, id: _id, ...own } = difference;
    expect(own).toEqual(differenceOf(first, edited));
    expect(await refused(viewer, `entities/TASK-001/revisions/${last + 1}.json`)).toBe("UNKNOWN_ID");
  });

  it("[VIEWER-14] a difference counts what its lists leave out", ROTATING, async () => {
    const ws = await worked();
    for (let n = 0; n < 210; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
    const viewer = viewerOf(ws.root);
    const { revision } = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    const { parts, cut } = await read<DifferenceAnswer>(
      viewer,
      `entities/TASK-001/differences/${revision - 210}-${revision}.json`,
    );
    const notes = parts.find(({ part }) => part === "notes")!;
    expect([notes.items.length, notes.added, notes.removed, cut]).toEqual([200, 210, 0, ["notes"]]);
  });

  it("[VIEWER-8] a difference tells of notes taken back, gates, claims, cards and reports that are another", async () => {
    const ws = await worked();
    const task = "TASK-001";
    const start = (await ok(ws, "tasks_note", { task, note: "taken back" }))["revision"] as number;
    await ok(ws, "tasks_undo", { task });
    await ok(ws, "tasks_block", { task, path: "s:1", reason: "no grammar" });
    await ok(ws, "tasks_claim", { task, path: "s:0", ttl_s: 3600 });
    await ok(ws, "tasks_think", { task, decision: "Recursive descent" });
    await ok(ws, "tasks_report", { task, summary: "half done" });
    const viewer = viewerOf(ws.root);
    const { revision } = await read<EntityAnswer>(viewer, `entities/${task}.json`);
    const { parts } = await read<DifferenceAnswer>(viewer, `entities/${task}/differences/${start}-${revision}.json`);
    const told = Object.fromEntries(
      parts.map(({ part, items }) => [part, items.map(({ how, name }) => `${how} ${name}`)]),
    );
    expect(told).toMatchObject({
      notes: ["added Decision: Recursive descent", "removed taken back"],
      claims: ["added s:0 Write the grammar"],
      gates: [expect.stringMatching(/^added gate-/)],
      cards: ["added Recursive descent"],
      report: [expect.stringMatching(/^added /)],
    });
  });

  it(
    "[VIEWER-5] every note, card, line of the trace and entry of evidence is on a page of its list, now and as of a revision",
    ROTATING,
    async () => {
      const ws = await worked();
      for (let n = 0; n < 205; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
      for (let n = 0; n < 25; n++) await ok(ws, "tasks_think", { task: "TASK-001", hypothesis: `card ${n}` });
      const viewer = viewerOf(ws.root);
      const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
      expect([page.notes.length, page.notes_total, page.trace.length, page.trace_total]).toEqual([10, 206, 20, 25]);
      const notesAt = async (place: string): Promise<NotesAnswer> => read(viewer, `entities/TASK-001/${place}.json`);
      const [first, second] = [await notesAt("notes/0"), await notesAt("notes/1")];
      expect([first.page, first.pages, first.total, first.head]).toEqual([0, 2, 206, page.head]);
      expect(first.notes).toHaveLength(200);
      const all = [...first.notes, ...second.notes];
      expect(all.slice(-10).reverse()).toEqual(page.notes);
      expect(all.slice(1).map(({ text }) => text)).toEqual(Array.from({ length: 205 }, (_, n) => `note ${n}`));
      const { trace } = await read<TraceAnswer>(viewer, "entities/TASK-001/trace/0.json");
      expect(trace.slice(-20).reverse()).toEqual(page.trace);
      expect(trace[0]!.text).toContain("card 0");
      const { cards } = await read<CardsAnswer>(viewer, "entities/TASK-001/cards/0.json");
      expect(cards).toEqual(page.cards);
      const before = page.latest.revision - 25 - 3;
      expect((await notesAt(`revisions/${before}/notes/1`)).notes.map(({ text }) => text)).toEqual(
        [199, 200, 201].map((n) => `note ${n}`),
      );
      const past = await read<EvidenceAnswer>(viewer, "entities/TASK-001/revisions/1/evidence/0.json");
      expect([past.total, past.evidence]).toEqual([0, []]);
      expect(await refused(viewer, "entities/TASK-001/notes/2.json")).toBe("UNKNOWN_ID");
      expect(await refused(viewer, "entities/TASK-001/gates/0.json")).toBe("UNKNOWN_ID");
      expect(await refused(viewer, `entities/TASK-001/revisions/${page.latest.revision + 1}/notes/0.json`)).toBe(
        "UNKNOWN_ID",
      );
    },
  );

  it("[VIEWER-14] of the tasks of a plan its page has as many as a page of the board, and counts all", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Version 2" });
    const { entity, report } = readEntity(
      readFileSync(join(ws.root, ".coco/tasks/PLAN-001/events.jsonl")),
      isKnownType,
    );
    const subject = subjectOf("PLAN-001", WORKSPACE, entity!, report);
    const rows = Array.from({ length: 2600 }, (_, n) => ({
      id: `TASK-${n}`,
      title: "",
      status: n < 2550 ? ("DONE" as const) : ("TODO" as const),
      progress: { done: 0, total: 0 },
    }));
    const around = { find: () => undefined, latest: {}, present: { tasks: { of: undefined, rows }, needed_by: [] } };
    const { plan, progress } = entityAnswer(subject, around as unknown as PageAround);
    expect([plan!.tasks.length, plan!.tasks_total, plan!.by_status.DONE]).toEqual([2500, 2600, 2550]);
    expect(progress).toEqual({ done: 2550, total: 2600 });
  });

  it("[VIEWER-7] pages read in one go are those that are asked for one by one", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const all = await viewer.revisions("TASK-001", 1, 100);
    expect(all.size).toBe((await read<EntityAnswer>(viewer, "entities/TASK-001.json")).latest.revision);
    for (const [revision, page] of all)
      expect(page).toEqual(await read<EntityAnswer>(viewer, `entities/TASK-001/revisions/${revision}.json`));
  });

  it("[VIEWER-9] the history says who wrote what, and what was taken back or brought again", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const { ops, total, pages } = await read<HistoryAnswer>(viewer, "entities/TASK-001/history/0.json");
    expect([ops.length, pages]).toEqual([total, 1]);
    expect(ops.map(({ revision }) => revision)).toEqual(ops.map((_op, i) => i + 1));
    const [edit, undo] = ops.slice(-2);
    expect(edit).toMatchObject({ tool: "tasks_edit", by: "agent:ada", undone: true, undoable: false });
    expect(edit!.changes).toContainEqual({
      field: "title",
      label: "title",
      before: "A parser",
      after: "A better parser",
    });
    expect(undo).toMatchObject({ turns: { op: edit!.op, revision: edit!.revision, how: "undo" } });
    const noted = ops.find(({ tool }) => tool === "tasks_note");
    expect(noted!.changes).toMatchObject([{ label: "s:0 note", before: null, after: "see https://ci.example/1" }]);
    await ok(ws, "tasks_redo", { task: "TASK-001" });
    const again = await read<HistoryAnswer>(viewerOf(ws.root), "entities/TASK-001/history/0.json");
    expect(again.ops[edit!.revision - 1]).toMatchObject({ undone: false, redone: true });
  });

  it("[VIEWER-9] the last page of a history has its quarters of an hour, each with its first revision and its changes", async () => {
    let time = Date.parse("2026-11-24T08:14:59Z");
    const ws = openTemp({ now: () => time });
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    // Where changes come in another order than their times, as a merge may put them, the quarter has the least revision.
    for (const at of ["24T08:15:00", "27T23:59:00", "27T23:45:01", "24T08:29:59"]) {
      time = Date.parse(`2026-11-${at}Z`);
      await ok(ws, "tasks_note", { task: "TASK-001", note: at });
    }
    const { quarters } = await read<HistoryAnswer>(viewerOf(ws.root), "entities/TASK-001/history/0.json");
    expect(quarters).toEqual([
      [Date.parse("2026-11-24T08:00:00Z") / 900_000, 1, 1],
      [Date.parse("2026-11-24T08:15:00Z") / 900_000, 2, 2],
      [Date.parse("2026-11-27T23:45:00Z") / 900_000, 3, 2],
    ]);
  });

  it("[regression VIEWER-153] a plan counts the steps of its tasks, and none of a canceled one", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Plan" });
    for (const title of ["A", "B", "C"]) await ok(ws, "tasks_create", { parent: "PLAN-001", title, steps: STEPS });
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_complete", { task: "TASK-003", status: "CANCELED" });
    const { plan, progress } = await read<EntityAnswer>(viewerOf(ws.root), "entities/PLAN-001.json");
    expect([plan!.steps, progress]).toEqual([
      { done: 1, total: 4 },
      { done: 0, total: 3 },
    ]);
  });

  it("[VIEWER-10] evidence names its output, and output is text with nothing of a terminal but colours", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const { evidence } = await read<EvidenceAnswer>(viewer, "entities/TASK-001/evidence/0.json");
    const [run] = evidence[0]!.runs;
    expect(run).toMatchObject({ command: "npm test", exit_code: 1, stderr: null });
    const { sha256 } = run!.stdout!;
    const output = await read<OutputAnswer>(viewer, `entities/TASK-001/output/${sha256}/0.json`);
    expect(output).toMatchObject({ text: "\u001b[31mred\u001b[0m\n", pages: 1, binary: false });
    expect(await refused(viewer, `entities/TASK-001/output/${"0".repeat(64)}/0.json`)).toBe("UNKNOWN_ID");
    expect(await refused(viewer, `entities/TASK-001/output/${sha256}/1.json`)).toBe("UNKNOWN_ID");
  });

  it("[VIEWER-10] pages of output together are the whole text, cut between characters", async () => {
    const ws = await worked();
    const text = `${"x".repeat(65_535)}\u{1F600}${"y".repeat(10)}`;
    const items = [{ kind: "run", command: "seq", exit_code: 0, stdout: text }];
    await ok(ws, "tasks_evidence_capture", { task: "TASK-001", items });
    const viewer = viewerOf(ws.root);
    const { evidence } = await read<EvidenceAnswer>(viewer, "entities/TASK-001/evidence/0.json");
    const { sha256, pages } = evidence[1]!.runs[0]!.stdout!;
    expect(pages).toBe(2);
    const parts = await Promise.all(
      [0, 1].map((page) => read<OutputAnswer>(viewer, `entities/TASK-001/output/${sha256}/${page}.json`)),
    );
    expect(parts[0]!.text.length).toBe(65_535);
    expect(parts.map((part) => part.text).join("")).toBe(text);
  });

  it("[VIEWER-10] of long output the pages have the beginning, cut between characters, and no page costs the whole again", async () => {
    const ws = await worked();
    const stdout = `${"x".repeat(4 * 1024 * 1024 - 1)}\u00e9${"y".repeat(1000)}`;
    const sha256 = createHash("sha256").update(stdout).digest("hex");
    const blob = join(ws.root, ".coco/tasks/TASK-001/shared/evidence/blobs", sha256);
    // What another program captured: ours takes less.
    writeFileSync(blob, stdout);
    const viewer = viewerOf(ws.root);
    const size = 4 * 1024 * 1024 + 1001;
    const last = await read<OutputAnswer>(viewer, `entities/TASK-001/output/${sha256}/63.json`);
    expect(last).toMatchObject({ pages: 64, cut: true, size });
    expect([last.text.length, last.text.at(-1)]).toEqual([65_535, "x"]);
    // The text is kept: the file may go, as long as the pages are read one after another.
    rmSync(blob);
    expect((await read<OutputAnswer>(viewer, `entities/TASK-001/output/${sha256}/0.json`)).text.length).toBe(65_536);
    expect(() => viewer.raw("TASK-001", sha256)).toThrow("found none");
  });

  it("[VIEWER-10] no sequence of a terminal is left", () => {
    expect(capturedText("a\rb\r\nc\u0007\u001b[2J\u001b[1;31md\u001bPq\u001b\\e\u009b\u001b")).toBe(
      "a\nb\nc\u001b[1;31mde",
    );
    const hiding = "FAIL: 3\rOK\nbefore\u001b]0;no end\nFAIL again\r\n\u001b]0;title\u0007end\r";
    expect(capturedText(hiding)).toBe("FAIL: 3\nOK\nbefore0;no end\nFAIL again\nend");
    expect(["\r", "\r\r\n", "a\r\r", "\r\ra", "a\r\n\rb", "\n\r"].map(capturedText)).toEqual([
      "",
      "\n",
      "a",
      "\na",
      "a\n\nb",
      "\n",
    ]);
  });

  it(
    "[regression VIEWER-130] a text of a million signs that begins a sequence again and again is whole",
    ROTATING,
    () => {
      const shapes: [piece: string, end: string, ofPiece: string, ofEnd: string][] = [
        ["\r", "", "", ""],
        ["\r", "x", "", "\nx"],
        ["\r", "\n", "", "\n"],
        ["\u001b]", "x", "", "x"],
        ["\u001b[", "x", "", ""],
        ["\u001b[1;1;", "\n1", "1;1;", "\n1"],
        ["\u001bP\n", "\u0007", "\n", ""],
        ["\u001b ", "\n", " ", "\n"],
      ];
      for (const [piece, end, ofPiece, ofEnd] of shapes) {
        const times = Math.floor((1024 * 1024) / piece.length);
        // Work that grows with the square of the length does not end here.
        const text = capturedText(piece.repeat(times) + end);
        const shown = JSON.stringify([piece, end, text.slice(0, 10), text.slice(-10)]);
        expect(text === ofPiece.repeat(times) + ofEnd, shown).toBe(true);
      }
    },
  );

  it("[VIEWER-5] names that no answer has, and ids that are not there, are refused", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const names = [
      "entities/TASK-999.json",
      "entities/../../etc/passwd.json",
      "entities/TASK-001/revisions/0.json",
      "entities/TASK-001/history/9.json",
      "plans/TASK-001/graph.json",
      "workspace",
      "",
      "board/01.json",
      "board/-1.json",
    ];
    for (const name of names) expect(await refused(viewer, name), name).toBe("UNKNOWN_ID");
  });

  it("[VIEWER-7] archived and deleted ones have their pages", async () => {
    const ws = await worked();
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED", reason: "no need" });
    await ok(ws, "tasks_archive", { tasks: ["TASK-001"] });
    await ok(ws, "tasks_delete", { target: "TASK-002" });
    const viewer = viewerOf(ws.root);
    expect(await read<EntityAnswer>(viewer, "entities/TASK-001.json")).toMatchObject({
      archived: true,
      deleted: false,
    });
    expect(await read<EntityAnswer>(viewer, "entities/TASK-002.json")).toMatchObject({
      archived: false,
      deleted: true,
    });
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows.map(({ id, archived, deleted }) => [id, archived, deleted])).toEqual([
      ["PLAN-001", undefined, undefined],
      ["TASK-001", true, undefined],
      ["TASK-002", true, true],
    ]);
  });
});

function row(id: string, depends_on: string[], status: BoardRow["status"] = "TODO"): BoardRow {
  return {
    ...({} as BoardRow),
    id,
    kind: "task",
    title: id,
    status,
    plan: "P",
    depends_on,
    waits_for: [],
    blocked: [],
    claims: [],
    conflicts: 0,
    failed_proof: 0,
    ready: null,
    progress: { done: 0, total: 0 },
  };
}

describe("graph, agents and health", () => {
  it("[VIEWER-11] the graph of a plan has edges, ready tasks and the longest open chain", async () => {
    const ws = await worked();
    const graph = await read<GraphAnswer>(viewerOf(ws.root), "plans/PLAN-001/graph.json");
    expect(graph).toMatchObject({
      edges: [{ from: "TASK-001", to: "TASK-002", done: false, critical: true }],
      critical_path: ["TASK-001", "TASK-002"],
      ready: ["TASK-001"],
      circle: [],
    });
  });

  it("[VIEWER-11] circles are named, chains beside them stay, and DONE tasks are on no chain", () => {
    const rows = [
      row("A", ["B"]),
      row("B", ["A"]),
      row("C", ["A"]),
      row("D", [], "DONE"),
      row("E", ["D"]),
      row("F", ["E"]),
    ];
    const graph = planGraph("P", new Map(rows.map((one) => [one.id, one])), "", "");
    expect(graph.circle).toEqual(["A", "B"]);
    expect(graph.critical_path).toEqual(["E", "F"]);
    expect(graph.nodes.find(({ id }) => id === "F")).toMatchObject({ rank: 2, critical: true });
  });

  it("[regression VIEWER-105] a node of the graph has the conflicts and the failed proofs of its task", () => {
    const rows = [{ ...row("A", []), conflicts: 2, failed_proof: 1 }, row("B", ["A"])];
    const { nodes } = planGraph("P", new Map(rows.map((one) => [one.id, one])), "", "");
    expect(nodes).toMatchObject([
      { id: "A", conflicts: 2, failed_proof: 1 },
      { id: "B", conflicts: 0, failed_proof: 0 },
    ]);
  });

  it("[VIEWER-12] [regression VIEWER-62] lanes tell claims that ran out, were taken over and were handed over", async () => {
    let now = START;
    const ws = openTemp({ now: () => now });
    const as = (by: string, tool: "tasks_claim" | "tasks_release", input: object) =>
      ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", ...input }, { by });
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", steps: STEPS });
    now += 1000;
    await as("agent:ada", "tasks_claim", { path: "s:0", ttl_s: 60 });
    now += HOUR;
    await as("agent:ben", "tasks_claim", { path: "s:0", ttl_s: 600 });
    now += 1000;
    await as("agent:ben", "tasks_release", { path: "s:0" });
    now += 1000;
    await as("agent:cyd", "tasks_claim", { path: "s:0", ttl_s: 600 });
    const block = { workspace: WORKSPACE, task: "TASK-001", path: "s:0", reason: "no grammar yet" };
    expect((await ws.callTool("tasks_block", block, { by: "agent:cyd" })).error).toBeNull();
    const { lanes, throughput, to } = await read<AgentsAnswer>(
      viewerOf(ws.root, () => now + 1000),
      "agents.json",
    );
    const lane = (by: string) => lanes.find((one) => one.by === by)!;
    expect(lane("agent:ada").spans).toMatchObject([{ kind: "claim", end: "killed", other: "agent:ben" }]);
    expect(lane("agent:ada").counts).toEqual({ claim: 1, kill: 1 });
    expect(lane("agent:ben").spans).toMatchObject([{ end: "released", other: "agent:cyd" }]);
    expect(lane("agent:ben").counts).toEqual({ claim: 1, take_over: 1, release: 1, hand_over: 1 });
    expect(lane("agent:cyd").spans).toMatchObject([{ end: "open", to: null }]);
    expect(lane("agent:cyd").waits).toMatchObject([{ entity: "TASK-001", why: [{ text: "blocked: no grammar yet" }] }]);
    expect(throughput.bucket).toBe("hour");
    expect(to).toBe(new Date(now + 1000).toISOString());
    expect(lanes.map(({ spans_total }) => spans_total)).toEqual([1, 1, 1, 0]);
    const later = await read<AgentsAnswer>(
      viewerOf(ws.root, () => now + 2 * HOUR),
      "agents.json",
    );
    expect(later.lanes.find(({ by }) => by === "agent:cyd")).toMatchObject({ spans: [{ end: "expired" }], waits: [] });
    expect(later.to, "the end of the claim").toBe(new Date(now + 600_000).toISOString());
  });

  it("[VIEWER-12] one wrong clock stretches no lane and no bars, and its marks are counted", async () => {
    const now = START + HOUR;
    let clock = START;
    const ws = await worked({ now: () => (clock += 1000) });
    clock = Date.parse("2099-01-01T00:00:00.000Z");
    await ok(ws, "tasks_note", { task: "TASK-002", note: "from the future" });
    const viewer = viewerOf(ws.root, () => now);
    const { from, to, ahead, lanes, throughput } = await read<AgentsAnswer>(viewer, "agents.json");
    expect(ahead).toBe(1);
    expect(Date.parse(from!)).toBeLessThan(now);
    expect(Date.parse(to!)).toBeLessThanOrEqual(now + 300_000);
    expect(lanes[0]!.marks.at(-1), "lists have it").toMatchObject({ kind: "note", entity: "TASK-002" });
    expect(lanes[0]!.marks.at(-1)!.ts.slice(0, 4)).toBe("2099");
    expect(throughput.bucket).toBe("hour");
    expect(throughput.buckets.filter(({ start }) => start > "2090")).toEqual([]);
    const { logs } = await read<HealthAnswer>(viewer, "health.json");
    expect(logs.growth.length).toBeGreaterThan(0);
    expect(logs.growth.filter(({ day }) => day > "2090")).toEqual([]);
    const later = await read<AgentsAnswer>(
      viewerOf(ws.root, () => Date.parse("2099-01-02T00:00:00.000Z")),
      "agents.json",
    );
    expect(later.ahead, "its time has come").toBe(0);
  });

  it("[VIEWER-12] who claimed a task waits once nothing in it can go on, or another task comes first", async () => {
    const ws = await worked();
    const waits = async (): Promise<unknown> => {
      const { lanes } = await read<AgentsAnswer>(
        viewerOf(ws.root, () => START + HOUR),
        "agents.json",
      );
      return lanes
        .find(({ by }) => by === "agent:ada")!
        .waits.map(({ entity, step, why }) => [entity, step, why.map(textOf)]);
    };
    await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 86_400 });
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "no grammar" });
    expect(await waits()).toEqual([]);
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:1", reason: "no parser" });
    const why = ["s:0 Write the grammar: blocked: no grammar", "s:1 Write the parser: blocked: no parser"];
    expect(await waits()).toEqual([["TASK-001", null, why]]);
    await ok(ws, "tasks_claim", { task: "TASK-002", path: "s:0", ttl_s: 86_400 });
    expect(await waits()).toContainEqual([
      "TASK-002",
      expect.objectContaining({ path: "s:0" }),
      ["waits for TASK-001"],
    ]);
  });

  it("[VIEWER-53] health has the findings of verify with what to do, and the growth of logs", ROTATING, async () => {
    const ws = await worked();
    writeFileSync(join(ws.root, ".coco/tasks/TASK-001/README.md"), "edited by hand\n");
    const viewer = viewerOf(ws.root);
    await viewer.finishChecks();
    const health = await read<HealthAnswer>(viewer, "health.json");
    expect(health).toMatchObject({ complete: true, checked: 3, total: 3 });
    expect(health.findings).toContainEqual(
      expect.objectContaining({
        code: "PROJECTION_DIFFERS",
        entity: "TASK-001",
        note: false,
        explained: expect.anything() as unknown,
      }),
    );
    const sizes = ["PLAN-001", "TASK-001", "TASK-002"].map(
      (id) => readFileSync(join(ws.root, `.coco/tasks/${id}/events.jsonl`)).length,
    );
    expect(health.logs.bytes).toBe(sizes.reduce((sum, one) => sum + one, 0));
    expect(health.logs.growth.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(health.logs.bytes);
    expect(health.logs.largest[0]).toMatchObject({ id: "TASK-001" });
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows.map(({ drift }) => drift)).toEqual([false, true, false]);
    expect(await read<WorkspaceAnswer>(viewer, "workspace.json")).toMatchObject({
      findings: { faults: 1, complete: true },
      counts: { drift: 1, plans: 1, tasks: 2, failed_proof: 1 },
    });
  });

  it("[VIEWER-53] the check of one folder says whether its evidence still holds", async () => {
    const ws = await worked();
    const viewer = viewerOf(ws.root);
    const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    const [{ id, runs }] = page.evidence as [EntityAnswer["evidence"][number]];
    const check = async (): Promise<CheckAnswer> => read<CheckAnswer>(viewer, "entities/TASK-001/check.json");
    expect(await check()).toMatchObject({ drift: false, evidence: { [id]: { status: "holds" } } });
    rmSync(join(ws.root, ".coco/tasks/TASK-001/shared/evidence/blobs", runs[0]!.stdout!.sha256));
    expect(await check()).toMatchObject({ evidence: { [id]: { status: "broken" } } });
  });
});

describe("evidence", () => {
  const RUN = { kind: "run", command: "npm test", exit_code: 0 };
  const FILE = { kind: "file", path: "src/a.ts", start_line: 1, end_line: 2, title: "Parser" };
  const capture = (more: object) => ({ task: "TASK-001", path: "s:0", checkpoint: "tests" as const, ...more });

  it("[VIEWER-102] names who captured it, on the page, in its list and in the past, and tells lines that were not there", async () => {
    const ws = await worked();
    const bob = openTemp({ by: "agent:bob", root: ws.root });
    await ok(bob, "tasks_evidence_capture", capture({ items: [RUN, FILE] }));
    const viewer = viewerOf(ws.root);
    const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    const told = ({ evidence }: { evidence: EntityAnswer["evidence"] }): unknown[] =>
      evidence.map(({ by, no_proof }) => [by, no_proof]);
    const all = [
      ["agent:ada", null],
      ["agent:bob", null],
      ["agent:bob", "missing"],
    ];
    expect(told(page)).toEqual(all);
    expect(told(await read<EvidenceAnswer>(viewer, "entities/TASK-001/evidence/0.json"))).toEqual(all);
    const past = `entities/TASK-001/revisions/${page.revision - 1}`;
    expect(told(await read<EntityAnswer>(viewer, `${past}.json`))).toEqual(all.slice(0, 1));
    expect(told(await read<EvidenceAnswer>(viewer, `${past}/evidence/0.json`))).toEqual(all.slice(0, 1));
  });

  it("[VIEWER-102] the check names title and steps of an entry, and calls none broken that never was a proof", async () => {
    const ws = await worked();
    await ok(ws, "tasks_evidence_capture", capture({ items: [FILE] }));
    mkdirSync(join(ws.root, "src"));
    writeFileSync(join(ws.root, "src/a.ts"), "one\ntwo\n");
    await ok(ws, "tasks_evidence_capture", capture({ items: [FILE] }));
    writeFileSync(join(ws.root, "src/a.ts"), "one\nthree\n");
    const { evidence } = await read<CheckAnswer>(viewerOf(ws.root), "entities/TASK-001/check.json");
    const files = Object.values(evidence).filter(({ title }) => title === "Parser");
    expect(files).toMatchObject([
      {
        status: "broken",
        why: [{ text: "src/a.ts:1-2 has changed" }],
        backs: [{ path: "s:0", title: "Write the grammar" }],
      },
      { status: "unverifiable", backs: [] },
    ]);
  });

  it("[VIEWER-102] a checkpoint whose newest run of a command failed names that command, as the board counts it", async () => {
    const ws = await worked();
    await ok(ws, "tasks_evidence_capture", capture({ checks: ["LINK: https://ci.example/1"] }));
    const viewer = viewerOf(ws.root);
    const tests = async (): Promise<unknown> => {
      const { steps } = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
      return steps[0]!.checkpoints.find(({ name }) => name === "tests");
    };
    expect(await tests()).toMatchObject({ proof_state: "failed", failed_commands: ["npm test"] });
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows.find(({ id }) => id === "TASK-001")!.failed_proof).toBe(1);
    await ok(ws, "tasks_evidence_capture", capture({ items: [RUN] }));
    passTime(300);
    expect(await tests()).toMatchObject({ proof_state: "proved", failed_commands: [] });
  });

  it("[VIEWER-102] a failed run of another command than the declared test has the mark of one, once", async () => {
    const ws = openTemp();
    const steps = [{ title: "Write it", success_criteria: ["it is written"], tests: ["npm test"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "Parser", steps });
    const viewer = viewerOf(ws.root);
    const run = { kind: "run", command: "npm run lint", exit_code: 1, stdout: "no" };
    await ok(ws, "tasks_evidence_capture", capture({ items: [run] }));
    const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    const tests = page.steps[0]!.checkpoints.find(({ name }) => name === "tests");
    expect(tests).toMatchObject({ failed_commands: ["npm run lint"], other_commands: ["npm run lint"] });
  });
});

const ALL = [
  "workspace.json",
  "board/0.json",
  "entities/PLAN-001.json",
  "entities/TASK-001.json",
  "entities/TASK-001/revisions/2.json",
  "entities/TASK-001/differences/1-3.json",
  "entities/TASK-001/history/0.json",
  "entities/TASK-001/evidence/0.json",
  "entities/TASK-001/check.json",
  "plans/PLAN-001/graph.json",
  "standings.json",
  "agents.json",
  "agents/0.json",
  "health.json",
  "logs/0.json",
];

describe("nothing is written", () => {
  it("[VIEWER-1] every answer leaves the folder as it was, byte by byte, and in every name", ROTATING, async () => {
    const ws = await worked();
    await ws.close();
    const copy = tempFolder();
    cpSync(ws.root, copy, { recursive: true });
    const before = tree(copy);
    const viewer = new Viewer({ root: copy, version: "0.0.0" });
    const ended = new AbortController();
    const watching = viewer.changes(ended.signal);
    const first = watching.next();
    for (const name of ALL) await read(viewer, name);
    await viewer.finishChecks();
    ended.abort();
    await first;
    viewer.close();
    expect(tree(copy)).toEqual(before);
  });

  it("[VIEWER-1] a folder that may not be written to answers the same", async () => {
    const ws = await worked();
    const root = tempFolder();
    cpSync(ws.root, root, { recursive: true });
    const before = await read<EntityAnswer>(viewerOf(root), "entities/TASK-001.json");
    const folders = [".coco", ".coco/tasks", ".coco/tasks/TASK-001", ".coco/registry", ".coco/tasks/TASK-001/shared"];
    for (const folder of folders) chmodSync(join(root, folder), 0o555);
    onTestFinished(() => {
      for (const folder of folders) chmodSync(join(root, folder), 0o755);
    });
    const viewer = viewerOf(root);
    for (const name of ALL) await read(viewer, name);
    expect(await read<EntityAnswer>(viewer, "entities/TASK-001.json")).toEqual(before);
  });
});
