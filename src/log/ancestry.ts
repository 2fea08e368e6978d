/**
 * Answers "had the author of op b seen op a?" in constant time for ops added in replay order (LOG-11).
 *
 * Ops are cut into chains: an op goes on in its parent's chain when it is the first child of a single parent. Each chain
 * keeps, per other chain, the highest place known there; within one's own chain the place decides. An op that joins
 * everything before it (`floor`) makes all earlier entries needless, so the maps stay small where branches are merged now
 * and then. Three numbers per op; a map per chain.
 */
export class Ancestry {
  readonly #chain: number[] = [];
  readonly #place: number[] = [];
  /** The latest op that is this one or an ancestor of it and has every op before it as ancestor. */
  readonly #floor: number[] = [];
  readonly #known: Map<number, number>[] = [];
  readonly #end: number[] = [];
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

    const [only] = parents;
    const chain = only === undefined ? undefined : this.#chain[only];
    if (only !== undefined && chain !== undefined && parents.length === 1 && this.#end[chain] === only) {
      this.#append(chain, this.#at(this.#place, only) + 1, joined ? index : this.#at(this.#floor, only));
    } else {
      const floor = joined ? index : Math.max(0, ...parents.map((parent) => this.#at(this.#floor, parent)));
      this.#known.push(joined ? new Map() : this.#merge(parents, floor));
      this.#append(this.#known.length - 1, 0, floor);
    }
    return joined;
  }

  /** Adds an op that names every head. */
  join(): void {
    this.add([...this.#heads]);
  }

  /** True when op `a` is an ancestor of op `b`; false for an op and itself. */
  isAncestor(a: number, b: number): boolean {
    if (a >= b) return false;
    if (a <= this.#at(this.#floor, b)) return true;
    const chain = this.#at(this.#chain, a);
    const from = this.#at(this.#chain, b);
    if (chain === from) return true;
    return (this.#known[from]?.get(chain) ?? -1) >= this.#at(this.#place, a);
  }

  #append(chain: number, place: number, floor: number): void {
    this.#end[chain] = this.#chain.length;
    this.#chain.push(chain);
    this.#place.push(place);
    this.#floor.push(floor);
  }

  #merge(parents: readonly number[], floor: number): Map<number, number> {
    const known = new Map<number, number>();
    const raise = (chain: number, place: number): void => {
      if ((known.get(chain) ?? -1) < place) known.set(chain, place);
    };
    for (const parent of parents) {
      if (parent <= floor) continue;
      const chain = this.#at(this.#chain, parent);
      raise(chain, this.#at(this.#place, parent));
      for (const [other, place] of this.#known[chain] ?? []) raise(other, place);
    }
    return known;
  }

  #at(list: readonly number[], index: number): number {
    const value = list[index];
    if (value === undefined) throw new RangeError(`expected an op below ${this.#chain.length}, found ${index}`);
    return value;
  }
}
