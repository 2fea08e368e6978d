// @ts-check
// How the logs of test/golden/v1-adopted came about: folders that Coco wrote, adopted, changed by both, and adopted again.
// Run once; no run makes a golden log anew.
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SAMPLES = join(import.meta.dirname, "../../..", "test", "data", "coco");
const BLOCKED = "task-2f61da5b5ec7488eb79fc983790aa10c";
const JOINED = "task-54f8aee925574a318538c248fa3532f3";

/**
 * Writes the workspace into `root`, which must be empty or absent.
 * @param {string} root
 * @param {typeof import("../../../src/testing.ts")} library
 */
export async function makeAdopted(root, library) {
  let ticks = 0;
  let ids = 0;
  mkdirSync(join(root, ".coco", "tasks"), { recursive: true });
  for (const id of [BLOCKED, JOINED]) cpSync(join(SAMPLES, id), join(root, ".coco", "tasks", id), { recursive: true });
  const ws = library.openWorkspace({
    root,
    by: "human:ada",
    now: () => Date.UTC(2026, 6, 1) + 1000 * ticks++,
    newId: () => createHash("sha256").update(`golden adopted ${ids++}`).digest("hex").slice(0, 16),
  });
  await ws.init("acme/repo");
  for (const id of [BLOCKED, JOINED]) {
    await ws.repair.adopt(id);
    appendFileSync(join(root, ".coco", "tasks", id, "shared", "human-notes.md"), "- Ask Eve about the second one.\n");
    const reply = await ws.call("tasks_note", { workspace: "acme/repo", task: id, note: "adopted, and gone on with" });
    if (!reply.success) throw new Error(reply.error?.message);
  }
  cocoGoesOn(join(root, ".coco", "tasks", JOINED));
  const again = await ws.repair.adopt(JOINED, { again: true });
  if (!again.changed) throw new Error("expected something to be taken in again, found nothing");
  await ws.close();
  for (const name of ["registry", "locks"]) rmSync(join(root, ".coco", name), { recursive: true });
}

/** It gives the task another title, and appends a line of its own. @param {string} folder */
function cocoGoesOn(folder) {
  const path = join(folder, "task.yaml");
  const before = readFileSync(path, "utf8");
  const after = before
    .replace(/^title: .*$/m, "title: Retitled by the other program")
    .replace(/^updatedAt: .*$/m, 'updatedAt: "2026-06-30T00:00:00Z"')
    .replace(/^(?:renderer|revision|head|kind|parent): .*\n/gm, "");
  if (after === before) throw new Error("expected a task.yaml with a title, found none");
  writeFileSync(path, after);
  const line = { ts: "2026-06-30T00:00:00Z", type: "agent.spawned", taskId: JOINED, agentInstance: "w9", turnId: null };
  appendFileSync(
    join(folder, "events.jsonl"),
    `${JSON.stringify({ ...line, payload: {}, by: "orchestrator", path: null })}\n`,
  );
}
