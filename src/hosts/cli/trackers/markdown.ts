/** Checklists in Markdown: a task for each box at the left, steps for those below it, and a plan for each heading above them. */
import { boxIn, isChecked, linesOf } from "./checklist.ts";
import type { Box } from "./checklist.ts";
import type { SourceFile, Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, newStep } from "./item.ts";
import { textOf, unreadable } from "./source_text.ts";

const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const CLOSING = /[ \t]+#+[ \t]*$/;
/** Below a line of text they make a heading of it. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const PARAGRAPH = /^ {0,3}(?![-*+>#|=]|\d+[.)])\S/;
const STATES: Record<string, TrackerState> = { x: "done", X: "done", "/": "active", "-": "dropped", "~": "dropped" };

export const markdown: Tracker = {
  name: "Markdown",
  prefix: "md",
  places: ["."],
  ends: ".md",
  folders: [],
  read: (files) => ({ items: files.flatMap((file) => itemsOf(file)), said: [] }),
};

function itemsOf(file: SourceFile): TrackerItem[] {
  const reader = new Reader(file.path);
  const lines = linesOf(textOf(file));
  const conflict = lines.findIndex(({ line, code }) => !code && /^(?:<{7}|>{7}) /.test(line));
  if (conflict !== -1) throw unreadable(file.path, "a checklist", `a conflict that git left in line ${conflict + 1}`);
  for (const [at, { line, code }] of lines.entries()) {
    const below = lines[at + 1];
    if (!code && below && !below.code && UNDERLINE.test(below.line) && PARAGRAPH.test(line))
      reader.line(`# ${line.trim()}`, false);
    else reader.line(line, code);
  }
  return reader.items;
}

class Reader {
  readonly items: TrackerItem[] = [];
  readonly #file: string;
  readonly #seen = new Map<string, number>();
  #heading = "";
  #plan: string | undefined;
  #task: TrackerItem | undefined;
  #indent = 0;

  constructor(file: string) {
    this.#file = file;
  }

  line(line: string, code: boolean): void {
    if (!code && HEADING.test(line)) return this.#begin(line.replace(HEADING, "").replace(CLOSING, "").trim());
    const box = code ? undefined : boxIn(line);
    if (box && box.text !== "") return this.#box(box);
    const task = this.#task;
    if (!task || line.trim() === "") return;
    const isBelow = /^\s/.test(line);
    if (isBelow) task.text += `${task.text === "" ? "" : "\n"}${line.trim()}`;
    else this.#task = undefined;
  }

  #begin(heading: string): void {
    this.#heading = heading;
    this.#plan = undefined;
    this.#task = undefined;
  }

  #box(box: Box): void {
    const task = this.#task;
    if (task && box.indent > this.#indent) {
      if (STATES[box.mark] === "dropped") task.text += `${task.text === "" ? "" : "\n"}- [${box.mark}] ${box.text}`;
      else task.steps.push(newStep(box.text, { done: isChecked(box) }));
      return;
    }
    this.#indent = box.indent;
    this.#task = newItem({
      id: this.#idOf(box.text),
      title: box.text,
      state: STATES[box.mark] ?? "open",
      status: `[${box.mark}]`,
      plan: this.#planFor(),
    });
    this.items.push(this.#task);
  }

  #planFor(): string | undefined {
    if (this.#heading === "") return undefined;
    if (this.#plan === undefined) {
      this.#plan = this.#idOf(`# ${this.#heading}`);
      this.items.push(newItem({ id: this.#plan, kind: "plan", title: this.#heading }));
    }
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
