// @ts-check
/** One thread of the crash matrix: it checks its share of the disks. */
import { parentPort, workerData } from "node:worker_threads";
import { Matrix } from "./matrix.mjs";

// Most errors of the disk say that a name is not there, and no one reads the place.
Error.stackTraceLimit = 0;
const { text, bounds } = /** @type {{ text: string, bounds: import("./matrix.mjs").Bounds }} */ (workerData);
const told = await new Matrix(text, bounds).run((script, { stops, survivors, violations }) => {
  const line = `thread ${bounds.share}: ${script}; so far ${stops} stops, ${survivors} survivors, ${violations.length} violations`;
  parentPort?.postMessage({ line });
});
parentPort?.postMessage(told);
