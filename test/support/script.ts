/** A small day's work as a list of calls, each with an idempotency key: what crash tests run, cut off and run again. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Reply } from "../../src/engine/reply.ts";
import { WORKSPACE } from "./workspace.ts";

export interface ScriptCall {
  key: string;
  tool: string;
  input: Record<string, unknown>;
}

const body = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });

/** Makes two entities, blobs, several events in one op, a folder that moves to the archive. */
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
].map((call, i) => ({ ...call, key: `call-${i}` }));

export function run(ws: Workspace, { tool, input, key }: ScriptCall): Promise<Reply> {
  return ws.call(tool, { workspace: WORKSPACE, ...input, idempotency_key: key });
}

/** Keys of every op in every log of a root, in no particular order; an op counts when its last event is there. */
export function keysInLogs(root: string): string[] {
  return ["tasks", "archive"].flatMap((part) => {
    const folder = join(root, ".coco", part);
    return names(folder).flatMap((id) => {
      if (!names(join(folder, id)).includes("events.jsonl")) return [];
      const whole = readFileSync(join(folder, id, "events.jsonl"), "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"));
      const events = new Map(
        whole.map((line) => [line, JSON.parse(line) as { op: { key?: string; n: number; of: number } }]),
      );
      return [...events.values()].flatMap(({ op }) => (op.n === op.of && op.key !== undefined ? [op.key] : []));
    });
  });
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
