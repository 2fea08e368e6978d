// @ts-check
/** The promises to clones of one repository, after the last exchange: git ran while writers waited (GIT-100), so nothing is lost. */
import { lastWrites } from "./check.mjs";
import { logsOnAll, sameOnAll, verifiedOn } from "./check_shared.mjs";
import { firstsOf } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */

/** The exchange of one clone may bring the others something: a task that got another name. */
const MAX_EXCHANGES = 4;
const PACE = 0.01;

/** @param {World} world */
export function checkGit(world) {
  lastWrites(world);
  const firsts = firstsOf(world);
  const work = (/** @type {World["processes"][number]} */ process, /** @type {string[]} */ commands) => {
    const reply = world.ask(process, "git", { commands, pace: PACE });
    if (!reply?.success) world.violate(`${commands.join(", ")} failed: ${reply?.error?.code} ${reply?.error?.message}`);
  };
  for (const process of firsts) work(process, ["resolve", "commit"]);
  // The branch has changed since: a writer asks again who has what went away (VERIFY-110).
  lastWrites(world, "one more");
  const repositories = world.machines.map(({ repository }) => repository);
  for (const [i, process] of firsts.entries()) {
    work(process, ["resolve", "commit"]);
    for (let left = repositories[i]?.stashes.length ?? 0; left > 0; left--) work(process, ["pop", "resolve", "commit"]);
    work(process, ["join", "resolve", "commit"]);
  }
  for (let i = 0; i < MAX_EXCHANGES; i++) {
    for (const process of firsts) work(process, ["pull", "resolve", "commit", "push"]);
    if (new Set(repositories.map(({ head }) => head)).size === 1) break;
  }
  if (world.violations.length > 0) return;
  for (const process of firsts) verifiedOn(world, process);
  sameOnAll(world, "GIT-100");
  // A call that is repeated on another branch finds nothing of the first, and two branches build on one state.
  logsOnAll(world, "broken", new Set([...world.shared, ...world.tries.keys()]));
  world.stop(true);
}
