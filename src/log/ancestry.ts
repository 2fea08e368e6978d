import { aboveLimit, MAX_KNOWN, MAX_KNOWN_PER_OP } from "./limits.ts";

/** Makes a test for ancestors of any of these ops. */
export type BeforeAny = (ops: readonly number[]) => (op: number) => boolean;

/** That of a log without branches. */
export const beforeAnyInLine: BeforeAny = (ops) => {
  const last = ops.reduce((a, b) => Math.max(a, b), -1);
  return (op) => op < last;
};

/**
 * Answers "had the author of op b seen op a?" for ops added in replay order (LOG-11).
 *
 * Ops are cut into chains: each op has seen every op before it in its chain. An op goes on in a parent's chain, or in
 * another ended chain that it has seen. So there are about as many chains as branches at once. Of each other chain an
 * op knows the last op that it has seen. It shares that list with the ops before it in its chain until it merges. An op
 * that joins everything before it (`floor`) makes all earlier entries needless. Four numbers per op and the lists,
 * which are bounded.
 */
export class Ancestry {
  readonly #chain: number[] = [];
  /** The latest op that is this one or an ancestor of it and has every op before it as ancestor. */
  readonly #floor: number[] = [];
  /** Where the op's list begins in `#entries`, and its number of entries. */
  readonly #list: number[] = [];
  readonly #length: number[] = [];
  /** Pairs of a chain and the last op seen there; in each list by chain. */
  #entries = new Int32Array(64);
  #used = 0;
  /** Of each chain its last op. */
  readonly #end: number[] = [];
  /** Of each chain the one that its first op left. */
  readonly #origin: number[] = [];
  readonly #heads = new Set<number>();

  /**
   * Adds the next op, whose parents are indexes of ops added before it, each once. True when every op added before is
   * an ancestor of it.
   */
  add(parents: readonly number[]): boolean {
    const index = this.#chain.length;
    for (const parent of parents) this.#heads.delete(parent);
    const joined = this.#heads.size === 0;
    this.#heads.add(index);

    const chain = this.#oldestChain(parents);
    const [parent] = parents;
    if (joined) this.#append(chain ?? this.#newChain(parent), index, this.#used, 0);
    else if (parents.length === 1 && parent !== undefined && chain !== undefined)
      this.#append(chain, this.floorOf(parent), this.listOf(parent), this.countSeen(parent));
    else this.#merge(parents, chain);
    return joined;
  }

  /** Adds an op that names every head. */
  join(): void {
    this.add([...this.#heads]);
  }

  /** True when op `a` is an ancestor of op `b`; false for an op and itself. */
  isAncestor(a: number, b: number): boolean {
    if (a >= b) return false;
    if (a <= this.floorOf(b)) return true;
    const chain = this.chainOf(a);
    return chain === this.chainOf(b) || a <= this.#lastSeen(chain, b);
  }

  /** Tells ancestors of any of these ops, after one look at each of them. */
  beforeAny(ops: readonly number[]): (op: number) => boolean {
    let below = 0;
    const seen = new Map<number, number>();
    const raise = (chain: number, op: number): void => {
      if ((seen.get(chain) ?? -1) < op) seen.set(chain, op);
    };
    for (const op of ops) {
      const floor = this.floorOf(op);
      below = Math.max(below, floor === op ? op : floor + 1);
      raise(this.chainOf(op), op - 1);
      this.eachSeen(op, raise);
    }
    return (op) => op < below || op <= (seen.get(this.chainOf(op)) ?? -1);
  }

  chainOf(op: number): number {
    return this.#at(this.#chain, op);
  }

  floorOf(op: number): number {
    return this.#at(this.#floor, op);
  }

  /** The list that the op shares with every op that has seen the same of other chains. */
  listOf(op: number): number {
    return this.#at(this.#list, op);
  }

  /** Of how many other chains the op has seen something that is not below its floor. */
  countSeen(op: number): number {
    return this.#at(this.#length, op);
  }

  /** Visits those chains, each with the last op seen there. */
  eachSeen(op: number, visit: (chain: number, last: number) => void): void {
    const from = this.listOf(op);
    const to = from + 2 * this.countSeen(op);
    for (let at = from; at < to; at += 2) visit(this.#entries[at]!, this.#entries[at + 1]!);
  }

  /** The last op of that chain that op `b` has seen, by its list; -1 when the list has none. */
  #lastSeen(chain: number, b: number): number {
    const from = this.listOf(b);
    let low = 0;
    let high = this.countSeen(b);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[from + 2 * middle]! < chain) low = middle + 1;
      else high = middle;
    }
    const at = from + 2 * low;
    return low < this.countSeen(b) && this.#entries[at] === chain ? this.#entries[at + 1]! : -1;
  }

  /** Adds an op with a list of its own; without a chain to go on in it looks for one whose end it has seen. */
  #merge(parents: readonly number[], parentsChain: number | undefined): void {
    let floor = 0;
    for (const parent of parents) floor = Math.max(floor, this.floorOf(parent));
    const seen = new Map<number, number>();
    const raise = (chain: number, op: number): void => {
      if (op > floor && (seen.get(chain) ?? -1) < op) seen.set(chain, op);
    };
    for (const parent of parents) {
      raise(this.chainOf(parent), parent);
      this.eachSeen(parent, raise);
    }
    const chain = parentsChain ?? this.#spareChain(seen, parents) ?? this.#newChain(parents[0]);
    seen.delete(chain);
    const list = this.#used;
    this.#reserve(seen.size);
    for (const other of Int32Array.from(seen.keys()).sort()) {
      this.#entries[this.#used++] = other;
      this.#entries[this.#used++] = seen.get(other)!;
    }
    this.#append(chain, floor, list, seen.size);
  }

  /** The first of the chains that end with one of these ops: so the long one goes on where branches join. */
  #oldestChain(parents: readonly number[]): number | undefined {
    let oldest: number | undefined;
    for (const parent of parents) {
      const chain = this.chainOf(parent);
      if (this.#end[chain] === parent && (oldest === undefined || chain < oldest)) oldest = chain;
    }
    return oldest;
  }

  /**
   * Returns an ended chain that the op has seen: one that left the parent's chain, or one whose own origin came to an
   * end. Any other is left to the branch that knows it best, or branches would take their chains from each other.
   */
  #spareChain(seen: ReadonlyMap<number, number>, [parent]: readonly number[]): number | undefined {
    const own = parent === undefined ? undefined : this.chainOf(parent);
    let orphan: number | undefined;
    for (const [chain, op] of seen) {
      if (!this.#isOver(chain, op)) continue;
      const origin = this.#at(this.#origin, chain);
      if (origin === own) return chain;
      const last = seen.get(origin);
      if (orphan === undefined && last !== undefined && this.#isOver(origin, last)) orphan = chain;
    }
    return orphan;
  }

  /** Of a head its own author has yet to go on. */
  #isOver(chain: number, op: number): boolean {
    return this.#end[chain] === op && !this.#heads.has(op);
  }

  #newChain(parent: number | undefined): number {
    this.#origin.push(parent === undefined ? 0 : this.chainOf(parent));
    return this.#origin.length - 1;
  }

  #reserve(entries: number): void {
    const needed = this.#used + 2 * entries;
    const limit = MAX_KNOWN + MAX_KNOWN_PER_OP * this.#chain.length;
    if (needed > 2 * limit) throw aboveLimit("notes of what its branches know of each other", limit);
    if (needed <= this.#entries.length) return;
    const larger = new Int32Array(Math.max(needed, 2 * this.#entries.length));
    larger.set(this.#entries);
    this.#entries = larger;
  }

  #append(chain: number, floor: number, list: number, length: number): void {
    this.#end[chain] = this.#chain.length;
    this.#chain.push(chain);
    this.#floor.push(floor);
    this.#list.push(list);
    this.#length.push(length);
  }

  #at(list: readonly number[], index: number): number {
    const value = list[index];
    if (value === undefined) throw new RangeError(`expected an op below ${this.#chain.length}, found ${index}`);
    return value;
  }
}

/** Where an op stands in relation to those told before it. */
export interface OpPosition {
  /** Every op told before is an ancestor of this one. */
  joined: boolean;
  /** Of a log with branches, at this op or elsewhere: how the ops told so far lie to each other, by `index`. */
  ancestry: Ancestry | null;
}
