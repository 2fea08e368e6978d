import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { CANCELED, cocoAppends, cocoJoins, cocoRewrites, placeSample } from "../support/coco.ts";
import { call, newTask, ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";

const ID = "TASK-001";

interface Beside {
  ws: Workspace;
  folder: string;
  /** The clock that both programs share, as a time that Coco writes. */
  now: () => string;
}

/** A task of ours, in a folder where Coco works as well. */
async function beside(): Promise<Beside> {
  let ms = START;
  const now = (): number => (ms += 1000);
  const ws = openTemp({ now });
  await newTask(ws);
  return { ws, folder: join(ws.root, ".coco/tasks", ID), now: () => new Date(now()).toISOString() };
}

/** `subagent spawn`: a line, and the roster in task.yaml. */
function cocoSpawns({ folder, now }: Beside, instance: string, agent: string): void {
  cocoAppends(folder, now(), "agent.started", { agentInstance: instance });
  cocoRewrites(folder, now(), (task) =>
    task.roster.push({ instance, agent, state: "active", assignedMilestone: null, skills: ["go"] }),
  );
}

function cocoBlocks({ folder, now }: Beside, gateId: string, reason: string): void {
  cocoAppends(folder, now(), "gate.blocked", { payload: { gateId, reason, agentInstance: "w1" } });
}

interface Shown {
  title: string;
  state: string;
  roster: JsonObject[];
  gates: JsonObject[];
}

function shown(folder: string): Shown {
  const { title, state, roster, gates } = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as Shown;
  return { title, state, roster, gates };
}

function indexOf(folder: string): { id: string; title: string }[] {
  return JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8")) as never;
}

async function blockersOf(ws: Workspace): Promise<string> {
  const { radar } = (await ok(ws, "tasks_radar", { task: ID })) as { radar: { blockers: string[] } };
  return radar.blockers.join("\n");
}

const joined = (id: string, title: string) => ({
  id,
  kind: "runtime-event-range",
  title,
  summary: "",
  createdAt: "2026-01-01T00:00:00.123456789+00:00",
  sources: [{ type: "runtimeEventRange", eventsRef: "./agents/w1/runtime/events.jsonl" }],
});

/** Everything of ours that folds the files anew. */
const FOLDERS: [string, (ws: Workspace) => Promise<unknown>][] = [
  ["a change", (ws) => ok(ws, "tasks_note", { task: ID, note: "ours" })],
  ["rebuild", (ws) => ws.repair.rebuild(ID)],
  ["resolve", (ws) => ws.repair.resolve(ID)],
];

describe("lines of Coco that wait for their place", () => {
  it.each(FOLDERS)(
    "[LOG-18] [regression VIEW-70] count after %s as they do once they are placed",
    async (_name, fold) => {
      const at = await beside();
      const { ws, folder } = at;
      cocoSpawns(at, "w1", "w1");
      cocoBlocks(at, "gate-w1", "Which table?");
      expect(await blockersOf(ws)).toContain("Which table?");
      await fold(ws);
      const waiting = shown(folder);
      expect(waiting).toMatchObject({
        state: "input-required",
        roster: [{ instance: "w1", state: "awaiting" }],
        gates: [{ id: "gate-w1", state: "blocked", reason: "Which table?" }],
      });
      expect(ws.verify(ID).findings.filter((f) => !f.info)).toEqual([]);
      expect(ws.files(ID).get("task.yaml")).toBe(readFileSync(join(folder, "task.yaml"), "utf8"));
      const told = await blockersOf(ws);
      expect(told).toContain("Which table?");
      await ok(ws, "tasks_note", { task: ID, note: "places them" });
      expect(shown(folder)).toEqual(waiting);
      expect(await blockersOf(ws)).toBe(told);
      expect(ws.verify(ID).findings.filter((f) => !f.info)).toEqual([]);
    },
  );

  it("[LOG-18] what is written with them depends on the log alone", async () => {
    const at = await beside();
    cocoSpawns(at, "w1", "writer");
    cocoBlocks(at, "gate-w1", "Which?");
    await at.ws.repair.rebuild(ID);
    const texts = ["task.yaml", "README.md"].map((name) => readFileSync(join(at.folder, name), "utf8"));
    for (const name of ["task.yaml", "README.md"]) rmSync(join(at.folder, name));
    await openTemp({ root: at.ws.root }).repair.rebuild(ID);
    expect(["task.yaml", "README.md"].map((name) => readFileSync(join(at.folder, name), "utf8"))).toEqual(texts);
  });

  it("[regression PROJ-51] files that were folded when fewer of them stood there are no drift", async () => {
    const at = await beside();
    const { ws, folder } = at;
    await ws.close();
    for (const reason of ["none yet", "one", "two"]) {
      if (reason !== "none yet") cocoBlocks(at, `gate-${reason}`, reason);
      const before = openTemp({ root: ws.root });
      expect((await before.repair.rebuild(ID)).findings, reason).toEqual([]);
      await before.close();
    }
    cocoBlocks(at, "gate-three", "three");
    const writer = openTemp({ root: ws.root });
    const { warnings } = await call(writer, "tasks_note", { task: ID, note: "x" });
    expect(warnings).toEqual([]);
    writeFileSync(join(folder, "README.md"), `${readFileSync(join(folder, "README.md"), "utf8")}by hand\n`);
    const { warnings: told } = await call(openTemp({ root: ws.root }), "tasks_note", { task: ID, note: "y" });
    expect(told.map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
  });
});

describe("what a write of ours set aside", () => {
  it.each(FOLDERS)(
    "[ADOPT-50] --again after %s finds the agent's name and the join's evidence",
    async (_name, fold) => {
      const at = await beside();
      const { ws, folder } = at;
      cocoSpawns(at, "w1", "writer");
      cocoJoins(folder, [joined("worker-w1", "What w1 did")]);
      await fold(ws);
      expect(shown(folder).roster).toMatchObject([{ instance: "w1", agent: "w1" }]);
      expect(indexOf(folder)).toEqual([]);
      const dry = await ws.repair.adopt(ID, { again: true, dryRun: true });
      const told = await ws.repair.adopt(ID, { again: true });
      expect(told).toMatchObject({ changed: true, fields: ["roster", "evidence"], took: { roster: 1, evidence: 1 } });
      expect(dry.fields).toEqual(told.fields);
      expect(shown(folder).roster).toMatchObject([
        { instance: "w1", agent: "writer", state: "active", skills: ["go"] },
      ]);
      expect(indexOf(folder).map(({ id }) => id)).toEqual(["worker-w1"]);
      expect(ws.verify(ID).findings.filter((f) => !f.info)).toEqual([]);
      expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ changed: false, fields: [], left: [] });
    },
  );

  it("[ADOPT-50] keeps the names of all agents, whatever we wrote between their starts", async () => {
    const at = await beside();
    const { ws, folder } = at;
    cocoSpawns(at, "w1", "writer");
    await ok(ws, "tasks_note", { task: ID, note: "between" });
    cocoSpawns(at, "w2", "tester");
    await ws.repair.rebuild(ID);
    cocoSpawns(at, "w3", "reader");
    await ok(ws, "tasks_note", { task: ID, note: "behind" });
    cocoSpawns(at, "w4", "keeper");
    expect((await ws.repair.adopt(ID, { again: true })).took.roster).toBe(4);
    expect(shown(folder).roster.map((one) => [one["instance"], one["agent"]])).toEqual([
      ["w1", "writer"],
      ["w2", "tester"],
      ["w3", "reader"],
      ["w4", "keeper"],
    ]);
  });

  it("[ADOPT-51] a title that both changed stays ours and is named; one that only the other changed is taken", async () => {
    const at = await beside();
    const { ws, folder } = at;
    cocoRewrites(folder, at.now(), (task) => Object.assign(task, { title: "Theirs", description: "From there" }));
    await ok(ws, "tasks_edit", { task: ID, title: "Ours" });
    expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ fields: ["description"], left: ["title"] });
    expect(shown(folder).title).toBe("Ours");
    await ok(ws, "tasks_edit", { task: ID, title: "Ours again" });
    expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ changed: false, left: [] });
    expect(shown(folder).title).toBe("Ours again");
  });

  it("[ADOPT-50] what is no file of Coco's, or not what its name says, is passed over", async () => {
    const at = await beside();
    const { ws, folder } = at;
    for (const text of ["", "title: [", "id: another\ntitle: x\ntopology: squad\nstate: created\n"]) {
      writeFileSync(join(folder, "task.yaml"), text);
      writeFileSync(join(folder, "shared/evidence/index.json"), `[{"id": "${text.length}"}]`);
      await ok(ws, "tasks_note", { task: ID, note: "x" });
    }
    cocoSpawns(at, "w1", "writer");
    await ok(ws, "tasks_note", { task: ID, note: "y" });
    const kept = readdirSync(join(ws.root, ".coco/registry/quarantine"));
    for (const name of kept) appendFileSync(join(ws.root, ".coco/registry/quarantine", name), " ");
    expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ changed: false, fields: [] });
  });

  it("[ADOPT-7] a line that is newer than the task file keeps its state, and the agent gets the file's name", async () => {
    const at = await beside();
    const { ws, folder } = at;
    cocoSpawns(at, "w1", "writer");
    cocoAppends(folder, at.now(), "agent.completed", { agentInstance: "w1" });
    await ok(ws, "tasks_note", { task: ID, note: "places the lines" });
    await ws.repair.adopt(ID, { again: true });
    expect(shown(folder).roster).toMatchObject([
      { instance: "w1", agent: "writer", state: "completed", skills: ["go"] },
    ]);
  });

  it("[regression ADOPT-55] an index that is taken in without a task file makes no waiting line old", async () => {
    const at = await beside();
    const { ws, folder } = at;
    cocoBlocks(at, "gate-w1", "Which?");
    cocoJoins(folder, [joined("worker-w1", "What w1 did")]);
    expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ fields: ["evidence"], took: { lines: 1 } });
    expect(shown(folder)).toMatchObject({ state: "input-required", gates: [{ id: "gate-w1" }] });
  });
});

describe("what adoption keeps as it is", () => {
  const ROSTER = `---
id: ${CANCELED}
title: Ship it
topology: squad
state: working
createdAt: 2026-02-01T10:00:00.123456789+01:00
updatedAt: 2026-02-01T12:00:00Z
roster:
  - {instance: a, agent: one, state: pending}
  - {instance: b, agent: two, state: active}
  - {instance: c, agent: three, state: dormant}
  - {instance: d, agent: four, state: awaiting}
`;

  async function adopted(text: string): Promise<{ ws: Workspace; folder: string }> {
    const ws = openTemp();
    await ws.init(WORKSPACE);
    const folder = placeSample(ws.root, CANCELED);
    writeFileSync(join(folder, "task.yaml"), text);
    await ws.repair.adopt(CANCELED);
    return { ws, folder };
  }

  it.each([
    ["10:00:00.123456789+01:00", "09:00:00.123456789Z"],
    ["10:00:00.123456+01:00", "09:00:00.123456Z"],
    ["10:00:00.1234+01:00", "09:00:00.123400Z"],
    ["10:00:00.1+01:00", "09:00:00.100Z"],
    ["10:00:00+01:00", "09:00:00.000Z"],
  ])("[ADOPT-54] createdAt %s stays that moment to the ninth digit", async (theirs, ours) => {
    const { folder } = await adopted(ROSTER.replace("10:00:00.123456789+01:00", theirs));
    const { createdAt } = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as { createdAt: string };
    expect(createdAt).toBe(`2026-02-01T${ours}`);
  });

  it("[ADOPT-54] pending, active and dormant agents stay what they are until a line or Coco says otherwise", async () => {
    const { ws, folder } = await adopted(ROSTER);
    const states = () => shown(folder).roster.map((one) => one["state"]);
    expect(states()).toEqual(["pending", "active", "dormant", "awaiting"]);
    expect(ws.verify(CANCELED)).toMatchObject({ ok: true, findings: [] });
    cocoRewrites(folder, "2026-02-01T13:00:00Z");
    expect(await ws.repair.adopt(CANCELED, { again: true })).toMatchObject({ changed: false });
    cocoRewrites(folder, "2026-02-01T14:00:00Z", (task) => (task.roster[0]!["state"] = "active"));
    cocoAppends(folder, "2026-02-01T14:00:01Z", "agent.started", { agentInstance: "b" });
    cocoAppends(folder, "2026-02-01T14:00:02Z", "agent.completed", { agentInstance: "c" });
    expect(await ws.repair.adopt(CANCELED, { again: true })).toMatchObject({ fields: ["roster"], took: { roster: 1 } });
    expect(states()).toEqual(["active", "awaiting", "completed", "awaiting"]);
  });
});
