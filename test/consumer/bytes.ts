/** Where a project has Node's types, bytes are a Buffer. */
import type { CaptureOptions } from "taskfold/runner";
import { nodeDisk } from "taskfold/testing";

export const read: Buffer = nodeDisk.readFile("log", 10);
export const print: Pick<CaptureOptions, "onOutput"> = {
  onOutput: (_, chunk: Buffer) => void process.stdout.write(chunk),
};
