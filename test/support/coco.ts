/** What the other program does in a folder that it shares with us: it appends lines, and rewrites task.yaml from what it knows. */
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { ROOT } from "./source.ts";

const SAMPLES = join(ROOT, "test/data/coco");

/** Ids of the folders it wrote. */
export const COCO_IDS = readdirSync(SAMPLES);

export const BLOCKED = "task-2f61da5b5ec7488eb79fc983790aa10c";
export const JOINED = "task-54f8aee925574a318538c248fa3532f3";
export const CANCELED = "task-eaaaa2d857ce4b4fa5c18fb57ce05b8f";

/** Puts a copy of one of its folders into a workspace; returns the path. */
export function placeSample(root: string, id: string): string {
  const folder = join(root, ".coco/tasks", id);
  cpSync(join(SAMPLES, id), folder, { recursive: true });
  return folder;
}

/** The keys of its struct, in its order: whatever else stands in the file is lost when it writes. */
const KEYS = [
  "id",
  "title",
  "description",
  "topology",
  "state",
  "createdAt",
  "updatedAt",
  "milestones",
  "roster",
  "gates",
  "config",
] as const;

export type CocoFile = Record<(typeof KEYS)[number], unknown> & {
  roster: Record<string, unknown>[];
  gates: Record<string, unknown>[];
};

/** It reads task.yaml, changes something, and writes it whole. */
export function cocoRewrites(folder: string, updatedAt: string, change: (task: CocoFile) => void = () => undefined) {
  const path = join(folder, "task.yaml");
  const known = parse(readFileSync(path, "utf8")) as CocoFile;
  const task = Object.fromEntries(KEYS.map((key) => [key, known[key]])) as CocoFile;
  change(task);
  task.updatedAt = updatedAt;
  writeFileSync(path, `---\n${stringify(task)}`);
}

/** One line of its eight keys. */
export function cocoAppends(folder: string, ts: string, type: string, more: object = {}): void {
  const line = {
    ts,
    type,
    taskId: "t",
    agentInstance: null,
    turnId: null,
    payload: {},
    by: "orchestrator",
    path: null,
  };
  appendFileSync(join(folder, "events.jsonl"), `${JSON.stringify({ ...line, ...more })}\n`);
}

/** Its join writes the whole evidence index anew. */
export function cocoJoins(folder: string, entries: object[]): void {
  writeFileSync(join(folder, "shared/evidence/index.json"), JSON.stringify(entries, null, 2));
}
