import { readMarkdown, sectionOf, type Heading, type MarkdownText } from "../../state/outline.ts";
import { shellEnd } from "./shell_text.ts";

export interface HandOff {
  /** The new context pack, with line feeds; null: the brief has none. */
  pack: string | null;
  /** The commands that verify the work; null: the commands of the manifest count. */
  commands: string[] | null;
}

/** Returns the parts of a brief for the stages behind it (PACKET-75, PACKET-77 and PACKET-79). */
export function handOff(brief: string): HandOff {
  const text = readMarkdown(brief);
  return { pack: packOf(text), commands: commandsBelow(text, briefSection(text, "Verify Commands")) };
}

/**
 * Returns the commands that verify the work by a context pack, where the section may stand at level 3 as well
 * (PACKET-212).
 */
export function packCommands(pack: string): string[] {
  const text = readMarkdown(pack);
  const isHead = ({ level, title }: Heading): boolean =>
    (level === 2 || level === 3) && loose(title) === "verify commands";
  return commandsBelow(text, text.headings.find(isHead)) ?? [];
}

/** Lines of the updated context pack: [from, to); null where the brief has no such heading. */
export function packRange(text: MarkdownText): { from: number; to: number } | null {
  const head = briefSection(text, "Updated Context Pack");
  if (!head) return null;
  const below = text.headings.filter(({ line, level }) => line > head.line && level <= 2);
  const stop = below.find(isUnnumbered)?.line ?? text.lines.length;
  const first = below.find((one) => isNumbered(one) && one.line < stop);
  if (!first) return { from: head.line + 1, to: below[0]?.line ?? text.lines.length };
  const to = below.find((one) => one.line > first.line && !isNumbered(one))?.line ?? text.lines.length;
  return { from: first.line, to };
}

/** `## 4. Fixed decisions`. */
function isNumbered({ level, title }: Heading): boolean {
  return level === 2 && /^\d+[.)](?:\s|$)/.test(title);
}

/** A title above the numbered headings belongs to the pack; another section of the brief ends it. */
function isUnnumbered(heading: Heading): boolean {
  return heading.level === 2 && !isNumbered(heading);
}

/** The section that the gate asked for, or the nearest to it in a brief that no gate judged. */
function briefSection({ headings }: MarkdownText, title: string): Heading | undefined {
  const ofLevel = headings.filter(({ level }) => level === 2);
  return ofLevel.find((one) => one.title === title) ?? ofLevel.find((one) => loose(one.title) === loose(title));
}

/** A title in lower case and without its number. */
function loose(title: string): string {
  return title.replace(/^\d+[.)]\s*/, "").toLowerCase();
}

function packOf(text: MarkdownText): string | null {
  const range = packRange(text);
  if (!range) return null;
  const pack = text.lines.slice(range.from, range.to).join("\n").replace(/^\n+/, "").trimEnd();
  return pack.trim() === "" ? null : `${pack}\n`;
}

function commandsBelow(text: MarkdownText, head: Heading | undefined): string[] | null {
  if (!head) return null;
  const { from, to } = sectionOf(text, head);
  const block = text.blocks.find(({ line }) => line >= from && line < to);
  // A block without an end holds the rest of the brief, and that is no list of commands.
  if (!block?.closed) return null;
  const commands = inPlace(joined(block.lines));
  return commands.length > 0 ? commands : null;
}

/** Commands of a brief that no shell could run: they never end, or close what they did not open. */
export function brokenCommands(text: MarkdownText): string[] {
  const commands = commandsBelow(text, briefSection(text, "Verify Commands")) ?? [];
  return commands.filter((command) => shellEnd(command) !== "whole");
}

/**
 * Commands that change the shell and nothing else. Each command has a shell of its own, so it stands before every later
 * one.
 */
const CHANGES_SHELL =
  /^(?:cd|export|set|umask|source|\.)(?:[ \t][^;&|<>`\n()#\\]*)?$|^(?:[A-Za-z_]\w*=[^\s;&|<>()`#\\]*[ \t]*)+$/;

function inPlace(commands: readonly string[]): string[] {
  const before: string[] = [];
  const placed = commands.flatMap((command) => {
    const text = [...before, command].join(" || exit; ");
    if (!CHANGES_SHELL.test(command)) return [text];
    before.push(command);
    return [];
  });
  return placed.length > 0 ? placed : [...commands];
}

const PROMPT = /^\s*\$[ \t]+(?=\S)/;

/**
 * Returns lines as a shell reads them. A backslash at the end joins the next line, an open quote or block goes on, and
 * a comment is no command. Where the first line has the prompt of a console, lines without it are what the commands
 * printed.
 */
function joined(lines: readonly string[]): string[] {
  const commands: string[] = [];
  const isConsole = PROMPT.test(lines.find((line) => !/^\s*(?:#|$)/.test(line)) ?? "");
  let begun: { text: string; isJoined: boolean } | null = null;
  for (const line of lines) {
    if (begun === null && (/^\s*(?:#|$)/.test(line) || (isConsole && !PROMPT.test(line)))) continue;
    const text: string = begun === null ? line.replace(PROMPT, "").trim() : nextLine(begun, line);
    const isJoined = goesOn(text);
    const rest = isJoined ? text.slice(0, -1) : text;
    begun = isJoined || shellEnd(text) === "open" ? { text: rest, isJoined } : null;
    if (begun === null) commands.push(text.trim());
  }
  if (begun !== null) commands.push(begun.text.trim());
  return commands.filter((command) => command !== "");
}

function nextLine({ text, isJoined }: { text: string; isJoined: boolean }, line: string): string {
  return isJoined ? join(text, line.trimEnd()) : `${text}\n${line.trimEnd()}`;
}

/** The shell puts nothing between the two; outside of quotes one blank says as much as many. */
function join(before: string, line: string): string {
  const inQuotes = /['"]/.test(before);
  return !inQuotes && /\s$/.test(before) ? `${before.trimEnd()} ${line.trimStart()}` : `${before}${line}`;
}

/** Whether the last backslash escapes the end of the line and no backslash escapes it. */
function goesOn(text: string): boolean {
  let count = 0;
  while (text[text.length - 1 - count] === "\\") count++;
  return count % 2 === 1;
}
