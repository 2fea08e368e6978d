/** A section between two marks in a text of people: added at the end, replaced in its place, and taken out again. */
import { TaskfoldError } from "../../errors.ts";
import type { Edited } from "./json_text.ts";
import { newlineOf } from "./json_text.ts";

export interface Marks {
  begin: string;
  end: string;
  /** Whether text before a line leaves that line inside of a quotation, where a mark is none. */
  isQuoted?: (before: string, after: string) => boolean;
}

/** After a text without a last line break the section has none either: so the removal knows what was there. */
export function addSection(text: string | undefined, body: string, marks: Marks): Edited {
  if (text === undefined) return { text: `${sectionOf(body, marks, "\n")}\n` };
  const newline = newlineOf(text);
  const section = sectionOf(body, marks, newline);
  const found = find(text, marks);
  if (found) {
    const replaced = text.slice(0, found.start) + section + text.slice(found.end);
    return replaced === text ? "same" : { text: replaced };
  }
  if (text === "") return { text: section };
  return { text: text.endsWith("\n") ? text + newline + section + newline : text + newline + newline + section };
}

export function removeSection(text: string, marks: Marks): Edited {
  const found = find(text, marks);
  if (!found) return "same";
  const newline = newlineOf(text);
  const before = text.slice(0, found.start);
  const after = text.slice(found.end);
  if (before === "" && after === newline) return { text: undefined };
  const gap = after === "" ? newline + newline : newline;
  const kept = before.endsWith(gap) ? before.slice(0, -gap.length) : before;
  return { text: kept + (after.startsWith(newline) ? after.slice(newline.length) : after) };
}

/** Whether the section, where there is one, holds this text. */
export function isSection(text: string, body: string, marks: Marks): boolean {
  const found = find(text, marks);
  return found === undefined || text.slice(found.start, found.end) === sectionOf(body, marks, newlineOf(text));
}

function sectionOf(body: string, { begin, end }: Marks, newline: string): string {
  return [begin, ...body.split("\n"), end].join(newline);
}

/** From the first mark to the end of the second. Throws INVALID_INPUT where they are not one pair on lines of their own. */
function find(text: string, { begin, end, isQuoted = () => false }: Marks): { start: number; end: number } | undefined {
  const [begins, ends] = [begin, end].map((line) =>
    placesOf(text, line).filter((at) => !isQuoted(text.slice(0, at), text.slice(at))),
  ) as [number[], number[]];
  if (begins.length === 0 && ends.length === 0) return undefined;
  const [start, last] = [begins[0], ends[0]];
  if (begins.length > 1 || ends.length > 1 || start === undefined || last === undefined || last < start) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected one line ${begin} and below it one line ${end}, found ${begins.length} and ${ends.length}.`,
      { recovery: "Take these lines out of the file by hand, with what stands between them." },
    );
  }
  return { start, end: last + end.length };
}

function placesOf(text: string, line: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    const isWhole =
      (at === 0 || "\n\uFEFF".includes(text[at - 1]!)) && /^(?:\r?\n|$)/.test(text.slice(at + line.length));
    if (isWhole) places.push(at);
  }
  return places;
}
