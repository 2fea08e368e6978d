/**
 * A set of event hashes in 16 to 32 bytes each, where a Set of strings takes over a hundred. It holds every event of a
 * workspace. It keeps 59 bits of each hash. Among a million events, the probability that a new one is mistaken for another
 * is one in 500 thousand million.
 */
const LEAST_SLOTS = 1024;
const EMPTY = 0;
/** How many characters of a hash go into either word: 30 bits. */
const HALF = 5;

export class HashSet {
  #slots = new Uint32Array(2 * LEAST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hash: string): boolean {
    const [a, b] = wordsOf(hash);
    return this.#slots[this.#find(a, b)] !== EMPTY;
  }

  add(hash: string): void {
    const [a, b] = wordsOf(hash);
    const at = this.#find(a, b);
    if (this.#slots[at] !== EMPTY) return;
    this.#slots[at] = a;
    this.#slots[at + 1] = b;
    this.#size++;
    if (this.#size * 4 > this.#slots.length) this.#grow();
  }

  /** Where it stands, or would stand. At most half of the slots are taken, so there is an end. */
  #find(a: number, b: number): number {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = b & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * slot;
      if (slots[at] === EMPTY || (slots[at] === a && slots[at + 1] === b)) return at;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === EMPTY) continue;
      const at = this.#find(old[i]!, old[i + 1]!);
      this.#slots[at] = old[i]!;
      this.#slots[at + 1] = old[i + 1]!;
    }
  }
}

/** The first ten characters as two words; the first is never 0, which stands for an empty slot. */
function wordsOf(hash: string): [number, number] {
  return [(bitsOf(hash, 0) | 1) >>> 0, bitsOf(hash, HALF)];
}

function bitsOf(hash: string, from: number): number {
  let bits = 0;
  for (let i = from; i < from + HALF; i++) bits = (bits << 6) | valueOf(hash.charCodeAt(i));
  return bits >>> 0;
}

/** Of a base64url character, `A` to `_`. */
function valueOf(c: number): number {
  if (c >= 97) return c - 71;
  if (c >= 65 && c <= 90) return c - 65;
  if (c >= 48 && c <= 57) return c + 4;
  return c === 45 ? 62 : 63;
}
