/** Source for a program of `child`: second threads that are counted, refused, or die. */
export const THREADS = `
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import threads from "node:worker_threads";

const Real = threads.Worker;
/** Counts the threads that start from now on, with this class in the place of Node's. */
const countThreads = (Worker) => {
  const count = { started: 0 };
  threads.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      count.started++;
    }
  };
  syncBuiltinESMExports();
  return count;
};
class Refused {
  constructor() {
    throw new Error("no thread here");
  }
}
const TAKES = "const { turn } = require('worker_threads').workerData; Atomics.add(turn, 0, 16);";
/** Takes the first places that are free, and ends so. */
const taking = (end) => class extends Real {
  constructor(_file, options) {
    super(TAKES + end, { ...options, eval: true });
    Atomics.wait(options.workerData.turn, 0, 0, 5000);
  }
};
const Dying = taking("process.exit(1)");
const Silent = taking("setInterval(() => undefined, 1000)");
`;
