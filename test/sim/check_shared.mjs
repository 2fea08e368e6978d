// @ts-check
/** The promises to machines that share a workspace, after the last exchange. */
import { checkLogs, CUT, files, findings, lastWrites } from "./check.mjs";
import { MessageDecoder } from "../../dist/engine/shared/message_codec.js";
import { metClaims } from "./claims.mjs";
import { logFiles, opsIn } from "./log_ops.mjs";
import { opened } from "./stream.mjs";
import { firstsOf } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */

/** The exchange of one machine may bring the others something: a task that moved, a transaction that it ended. */
const EXCHANGES = 3;

/** Hidden files, and bytes that were captured for a change which came to nothing (DUR-113): they stay on their machine. */
const OWN = /\/\.|\/shared\/evidence\/blobs\//;

const LOG = /\/events\.jsonl$/;

/** Each line of a log once. @param {string} log */
function linesOf(log) {
  return [...new Set(log.split("\n").map((line) => line.replaceAll("\0", "")))].toSorted().join("\n");
}

/** @param {World} world */
export function checkShared(world) {
  const firsts = firstsOf(world);
  lastWrites(world);
  /** @type {string[]} */
  let lacking = [];
  for (let i = 0; i < EXCHANGES; i++)
    lacking = firsts.flatMap((process) => world.ask(process, "shared_sync", { workspace: "acme/sim" })?.lacking ?? []);
  if (lacking.length === 0 || world.plan.stream?.mode === "strict") inMessages(world);
  if (lacking.length > 0)
    world.violate(`[SHARED-20] after the last exchange these are not in step: ${lacking.join(", ")}`);
  if (world.violations.length > 0) return;
  for (const process of firsts) {
    const report = world.ask(process, "shared_verify", { workspace: "acme/sim" });
    for (const { code, id, message } of report.findings)
      world.violate(`on ${process.name} shared verify finds ${code} in ${id}: ${message}`);
    verifiedOn(world, process);
  }
  sameOnAll(world, "SHARED-1");
  if (world.plan.stream?.mode === "merge") for (const process of firsts) claimsThatMet(world, process);
  // In mode merge two machines may build on one state, as two branches do.
  logsOnAll(world, world.plan.stream?.mode === "merge" ? "broken" : world.plan.locks, world.shared);
  world.stop(true);
}

/** No log has a change that is in no message of the shared log: one of a copy that was cut off. @param {World} world */
function inMessages(world) {
  const decoder = new MessageDecoder();
  const sent = new Set(
    (world.stream?.messages ?? []).flatMap((message) => {
      const received = decoder.decode(opened(message));
      const parts = received.kind === "whole" ? received.parts : [];
      return parts.flatMap(({ ops }) => ops.flatMap(({ events }) => events.map(({ hash }) => hash)));
    }),
  );
  for (const [i, { disk }] of world.machines.entries())
    for (const { id, log } of logFiles(disk)) {
      const own = opsIn(log).flatMap(({ events }) => events.map(({ hash }) => hash).filter((hash) => !sent.has(hash)));
      if (own.length > 0)
        world.violate(`[SHARED-43] on machine ${i} the log of ${id} has what no message has: ${own.join(", ")}`);
    }
}

/** There `verify` finds nothing, or what a change that was never acknowledged may leave. @param {World} world @param {World["processes"][number]} process */
export function verifiedOn(world, process) {
  for (const one of findings(world, process).filter((found) => !CUT.test(found)))
    world.violate(`[DUR-29] on ${process.name} verify finds ${one}`);
}

/**
 * Checks the logs of each machine. `shared`: keys that may stand there twice. `isTold`: whether the loss of an event was told.
 * @param {World} world @param {World["plan"]["locks"]} locks @param {World["shared"]} shared @param {(event: string) => boolean} [isTold]
 */
export function logsOnAll(world, locks, shared, isTold) {
  const { acked, refused, tries, plan } = world;
  const violate = (/** @type {string} */ what) => world.violate(what);
  for (const { disk } of world.machines)
    checkLogs({ disk, acked, shared, refused, tries, violate, isTold, plan: { ...plan, locks } });
}

/**
 * Of two claims that meet in a merge the later in order holds, and radar tells of both (LEASE-9). @param {World} world @param {World["processes"][number]} process
 */
export function claimsThatMet(world, process) {
  for (const { id, log } of logFiles(world.diskOf(process))) {
    const met = metClaims(opsIn(log));
    if (met.length === 0) continue;
    /** @type {string[]} */
    const told = world.ask(process, "tasks_radar", { workspace: "acme/sim", task: id }).result.radar.blockers;
    for (const { claims, standing } of met) {
      const path = pathOf(world, claims[0]?.event.op.key);
      const agents = [...new Set(claims.map(({ event }) => event.by))].join(" and ");
      if (!told.some((line) => line.startsWith(`Conflict on ${path} lease:`)))
        world.violate(
          `[LEASE-9] ${process.name} tells of no conflict, and on two branches ${agents} claimed ${path} of ${id}, or one gave it back`,
        );
      const said = told.flatMap((line) => /^(s:\d+) .* is claimed by (\S+) until/.exec(line)?.slice(1, 3) ?? []);
      const holder = said[said.indexOf(path) + 1];
      if (!said.includes(path)) continue;
      // Claims before it in order are over by then, or it would not hold.
      const at = standing.findIndex(({ event }) => event.by === holder);
      const later = standing.slice(0, at).find(({ expires }) => expires >= (standing[at]?.expires ?? 0));
      if (at === -1 || later)
        world.violate(
          `[LEASE-9] ${process.name} says that ${holder} holds ${path} of ${id}, and not ${later?.event.by ?? "no agent"}`,
        );
    }
  }
}

/** The place of a claim by its key. @param {World} world @param {string | undefined} key */
function pathOf(world, key) {
  const input = /** @type {{ path?: string } | undefined} */ (world.plan.jobs.find((job) => job.key === key)?.input);
  return input?.path ?? "";
}

/** After the last exchange all machines have the same files. Lines that a failed sync had appended again may stand twice (DUR-69). @param {World} world @param {string} rule */
export function sameOnAll(world, rule) {
  const [one, ...others] = world.machines.map(({ disk }) => files(disk));
  if (world.faults > 0)
    for (const machine of [one, ...others])
      for (const [path, text] of machine ?? []) if (LOG.test(path)) machine?.set(path, linesOf(text));
  for (const [i, other] of others.entries()) {
    const paths = new Set([...(one?.keys() ?? []), ...other.keys()]);
    // The rest of a creation that a kill cut off is on its machine alone (DUR-3).
    const isRest = (/** @type {string} */ path) =>
      LOG.test(path) && ![one?.get(path), other.get(path)].some((text) => text?.includes("\n"));
    const differ = [...paths].filter((path) => one?.get(path) !== other.get(path) && !OWN.test(path) && !isRest(path));
    if (differ.length > 0) world.violate(`[${rule}] machine ${i + 1} differs from machine 0 in ${differ.join(", ")}`);
  }
}
