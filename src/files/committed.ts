/**
 * The files of `.coco` that are committed and are not about any task (spec/directory.md). The attributes were tried with
 * real git: logs merge line by line on a clone with nothing installed; projections are never merged as text, so
 * that a stopped merge leaves them readable.
 */
import { join } from "node:path";
import type { Disk } from "../disk.ts";
import { ensureFolder } from "./folders.ts";
import type { Layout } from "./layout.ts";
import { writeAtomic } from "./atomic.ts";

const FOLDERS = ["tasks", "archive"];

export const GITATTRIBUTES = [
  "# Written by taskfold; each line matters for merging. Keep it on the main branch before you branch.",
  ...FOLDERS.flatMap((f) => [
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
  ]),
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

/** Puts the two files in place where they are missing; what somebody changed stays as it is. */
export function writeCommitted(disk: Disk, layout: Layout): void {
  ensureFolder(disk, layout.tasks);
  for (const [name, text] of [
    [".gitattributes", GITATTRIBUTES],
    [".gitignore", GITIGNORE],
  ] as const) {
    const path = join(layout.coco, name);
    if (!disk.lstat(path)) writeAtomic(disk, path, text, { sync: true });
  }
}
