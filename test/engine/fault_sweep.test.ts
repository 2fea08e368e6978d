// @module-tag long
/** Every call to the disk fails in turn: an answer that is definite is true, of a change of one log and of several. */
import { cpSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { DiskFault, KeyedCall } from "../support/disk_faults.ts";
import { FAULTS, spoiltCall } from "../support/disk_faults.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { quick } from "../support/faulty_task.ts";
import { keysInLogs } from "../support/log_keys.ts";
import { numbersOf, SWEEP } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const STEP = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
const blocking = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });
/** Another task than these: a note to it finishes what is left. */
const BESIDE = { task: "TASK-003", note: "after", idempotency_key: "after" };

const CALLS: Record<string, KeyedCall[]> = {
  "a change of one log": [{ tool: "tasks_note", input: { task: "TASK-001", note: "one" } }],
  "of two changes at once each": ["one", "two"].map((note) => ({
    tool: "tasks_note",
    input: { task: "TASK-001", note },
  })),
  "a creation": [{ tool: "tasks_create", input: { title: "T", kind: "task" } }],
  "a change of two logs": [
    { tool: "tasks_batch", input: { atomic: true, operations: ["TASK-001", "TASK-002"].map(blocking) } },
  ],
  "a creation of two": [{ tool: "tasks_bootstrap", input: { plan_title: "P", task_title: "T", steps: [STEP] } }],
};

/** The code of each, null where it was done. */
function codesOf(ws: Workspace, calls: readonly KeyedCall[]): Promise<(string | null)[]> {
  const answers = calls.map(async ({ tool, input }, i) => {
    const all = { workspace: WORKSPACE, idempotency_key: `key-${i}`, ...input };
    return (await ws.callTool(tool, all as never)).error?.code ?? null;
  });
  return Promise.all(answers);
}

async function threeTasks(): Promise<string> {
  const ws = openTemp({ disk: quick });
  for (const id of ["TASK-001", "TASK-002", "TASK-003"]) await newTask(ws, id);
  await ws.close();
  return ws.root;
}

/** How the answers to these calls differ from what the logs have; null if there is no n-th call to spoil. */
async function untrue(from: string, calls: readonly KeyedCall[], fault: DiskFault, n: number) {
  const root = tempFolder();
  cpSync(from, root, { recursive: true });
  const disk = new FaultyDisk(quick);
  const ws = openTemp({ root, disk });
  // Every other time the logs are in memory.
  if (n % 2 === 0) await ok(ws, "tasks_note", { task: "TASK-001", note: "before" });
  const before = disk.calls.length;
  fault.spoil(disk, n);
  const codes = await codesOf(ws, calls);
  const spoilt = spoiltCall(disk, fault, before, n);
  disk.mend();
  const there = keysInLogs(root);
  const other = openTemp({ root, disk: quick });
  await ok(other, "tasks_note", BESIDE);
  const settled = keysInLogs(root);
  const halves = other.verify().findings.filter(({ code }) => code.startsWith("TXN_"));
  const again = await codesOf(ws, calls);
  const twice = keysInLogs(root);
  if (!spoilt) return null;
  const keys = calls.map((_call, i) => `key-${i}`);
  const wrong = keys.flatMap((key, i) => {
    const isDefinite = codes[i] !== null && codes[i] !== "UNKNOWN_OUTCOME";
    return [
      ...(codes[i] === null && !settled.includes(key) ? [`${key} was acknowledged, and is lost`] : []),
      ...(isDefinite && [...there, ...settled].includes(key)
        ? [`${key} was refused (${codes[i]!}), and is there`]
        : []),
      ...(again[i] === null ? [] : [`${key} cannot be repeated (${again[i]})`]),
      ...(twice.filter((one) => one === key).length === 1 ? [] : [`${key} is not there once`]),
    ];
  });
  return [...wrong, ...halves.map(({ message }) => message)].map(
    (text) => `${n}: ${spoilt.kind} ${spoilt.path}: ${text}`,
  );
}

describe("a disk that refuses", SWEEP, () => {
  for (const [name, calls] of Object.entries(CALLS))
    for (const [what, fault] of Object.entries(FAULTS))
      it(`[DUR-7] ${name} is answered truly if ${what}`, { timeout: 600_000 }, async () => {
        const from = await threeTasks();
        for (const n of numbersOf(20)) {
          const wrong = await untrue(from, calls, fault, n);
          if (wrong === null) break;
          expect(wrong).toEqual([]);
        }
      });
});
