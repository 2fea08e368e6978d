/** A workspace in a folder of its own, with a clock and ids that are the same in every run. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, onTestFinished } from "vitest";
import { openWorkspace } from "./open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import type { ToolInput, ToolName } from "../../src/tools/generated/tool_types.ts";
import { FaultyDisk } from "./faulty_disk.ts";
import { watched } from "./outputs.ts";
import { countPerFile } from "./per_file.ts";
import { tempFolder } from "./temp.ts";

export const WORKSPACE = "acme/repo";
export const START = Date.UTC(2026, 0, 1);

/** One second later at every look. */
export function ticking(start = START): () => number {
  let ticks = 0;
  return () => start + 1000 * ticks++;
}

/** Sixteen hexadecimal digits, the same ones for the same seed. */
export function counting(seed: string): () => string {
  let n = 0;
  return () => createHash("sha256").update(`${seed}:${n++}`).digest("hex").slice(0, 16);
}

const nextNumber = countPerFile();

/** Opens it, in a new folder unless `root` says where, and closes it when the test is over. */
export function openTemp(options: Partial<WorkspaceOptions> = {}): Workspace {
  const root = options.root ?? tempFolder();
  const ws = watched(openWorkspace({ now: ticking(), newId: counting(`workspace ${nextNumber()}`), ...options, root }));
  onTestFinished(async () => {
    // A process that died closes nothing; its descriptors went with it.
    if (!(options.disk instanceof FaultyDisk && options.disk.dead)) await ws.close();
  });
  return ws;
}

type Loose<N extends ToolName> = Omit<ToolInput<N>, "workspace">;

/** Calls a tool and gives the whole reply. */
export function call<N extends ToolName>(ws: Workspace, tool: N, input: Loose<N>): Promise<Reply> {
  return ws.callTool(tool as string, { workspace: WORKSPACE, ...input });
}

/** The result of a call that has to succeed. */
export async function ok<N extends ToolName>(ws: Workspace, tool: N, input: Loose<N>): Promise<JsonObject> {
  const reply = await call(ws, tool, input);
  expect(reply.error).toBeNull();
  return reply.result as JsonObject;
}

/** The code of a call that has to be refused. */
export async function code<N extends ToolName>(ws: Workspace, tool: N, input: Loose<N>): Promise<string | undefined> {
  return (await call(ws, tool, input)).error?.code;
}

/** A task of its own with these steps; returns its id. */
export async function newTask(ws: Workspace, id = "TASK-001", steps = ["First", "Second"]): Promise<string> {
  const bodies = steps.map((title) => ({ title, success_criteria: ["it works"], tests: ["npm test"] }));
  await ok(ws, "tasks_create", { kind: "task", id, title: `Task ${id}`, steps: bodies });
  return id;
}

/** Writes a section of the Taskdoc, so that its package is there: the file of each other section is empty. */
export async function withTaskdoc(ws: Workspace, task = "TASK-001"): Promise<void> {
  await ok(ws, "change_mind", { task, selector: "progress", content: "Begun." });
}

/** Notes of an entity as its log has them, in file order; a note that stands there twice is given twice. */
export function notesOf(root: string, id = "TASK-001"): string[] {
  return logLines(root, id).flatMap((line) => {
    const event = JSON.parse(line) as { type: string; payload: { note?: string } };
    return event.type === "step.noted" ? [event.payload.note ?? ""] : [];
  });
}

export function logPath(root: string, id = "TASK-001"): string {
  return join(root, ".coco", "tasks", id, "events.jsonl");
}

export function logLines(root: string, id = "TASK-001"): string[] {
  return readFileSync(logPath(root, id), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** How far a machine has taken in its shared log: that goes on beside all calls. */
const SHARED_POSITION =
  /(?:^|\/)\.coco\/registry\/machine-[^/]+(?:\/shared(?:\/.*)?)?$|(?:^|\/)\.coco\/locks\/\.shared\b/;

/** Mode merge publishes what came before beside the next calls, with its lock and its mark (SHARED-30). */
const PUBLISHING = /(?:^|\/)\.coco\/(?:locks|registry\/machine-[^/]+\/dirty)(?:\/.*)?$/;

function isOfSharedLog(name: string): boolean {
  const mode = inject("mode");
  return mode !== undefined && (SHARED_POSITION.test(name) || (mode === "merge" && PUBLISHING.test(name)));
}

/** Every name below a folder, sorted, each with what a change would change of it. Nothing is followed. */
export function tree(folder: string, { times = true } = {}): string[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !isOfSharedLog(name))
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const s = lstatSync(path);
      const digest = s.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12) : "-";
      const kind = s.isFile() ? "file" : s.isDirectory() ? "folder" : "other";
      return [name, kind, digest, ...(times ? [s.mtimeMs, s.ino] : [])].join(" ");
    });
}

/** Everything that a folder of the registry holds, one file after the other. */
export function keptIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}
