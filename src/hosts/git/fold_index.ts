/**
 * The hooks: in the index, each folded file becomes what the log beside it folds to (GIT-22). It looks at plans and
 * tasks that differ from a commit, takes no lock and adds no event. A file of the work tree follows where it was as the
 * index had it.
 */
import { dirname, join } from "node:path";
import { bindingIn } from "../../engine/entity/binding.ts";
import { nodeDisks } from "../../disks.ts";
import { keepEdited } from "../../engine/repair/keep_edited.ts";
import { otherNamesIn } from "../../engine/entity/two_folders.ts";
import { foldedTexts, isEdited } from "../../engine/repair/merge_sides.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { nodeDisk } from "../../disk.ts";
import { MAX_OBJECT } from "./limits.ts";
import { entityPath, workspaceYaml } from "./merge_trees.ts";
import { blobName, wholeBlobs } from "./objects.ts";
import { readPlain } from "./read_file.ts";
import { recordedSince } from "./recorded_since.ts";
import type { Repository } from "./repository.ts";
import { addBytes, inIndex } from "./staging.ts";

export interface FoldedIndex {
  /** Paths that were staged. */
  staged: string[];
  /** Folders that need `taskfold resolve` first. */
  left: string[];
  /** Paths of edits, and where they are kept. */
  kept: { path: string; where: string }[];
}

/** More are a first commit or an import, which the engine itself wrote. */
const MAX_FOLDERS = 2000;

interface Folder {
  path: string;
  prefix: string;
  id: string;
}

/** `since`: a commit; null where there is none yet. `repository`: opened at the top of its work tree. */
export function foldIndex(repository: Repository, since: string | null): FoldedIndex {
  const folded: FoldedIndex = { staged: [], left: [], kept: [] };
  const folders = changedFolders(repository, since);
  if (folders.length > MAX_FOLDERS) return { ...folded, left: [".coco"] };
  const workspaces = new Map<string, string | undefined>();
  const others: Other[] = [];
  for (const folder of folders) {
    const { prefix } = folder;
    if (!workspaces.has(prefix)) {
      const yaml = workspaceYaml(repository, prefix);
      workspaces.set(prefix, yaml === undefined ? undefined : bindingIn(yaml).workspace);
    }
    const workspace = workspaces.get(prefix);
    const log = workspace === undefined ? undefined : foldFolder(repository, folder, workspace, folded);
    if (log) others.push(...othersOf(folder, log));
  }
  tellTwoFolders(repository, others, folded);
  return folded;
}

/** A folder that may hold the entity of another one, by its name. */
interface Other {
  of: string;
  path: string;
  root: string;
}

function othersOf({ path, prefix, id }: Folder, log: Buffer): Other[] {
  const { root, names } = otherNamesIn(id, log) ?? { root: "", names: [] };
  return names.flatMap((name) =>
    ["tasks", "archive"].map((part) => ({ of: path, path: `${prefix}.coco/${part}/${name}`, root })),
  );
}

/** A pick or a rebase leaves one entity in two folders (RESOLVE-50): both are left to resolve. A log is read only where such a name is there. */
function tellTwoFolders(repository: Repository, others: readonly Other[], folded: FoldedIndex): void {
  const entries = inIndex(
    repository,
    others.map(({ path }) => `${path}/events.jsonl`),
  );
  for (const { of, path, root } of others) {
    const object = entries.get(`${path}/events.jsonl`)?.object;
    const log = object === undefined ? undefined : wholeBlobs(repository, [object]).get(object);
    if (!log || otherNamesIn("", log)?.root !== root) continue;
    folded.left.push(...[of, path].filter((folder) => !folded.left.includes(folder)));
  }
}

function changedFolders(repository: Repository, since: string | null): Folder[] {
  const folders = new Map<string, Folder>();
  for (const path of recordedSince(repository, since).keys()) {
    const at = entityPath(path);
    if (!at) continue;
    const folder = `${at.prefix}.coco/${at.part}/${at.id}`;
    folders.set(folder, { path: folder, prefix: at.prefix, id: at.id });
  }
  return [...folders.values()];
}

/** Gives the log; undefined where the index has none. */
function foldFolder(
  repository: Repository,
  { path, prefix, id }: Folder,
  workspace: string,
  folded: FoldedIndex,
): Buffer | undefined {
  const entries = inIndex(repository, [path]);
  const logName = entries.get(`${path}/events.jsonl`)?.object;
  if (logName === undefined) return undefined;
  const log = wholeBlobs(repository, [logName]).get(logName);
  // A partial clone has not fetched what a sparse checkout leaves out.
  if (!log) {
    folded.left.push(path);
    return undefined;
  }
  const texts = foldedTexts({ id, workspace }, log, (name) => entries.has(`${path}/${name}`));
  if (!texts) {
    if (log.includes('"hash"')) folded.left.push(path);
    return log;
  }
  const differing = [...texts].filter(
    ([name, text]) => entries.get(`${path}/${name}`)?.object !== blobName(repository, Buffer.from(text)),
  );
  if (differing.length === 0) return log;
  const names = [...differing.map(([name]) => name), "task.yaml"];
  const objects = names.flatMap((name) => entries.get(`${path}/${name}`)?.object ?? []);
  const blobs = wholeBlobs(repository, [...new Set(objects)], 8 * MAX_OBJECT);
  const staged = (name: string): Buffer | undefined => blobs.get(entries.get(`${path}/${name}`)?.object ?? "");
  const taskYaml = staged("task.yaml");
  const files = new Map<string, Buffer>();
  for (const [name, text] of differing) {
    const file = staged(name);
    if (file && isEdited({ id, name, workspace }, { log, taskYaml, file }))
      folded.kept.push({
        path: `${path}/${name}`,
        where: prefix + keepEdited(nodeDisks(), join(repository.root, prefix), { id, name }, file),
      });
    files.set(`${path}/${name}`, Buffer.from(text));
  }
  const left = new Set(addBytes(repository, files));
  for (const [file, bytes] of files) {
    if (left.has(file)) continue;
    folded.staged.push(file);
    follow(repository, file, staged(file.slice(path.length + 1)), bytes);
  }
  return log;
}

/** A file that a person or the engine changed meanwhile stays, and so does one that is not checked out. */
function follow({ root }: Repository, path: string, before: Buffer | undefined, bytes: Buffer): void {
  const now = readPlain(root, path, MAX_OBJECT);
  const isAsStaged = now === undefined ? before === undefined : Buffer.isBuffer(now) && before?.equals(now);
  if (isAsStaged === true && nodeDisk.lstat(dirname(join(root, path)))?.kind === "folder")
    writeAtomic(nodeDisk, join(root, path), bytes);
}
