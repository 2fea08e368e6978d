// @ts-check
// Every folder that was once found to do harm, exactly as it was, by what was planted.
import { GIT } from "./exact_git.mjs";
import { LINKS } from "./exact_links.mjs";
import { LOAD } from "./exact_load.mjs";
import { PROGRAMS } from "./exact_programs.mjs";
import { STATE } from "./exact_state.mjs";

/** @typedef {import("./exact_links.mjs").Exact} Exact */

/** @type {Record<string, Exact>} */
export const EXACT = { ...LINKS, ...GIT, ...LOAD, ...PROGRAMS, ...STATE };
