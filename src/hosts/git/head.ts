/** The commit that is checked out, read from the files of git: a process for each question costs more than all else. */
import { commitNamed } from "./commits_named.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

const MAX_SMALL = 4096;
const MAX_PACKED = 4 * 1024 * 1024;
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Refs of other kinds may belong to one work tree alone. */
const BRANCH = /^ref: (refs\/heads\/(?!\.\.?(?:\/|$))[^\s\0]+)$/;

/** Git is asked for what its files do not say plainly, and once for each commit whether it is there. */
export function headReader(repository: Repository): () => string | undefined {
  const known = new Set<string>();
  return () => {
    const id = readHead(repository);
    if (id !== undefined && known.has(id)) return id;
    const commit = commitNamed(repository, id ?? "HEAD");
    if (commit !== undefined) known.add(commit);
    return commit;
  };
}

function readHead({ folder, common }: Repository): string | undefined {
  const head = textOf(folder, "HEAD", MAX_SMALL)?.trim() ?? "";
  if (ID.test(head)) return head;
  const branch = BRANCH.exec(head)?.[1];
  if (branch === undefined || branch.split("/").includes("..")) return undefined;
  const loose = textOf(common, branch, MAX_SMALL)?.trim();
  const id = loose ?? packed(textOf(common, "packed-refs", MAX_PACKED) ?? "", branch);
  return id !== undefined && ID.test(id) ? id : undefined;
}

/** `<id> <ref>` on a line of its own. */
function packed(refs: string, branch: string): string | undefined {
  const at = refs.indexOf(` ${branch}\n`);
  return at === -1 ? undefined : refs.slice(refs.lastIndexOf("\n", at) + 1, at);
}

/** Undefined where there is no plain file of at most so many bytes. */
function textOf(folder: string, path: string, most: number): string | undefined {
  const bytes = readPlain(folder, path, most);
  return Buffer.isBuffer(bytes) ? bytes.toString("latin1") : undefined;
}
