// @ts-check
/** The promises to a packet whose dispatcher was killed at any call: nothing lost, nothing paid twice, no attempt judged by another's output. */
import { derivedHex } from "../../dist/state/derived_hex.js";
import { check } from "./check.mjs";
import { opsIn } from "./log_ops.mjs";
import { dispatch, PACKET, STAGES } from "./plan_packet.mjs";
import { firstsOf } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {{ type: string, hash: string, payload: Record<string, any> }} LoggedEvent */

/** A run that is stopped by its budgets gets them filled up, and runs again. */
const MAX_RUNS = 6;

/** @param {World} world */
export function checkPacket(world) {
  const [first] = firstsOf(world);
  if (!first || !world.plan.packet || !world.servants) return;
  const { intent } = world.plan.packet;
  world.servants.calm = true;
  finish(world, first);
  const events = eventsOf(world);
  paid(world, events);
  judged(world, events);
  for (const stage of STAGES[intent] ?? []) {
    const own = events.filter(({ payload }) => payload["stage"] === stage);
    const passed = own.findIndex(({ type }) => type === "stage.passed");
    if (passed < 0) world.violate(`[PACKET-144] ${stage} never passed`);
    else if (own.slice(passed + 1).some(({ type }) => type === "stage.started"))
      world.violate(`[PACKET-144] ${stage} ran again after it passed`);
  }
  check(world);
  // The guard of a servant has ended it by then, or the next run has.
  const left = world.servants.running();
  if (left.length > 0) world.violate(`[PACKET-144] after the last stage these groups still run: ${left.join(", ")}`);
}

/** The outcome of a packet, as far as it follows from the request alone: no number of a servant. @param {World} world @returns {Map<string, string>} */
export function packetResult(world) {
  const { disk } = world;
  const outputs = `/w/.coco/tasks/${PACKET}/outputs`;
  const names = disk.find(outputs)?.kind === "folder" ? disk.readdir(outputs) : [];
  // Those of earlier attempts have numbers.
  const paths = names.filter((name) => /^[a-z_]+\.[a-z]+\.(?:out|err)$/.test(name)).map((name) => `${outputs}/${name}`);
  const texts = [...paths, "/w/src/made.txt"].map((path) => /** @type {const} */ ([path, textOf(disk, path)]));
  const passed = eventsOf(world).flatMap(({ type, payload }) => (type === "stage.passed" ? payload["stage"] : []));
  return new Map([...texts, ["stages", passed.join(" ")]]);
}

/** @param {World["disk"]} disk @param {string} path */
function textOf(disk, path) {
  const text = disk.find(path)?.data.toString("utf8") ?? "";
  return text.replaceAll(/\b(servant|made by|command) \d+/gi, "$1");
}

/** Differences of a packet that was disturbed from one that was not. @param {Map<string, string>} one @param {Map<string, string>} other */
export function differingResults(one, other) {
  // A servant that printed nothing may have done its work all the same.
  const isSilent = (/** @type {string} */ name) => name.endsWith(".out") && one.get(name) === "";
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => one.get(name) !== other.get(name) && !isSilent(name),
  );
}

/** Runs the packet to its end. @param {World} world @param {World["processes"][number]} process */
function finish(world, process) {
  let last;
  for (let i = 0; i < MAX_RUNS; i++) {
    last = world.ask(process, dispatch("").tool, { task: PACKET });
    if (last?.result?.outcome === "done") return;
    const kind = i % 2 === 0 ? "retry_budget" : "paid_call_budget";
    const input = { workspace: "acme/sim", task: PACKET, kind, reason: "go on", idempotency_key: `fill ${i}` };
    world.ask(process, "packet_budget_reset", input);
  }
  world.violate(`[PACKET-144] the packet does not end: ${JSON.stringify(last?.error ?? last?.result).slice(0, 400)}`);
}

/** Calls that were paid are the stages that started, and each servant that began was paid for. @param {World} world @param {LoggedEvent[]} events */
function paid(world, events) {
  const started = events.filter(({ type, payload }) => type === "stage.started" && payload["paid"]);
  const runs = new Set(started.map(({ hash, payload }) => derivedHex(hash, payload["long_ids"] === true)));
  const used = new Map();
  for (const { stage, run } of world.servants?.starts ?? []) {
    if (run === null || !runs.has(run)) world.violate(`[PACKET-144] a servant of ${stage} began without a payment`);
    used.set(run, (used.get(run) ?? 0) + 1);
  }
  for (const [run, count] of used)
    if (count > 1) world.violate(`[PACKET-144] ${count} servants began for the one payment of attempt ${run}`);
  const stats = world.disk.find(`/w/.coco/tasks/${PACKET}/state/stats.json`);
  const told = stats && JSON.parse(stats.data.toString("utf8")).paid_calls_used;
  const resets = events.some(
    ({ type, payload }) => type === "packet.budget_reset" && payload["kind"] === "paid_call_budget",
  );
  if (!resets && told !== started.length)
    world.violate(`[PACKET-144] stats.json says ${told} paid calls, and the log has ${started.length}`);
}

/** An attempt ends with what its own servant printed. @param {World} world @param {LoggedEvent[]} events */
function judged(world, events) {
  for (const { type, payload } of events) {
    if (type !== "stage.finished") continue;
    const { run, stage, files } = payload;
    const own = world.servants?.starts.find((start) => start.run === run);
    if (!own) world.violate(`[PACKET-125] attempt ${run} of ${stage} ended, and no servant began for it`);
    else if (files.out && files.out.sha256 !== own.out)
      world.violate(`[PACKET-125] attempt ${run} of ${stage} was judged by another output than its servant's`);
    else if (!files.out) world.violate(`[PACKET-125] attempt ${run} of ${stage} ended without its output`);
  }
}

/** @param {World} world @returns {LoggedEvent[]} */
function eventsOf({ disk }) {
  const log = disk.find(`/w/.coco/tasks/${PACKET}/events.jsonl`);
  return log
    ? opsIn(log.data).flatMap(({ events }) => /** @type {LoggedEvent[]} */ (/** @type {unknown} */ (events)))
    : [];
}
