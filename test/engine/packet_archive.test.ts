import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { processIsGone, quick } from "../support/faulty_task.ts";
import { numbersOf, SWEEP } from "../support/sweep.ts";
import { reviewed, runStage } from "../support/packet_work.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, counting, ok, openTemp, tree } from "../support/workspace.ts";

const TASK = "TASK-001";
const live = (root: string): string => join(root, ".coco/tasks", TASK);
const archived = (root: string): string => join(root, ".coco/archive", TASK);

describe("a packet in the archive", () => {
  it("[PACKET-180] goes there whole, leaves every list, and answers with the way back", async () => {
    const ws = openTemp();
    await reviewed(ws);
    const reply = await ok(ws, "packet_archive", { task: TASK });
    expect(reply).toMatchObject({ archived: true, folder: `.coco/archive/${TASK}`, dropped: [] });
    expect(existsSync(live(ws.root))).toBe(false);
    expect(readFileSync(join(archived(ws.root), "outputs/_summary.md"), "utf8")).toContain("- status: archived");
    expect(existsSync(join(archived(ws.root), "done/gemini_review.done"))).toBe(true);
    expect(existsSync(join(archived(ws.root), "outputs/gemini_review.gemini.out"))).toBe(true);
    expect((await ok(ws, "tasks_context", {}))["tasks"]).toEqual([]);
    expect((await call(ws, "packet_show", { task: TASK })).warnings).toMatchObject([{ code: "ARCHIVED" }]);
    const refused = await call(ws, "tasks_note", { task: TASK, note: "late" });
    expect(refused.error).toMatchObject({ code: "ARCHIVED", details: { id: TASK } });
    expect(refused.suggestions).toMatchObject([{ tool: "packet_restore", args: { task: TASK } }]);
    expect(ws.verify().findings).toEqual([]);
    await ws.repair.rebuild();
    expect(existsSync(live(ws.root))).toBe(false);
  });

  it("[PACKET-180] does not go while an attempt is under way", async () => {
    const ws = openTemp();
    await reviewed(ws);
    await ok(ws, "packet_stage_start", { task: TASK, stage: "codex_review" });
    expect(await code(ws, "packet_archive", { task: TASK })).toBe("STAGE_RUNNING");
    expect(existsSync(live(ws.root))).toBe(true);
  });

  it("[PACKET-180] leaves outputs out by policy, and no one misses them", async () => {
    const ws = openTemp();
    await reviewed(ws);
    const { dropped } = await ok(ws, "packet_archive", { task: TASK, outputs: 20 });
    expect(dropped).toEqual(["outputs/gemini_review.gemini.out"]);
    expect(existsSync(join(archived(ws.root), "outputs/gemini_review.gemini.out"))).toBe(false);
    expect(existsSync(join(archived(ws.root), "outputs/gemini_review.gemini.err"))).toBe(true);
    expect(ws.verify().findings).toEqual([]);
    await ok(ws, "packet_restore", { task: TASK });
    await ok(ws, "packet_stage_reopen", { task: TASK, stage: "gemini_review", reason: "again" });
    await runStage(ws, TASK, "gemini_review");
    expect(ws.verify().findings).toEqual([]);
    // What was dropped once is not what has its name now.
    const again = await ok(ws, "packet_archive", { task: TASK });
    expect(again["dropped"]).toEqual([]);
    expect(existsSync(join(archived(ws.root), "outputs/gemini_review.gemini.out"))).toBe(true);
  });

  it("[PACKET-180] keeps a file that a person put in the place of an output", async () => {
    const ws = openTemp();
    await reviewed(ws);
    const output = "outputs/gemini_review.gemini.out";
    writeFileSync(join(live(ws.root), output), "mine\n");
    await ok(ws, "packet_archive", { task: TASK, outputs: "drop" });
    expect(readFileSync(join(archived(ws.root), output), "utf8")).toBe("mine\n");
  });

  it("[PACKET-180] comes back with every byte, to be gone on with", async () => {
    const ws = openTemp();
    await reviewed(ws);
    const before = tree(live(ws.root), { times: false }).filter((line) => / file /.test(line));
    await ok(ws, "packet_archive", { task: TASK });
    const reply = await ok(ws, "packet_restore", { task: TASK });
    expect(reply["next"]).toMatchObject({ stage: "codex_review", allowed: true });
    expect(existsSync(archived(ws.root))).toBe(false);
    const kept = (lines: string[]): string[] =>
      lines.filter((line) => !/^(task\.yaml|README\.md|events\.jsonl|outputs\/_summary\.md) /.test(line));
    const after = tree(live(ws.root), { times: false }).filter((line) => / file /.test(line));
    expect(kept(after)).toEqual(kept(before));
    expect(await code(ws, "packet_restore", { task: TASK })).toBe("ALREADY_DONE");
    await runStage(ws, TASK, "codex_review");
    expect(ws.verify().findings).toEqual([]);
    expect((await ok(ws, "tasks_context", {}))["tasks"]).toHaveLength(1);
  });

  it("[PACKET-180] does not come back to a name that is taken, and not where it was deleted", async () => {
    const ws = openTemp();
    await reviewed(ws);
    await ok(ws, "packet_archive", { task: TASK });
    mkdirSync(live(ws.root), { recursive: true });
    writeFileSync(join(live(ws.root), "mine.md"), "mine\n");
    expect(await code(ws, "packet_restore", { task: TASK })).toBe("ID_TAKEN");
    rmSync(live(ws.root), { recursive: true });
    await ok(ws, "packet_restore", { task: TASK });
    await ok(ws, "tasks_delete", { task: TASK });
    expect(await code(ws, "packet_restore", { task: TASK })).toBe("UNKNOWN_ID");
    expect(await code(ws, "packet_restore", { task: "TASK-009" })).toBe("UNKNOWN_ID");
    expect(existsSync(live(ws.root))).toBe(false);
  });

  it("[PACKET-180] stays in the archive where its restore is refused", async () => {
    const ws = openTemp();
    await reviewed(ws);
    await ok(ws, "packet_archive", { task: TASK });
    expect(await code(ws, "packet_restore", { task: TASK, expected_revision: 1 })).toBe("REVISION_MISMATCH");
    expect(existsSync(live(ws.root))).toBe(false);
    expect(existsSync(archived(ws.root))).toBe(true);
    await ok(ws, "packet_restore", { task: TASK });
  });

  it("[PACKET-180] a repeated call with its key is answered on both ways", async () => {
    const ws = openTemp();
    await reviewed(ws);
    const away = { task: TASK, idempotency_key: "away" };
    const back = { task: TASK, idempotency_key: "back" };
    expect(await ok(ws, "packet_archive", away)).toEqual(await ok(ws, "packet_archive", away));
    await ok(ws, "packet_restore", back);
    const again = await call(ws, "packet_restore", back);
    expect(again.error).toBeNull();
    expect(again.warnings.map(({ code: warning }) => warning)).toContain("REPLAYED");
  });

  it.each(["packet_archive", "packet_restore"] as const)(
    "[PACKET-180] %s: a process that dies at any change leaves the task archived or live, and the call is made again",
    SWEEP,
    async (tool) => {
      for (const n of numbersOf(4)) {
        const root = tempFolder();
        const before = openTemp({ root, disk: quick });
        await reviewed(before);
        if (tool === "packet_restore") await ok(before, "packet_archive", { task: TASK, outputs: "drop" });
        await before.close();
        const disk = new FaultyDisk(quick);
        disk.stop(n);
        const dying = openTemp({ root, disk });
        await call(dying, tool, { task: TASK });
        if (!disk.dead) {
          disk.mend();
          break;
        }
        disk.die();
        processIsGone(root);
        const ws = openTemp({ root, disk: quick });
        const reply = await call(ws, tool, { task: TASK });
        // It may have been done, and its answer was all that was lost.
        const expected = tool === "packet_archive" ? "ARCHIVED" : "ALREADY_DONE";
        expect([undefined, expected], `at ${n}`).toContain(reply.error?.code);
        await ws.repair.rebuild();
        const [here, gone] = tool === "packet_archive" ? [archived(root), live(root)] : [live(root), archived(root)];
        expect(existsSync(join(here, "events.jsonl")), `at ${n}`).toBe(true);
        expect(existsSync(gone), `at ${n}`).toBe(false);
        expect(ws.verify().findings, `at ${n}`).toEqual([]);
        await ws.close();
      }
    },
  );
});

describe("archived on one branch, deleted on another", () => {
  it.each([
    ["the archive", false],
    ["the archive and the way back", true],
  ])("[PACKET-180] %s: the task is deleted, and no restore brings it back", async (_name, back) => {
    const ours = openTemp();
    await reviewed(ours);
    await ours.close();
    const root = tempFolder();
    cpSync(ours.root, root, { recursive: true });
    const theirs = openTemp({ root, newId: counting("theirs") });
    await ok(theirs, "tasks_delete", { task: TASK });
    await theirs.close();
    const again = openTemp({ root: ours.root, newId: counting("ours") });
    await ok(again, "packet_archive", { task: TASK });
    if (back) await ok(again, "packet_restore", { task: TASK });
    await again.close();
    const log = join(back ? live(ours.root) : archived(ours.root), "events.jsonl");
    appendFileSync(log, readFileSync(join(archived(root), "events.jsonl")));
    const merged = openTemp({ root: ours.root });
    await merged.repair.resolve();
    expect(await code(merged, "packet_restore", { task: TASK })).toBe("UNKNOWN_ID");
    expect(existsSync(live(ours.root))).toBe(false);
    expect(merged.verify().findings).toEqual([]);
  });
});
