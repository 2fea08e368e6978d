/** Manifests and packets for tests. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { runningAttempt } from "../../src/state/packet.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";

export const TASK = "TASK-001";

export const MANIFEST = {
  goal: "Read the configuration once",
  routing: { intent: "safe_impl" },
  scope: { allow: ["src/"], deny: ["src/secret/"] },
  acceptance: { commands: ["npm test"], criteria: ["the file is opened once"] },
  budgets: { retry_budget: 1, paid_call_budget: 6, max_wallclock_sec: 60 },
  context: { digest_policy: "auto" },
};

const PACK = [
  "Goal",
  "Non-goals",
  "Scope",
  "Acceptance",
  "Fixed",
  "Files to Read",
  "Prohibited Actions",
  "Current State",
  "Open Questions",
  "Change History",
];

/** A brief that its gate lets through. */
export const BRIEF = [
  "## Summary\n\nRead it once.\n\n## Acceptance\n\n## Scope\n\n## Constraints\n\n## Verify Commands\n\n```sh\nnpm test\nnpm run check\n```\n\n## Updated Context Pack\n",
  ...PACK.map((title, n) => `## ${n}. ${title}\n\nText of ${n}.\n`),
].join("\n");

export const DIFF = "--- a/src/read.ts\n+++ b/src/read.ts\n@@ -1 +1 @@\n-twice\n+once\n";
export const REVIEW = "## Findings\n\nnone\n\n## Test gaps\n\n## Breaking changes\n\n## Minimal fix\n";

/** A workspace with a task whose packet has this manifest. */
export async function withPacket(more: JsonObject = {}, inputs: Record<string, string> = {}): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, ...more }, inputs });
  return ws;
}

export async function start(ws: Workspace, stage: string): Promise<JsonObject> {
  return ok(ws, "packet_stage_start", { task: TASK, stage });
}

export async function finish(ws: Workspace, stage: string, more: JsonObject): Promise<JsonObject> {
  return ok(ws, "packet_stage_finish", { task: TASK, stage, exit_code: 0, ...more });
}

export async function passStage(ws: Workspace, stage: string, more: JsonObject): Promise<void> {
  const { run } = await start(ws, stage);
  const { passed, reasons } = await finish(ws, stage, { run: run!, ...more });
  if (passed !== true) throw new Error(`expected ${stage} to pass: ${JSON.stringify(reasons)}`);
}

/** The run of the attempt under way, as its start gave it, for a call that ends it; nothing for another call. */
export function runOf(ws: Workspace, tool: string, stage: string): { run?: string } {
  if (tool !== "packet_stage_finish") return {};
  const run = runningAttempt(internalsOf(ws).packetAccess(TASK).packet(), stage)?.run;
  return run === undefined ? {} : { run };
}
