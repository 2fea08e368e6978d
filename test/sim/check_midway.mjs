// @ts-check
/**
 * The promises that hold at any moment of a run, judged by what lies on the disks between two calls. The run asks no process. A process may be in the middle
 * of a write, so what the journal or `registry/unsynced` has counts as being in its log (TXN-5, DUR-5).
 */
import { wrongClaims } from "./claims.mjs";
import { logFiles, opsIn } from "./log_ops.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {import("./world.mjs").Machine} Machine */
/** @typedef {import("../../dist/log/types.js").Op} Op */

const REGISTRY = "/w/.coco/registry";

/** Logs whose claims were found right. @type {WeakSet<Buffer>} */
const right = new WeakSet();

/** @param {World} world */
export function checkMidway(world) {
  for (const machine of new Set(world.plan.apart ? world.machines : world.machines.slice(0, 1))) {
    const logs = logFiles(machine.disk).map((file) => ({ ...file, ops: opsIn(file.log) }));
    const aside = textsIn(machine.disk, [`${REGISTRY}/journal`, `${REGISTRY}/unsynced`]);
    promised(world, machine, logs, aside);
    once(world, logs);
    // Git takes a log after the other, and a branch may have a part alone until it is merged.
    if (!world.plan.git) halves(world, machine, logs, aside);
    for (const { id, log, ops } of logs) {
      if (right.has(log)) continue;
      for (const one of wrongClaims(ops)) world.violate(`in the log of ${id} ${one}`);
      right.add(log);
    }
    if (aside.length === 0) grown(world, machine, logs);
  }
}

/** Each acknowledged change is where the next process finds it. @param {World} world @param {Machine} machine @param {{ ops: Op[] }[]} logs @param {Buffer[]} aside */
function promised(world, machine, logs, aside) {
  if (world.plan.tellsLosses) return;
  const there = new Set(logs.flatMap(({ ops }) => ops.flatMap(({ events }) => events.map(({ hash }) => hash))));
  for (const [event, { key, tool, disk }] of world.promised) {
    if (disk !== machine.disk || there.has(event)) continue;
    const home = world.homes.get(event);
    if (world.lost.size > 0 && (home === undefined || world.lost.has(home))) continue;
    if (aside.some((bytes) => bytes.includes(event))) continue;
    if (world.plan.stream?.mode === "strict" && world.stream?.has(event)) continue;
    if (world.plan.git && world.machines.some(({ repository }) => repository.hasEver(event))) continue;
    world.violate(`[DUR-1] midway no log has event ${event} of ${tool} ${key}, which was acknowledged`);
  }
}

/** @param {World} world @param {{ ops: Op[] }[]} logs */
function once(world, logs) {
  /** @type {Map<string, string>} */
  const ids = new Map();
  for (const { events } of logs.flatMap(({ ops }) => ops)) {
    const { key, id = "" } = events[0]?.op ?? {};
    if (key === undefined) continue;
    // A call that is repeated on another branch, or without a lock, finds nothing of the first.
    const isTwice = (ids.get(key) ?? id) !== id;
    if (isTwice && world.isAlone(key)) world.violate(`[ENG-2] midway ${key} is applied twice`);
    ids.set(key, id);
  }
}

/** Of a transaction that some logs have in part, the journal has the rest. @param {World} world @param {Machine} machine @param {{ ops: Op[] }[]} logs @param {Buffer[]} aside */
function halves(world, { disk }, logs, aside) {
  const whole = [...aside, ...textsIn(disk, [`${REGISTRY}/quarantine`])];
  for (const { id, of, parts } of partsOf(logs).values()) {
    if (parts.size === of || world.isPartOfLost(id, logs)) continue;
    // A part may be in a message that this machine has not taken in yet.
    const isToCome = world.stream?.messages.some(({ body }) => Buffer.from(body, "base64").includes(id)) ?? false;
    if (!isToCome && !whole.some((bytes) => bytes.includes(id)))
      world.violate(
        `[TXN-3] midway the logs have the parts ${[...parts].join(", ")} of ${of} of transaction ${id}, and no journal has it`,
      );
  }
}

/** Parts of each transaction that the logs have. @param {{ ops: Op[] }[]} logs */
export function partsOf(logs) {
  /** @type {Map<string, { id: string, of: number, parts: Set<number> }>} */
  const found = new Map();
  for (const { events } of logs.flatMap(({ ops }) => ops)) {
    const txn = events[0]?.op.txn;
    if (!txn) continue;
    const known = found.get(txn.id) ?? { id: txn.id, of: Number(txn.of), parts: new Set() };
    known.parts.add(Number(txn.n));
    found.set(txn.id, known);
  }
  return found;
}

/** A log has at least the revision that callers were told of. @param {World} world @param {Machine} machine @param {{ id: string, ops: Op[] }[]} logs */
function grown(world, machine, logs) {
  for (const [id, told] of world.revisions.get(machine.disk) ?? []) {
    const log = logs.find((one) => one.id === id);
    if (log && log.ops.length < told && machine.gits === 0 && !world.isAnother(id, machine.disk))
      world.violate(`[FRESH-1] midway the log of ${id} has ${log.ops.length} changes, and revision ${told} was told`);
  }
}

/** Of all files below. @param {import("./disk.mjs").Disk} disk @param {readonly string[]} folders @returns {Buffer[]} */
function textsIn(disk, folders) {
  return folders.flatMap((folder) => {
    if (disk.find(folder)?.kind !== "folder") return [];
    return disk.readdir(folder).flatMap((name) => {
      const path = `${folder}/${name}`;
      return disk.find(path)?.kind === "folder" ? textsIn(disk, [path]) : [disk.readFile(path)];
    });
  });
}
