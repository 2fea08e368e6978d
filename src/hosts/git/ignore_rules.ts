/**
 * The rules by which git hides new files, as one list for the top of the work tree. Git reads its rules from files that
 * a program may change, hide by a rule of their own, or remove. This list keeps their earlier text.
 */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { bytesOfName } from "../../name_bytes.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import type { IgnoreRules } from "../../engine/core/git_port.ts";
import type { Repository } from "./repository.ts";
import { makeFolder, removeAll, written } from "./private_folder.ts";
import { tooLarge } from "./run_git.ts";
import type { UserSettings } from "./user_settings.ts";

const NAME = ".gitignore";
/** The name of a file of rules, at the end of its path. */
export const RULES = /(?<=^|\/)\.gitignore$/;
const MAX_BYTES = 4 * 1024 * 1024;

/** `folders`: those that may have rules, from the top of the work tree on, with `/` at the end; the top is an empty text. */
export function ignoreRules(
  { top, common }: Repository,
  { ignoreCase, excludes }: UserSettings,
  folders: Iterable<string>,
): IgnoreRules {
  const patterns = sharedRules({ common }, excludes) + ownRules(top, folders);
  if (patterns.length <= MAX_BYTES) return { patterns, ignoreCase };
  throw tooLarge(`Expected at most ${MAX_BYTES} bytes of ignore rules, found ${patterns.length}.`);
}

/** Those of no folder. `excludes`: the file of `core.excludesFile`. */
export function sharedRules({ common }: Pick<Repository, "common">, excludes: string | undefined): string {
  const files = [excludes, join(common, "info/exclude")];
  return files.map((path) => anchored("", (path && readRules(path)) || "")).join("");
}

/** Those of the `.gitignore` of these folders. */
export function ownRules(top: string, folders: Iterable<string>): string {
  // Of two rules for one file git takes that of the deeper folder, and in one list the later one.
  const own = [...new Set(folders)].toSorted().map((folder) => {
    const path = join(top, folder, NAME);
    // Git follows no link there, and has no rules from a folder that is kept from this user.
    return unlessRefused(() => nodeDisk.lstat(path))?.kind === "file" ? anchored(folder, readRules(path) ?? "") : "";
  });
  return own.join("");
}

/** One character for each byte; undefined where there is no such file. */
export function readRules(path: string): string | undefined {
  try {
    if (nodeDisk.outside.stat(path)?.kind !== "file") return undefined;
    return nodeDisk.outside.readFile(path, MAX_BYTES).toString("latin1");
  } catch (e) {
    if (errnoOf(e) === "EOVERFLOW") throw tooLarge(`Expected at most ${MAX_BYTES} bytes of ignore rules in ${path}.`);
    // Rules that this user may not read are none for git either.
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

const BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

/** The rules of one folder, each as a line that means the same at the top of the work tree. */
function anchored(folder: string, text: string): string {
  // No line of a list can name such a folder.
  if (folder.includes("\n")) return "";
  const lines = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text).split("\n");
  return lines.map((line) => ruleAt(folder, line)).join("");
}

function ruleAt(folder: string, line: string): string {
  if (line.startsWith("#")) return "";
  const rule = withoutBlanks(line.split("\0")[0]!.replace(/\r$/, ""));
  const not = rule.startsWith("!") ? "!" : "";
  const pattern = rule.slice(not.length);
  // Behind the folder's name an empty pattern would match all that the folder holds.
  if (/^\/*$/.test(pattern)) return "";
  if (folder === "") return `${rule}\n`;
  const anyDepth = pattern.slice(0, -1).includes("/") ? "" : "**/";
  return `${not}/${literal(folder)}${anyDepth}${pattern.replace(/^\//, "")}\n`;
}

/** Git takes blanks at the end for nothing, unless a backslash stands before them. */
function withoutBlanks(rule: string): string {
  return /^(?:\\[^]|[^\\ ]|\\$| +(?=[^ ]))*/.exec(rule)![0];
}

function literal(folder: string): string {
  return escaped(bytesOfName(folder).toString("latin1"));
}

/** A path that a rule takes letter by letter. */
export function escaped(path: string): string {
  return path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}

/** The rules as a file: git reads none from a pipe. */
export function withRules<T>(text: string, use: (file: string) => T): T {
  const folder = makeFolder();
  try {
    // At the beginning of a file git drops a byte order mark; here it is part of a pattern.
    return use(written(join(folder, "rules"), [Buffer.from(`\n${text}`, "latin1")]));
  } finally {
    removeAll(folder);
  }
}
