/** Shows changed tasks to a review: sentences for a terminal, and Markdown in which texts of users are code and nothing else. */
import type { Part, Sentence, ShownFile, TaskDiff } from "../../../engine/query/task_diff.ts";
import type { Warning } from "../../../errors.ts";
import { heading, sentences } from "./layout.ts";
import type { Look } from "./look.ts";
import { safeLine } from "./safe_text.ts";

export interface NamedDiff extends TaskDiff {
  id: string;
}

/** Of a text that users wrote, in characters. */
const MAX_SHOWN = 200;

const CHANGES: Record<TaskDiff["change"], string> = {
  created: "new",
  changed: "changed",
  archived: "archived",
  deleted: "deleted",
  restored: "back from the archive",
  removed: "gone",
};

export function diffText(
  diffs: readonly NamedDiff[],
  { colors, columns: wide }: Pick<Look, "colors" | "columns">,
  notCompared: number,
): string {
  if (diffs.length === 0) return notCompared > 0 ? "" : "No plan or task changed.\n";
  return diffs
    .map((diff) => {
      const head = heading(diff.id, diff.title, `${CHANGES[diff.change]}${statusText(diff)}`, colors, wide);
      const lines = [...diff.sentences.map(plain), ...byLine(diff, (by) => safeLine(by))];
      return head + sentences(lines.map((line) => `  ${line}\n`).join(""), wide);
    })
    .join("\n");
}

/** `below`: the address below which the files of the workspace stand, where texts lead to their files. */
export function diffMarkdown(diffs: readonly NamedDiff[], warnings: readonly Warning[], below?: string): string {
  if (diffs.length + warnings.length === 0) return "No plan or task changed.\n";
  return [
    ...sumMarkdown(diffs),
    ...diffs.map((diff) => taskMarkdown(diff, below)),
    ...warnings.map(({ message }) => `${code(message)}\n`),
  ].join("\n");
}

/** A review asks for this line first. */
function sumMarkdown(diffs: readonly NamedDiff[]): string[] {
  if (diffs.length === 0) return [];
  const sum = (of: (diff: NamedDiff) => number): number => diffs.reduce((all, diff) => all + of(diff), 0);
  const [done, proved] = [sum((diff) => diff.sum.done), sum((diff) => diff.sum.proved)];
  const proof = done === 0 ? "" : `, ${proved === done ? "" : `${proved} `}with captured tests`;
  const countText = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  const parts = [
    ...countText(
      sum(({ kind }) => Number(kind === "plan")),
      "plan",
      "plans",
    ),
    ...countText(
      sum(({ kind }) => Number(kind === "task")),
      "task",
      "tasks",
    ),
    ...countText(done, "step done", "steps done").map((text) => text + proof),
    ...countText(
      sum((diff) => diff.sum.failed),
      "run failed",
      "runs failed",
    ),
    ...countText(
      sum((diff) => diff.sum.blocked),
      "step blocked",
      "steps blocked",
    ),
    ...countText(
      sum(({ conflicts }) => conflicts.length),
      "open conflict",
      "open conflicts",
    ),
  ];
  return [`**${parts.join("; ")}**\n`];
}

function taskMarkdown(diff: NamedDiff, below: string | undefined): string {
  const show = (part: Part): string => (typeof part === "string" ? part : linked(part, diff, below));
  const id = show({ text: diff.id, file: { path: "./README.md" } });
  const head = `#### ${id} ${code(diff.title)} (${CHANGES[diff.change]}${statusText(diff)})`;
  const lines = diff.sentences.map((sentence) => `- ${sentence.map(show).join("")}`);
  return [head, "", ...lines, ...byLine(diff, code).map((line) => `- ${line}`), ""].join("\n");
}

/** A sentence as plain text, for programs too. */
export function plain(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : JSON.stringify(shortened(part)))).join("");
}

function statusText({ status: { before, after } }: TaskDiff): string {
  const words = [...new Set([before, after])].filter((word) => word !== null);
  return words.length === 0 ? "" : `, ${words.join(" → ")}`;
}

function byLine({ by, events }: TaskDiff, show: (by: string) => string): string[] {
  if (events.added === 0) return [];
  return [`${events.added === 1 ? "1 event" : `${events.added} events`} by ${by.map(show).join(", ")}.`];
}

function linked({ text, file }: Exclude<Part, string>, diff: NamedDiff, below: string | undefined): string {
  const address = file && below !== undefined ? addressOf(file, diff, below) : undefined;
  return address === undefined ? code(text) : `[${code(text)}](${address})`;
}

/** Characters of a link: a path that takes more is named and leads nowhere, so no path fills a comment. */
const MAX_ADDRESS = 500;

/** Undefined for a path that does not stay below the address: a browser would follow its `..` to another place. */
function addressOf({ path, lines }: ShownFile, { id, place }: NamedDiff, below: string): string | undefined {
  if (place === null) return undefined;
  const whole = path.startsWith("./") ? `.coco/${place}/${id}/${path.slice(2)}` : path;
  const names = whole.split("/");
  if (names.some((name) => ["", ".", ".."].includes(name))) return undefined;
  const address = `${below}/${names.map(encoded).join("/")}${lines ? `#L${lines[0]}-L${lines[1]}` : ""}`;
  return address.length > MAX_ADDRESS ? undefined : address;
}

/** Markdown gives a meaning to these, too. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/[!'()*_~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * A code span holds no Markdown, no HTML, no mention and no reference. Its fence is longer than any run of backticks in the text, and
 * no line ends inside of it.
 */
export function code(text: string): string {
  const line = shortened({ text }).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "` `";
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

function shortened({ text }: { text: string }): string {
  const line = safeLine(text);
  const characters = Array.from(line);
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join("")}...` : line;
}
