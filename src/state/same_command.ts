/** Whether two command lines say the same: a declared test, and what was run for it (PROOF-42). */
import { quoted } from "./shell_quote.ts";

/**
 * Blanks between words make no difference, and quotes around a word upon which no shell acts make none: `npm test -- 'a b'` is
 * `npm  test -- "a b"`. Any other word is compared as it is written, because a quote or a backslash there may make it another command. Another way to
 * write such a word costs a second run.
 */
export function isSameCommand(one: string, other: string): boolean {
  return one === other || commandKey(one) === commandKey(other);
}

/** The same text for each spelling of a command. */
export function commandKey(text: string): string {
  const words = wordsOf(text);
  const given = givenToShell(words, "sh");
  return given === undefined || given.endsWith(ACTS) ? keyOf(text, words) : keyOf(given, wordsOf(given));
}

/** The words of a command in a command have quotes of their own, so that one is compared as it is written. */
function keyOf(command: string, words: readonly string[]): string {
  return isNested(command) ? trimmed(command) + ACTS : words.join("\0");
}

/** Whether this is a run of the declared test: of that command, in the root folder, from where `taskfold prove` runs it (PROOF-49). */
export function isRunOfTest({ command, cwd }: { command?: string | null; cwd?: string | null }, test: string): boolean {
  return typeof command === "string" && (cwd ?? ".") === "." && isSameCommand(test, command);
}

/** The same command for a program that starts no shell, in one line: `sh -c '...'` where it takes one. */
export function withoutShell(command: string): string {
  const words = wordsOf(command);
  const [first = ""] = words;
  // A shell in a shell is another command to those that compare them (PROOF-42).
  const given = command.includes("\n") ? givenToShell(words, "sh", "bash", "dash") : undefined;
  if (given?.endsWith(ACTS) === false) return `${first} -c ${quotedLine(given)}`;
  // The shell into which the line is put would write names out, and then it runs another command. A shell of a person acts on `!` as well.
  const hasPattern = /[*?[{~#!]/.test(command.replaceAll(IN_QUOTES, ""));
  const isOfShell = command.includes("\n") || BUILT_IN.test(first) || /^\w+=/.test(first);
  const takesShell = hasPattern || isOfShell || words.some((word) => word.endsWith(ACTS));
  return takesShell ? `sh -c ${quotedLine(command)}` : command;
}

/** No program has this name: the shell itself does it. */
const BUILT_IN =
  /^(?:[.:]|alias|cd|command|eval|exec|exit|export|hash|read|readonly|set|shift|source|times|trap|type|ulimit|umask|unset|wait)$/;

/** A line with an end in it is two lines where it is shown. */
function quotedLine(text: string): string {
  const lines = text.split("\n").map(quoted);
  return lines.length === 1 ? lines[0]! : `"$(printf '%s\\n' ${lines.join(" ")})"`;
}

/** The text that a shell of one of these names is given. */
function givenToShell(words: readonly string[], ...shells: readonly string[]): string | undefined {
  const [shell = "", flag, given] = words;
  return words.length === 3 && flag === "-c" && shells.includes(shell) ? given : undefined;
}

const IN_QUOTES = /\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"/g;
/** Blank, tab and line feed alone part words: a shell takes any other space of Unicode for a letter. */
const WORD = /(?:[^ \t\n'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+|['"\\][^]*|\n/g;

/** Stands behind a word upon which the shell acts. */
const ACTS = "\u0001";

/**
 * Quoted text, and what a shell acts upon outside of quotes: operators, patterns of file names, lists in braces, a home folder, a comment. A quote
 * that stays open is one of those. A mask of the log is none. It stands in quotes where a program and its arguments were masked, and bare where a line was.
 */
const PARTS =
  /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|['"\\$`&|;<>()\n*?]|\[(?!(?:REDACTED|FORBIDDEN_PATH)\])(?=[^\s\]]{1,256}\])|\{(?=[^\s{},]{0,256}(?:,|\.\.))|(?<![^=:])~|^#/g;

/** A shell reads such a word by itself where a command begins. */
const AT_BEGIN = /^(?:\w+\+?=|(?:[!{}]|case|do|done|elif|else|esac|fi|for|if|then|until|while)$)/;

/** Words as a POSIX shell splits them. A text with a quote that stays open has its rest as one word. */
function wordsOf(text: string): string[] {
  // Behind a word upon which the shell acts, a command may begin anywhere.
  let mayBegin = true;
  let acts = false;
  return (trimmed(text).match(WORD) ?? []).map((word) => {
    const plain = plainWord(word);
    const isOfShell = plain === undefined || (mayBegin && AT_BEGIN.test(word));
    acts ||= isOfShell;
    mayBegin = acts;
    return isOfShell ? word + ACTS : plain;
  });
}

/** The word without its quotes; undefined for one upon which the shell acts. */
function plainWord(word: string): string | undefined {
  let isPlain = true;
  const plain = word.replaceAll(PARTS, (_all, escaped, single, double) => {
    const inDouble = typeof double === "string" ? double : "";
    // A backslash at the end of a line joins two lines.
    if ((escaped ?? single ?? double) === undefined || escaped === "\n" || ACTS_IN_DOUBLE.test(inDouble))
      isPlain = false;
    return String(escaped ?? single ?? inDouble.replaceAll(/\\(["\\$`])/g, "$1"));
  });
  return isPlain ? plain : undefined;
}

const ACTS_IN_DOUBLE = /^(?:[^\\$`]|\\[^\n])*(?:[$`]|\\\n)/;

/** Whether it holds a command, a value or a text that the shell reads by rules of its own, or a comment. */
function isNested(command: string): boolean {
  const outside = command.replaceAll(IN_QUOTES, "");
  const expanded = command.replaceAll(IN_QUOTES, (all) => (all.startsWith('"') ? all.replaceAll(/\\[^]/g, "") : ""));
  return /<<|(?<![^ \t\n;&|()])#/.test(outside) || /`|\$[({]/.test(expanded);
}

/** A blank behind a backslash is part of the last word. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => " \t\n".includes(text.charAt(at));
  let [from, until] = [0, text.length];
  while (from < until && isBlank(from)) from++;
  while (until > from && isBlank(until - 1) && text[until - 2] !== "\\") until--;
  return text.slice(from, until);
}
