// @ts-check
/** One thread of the crash matrix: it checks its share of the disks. */
import { parentPort, workerData } from "node:worker_threads";
import { Matrix } from "./matrix.mjs";

// Most errors of the disk say that a name is not there, and no one reads the place.
Error.stackTraceLimit = 0;
const { text, bounds } = /** @type {{ text: string, bounds: import("./matrix.mjs").Bounds }} */ (workerData);
parentPort?.postMessage(await new Matrix(text, bounds).run());
