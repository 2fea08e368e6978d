// @ts-check
// The list of cases: every path with every form and every operation, and the exact folders that were once found.
import { EXACT } from "./exact.mjs";
import { FORMS } from "./forms.mjs";
import { OPERATIONS } from "./operations.mjs";

/** @typedef {import("./child.mjs").Job & import("./children.mjs").Limited & { item?: number, place?: number }} Case */

/**
 * The run takes one case in so many. No weight below is a multiple of it, so each path has each form, and each operation, and
 * so on.
 */
const ONE_IN = 5;

/**
 * Cases of the matrix, for these paths; a case that the system cannot make is left out.
 * @param {readonly string[]} paths
 * @param {readonly string[]} notAvailable
 * @returns {Case[]}
 */
export function matrixCases(paths, notAvailable) {
  const forms = Object.entries(FORMS).filter(([name]) => !notAvailable.includes(name));
  return paths.flatMap((path, p) =>
    forms.flatMap(([form, { unprivileged = false }], f) =>
      Object.keys(OPERATIONS).map((operation, o) => ({
        id: `matrix: ${join(path)}: ${form}: ${operation}`,
        place: p + 2 * f + o,
        path,
        form,
        operation,
        unprivileged,
      })),
    ),
  );
}

/** Whether a case of the matrix is one of those that are taken. @param {number | undefined} place @param {number} seed */
export function isTaken(place, seed) {
  return place !== undefined && (place + seed) % ONE_IN === 0;
}

/** @returns {Case[]} */
export function exactCases() {
  return Object.entries(EXACT).map(([exact, { item, seconds, megabytes }]) => ({
    id: `exact: ${item}: ${exact}`,
    exact,
    item,
    ...(seconds === undefined ? {} : { seconds }),
    ...(megabytes === undefined ? {} : { megabytes }),
  }));
}

/** @param {string} path */
function join(path) {
  return path === "" ? ".coco" : `.coco/${path}`;
}
