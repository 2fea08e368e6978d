/** Packets as the viewer answers them: what runs, what no process runs any more, and the files that stages left. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type {
  AgentsAnswer,
  BoardAnswer,
  DifferenceAnswer,
  EntityAnswer,
  OutputAnswer,
  StageItem,
} from "../../src/views/viewer/api.ts";
import { PacketRoom, script } from "../runner/packet_room.ts";
import { MANIFEST, TASK } from "../packet/packet_support.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp, START, tree, WORKSPACE } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { answer, get, listen, read, serving, viewerOf } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

const REVIEW = { routing: { intent: "review_only" } };

async function dispatched(lock: "os" | "lockfile"): Promise<PacketRoom> {
  const room = await PacketRoom.make({ manifest: REVIEW, lock });
  await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
  return room;
}

function golden(): string {
  const root = tempFolder();
  cpSync(join(ROOT, "test/golden/packet/.coco"), join(root, ".coco"), { recursive: true });
  return root;
}

describe("a dispatcher", () => {
  it.each(["os", "lockfile"] as const)(
    "[VIEWER-16] runs a stage while it holds the packet, and is gone once no process does (%s)",
    async (lock) => {
      const room = await dispatched(lock);
      const held = internalsOf(room.ws).packetAccess(TASK).hold();
      const viewer = viewerOf(room.root);
      const page = await viewer.answer(`entities/${TASK}.json`);
      const running = await read<EntityAnswer>(viewer, `entities/${TASK}.json`);
      expect(running.packet).toMatchObject({
        state: "running",
        next: { action: { text: `wait for gemini_review, which process ${process.pid} runs` }, allowed: false },
        stages: [{ state: "running", attempts: [{ lost: false, how: null }] }],
      });
      held.release();
      // A lock file is offered to others for a moment after its release.
      await expect.poll(async () => (await viewer.answer(`entities/${TASK}.json`)).etag).not.toBe(page.etag);
      // A lock of the system keeps its file. The others go a moment after their release.
      const goes = lock === "lockfile" ? ".lock.d" : "none";
      const locks = (): string[] => readdirSync(join(room.root, ".coco/locks")).filter((name) => name.endsWith(goes));
      await expect.poll(locks).toEqual([]);
      const before = tree(room.root);
      const gone = await read<EntityAnswer>(viewer, `entities/${TASK}.json`);
      expect(gone.packet).toMatchObject({
        state: "interrupted",
        next: { action: { text: "resume interrupted gemini_review" }, allowed: true, because: "interrupted" },
        stages: [{ state: "interrupted", attempts: [{ lost: true, how: null }] }],
      });
      expect(gone.radar.next.map(({ text }) => text)).toContain("Packet: resume interrupted gemini_review");
      const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
      expect(rows[0]!.packet).toEqual({ state: "interrupted", stage: "gemini_review" });
      const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
      const spans = lanes.flatMap((lane) => lane.spans).filter(({ kind }) => kind === "stage");
      expect(spans).toMatchObject([{ end: "interrupted", to: expect.any(String) as string }]);
      const past = await read<EntityAnswer>(viewer, `entities/${TASK}/revisions/${gone.revision}.json`);
      expect(past.packet).toMatchObject({ state: "running", stages: [{ attempts: [{ lost: false }] }] });
      expect(tree(room.root)).toEqual(before);
    },
  );

  it("[VIEWER-16] an attempt that its caller runs is not lost, whatever the lock says", async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review" });
    const { packet } = await read<EntityAnswer>(viewerOf(room.root), `entities/${TASK}.json`);
    expect(packet).toMatchObject({ state: "running", stages: [{ attempts: [{ lost: false }] }] });
  });

  it("[VIEWER-16] a page that listens is told when it goes, though no log changes", ROTATING, async () => {
    const room = await dispatched("os");
    const held = internalsOf(room.ws).packetAccess(TASK).hold();
    const server = await serving(room.root);
    const { events } = listen(server);
    await expect.poll(() => events.length).toBeGreaterThan(0);
    const row = async (): Promise<unknown> => (await answer<BoardAnswer>(server, "board/0.json")).rows[0]!.packet;
    expect(await row()).toMatchObject({ state: "running" });
    held.release();
    const told = (): unknown => events.findLast(({ name }) => name === "change")?.data;
    await expect
      .poll(told, { timeout: 5000 })
      .toMatchObject({ changes: [{ id: TASK, what: "changed", row: { packet: { state: "interrupted" } } }] });
  });

  it(
    "[VIEWER-16] looks while another process runs it, and is in no way of it",
    { ...ROTATING, timeout: 30_000 },
    async () => {
      const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("sleep 1; exit 1") } });
      const running = room.run();
      const viewer = viewerOf(room.root);
      const states = new Set<string>();
      let ended = false;
      void running.finally(() => (ended = true));
      while (!ended) {
        const { packet } = await read<EntityAnswer>(viewer, `entities/${TASK}.json`);
        states.add(packet!.state);
        await new Promise((done) => setTimeout(done, 20));
      }
      await running;
      expect(states).toContain("running");
      expect(states).not.toContain("interrupted");
    },
  );
});

describe("stages on lanes", () => {
  it("[regression VIEWER-119] an attempt that another actor ends kills its own actor, and that other one takes over", async () => {
    const room = await dispatched("os");
    const { lanes: before } = await read<AgentsAnswer>(viewerOf(room.root), "agents.json");
    const holder = before.find(({ counts }) => counts.stage_start === 1)!.by;
    const input = { workspace: WORKSPACE, task: TASK, stage: "gemini_review", reason: "its process is gone" };
    expect((await room.ws.callTool("packet_stage_interrupt", input, { by: "human:ann" })).error).toBeNull();
    const { lanes } = await read<AgentsAnswer>(viewerOf(room.root), "agents.json");
    const told = (by: string) =>
      lanes
        .find((lane) => lane.by === by)!
        .marks.filter(({ kind }) => kind === "kill" || kind === "take_over")
        .map(({ kind, other }) => [kind, other]);
    expect(told(holder)).toEqual([["kill", "human:ann"]]);
    expect(told("human:ann")).toEqual([["take_over", holder]]);
    const spans = lanes.flatMap((lane) => lane.spans.map((span) => ({ ...span, by: lane.by })));
    expect(spans.filter(({ kind }) => kind === "stage")).toMatchObject([
      { by: holder, end: "interrupted", other: "human:ann" },
    ]);
  });

  it("[regression VIEWER-119] an actor that ends its own attempt was killed itself, and takes nothing over", async () => {
    const room = await dispatched("os");
    await ok(room.ws, "packet_stage_interrupt", { task: TASK, stage: "gemini_review", reason: "it was killed" });
    const { lanes } = await read<AgentsAnswer>(viewerOf(room.root), "agents.json");
    expect(lanes.flatMap(({ counts }) => [counts.kill, counts.take_over])).toEqual([1, undefined]);
  });

  it("[VIEWER-12] no attempt ends before it begins, though its end is told in whole seconds", async () => {
    const room = await dispatched("os");
    const startedAt = async (): Promise<string> =>
      (await read<EntityAnswer>(viewerOf(room.root), `entities/${TASK}.json`)).packet!.stages[0]!.attempts[0]!
        .started_at;
    const end = `${(await startedAt()).slice(0, 19)}Z`;
    const finish = { task: TASK, stage: "gemini_review", exit_code: 1, start: end, end, duration_sec: 0 };
    await ok(room.ws, "packet_stage_finish", finish);
    const { lanes } = await read<AgentsAnswer>(viewerOf(room.root), "agents.json");
    const spans = lanes.flatMap((lane) => lane.spans).filter(({ kind }) => kind === "stage");
    expect(spans).toHaveLength(1);
    for (const { from, to } of spans) expect(Date.parse(to!)).toBeGreaterThanOrEqual(Date.parse(from));
  });
});

describe("reasons of a gate", () => {
  it("[PACKET-427] [VIEWER-156] have their forms in the log and on the page, but for one that a mask changed", async () => {
    const ws = openTemp();
    await newTask(ws);
    const security = { redaction_patterns: ["code-\\d+"], forbidden_paths: [] };
    await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, ...REVIEW, security } });
    await ok(ws, "packet_stage_start", { task: TASK, stage: "gemini_review" });
    const { reasons } = await ok(ws, "packet_stage_finish", {
      task: TASK,
      stage: "gemini_review",
      exit_code: 0,
      out: "# Findings\n",
      changed_paths: ["other/a.md", "other/code-12.md"],
    });
    const { packet } = await read<EntityAnswer>(viewerOf(ws.root), `entities/${TASK}.json`);
    const [{ failure, attempts }] = packet!.stages as [StageItem];
    const told = failure!.reasons;
    expect(told.map(({ text }) => text)).toEqual(reasons);
    const masked = told.filter(({ key }) => key === undefined);
    expect(masked).toEqual([{ text: expect.not.stringContaining("code-12") as string }]);
    const log = readFileSync(join(ws.root, ".coco/tasks", TASK, "events.jsonl"), "utf8");
    expect([log.includes("code-12"), log.includes("which scope.allow does not name")]).toEqual([false, true]);
    const level = { text: '"# Findings" in line 1', key: '"{0}" in line {1}', args: ["# Findings", "1"] };
    const heading = 'Expected the heading "## {0}"{1}, outside of code blocks; found {2}.';
    expect(told[0]).toMatchObject({ key: heading, args: ["Findings", "", level] });
    expect(attempts[0]!.reason).toEqual(told[0]);
    expect(zh.reason(told[0]!)).toBe('应有标题 "## Findings"，且不在代码块中，实际只有第 1 行的 "# Findings"。');
  });

  it("[PACKET-427] of a log of an older version are texts alone", async () => {
    const { packet } = await read<EntityAnswer>(viewerOf(golden()), "entities/TASK-FAILS.json");
    const reasons = packet!.stages.flatMap(({ failure }) => failure?.reasons ?? []);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(Object.keys(reason)).toEqual(["text"]);
  });
});

describe("times of attempts", () => {
  it("[regression VIEWER-103] the budget of seconds is that of one run, and the longest run is told beside it", async () => {
    const { packet } = await read<EntityAnswer>(viewerOf(golden()), "entities/TASK-PACKET.json");
    expect(packet!.stages.flatMap(({ attempts }) => attempts)).toHaveLength(5);
    expect(packet!.budgets.wallclock_sec).toEqual({ budget: 60, used: 90 });
  });

  it("[regression VIEWER-104] no attempt ends before it begins, and one of less than a second has its milliseconds", async () => {
    let now = START + 400;
    const ws = openTemp({ now: () => now });
    await newTask(ws);
    await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, ...REVIEW } });
    const end = new Date(START).toISOString().replace(".000", "");
    const failed = { task: TASK, stage: "gemini_review", exit_code: 1, duration_sec: 0, start: end, end } as const;
    for (const later of [350, 5000]) {
      await ok(ws, "packet_stage_start", { task: TASK, stage: "gemini_review" });
      now += later;
      await ok(ws, "packet_stage_finish", failed);
    }
    const { packet } = await read<EntityAnswer>(viewerOf(ws.root), `entities/${TASK}.json`);
    const [first, second] = packet!.stages[0]!.attempts;
    expect(Date.parse(first!.ended_at!) - Date.parse(first!.started_at)).toBe(350);
    expect(second!.ended_at).toBe(second!.started_at);
  });
});

describe("the difference of two revisions", () => {
  it("[VIEWER-8] of a packet tells of its state, of stages, and of attempts that began, ended or failed", async () => {
    const viewer = viewerOf(golden());
    const told = new Set<string>();
    for (const id of ["TASK-PACKET", "TASK-FAILS"]) {
      const { latest } = await read<EntityAnswer>(viewer, `entities/${id}.json`);
      for (let n = 2; n <= latest.revision; n++) {
        const { fields, parts } = await read<DifferenceAnswer>(viewer, `entities/${id}/differences/${n - 1}-${n}.json`);
        expect(fields.length + parts.length, `${id} ${n}`).toBeGreaterThan(0);
        for (const { part, items } of parts)
          for (const { how, fields: own } of items) for (const { field } of own) told.add(`${part} ${how} ${field}`);
        if (parts.some(({ part, added }) => part === "attempts" && added === 1)) told.add("an attempt that began");
      }
    }
    expect([...told]).toEqual(
      expect.arrayContaining([
        "packet changed state",
        "packet changed retry",
        "packet changed digest_policy",
        "stages changed state",
        "an attempt that began",
        "attempts changed how",
        "stages changed failure",
        "attempts changed files",
      ]),
    );
  });
});

describe("files of stages", () => {
  it("[VIEWER-26] are read by their digest, those of earlier attempts too", async () => {
    const root = golden();
    const server = await serving(root);
    const { packet } = await answer<EntityAnswer>(server, "entities/TASK-PACKET.json");
    const files = packet!.stages.flatMap(({ attempts }) => attempts.flatMap((one) => one.files));
    const kept = files.filter(({ size }) => size > 0);
    expect(kept.length).toBeGreaterThan(6);
    for (const { sha256, size, blob } of kept) {
      expect(blob).toMatchObject({ sha256, size, raw: `raw/v1/TASK-PACKET/${sha256}` });
      const { body, headers, status } = await get(server, `/${blob!.raw}`);
      expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      expect(createHash("sha256").update(body).digest("hex")).toBe(sha256);
      const { text } = await answer<OutputAnswer>(server, `entities/TASK-PACKET/output/${sha256}/0.json`);
      expect(text).toBe(body);
    }
  });

  it(
    "[VIEWER-26] captured bytes that were changed are no evidence, on the server and in an export",
    ROTATING,
    async () => {
      const root = golden();
      const server = await serving(root);
      const { evidence } = await answer<EntityAnswer>(server, "entities/TASK-PACKET.json");
      const { sha256 } = evidence.flatMap(({ runs }) => runs).find(({ stdout }) => stdout)!.stdout!;
      expect((await get(server, `/raw/v1/TASK-PACKET/${sha256}`)).status).toBe(200);
      writeFileSync(join(root, ".coco/tasks/TASK-PACKET/shared/evidence/blobs", sha256), "all tests passed\n");
      for (const path of [`/raw/v1/TASK-PACKET/${sha256}`, `/api/v1/entities/TASK-PACKET/output/${sha256}/0.json`]) {
        const { status, body } = await get(server, path);
        expect([status, body], path).toEqual([404, expect.stringContaining("other bytes") as string]);
      }
      const out = join(tempFolder(), "out");
      const { code } = await run({ cwd: root }, "view", "--export", out, "--json");
      expect(code).toBe(0);
      const page = readFileSync(join(out, "api/v1/entities/TASK-PACKET.json"), "utf8");
      expect(page).not.toContain("all tests passed");
      const held = (JSON.parse(page) as EntityAnswer).evidence.flatMap(({ runs }) => runs);
      expect(held.find(({ stdout }) => stdout?.sha256 === sha256)!.stdout).toMatchObject({ pages: 0, raw: null });
    },
  );

  it("[VIEWER-26] another file in the place of one is not served", async () => {
    const root = golden();
    const path = join(root, ".coco/tasks/TASK-PACKET/outputs/codex_verify.codex.out");
    const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
    const server = await serving(root);
    expect((await get(server, `/raw/v1/TASK-PACKET/${digest}`)).status).toBe(200);
    writeFileSync(path, "ok!\n");
    expect((await get(server, `/raw/v1/TASK-PACKET/${digest}`)).status).toBe(404);
    const other = createHash("sha256").update("ok!\n").digest("hex");
    expect((await get(server, `/raw/v1/TASK-PACKET/${other}`)).status).toBe(404);
  });
});
