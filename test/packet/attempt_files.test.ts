/** Two branches tried one stage: whose files are whose, where the earlier attempt ends after the later one. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { BUILT_IN_CONFIG } from "../../src/rules/packet/built_in_config.ts";
import { runPacket } from "../../src/runner/dispatcher.ts";
import { finishByHand } from "../../src/runner/stage_by_hand.ts";
import type { StageExecutor } from "../../src/runner/stage_executor.ts";
import { ServantProcess } from "../../src/runner/servant_process.ts";
import { packetManifest } from "../support/packet_work.ts";
import { call, logPath, newTask, ok, openTemp, START, ticking } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { git } from "../hosts/cli_support.ts";
import { DIFF, REVIEW, TASK } from "./packet_support.ts";
import { ROTATING } from "../support/sweep.ts";

const hour = (n: number): (() => number) => ticking(START + n * 3_600_000);

interface Meeting {
  /** The one whose attempt began first. */
  one: Workspace;
  /** Brings what the other branch has: a later attempt, which ended. */
  meet: () => Promise<void>;
  path: (name: string) => string;
  read: (name: string) => string;
}

interface Stage {
  stage: string;
  intent: string;
  out: string;
}
const REVIEWED: Stage = { stage: "gemini_review", intent: "review_only", out: `${REVIEW}\nof two\n` };

/** `starts`: whether an attempt of the stage is under way in the branch that began first. */
async function branches({ stage, intent, out }: Stage, starts = true, ends = true): Promise<Meeting> {
  const a = openTemp();
  git(a.root, "init", "-q");
  git(a.root, "commit", "-q", "--allow-empty", "-m", "begin");
  await newTask(a);
  await ok(a, "packet_define", { task: TASK, manifest: packetManifest({ routing: { intent } }) });
  await a.close();
  const other = join(tempFolder(), "other");
  cpSync(a.root, other, { recursive: true });
  const one = openTemp({ root: a.root, now: hour(1), git: () => openGit(a.root) });
  const start = { task: TASK, stage };
  if (starts) await ok(one, "packet_stage_start", start);
  const two = openTemp({ root: other, now: hour(2) });
  await ok(two, "packet_stage_start", start);
  if (ends) await ok(two, "packet_stage_finish", { ...start, exit_code: 0, out, err: "two\n", changed_paths: [] });
  await two.close();
  const outputs = join(a.root, ".coco/tasks", TASK, "outputs");
  const path = (name: string): string => join(outputs, `${stage}.${stage.split("_")[0]}.${name}`);
  const meet = async (): Promise<void> => {
    writeFileSync(logPath(a.root, TASK), readFileSync(logPath(other, TASK)), { flag: "a" });
    if (ends) cpSync(join(other, ".coco/tasks", TASK, "outputs"), outputs, { recursive: true, force: false });
    await one.repair.resolve();
  };
  return { one, meet, path, read: (name) => readFileSync(path(name), "utf8") };
}

const END = { task: TASK, stage: REVIEWED.stage, exit_code: 0 };

describe("an attempt that ends after a later one of another branch", () => {
  it("[PACKET-125] without an output fails, whatever the later one left", ROTATING, async () => {
    const { one, meet, read } = await branches(REVIEWED);
    await meet();
    const ended = await ok(one, "packet_stage_finish", { ...END, changed_paths: [] });
    expect(ended).toMatchObject({ passed: false });
    expect(read("out")).toBe(REVIEWED.out);
    expect(one.verify().findings).toEqual([]);
  });

  it("[PACKET-125] is judged by what lies at the name with its number", ROTATING, async () => {
    const { one, meet, path, read } = await branches({ ...REVIEWED, out: "no review\n" });
    await meet();
    writeFileSync(path("1.out"), `${REVIEW}\nof one\n`);
    expect(await ok(one, "packet_stage_finish", { ...END, changed_paths: [] })).toMatchObject({ passed: true });
    expect([read("1.out"), read("out")]).toEqual([`${REVIEW}\nof one\n`, "no review\n"]);
    expect(one.verify().findings).toEqual([]);
  });

  it.each([
    ["packet_stage_finish", { exit_code: 0 }],
    ["packet_stage_interrupt", { reason: "given up" }],
  ] as const)(
    "[PACKET-125] has the file that it left before the other came, under its number (%s)",
    ROTATING,
    async (tool, more) => {
      const { one, meet, path, read } = await branches(REVIEWED);
      mkdirSync(join(path("out"), ".."), { recursive: true });
      writeFileSync(path("out"), `${REVIEW}\nof one\n`);
      await meet();
      await ok(one, tool, { task: TASK, stage: REVIEWED.stage, ...more } as never);
      expect(read("1.out")).toBe(`${REVIEW}\nof one\n`);
      expect(existsSync(path("out"))).toBe(false);
    },
  );

  it("[PACKET-125] interrupted, names no file of the later one", ROTATING, async () => {
    const { one, meet, read } = await branches(REVIEWED);
    await meet();
    await ok(one, "packet_stage_interrupt", { task: TASK, stage: REVIEWED.stage, reason: "given up" });
    expect(read("out")).toBe(REVIEWED.out);
    const { stages } = (await ok(one, "packet_show", { task: TASK }))["packet"] as { stages: { state: string }[] };
    expect(stages[0]).toMatchObject({ state: "done" });
    expect(one.verify().findings).toEqual([]);
  });

  it("[PACKET-125] by hand leaves the later output as it is", ROTATING, async () => {
    const { one, meet, read } = await branches(REVIEWED);
    await meet();
    writeFileSync(join(one.root, "answer.md"), "one\n");
    const reply = await finishByHand(one, { ...END, out: "answer.md", from: one.root });
    expect(reply).toMatchObject({ success: true, result: { passed: false } });
    expect([read("1.out"), read("out")]).toEqual(["one\n", REVIEWED.out]);
    expect(one.verify().findings).toEqual([]);
  });

  it("[PACKET-125] by hand is not judged by the later diff", ROTATING, async () => {
    const impl = { stage: "codex_impl", intent: "safe_impl", out: DIFF };
    const { one, meet } = await branches(impl);
    await meet();
    const reply = await finishByHand(one, { task: TASK, stage: impl.stage, exit_code: 0 });
    const { reasons } = reply.result as { reasons: string[] };
    expect(reasons.join(" ")).not.toMatch(/git|apply/);
  });

  it("[PACKET-125] under a dispatcher leaves the later output as it is", ROTATING, async () => {
    const { one, meet, read } = await branches(REVIEWED, false);
    const servant = new ServantProcess(internalsOf(one).packetAccess(TASK));
    const executor: StageExecutor = {
      run: async (request, signal) => {
        await meet();
        return servant.run({ ...request, command: ["sh", "-c", "cat > /dev/null; echo one"] }, signal);
      },
    };
    const environment = { PATH: process.env["PATH"] ?? "" };
    const run = await runPacket(one, {
      task: TASK,
      stage: REVIEWED.stage,
      config: BUILT_IN_CONFIG,
      executor,
      environment,
    });
    expect(run).toMatchObject({ outcome: "failed" });
    expect([read("1.out"), read("out")]).toEqual(["one\n", REVIEWED.out]);
    expect(one.verify().findings).toEqual([]);
  });
});

describe("two attempts of one stage that are under way after a merge", () => {
  it("[PACKET-422] are ended by their names, and without one the latest is", ROTATING, async () => {
    const { one, meet } = await branches(REVIEWED, true, false);
    const { packet } = internalsOf(one).packetAccess(TASK);
    const [own] = packet().attempts;
    await meet();
    const how = (): (string | undefined)[] => packet().attempts.map(({ ended }) => ended?.how);
    expect(how()).toEqual([undefined, undefined]);
    const end = { ...END, out: REVIEWED.out, changed_paths: [] };
    expect(await call(one, "packet_stage_finish", { ...end, run: "0".repeat(8) })).toMatchObject({
      error: { code: "STAGE_NOT_RUNNING" },
    });
    await ok(one, "packet_stage_finish", { ...end, run: own!.run });
    expect(how()).toEqual(["passed", undefined]);
    await ok(one, "packet_stage_interrupt", { task: TASK, stage: REVIEWED.stage, reason: "given up" });
    expect(how()).toEqual(["passed", "interrupted"]);
  });

  it("[PACKET-422] a dispatcher ends its own, whatever came meanwhile", ROTATING, async () => {
    const { one, meet } = await branches(REVIEWED, false, false);
    const servant = new ServantProcess(internalsOf(one).packetAccess(TASK));
    const executor: StageExecutor = {
      run: async (request, signal) => {
        await meet();
        return servant.run({ ...request, command: ["sh", "-c", "cat > /dev/null; echo one"] }, signal);
      },
    };
    await runPacket(one, {
      task: TASK,
      stage: REVIEWED.stage,
      executor,
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    const { attempts } = internalsOf(one).packetAccess(TASK).packet();
    expect(attempts.map(({ dispatched, ended }) => [dispatched, ended?.how])).toEqual([
      [true, "failed"],
      [undefined, undefined],
    ]);
  });
});
