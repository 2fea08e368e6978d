// @ts-check
// Every folder that was once found to do harm, exactly as it was, by what was planted.
import { GIT } from "./hostile_exact_git.mjs";
import { LINKS } from "./hostile_exact_links.mjs";
import { LOAD } from "./hostile_exact_load.mjs";
import { PROGRAMS } from "./hostile_exact_programs.mjs";
import { STATE } from "./hostile_exact_state.mjs";

/** @typedef {import("./hostile_exact_links.mjs").Exact} Exact */

/** @type {Record<string, Exact>} */
export const EXACT = { ...LINKS, ...GIT, ...LOAD, ...PROGRAMS, ...STATE };
