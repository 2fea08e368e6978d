/** How threads share a list: each takes the next few items that no other took. */

/** Few enough that the threads end together, and so many that telling costs little. */
export const PART = 16;

/** Where each part begins that this thread is to do. `taken` is shared memory: its first number is the first item that no thread took. */
export function* partsLeft(length: number, taken: Int32Array): Generator<number> {
  for (let at = Atomics.add(taken, 0, PART); at < length; at = Atomics.add(taken, 0, PART)) yield at;
}
