// @ts-check
// Guards that lack one thing each: the attack has to find every one of them.
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import {
  filterListing,
  findPackagesUnder,
  isEncapsulatedPath,
  isEncapsulatedPathLexical,
} from "../../../dist/index.js";

export const WHOLE = { isEncapsulatedPath, isEncapsulatedPathLexical, filterListing, findPackagesUnder };

/** @typedef {typeof WHOLE} Guard */
/** @typedef {{ cwd?: string }} Options */

/** The removed part, and its replacement. @type {Record<string, Partial<Guard>>} */
export const WEAKENED = {
  /** Names as they are written. */
  spelling: { isEncapsulatedPathLexical: (path) => path.split(/[\\/]/).some((name) => name.endsWith(".tsk")) },
  /** No look at the disk. */
  links: { isEncapsulatedPath: async (path) => isEncapsulatedPathLexical(path) },
  /** Only what is there. */
  dangling: {
    isEncapsulatedPath: async (path, options = {}) => {
      const at = resolve(options.cwd ?? ".", path);
      return isEncapsulatedPathLexical(path) || (existsSync(at) && isEncapsulatedPathLexical(realpathSync(at)));
    },
  },
  /** `..` taken away before a link is followed, and never after. */
  climbing: { isEncapsulatedPath: (path, options = {}) => isEncapsulatedPath(resolve(options.cwd ?? ".", path)) },
  /** A folder is moved and deleted with whatever it holds. */
  parents: { findPackagesUnder: async () => [] },
  /** Listings and searches show everything. */
  listing: { filterListing: /** @template T @param {readonly T[]} entries */ (entries) => [...entries] },
  /** Nothing is let through. */
  closed: { isEncapsulatedPath: async () => true },
};
