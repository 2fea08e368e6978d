/**
 * When files are looked at again that other programs change without telling: one rule for everything that is kept of them (FRESH-13).
 * A look holds for a least time, or for so many times as long as it took. So looks take a bounded part of the time, however many files
 * there are.
 */

interface Pace {
  /** Milliseconds that a look holds for at least. */
  least: number;
  /** How many times as long as it took, if that is more. */
  times: number;
  most?: number;
}

const PACES = {
  /** Rows of the viewer: several requests of one page share a look, and a watch tells sooner. */
  rows: { least: 250, times: 2 },
  /** All logs and names, for lists and the keys of creations. The notification file tells of writers of this engine. */
  all: { least: 1000, times: 20 },
  /** All logs of a watch that no hint of the system serves. */
  unhinted: { least: 1000, times: 20 },
  /** All logs of a watch with hints: the look finds what they left out. */
  hinted: { least: 5000, times: 20 },
  /** Marks of plans and tasks that may have gone: a few cost nothing. */
  gone: { least: 0, times: 20 },
  /** Claims, processes and files of other programs that a viewer shows: each costs a stat at most. */
  clock: { least: 1000, times: 0 },
  /** The work tree, as git has it: a viewer compares runs with it. */
  tree: { least: 0, times: 2, most: 10_000 },
  /** The bytes of every folder, as `verify` reads them. */
  checks: { least: 10_000, times: 10, most: 60_000 },
} as const satisfies Record<string, Pace>;

/** Milliseconds for which a look holds that took `tookMs`. */
export function holdsFor(what: keyof typeof PACES, tookMs = 0): number {
  const { least, times, most = Infinity }: Pace = PACES[what];
  return Math.min(most, Math.max(least, times * tookMs));
}
