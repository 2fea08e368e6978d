/** The degree of the proof that a packet gives: Taskfold starts the acceptance commands itself, or a caller reports them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { TASK } from "../packet/packet_support.ts";
import { git } from "../hosts/cli_support.ts";
import { call, logLines, ok } from "../support/workspace.ts";
import { PacketRoom } from "./packet_room.ts";
import { ROTATING } from "../support/sweep.ts";

const STAGE = "codex_verify";
const STEP = { task: TASK, path: "s:0" };
const CLOSE = { ...STEP, checkpoints: { criteria: true } };

async function world(
  mode: "require" | "captured" | "repeated",
): Promise<{ room: PacketRoom; ws: Workspace; run: () => Promise<unknown> }> {
  const manifest = { acceptance: { commands: ["echo all well"], criteria: [] } };
  const room = await PacketRoom.make({ manifest });
  const step = { title: "S", success_criteria: ["c"], tests: ["t"], packet: true, proof: { tests: mode } };
  await ok(room.ws, "tasks_decompose", { task: TASK, steps: [step, step] });
  const out = join(room.root, ".git/out");
  writeFileSync(out, "ran\n");
  const run = async (): Promise<unknown> => {
    await startByHand(room.ws, { task: TASK, stage: STAGE });
    const environment = { PATH: process.env["PATH"] ?? "" };
    const options = { task: TASK, stage: STAGE, exit_code: 0, out, allowCommands: true, environment } as const;
    return (await finishByHand(room.ws, options)).result;
  };
  return { room, ws: room.ws, run };
}

async function report(ws: Workspace): Promise<void> {
  await ok(ws, "packet_stage_start", { task: TASK, stage: STAGE });
  const acceptance = [{ command: "echo all well", exit_code: 0, stdout: "all well\n" }];
  await ok(ws, "packet_stage_finish", { task: TASK, stage: STAGE, exit_code: 0, out: "ran", acceptance });
}

const row = async (ws: Workspace): Promise<JsonObject> =>
  ((await ok(ws, "tasks_resume", { task: TASK }))["step_list"] as JsonObject[])[1]!;

describe("a packet's proof", () => {
  it(
    "[PROOF-36] is captured where Taskfold started the commands, with commit, tree, start and end",
    ROTATING,
    async () => {
      const { room, ws, run } = await world("captured");
      expect(await run()).toMatchObject({ passed: true });
      const events = logLines(room.root, TASK).map((line) => JSON.parse(line) as { type: string; payload: JsonObject });
      const { items } = events.findLast(({ type }) => type === "evidence.captured")!.payload as { items: JsonObject[] };
      expect(items[0]).toMatchObject({
        command: "echo all well",
        captured: {
          argv: expect.arrayContaining(["echo all well"]) as string[],
          env: ["PATH"],
          git_commit: git(room.root, "rev-parse", "HEAD").trim(),
          tree: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          started_at: expect.stringMatching(/Z$/) as string,
          ended_at: expect.stringMatching(/Z$/) as string,
        },
      });
      const { evidence } = await ok(ws, "tasks_evidence_verify", { task: TASK });
      expect(evidence).toMatchObject([{ degree: "captured" }]);
      // The evidence stands on the first step; the packet proves both.
      expect(await row(ws)).toMatchObject({ proof_tests_mode: "captured", proof_tests_degree: "captured" });
      await ok(ws, "tasks_close_step", CLOSE);
      await ok(ws, "tasks_close_step", { ...CLOSE, path: "s:1" });
      await ok(ws, "tasks_complete", { task: TASK });
    },
  );

  it(
    "[PROOF-36] is a claim where a caller reports the results: that is enough for require, and not for captured",
    ROTATING,
    async () => {
      const { ws, run } = await world("captured");
      await report(ws);
      expect(await row(ws)).not.toHaveProperty("proof_tests_degree");
      const refused = (await call(ws, "tasks_close_step", CLOSE)).error!;
      expect([refused.code, refused.message]).toEqual([
        "PROOF_REQUIRED",
        expect.stringContaining("found results that a caller reported"),
      ]);
      expect(refused.recovery).toContain(
        `"taskfold packet reopen ${TASK} ${STAGE} --reason 'the commands have to run again'", then "taskfold packet run ${TASK} --allow-commands"`,
      );
      await ok(ws, "packet_stage_reopen", { task: TASK, stage: STAGE, reason: "run it" });
      await run();
      await ok(ws, "tasks_close_step", CLOSE);
      const loose = await world("require");
      await report(loose.ws);
      await ok(loose.ws, "tasks_close_step", CLOSE);
    },
  );

  it(
    "[PROOF-36] is stale once a file in the scope changed, for each step that names the packet",
    ROTATING,
    async () => {
      const { room, ws, run } = await world("captured");
      await run();
      const close = (path: string) => call(ws, "tasks_close_step", { ...CLOSE, path });
      const status = async (): Promise<string> =>
        JSON.stringify((await ok(ws, "tasks_radar", { task: TASK }))["radar"]);
      writeFileSync(join(room.root, "secret-of-none"), "out of the scope\n");
      expect(await status()).not.toContain("stale");
      mkdirSync(join(room.root, "src"), { recursive: true });
      writeFileSync(join(room.root, "src/new.ts"), "changed\n");
      for (const path of ["s:0", "s:1"]) {
        const { error, suggestions } = await close(path);
        expect([error?.code, error?.details]).toMatchObject([
          "PROOF_STALE",
          { missing: ["tests"], stale: [{ checkpoint: "tests", paths: ["src/new.ts"] }] },
        ]);
        expect(error!.recovery).toContain(
          `"taskfold packet reopen ${TASK} ${STAGE} --reason 'files changed since'", then "taskfold packet run ${TASK} --allow-commands"`,
        );
        expect(suggestions).toMatchObject([{ tool: "packet_stage_reopen", args: { stage: STAGE } }]);
        expect(await status()).toContain(`${path} S: proof of tests is stale: \\"src/new.ts\\" changed since`);
      }
      // Files of the step alone count for it, beside those that counted when the commands ran.
      await ok(ws, "packet_stage_reopen", { task: TASK, stage: STAGE, reason: "files changed" });
      await run();
      expect((await close("s:0")).error).toBeNull();
      writeFileSync(join(room.root, "src/new.ts"), "changed again\n");
      expect((await close("s:1")).error?.code).toBe("PROOF_STALE");
    },
  );

  it("[PROOF-36] is no repeat: that mode asks for one beside the packet", ROTATING, async () => {
    const { ws, run } = await world("repeated");
    await run();
    const refused = (await call(ws, "tasks_close_step", CLOSE)).error!;
    expect(refused.message).toContain("Expected repeated proof of tests");
    expect(refused.recovery).toContain("taskfold prove");
  });

  it("[PROOF-46] no caller says that Taskfold started a command", async () => {
    const { ws } = await world("captured");
    await ok(ws, "packet_stage_start", { task: TASK, stage: STAGE });
    const captured = { argv: ["true"], env: [], started_at: "", ended_at: "", platform: "" };
    const acceptance = [{ command: "echo all well", exit_code: 0, captured }];
    const input = { task: TASK, stage: STAGE, exit_code: 0, out: "ran", acceptance } as never;
    expect((await call(ws, "packet_stage_finish", input)).error?.code).toBe("INVALID_INPUT");
  });
});
