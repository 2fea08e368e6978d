/** What a stage does to git itself, seen as changes of files below `.git` (PACKET-285). */
import type { GitPort } from "../engine/git_port.ts";
import type { Mark } from "./work_tree.ts";

const DIGITS = 12;

/** By content: tools write the configuration anew without a change. */
export function controlMarks(git: GitPort | undefined): [string, Mark][] {
  return (git?.controlFiles() ?? []).map(({ path, sha256 }) => {
    const part = (n: number): number => Number.parseInt(sha256.slice(n * DIGITS, (n + 1) * DIGITS), 16);
    return [path, [part(0), part(1), part(2), part(3)]];
  });
}
