/** Random work on two copies of a workspace, and the folder that git makes of both. */
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { RandomWork } from "./random_work.ts";
import { ticking } from "./workspace.ts";

const PARTS = ["tasks", "archive"] as const;

export interface LogFile {
  id: string;
  part: (typeof PARTS)[number];
  folder: string;
  bytes: Buffer;
}

/** Every log of a workspace. */
export function logFiles(root: string): LogFile[] {
  return PARTS.flatMap((part) => {
    const folder = join(root, ".coco", part);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((id) => ({
      id,
      part,
      folder: join(folder, id),
      bytes: readFileSync(join(folder, id, "events.jsonl")),
    }));
  });
}

/** Every file under tasks and archive with its bytes. */
export function filesOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of PARTS) {
    const folder = join(root, ".coco", part);
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        found.set(
          join(entry.parentPath, entry.name).slice(root.length),
          readFileSync(join(entry.parentPath, entry.name), "latin1"),
        );
    }
  }
  return found;
}

/** Verify finds nothing wrong. */
export function expectSound(ws: Workspace): void {
  expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
}

/** Folders `a` and `b` below `folder`: work in common, then each its own. `skew` minutes lie between their clocks. */
export async function branchedWork(
  folder: string,
  common: number[],
  ours: number[],
  theirs: number[],
  skew = 10_000,
): Promise<{ a: string; b: string; begun: RandomWork }> {
  const [base, a, b] = ["base", "a", "b"].map((name) => join(folder, name)) as [string, string, string];
  const begun = new RandomWork(base, "base");
  await begun.do(common);
  await begun.ws.close();
  for (const copy of [a, b]) cpSync(base, copy, { recursive: true });
  await branch(a, "a", ours, begun, 10_000);
  await branch(b, "b", theirs, begun, 10_000 + skew);
  return { a, b, begun };
}

async function branch(
  root: string,
  seed: string,
  numbers: number[],
  begun: RandomWork,
  minutes: number,
): Promise<void> {
  const work = new RandomWork(root, seed, {
    calls: begun.calls,
    now: ticking(Date.UTC(2026, 0, 2) + minutes * 60_000),
  });
  await work.do(numbers);
  await work.ws.close();
}

/** What git does on a clone with nothing installed, in short: logs by union, every other file ours. */
export function mergeFolders(into: string, ours: string, theirs: string): void {
  cpSync(theirs, into, { recursive: true });
  cpSync(ours, into, { recursive: true, force: true });
  for (const { id, part, bytes } of logFiles(theirs)) {
    const log = join(into, ".coco", part, id, "events.jsonl");
    const have = new Set(readFileSync(log, "utf8").split("\n"));
    const more = bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => !have.has(line));
    appendFileSync(log, more.map((line) => `${line}\n`).join(""));
  }
  // What is this machine's own does not travel.
  for (const name of ["registry", "locks"]) rmSync(join(into, ".coco", name), { recursive: true, force: true });
}
