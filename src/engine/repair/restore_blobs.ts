/** Captured bytes that a pick, a revert or a dropped commit left behind: events name them, and git has them (GIT-14). */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import type { TaskfoldError } from "../../errors.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { ensureSyncedFolder } from "../../files/folders.ts";
import { wholeFile } from "../core/finding.ts";
import type { Finding } from "../core/finding.ts";
import type { GitPort } from "../core/git_port.ts";
import type { EngineContext } from "../core/context.ts";

const BLOB = /^\.coco\/(tasks|archive)\/([^/]+)\/(.+\/([0-9a-f]{64}))$/;

export interface RestoredBlobs {
  /** Findings that are none any more. */
  findings: Set<Finding>;
  /** Those whose bytes git names and has not here. */
  missing: Finding[];
  /** How many files came back to each entity. */
  captured: { id: string; files: number }[];
}

/** Brings back what these findings miss; bytes that do not have the digest in their name stay away. */
export function restoreBlobs(
  { disk, layout }: EngineContext,
  git: GitPort,
  findings: readonly Finding[],
): RestoredBlobs {
  const restored = new Set<Finding>();
  const missing: Finding[] = [];
  const counts = new Map<string, number>();
  for (const finding of findings) {
    const [, part = "", id = "", rest = "", name] = (finding.code === "BLOB_MISSING" && BLOB.exec(finding.file)) || [];
    if (name === undefined) continue;
    const other = part === "tasks" ? "archive" : "tasks";
    const look = (path: string): Buffer | undefined => held(git, path, (e) => missing.push(ofMissing(finding.file, e)));
    const bytes = look(finding.file) ?? look(`.coco/${other}/${id}/${rest}`);
    if (!bytes || createHash("sha256").update(bytes).digest("hex") !== name) continue;
    const path = join(layout.root, finding.file);
    ensureSyncedFolder(disk, layout.coco, dirname(path));
    writeAtomic(disk, path, bytes, { sync: true });
    restored.add(finding);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return { findings: restored, missing, captured: [...counts].map(([id, files]) => ({ id, files })) };
}

function ofMissing(file: string, e: TaskfoldError): Finding {
  return wholeFile("OBJECT_MISSING", file, e, e);
}

/** A version above a limit of reading is left to people: the finding stays. */
function held(git: GitPort, path: string, isMissing: (e: TaskfoldError) => void): Buffer | undefined {
  try {
    return git.lastVersion(path);
  } catch (e) {
    if (!isTaskfoldError(e) || (e.code !== "CONTENT_TOO_LARGE" && e.code !== "OBJECT_MISSING")) throw e;
    if (e.code === "OBJECT_MISSING") isMissing(e);
    return undefined;
  }
}
