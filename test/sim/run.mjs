// @ts-check
/** One run: what is there before, the work of the plan, and what has to hold afterwards. */
import { check } from "./check.mjs";
import { checkMidway } from "./check_midway.mjs";
import { checkGit } from "./check_git.mjs";
import { checkPacket, differingResults, packetResult } from "./check_packet.mjs";
import { checkShared } from "./check_shared.mjs";
import { BEFORE } from "./plan.mjs";
import { forksIn, logFiles, opsIn } from "./log_ops.mjs";
import { packetBefore, undisturbedPlanOf } from "./plan_packet.mjs";
import { firstsOf, Over, World } from "./world.mjs";

/**
 * `forks`: how often two changes of a log of the first machine build on one state.
 * @typedef {{ seed: number, calls: number, kills: number, cuts: number, faults: number, forks: number, acked: number, violations: string[], hash: string, lines: string[] | null }} Result
 */

/** @param {import("./plan.mjs").Plan} plan @param {import("./world.mjs").Threads} threads @param {{ lines?: boolean, asks?: boolean }} [options] @returns {Result} */
export function run(plan, threads, options) {
  const world = new World(plan, threads, options);
  world.judge = () => checkMidway(world);
  prepared(world);
  if (plan.git) cloneAll(world);
  for (const { disk } of world.machines) disk.syncAll();
  world.calm = false;
  world.waiting.push(...plan.jobs);
  world.run();
  world.calm = true;
  world.run();
  if (!world.isStuck) {
    try {
      world.stop(plan.closes);
      if (plan.stream) checkShared(world);
      else if (plan.git) checkGit(world);
      else if (plan.packet) checkPacket(world);
      else check(world);
    } catch (e) {
      if (!(e instanceof Over)) throw e;
    }
  }
  world.leave();
  if (plan.packet && world.violations.length === 0) compared(world, plan.packet.intent, threads);
  const { calls, kills, cuts, faults, violations, lines } = world;
  return {
    seed: plan.seed,
    calls,
    kills,
    cuts,
    faults,
    forks: logFiles(world.disk).flatMap(({ log }) => forksIn(opsIn(log))).length,
    acked: world.acked.size,
    violations,
    hash: world.hash.digest("hex"),
    lines,
  };
}

/** Makes what is there before the work. @param {World} world */
function prepared(world) {
  const { plan } = world;
  const [first] = world.processes;
  if (!first) throw new Error("a plan without a process");
  if (plan.stream) world.ask(first, "shared_init", { workspace: "acme/sim" });
  for (const { tool, input } of [...BEFORE, ...(plan.packet ? packetBefore(plan.packet.intent) : [])]) {
    const reply = world.ask(first, tool, { workspace: "acme/sim", ...input });
    if (!reply?.success) throw new Error(`${tool} failed before the work: ${JSON.stringify(reply?.error)}`);
  }
}

/** The first machine pushes what is there before the work, and the others clone it. @param {World} world */
function cloneAll(world) {
  for (const [i, process] of firstsOf(world).entries())
    world.ask(process, "git", { commands: i === 0 ? ["commit", "push"] : ["clone"], pace: 0.01, isHeld: false });
}

/** Results of packets to which nothing happened, by intent, of the build of these threads. @type {WeakMap<import("./world.mjs").Threads, Map<string, Map<string, string>>>} */
const undisturbed = new WeakMap();

/** A packet to which everything happened ends as one to which nothing did. @param {World} world @param {string} intent @param {import("./world.mjs").Threads} threads */
function compared(world, intent, threads) {
  const known = undisturbed.get(threads) ?? new Map();
  undisturbed.set(threads, known);
  let wanted = known.get(intent);
  if (!wanted) {
    const alone = new World(undisturbedPlanOf(intent), threads);
    prepared(alone);
    alone.waiting.push(...alone.plan.jobs);
    alone.run();
    wanted = packetResult(alone);
    alone.leave();
    known.set(intent, wanted);
  }
  const differ = differingResults(packetResult(world), wanted);
  if (differ.length > 0)
    world.violate(`[PACKET-144] the packet differs from an undisturbed one in ${differ.join(", ")}`);
}
