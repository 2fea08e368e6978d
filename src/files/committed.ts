/**
 * The files of `.coco` that are committed and are not about any task (spec/directory.md). The attributes were tried
 * with real git: logs merge line by line on a clone with nothing installed. Projections are never merged as text, so
 * that a stopped merge leaves them readable.
 */
import { join } from "node:path";
import type { Disk } from "../disk.ts";
import { ensureFolder } from "./folders.ts";
import type { Layout } from "./layout.ts";
import { readCache, writeAtomic } from "./atomic.ts";

const ATTRIBUTES_FILE = ".gitattributes";
/** The attributes of a whole repository fit. */
const MOST_BYTES = 1024 * 1024;
const FOLDERS = ["tasks", "archive"];

/** The line that the overview needs (PROJ-64). */
export const OVERVIEW_ATTRIBUTES = "/README.md text eol=lf -merge";

/** Each of these matters for merging; `verify` finds a missing one. */
export const MERGE_ATTRIBUTES: readonly string[] = FOLDERS.flatMap((f) => [
  `${f}/*/events.jsonl text eol=lf merge=union`,
  `${f}/*/task.yaml text eol=lf -merge`,
  `${f}/*/README.md text eol=lf -merge`,
  `${f}/*/manifest.yaml text eol=lf -merge`,
  `${f}/*/shared/evidence/index.json text eol=lf -merge`,
  `${f}/*/shared/reports/joined-summary.md text eol=lf -merge`,
  `${f}/*/shared/decisions/** text eol=lf -merge`,
  `${f}/*/state/** text eol=lf -merge`,
  `${f}/*/done/** text eol=lf -merge`,
  `${f}/*/taskdoc.tsk/** -text -merge`,
  `${f}/*/shared/evidence/blobs/** -text`,
  `${f}/*/agents/** -text`,
  `${f}/*/inputs/** -text`,
  `${f}/*/outputs/** -text`,
]);

/** Lines of their own, so that a file of an older release has every line that matters for merging (DIR-60). */
export const GENERATED_ATTRIBUTES: readonly string[] = FOLDERS.flatMap((f) =>
  ["events.jsonl", "task.yaml", "shared/evidence/index.json"].map((name) => `${f}/*/${name} linguist-generated`),
);

const GITATTRIBUTES = [
  "# Written by taskfold; each line matters for merging. Keep it on the main branch before you branch.",
  ...MERGE_ATTRIBUTES,
  OVERVIEW_ATTRIBUTES,
  "# Hosts fold what a program wrote in a review; nothing else depends on these.",
  ...GENERATED_ATTRIBUTES,
  "",
].join("\n");

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

/** Lines of `wanted` that the attributes lack. */
export function attributesMissing(disk: Disk, layout: Layout, wanted: readonly string[]): string[] {
  const found = readCache(disk, join(layout.coco, ATTRIBUTES_FILE), MOST_BYTES)?.toString("utf8") ?? "";
  const present = new Set(found.split(/\r?\n/).map((line) => line.trim()));
  return wanted.filter((line) => !present.has(line));
}

/** Appends the line of the overview to attributes of an older release. */
export function addOverviewAttributes(disk: Disk, layout: Layout): void {
  if (attributesMissing(disk, layout, [OVERVIEW_ATTRIBUTES]).length === 0) return;
  const path = join(layout.coco, ATTRIBUTES_FILE);
  const text = readCache(disk, path, MOST_BYTES)?.toString("utf8");
  if (text === undefined) return;
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  writeAtomic(disk, path, `${text}${end}${OVERVIEW_ATTRIBUTES}\n`, { sync: true });
}
