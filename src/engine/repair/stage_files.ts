/** Files that `resolve` stages, and those of a merge that it leaves to people. */
import { join } from "node:path";
import { projectionsOf } from "../../projections/index.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import type { GitPort } from "../core/git_port.ts";
import { inTaskFolder } from "../../state/evidence.ts";
import type { EngineParts } from "../parts.ts";
import { isOverviewOn, OVERVIEW } from "../projection/overview.ts";

// Which files resolve stages: those of the entities it put in order, but no file of people's that is still in conflict.
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
function isOurs(path: string): boolean {
  const name = IN_FOLDER.exec(path)?.[1] ?? "";
  return FOLDED.has(name) || OURS.test(name);
}

interface Staged {
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
  /** Whether a file follows from logs, or the joining of folders moved it away. */
  isOurs: (path: string) => boolean;
}

/** Stages what changed in the folders of these ids, the overview, and every open file that follows from logs. */
export function gitAdd(git: GitPort, { ids, open, except, isOurs: isToStage }: ToStage): Staged {
  const kept = new Set(open.filter((path) => !isToStage(path)));
  const paths = new Set([...open, ...git.changed(OVERVIEW)].filter(isToStage));
  for (const id of new Set(ids)) {
    for (const part of ["tasks", "archive"]) for (const path of git.changed(`.coco/${part}/${id}`)) paths.add(path);
  }
  const list = [...paths].filter((path) => !kept.has(path) && !except.has(path.split("/")[2] ?? "")).toSorted();
  const left = git.add(list);
  const isLeft = new Set(left);
  return { staged: list.filter((path) => !isLeft.has(path)), left };
}

/** Whether a file follows from logs: of these files that a merge left open, those of packets too. */
export function foldedFiles(engine: EngineParts, open: readonly string[]): (path: string) => boolean {
  const projected = new Set(open.filter((path) => isProjected(engine, path)));
  return (path) => isOurs(path) || projected.has(path) || (path === OVERVIEW && isOverviewOn(engine.context));
}

/**
 * Whether a file that a merge left open is gone because its folder was joined with another one, by the ids of joined folders. Where both
 * sides of the merge wrote it, what stood there was git's joining of both, and people have a say.
 */
export function movedFiles(
  { context }: EngineParts,
  git: GitPort | undefined,
  { open, ids }: { open: readonly string[]; ids: readonly string[] },
): (path: string) => boolean {
  const isMoved = (path: string): boolean => {
    const id = IN_FOLDER.test(path) ? path.split("/")[2]! : undefined;
    if (!git || id === undefined || !ids.includes(id)) return false;
    if (context.disk.lstat(join(context.layout.root, path))) return false;
    const [ours, theirs] = [":2", ":3"].map((side) => git.find(side, path));
    return ours === undefined || theirs === undefined || ours === theirs;
  };
  const moved = new Set(open.filter(isMoved));
  return (path) => moved.has(path);
}

/** Whether a log folds to the file: in the folders of a packet the name alone does not tell. */
function isProjected(engine: EngineParts, path: string): boolean {
  const { id, inside } = inTaskFolder(path) ?? {};
  if (id === undefined || inside === undefined || isOurs(path)) return false;
  const loaded = engine.store.find(id);
  if (!loaded?.catchUp() || !loaded.entity) return false;
  return projectionsOf(loaded.subject(engine.binding?.workspace ?? "")).has(inside);
}

/** If git would convert a file, git alone stages it: a filter is a program that the repository names. */
export function unstagedFindings(paths: readonly string[], isFolded: (path: string) => boolean): Finding[] {
  return paths.map((path) => {
    const finding = wholeFile(
      "FILE_NOT_STAGED",
      path,
      "Expected a file that git stages as it is; an attribute asks for a filter or other line ends.",
      { recovery: "Stage it with git add." },
    );
    return isFolded(path) ? finding : note(finding);
  });
}

const BY_HAND = { recovery: "Put it right by hand, and stage it." };

/** Files of people that a merge left open: their text is theirs to put right. */
export function unmergedFindings(open: readonly string[], isFolded: (path: string) => boolean): Finding[] {
  return open
    .filter((path) => path.startsWith(".coco/") && !isFolded(path))
    .map((path) => wholeFile("FILE_UNMERGED", path, "A merge left this file open.", BY_HAND));
}
