/**
 * The only place that truncates an answer to a caller's budget (BUDGET rules). Sizes are Unicode code points of compact
 * JSON. The size of the whole is measured once and carried along by differences. So a long list costs one look at each
 * item and a long text one binary search.
 */
import type { Warning } from "../errors.ts";
import { countCodePoints } from "../state/code_points.ts";
import type { JsonObject } from "../state/schema.ts";
import { applyCut } from "./cut.ts";
import type { Cut, CutOrder } from "./cuts.ts";
import { CORE_CUTS, NAMING_CUTS } from "./cuts.ts";

/** The least budget the engine works with: the radar core fits it. */
export const LEAST_CHARS = 256;

/** The room of an answer whose call gives no `max_chars` (BUDGET-10): an agent reads all that it is given. */
export const DEFAULT_CHARS = 80_000;

/** The engine's report of a cut inside the result, while it fits. */
type Budget = {
  max_chars: number;
  used_chars: number;
  /** The size of the whole answer: asking again with this cuts nothing. */
  full_chars: number;
  truncated: string[];
  /** How many items were left out of which list. */
  omitted: Record<string, number>;
};

export interface Fitted {
  result: JsonObject;
  warnings: Warning[];
}

/**
 * `result` cut down to max(`maxChars`, 256) characters, or to `DEFAULT_CHARS` without one. A result that fits comes back as it is. Otherwise the view's
 * `order` is followed first, then every other member beside the radar goes, and the radar core last of all. `whole` is the size of
 * the answer that `result` is the first part of.
 */
export function fitBudget(result: JsonObject, maxChars: number | undefined, order: CutOrder, whole = 0): Fitted {
  const { limit, warnings } = roomOf(maxChars);
  const json = JSON.stringify(result);
  const size = countCodePoints(json);
  if (size <= limit) return { result, warnings };
  const cutting = new Cutting(JSON.parse(json) as JsonObject, size, limit, Math.max(size, whole));
  const minimal = cutting.run(order);
  warnings.push(truncated(cutting, maxChars));
  if (minimal) warnings.push(MINIMAL);
  return { result: cutting.result, warnings };
}

/**
 * Returns a page of whole parts, as many of the first `most` as fit. `upTo` makes the answer with so many of them, and
 * its own cursor gives the others next. At least one part is there, cut by `order` where it does not fit by itself. The cut
 * `first` is made before a part is left out.
 */
export function fitPage(
  upTo: (parts: number) => JsonObject,
  most: number,
  at: string,
  maxChars: number | undefined,
  order: CutOrder,
  first?: Cut,
): Fitted {
  const whole = upTo(most);
  const { limit, warnings } = roomOf(maxChars);
  const full = sizeOf(whole);
  if (full <= limit) return fitBudget(whole, maxChars, order);
  const page = (parts: number): Page => {
    const result = upTo(parts);
    const cutting = new Cutting(result, sizeOf(result), limit, full);
    return { cutting, fits: cutting.leaveOut(at, lengthOf(whole, at) - lengthOf(result, at), first) };
  };
  let low = 0;
  for (let high = first === undefined ? most - 1 : most; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (page(middle).fits) low = middle;
    else high = middle - 1;
  }
  const best = low > 0 ? page(low) : null;
  if (!best?.fits) return fitBudget(upTo(Math.min(1, most)), maxChars, order, full);
  return { result: best.cutting.result, warnings: [...warnings, truncated(best.cutting, maxChars)] };
}

function roomOf(maxChars = DEFAULT_CHARS): { limit: number; warnings: Warning[] } {
  const limit = Math.max(maxChars, LEAST_CHARS);
  return { limit, warnings: maxChars < LEAST_CHARS ? [clamped(maxChars)] : [] };
}

/** A text as it is shown. */
export interface FittedText {
  text: string;
  /** Bytes of it that are shown, and that it has. */
  shown: number;
  of: number;
}

/**
 * Returns texts cut to `room` bytes of UTF-8 together. Only the longest are cut, each at the end of a line where there
 * is one. A note about the cut stands on a line of its own. Every cut text keeps its note, also where there is no room
 * for it.
 */
export function fitBytes(
  texts: readonly string[],
  room: number,
  note: (shown: number, of: number) => string,
): FittedText[] {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const notes = sizes.map((size) => Buffer.byteLength(note(size, size)) + 1);
  // A text of at most `cap` bytes stays whole; of a longer one that many are left, its note among them.
  const taken = (cap: number): number =>
    sizes.reduce((sum, size, i) => sum + (size <= Math.max(cap, notes[i]!) ? size : Math.max(cap, notes[i]!)), 0);
  let low = 0;
  for (let high = Math.max(0, ...sizes); low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (taken(middle) <= room) low = middle;
    else high = middle - 1;
  }
  return texts.map((text, i) => {
    const of = sizes[i]!;
    const cap = Math.max(low, notes[i]!);
    if (of <= cap) return { text, shown: of, of };
    const kept = wholeLines(text, cap - notes[i]!);
    const shown = Buffer.byteLength(kept);
    return { text: `${kept}${kept === "" ? "" : "\n"}${note(shown, of)}`, shown, of };
  });
}

/** The lines of a text that fit so many bytes; of a first line that does not fit, what does, in whole characters. */
function wholeLines(text: string, bytes: number): string {
  const all = Buffer.from(text);
  const lf = all.lastIndexOf(0x0a, bytes);
  if (lf > 0) return all.toString("utf8", 0, lf);
  let end = bytes;
  while (end > 0 && (all[end]! & 0xc0) === 0x80) end--;
  return all.toString("utf8", 0, end);
}

interface Page {
  cutting: Cutting;
  fits: boolean;
}

class Cutting {
  readonly result: JsonObject;
  readonly full: number;
  readonly limit: number;
  readonly truncated = new Set<string>();
  readonly omitted: Record<string, number> = {};
  #size: number;

  constructor(result: JsonObject, size: number, limit: number, full = size) {
    this.result = result;
    this.full = full;
    this.limit = limit;
    this.#size = size;
  }

  /** Says of a result that was made shorter what is not in it; false when there is no room for that. */
  leaveOut(at: string, items: number, first: Cut | undefined): boolean {
    this.truncated.add(at);
    if (items > 0) this.omitted[at] = items;
    if (first) this.#take(first, true);
    return this.#tell();
  }

  /** Cuts until the result fits; true when more than the view's own order was needed. */
  run(order: CutOrder): boolean {
    for (const cut of order) {
      this.#take(cut, true);
      if (this.#tell()) return false;
    }
    // A list of what was cut that lacks some of it is worse than none.
    if (this.#degradation()) this.#take({ cut: "field", at: "degradation" }, false);
    // The note on what was cut goes before anything of the core does: the warning says the same.
    if (this.#tell() || this.#size <= this.limit) return false;
    const others = Object.keys(this.result).filter((key) => key !== "radar");
    const fields: Cut[] = others.toReversed().map((at) => ({ cut: "field", at }));
    const rest: Cut[] = [...NAMING_CUTS, ...fields, ...CORE_CUTS];
    // The last one is for a radar that is not one: whatever comes in, what goes out fits.
    for (const cut of [...rest, { cut: "field", at: "radar" } as const]) {
      if (this.#size <= this.limit) break;
      this.#take(cut, false);
    }
    return true;
  }

  /** Says what was cut, where there is room for that. */
  #tell(): boolean {
    if (this.#size + this.#budgetSize() > this.limit) return false;
    this.result["budget"] = this.#budget();
    const degradation = this.#degradation();
    if (!degradation) return true;
    degradation.truncated_fields = [...this.truncated];
    degradation.signals = [...degradation.signals, DEGRADED];
    return true;
  }

  #take(cut: Cut, withBudget: boolean): void {
    const note = withBudget ? this.#budgetSize(cut) : 0;
    const done = applyCut(this.result, cut, this.#size + note - this.limit);
    if (done === null) return;
    this.#size -= done.removed;
    if (cut.cut === "field") this.#forget(`${cut.at}.`);
    this.truncated.add(cut.at);
    if (done.items > 0) this.omitted[cut.at] = (this.omitted[cut.at] ?? 0) + done.items;
  }

  /** A member that is gone whole stands for all that was cut in it before: a list of that would take room. */
  #forget(inside: string): void {
    for (const at of this.truncated) {
      if (!at.startsWith(inside)) continue;
      this.truncated.delete(at);
      delete this.omitted[at];
    }
  }

  /** Characters that the member `budget` takes, never less than it will, once `next` is cut too. */
  #budgetSize(next?: Cut): number {
    const budget = this.#shape(this.limit);
    if (next && !this.truncated.has(next.at)) budget.truncated.push(next.at);
    // More items than there are characters are never left out.
    if (next?.cut === "items" || next?.cut === "lists") budget.omitted = { ...budget.omitted, [next.at]: this.full };
    return countCodePoints(JSON.stringify(budget)) + ',"budget":'.length + this.#degradedSize(budget.truncated);
  }

  /** Where a view says by itself what is not in it (RESUME-7); null where it does not, or not any more. */
  #degradation(): { signals: string[]; truncated_fields: string[] } | null {
    const degradation = this.result["degradation"] as
      | Partial<{ signals: string[]; truncated_fields: string[] }>
      | undefined;
    const isIt = Array.isArray(degradation?.signals) && Array.isArray(degradation.truncated_fields);
    return isIt ? (degradation as { signals: string[]; truncated_fields: string[] }) : null;
  }

  /** Returns the size of the report there. */
  #degradedSize(truncated: readonly string[]): number {
    const degradation = this.#degradation();
    if (!degradation) return 0;
    const signals = [...degradation.signals, DEGRADED];
    return (
      sizeOfList(truncated) -
      sizeOfList(degradation.truncated_fields) +
      sizeOfList(signals) -
      sizeOfList(degradation.signals)
    );
  }

  /** With the number of characters that the result has once this stands in it. */
  #budget(): Budget {
    const comma = Object.keys(this.result).length > 0 ? 1 : 0;
    const degraded = this.#degradedSize([...this.truncated]);
    const other =
      this.#size + degraded + '"budget":'.length + comma + countCodePoints(JSON.stringify(this.#shape(0))) - 1;
    let digits = 1;
    while (String(other + digits).length > digits) digits++;
    return this.#shape(other + digits);
  }

  #shape(used: number): Budget {
    return {
      max_chars: this.limit,
      used_chars: used,
      full_chars: this.full,
      truncated: [...this.truncated],
      omitted: this.omitted,
    };
  }
}

/** How a view that tells its signals names that it was cut. */
const DEGRADED = "budget_truncated";

function sizeOfList(list: readonly string[]): number {
  return countCodePoints(JSON.stringify(list));
}

/** Code points of its compact JSON. */
export function sizeOf(value: JsonObject): number {
  return countCodePoints(JSON.stringify(value));
}

function lengthOf(result: JsonObject, at: string): number {
  const list = result[at];
  return Array.isArray(list) ? list.length : 0;
}

function clamped(asked: number): Warning {
  return {
    code: "BUDGET_MIN_CLAMPED",
    message: `Expected max_chars of at least ${LEAST_CHARS}, found ${asked}; ${LEAST_CHARS} is used.`,
  };
}

const MINIMAL: Warning = {
  code: "BUDGET_MINIMAL",
  message: "Only the core of the answer fits max_chars.",
  recovery: "Give a larger max_chars.",
};

/** Bounded: fields are named by the view, and never more than a dozen of them. */
function truncated(cutting: Cutting, maxChars: number | undefined): Warning {
  const names = [...cutting.truncated].map((at) => {
    const items = cutting.omitted[at];
    return items === undefined ? at : `${at} (${items} left out)`;
  });
  const shown = names.slice(0, 12).join(", ");
  const more = names.length > 12 ? ` and ${names.length - 12} more` : "";
  return {
    code: "BUDGET_TRUNCATED",
    message: `The whole answer has ${cutting.full} characters, ${maxChars === undefined ? "without max_chars an answer has at most" : "max_chars allows"} ${cutting.limit}; cut: ${shown}${more}.`,
    recovery: `Call again with max_chars ${cutting.full}.`,
  };
}
