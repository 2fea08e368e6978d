// @ts-check
// The list of cases: every path with every form and every operation, and the exact folders that were once found.
import { EXACT } from "./hostile_exact.mjs";
import { FORMS } from "./hostile_forms.mjs";
import { OPERATIONS } from "./hostile_operations.mjs";

/** @typedef {import("./hostile_child.mjs").Job & import("./hostile_children.mjs").Limited & { item?: number }} Case */

/** Cases of the matrix, for these paths; what the system cannot make is left out. @param {readonly string[]} paths @param {readonly string[]} notAvailable @returns {Case[]} */
export function matrixCases(paths, notAvailable) {
  const forms = Object.entries(FORMS).filter(([name]) => !notAvailable.includes(name));
  return paths.flatMap((path) =>
    forms.flatMap(([form, { unprivileged = false }]) =>
      Object.keys(OPERATIONS).map((operation) => ({
        id: `matrix: ${join(path)}: ${form}: ${operation}`,
        path,
        form,
        operation,
        unprivileged,
      })),
    ),
  );
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
