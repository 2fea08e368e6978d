// @ts-check
/** Faults of the network and of the servers of a shared log. */

/** @typedef {import("./stream.mjs").Stream} Stream */
/** @typedef {import("./stream.mjs").Place} Place */
/**
 * `away`: the machine reaches no server for so long. `leader`: the servers have no leader. `apart`: the server of the machine leads, and the others
 * do not reach it; its copy keeps what never counted for as long again. `lost`, `silent`, `late`: of its next publishes (stream.mjs).
 * @typedef {"away" | "leader" | "apart" | "lost" | "silent" | "late"} NetworkFault
 */

/** @param {Stream} stream @param {Place} place @param {{ fault?: NetworkFault, ms?: number, times?: number }} turn @param {(ms: number, run: () => void) => void} later */
export function befalls(stream, place, { fault = "away", ms = 0, times = 1 }, later) {
  switch (fault) {
    case "away":
      stream.lose(place);
      later(ms, () => stream.restore(place));
      break;
    case "leader":
      stream.leaderless(ms);
      break;
    case "apart":
      stream.cutOff(place, Math.min(ms, 400));
      later(ms, () => stream.join());
      later(2 * ms, () => stream.catchUp());
      break;
    default:
      for (let i = 0; i < times; i++) place.fates.push({ kind: fault, ms });
  }
}
