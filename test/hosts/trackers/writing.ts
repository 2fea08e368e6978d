/**
 * Files of other trackers from random records, each written by the documented form of its tracker. What is written is known
 * word by word: every word is its own, so that a word that is found stands for the place it was written in.
 */
import type { Random } from "../../support/random.ts";

export interface Written {
  /** What `taskfold import` is given, below the folder; the files by their paths. */
  path: string;
  files: Map<string, string>;
  said: Said[];
}

/** Something that a record says. */
export interface Said {
  /** Id there of the record whose plan or task has to say it; without one any of them may. */
  of?: string;
  /** The name that the report uses where it stands nowhere. */
  field: string;
  value: unknown;
  /** Whether its lines keep their order and their ends. */
  isText?: boolean;
  /** Id there of the subtask that says it. */
  by?: string;
  /** Id there of what it depends on, instead of words. */
  dependsOn?: string;
}

const LETTERS = ["plan", "größe", "木材", "слово", "λέξη", "नमस्ते", "ığdır", "שלום", "Ab", "x"];
/** Between words of one line. */
const JOINTS = [
  " ",
  "  ",
  ", ",
  ": ",
  " - ",
  ' "',
  "' ",
  " & ",
  " *",
  " !",
  " %",
  " @",
  " `",
  " {",
  "} ",
  "[",
  "] ",
  " | ",
  " > ",
  " \\",
  "\\n",
  " #",
  "\u00a0",
  "\u200d",
  "\u2066",
  " 👩‍👩‍👧 ",
  "\t",
  " <b>",
  " ~ ",
  "::",
  "=",
  "/",
  "…",
];
/** Between lines of a text. */
const BREAKS = [
  "\n",
  "\n\n",
  "\n- ",
  "\n  - ",
  "\n# ",
  "\n> ",
  "\n1. ",
  "\n    ",
  "\n- [ ] ",
  "\n- [x] ",
  "\n```\n",
  "\n| ",
  "\n\n\n",
];

/** More than a field holds. */
const MAX_LINES = 7000;

export class Writing {
  readonly random: Random;
  #words = 0;

  constructor(random: Random) {
    this.random = random;
  }

  pick<T>(all: readonly T[]): T {
    return all[this.random.below(all.length)]!;
  }

  /** Mostly; so that every field is also left out at times. */
  maybe<T>(value: () => T): T | undefined {
    return this.random.chance(0.7) ? value() : undefined;
  }

  some<T>(most: number, value: (at: number) => T): T[] {
    return Array.from({ length: this.random.below(most + 1) }, (_none, at) => value(at));
  }

  /** One that was never written before. */
  word(): string {
    return `${this.pick(LETTERS)}${++this.#words}q`;
  }

  line(joints: readonly string[] = JOINTS): string {
    let line = this.word();
    const more = this.random.chance(0.03) ? 200 : this.random.below(5);
    for (let n = 0; n < more; n++) line += this.pick(joints) + this.word();
    return line;
  }

  /** Of several lines, and at times very long. */
  text(breaks: readonly string[] = BREAKS, joints: readonly string[] = JOINTS): string {
    let text = this.line(joints);
    const lines = this.random.chance(0.02) ? (this.random.chance(0.1) ? MAX_LINES : 400) : this.random.below(5);
    for (let n = 0; n < lines; n++) text += this.pick(breaks) + this.line(joints);
    return text;
  }

  /** A text as JSON may hold it, with what no text should hold. */
  wild(): string {
    const text = this.text();
    const odd = this.pick(["", "", "", "\u0007", "\u001b[31m", "\ud800", "\u2028", "\u0000", "\ufeff", "\r\n"]);
    return odd === "" ? text : `${text}${odd}${this.word()}`;
  }

  /** A value of any form. */
  value(depth = 0): unknown {
    const forms = depth > 2 ? 4 : 7;
    switch (this.random.below(forms)) {
      case 0:
        return this.wild();
      case 1:
        return this.line();
      case 2:
        return this.number();
      case 3:
        return this.pick([true, null, "", 0.5 + ++this.#words]);
      case 4:
        return this.some(3, () => this.value(depth + 1));
      case 5:
        return Object.fromEntries(this.some(3, () => [this.word(), this.value(depth + 1)]));
      default:
        return this.some(3, () => this.line());
    }
  }

  /** At times with more digits than a double has, as the text of a JSON file: `jsonOf` writes them. */
  number(): unknown {
    const n = 1_000_000 + ++this.#words;
    if (this.random.chance(0.7)) return n;
    return BigInt(`${n}0000000000${n}`);
  }

  stamp(): string {
    const n = ++this.#words;
    return `20${10 + (n % 80)}-0${1 + (n % 9)}-1${n % 10}T1${n % 10}:2${n % 10}:3${n % 10}.${String(n).padStart(6, "0")}Z`;
  }
}

/** The object without its members that are undefined, as a program writes it. */
export function written(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** JSON with large integers as they are. */
export function jsonText(value: unknown, indent?: number): string {
  const mark = (_name: string, one: unknown): unknown => (typeof one === "bigint" ? `\u0001${one}\u0001` : one);
  return JSON.stringify(value, mark, indent).replaceAll(/"\\u0001(\d+)\\u0001"/g, "$1");
}

/** What a record of JSON says, field by field. */
export function saidOf(of: string, record: Record<string, unknown>, but: readonly string[] = []): Said[] {
  return Object.entries(record)
    .filter(([field]) => !but.includes(field))
    .map(([field, value]) => ({ of, field, value }));
}
