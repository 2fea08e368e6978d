/** A small day's work as a list of calls, each with an idempotency key: what crash tests run, cut off and run again. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { WORKSPACE } from "./workspace.ts";

export interface ScriptCall {
  key: string;
  tool: string;
  input: Record<string, unknown>;
}

const body = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });

/** Makes entities, blobs, several events in one op, folders that move to the archive, and changes of several folders at once. */
export const SCRIPT: readonly ScriptCall[] = [
  { tool: "tasks_create", input: { id: "PLAN-001", title: "Version 2" } },
  {
    tool: "tasks_create",
    input: { id: "TASK-001", parent: "PLAN-001", title: "Write it", steps: [body("One"), body("Two")] },
  },
  { tool: "tasks_note", input: { task: "TASK-001", path: "s:0", note: "began" } },
  {
    tool: "tasks_evidence_capture",
    input: {
      task: "TASK-001",
      path: "s:0",
      items: [{ kind: "run", command: "npm test", exit_code: 0, stdout: "ok\n".repeat(30_000) }],
      checkpoint: "tests",
    },
  },
  { tool: "tasks_close_step", input: { task: "TASK-001", path: "s:0", checkpoints: "gate" } },
  { tool: "tasks_create", input: { id: "TASK-002", parent: "PLAN-001", title: "Drop me" } },
  { tool: "tasks_delete", input: { task: "TASK-002" } },
  { tool: "tasks_edit", input: { plan: "PLAN-001", priority: "HIGH" } },
  { tool: "tasks_create", input: { id: "PLAN-002", title: "Version 3" } },
  { tool: "tasks_create", input: { id: "TASK-003", parent: "PLAN-002", title: "Later", steps: [body("One")] } },
  {
    tool: "tasks_batch",
    input: {
      atomic: true,
      operations: [
        { tool: "tasks_block", args: { task: "TASK-003", path: "s:0", reason: "waits" } },
        { tool: "tasks_block", args: { task: "TASK-001", path: "s:1", reason: "waits too" } },
        { tool: "tasks_block", args: { task: "TASK-003", path: "s:0", reason: "waits longer" } },
      ],
    },
  },
  { tool: "tasks_delete", input: { plan: "PLAN-002" } },
].map((call, i) => ({ ...call, key: `call-${String(i).padStart(2, "0")}` }));

export function run(ws: Workspace, { tool, input, key }: ScriptCall): Promise<Reply> {
  return ws.callTool(tool, { workspace: WORKSPACE, ...input, idempotency_key: key });
}

/** Keys of every op in every log of a root, in no particular order; an op counts when its last event is there. */
export function keysInLogs(root: string): string[] {
  return ["tasks", "archive"].flatMap((part) => {
    const folder = join(root, ".coco", part);
    return names(folder).flatMap((id) => {
      if (!names(join(folder, id)).includes("events.jsonl")) return [];
      const lines = readFileSync(join(folder, id, "events.jsonl"), "utf8").split("\n");
      const events = new Map(lines.flatMap((line) => parsed(line).map((event) => [line, event] as const)));
      return [...events.values()].flatMap(({ op }) => (op.n === op.of && op.key !== undefined ? [op.key] : []));
    });
  });
}

/** A line's event, or nothing: a write may be cut anywhere, also just behind a brace inside its line. */
function parsed(line: string): { op: { key?: string; n: number; of: number } }[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
