import { nodeDisk } from "../../src/disk.ts";
import { isSettled } from "../../src/files/file_sign.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";

const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Waits until files are older than a tick: no program sets their ctime back. */
export function settle(...paths: string[]): void {
  const isYoung = (path: string): boolean => {
    const stat = nodeDisk.outside.stat(path);
    return stat !== undefined && !isSettled({ runtime: nodeRuntime }, stat);
  };
  while (paths.some(isYoung)) Atomics.wait(CELL, 0, 0, 5);
}
