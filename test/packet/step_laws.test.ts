/** Random work on a packet and on steps that name it, on two branches and after their merge. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Packet } from "../../src/state/packet.ts";
import { mergedWith, twin } from "../support/packet_branches.ts";
import { newTask, ok, openTemp, START, ticking, WORKSPACE } from "../support/workspace.ts";
import { MANIFEST, runOf, TASK } from "./packet_support.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

type Move = [tool: string, input: object];
const stage = "codex_verify";
const ran = (exit_code: number): Move => [
  "packet_stage_finish",
  { stage, exit_code: 0, out: "ran", acceptance: [{ command: "npm test", exit_code }] },
];
const commands = (...list: string[]): Move => ["packet_patch", { manifest: { acceptance: { commands: list } } }];
const onStep = (path: string): Move[] => [
  ["tasks_define", { path, packet: true }],
  ["tasks_define", { path, packet: true }],
  ["tasks_define", { path, packet: false }],
  ["tasks_verify", { path, checkpoints: "gate" }],
  ["tasks_close_step", { path, checkpoints: { criteria: true } }],
  ["tasks_close_step", { path, checkpoints: "gate" }],
  ["tasks_progress", { path, completed: true, force: true, reason: "so" }],
  [
    "tasks_evidence_capture",
    { path, checkpoint: "tests", items: [{ kind: "run", command: "npm test", exit_code: 0 }] },
  ],
];
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constantFrom(...onStep("s:0"), ...onStep("s:0.s:0")),
  fc.constantFrom<Move>(
    ["packet_stage_start", { stage }],
    ["packet_stage_start", { stage }],
    ran(0),
    ran(0),
    ran(1),
    ["packet_stage_interrupt", { stage, reason: "so" }],
    ["packet_stage_reopen", { stage, reason: "so" }],
    commands("npm test"),
    commands("npm run e2e"),
    ["tasks_undo", {}],
    ["tasks_redo", {}],
    ["tasks_complete", { status: "DONE" }],
  ),
);
const moves = fc.array(move, { maxLength: 18 });

interface Row {
  done: boolean;
  packet?: true;
  missing_checkpoints: string[];
  missing_proofs: string[];
}

async function make(ws: Workspace, list: readonly Move[]): Promise<void> {
  for (const [tool, input] of list) {
    const { error } = await ws.callTool(tool, {
      workspace: WORKSPACE,
      task: TASK,
      ...runOf(ws, tool, stage),
      ...input,
    });
    expect(["INTERNAL", "INVALID_INPUT"]).not.toContain(error?.code);
    await holds(ws);
  }
}

/** Whether the newest attempt behind the last reopening ran what the manifest names and passed; written apart from the engine's rule. */
function proves({ attempts, done, manifest, override }: Packet): boolean {
  if (done[stage] === undefined) return false;
  const ended = attempts
    .filter((one) => one.stage === stage && !one.reopened)
    .flatMap((one) => (one.ended && one.ended.how !== "interrupted" ? [one.ended] : []));
  const last = ended.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0)).at(-1);
  const { commands: own } = manifest.acceptance;
  const asked = own.length > 0 ? own : (override ?? []);
  const failed = last?.reason !== null || last.acceptance.some(({ exit_code }) => exit_code !== 0);
  const ran = last?.acceptance.map(({ command }) => command) ?? [];
  return last?.how === "passed" && !failed && asked.length > 0 && asked.every((command) => ran.includes(command));
}

/** A step that names the packet lacks the proof of tests just when the packet does not prove them, and is not closed then. */
async function holds(ws: Workspace): Promise<void> {
  const list = (await ok(ws, "tasks_resume", { task: TASK }))["step_list"] as unknown as Row[];
  const proved = proves(internalsOf(ws).packetAccess(TASK).packet());
  for (const { done, packet, missing_checkpoints, missing_proofs } of list) {
    if (!packet) continue;
    expect([missing_checkpoints.includes("tests"), missing_proofs.includes("tests")]).toEqual([false, !proved]);
    expect(done && !proved).toBe(false);
  }
}

describe("steps that name a packet", () => {
  it(
    "[PACKET-219] [PACKET-222] are closed only while the packet proves their tests, on each branch and after a merge",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(moves, moves, moves, moves, async (before, ours, theirs, after) => {
          const ws = openTemp({ durability: "os" });
          await newTask(ws);
          await ok(ws, "tasks_decompose", {
            task: TASK,
            parent: "s:0",
            steps: [{ title: "Below", success_criteria: [] }],
          });
          const budgets = { retry_budget: 1000, paid_call_budget: 1000, max_wallclock_sec: 60 };
          await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, budgets } });
          await make(ws, before);
          const other = twin(ws, "theirs", ticking(START + 500_000));
          await make(ws, ours);
          await make(other, theirs);
          const merged = await mergedWith(ws, other);
          await holds(merged);
          await make(merged, [...after, ["tasks_note", { note: "merged" }]]);
          expect(merged.verify().findings.filter(({ code }) => !code.startsWith("PACKET_FILE"))).toEqual([]);
          await merged.close();
        }),
        runsOf(25),
      );
    },
  );
});
