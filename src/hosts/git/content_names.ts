/** The mode and the name of a blob that files of the work tree have by their content. */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { bytesOfName, textOfName } from "../../name_bytes.ts";
import { blobName } from "./objects.ts";
import type { Repository } from "./repository.ts";
import type { Steps } from "./steps.ts";

/** A repository without a commit, or what has no content that this user may read. */
export const NO_CONTENT = "0".repeat(40);

/** `mode id` of each path; null for what is gone. `modes`: undefined asks the file. `settings` keep git from starting filters. `isRaw`: no rule converts what is read. */
export function* contentNames(
  repository: Repository,
  modes: ReadonlyMap<string, string | undefined>,
  settings: readonly string[],
  isRaw = false,
): Steps<Map<string, string | null>> {
  const found = [...modes].map(([path, mode]) => ({ path, named: lookAt(repository, path, mode) }));
  const asked = found.flatMap(({ path, named }) => (named && named.id === undefined ? [path] : []));
  let names: string[] = [];
  if (asked.length > 0) {
    const input = Buffer.from(asked.map((path) => `${quoted(path)}\n`).join(""), "latin1");
    const args = ["-C", repository.top, "hash-object", ...(isRaw ? ["--no-filters"] : []), "--stdin-paths"];
    const [output] = yield [{ repository, args, input: { input, settings } }];
    names = output!.toString("latin1").split("\n");
  }
  let next = 0;
  return new Map(
    found.map(({ path, named }) => [path, named && `${named.mode} ${named.id ?? names[next++] ?? NO_CONTENT}`]),
  );
}

/** The place of a path, of which each character is one byte. */
export function fullPath({ top }: Repository, path: string): string {
  return join(top, ASCII.test(path) ? path : textOfName(Buffer.from(path, "latin1")));
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7F]*$/;

/** The mode and, unless git has to read the file, the name of what stands at a path. */
function lookAt(repository: Repository, path: string, mode: string | undefined): { mode: string; id?: string } | null {
  const full = fullPath(repository, path);
  // A path may be longer than the system takes, and a file stand there all the same.
  const stat = unlessRefused(() => nodeDisk.lstat(full) ?? "none");
  if (stat === "none") return null;
  if (stat === undefined) return { mode: "100644", id: NO_CONTENT };
  if (stat.kind === "link") return { mode: "120000", id: blobName(repository, bytesOfName(nodeDisk.readlink(full))) };
  if (stat.kind !== "file" || !isReadable(full)) return { mode: "100644", id: NO_CONTENT };
  // Of a link that became a file git may say the mode that the link had.
  const isKnown = mode !== undefined && mode.startsWith("100");
  return { mode: isKnown ? mode : nodeDisk.outside.isExecutable(full) ? "100755" : "100644" };
}

/** One file that git may not read would keep it from naming the others. */
function isReadable(path: string): boolean {
  try {
    nodeDisk.close(nodeDisk.open(path, "r"));
    return true;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

/** A line of its own, as git unquotes it. */
function quoted(path: string): string {
  if (!/^"|[\n\r]/.test(path)) return path;
  const escaped = path.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped.replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}
