import { internalsOf } from "../../src/engine/groups/internals.ts";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { readPacketConfig } from "../../src/runner/packet_config_files.ts";
import { BUILT_IN_CONFIG } from "../../src/rules/packet/built_in_config.ts";
import { configForPatch, recordOf } from "../../src/rules/packet/config_for.ts";
import { configDigest } from "../../src/rules/packet/plan.ts";
import type { Packet, PacketPlan } from "../../src/state/packet.ts";
import type { PacketConfigs } from "../../src/state/packet_config.ts";
import { callTool, connect } from "../hosts/mcp_support.ts";
import { configOf, servantFile } from "../support/packet_config.ts";
import { somePacket } from "../support/some_packet.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { MANIFEST, TASK } from "./packet_support.ts";
import { ROTATING } from "../support/sweep.ts";

const SECRET = "--token=never-in-a-log";

/** Files of a configuration in which codex has these models and the profile of the packet these stages. */
function writeConfigs(folder: string, model = "m1", stages = ["codex_impl", "codex_verify"]): string {
  const pipeline = {
    group: "impl",
    flags: ["enable_verify"],
    options: { timeout_mode: ["enforce"] },
    profiles: { safe_impl: { stages } },
    intents: { safe_impl: "safe_impl" },
  };
  const servant = { ...servantFile(), command: ["codex", SECRET], default_model: model, allowed_models: [model] };
  for (const part of ["servant", "pipeline"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "servant/codex.yaml"), JSON.stringify({ ...servant, purpose_models: {} }));
  writeFileSync(join(folder, "pipeline/impl.yaml"), JSON.stringify(pipeline));
  return folder;
}

const planOf = (ws: Workspace, task = TASK): PacketPlan => internalsOf(ws).packetAccess(task).packet().plan;
const modelsOf = (plan: PacketPlan): string[] => plan.stages.map(({ stage, model }) => `${stage} ${model}`);
const CUSTOM = ["codex_impl m1", "codex_verify m1"];
const BUILT_IN = ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"];

async function withConfigs(): Promise<Workspace> {
  const ws = openTemp();
  writeConfigs(join(ws.root, "configs"));
  await newTask(ws);
  return ws;
}

describe("the configuration of the workspace", () => {
  it("[PACKET-383] holds where the opening names none, as its files are at each call", async () => {
    const ws = await withConfigs();
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    expect(modelsOf(planOf(ws))).toEqual(CUSTOM);
    expect(planOf(ws)).toMatchObject({
      config_folder: "configs",
      from: { profile: "configs/pipeline/impl.yaml: intents.safe_impl" },
    });
    expect(planOf(ws).stages[0]?.from).toEqual({
      stage: "configs/pipeline/impl.yaml: profiles.safe_impl.stages",
      model: "configs/servant/codex.yaml: default_model",
      timeout_sec: "manifest.yaml: budgets.max_wallclock_sec",
      servant: "configs/servant/codex.yaml",
    });
    writeConfigs(join(ws.root, "configs"), "m2", ["codex_impl"]);
    const again = await call(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    expect(modelsOf(planOf(ws))).toEqual(["codex_impl m2"]);
    expect(again.warnings).toMatchObject([{ code: "PACKET_PLANNED_ANEW" }]);
    await newTask(ws, "TASK-002");
    rmSync(join(ws.root, "configs"), { recursive: true });
    await ok(ws, "packet_define", { task: "TASK-002", manifest: MANIFEST });
    expect(planOf(ws, "TASK-002")).toMatchObject({ from: { profile: "built-in pipeline impl: intents.safe_impl" } });
    expect(planOf(ws, "TASK-002")).not.toHaveProperty("config_folder");
  });

  it("[PACKET-383] [PACKET-212] holds over MCP, also for a review", ROTATING, async () => {
    const root = tempFolder();
    writeConfigs(join(root, "configs"));
    const client = await connect(root, { args: ["--workspace", WORKSPACE, "--toolset", "full"] });
    const define = { workspace: WORKSPACE, create: true, task: TASK, manifest: MANIFEST };
    const made = await callTool(client, "packet_define", define);
    expect(made.result).toMatchObject({
      packet: { stages: [{ stage: "codex_impl", model: "m1" }, { stage: "codex_verify" }] },
    });
    const review = await callTool(client, "packet_review", {
      workspace: WORKSPACE,
      context_pack: "x",
      impl_report: "y",
    });
    expect(JSON.stringify(review.result)).toContain(
      '"stage":"codex_review","tool":"codex","role":"review","model":"m1"',
    );
    writeFileSync(join(root, "configs/servant/codex.yaml"), "tool: codex\n");
    const faulty = await callTool(client, "packet_define", { ...define, task: "TASK-009" });
    expect(faulty.error).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("configs/servant/codex.yaml, command") as string,
    });
    expect(
      (await callTool(client, "packet_patch", { workspace: WORKSPACE, task: TASK, manifest: { goal: "Another" } }))
        .success,
    ).toBe(true);
  });

  it.each(["configs", "configs/servant", "configs/servant/codex.yaml"])(
    "[PACKET-383] follows no link: %s",
    async (path) => {
      const ws = await withConfigs();
      const outside = join(tempFolder(), "there");
      renameSync(join(ws.root, path), outside);
      symlinkSync(outside, join(ws.root, path));
      const { error } = await call(ws, "packet_define", { task: TASK, manifest: MANIFEST });
      expect(error).toMatchObject({
        code: "PATH_UNSAFE",
        message: `Expected ${path} to be reached without a link, found one.`,
      });
    },
  );

  it("[LIMIT-1] [PACKET-383] has at most 200 files and 4 MiB, which are told before they are parsed", async () => {
    const ws = await withConfigs();
    const code = async () => (await call(ws, "packet_define", { task: TASK, manifest: MANIFEST })).error?.code;
    const file = (n: number): string => join(ws.root, `configs/servant/x${n}.yaml`);
    for (let n = 0; n < 5; n++) writeFileSync(file(n), `# ${"x".repeat(1_000_000)}\n`);
    expect(await code()).toBe("CONTENT_TOO_LARGE");
    for (let n = 0; n < 199; n++) writeFileSync(file(n), "");
    expect(await code()).toBe("CONTENT_TOO_LARGE");
    rmSync(file(0));
    expect(await code()).toBe("INVALID_INPUT");
  });

  it("[PACKET-383] is none where configs is something else", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(join(ws.root, "configs"), "a file\n");
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    rmSync(join(ws.root, "configs"));
    mkdirSync(join(ws.root, "configs/other"), { recursive: true });
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    expect(planOf(ws).stages.map(({ stage }) => stage)).toEqual(BUILT_IN);
  });
});

describe("the configuration that a packet was planned with", () => {
  async function plannedElsewhere() {
    const elsewhere = writeConfigs(tempFolder());
    const ws = openTemp({ packet: readPacketConfig(elsewhere) });
    await newTask(ws);
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    return { ws, plan: planOf(ws), other: openTemp({ root: ws.root }) };
  }

  it("[PACKET-384] is kept by a patch of every caller", ROTATING, async () => {
    const { ws, plan, other } = await plannedElsewhere();
    writeConfigs(join(ws.root, "configs"), "m9");
    await ok(other, "packet_patch", { task: TASK, manifest: { goal: "Another goal" } });
    expect(planOf(other)).toEqual(plan);
    const client = await connect(ws.root, { args: ["--workspace", WORKSPACE, "--toolset", "packet"] });
    const patched = await callTool(client, "packet_patch", {
      workspace: WORKSPACE,
      task: TASK,
      manifest: { routing: { model: { codex: "m1" } } },
    });
    expect([patched.success, patched.warnings]).toEqual([true, []]);
    expect(modelsOf(planOf(other))).toEqual(CUSTOM);
    const refused = await call(other, "packet_patch", {
      task: TASK,
      manifest: { routing: { model: { codex: "m9" } } },
    });
    expect(refused.error?.message).toContain("one of the allowed models of codex (m1)");
    const summary = readFileSync(join(ws.root, ".coco/tasks", TASK, "outputs/_summary.md"), "utf8");
    expect(summary).toMatch(/packet run TASK-001 --config \S+ --allow-commands/);
  });

  it("[PACKET-384] is recorded once, and without its programs", async () => {
    const { ws, other } = await plannedElsewhere();
    await ok(other, "packet_patch", { task: TASK, manifest: { goal: "Another goal" } });
    const defined = logLines(ws.root).filter((line) => line.includes('"packet.defined"'));
    expect(defined.map((line) => line.includes('"config":{'))).toEqual([true, false]);
    expect(defined.join("\n")).not.toMatch(/never-in-a-log|"command":/);
    await newTask(other, "TASK-002");
    await ok(other, "packet_define", { task: "TASK-002", manifest: MANIFEST });
    expect(logLines(ws.root, "TASK-002").join("\n")).not.toContain('"config":{');
  });

  it("[PACKET-384] [PACKET-196] is kept by an import of changes by hand", async () => {
    const { ws, plan, other } = await plannedElsewhere();
    const folder = join(ws.root, ".coco/tasks", TASK);
    const manifest = join(folder, "manifest.yaml");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("Read the configuration once", "By hand"));
    expect((await other.packets.import(folder)).took.manifest).toBe(true);
    expect(planOf(other)).toEqual(plan);
  });

  it("[PACKET-384] is found by its digest after a merge of two branches that planned with two", () => {
    const one = configOf({ "servant/codex.yaml": servantFile() });
    const two = configOf({ "servant/codex.yaml": { ...servantFile(), timeout_sec: 7 } });
    const configs = { [configDigest(one)]: recordOf(one), [configDigest(two)]: recordOf(two) };
    const packet = (config: typeof one): Packet =>
      planned({ config_sha256: configDigest(config), config_folder: null }, configs);
    for (const config of [one, two])
      expect(configForPatch(TASK, packet(config), NONE).servants.codex).toMatchObject({
        timeout_sec: config.servants.codex.timeout_sec,
      });
  });

  it("[PACKET-384] is missed with both digests where neither the log nor the caller has it", () => {
    const missing = { config_sha256: "a".repeat(64), config_folder: "../configs" };
    const patch = (packet: Packet, configs: PacketConfigs) => () => configForPatch(TASK, packet, configs);
    const found = configDigest(BUILT_IN_CONFIG);
    expect(patch(planned(missing), NONE)).toThrow(
      expect.objectContaining({
        code: "INVALID_INPUT",
        message: `Expected the configuration that TASK-001 was planned with (${"a".repeat(12)}), found another one (${found.slice(0, 12)}).`,
        details: { planned_sha256: "a".repeat(64), found_sha256: found },
        recovery: expect.stringContaining("--config ../configs") as string,
      }),
    );
    // What a log of elsewhere records may make no plan.
    const record = recordOf(BUILT_IN_CONFIG);
    const intents = { ...record.intents, safe_impl: { group: "impl" as const, profile: "none" } };
    expect(patch(planned(missing, { ["a".repeat(64)]: { ...record, intents } }), NONE)).toThrow("found another one");
    const given = configOf({ "servant/codex.yaml": servantFile() });
    const own = planned({ config_sha256: configDigest(given), config_folder: "x" });
    expect(configForPatch(TASK, own, { given, own: () => undefined })).toBe(given);
  });

  it("[PACKET-384] is kept by packet_define, but for the global one", async () => {
    const { ws, plan, other } = await plannedElsewhere();
    writeConfigs(join(ws.root, "configs"), "m9");
    const define = (task: string) => call(other, "packet_define", { task, manifest: { ...MANIFEST, goal: "Another" } });
    expect((await define(TASK)).warnings).toEqual([]);
    expect(planOf(other)).toEqual(plan);
    await newTask(other, "TASK-002");
    await define("TASK-002");
    const own = planOf(other, "TASK-002");
    expect(modelsOf(own)).toEqual(["codex_impl m9", "codex_verify m9"]);
    rmSync(join(ws.root, "configs"), { recursive: true });
    expect((await define("TASK-002")).warnings).toEqual([]);
    expect(planOf(other, "TASK-002")).toEqual(own);
    const named = openTemp({ root: ws.root, packet: BUILT_IN_CONFIG });
    const reply = await call(named, "packet_define", { task: TASK, manifest: MANIFEST });
    expect(reply.warnings).toMatchObject([
      { code: "PACKET_PLANNED_ANEW", message: expect.stringContaining(plan.config_sha256.slice(0, 12)) as string },
    ]);
    expect(planOf(named).stages.map(({ stage }) => stage)).toEqual(BUILT_IN);
  });
});

const NONE: PacketConfigs = { given: undefined, own: () => undefined };

function planned(plan: Partial<PacketPlan>, configs: Packet["configs"] = {}): Packet {
  const packet = somePacket();
  return { ...packet, plan: { ...packet.plan, ...plan }, configs };
}
