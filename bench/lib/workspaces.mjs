import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../dist/testing.js";

export const WORKSPACE = "acme/repo";
export const TASK = "TASK-001";
const STEPS = 12;

/**
 * Repeats a mutation until the compiler has finished with its code. A process compiles during its first thousands of calls, and
 * their times say nothing of the protocol. Start-up has a figure of its own (16).
 */
export async function warmUp(folder) {
  const ways = [
    ["manual", "os", 1, 8000],
    ["manual", "os", 64, 40_000],
    ["batch", "os", 1, 1500],
    ["manual", "fsync", 1, 2000],
    ["manual", "fsync", 16, 10_000],
  ];
  for (const [i, [projections, durability, callers, calls]] of ways.entries()) {
    const ws = await taskWorkspace(join(folder, String(i)), { projections, durability });
    await concurrently(ws, callers, calls);
    await ws.close();
  }
}

/** A workspace with one task of twelve steps, in a folder of its own. */
export async function taskWorkspace(folder, options = {}) {
  const ws = openWorkspace({ root: folder, ...options });
  const steps = Array.from({ length: STEPS }, (_, i) => ({
    title: `Step ${i}`,
    success_criteria: ["it works"],
    tests: ["npm test"],
  }));
  await call(ws, "tasks_create", { kind: "task", id: TASK, title: "A task of twelve steps", steps });
  return ws;
}

/** Calls a tool; a bench that measures refusals would measure nothing. */
export async function call(ws, tool, input) {
  const reply = await ws.call(tool, { workspace: WORKSPACE, ...input });
  if (!reply.success) throw new Error(`${tool}: ${reply.error.code} ${reply.error.message}`);
  return reply;
}

let notes = 0;

/** One mutation of about 400 bytes. */
export function note(ws) {
  const n = notes++;
  return call(ws, "tasks_note", {
    task: TASK,
    path: `s:${n % STEPS}`,
    note: `Note ${n}: the grammar is ambiguous here.`,
  });
}

/** `callers` callers, each with one call under way at a time. */
export async function concurrently(ws, callers, n) {
  let left = n;
  const caller = async () => {
    while (left-- > 0) await note(ws);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

/** The last line of the task's log: what one mutation writes. */
export function lastLine(folder) {
  const bytes = readFileSync(join(folder, ".coco", "tasks", TASK, "events.jsonl"));
  return bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
}
