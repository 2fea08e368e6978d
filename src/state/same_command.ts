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

/** The same text for each spelling of a command. A shell that starts a shell with one text runs that text. */
export function commandKey(text: string): string {
  const words = wordsOf(text);
  const given = givenToShell(words, "sh");
  if (given?.acts === false) return commandKey(given.text);
  // The words of a command in a command have quotes of their own, so that one is compared as it is written.
  const parts = isNested(text) ? [{ text: trimmed(text), acts: true }] : words;
  return parts.map((word) => escaped(word.text) + (word.acts ? ACTS : "")).join("\0");
}

/** Whether this is a run of the declared test: of that command, in the root folder, from where `taskfold prove` runs it (PROOF-48). */
export function isRunOfTest({ command, cwd }: { command?: string | null; cwd?: string | null }, test: string): boolean {
  return typeof command === "string" && (cwd ?? ".") === "." && isSameCommand(test, command);
}

/** The same command for a program that starts no shell, in one line: `sh -c '...'` where it takes one. */
export function withoutShell(command: string): string {
  const words = wordsOf(command);
  const first = words[0]?.text ?? "";
  // A shell in a shell is another command to those that compare them (PROOF-42).
  const given = command.includes("\n") ? givenToShell(words, "sh", "bash", "dash") : undefined;
  if (given?.acts === false) return `${first} -c ${quotedLine(given.text)}`;
  // The shell into which the line is put would write names out, and then it runs another command. A shell of a person acts on `!` as well.
  const hasPattern = /[*?[{~#!]/.test(command.replaceAll(IN_QUOTES, "")) || /!/.test(outsideSingle(command));
  const isOfShell = command.includes("\n") || BUILT_IN.test(first);
  const takesShell = hasPattern || isOfShell || words.some(({ acts }) => acts);
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

/** A word without its quotes, or as it is written where a shell acts on it. */
interface Word {
  text: string;
  acts: boolean;
}

/** The text that a shell of one of these names is given. */
function givenToShell([shell, flag, given, ...more]: readonly Word[], ...shells: readonly string[]): Word | undefined {
  return more.length === 0 && flag?.text === "-c" && shells.includes(shell!.text) ? given : undefined;
}

const IN_QUOTES = /\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"/g;
/** Blank, tab and line feed alone part words: a shell takes any other space of Unicode for a letter. */
const WORD = /(?:[^ \t\n'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"|['"\\][^]*)+|\n/g;

/** Stands behind a word upon which the shell acts, and before a sign of a word that would look like it or like an end. */
const ACTS = "\u0001";

function escaped(text: string): string {
  return text.replaceAll(ACTS, ACTS + ACTS).replaceAll("\0", `${ACTS}0`);
}

/**
 * Quoted text, and what a shell acts upon outside of quotes: operators, patterns of file names, lists in braces, a home folder, a comment. A quote
 * that stays open is one of those. A mask of the log is none. It stands in quotes where a program and its arguments were masked, and bare where a line was.
 */
const PARTS =
  /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|['"\\$`&|;<>()\n*?]|\[(?!(?:REDACTED|FORBIDDEN_PATH)\])|\{(?!\})|(?<![^=:])~|^#/g;

/** A shell reads such a word by itself where a command begins. */
const AT_BEGIN = /^(?:\w+\+?=|(?:[!{}]|case|do|done|elif|else|esac|fi|for|if|then|until|while)$)/;

/** Words as a POSIX shell splits them. A text with a quote that stays open has its rest in one word. */
function wordsOf(text: string): Word[] {
  // Behind a word upon which the shell acts, a command may begin anywhere.
  let mayBegin = true;
  let acts = false;
  return (trimmed(text).match(WORD) ?? []).map((word) => {
    const plain = plainWord(word);
    const isOfShell = plain === undefined || (mayBegin && AT_BEGIN.test(word));
    acts ||= isOfShell;
    mayBegin = acts;
    return isOfShell ? { text: word, acts: true } : { text: plain, acts: false };
  });
}

/** The word without its quotes; undefined for one upon which the shell acts. `[` by itself is a program. */
function plainWord(word: string): string | undefined {
  if (word === "[") return word;
  let isPlain = true;
  const plain = word.replaceAll(PARTS, (_all, escapedSign, single, double) => {
    const inDouble = typeof double === "string" ? double : "";
    // A backslash at the end of a line joins two lines.
    const isOfShell = (escapedSign ?? single ?? double) === undefined || escapedSign === "\n";
    if (isOfShell || ACTS_IN_DOUBLE.test(inDouble)) isPlain = false;
    return String(escapedSign ?? single ?? inDouble.replaceAll(/\\(["\\$`])/g, "$1"));
  });
  return isPlain ? plain : undefined;
}

const ACTS_IN_DOUBLE = /^(?:[^\\$`]|\\[^\n])*(?:[$`]|\\\n)/;

/** Whether it holds a command, a value or a text that the shell reads by rules of its own, or a comment. */
function isNested(command: string): boolean {
  const outside = command.replaceAll(IN_QUOTES, "");
  return /<<|(?<![^ \t\n;&|()])#/.test(outside) || /`|\$[({]/.test(outsideSingle(command));
}

/** The text without what stands in single quotes or behind a backslash. */
function outsideSingle(command: string): string {
  return command.replaceAll(IN_QUOTES, (all) => (all.startsWith('"') ? all.replaceAll(/\\[^]/g, "") : ""));
}

/** A blank behind a backslash is part of the last word. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => " \t\n".includes(text.charAt(at));
  let [from, until] = [0, text.length];
  while (from < until && isBlank(from)) from++;
  while (until > from && isBlank(until - 1) && text[until - 2] !== "\\") until--;
  return text.slice(from, until);
}
