// @ts-check
/** The promises that have to hold after a run. Each that does not is a sentence. */
import { partsOf } from "./check_midway.mjs";
import { wrongClaims } from "./claims.mjs";
import { eventIds, forksIn, logFiles, opsIn } from "./log_ops.mjs";
import { firstsOf } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {import("../../dist/log/types.js").Op} Op */
/** @typedef {{ id: string, folder: string, ops: Op[] }} Log */
/** Facts that the promises about logs are compared with. `isTold`: whether the loss of an event was told. `isPart`: whether a transaction lost a part with a folder. `vanished`: changes that a failed sync took from their log for a while. @typedef {Pick<World, "disk" | "acked" | "shared" | "refused" | "tries" | "violate"> & { isTold?: ((event: string) => boolean) | undefined, isPart?: (txn: string) => boolean, vanished?: ReadonlySet<string>, plan: Pick<World["plan"], "locks" | "machines" | "turns"> }} Known */

/** A holder of a lock file on another machine that stands still for longer counts as dead (DUR-24). */
const DEAD_AFTER_MS = 60_000;
/** Findings that a change which was never acknowledged may leave until the next write or `resolve`. */
export const CUT = /^(LINE_TORN|LOG_EMPTY|OP_INCOMPLETE|FOLDER_WITHOUT_LOG|LINE_DUPLICATE|UNSYNCED) /;
/** Where lines were whose sync failed, a power cut may leave zeros. The lines that were written again stand behind a line feed (DUR-5). */
export const ZEROS = /^LINE_NOT_JSON .*\\u0000/;

/** Looks at what the work left, when nothing goes wrong any more. @param {World} world */
export function check(world) {
  const first = /** @type {World["processes"][number]} */ (world.processes[0]);
  lastWrites(world);
  world.stop(true);
  const isWhole = world.cuts === 0 && world.plan.locks !== "broken";
  if (isWhole) {
    // Under lock files a writer ends a line that was cut, and it stays until `resolve` takes it out (DUR-50).
    const isCut = (/** @type {string} */ one) =>
      CUT.test(one) ||
      isOfOthers(world, one) ||
      isMovedByHand(world, one) ||
      (world.plan.locks === "lockfile" && one.startsWith("LINE_NOT_JSON "));
    const found = findings(world, first).filter((one) => !isCut(one));
    for (const one of found) world.violate(`[DUR-29] verify finds ${one}`);
  }
  // Of a file that a workspace could not write, the first write of the next one is the last chance.
  if (world.faults > 0) lastWrites(world, "another");
  // It writes lines again that a failed sync left: those belong to the next write of their log, and not to the folded files.
  const folded = () =>
    new Map([...files(world.disk)].filter(([path]) => world.faults === 0 || !path.endsWith("/events.jsonl")));
  const before = folded();
  world.ask(first, "rebuild");
  if (isWhole) sameFiles(world, before, folded());
  const isExact = world.plan.locks === "os";
  if (!isExact) world.ask(first, "resolve");
  const left = isExact ? findings(world, first) : [];
  for (const one of left.filter(
    (code) => !CUT.test(code) && !isOfOthers(world, code) && !(world.cuts > 0 && ZEROS.test(code)),
  ))
    world.violate(`[DUR-29] after rebuild verify finds ${one}`);
  checkLogs(knownOf(world));
  if (!isExact || left.length > 0) resolved(world, first);
  else leavesSound(world, first);
  world.stop(true);
}

/** Where nothing is found, nothing is resolved. @param {World} world @param {World["processes"][number]} process */
function leavesSound(world, process) {
  const before = withoutEmpty(files(world.disk));
  world.ask(process, "resolve");
  sameFiles(world, before, withoutEmpty(files(world.disk)), "[regression DUR-93] resolve of a sound workspace");
}

/** An empty line stands in a log where lines were written again behind a failed sync. It is no finding, and `resolve` leaves it out. @param {Map<string, string>} all */
function withoutEmpty(all) {
  const logs = [...all].filter(([path]) => path.endsWith("/events.jsonl"));
  return new Map([...all, ...logs.map(([path, text]) => /** @type {const} */ ([path, text.replaceAll(/^\n/gm, "")]))]);
}

/** After it there is nothing to find. @param {World} world @param {World["processes"][number]} process */
function resolved(world, process) {
  world.ask(process, "resolve");
  for (const one of findings(world, process).filter((...one) => !isLeft(...one) && !isPartOfLost(world, one[0])))
    world.violate(`[DUR-29] after resolve verify finds ${one}`);
}

/** Whether other programs did it. Half a line of theirs may stand before one of ours until `resolve`, and a file may have what a person wrote, or be gone. @param {World} world @param {string} finding */
function isOfOthers(world, finding) {
  if (isPartOfLost(world, finding)) return true;
  return (
    /^(?:LINE_NOT_JSON|PROJECTION_DIFFERS|PROJECTION_MISSING) /.test(finding) &&
    [...world.drifting].some((id) => finding.includes(`/${id}/`))
  );
}

/** Whether a person put a live folder among the archived ones: it stays there until its next write, or `rebuild`. @param {World} world @param {string} finding */
function isMovedByHand({ drifting }, finding) {
  return finding.startsWith("ARCHIVED_NOT_DELETED ") && [...drifting].some((id) => finding.includes(`/${id}: `));
}

/** Whether a transaction lacks a part because a person deleted its folder. @param {World} world @param {string} finding */
function isPartOfLost(world, finding) {
  const [, ...names] =
    /^TXN_INCOMPLETE .* of the transaction ([^ ,]+),|^TXN_PENDING in .*\/journal\/(\w+)/.exec(finding) ?? [];
  const txn = names.find((name) => name !== undefined);
  return txn !== undefined && world.isPartOfLost(txn, logsOf(world));
}

/** Nothing has what a person deleted. @param {World} world @returns {Known} */
function knownOf(world) {
  const { disk, acked, shared, refused, tries, plan, lost, homes, vanished } = world;
  const isTold = (/** @type {string} */ event) => {
    // A folder may go between the line and its answer, and then the run does not know where it was.
    const home = homes.get(event);
    return home === undefined || lost.has(home);
  };
  const violate = (/** @type {string} */ what) => world.violate(what);
  const isPart = (/** @type {string} */ txn) => world.isPartOfLost(txn, logsOf(world));
  return { disk, acked, shared, refused, tries, plan, violate, isPart, vanished, ...(lost.size > 0 ? { isTold } : {}) };
}

/** The first write after an open repairs what dead processes of the same machine left (DUR-8). `name`: of these writes. @param {World} world */
export function lastWrites(world, name = "the last") {
  for (const process of firstsOf(world)) {
    const title = `${name} of machine ${process.machine}`;
    const input = { workspace: "acme/sim", kind: "task", title, idempotency_key: title };
    const write = world.ask(process, "tasks_create", input);
    if (!write.success) world.violate(`[DUR-3] the next write failed: ${write.error.code} ${write.error.message}`);
  }
}

/** Checks what is in the logs. @param {Known} known */
export function checkLogs(known) {
  const logs = logsOf(known);
  acknowledged(known, logs);
  // Of one that git took away in part, `verify` says so.
  if (!known.isTold || known.isPart) transactions(known, logs);
  oneLine(known, logs);
  leases(known, logs);
}

/** @param {World} world @param {World["processes"][number]} process @returns {string[]} */
export function findings(world, process) {
  return sentences(world.ask(process, "verify"));
}

/** Findings that tell of a fault. @param {{ findings: { code: string, file: string, info?: boolean, message: string }[] }} report */
export function sentences(report) {
  return report.findings.filter(({ info }) => !info).map(({ code, file, message }) => `${code} in ${file}: ${message}`);
}

/** Whether it stays until a call writes that task, or asks for that id (DUR-3, DUR-5). @param {string} finding @param {number} _i @param {string[]} all */
export function isLeft(finding, _i, all) {
  const half = /^LINE_TORN in ([^:]*):/.exec(finding);
  if (half) return all.some((other) => other.startsWith(`LOG_EMPTY in ${half[1]}:`));
  return /^(UNSYNCED|LOG_EMPTY|FOLDER_WITHOUT_LOG) /.test(finding);
}

/** @param {Pick<Known, "disk">} known @returns {Log[]} */
function logsOf({ disk }) {
  return logFiles(disk).map(({ id, folder, log }) => ({ id, folder, ops: opsIn(log) }));
}

/** Acknowledged changes are there, once; refused ones are not. @param {Known} world @param {Log[]} logs */
function acknowledged(world, logs) {
  const ops = logs.flatMap((log) => log.ops);
  const hashes = new Set(ops.flatMap(({ events }) => events.map(({ hash }) => hash)));
  /** @type {Map<string, Set<string>>} */
  const byKey = new Map();
  for (const { events } of ops) {
    const { key, id } = events[0]?.op ?? {};
    if (key !== undefined && id !== undefined) byKey.set(key, (byKey.get(key) ?? new Set()).add(id));
  }
  for (const [key, { job, replies }] of world.acked) {
    if (job.read) continue;
    const made = replies.map(({ result }) => eventIds(result).toSorted());
    const lost = [...new Set(made.flat())].filter((id) => !hashes.has(id) && world.isTold?.(id) !== true);
    if (lost.length > 0)
      world.violate(
        `[DUR-1] ${job.tool} ${key} was acknowledged, and of its events these are in no log: ${lost.join(", ")}`,
      );
    const isAlone = world.plan.locks !== "broken" || !world.shared.has(key);
    if (isAlone && new Set(made.map((ids) => ids.join(" "))).size > 1)
      world.violate(`[ENG-2] ${job.tool} ${key} had ${made.length} answers, and not the same events in all`);
  }
  for (const [key, ids] of byKey) {
    const isAlone = world.plan.locks !== "broken" || !world.shared.has(key);
    if (ids.size > 1 && isAlone) world.violate(`[ENG-2] ${key} was applied ${ids.size} times`);
    if (world.refused.has(key) && !world.acked.has(key) && !world.tries.has(key))
      world.violate(`[DUR-4] ${key} was refused (${world.refused.get(key)?.error?.code}), and it is in a log`);
  }
}

/** Of each transaction all parts are there, or none. @param {Known} world @param {Log[]} logs */
function transactions(world, logs) {
  const aside = world.disk.find("/w/.coco/registry/quarantine")
    ? world.disk.readdir("/w/.coco/registry/quarantine")
    : [];
  for (const { id, of, parts } of partsOf(logs).values())
    if (parts.size !== of && !world.isPart?.(id) && !aside.some((name) => name.startsWith(`txn-${id}`)))
      world.violate(`[VERIFY-9] of transaction ${id} the logs have the parts ${[...parts].join(", ")} of ${of}`);
}

/** Whether the locks exclude every other process: no owner of a lock file was taken for dead while it was alive. @param {Known} known */
function isExclusive({ plan }) {
  if (plan.locks !== "lockfile") return plan.locks === "os";
  const mayBeDead = (/** @type {import("./plan.mjs").Turn} */ turn) =>
    turn.do === "clock" || (turn.do === "freeze" && (turn.ms ?? 0) > DEAD_AFTER_MS);
  return plan.machines.length === 1 || !plan.turns.some(mayBeDead);
}

/** With locks each writer builds on the last state. One that came while a failed sync had taken lines away could not see them (DUR-5). @param {Known} world @param {Log[]} logs */
function oneLine(world, logs) {
  if (!isExclusive(world)) return;
  for (const { id, ops } of logs) {
    const [twice] = forksIn(ops.filter(({ hash }) => !world.vanished?.has(hash)));
    if (twice !== undefined) world.violate(`[DUR-20] in the log of ${id} two changes build on ${twice}`);
  }
}

/** Fences only grow, and no agent gets a step that another one holds. @param {Known} world @param {Log[]} logs */
function leases(world, logs) {
  for (const { id, ops } of logs) for (const one of wrongClaims(ops)) world.violate(`in the log of ${id} ${one}`);
}

/** Files that people read, of every plan and task. @param {World["disk"]} disk @returns {Map<string, string>} */
export function files(disk) {
  const found = new Map();
  /** @param {string} path */
  const walk = (path) => {
    for (const name of disk.readdir(path).toSorted()) {
      const at = `${path}/${name}`;
      if (disk.find(at)?.kind === "folder") walk(at);
      else found.set(at.slice("/w/.coco/".length), disk.readFile(at).toString("utf8"));
    }
  };
  for (const part of ["/w/.coco/tasks", "/w/.coco/archive"]) if (disk.find(part)) walk(part);
  return found;
}

/** @param {Pick<World, "violate"> & Partial<Pick<World, "drifting" | "lost">>} world @param {Map<string, string>} one @param {Map<string, string>} other @param {string} [what] should change none */
export function sameFiles(world, one, other, what = "[regression DUR-11] rebuild") {
  const differ = [...new Set([...one.keys(), ...other.keys()])].filter(
    (path) => one.get(path) !== other.get(path) && !/\/\./.test(path) && !isTouched(world, path.split("/")[1] ?? ""),
  );
  if (differ.length > 0) world.violate(`${what} changes ${differ.join(", ")}`);
}

/** @param {Partial<Pick<World, "drifting" | "lost">>} world @param {string} id */
function isTouched({ drifting, lost }, id) {
  return drifting?.has(id) === true || lost?.has(id) === true;
}
