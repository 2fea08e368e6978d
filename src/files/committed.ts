/** The files of `.coco` that are committed and are not about any task (spec/directory.md). */
import { join } from "node:path";
import type { Disk } from "../disk.ts";
import { completed, GITATTRIBUTES, judgeText, OVERVIEW_PATTERN } from "./attributes.ts";
import type { WrongAttribute } from "./attributes.ts";
import { ensureFolder } from "./folders.ts";
import type { Layout } from "./layout.ts";
import { readCache, writeAtomic } from "./atomic.ts";

const ATTRIBUTES_FILE = ".gitattributes";
/** The attributes of a whole repository fit. */
const MAX_BYTES = 1024 * 1024;

export const GITIGNORE = [
  "# Written by taskfold: what belongs to this machine only.",
  "/registry/",
  "/locks/",
  "/tasks/*/agents/*/codex_home/",
  "/archive/*/agents/*/codex_home/",
  ".tf-tmp-*",
  "",
].join("\n");

/** Puts the two files in place where they are missing; a changed file stays as it is. */
export function writeCommitted(disk: Disk, layout: Layout): void {
  ensureFolder(disk, layout.tasks);
  for (const [name, text] of [
    [ATTRIBUTES_FILE, GITATTRIBUTES],
    [".gitignore", GITIGNORE],
  ] as const) {
    const path = join(layout.coco, name);
    if (!disk.lstat(path)) writeAtomic(disk, path, text, { sync: true });
  }
}

/** Returns the patterns for which the text of the attributes lacks a word, or says another one. */
export function attributesMissing(disk: Disk, layout: Layout, isOverviewOn: boolean): WrongAttribute[] {
  return judgeText(attributesText(disk, layout) ?? "", isOverviewOn);
}

/** Whether lines at the end of the attributes would decide these patterns. */
export function wouldComplete(disk: Disk, layout: Layout, patterns: ReadonlySet<string>): boolean {
  return completed(attributesText(disk, layout) ?? "", patterns) !== null;
}

/** Appends lines to the attributes, so that they have the last word on these patterns. Returns whether there was a line to append. */
export function completeAttributes(disk: Disk, layout: Layout, patterns: ReadonlySet<string>): boolean {
  const text = attributesText(disk, layout);
  const wanted = text === undefined ? null : completed(text, patterns);
  if (wanted === null) return false;
  writeAtomic(disk, join(layout.coco, ATTRIBUTES_FILE), wanted, { sync: true });
  return true;
}

/** Appends the line of the overview to attributes of an older release. */
export function addOverviewAttributes(disk: Disk, layout: Layout): void {
  const isWrong = attributesMissing(disk, layout, true).some(({ pattern }) => pattern === OVERVIEW_PATTERN);
  if (isWrong) completeAttributes(disk, layout, new Set([OVERVIEW_PATTERN]));
}

function attributesText(disk: Disk, layout: Layout): string | undefined {
  return readCache(disk, join(layout.coco, ATTRIBUTES_FILE), MAX_BYTES)?.toString("utf8");
}
