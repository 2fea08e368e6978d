/** Programs that come with a repository: nothing starts them before a person says so, and then only what that person saw. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { nodeDisks } from "../../src/disks.ts";
import { ownPacketConfigAt } from "../../src/engine/projection/packet_config_folder.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { BUILT_IN_CONFIG } from "../../src/rules/packet/built_in_config.ts";
import { resolvePlan } from "../../src/rules/packet/plan.ts";
import { runPacket } from "../../src/runner/dispatcher.ts";
import type { PacketRunOptions } from "../../src/runner/dispatcher.ts";
import { readPacketConfig } from "../../src/runner/packet_config_files.ts";
import { reviewPacket } from "../../src/runner/review.ts";
import { isPlannedWith } from "../../src/runner/run_config.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import { TrustedConfigs } from "../../src/runner/trusted_configs.ts";
import { MANIFEST, TASK } from "../packet/packet_support.ts";
import { openWorkspace } from "../support/open.ts";
import { manifest } from "../support/packet.ts";
import { somePacket } from "../support/some_packet.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const REVIEW = { ...MANIFEST, routing: { intent: "review_cross" }, acceptance: { commands: [], criteria: [] } };
const HEADINGS = "## Findings\\n## Test gaps\\n## Breaking changes\\n## Minimal fix\\n";

/** A repository whose `configs/` makes each servant a script that leaves a mark outside; `data` is where the person keeps trust. */
class Clone {
  readonly folder = tempFolder();
  readonly root = join(this.folder, "repo");
  readonly data = join(this.folder, "data");
  readonly mark = join(this.folder, "ran");
  readonly environment = { PATH: process.env["PATH"]!, XDG_DATA_HOME: this.data };

  constructor() {
    mkdirSync(this.root);
    this.configs();
  }

  configs(word = "first", at = join(this.root, "configs/servant")): void {
    mkdirSync(at, { recursive: true });
    for (const tool of ["gemini", "codex", "copilot"]) {
      const text = `cat > /dev/null; echo ${word} >> ${this.mark}; printf '${HEADINGS}'`;
      const servant = {
        tool,
        command: ["sh", "-c", text],
        prompt: "stdin",
        default_model: "m1",
        allowed_models: ["m1"],
      };
      writeFileSync(join(at, `${tool}.yaml`), JSON.stringify(servant));
    }
  }

  async packet(more: object = REVIEW): Promise<Workspace> {
    const ws = this.open();
    await newTask(ws);
    await ok(ws, "packet_define", { task: TASK, manifest: { ...REVIEW, ...more } });
    return ws;
  }

  open(): Workspace {
    const ws = openWorkspace({ root: this.root, workspace: WORKSPACE }) as Workspace;
    onTestFinished(() => ws.close());
    return ws;
  }

  run(ws: Workspace, more: Partial<PacketRunOptions> = {}) {
    return runPacket(ws, { task: TASK, environment: this.environment, ...more });
  }

  trust(root = this.root): void {
    new TrustedConfigs(nodeDisk, root, this.environment).add(ownPacketConfigAt(nodeDisks(), root)!);
  }

  get ran(): string[] {
    return existsSync(this.mark) ? readFileSync(this.mark, "utf8").trimEnd().split("\n") : [];
  }
}

const refused = expect.objectContaining({ code: "CONFIG_NOT_TRUSTED" }) as Error;

describe("programs that a repository names", () => {
  it("[PACKET-386] do not run unasked, and nothing is paid", async () => {
    const clone = new Clone();
    const ws = await clone.packet();
    await expect(clone.run(ws)).rejects.toMatchObject({
      code: "CONFIG_NOT_TRUSTED",
      recovery: expect.stringContaining("taskfold packet trust") as string,
      details: {
        programs: [
          { servant: "gemini", file: "configs/servant/gemini.yaml", command: ["sh", "-c", expect.any(String)] },
          {},
          {},
        ],
      },
    });
    await expect(clone.run(ws, { stage: "gemini_review" })).rejects.toThrow(refused);
    const executor = { run: () => Promise.reject(new Error("it was asked to run")) };
    await expect(clone.run(ws, { executor })).rejects.toThrow(refused);
    const review = { workspace: WORKSPACE, contextPack: "x", implReport: "y", environment: clone.environment };
    await expect(
      reviewPacket(ws, { ...review, run: (opened, { task }) => clone.run(opened, { task }) }),
    ).rejects.toThrow(refused);
    expect(existsSync(join(clone.root, ".coco/tasks/TASK-002"))).toBe(false);
    expect(existsSync(join(clone.root, ".tmp"))).toBe(false);
    expect([clone.ran, internalsOf(ws).packetAccess(TASK).packet().attempts]).toEqual([[], []]);
  });

  it("[PACKET-386] run once a person trusts them, or a caller names them", ROTATING, async () => {
    const trusted = new Clone();
    const ws = await trusted.packet();
    trusted.trust();
    expect(await trusted.run(ws)).toMatchObject({ outcome: "done", warnings: [] });
    expect(trusted.ran).toEqual(["first", "first", "first"]);
    const named = new Clone();
    const config = readPacketConfig(join(named.root, "configs"));
    expect(await named.run(await named.packet(), { config })).toMatchObject({ outcome: "done" });
    expect(existsSync(named.data)).toBe(false);
  });

  it("[PACKET-386] [PACKET-151] take the place of the built-in ones only with trust, and with a new plan", async () => {
    const clone = new Clone();
    rmSync(join(clone.root, "configs"), { recursive: true });
    const ws = await clone.packet();
    expect(internalsOf(ws).packetAccess(TASK).packet().plan).not.toHaveProperty("config_folder");
    clone.configs("later");
    await expect(clone.run(ws)).rejects.toThrow(refused);
    clone.trust();
    expect(await clone.run(ws)).toMatchObject({ outcome: "done", warnings: [{ code: "PACKET_PLANNED_ANEW" }] });
    expect(clone.ran).toEqual(["later", "later", "later"]);
    rmSync(join(clone.root, "configs"), { recursive: true });
    await expect(clone.run(ws)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { planned_sha256: internalsOf(ws).packetAccess(TASK).packet().plan.config_sha256 },
    });
  });

  it("[PACKET-386] keep acceptance commands of their packet from a stage by hand", async () => {
    const clone = new Clone();
    const acceptance = { commands: [`echo command >> ${clone.mark}`], criteria: [] };
    const routing = { intent: "review_cross", pipeline: { profile: "codex_only" } };
    const ws = await clone.packet({ routing, acceptance });
    const stage = "codex_verify";
    await startByHand(ws, { task: TASK, stage });
    const end = { task: TASK, stage, exit_code: 0, allowCommands: true, environment: clone.environment };
    await expect(finishByHand(ws, end)).rejects.toThrow(refused);
    expect(clone.ran).toEqual([]);
    clone.trust();
    expect((await finishByHand(ws, end)).success).toBe(true);
    expect(clone.ran).toEqual(["command"]);
  });
});

describe("trust", () => {
  it("[PACKET-386] is asked again for a byte or a name that changes", async () => {
    const clone = new Clone();
    const ws = await clone.packet();
    clone.trust();
    const file = join(clone.root, "configs/servant/codex.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}\n# the same to a reader\n`);
    await expect(clone.run(ws)).rejects.toThrow(refused);
    writeFileSync(file, text);
    renameSync(file, join(clone.root, "configs/servant/other.yaml"));
    await expect(clone.run(ws)).rejects.toThrow(refused);
    renameSync(join(clone.root, "configs/servant/other.yaml"), file);
    expect(await clone.run(ws, { stage: "gemini_review" })).toMatchObject({ outcome: "passed" });
  });

  it("[PACKET-386] is for one folder: no copy of it has it, nor another clone at its path", async () => {
    const clone = new Clone();
    await (await clone.packet()).close();
    clone.trust();
    const copy = join(clone.folder, "copy");
    cpSync(clone.root, copy, { recursive: true });
    const has = (root: string) =>
      new TrustedConfigs(nodeDisk, root, clone.environment).has(ownPacketConfigAt(nodeDisks(), root)!);
    expect([has(clone.root), has(copy)]).toEqual([true, false]);
    renameSync(clone.root, join(clone.folder, "before"));
    renameSync(copy, clone.root);
    expect(has(clone.root)).toBe(false);
    await expect(clone.run(clone.open())).rejects.toThrow(refused);
    const link = join(clone.folder, "link");
    clone.trust();
    symlinkSync(clone.root, link);
    expect(has(link)).toBe(true);
  });

  it("[PACKET-386] starts what it was held against, though the files change before a stage", async () => {
    const clone = new Clone();
    const ws = await clone.packet({ scope: { allow: ["."], deny: [] } });
    clone.trust();
    const run = clone.run(ws, { on: ({ type }) => void (type === "started" && clone.configs("planted")) });
    expect(await run).toMatchObject({ outcome: "done" });
    expect(clone.ran).toEqual(["first", "first", "first"]);
    await expect(clone.run(ws)).rejects.toThrow(refused);
  });

  it("[PACKET-386] [PACKET-151] plans anew with no files that came after it", async () => {
    const clone = new Clone();
    rmSync(join(clone.root, "configs"), { recursive: true });
    const ws = await clone.packet();
    clone.configs();
    clone.trust();
    const call = ws.call.bind(ws);
    ws.call = ((tool, input, options) => {
      if (tool === "packet_define") clone.configs("planted");
      return call(tool, input, options);
    }) as typeof ws.call;
    await expect(clone.run(ws)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(clone.ran).toEqual([]);
  });

  it.each([
    ["in the workspace", (root: string) => ({ XDG_DATA_HOME: join(root, "data") })],
    [
      "in the workspace by a link",
      (root: string) => {
        mkdirSync(join(root, "data"));
        symlinkSync(join(root, "data"), join(root, "../link"));
        return { XDG_DATA_HOME: join(root, "../link") };
      },
    ],
    ["relative", () => ({ XDG_DATA_HOME: "data", HOME: "." })],
  ])("[PACKET-386] is kept by no folder that is %s", (_what, environmentOf) => {
    const { root } = new Clone();
    const trusted = new TrustedConfigs(nodeDisk, root, environmentOf(root));
    const config = ownPacketConfigAt(nodeDisks(), root)!;
    expect(() => trusted.add(config)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    expect(trusted.has(config)).toBe(false);
  });

  it("[PACKET-386] believes no link and no folder in the place of a record, and goes again", () => {
    const clone = new Clone();
    const trusted = new TrustedConfigs(nodeDisk, clone.root, clone.environment);
    const config = ownPacketConfigAt(nodeDisks(), clone.root)!;
    trusted.add(config);
    expect([
      trusted.has(config),
      trusted.has({ ...config, files_sha256: "0".repeat(64) }),
      trusted.has(BUILT_IN_CONFIG),
    ]).toEqual([true, false, false]);
    expect([trusted.clear(), trusted.clear(), trusted.has(config)]).toEqual([1, 0, false]);
  });
});

describe("the plan of a log", () => {
  it("[PACKET-151] is what manifest and configuration make, or it is made anew", () => {
    const made = resolvePlan(manifest(), BUILT_IN_CONFIG);
    if ("errors" in made) throw new Error("expected a plan");
    const packet = somePacket({ manifest: manifest(), plan: made.plan });
    expect(isPlannedWith(packet, BUILT_IN_CONFIG)).toBe(true);
    const [first, ...others] = made.plan.stages;
    for (const change of [{ model: "x; rm -rf ~" }, { timeout_sec: 1 }, { paid: false }]) {
      const plan = { ...made.plan, stages: [{ ...first!, ...change }, ...others] };
      expect(isPlannedWith({ ...packet, plan }, BUILT_IN_CONFIG), JSON.stringify(change)).toBe(false);
    }
    expect(isPlannedWith({ ...packet, plan: { ...made.plan, stages: others } }, BUILT_IN_CONFIG)).toBe(false);
    const { from: _from, ...older } = made.plan;
    expect(isPlannedWith({ ...packet, plan: older }, BUILT_IN_CONFIG)).toBe(true);
  });
});
