import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { splitLines } from "../support/logs.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const TASK = "TASK-001";

async function given(): Promise<{ ws: Workspace; head: string; before: string }> {
  const ws = openTemp();
  await newTask(ws);
  const { target } = (await ok(ws, "tasks_radar", { task: TASK })) as { target: { head: string } };
  // An op of two events.
  await ok(ws, "tasks_close_step", { task: TASK, path: "s:0", checkpoints: "gate" });
  const after = (await ok(ws, "tasks_radar", { task: TASK })) as { target: { head: string } };
  return { ws, head: after.target.head, before: target.head };
}

/** The same, with the task as it was made in one commit and the closed step in the next. */
async function committed() {
  const { ada: repo } = repository();
  const ws = openTemp({ root: repo.root });
  await newTask(ws);
  repo.commit("one");
  await ok(ws, "tasks_close_step", { task: TASK, path: "s:0", checkpoints: "gate" });
  repo.commit("two");
  return { ws, repo, git: openGit(repo.root)! };
}

function withoutLast({ root }: Workspace, count: number): void {
  writeFileSync(logPath(root), Buffer.concat(splitLines(readFileSync(logPath(root))).slice(0, -count)));
}

function shorter(ws: Workspace): string[] {
  return ws
    .verify()
    .findings.filter(({ code }) => code === "LOG_TRUNCATED")
    .map(({ message }) => message);
}

const LOST = "LOG_TRUNCATED";

function saidBy(reply: { warnings: { code: string }[] }): boolean {
  return reply.warnings.some(({ code }) => code === LOST);
}

const note = (text: string) => ({ task: TASK, path: "s:1", note: text });

describe("a log that lost its end", () => {
  it.each([1, 2])("[VERIFY-41] is found where %i of the last lines were deleted, with both heads", async (count) => {
    const { ws, head, before } = await given();
    expect(shorter(ws)).toEqual([]);
    withoutLast(ws, count);
    const [message, ...more] = shorter(ws);
    expect(more).toEqual([]);
    expect(message).toContain(`Expected 2 changes up to head ${head}`);
    expect(message).toContain(`found 1 up to head ${before}: 1 after it are missing`);
    expect(shorter(ws)).toHaveLength(1);
  });

  it("[VERIFY-41] is not thought of while task.yaml is of an earlier moment, of another entity, or names a head that is there", async () => {
    const { ws } = await given();
    const file = join(ws.root, ".coco/tasks", TASK, "task.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("revision: 2", "revision: 1"));
    expect(shorter(ws)).toEqual([]);
    writeFileSync(file, text.replace("revision: 2", "revision: 9"));
    expect(shorter(ws)).toEqual([]);
    withoutLast(ws, 2);
    writeFileSync(file, text.replace(/^root: .*$/m, `root: "${"A".repeat(43)}"`));
    expect(shorter(ws)).toEqual([]);
    writeFileSync(file, text);
    expect(shorter(ws)).toHaveLength(1);
  });

  it.each(["another process", "this process"])(
    "[VERIFY-42] is noted in the log by the next write of %s, once, and every reply says so",
    async (who) => {
      const { ws, head, before } = await given();
      withoutLast(ws, 1);
      const writer = who === "this process" ? ws : openTemp({ root: ws.root });
      expect(saidBy(await call(writer, "tasks_radar", { task: TASK }))).toBe(true);
      expect(saidBy(await call(writer, "tasks_note", note("one")))).toBe(true);
      expect(saidBy(await call(writer, "tasks_note", note("two")))).toBe(true);
      const gaps = logLines(ws.root).filter((line) => line.includes('"log.gap"'));
      expect(gaps.map((line) => (JSON.parse(line) as { by: string; payload: object }).payload)).toEqual([
        expect.objectContaining({ void: [], shorter: { head, revision: 2, found: before, found_revision: 1 } }),
      ]);
      expect(shorter(ws)).toHaveLength(1);
      expect(shorter(ws)[0]).toContain(head);
      const clone = openTemp({ root: ws.root });
      await ok(clone, "tasks_note", note("three"));
      expect(saidBy(await call(clone, "tasks_radar", { task: TASK }))).toBe(true);
      expect(logLines(ws.root).filter((line) => line.includes('"log.gap"'))).toHaveLength(1);
    },
  );

  it("[VERIFY-42] [LOG-13] is noted by a transaction as well", async () => {
    const { ws } = await given();
    await newTask(ws, "TASK-002");
    withoutLast(ws, 2);
    const operations = [TASK, "TASK-002"].map((task) => ({
      tool: "tasks_block" as const,
      args: { task, path: "s:0", reason: "both" },
    }));
    expect(saidBy(await call(ws, "tasks_batch", { atomic: true, operations }))).toBe(true);
    expect(shorter(ws)).toHaveLength(1);
  });

  it("[VERIFY-42] keeps its files until that is noted: neither rebuild nor resolve forgets what they name", async () => {
    const { ws } = await given();
    const file = join(ws.root, ".coco/tasks", TASK, "task.yaml");
    const text = readFileSync(file, "utf8");
    withoutLast(ws, 1);
    expect((await ws.repair.rebuild(TASK)).findings.map(({ code }) => code)).toEqual([LOST]);
    expect((await ws.repair.resolve(TASK)).findings.map(({ code }) => code)).toContain(LOST);
    // A write to another task heals what is stale.
    await newTask(openTemp({ root: ws.root }), "TASK-002");
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(shorter(ws)).toHaveLength(1);
  });
});

describe("answers about a log that lost its end", () => {
  async function planned(): Promise<Workspace> {
    const ws = openTemp();
    const { id: plan } = (await ok(ws, "tasks_create", { title: "Plan" })) as { id: string };
    const steps = [{ title: "a", success_criteria: [] }];
    await ok(ws, "tasks_create", { parent: plan, id: TASK, title: "t", steps });
    await ok(ws, "tasks_create", { parent: plan, id: "TASK-002", title: "whole", steps });
    await ok(ws, "change_mind", { task: TASK, selector: "goals", content: "All of it." });
    await ok(ws, "tasks_note", { task: TASK, note: "lost" });
    withoutLast(ws, 1);
    return ws;
  }

  it.each([
    ["before the next write", "this process", false],
    ["before the next write", "another process", false],
    ["after the next write", "this process", true],
    ["after the next write", "another process", true],
  ])("[VERIFY-42] [HISTORY-1] each read says so, %s, in %s", async (_, who, isNoted) => {
    const made = await planned();
    if (isNoted) await ok(openTemp({ root: made.root }), "tasks_note", { task: TASK, note: "noted" });
    const ws = who === "this process" ? made : openTemp({ root: made.root });
    const codesOf = ({ warnings }: { warnings: { code: string }[] }): string[] => warnings.map(({ code }) => code);
    expect(codesOf(ws.log(TASK))).toEqual([LOST]);
    expect(codesOf(await call(ws, "tasks_delta", { task: TASK }))).toEqual([LOST]);
    const { warnings } = await call(ws, "tasks_delta", {});
    expect(warnings).toMatchObject([{ code: LOST, message: expect.stringMatching(/^TASK-001: Expected/) as string }]);
    expect(codesOf(ws.taskdoc.render(TASK))).toEqual([LOST]);
    expect(codesOf(ws.taskdoc.history(TASK))).toEqual([LOST]);
    expect(codesOf(ws.taskdoc.audit(TASK))).toEqual([LOST]);
    expect(codesOf(await call(ws, "tasks_history", { task: TASK }))).toEqual([LOST]);
    expect(codesOf(ws.log("TASK-002"))).toEqual([]);
  });

  it.each([
    ["before the next write", false],
    ["after the next write", true],
  ])("[VIEW-11] [VIEW-81] lists and plans mark the entity, %s, until the loss is accepted", async (_, isNoted) => {
    const made = await planned();
    if (isNoted) await ok(openTemp({ root: made.root }), "tasks_note", { task: TASK, note: "noted" });
    for (const ws of [made, openTemp({ root: made.root })])
      for (let times = 0; times < 2; times++) {
        const { tasks } = (await ok(ws, "tasks_context", {})) as { tasks: { id: string; log_warnings?: string[] }[] };
        expect(tasks.map(({ id, log_warnings }) => [id, log_warnings])).toEqual([
          [TASK, [LOST]],
          ["TASK-002", undefined],
        ]);
        const risk = `Its log is not whole: ${LOST}`;
        const { tasks: block } = await ok(ws, "tasks_radar", { plan: "PLAN-001" });
        expect(block).toMatchObject({ counts: { at_risk: 1 }, at_risk: [{ id: TASK, why: [risk] }] });
        const { handoff } = (await ok(ws, "tasks_handoff", { plan: "PLAN-001" })) as { handoff: { risks: string[] } };
        expect(handoff.risks).toEqual([`${TASK}: ${risk}`]);
      }
    await made.repair.resolve(TASK, { acceptGap: true });
    for (const ws of [made, openTemp({ root: made.root })])
      expect(JSON.stringify(await ok(ws, "tasks_context", {}))).not.toContain(LOST);
  });

  it("[VIEW-11] a damaged log is marked as well, in a list that reads it by its length", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(logPath(ws.root), Buffer.concat([readFileSync(logPath(ws.root)), Buffer.from("{}}\n")]));
    for (const one of [ws, openTemp({ root: ws.root })])
      expect(await ok(one, "tasks_context", {})).toMatchObject({
        tasks: [{ id: TASK, log_warnings: ["LOG_DAMAGED"] }],
      });
  });
});

describe("the files of a log that lost its end", () => {
  const kept = ({ root }: Workspace): string[] => {
    const folder = join(root, ".coco/registry/quarantine");
    return (existsSync(folder) ? readdirSync(folder) : []).map((name) => name.replace(/-[0-9a-f]{8}$/, ""));
  };

  it.each(["another process", "this process"])(
    "[PROJ-21] are written anew without PROJECTION_DRIFT by %s, and kept in quarantine",
    async (who) => {
      const { ws } = await given();
      const readme = readFileSync(join(ws.root, ".coco/tasks", TASK, "README.md"));
      withoutLast(ws, 1);
      const writer = who === "this process" ? ws : openTemp({ root: ws.root });
      const { warnings } = await call(writer, "tasks_note", note("one"));
      expect([...new Set(warnings.map(({ code }) => code))]).toEqual([LOST]);
      expect(readFileSync(join(ws.root, ".coco/tasks", TASK, "README.md")).equals(readme)).toBe(false);
      // What a process wrote itself it need not look at again.
      const names = who === "another process" ? [`${TASK}-README.md`, `${TASK}-task.yaml`] : [];
      expect(kept(ws).toSorted()).toEqual(names);
      expect((await call(writer, "tasks_note", note("two"))).warnings.map(({ code }) => code)).toEqual([LOST]);
    },
  );

  it("[PROJ-21] an edit that comes later is drift as ever", async () => {
    const { ws } = await given();
    withoutLast(ws, 1);
    await ok(ws, "tasks_note", note("one"));
    writeFileSync(join(ws.root, ".coco/tasks", TASK, "README.md"), "mine");
    const { warnings } = await call(ws, "tasks_note", note("two"));
    expect(warnings.map(({ code }) => code).toSorted()).toEqual([LOST, "PROJECTION_DRIFT"]);
  });
});

describe("resolving a log that lost its end", () => {
  it.each([
    ["before the next write", false],
    ["after the next write", true],
  ])("[RESOLVE-14] brings the lines back from what the machine keeps aside, %s", async (_, isNoted) => {
    const { ws } = await given();
    const lines = splitLines(readFileSync(logPath(ws.root)));
    withoutLast(ws, 2);
    if (isNoted) await ok(ws, "tasks_note", note("one"));
    mkdirSync(join(ws.root, ".coco/registry/quarantine"), { recursive: true });
    writeFileSync(join(ws.root, ".coco/registry/quarantine/kept"), Buffer.concat(lines));
    const { entities, findings } = await ws.repair.resolve(TASK);
    expect(entities[0]?.found.map(({ from }) => from)).toEqual(Array(2).fill(".coco/registry/quarantine/kept"));
    expect(findings).toEqual([]);
    expect(shorter(ws)).toEqual([]);
    expect(saidBy(await call(ws, "tasks_radar", { task: TASK }))).toBe(false);
    expect(await ok(ws, "tasks_radar", { task: TASK })).toMatchObject({ target: { revision: isNoted ? 4 : 2 } });
  });

  it("[RESOLVE-14] brings them back from git, and forgets them where a merge brings them back", ROTATING, async () => {
    const { ws, git } = await committed();
    const whole = readFileSync(logPath(ws.root));
    withoutLast(ws, 1);
    await ok(ws, "tasks_note", note("one"));
    expect(shorter(ws)).toHaveLength(1);
    writeFileSync(logPath(ws.root), Buffer.concat([readFileSync(logPath(ws.root)), splitLines(whole).at(-1)!]));
    expect(shorter(ws)).toEqual([]);
    expect(saidBy(await call(ws, "tasks_radar", { task: TASK }))).toBe(false);
    withoutLast(ws, 1);
    const { entities } = await ws.repair.resolve(TASK, { git });
    expect(entities[0]?.found.map(({ from }) => from)).toEqual([expect.stringMatching(/^commit /)]);
    expect(shorter(ws)).toEqual([]);
  });

  it.each([
    ["before the next write", false],
    ["after the next write", true],
  ])("[RESOLVE-15] --accept-gap accepts the loss, %s, with the same bytes in every clone", async (_, isNoted) => {
    const { ws, head } = await given();
    withoutLast(ws, 1);
    if (isNoted) await ok(ws, "tasks_note", note("one"));
    const copy = join(tempFolder(), "copy");
    cpSync(ws.root, copy, { recursive: true });
    const { entities, findings } = await ws.repair.resolve(TASK, { acceptGap: true });
    expect(entities[0]?.declared).toEqual([head]);
    expect(findings.filter(({ info }) => info !== true)).toEqual([]);
    expect(shorter(ws)).toEqual([]);
    expect(saidBy(await call(ws, "tasks_note", note("two")))).toBe(false);
    expect((await ws.repair.resolve(TASK, { acceptGap: true })).changed).toBe(false);
    const clone = openTemp({ root: copy });
    await clone.repair.resolve(TASK, { acceptGap: true });
    const own = readFileSync(logPath(ws.root));
    const theirs = readFileSync(logPath(copy));
    expect(own.subarray(0, theirs.length).equals(theirs)).toBe(true);
  });

  it("[RESOLVE-15] [LOG-13] a dry run says what would be accepted and changes nothing", async () => {
    const { ws, head } = await given();
    withoutLast(ws, 2);
    const before = readFileSync(logPath(ws.root));
    const { entities } = await ws.repair.resolve(TASK, { acceptGap: true, dryRun: true });
    expect(entities[0]?.declared).toEqual([head]);
    expect(readFileSync(logPath(ws.root)).equals(before)).toBe(true);
  });
});

describe("git and a log's end", () => {
  it("[VERIFY-41] a branch whose log is shorter, with the files that go with it, has lost nothing", async () => {
    const { ws, repo } = await committed();
    repo.git("checkout", "-q", "HEAD~1");
    expect(shorter(ws)).toEqual([]);
    expect(saidBy(await call(ws, "tasks_note", note("one")))).toBe(false);
    expect(logLines(ws.root).some((line) => line.includes('"log.gap"'))).toBe(false);
  });

  it("[VERIFY-41] a log of an earlier commit beside a task.yaml of a later one has", async () => {
    const { ws, repo } = await committed();
    repo.git("checkout", "-q", "HEAD~1", "--", `.coco/tasks/${TASK}/events.jsonl`);
    expect(shorter(ws)).toHaveLength(1);
    expect(saidBy(await call(ws, "tasks_note", note("one")))).toBe(true);
    expect(shorter(ws)).toHaveLength(1);
  });
});
