import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import {
  BLOCKED,
  CANCELED,
  COCO_IDS,
  cocoAppends,
  cocoJoins,
  cocoRewrites,
  JOINED,
  placeSample,
} from "../support/coco.ts";
import { quick } from "../support/faulty_task.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { repository } from "../support/git.ts";
import { ROOT } from "../support/source.ts";
import { numbersOf, sized, SWEEP, ROTATING } from "../support/sweep.ts";
import { call, code, logLines, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormatsModule.default(ajv);
const isTaskFile = ajv.compile(
  JSON.parse(readFileSync(join(ROOT, "test/data/coco-schemas/task.schema.json"), "utf8")) as object,
);

async function bound(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const ws = openTemp(options);
  await ws.init(WORKSPACE);
  return ws;
}

/** A task of a kind that no sample has. */
const MILESTONES = `---
id: t1
title: Ship it
topology: squad
state: gate.blocked
createdAt: 2026-02-01T10:00:00+01:00
updatedAt: 2026-02-01T12:00:00.123456789Z
milestones:
  - {id: m1, title: Read, state: done}
  - {id: m2, title: Think, state: in_progress, dependsOn: [m1]}
  - {id: m3, title: Wait, state: blocked, dependsOn: [m1, m2]}
  - {id: m4, title: Write}
roster:
  - {instance: a1, agent: writer, state: active, assignedMilestone: m2, skills: [go, git]}
gates:
  - {id: g1, type: auto-check, state: open, instructionsRef: null}
config: {maxConcurrentAgents: 7, timeoutSeconds: 60, autoApprove: true}
`;

/** That task in the folder of one that has no more than its creation. */
function placeMilestones(root: string): string {
  const folder = placeSample(root, CANCELED);
  writeFileSync(join(folder, "task.yaml"), MILESTONES);
  return folder;
}

/** What a promise is rejected with, or null. */
function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (e: unknown) => e,
  );
}

describe("adopting a folder that Coco made", () => {
  it.each(COCO_IDS)("[ADOPT-1] [ADOPT-3] %s is whole afterwards, and Coco can read it", async (id) => {
    const ws = await bound();
    const folder = placeSample(ws.root, id);
    const lines = logLines(ws.root, id);
    const entries = JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8")) as unknown[];
    const { warnings, took, quarantined } = await ws.repair.adopt(id);
    expect(warnings).toEqual([]);
    expect(took).toMatchObject({ lines: lines.length, evidence: entries.length });
    expect(quarantined).toEqual(["task.yaml", "README.md", "shared/evidence/index.json"]);
    expect(logLines(ws.root, id).slice(0, lines.length)).toEqual(lines);
    expect(logLines(ws.root, id)).toHaveLength(lines.length + 2);
    expect(ws.verify(id)).toMatchObject({ ok: true, findings: [] });
    const file = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as object;
    expect(isTaskFile(file), JSON.stringify(isTaskFile.errors)).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8"))).toEqual(entries);
  });

  it("[ADOPT-1] title, state, roster and gates are those of its task file; older lines change nothing", async () => {
    const ws = await bound();
    const blocked = parse(readFileSync(join(placeSample(ws.root, BLOCKED), "task.yaml"), "utf8")) as JsonObject;
    await ws.repair.adopt(BLOCKED);
    const ours = parse(readFileSync(join(ws.root, ".coco/tasks", BLOCKED, "task.yaml"), "utf8")) as JsonObject;
    for (const key of ["id", "title", "description", "topology", "state", "roster", "gates", "config"])
      expect(ours[key], key).toEqual(blocked[key]);
    expect(ours["updatedAt"]).toBe("2026-11-21T20:31:29.373Z");
    placeSample(ws.root, CANCELED);
    await ws.repair.adopt(CANCELED);
    const { target } = (await ok(ws, "tasks_radar", { task: CANCELED })) as { target: JsonObject };
    expect(target).toMatchObject({ status: "CANCELED", title: "Old state word", revision: 2 });
  });

  it("[ADOPT-2] milestones are steps with ids of their own, and keep state, order and what they wait for", async () => {
    const ws = await bound();
    const folder = placeMilestones(ws.root);
    await ws.repair.adopt(CANCELED);
    const file = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as {
      milestones: { id: string; state: string; dependsOn: string[] }[];
      roster: JsonObject[];
      gates: JsonObject[];
      config: JsonObject;
      state: string;
      createdAt: string;
    };
    const ids = file.milestones.map((m) => m.id);
    for (const id of ids) expect(id).toMatch(/^STEP-[0-9A-F]{8}$/);
    expect(file.milestones.map((m) => m.state)).toEqual(["done", "working", "blocked", "pending"]);
    expect(file.milestones.map((m) => m.dependsOn)).toEqual([[], [ids[0]], [ids[0], ids[1]], []]);
    expect(file.roster).toEqual([
      { instance: "a1", agent: "writer", state: "active", assignedMilestone: ids[1], skills: ["go", "git"] },
    ]);
    expect(file.config).toEqual({ maxConcurrentAgents: 7, timeoutSeconds: 60, autoApprove: true });
    expect(file.gates.map((g) => [g["id"], g["type"], g["state"]])).toEqual([
      ["g1", "auto-check", "open"],
      ["input-required", "human-approval", "blocked"],
    ]);
    expect(file.state).toBe("input-required");
    expect(file.createdAt).toBe("2026-02-01T09:00:00.000Z");
    const { steps } = (await ok(ws, "tasks_radar", { task: CANCELED })) as { steps: JsonObject };
    expect(steps).toMatchObject({ total: 4, completed: 1, blocked: 1 });
    expect(await code(ws, "tasks_done", { task: CANCELED, step_id: ids[1]! })).toBe("CHECKPOINTS_NOT_CONFIRMED");
  });

  it("[ADOPT-4] two clones adopt to the same bytes, in log and files", async () => {
    const [one, two] = [await bound(), await bound()];
    for (const ws of [one, two]) for (const id of COCO_IDS) placeSample(ws.root, id);
    for (const id of COCO_IDS) await one.repair.adopt(id);
    for (const id of COCO_IDS.toReversed()) await two.repair.adopt(id);
    const files = (ws: Workspace) => tree(join(ws.root, ".coco/tasks"), { times: false });
    expect(files(one)).toEqual(files(two));
    expect(files(one).length).toBeGreaterThan(40);
  });

  it("[ADOPT-4] two clones that adopt and work on merge without a word", ROTATING, async () => {
    const { ada, cloneOf } = repository();
    const first = await bound({ root: ada.root });
    for (const id of COCO_IDS) placeSample(ada.root, id);
    ada.commit("what Coco left");
    const bob = cloneOf(ada, "bob");
    const second = openTemp({ root: bob.root, by: "human:bob" });
    await first.repair.adopt(BLOCKED);
    await ok(first, "tasks_note", { task: BLOCKED, note: "from ada" });
    ada.commit("ada");
    await second.repair.adopt(BLOCKED);
    await ok(second, "tasks_note", { task: BLOCKED, note: "from bob" });
    bob.commit("bob");
    ada.merge(bob);
    await first.repair.resolve();
    const { handoff } = (await ok(first, "tasks_handoff", { task: BLOCKED })) as { handoff: { notes: JsonObject[] } };
    expect(handoff.notes.map((note) => note["text"] as string).toSorted()).toEqual(["from ada", "from bob"]);
    expect(first.verify(BLOCKED).findings).toEqual([]);
  });

  it("[ADOPT-3] the old files are kept, and so is the text of people", async () => {
    const ws = await bound();
    const folder = placeSample(ws.root, BLOCKED);
    const before = ["task.yaml", "README.md"].map((name) => readFileSync(join(folder, name), "utf8"));
    const notes = "# Human Notes\n\n- Ask before you drop a table.\n";
    writeFileSync(join(folder, "shared/human-notes.md"), notes);
    await ws.repair.adopt(BLOCKED);
    const kept = tree(join(ws.root, ".coco/registry/quarantine"), { times: false }).map((line) => line.split(" ")[0]!);
    const texts = kept.map((name) => readFileSync(join(ws.root, ".coco/registry/quarantine", name), "utf8"));
    for (const text of before) expect(texts).toContain(text);
    expect(readFileSync(join(folder, "shared/human-notes.md"), "utf8")).toBe(notes);
    await ok(ws, "tasks_note", { task: BLOCKED, note: "x" });
    const types = logLines(ws.root, BLOCKED).map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).not.toContain("notes.changed");
    rmSync(join(folder, "shared/human-notes.md"));
    await ok(ws, "tasks_note", { task: BLOCKED, note: "y" });
    expect(readFileSync(join(folder, "shared/human-notes.md"), "utf8")).toBe(notes);
  });

  it("[ADOPT-9] what Coco itself does not know is kept in the log, and the report says what the new files do not show", async () => {
    const ws = await bound();
    const folder = placeMilestones(ws.root);
    const more = 'x-owner: &who {team: core, share: 0.5}\n"1": [*who, null]\n';
    writeFileSync(
      join(folder, "task.yaml"),
      `${MILESTONES.replace("title: Wait,", "title: Wait, size: 3,").replace("title: Read,", "title: Read, size: 5,")}${more}`,
    );
    appendFileSync(join(folder, "README.md"), "\nHow to run it:\n\n- `state`: ask Ada\n");
    const dry = await ws.repair.adopt(CANCELED, { dryRun: true });
    const { left } = await ws.repair.adopt(CANCELED);
    const kept = readdirSync(join(ws.root, ".coco/registry/quarantine")).find((name) => name.includes("README.md"));
    expect(left).toEqual([
      "task.yaml 1 (kept in the log)",
      "task.yaml x-owner (kept in the log)",
      "task.yaml milestones[].size (kept in the log)",
      `README.md: 2 lines of its own (kept as .coco/registry/quarantine/${kept})`,
    ]);
    expect(dry.left).toEqual(left);
    const adopted = logLines(ws.root, CANCELED)
      .map((line) => JSON.parse(line) as { type: string; payload: JsonObject })
      .find(({ type }) => type === "task.adopted");
    expect(adopted?.payload["extra"]).toEqual([
      { path: "1", json: '[{"team":"core","share":0.5},null]' },
      { path: "x-owner", json: '{"team":"core","share":0.5}' },
      { path: "milestones[0].size", json: "5" },
      { path: "milestones[2].size", json: "3" },
    ]);
    expect(ws.verify(CANCELED)).toMatchObject({ ok: true, findings: [] });
    cocoRewrites(folder, "2026-11-22T08:00:00Z", (task) => Object.assign(task, { mood: "good" }));
    expect(await ws.repair.adopt(CANCELED, { again: true })).toMatchObject({ left: ["task.yaml mood (not taken in)"] });
  });

  it("[ADOPT-5] a dry run says the same and changes nothing", async () => {
    const ws = await bound();
    placeSample(ws.root, JOINED);
    const before = tree(ws.root);
    const dry = await ws.repair.adopt(JOINED, { dryRun: true });
    expect(tree(ws.root)).toEqual(before);
    const { quarantined: _kept, ...done } = await ws.repair.adopt(JOINED);
    expect({ ...dry, quarantined: undefined }).toEqual({ ...done, quarantined: undefined });
  });

  it("[ADOPT-5] refuses what there is nothing to adopt in, what has a log of ours, and broken files", async () => {
    const ws = await bound();
    const refusal = (id: string) => ws.repair.adopt(id).then(null, (e: { code: string }) => e.code);
    expect(await refusal("nothing")).toBe("UNKNOWN_ID");
    const folder = placeSample(ws.root, JOINED);
    await ok(ws, "tasks_create", { kind: "task", id: "mine", title: "Mine" });
    expect(await refusal("mine")).toBe("ALREADY_DONE");
    writeFileSync(join(folder, "shared/evidence/index.json"), '[{"id": "x"}]');
    expect(await refusal(JOINED)).toBe("LOG_UNREADABLE");
    rmSync(join(folder, "shared/evidence/index.json"));
    const text = readFileSync(join(folder, "task.yaml"), "utf8");
    writeFileSync(join(folder, "task.yaml"), text.replace("title:", "titel:"));
    expect(await refusal(JOINED)).toBe("LOG_UNREADABLE");
    rmSync(join(folder, "task.yaml"));
    expect(await refusal(JOINED)).toBe("LOG_FOREIGN");
    expect(logLines(ws.root, JOINED).some((line) => line.includes('"hash"'))).toBe(false);
    writeFileSync(join(folder, "task.yaml"), text);
    await ws.repair.adopt(JOINED);
    expect(await refusal(JOINED)).toBe("ALREADY_DONE");
  });

  it("[ADOPT-5] a write to such a folder says how to adopt it", async () => {
    const ws = await bound();
    placeSample(ws.root, JOINED);
    const reply = await ws.call("tasks_note", { workspace: WORKSPACE, task: JOINED, note: "x" });
    expect(reply.error).toMatchObject({ code: "LOG_FOREIGN" });
    expect(reply.error?.recovery).toContain(`taskfold adopt ${JOINED}`);
  });

  it("[ADOPT-1] a torn last line of Coco's goes to the quarantine", async () => {
    const ws = await bound();
    const folder = placeSample(ws.root, JOINED);
    appendFileSync(join(folder, "events.jsonl"), '{"ts":"2026-11-21T20:3');
    expect((await ws.repair.adopt(JOINED)).warnings).toEqual([]);
    const { warnings } = await call(ws, "tasks_note", { task: JOINED, note: "x" });
    expect(warnings.map((w) => w.code)).toEqual(["SET_ASIDE"]);
    expect(ws.verify(JOINED)).toMatchObject({ ok: true, findings: [] });
  });

  it("[ADOPT-1] a folder that a crash left without a log is adopted too", async () => {
    const ws = await bound();
    const folder = placeSample(ws.root, CANCELED);
    rmSync(join(folder, "events.jsonl"));
    expect((await ws.repair.adopt(CANCELED)).took.lines).toBe(0);
    expect(existsSync(join(folder, "events.jsonl"))).toBe(true);
    expect(ws.verify(CANCELED)).toMatchObject({ ok: true });
  });
});

describe("adoption that is cut off", () => {
  it.each([
    ["between two changes", 0],
    ["in the middle of a write", 200],
  ])("[ADOPT-1] [ADOPT-3] %s loses nothing, and can be done again", SWEEP, async (_when, tear) => {
    let deaths = 0;
    for (const n of numbersOf(4)) {
      const ws = await bound({ disk: quick });
      const folder = placeSample(ws.root, BLOCKED);
      const lines = logLines(ws.root, BLOCKED);
      const theirs = readFileSync(join(folder, "task.yaml"), "utf8");
      await ws.close();
      const disk = new FaultyDisk(quick);
      disk.stop(n, tear);
      const cut = await failure(openTemp({ root: ws.root, disk }).repair.adopt(BLOCKED));
      expect(cut === null || disk.dead, String(cut)).toBe(true);
      const died = disk.dead;
      disk.die();
      const after = await bound({ root: ws.root, disk: quick });
      const again = (await failure(after.repair.adopt(BLOCKED))) as { code?: string } | null;
      expect([undefined, "ALREADY_DONE"]).toContain(again?.code);
      await ok(after, "tasks_note", { task: BLOCKED, note: "went on" });
      await after.repair.resolve();
      expect(after.verify(BLOCKED), `stopped at change ${n}`).toMatchObject({ ok: true, findings: [] });
      expect(logLines(ws.root, BLOCKED)).toEqual(expect.arrayContaining(lines));
      const types = logLines(ws.root, BLOCKED).map((line) => (JSON.parse(line) as { type: string }).type);
      expect(types.filter((type) => type === "task.adopted")).toHaveLength(1);
      const kept = join(ws.root, ".coco/registry/quarantine");
      expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toContain(theirs);
      if (!died) break;
      deaths++;
    }
    expect(deaths).toBeGreaterThan(sized(1, 9));
  });

  it("[ADOPT-1] a sync that fails leaves the outcome open, and the next write keeps what was adopted", async () => {
    const disk = new FaultyDisk();
    const ws = openTemp({ disk });
    await ws.init(WORKSPACE);
    placeSample(ws.root, BLOCKED);
    disk.fail({ kind: "fdatasyncSync", path: "events.jsonl" }, "EIO");
    await expect(ws.repair.adopt(BLOCKED)).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    await expect(ws.repair.adopt(BLOCKED)).rejects.toMatchObject({ code: "ALREADY_DONE" });
    await ok(ws, "tasks_note", { task: BLOCKED, note: "went on" });
    // The lines in doubt may stand there twice.
    await ws.repair.resolve(BLOCKED);
    expect(ws.verify(BLOCKED)).toMatchObject({ ok: true });
  });
});

describe("what Coco changes in an adopted folder", () => {
  const LATER = "2026-11-22T08:00:00.000000001Z";

  async function worked(id: string): Promise<{ ws: Workspace; folder: string; step: string }> {
    const ws = await bound();
    const folder = placeSample(ws.root, id);
    await ws.repair.adopt(id);
    const steps = [{ title: "Ours", success_criteria: ["it works"], tests: [] }];
    await ok(ws, "tasks_decompose", { task: id, steps });
    await ok(ws, "tasks_close_step", { task: id, path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_note", { task: id, note: "done with it" });
    const { steps: list } = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as { steps: { id: string }[] };
    return { ws, folder, step: list[0]!.id };
  }

  it("[ADOPT-6] --again takes in title, roster, gates and new evidence, never steps", async () => {
    const { ws, folder, step } = await worked(JOINED);
    cocoAppends(folder, "2026-11-22T07:59:00Z", "agent.failed", {
      agentInstance: "w1",
      payload: { agentInstance: "w1" },
    });
    cocoRewrites(folder, LATER, (task) => {
      task.title = "Renamed by Coco";
      task.milestones = [];
      task.state = "completed";
      task.roster[0]!["state"] = "failed";
      task.roster.push({ instance: "w3", agent: "worker", state: "completed", assignedMilestone: null, skills: [] });
      task.gates.push({
        id: "gate-w3",
        type: "human-approval",
        state: "blocked",
        reason: "Which?",
        instructionsRef: null,
      });
    });
    const source = { type: "runtimeEventRange", eventsRef: "./agents/w1/runtime/events.jsonl" };
    const entry = { kind: "runtime-event-range", summary: "", createdAt: LATER, sources: [source] };
    cocoJoins(folder, [
      { id: "worker-w1", title: "Another run", ...entry },
      { id: "worker-w3", title: "New", ...entry },
    ]);
    const dry = await ws.repair.adopt(JOINED, { again: true, dryRun: true });
    const told = await ws.repair.adopt(JOINED, { again: true });
    expect(told).toMatchObject({
      changed: true,
      fields: ["title", "roster", "gates", "evidence"],
      left: ["state", "milestones"],
      took: { steps: 0, roster: 2, gates: 1, evidence: 2, lines: 1 },
      warnings: [],
    });
    expect(dry.fields).toEqual(told.fields);
    expect(ws.verify(JOINED)).toMatchObject({ ok: true, findings: [] });
    const file = parse(readFileSync(join(folder, "task.yaml"), "utf8")) as JsonObject;
    expect(isTaskFile(file), JSON.stringify(isTaskFile.errors)).toBe(true);
    expect(file).toMatchObject({
      title: "Renamed by Coco",
      state: "input-required",
      milestones: [{ id: step, state: "done" }],
      roster: [
        { instance: "w1", state: "failed" },
        { instance: "w2", state: "completed" },
        { instance: "w3", state: "completed" },
      ],
      gates: [{ id: "gate-w3", state: "blocked", reason: "Which?" }],
    });
    const index = JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8")) as { id: string }[];
    expect(index.map((e) => e.id.replace(/-[0-9a-f]{20}$/, "-*"))).toEqual([
      "worker-w1",
      "worker-w2",
      "worker-w1-*",
      "worker-w3",
    ]);
    cocoRewrites(folder, "2026-11-22T09:00:00Z");
    cocoJoins(folder, [{ id: "worker-w1", title: "Another run", ...entry }]);
    expect(await ws.repair.adopt(JOINED, { again: true })).toMatchObject({ changed: false, fields: [], left: [] });
    expect(ws.verify(JOINED)).toMatchObject({ ok: true, findings: [] });
  });

  it("[ADOPT-7] a newer line stays when an older task file is taken in", async () => {
    const { ws, folder } = await worked(BLOCKED);
    cocoAppends(folder, "2026-11-22T10:00:00Z", "agent.completed", { agentInstance: "w2" });
    await ok(ws, "tasks_note", { task: BLOCKED, note: "places the line" });
    const roster = () => (parse(readFileSync(join(folder, "task.yaml"), "utf8")) as { roster: JsonObject[] }).roster;
    expect(roster()[1]).toMatchObject({ instance: "w2", state: "completed" });
    cocoRewrites(folder, LATER, (task) => {
      task.roster[0]!["state"] = "failed";
      task.roster[1]!["state"] = "awaiting";
    });
    await ws.repair.adopt(BLOCKED, { again: true });
    expect(roster().map((one) => one["state"])).toEqual(["failed", "completed"]);
  });

  it("[ADOPT-6] two clones take the same in to the same bytes", async () => {
    const logs = [];
    for (const _clone of [1, 2]) {
      const ws = await bound();
      const folder = placeSample(ws.root, BLOCKED);
      await ws.repair.adopt(BLOCKED);
      cocoAppends(folder, LATER, "agent.started", { agentInstance: "w9" });
      cocoRewrites(folder, LATER, (task) => (task.description = "More of it"));
      await ws.repair.adopt(BLOCKED, { again: true });
      logs.push(logLines(ws.root, BLOCKED));
    }
    expect(logs[0]).toEqual(logs[1]);
  });

  it("[ADOPT-6] without --again a rewritten task.yaml is drift: kept, warned of, written anew", async () => {
    const { ws, folder } = await worked(BLOCKED);
    const good = readFileSync(join(folder, "task.yaml"), "utf8");
    cocoRewrites(folder, LATER, (task) => (task.title = "Renamed by Coco"));
    const theirs = readFileSync(join(folder, "task.yaml"), "utf8");
    const reply = await ws.call("tasks_note", { workspace: WORKSPACE, task: BLOCKED, note: "x" });
    expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
    expect(reply.warnings[0]?.recovery).toContain(`taskfold adopt ${BLOCKED} --again`);
    expect(readFileSync(join(folder, "task.yaml"), "utf8")).toContain(good.split("\n")[1]!);
    const kept = tree(join(ws.root, ".coco/registry/quarantine"), { times: false }).map((line) => line.split(" ")[0]!);
    const texts = kept.map((name) => readFileSync(join(ws.root, ".coco/registry/quarantine", name), "utf8"));
    expect(texts).toContain(theirs);
    writeFileSync(join(folder, "task.yaml"), theirs);
    expect(await ws.repair.adopt(BLOCKED, { again: true })).toMatchObject({ changed: true, fields: ["title"] });
  });
});
