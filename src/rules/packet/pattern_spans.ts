/**
 * Where a pattern matches in a text, in work that grows with the text and with the size of the pattern alone. A first pass goes from
 * the end of the text to its beginning, and keeps which instructions lead to a match from each place. A second pass goes forward and
 * takes at each place the first choice that leads to one, so that it never reads on in vain.
 */
import type { PatternProgram } from "./pattern_program.ts";
import { OP, placeBits, SIDE } from "./pattern_program.ts";
import type { Span } from "./secrets.ts";

/** Instructions that lead to a match from a place, and what they are before each class of character. */
interface Leads {
  bits: Uint32Array;
  /** Whether a match begins here. */
  starts: boolean;
  before: (Leads | undefined)[];
}

/** Characters of a block, of which the second pass keeps what leads to a match; fewer for a large pattern. */
const BLOCK = 4096;
const LEAST_BLOCK = 256;
/** Steps of a block: what others may wait for. */
export const STEPS_OF_BLOCK = 500_000;
/** Sets that are kept from one block to the next. */
const KEPT = 2000;

/**
 * Every match that is not empty, as one search after another finds them: the leftmost, of these the one that the pattern prefers.
 * Yields the steps that each block took.
 */
export function* patternSpans(program: PatternProgram, text: string): Generator<number, Span[]> {
  const search = new Search(program, text);
  const ends = search.blockEnds();
  const behind: Leads[] = [];
  const matches: boolean[] = [];
  let leads = search.atEnd();
  for (let block = ends.length - 1; block >= 0; block--) {
    behind[block] = leads;
    const from = ends[block - 1] ?? 0;
    const found = search.back(from, ends[block]!, leads);
    matches[block] = found.starts;
    leads = found.leads;
    yield search.took();
  }
  const spans: Span[] = [];
  let at = 0;
  let open: number | null = null;
  let start = 0;
  for (let block = 0; block < ends.length; block++) {
    const from = ends[block - 1] ?? 0;
    const end = ends[block]!;
    if (open === null && !matches[block]) {
      at = end;
      continue;
    }
    search.back(from, end, behind[block]!, true);
    while (at < end) {
      if (open === null) {
        if (!search.startsAt(at - from)) {
          at = search.after(at);
          continue;
        }
        start = at;
        open = program.start;
      }
      open = search.step(open, at - from);
      if (open !== null) at = search.after(at);
      else if (at > start) spans.push({ start, end: at });
      else at = search.after(at);
    }
    yield search.took();
  }
  // Each step led to a match, so this one ends with the text.
  if (open !== null) spans.push({ start, end: text.length });
  return spans;
}

class Search {
  readonly #program: PatternProgram;
  readonly #text: string;
  readonly #seen: Uint32Array;
  readonly #stack: number[] = [];
  #round = 0;
  #kept = new Map<string, Leads>();
  /** Of each place of the block that was read last. */
  #block: (Leads | undefined)[] = [];
  #steps = 0;

  constructor(program: PatternProgram, text: string) {
    this.#program = program;
    this.#text = text;
    this.#seen = new Uint32Array(program.size);
  }

  took(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  blockEnds(): number[] {
    const size = Math.max(LEAST_BLOCK, Math.min(BLOCK, Math.floor(STEPS_OF_BLOCK / this.#program.size)));
    const ends: number[] = [];
    for (let end = 0; end < this.#text.length; ends.push(end)) {
      end = Math.min(end + size, this.#text.length);
      if (this.#isWithin(end)) end++;
    }
    return ends;
  }

  /** The instructions that lead to a match at the end of the text. */
  atEnd(): Leads {
    const { length } = this.#text;
    return this.#closed([], placeBits(length === 0 ? SIDE.none : this.#sideBefore(length), SIDE.none));
  }

  /** Reads a block from its end to its beginning. `keeps`: what leads to a match at each place is asked for next. */
  back(from: number, end: number, behind: Leads, keeps = false): { leads: Leads; starts: boolean } {
    const { classOf, looksAround } = this.#program;
    if (this.#kept.size > KEPT) this.#kept = new Map();
    if (keeps) this.#block = Array.from({ length: end - from });
    let leads = behind;
    let starts = false;
    for (let at = end; at > from;) {
      at -= this.#isWithin(at - 1) ? 2 : 1;
      const character = classOf(this.#text.codePointAt(at)!);
      const side = looksAround ? this.#sideBefore(at) : SIDE.none;
      const known = leads.before[character.id * 4 + side];
      this.#steps++;
      if (known) leads = known;
      else {
        const taking = character.takenBy.filter((pc) => has(leads.bits, this.#program.out[pc]!));
        this.#steps += character.takenBy.length;
        leads = leads.before[character.id * 4 + side] = this.#closed(taking, placeBits(side, character.side));
      }
      starts ||= leads.starts;
      if (keeps) this.#block[at - from] = leads;
    }
    return { leads, starts };
  }

  startsAt(index: number): boolean {
    this.#steps++;
    return this.#block[index]!.starts;
  }

  /** The instruction behind the character at a place of the block, by the first choice that leads to a match; null: the match ends. */
  step(open: number, index: number): number | null {
    const { op, out, arg } = this.#program;
    const { bits } = this.#block[index]!;
    const stack = this.#stack;
    stack.length = 0;
    stack.push(open);
    this.#round++;
    while (stack.length > 0) {
      const pc = stack.pop()!;
      this.#steps++;
      if (this.#seen[pc] === this.#round || !has(bits, pc)) continue;
      this.#seen[pc] = this.#round;
      const kind = op[pc]!;
      if (kind === OP.MATCH) return null;
      if (kind >= OP.RUNE) return out[pc]!;
      if (kind === OP.ALT || kind === OP.ALT_MATCH) stack.push(arg[pc]!);
      stack.push(out[pc]!);
    }
    return null;
  }

  after(at: number): number {
    return at + (this.#isWithin(at + 1) ? 2 : 1);
  }

  /** All instructions that lead to these, or to the end of the match, without a character. */
  #closed(taking: readonly number[], place: number): Leads {
    const { size, start, op, arg, match, before } = this.#program;
    const bits = new Uint32Array((size + 31) >>> 5);
    const stack = this.#stack;
    stack.length = 0;
    const add = (pc: number): void => {
      if (has(bits, pc)) return;
      bits[pc >>> 5]! |= 1 << (pc & 31);
      stack.push(pc);
    };
    for (const pc of match) add(pc);
    for (const pc of taking) add(pc);
    while (stack.length > 0) {
      for (const pc of before[stack.pop()!]!) {
        this.#steps++;
        if (op[pc] !== OP.EMPTY_WIDTH || (arg[pc]! & ~place) === 0) add(pc);
      }
    }
    this.#steps += bits.length;
    const name = String.fromCharCode(...new Uint16Array(bits.buffer));
    const known = this.#kept.get(name);
    if (known) return known;
    const leads = { bits, starts: has(bits, start), before: [] };
    this.#kept.set(name, leads);
    return leads;
  }

  /** Whether a place parts a character of two units. */
  #isWithin(at: number): boolean {
    if (at <= 0 || at >= this.#text.length) return false;
    return (this.#text.charCodeAt(at) & 0xfc00) === 0xdc00 && (this.#text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  }

  #sideBefore(at: number): number {
    if (at === 0) return SIDE.none;
    return this.#program.classOf(this.#text.codePointAt(at - (this.#isWithin(at - 1) ? 2 : 1))!).side;
  }
}

function has(bits: Uint32Array, pc: number): boolean {
  return ((bits[pc >>> 5]! >>> (pc & 31)) & 1) === 1;
}
