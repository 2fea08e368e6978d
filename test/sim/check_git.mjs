// @ts-check
/** The promises to clones of one repository, after the last exchange: git ran while writers waited (GIT-100), so nothing is lost. */
import { CUT, findings, lastWrites } from "./check.mjs";
import { claimsThatMet, logsOnAll, sameOnAll, verifiedOn } from "./check_shared.mjs";
import { logFiles, opsIn } from "./log_ops.mjs";
import { firstsOf } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */

/** The exchange of one clone may bring the others something: a task that got another name. */
const MAX_EXCHANGES = 4;
const PACE = 0.01;
/** Findings that tell of lines that are gone. */
const LOSSES = /^(LOG_TRUNCATED|LOG_INCOMPLETE|LOG_DAMAGED|OP_HELD|TXN_INCOMPLETE)$/;

/** @param {World} world */
export function checkGit(world) {
  lastWrites(world);
  const firsts = firstsOf(world);
  if (world.plan.tellsLosses) for (const process of firsts) writeToAll(world, process);
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
  const told = world.plan.tellsLosses ? lossesOf(world, firsts) : undefined;
  if (!told) for (const process of firsts) verifiedOn(world, process);
  sameOnAll(world, "GIT-100");
  for (const process of firsts) claimsThatMet(world, process);
  // A call that is repeated on another branch finds nothing of the first, and two branches build on one state.
  const isTold = told && ((/** @type {string} */ event) => isAccounted(world, told, event));
  logsOnAll(world, "broken", new Set([...world.shared, ...world.tries.keys()]), isTold);
  world.stop(true);
}

/** The next write tells what git took away since the last one (VERIFY-100). @param {World} world @param {World["processes"][number]} process */
function writeToAll(world, process) {
  for (const { id } of logFiles(world.diskOf(process))) {
    const key = `after git, ${id} of machine ${process.machine}`;
    const ops = [{ op: "append", field: "tags", value: key }];
    const call = id.startsWith("PLAN")
      ? { tool: "tasks_patch", input: { plan: id, ops } }
      : { tool: "tasks_note", input: { task: id, note: key } };
    const reply = world.ask(process, call.tool, { workspace: "acme/sim", ...call.input, idempotency_key: key });
    world.tellsLosses(reply);
  }
}

/**
 * Finds who is told of the lines that git took away beside writers (VERIFY-100, FRESH-3, VERIFY-106 and VERIFY-108). @param {World} world @param {World["processes"]} processes
 * @returns {Set<string>} plans and tasks of which someone was told
 */
function lossesOf(world, processes) {
  const told = new Set(world.toldLosses);
  for (const process of processes)
    for (const one of findings(world, process)) {
      const [, code = "", id = ""] = /^(\w+) in \.coco\/\w+\/([^/:]+)/.exec(one) ?? [];
      if (LOSSES.test(code)) told.add(id);
      else if (!CUT.test(one)) world.violate(`[DUR-29] on ${process.name} verify finds ${one}`);
    }
  for (const { disk } of world.machines)
    for (const { id, log } of logFiles(disk))
      if (opsIn(log).some(({ events }) => events.some(({ type }) => type === "log.gap"))) told.add(id);
  return told;
}

/** Whether git still has an event, or its loss was told. @param {World} world @param {Set<string>} told @param {string} event */
function isAccounted(world, told, event) {
  const home = world.homes.get(event);
  return home === undefined || told.has(home) || world.machines.some(({ repository }) => repository.hasEver(event));
}
