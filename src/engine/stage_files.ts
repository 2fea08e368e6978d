/** Which files resolve stages: those of the entities it put in order, but no file of people's that is still in conflict. */
import type { GitPort } from "./git_port.ts";
import { OVERVIEW } from "./overview.ts";

const IN_FOLDER = /^\.coco\/(?:tasks|archive)\/[^/]+\/(.+)$/;
const FOLDED = new Set([
  "events.jsonl",
  "task.yaml",
  "README.md",
  "manifest.yaml",
  "shared/evidence/index.json",
  "shared/reports/joined-summary.md",
]);
/** Captured bytes, decisions, and the package of the Taskdoc: their texts are in the log. */
const OURS = /^(?:shared\/evidence\/blobs\/[0-9a-f]{64}|shared\/decisions\/CARD-[0-9A-F]{8}\.md|taskdoc\.tsk\/.+)$/;

/** Whether a path relative to the root is a log, or a file that follows from one. */
export function isOurs(path: string): boolean {
  const name = IN_FOLDER.exec(path)?.[1] ?? "";
  return FOLDED.has(name) || OURS.test(name);
}

export interface Staged {
  staged: string[];
  /** Files that git would convert by a program of the repository, which is not started. */
  left: string[];
}

interface ToStage {
  ids: readonly string[];
  /** Files that a merge left open. */
  open: readonly string[];
  /** Ids of which nothing is staged. */
  except: ReadonlySet<string>;
  /** Whether a file follows from logs: one of an entity (`isOurs`), or the overview. */
  isFolded: (path: string) => boolean;
}

/** Stages what changed in the folders of these ids, the overview, and every open file that follows from logs. */
export function stage(git: GitPort, { ids, open, except, isFolded }: ToStage): Staged {
  const kept = new Set(open.filter((path) => !isFolded(path)));
  const paths = new Set([...open, ...git.changed(OVERVIEW)].filter(isFolded));
  for (const id of new Set(ids)) {
    for (const part of ["tasks", "archive"]) for (const path of git.changed(`.coco/${part}/${id}`)) paths.add(path);
  }
  const list = [...paths].filter((path) => !kept.has(path) && !except.has(path.split("/")[2] ?? "")).toSorted();
  const left = git.add(list);
  const isLeft = new Set(left);
  return { staged: list.filter((path) => !isLeft.has(path)), left };
}
