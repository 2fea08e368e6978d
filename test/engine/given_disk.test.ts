/** A host gives the disk: nothing is read or written beside it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { disksOf, nodeDisks } from "../../src/disks.ts";
import { openWorkspaces } from "../../src/testing.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { readPacketConfig } from "../../src/runner/packet_config_files.ts";
import { reviewPacket } from "../../src/runner/review.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import { TrustedConfigs } from "../../src/runner/trusted_configs.ts";
import { ownPacketConfigAt } from "../../src/engine/projection/packet_config_folder.ts";
import { BRIEF, MANIFEST, TASK } from "../packet/packet_support.ts";
import { movedDisk } from "../support/moved_disk.ts";
import { openWorkspace } from "../support/open.ts";
import { servantFile } from "../support/packet_config.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

/** Not there on the disk of the system. */
const PLACE = "/taskfold-given-disk";
const ROOT = `${PLACE}/repo`;
const SERVANT = JSON.stringify({ ...servantFile(), command: ["cat"] });

class Machine {
  readonly base = tempFolder();
  readonly disk: Disk = movedDisk(this.base);

  constructor() {
    mkdirSync(this.at(ROOT), { recursive: true });
  }

  at(path: string): string {
    return this.base + path;
  }

  put(path: string, text: string): string {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
    return path;
  }

  open() {
    return openWorkspace({ root: ROOT, workspace: WORKSPACE, disk: this.disk });
  }
}

async function withPacket(machine: Machine, more: object = {}) {
  const ws = machine.open();
  await newTask(ws);
  await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, ...more } });
  return ws;
}

describe("a disk of a host", () => {
  it("[ENG-105] has what a caller hands over, and where an export goes to and an import comes from", async () => {
    const machine = new Machine();
    const ws = await withPacket(machine);
    await startByHand(ws, { task: TASK, stage: "gemini_brief" });
    machine.put(`${ROOT}/src/new.ts`, "new\n");
    const out = machine.put(`${PLACE}/elsewhere/brief.out`, BRIEF);
    const ended = await finishByHand(ws, { task: TASK, stage: "gemini_brief", exit_code: 0, out });
    expect(ended).toMatchObject({ success: true });
    const { files, missing } = ws.packets.export(TASK, `${PLACE}/out/packet`);
    expect(missing).toEqual([]);
    expect(files.filter((file) => !existsSync(machine.at(join(`${PLACE}/out/packet`, file))))).toEqual([]);
    expect(() => ws.packets.export(TASK, `${PLACE}/out`)).toThrow(/with files in it/);
    const manifest = readFileSync(machine.at(`${PLACE}/out/packet/manifest.yaml`), "utf8");
    machine.put(`${PLACE}/out/packet/manifest.yaml`, manifest.replace(TASK, "TASK-009"));
    expect(await ws.packets.import(`${PLACE}/out/packet`)).toMatchObject({ task: "TASK-009" });
    expect(readdirSync(machine.at(`${ROOT}/.coco/tasks`))).toContain("TASK-009");
    await ws.close();
    expect(existsSync(PLACE)).toBe(false);
  });

  it("[ENG-105] has the trust of the person, the configurations, and the folder of a review", async () => {
    const machine = new Machine();
    const environment = { XDG_DATA_HOME: `${PLACE}/home` };
    machine.put(`${ROOT}/configs/servant/codex.yaml`, SERVANT);
    const review = { workspace: WORKSPACE, contextPack: "context", implReport: "report", environment };
    const ws = machine.open();
    const run = () => Promise.reject(new Error("not started"));
    await expect(reviewPacket(ws, { ...review, run })).rejects.toMatchObject({ code: "CONFIG_NOT_TRUSTED" });
    const own = ownPacketConfigAt(disksOf(machine.disk), ROOT)!;
    new TrustedConfigs(machine.disk, ROOT, environment).add(own);
    expect(existsSync(machine.at(`${PLACE}/home/taskfold/trusted`))).toBe(true);
    await expect(reviewPacket(ws, { ...review, outDir: `${PLACE}/review`, run })).rejects.toThrow("not started");
    expect(readdirSync(machine.at(`${PLACE}/review`))).toEqual(["summary.md"]);
    const named = readPacketConfig("configs", ROOT, machine.disk);
    expect(named.files_sha256).toBe(own.files_sha256);
    await ws.close();
    expect(existsSync(PLACE)).toBe(false);
  });

  it("[ENG-105] tells whether two roots are one folder, and no thread reads beside it", async () => {
    const machine = new Machine();
    const link = `${PLACE}/link`;
    symlinkSync(machine.at(ROOT), machine.at(link));
    const roots = [ROOT, link].map((root, i) => ({ root, workspace: `acme/${i}`, disk: machine.disk }));
    expect(() => openWorkspaces({ roots })).toThrow(/different folders/);
    // Threads have a file to start from in what is built alone.
    const { RowsThread } = await import("../../dist/engine/viewer/rows_thread.js");
    const places = Array.from({ length: 1000 }, (_, i) => ({ part: "tasks" as const, id: `TASK-${i}` }));
    const runtime = { ...nodeRuntime, threadsBeside: 1, startThreads: () => ({ end: () => undefined }) as never };
    const work = { root: ROOT, workspace: WORKSPACE, places };
    expect(RowsThread.start({ runtime, disks: disksOf(machine.disk) }, work)).toBeUndefined();
    expect(RowsThread.start({ runtime, disks: nodeDisks() }, work)).toBeDefined();
    expect(existsSync(PLACE)).toBe(false);
  });
});
