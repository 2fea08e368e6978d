// @ts-check
/** The kinds of plans: what the machines of a run share. */
import { planOf as localPlanOf } from "./plan.mjs";
import { gitPlanOf } from "./plan_git.mjs";
import { packetPlanOf } from "./plan_packet.mjs";
import { sharedPlanOf } from "./plan_shared.mjs";

/** `local`: processes of machines that share one disk. `shared`: machines with disks of their own, and a shared log. `git`: with clones of one repository. `packet`: a dispatcher and its servants. */
export const KINDS = /** @type {const} */ (["local", "shared", "git", "packet"]);

/** Without a wish the seed decides. @param {number} seed @returns {(typeof KINDS)[number]} */
export function kindOf(seed) {
  return /** @type {const} */ (["packet", "shared", "local", "git", "local"])[seed % 5] ?? "local";
}

/** @param {(typeof KINDS)[number]} kind @param {number} seed @param {Parameters<typeof localPlanOf>[1]} options @returns {import("./plan.mjs").Plan} */
export function planOf(kind, seed, options) {
  if (kind === "local") return localPlanOf(seed, options);
  if (kind === "packet") return packetPlanOf(seed);
  return kind === "shared" ? sharedPlanOf(seed) : gitPlanOf(seed);
}
