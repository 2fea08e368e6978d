/** Checklists in Markdown: a task for each box at the left, steps for those below it, and a plan for each heading above them. */
import { boxIn, dedent, indentOf, isChecked, isLazy, linesOf } from "./checklist.ts";
import type { Box } from "./checklist.ts";
import type { SourceFile, Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, newStep } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { attempt } from "./records.ts";
import { textOf, unreadable } from "./source_text.ts";

const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const CLOSING = /[ \t]+#+[ \t]*$/;
/** Below a line of text they make a heading of it. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const PARAGRAPH = /^ {0,3}(?![-*+>#|=]|\d+[.)])\S/;
const STATES: Record<string, TrackerState> = { x: "done", X: "done", "/": "active", "-": "dropped", "~": "dropped" };
const WORD = /[\p{L}\p{N}]/u;

export const markdown: Tracker = {
  name: "Markdown",
  fields: { title: "box", text: "text", steps: "boxes", tests: "boxes", notes: "text" },
  prefix: "md",
  places: ["."],
  ends: ".md",
  folders: [],
  read: (files) => {
    const leftOut: LeftOut[] = [];
    const pages = files.flatMap((file) => attempt(file.path, leftOut, () => [itemsOf(file)]));
    return {
      items: pages.flatMap(({ items }) => items),
      leftOut: [...leftOut, ...pages.flatMap((page) => page.leftOut)],
    };
  },
};

function itemsOf(file: SourceFile): { items: TrackerItem[]; leftOut: LeftOut[] } {
  const lines = linesOf(textOf(file));
  const conflict = lines.findIndex(({ line, code }) => !code && /^(?:<{7}|>{7}) /.test(line));
  if (conflict !== -1) throw unreadable(file.path, "a checklist", `a conflict that git left in line ${conflict + 1}`);
  const reader = new Reader(file.path);
  for (let at = 0; at < lines.length; at++) {
    const { line, code } = lines[at]!;
    const below = lines[at + 1];
    const isUnderlined = below !== undefined && !below.code && UNDERLINE.test(below.line) && PARAGRAPH.test(line);
    if (reader.line({ line, code, isUnderlined, number: at + 1 })) at++;
  }
  const items = reader.whole();
  return { items, leftOut: items.length === 0 ? [] : reader.leftOut() };
}

interface Line {
  line: string;
  code: boolean;
  /** Whether the line below makes a heading of it. */
  isUnderlined: boolean;
  number: number;
}

interface Prose {
  number: number;
  line: string;
}

class Reader {
  readonly #items: TrackerItem[] = [];
  readonly #file: string;
  readonly #seen = new Map<string, number>();
  #heading = "";
  #headingLine = 0;
  #plan: TrackerItem | undefined;
  #task: TrackerItem | undefined;
  /** The box that a line may go on with. */
  #box: Box | undefined;
  /** The box of a step whose title stands in the text, above what is said of it. */
  #named: Box | undefined;
  #indent = 0;
  #isParagraph = false;
  /** Lines that stand above the next plan, as they are written. */
  #above: Prose[] = [];
  /** Lines that are about the list of a plan. */
  readonly #prose = new Map<TrackerItem, Prose[]>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Whether the line below is of this heading. */
  line({ line, code, isUnderlined, number }: Line): boolean {
    const isLazyLine = this.#isParagraph && this.#task !== undefined && !code && isLazy(line);
    const isHeading = !code && (HEADING.test(line) || (isUnderlined && !isLazyLine));
    const box = code || isHeading ? undefined : boxIn(line);
    if (isHeading) this.#begin(line, number);
    else if (box && box.text !== "") this.#take(box);
    else if (this.#task && (line.trim() === "" || isLazyLine || /^\s/.test(line))) this.#goOn(this.#task, line);
    else this.#aside(line, number);
    this.#isParagraph = !code && !isHeading && line.trim() !== "";
    return isHeading && !HEADING.test(line);
  }

  /** The items with the lines about each plan: between lines that were apart there is an empty one. */
  whole(): TrackerItem[] {
    return this.#items.map((item) => {
      const prose = this.#prose.get(item) ?? [];
      const lines = prose.map(({ number, line }, at) => (number - 1 === prose[at - 1]?.number ? line : `\n${line}`));
      return { ...item, text: (prose.length === 0 ? item.text : lines.join("\n")).trim() };
    });
  }

  /** Lines that say something and stand in no plan and no task. */
  leftOut(): LeftOut[] {
    const textLines = this.#above.filter(({ line }) => WORD.test(line));
    return textLines.map(({ number }) => ({ kind: "text", name: `line ${number} of ${this.#file}` }));
  }

  #begin(line: string, number: number): void {
    this.#heading = line.replace(HEADING, "").replace(CLOSING, "").trim();
    this.#headingLine = number;
    this.#plan = undefined;
    this.#task = undefined;
    this.#above.push({ number, line });
  }

  #take(box: Box): void {
    const task = this.#task;
    this.#box = box;
    if (task && box.indent > this.#indent) {
      const state = STATES[box.mark];
      if (state !== "dropped") task.steps.push(newStep(box.text, { done: isChecked(box) }));
      // A step has no such state.
      if (state === "dropped" || state === "active") this.#say(task, markLine(box));
      return;
    }
    this.#indent = box.indent;
    this.#task = newItem({
      id: this.#idOf(box.text),
      title: box.text,
      state: STATES[box.mark] ?? "open",
      status: `[${box.mark}]`,
      plan: this.#planFor()?.id,
    });
    this.#items.push(this.#task);
  }

  /** A line below a box: what is below that of a step names the step first. */
  #goOn(task: TrackerItem, line: string): void {
    const box = this.#box!;
    const isOfStep =
      box.indent > this.#indent && line.trim() !== "" && (indentOf(line) > box.indent || this.#isParagraph);
    if (isOfStep && this.#named !== box) {
      this.#named = box;
      if (!task.text.endsWith(markLine(box))) this.#say(task, markLine(box));
    }
    this.#say(task, isOfStep ? `  ${dedent(line, box.indent + 2)}` : dedent(line, this.#indent + 2));
  }

  #say(task: TrackerItem, line: string): void {
    task.text = task.text === "" ? line.trim() : `${task.text}\n${line.trimEnd()}`;
  }

  /** A line at the left is about the whole list, whose plan is the heading. */
  #aside(line: string, number: number): void {
    if (line.trim() !== "") this.#task = undefined;
    const prose = this.#plan ? this.#prose.get(this.#plan)! : this.#above;
    prose.push({ number, line });
  }

  #planFor(): TrackerItem | undefined {
    if (this.#heading === "" || this.#plan) return this.#plan;
    this.#plan = newItem({ id: this.#idOf(`# ${this.#heading}`), kind: "plan", title: this.#heading });
    this.#prose.set(
      this.#plan,
      this.#above.filter(({ number }) => number !== this.#headingLine),
    );
    this.#above = [];
    this.#items.push(this.#plan);
    return this.#plan;
  }

  /** Lines move: an item is known by its text, its heading and its file. */
  #idOf(text: string): string {
    const id = [this.#file, this.#heading, text].filter((part) => part !== "").join(": ");
    const count = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, count);
    return count === 1 ? id : `${id} (${count})`;
  }
}

function markLine({ mark, text }: Box): string {
  return `- [${mark}] ${text}`;
}
