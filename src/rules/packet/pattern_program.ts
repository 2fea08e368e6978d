/**
 * A compiled pattern as the instructions of RE2, flat, with the way back from each. re2js parses and compiles; it looks for one match
 * after another, and each search may read to the end of the text. `pattern_spans.ts` reads the text twice, whatever the matches.
 */
import type * as Re2 from "re2js";

/** Kinds of instructions, as re2js numbers them. */
export const OP = {
  ALT: 1,
  ALT_MATCH: 2,
  CAPTURE: 3,
  EMPTY_WIDTH: 4,
  MATCH: 6,
  NOP: 7,
  RUNE: 8,
  RUNE1: 9,
  RUNE_ANY: 10,
  RUNE_ANY_NOT_NL: 11,
} as const;

/** Kinds of a place in a text, as the bits of an instruction of no width ask for them. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

/** The character beside a place. */
export const SIDE = { none: 0, feed: 1, word: 2, other: 3 } as const;
const LINE_FEED = 0x0a;

interface Instruction {
  op: number;
  out: number;
  arg: number;
  runes: ArrayLike<number>;
  matchRune: (codePoint: number) => boolean;
}

/** Characters that the pattern does not tell apart. */
export interface CharacterClass {
  id: number;
  side: number;
  /** Instructions that take such a character. */
  takenBy: readonly number[];
}

export interface PatternProgram {
  size: number;
  start: number;
  op: Uint8Array;
  out: Int32Array;
  arg: Int32Array;
  match: readonly number[];
  /** Instructions that lead to each without a character. */
  before: readonly (readonly number[])[];
  /** Whether places count, and not characters alone. */
  looksAround: boolean;
  classOf: (codePoint: number) => CharacterClass;
}

/** Characters whose class is kept; a text with more of them has the classes looked up again. */
const KEPT = 65_536;

export function programOf(pattern: Re2.RE2JS): PatternProgram {
  const { inst, start } = pattern.re2().prog as { inst: Instruction[]; start: number };
  const before: number[][] = inst.map(() => []);
  const match: number[] = [];
  inst.forEach(({ op, out, arg }, pc) => {
    if (op === OP.MATCH) match.push(pc);
    else if (op === OP.ALT || op === OP.ALT_MATCH) {
      before[out]!.push(pc);
      before[arg]!.push(pc);
    } else if (op === OP.CAPTURE || op === OP.NOP || op === OP.EMPTY_WIDTH) before[out]!.push(pc);
  });
  return {
    size: inst.length,
    start,
    op: Uint8Array.from(inst, ({ op }) => op),
    out: Int32Array.from(inst, ({ out }) => out),
    arg: Int32Array.from(inst, ({ arg }) => arg),
    match,
    before,
    looksAround: inst.some(({ op }) => op === OP.EMPTY_WIDTH),
    classOf: classesOf(inst),
  };
}

/** The bits of a place between two characters. */
export function placeBits(before: number, after: number): number {
  let bits = 0;
  if (before === SIDE.none) bits |= BEGIN_TEXT | BEGIN_LINE;
  if (before === SIDE.feed) bits |= BEGIN_LINE;
  if (after === SIDE.none) bits |= END_TEXT | END_LINE;
  if (after === SIDE.feed) bits |= END_LINE;
  return bits | ((before === SIDE.word) === (after === SIDE.word) ? NO_WORD_BOUNDARY : WORD_BOUNDARY);
}

function classesOf(inst: readonly Instruction[]): (codePoint: number) => CharacterClass {
  const sets = new Map<string, { takes: (codePoint: number) => boolean; by: number[] }>();
  inst.forEach((one, pc) => {
    const takes = takesOf(one);
    if (!takes) return;
    const name = `${one.op} ${one.op >= OP.RUNE_ANY ? "" : `${one.arg} ${Array.from(one.runes).join()}`}`;
    const known = sets.get(name);
    if (known) known.by.push(pc);
    else sets.set(name, { takes, by: [pc] });
  });
  const all = [...sets.values()];
  const classes = new Map<string, CharacterClass>();
  const ascii: (CharacterClass | undefined)[] = Array.from({ length: 128 });
  const kept = new Map<number, CharacterClass>();
  return (codePoint) => {
    const known = codePoint < 128 ? ascii[codePoint] : kept.get(codePoint);
    if (known) return known;
    const taking = all.flatMap(({ takes }, i) => (takes(codePoint) ? [i] : []));
    const side = sideOf(codePoint);
    const name = `${side} ${taking.join()}`;
    let found = classes.get(name);
    if (!found) {
      found = { id: classes.size, side, takenBy: taking.flatMap((i) => all[i]!.by) };
      classes.set(name, found);
    }
    if (kept.size >= KEPT) kept.clear();
    if (codePoint < 128) ascii[codePoint] = found;
    else kept.set(codePoint, found);
    return found;
  };
}

function takesOf(one: Instruction): ((codePoint: number) => boolean) | undefined {
  if (one.op === OP.RUNE_ANY) return () => true;
  if (one.op === OP.RUNE_ANY_NOT_NL) return (codePoint) => codePoint !== LINE_FEED;
  if (one.op === OP.RUNE || one.op === OP.RUNE1) return (codePoint) => one.matchRune(codePoint);
  return undefined;
}

function sideOf(codePoint: number): number {
  if (codePoint === LINE_FEED) return SIDE.feed;
  return codePoint < 128 && /\w/.test(String.fromCharCode(codePoint)) ? SIDE.word : SIDE.other;
}
