/** What an import lost of the records that were written, judged by their words alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "../../../src/hosts/cli/page.ts";
import { json } from "../cli_support.ts";
import type { Said, Written } from "./writing.ts";

interface Report {
  items: { id: string; from: string; came: string }[];
  left_out: { kind: string; name: string; message?: string }[];
  fields: { field: string; place: "description" | "notes" | "nowhere" }[];
}

type Entry = Pick<Page, "target" | "detail"> & { steps: Page["step_list"]; notes: unknown };

interface Event {
  type: string;
  payload: { note?: string; steps?: { id: string; depends_on?: string[] }[] };
}

function eventsOf(cwd: string, id: string): Event[] {
  const lines = readFileSync(join(cwd, ".coco/tasks", id, "events.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Event);
}

/** Takes the files in, and says for each text of them that is nowhere what and where it was. */
export async function judged(cwd: string, source: string, made: Written): Promise<string[]> {
  const { doc } = await json({ cwd }, "import", source, made.path);
  if (doc.error) return [`refused: ${doc.error.message}`];
  const report = doc.result as unknown as Report;
  const { doc: kept } = await json({ cwd }, "export", "json");
  const { entries } = kept.result as unknown as { entries: Entry[] };
  const refused = report.items.filter(({ came }) => came !== "made").map(({ from }) => `not made: ${from}`);
  const isLong = report.fields.some(({ place }) => place === "notes");
  const texts = new Map(
    entries.map((entry) => [entry.target.id, new Kept(entry, eventsOf(cwd, entry.target.id), isLong)]),
  );
  const left = new Set(report.left_out.flatMap(({ name, message = "" }) => wordsIn(`${name} ${message}`)));
  const lost = made.said.filter((said) => {
    if (isNamed(said, report)) return false;
    const homes = homesOf(said, source, report, texts);
    if (said.dependsOn !== undefined) return !homes.some((home) => dependsOn(home, said, report));
    const words = stringsIn(said.value).flatMap((text) => wordsIn(text));
    const isThere = words.every(
      (word) => homes.some((home) => home.words.has(word)) || (said.of === undefined && left.has(word)),
    );
    return !isThere || (said.isText === true && !homes.some((home) => home.text.includes(flat(String(said.value)))));
  });
  return [
    ...refused,
    ...lost.map(
      ({ of = "any", field, value, dependsOn: to }) =>
        `${of}: ${field}: ${to === undefined ? JSON.stringify(stringsIn(value)) : `on ${to}`}`,
    ),
  ];
}

/** A note that holds a piece of what is too long for a description. */
const PART = /^Part \d+ of \d+ of what is long there:\n\n([^]*)$/;

class Kept {
  readonly entry: Entry;
  readonly description: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** The steps that each step was made to wait for; the answers name those that are open. */
  readonly links: ReadonlyMap<string, readonly string[]>;

  /** Its notes are those that the page in its folder has whole, the last ten; all of them where a text is too long for a description. */
  constructor(entry: Entry, events: readonly Event[], isLong: boolean) {
    const notes = events.flatMap(({ payload: { note } }) => (note === undefined ? [] : [note]));
    const long = notes.flatMap((note) => PART.exec(note)?.[1] ?? []).join("");
    this.entry = entry;
    const { detail } = entry;
    this.description = `${detail.description}\n${long}`;
    this.text = flat(stringsIn([{ ...entry, notes: [] }, long, isLong ? notes : notes.slice(-10)]).join("\n"));
    this.words = new Set(wordsIn(this.text));
    const steps = events.flatMap(({ payload }) => payload.steps ?? []);
    this.links = new Map(steps.map(({ id, depends_on: links = [] }) => [id, links]));
  }
}

/** The plan or task of a record. */
function homesOf({ of }: Said, source: string, { items }: Report, texts: ReadonlyMap<string, Kept>): Kept[] {
  if (of === undefined) return [...texts.values()];
  if (source === "markdown")
    return [...texts.values()].filter(({ entry }) => wordsIn(entry.target.title)[0] === wordsIn(of)[0]);
  const own = items.filter(({ from }) => from === of).flatMap(({ id }) => texts.get(id) ?? []);
  // A project, a milestone or an epic is the plan that the task belongs to.
  return own.flatMap((home) => [
    home,
    ...(texts.get(home.entry.target.parent ?? "") ? [texts.get(home.entry.target.parent!)!] : []),
  ]);
}

/** As a link, of the task or between its steps, or in words. */
function dependsOn({ entry, description, links }: Kept, { by, dependsOn: to = "" }: Said, { items }: Report): boolean {
  const ids = items.filter(({ from }) => from === to).map(({ id }) => id);
  if (ids.some((id) => entry.detail.depends_on.includes(id))) return true;
  const told = description.split("\n").filter((line) => /^(?:Depends on|Belongs to): /.test(line));
  if (told.some((line) => line.split(/: |, /).includes(to))) return true;
  // A step is known by the heading of what is said of it.
  const [from, other] = [titleOf(description, by), titleOf(description, to)];
  if (from === undefined || other === undefined) return false;
  const order = `Order of steps there: ${from || "Step "}`;
  if (description.split("\n").some((line) => line.startsWith(order) && line.includes(` after ${other || "Step "}`)))
    return true;
  // A step without a title there is named by its place here.
  const is = (title: string, wanted: string): boolean =>
    title === wanted || (wanted === "" && /^Step \d+$/.test(title));
  const waits = entry.steps.filter(({ title }) => is(title, from)).flatMap(({ step_id: id }) => links.get(id) ?? []);
  return entry.steps.some(({ title, step_id: id }) => is(title, other) && waits.includes(id));
}

function titleOf(description: string, id: string | undefined): string | undefined {
  const end = ` (${id})`;
  const line = description.split("\n").find((one) => one.startsWith("## ") && one.endsWith(end));
  return line?.slice(3, -end.length);
}

/** By the report: a record, a field or a field around it. */
function isNamed({ field }: Said, { fields, left_out: leftOut }: Report): boolean {
  if (leftOut.some(({ name }) => name === field)) return true;
  return fields.some(({ field: one, place }) => {
    if (place !== "nowhere") return false;
    return one === field || one.startsWith(`${field}.`) || field.startsWith(`${one}.`);
  });
}

/** Whether a name is one of the words that were written, and not of the form of a file. */
function isWord(name: string): boolean {
  return /\d+q$/.test(name);
}

/** Every text in a value, and names of members that say something; numbers as they are written. */
function stringsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, one]) =>
      stringsIn(one).flatMap((text) => (isWord(name) ? [name, text] : [text])),
    );
  const isSaid = typeof value === "string" || ["number", "bigint", "boolean"].includes(typeof value);
  return isSaid && value !== "" ? [String(value)] : [];
}

function wordsIn(text: string): string[] {
  const stamps = text.replaceAll(/(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/g, "$1$2$3T$4$5$6");
  return stamps.match(/[\p{L}\p{N}]+/gu) ?? [];
}

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Without what says nothing: blanks at the ends of lines, empty lines, characters that obey. */
function flat(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(CONTROLS, "\ufffd")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}
