/**
 * Attributes of git for what the engine writes below `.coco` (DIR-60, DIR-70 and DIR-60). Logs merge line by line on a clone with
 * nothing installed. Folded files are never merged as text, so a stopped merge leaves them readable. An attribute of the
 * repository, such as the filter of Git LFS, reaches none of them.
 */

/** Values as `git check-attr` prints them: `set`, `unset`, `unspecified`, or a word. */
type Value = string;

/** One line of the file. */
interface Attributed {
  /** Relative to `.coco`. */
  pattern: string;
  /** Words without which a merge goes wrong: another answer of git is a fault. */
  merging: readonly string[];
  /** Words that keep other attributes away: a note while git has no other answer. */
  keeping: readonly string[];
}

/** Names of the merge drivers that `taskfold git install` puts into a clone. */
export const DRIVERS = { log: "taskfold-log", folded: "taskfold", overview: "taskfold-overview" } as const;

const FOLDERS = ["tasks", "archive"];
/** `binary` stands for `-diff -merge -text`, and `crlf` is the old name of `text`. */
const NO_FILTER = ["-filter"];
const SAME_BYTES = ["-ident", "-working-tree-encoding", "-export-subst", "!crlf", "-binary"];
const KEPT = [...NO_FILTER, ...SAME_BYTES];
const GENERATED = ["linguist-generated"];

const LOG: Omit<Attributed, "pattern"> = { merging: ["text", "eol=lf", "merge=union"], keeping: ["diff", ...KEPT] };
const FOLDED: Omit<Attributed, "pattern"> = { merging: ["text", "eol=lf", "-merge"], keeping: ["diff", ...KEPT] };
const BYTES: Omit<Attributed, "pattern"> = { merging: ["-text"], keeping: ["!eol", "!merge", "!diff", ...KEPT] };
/** Written by people: git merges them as text, and line ends are theirs. */
const PEOPLE: Omit<Attributed, "pattern"> = { merging: [], keeping: ["merge", "diff", ...KEPT] };

/** Patterns in a folder of an entity. */
const OF_ENTITY: readonly Attributed[] = [
  { pattern: "events.jsonl", ...LOG },
  ...[
    "task.yaml",
    "README.md",
    "manifest.yaml",
    "shared/evidence/index.json",
    "shared/reports/joined-summary.md",
    "shared/decisions/**",
    "state/**",
    "done/**",
  ].map((pattern) => ({ pattern, ...FOLDED })),
  { pattern: "taskdoc.tsk/**", merging: ["-text", "-merge"], keeping: ["!eol", "diff", ...KEPT] },
  { pattern: "shared/evidence/blobs/**", ...BYTES },
  // Agents may keep large files, so a filter of the repository reaches them: it gives back the bytes that the log names.
  { pattern: "agents/**", merging: ["-text"], keeping: ["!eol", ...SAME_BYTES] },
  { pattern: "inputs/**", ...BYTES },
  { pattern: "outputs/**", ...BYTES },
  { pattern: "shared/human-notes.md", ...PEOPLE },
  { pattern: "shared/context-manifest.yaml", ...PEOPLE },
];

/** The line that the overview needs (PROJ-64). */
const OVERVIEW: Attributed = { pattern: "/README.md", ...FOLDED };

/** Files of the workspace itself. Without them no clone would know its id, or these very attributes. */
const OF_WORKSPACE: readonly Attributed[] = [
  { pattern: "/workspace.yaml", merging: [], keeping: ["text", "eol=lf", "-merge", "diff", ...KEPT] },
  ...["/.gitignore", "/.gitattributes"].map((pattern) => ({
    pattern,
    merging: [],
    keeping: ["text", "eol=lf", "merge", "diff", ...KEPT],
  })),
];

const ATTRIBUTED: readonly Attributed[] = [
  ...OF_WORKSPACE,
  ...FOLDERS.flatMap((folder) => OF_ENTITY.map((one) => ({ ...one, pattern: `${folder}/*/${one.pattern}` }))),
  OVERVIEW,
];

/** Lines of their own, so that a file of an older release has every line that matters for merging (DIR-60). */
const FOLDING: readonly Attributed[] = FOLDERS.flatMap((folder) =>
  ["events.jsonl", "task.yaml", "shared/evidence/index.json"].map((name) => ({
    pattern: `${folder}/*/${name}`,
    merging: [],
    keeping: GENERATED,
  })),
);

/** The text that `init` writes. */
export const GITATTRIBUTES = [
  "# Written by taskfold; each line matters for merging. Keep it on the main branch before you branch.",
  "# Lines of your own may stand below; of two lines for one file git takes the later one.",
  ...ATTRIBUTED.map(lineOf),
  "# Hosts fold what a program wrote in a review; nothing else depends on these.",
  ...FOLDING.map(lineOf),
  "",
].join("\n");

/** Patterns of the files for which a driver of the clone is asked, and which one it is. */
export const DRIVEN: readonly { pattern: string; driver: string }[] = ATTRIBUTED.flatMap(
  (one): { pattern: string; driver: string }[] => {
    const { pattern, merging } = one;
    if (one === OVERVIEW) return [];
    if (merging.includes("merge=union")) return [{ pattern, driver: DRIVERS.log }];
    return merging.includes("-merge") ? [{ pattern, driver: DRIVERS.folded }] : [];
  },
);

function lineOf({ pattern, merging, keeping }: Attributed): string {
  return [pattern, ...merging, ...keeping].join(" ");
}

/** Attributes that change bytes on their way into git and out of it. */
const CONVERTING = ["filter", "ident", "working-tree-encoding"];

/** The attributes that git is asked for. */
export const JUDGED_ATTRIBUTES: readonly string[] = ["text", "eol", "merge", ...CONVERTING, ...GENERATED];

/** One answer that is not as it should be. */
export interface WrongAttribute {
  pattern: string;
  attribute: string;
  expected: Value;
  found: Value;
  /** Whether it does no harm as it is: nothing keeps another attribute away, or hosts fold no file in reviews. */
  info: boolean;
  /** Whether it only folds a file in reviews. */
  isFolding: boolean;
}

/** Paths below `.coco`, of one folder of an entity and of the workspace, for which git is asked. */
export function askedPaths(id: string): string[] {
  return [...new Set(ATTRIBUTED.map(({ pattern }) => pathOf(pattern, id)))];
}

/** The log of an entity below `.coco`, live and archived. */
export function askedLogs(id: string): string[] {
  return FOLDERS.map((folder) => `${folder}/${id}/events.jsonl`);
}

function pathOf(pattern: string, id: string): string {
  return pattern.replace(/^\//, "").replace("*", id).replace("**", "file");
}

/**
 * Judges what git says: `answers` has for each path below `.coco` the value of each of JUDGED_ATTRIBUTES. Each wrong value of a pattern
 * is told once.
 */
export function judgeAnswers(
  answers: ReadonlyMap<string, ReadonlyMap<string, Value>>,
  isOverviewOn: boolean,
): WrongAttribute[] {
  const wrong = new Map<string, WrongAttribute>();
  for (const [path, values] of answers) {
    for (const one of attributedTo(path, isOverviewOn)) {
      for (const [attribute, expected] of wordsOf(one)) {
        if (!JUDGED_ATTRIBUTES.includes(attribute)) continue;
        const found = values.get(attribute) ?? "unspecified";
        const isMerging = one.merging.some((word) => valueOf(word)[0] === attribute);
        if (isAccepted(one, attribute, { expected, found, isMerging })) continue;
        const key = [one.pattern, attribute, found].join(" ");
        const info = !isMerging && (found === "unspecified" || !CONVERTING.includes(attribute));
        const isFolding = FOLDING.includes(one);
        wrong.set(key, { pattern: one.pattern, attribute, expected, found, info, isFolding });
      }
    }
  }
  return [...wrong.values()];
}

function attributedTo(path: string, isOverviewOn: boolean): Attributed[] {
  const [folder = "", id, ...rest] = path.split("/");
  const pattern = id === undefined ? `/${folder}` : `${folder}/*/${rest.join("/")}`;
  const is = (one: Attributed): boolean =>
    (one.pattern === pattern || one.pattern === pattern.replace(/\/file$/, "/**")) &&
    (isOverviewOn || one !== OVERVIEW);
  return [...ATTRIBUTED, ...FOLDING].filter(is);
}

interface Answer {
  expected: Value;
  found: Value;
  isMerging: boolean;
}

function isAccepted({ merging }: Attributed, attribute: string, { expected, found, isMerging }: Answer): boolean {
  if (found === expected) return true;
  // A driver of this clone merges as well as what it stands for.
  if (attribute === "merge" && isMerging)
    return merging.includes("merge=union")
      ? found === DRIVERS.log
      : [DRIVERS.folded, DRIVERS.overview].some((name) => name === found);
  // Nothing depends on the rest, such as the line ends of people's files: people choose.
  if (isMerging || CONVERTING.includes(attribute)) return false;
  return !GENERATED.includes(attribute) || found !== "unspecified";
}

/** Judges the text of `.coco/.gitattributes` where there is no git: each pattern by all of its lines. */
export function judgeText(text: string, isOverviewOn: boolean): WrongAttribute[] {
  const lines = linesOf(text);
  return [...ATTRIBUTED, ...FOLDING].flatMap((one) => {
    if (one === OVERVIEW && !isOverviewOn) return [];
    const found = new Map<string, Value>();
    for (const { pattern, words } of lines) {
      if (pattern === one.pattern) for (const word of words) found.set(...valueOf(word));
    }
    return [...wordsOf(one)].flatMap(([attribute, expected]): WrongAttribute[] => {
      const value = found.get(attribute) ?? "unspecified";
      if (value === expected || (!JUDGED_ATTRIBUTES.includes(attribute) && value !== "unspecified")) return [];
      const info = !one.merging.some((word) => valueOf(word)[0] === attribute);
      return [{ pattern: one.pattern, attribute, expected, found: value, info, isFolding: FOLDING.includes(one) }];
    });
  });
}

/** The text with lines at its end for those of these patterns that its own lines do not decide; null where it needs none. */
export function completed(text: string, patterns: ReadonlySet<string>): string | null {
  const own = new Set([...ATTRIBUTED, ...FOLDING].map(lineOf));
  const lines = linesOf(text);
  // Behind it stand lines of ours alone, so the line is the last word of this file.
  const isDecided = (line: string): boolean => {
    const at = lines.findLastIndex((one) => one.line === line);
    return at >= 0 && lines.slice(at).every((one) => own.has(one.line));
  };
  const wanted = [...ATTRIBUTED, ...FOLDING].filter(({ pattern }) => patterns.has(pattern)).map(lineOf);
  const added = wanted.filter((line) => !isDecided(line));
  if (added.length === 0) return null;
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${end}${added.join("\n")}\n`;
}

/** The pattern of the overview's line. */
export const OVERVIEW_PATTERN = OVERVIEW.pattern;

function linesOf(text: string): { line: string; pattern: string; words: string[] }[] {
  return text.split(/\r?\n/).flatMap((raw) => {
    const line = raw.trim();
    const [pattern = "", ...words] = line.split(/\s+/);
    return line === "" || line.startsWith("#") ? [] : [{ line, pattern, words }];
  });
}

function wordsOf({ merging, keeping }: Attributed): Map<string, Value> {
  return new Map([...merging, ...keeping].map(valueOf));
}

function valueOf(word: string): [attribute: string, value: Value] {
  if (word.startsWith("-")) return [word.slice(1), "unset"];
  if (word.startsWith("!")) return [word.slice(1), "unspecified"];
  const at = word.indexOf("=");
  return at < 0 ? [word, "set"] : [word.slice(0, at), word.slice(at + 1)];
}
