/** Source for a program of `child`: runtimes whose threads are counted, refused, or die. */
import { ROOT } from "./source.ts";

export const THREADS = `
import { nodeRuntime } from ${JSON.stringify(`file://${ROOT}/dist/node_runtime.js`)};

/** Has so many threads beside this one, and counts those that start. */
class Counted {
  started = 0;

  constructor(threadsBeside, start = nodeRuntime.startThreads) {
    this.runtime = {
      ...nodeRuntime,
      threadsBeside,
      startThreads: (count, request) => {
        const threads = start(count, request);
        this.started += count;
        return threads;
      },
    };
  }
}
const refused = () => {
  throw new Error("no thread here");
};
/** Takes the first places that are free, and ends so. */
const taking = (end) => (count, request) => {
  const file = join(root, "thread.cjs");
  writeFileSync(file, "const { work } = require('worker_threads').workerData; Atomics.add(work.taken, 0, 16);" + end);
  const threads = nodeRuntime.startThreads(count, { ...request, file });
  while (Atomics.load(request.work.taken, 0) < 16 * count) nodeRuntime.nap(1);
  return threads;
};
const dying = taking("process.exit(1)");
const silent = taking("setInterval(() => undefined, 1000)");
`;
