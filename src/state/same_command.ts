/** Whether two command lines say the same: a declared test, and what was run for it (PROOF-42). */

/**
 * Quotes and blanks between words make no difference: `npm test -- 'a b'` is `npm  test -- "a b"`. A quoted operator of the shell is none:
 * `true '&&' false` runs `true` alone, with two arguments. Nor is a quoted pattern: `ls '*.bad'` looks for one name.
 */
export function isSameCommand(one: string, other: string): boolean {
  return one === other || commandKey(one) === commandKey(other);
}

/** The same text for each spelling of a command. */
export function commandKey(text: string): string {
  return inShell(text).join("\0");
}

/** Whether this is a run of the declared test: of that command, in the root folder, from where `taskfold prove` runs it (PROOF-49). */
export function isRunOfTest({ command, cwd }: { command?: string | null; cwd?: string | null }, test: string): boolean {
  return typeof command === "string" && (cwd ?? ".") === "." && isSameCommand(test, command);
}

/** The same command for a program that starts no shell, in one line: `sh -c '...'` where it takes one. */
export function withoutShell(command: string): string {
  const words = wordsOf(command);
  const [first = "", ...others] = words;
  // A shell in a shell is another command to those that compare them (PROOF-42).
  const given = command.includes("\n") ? givenToShell(words) : undefined;
  if (given?.includes(ACTS) === false) return `${first} -c ${quotedLine(given)}`;
  // The shell into which the line is put would write names out, and then it runs another command. A shell of a person acts on `!` as well.
  const hasPattern = /[*?[{~#!]/.test(command.replaceAll(IN_QUOTES, ""));
  const isOfShell = command.includes("\n") || BUILT_IN.test(first) || /^\w+=/.test(first);
  const takesShell = hasPattern || isOfShell || [first, ...others].some((word) => word.includes(ACTS));
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

export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Words of a command; of `sh -c '...'` those that the shell is given. */
function inShell(text: string): string[] {
  const words = wordsOf(text);
  const given = givenToShell(words);
  return given === undefined ? words : wordsOf(given);
}

function givenToShell(words: readonly string[]): string | undefined {
  const [shell = "", flag, given] = words;
  return words.length === 3 && flag === "-c" && /^(?:ba|da)?sh$/.test(shell) ? given : undefined;
}

const IN_QUOTES = /\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"/g;
const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+|['"\\][^]*|\n/g;

/** Stands before what the shell acts upon. */
const ACTS = "\u0001";

/**
 * Quoted text, and what a shell acts upon outside of quotes: operators, patterns of file names, lists in braces, a home folder, a comment. A mask
 * of the log is none of those. It stands in quotes where a program and its arguments were masked, and bare where a line was.
 */
const PARTS =
  /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|[$`&|;<>()\n*?]|\[(?!(?:REDACTED|FORBIDDEN_PATH)\])(?=[^\s\]]{1,256}\])|\{(?=[^\s{},]{0,256}(?:,|\.\.))|(?<![^=:])~|^#/g;

/** Words as a POSIX shell splits them. A text with a quote that stays open has its rest as one word. */
function wordsOf(text: string): string[] {
  return (text.trim().match(WORD) ?? []).map((word) =>
    word.replaceAll(PARTS, (all, escaped, plain, quoted) =>
      String(escaped ?? plain ?? (quoted === undefined ? ACTS + all : unquoted(quoted))),
    ),
  );
}

/** Of what stands in double quotes. */
function unquoted(text: string): string {
  return text.replaceAll(/\\(["\\$`])|[$`]/g, (all, escaped) => String(escaped ?? ACTS + all));
}
