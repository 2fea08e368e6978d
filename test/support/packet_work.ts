/** A task with a packet, and stages that end without a program. */
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { ok } from "./workspace.ts";

export const REVIEW =
  "## Findings\n\nnone\n\n## Test gaps\n\nnone\n\n## Breaking changes\n\nnone\n\n## Minimal fix\n\nnone\n";

export function packetManifest(change: JsonObject = {}): JsonObject {
  return {
    goal: "Read the config once",
    routing: { intent: "review_cross" },
    scope: { allow: ["src/"], deny: [] },
    acceptance: { commands: ["true"], criteria: ["it is read once"] },
    budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 60 },
    context: { digest_policy: "off" },
    ...change,
  };
}

/** A task with a packet of three stages, of which the first is done. */
export async function reviewed(ws: Workspace, id = "TASK-001"): Promise<string> {
  await ok(ws, "tasks_create", { kind: "task", id, title: "Read the config once" });
  const inputs = { "user_request.md": "Review it.\n", "attachments/notes.md": "notes\n" };
  await ok(ws, "packet_define", { task: id, manifest: packetManifest(), inputs });
  await runStage(ws, id, "gemini_review");
  return id;
}

export async function runStage(ws: Workspace, task: string, stage: string, out = REVIEW): Promise<void> {
  await ok(ws, "packet_stage_start", { task, stage });
  await ok(ws, "packet_stage_finish", { task, stage, exit_code: 0, out, err: "read\n" });
}
