/** Files that are not as the commit that is checked out has them. */
import { entriesOf } from "./entries.ts";
import { RULES } from "./ignore_rules.ts";

export const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--no-ahead-behind",
  "--no-renames",
  "--untracked-files=all",
  // A folder that a rule names is one entry.
  "--ignored=matching",
  // Git would look into another repository by the configuration that one has.
  "--ignore-submodules=dirty",
];

export interface Status {
  commit: string | undefined;
  /** Files that are not as the commit has them: `mode id`, or null for those that are gone. */
  files: Map<string, string | null>;
  /** Modes of files whose content git has no name for yet; undefined for new ones. Another repository has no `/` at its end. */
  read: Map<string, string | undefined>;
  /** Files of ignore rules that a rule hides, such as one of their own. */
  rules: string[];
  /** Folders that a rule hides; none has a `/` at its end. */
  ignored: Set<string>;
}

const GONE = "000000";

export function readStatus(output: Buffer): Status {
  const found: Status = { commit: undefined, files: new Map(), read: new Map(), rules: [], ignored: new Set() };
  for (const entry of entriesOf(output)) {
    const kind = entry[0];
    if (kind === "#") {
      const oid = /^# branch\.oid ([0-9a-f]+)$/.exec(entry)?.[1];
      if (oid !== undefined) found.commit = oid;
    } else if (kind === "?") found.read.set(entry.slice(2).replace(/\/$/, ""), undefined);
    else if (kind === "!" && RULES.test(entry.slice(2))) found.rules.push(entry.slice(2));
    else if (kind === "!" && entry.endsWith("/")) found.ignored.add(entry.slice(2, -1));
    else if (kind === "1") readChanged(entry, found);
    else if (kind === "u") {
      // u <xy> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>
      const [path, words] = fieldsOf(entry, 10);
      if (words[6] === GONE) found.files.set(path, null);
      else found.read.set(path, words[6]);
    }
  }
  return found;
}

/** `1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>`; without a change in the work tree the index has the name. */
function readChanged(entry: string, { files, read }: Status): void {
  const [path, words] = fieldsOf(entry, 8);
  const [, xy = "", , , , mode = "", , id] = words;
  if (mode === GONE) files.set(path, null);
  else if (xy[1] === ".") files.set(path, `${mode} ${id}`);
  else read.set(path, mode);
}

/** So many words, each with a blank behind it, and the path. */
function fieldsOf(entry: string, count: number): [path: string, words: string[]] {
  let at = 0;
  const words: string[] = [];
  for (let n = 0; n < count; n++) {
    const end = entry.indexOf(" ", at);
    words.push(entry.slice(at, end));
    at = end + 1;
  }
  return [entry.slice(at), words];
}
