// The bare work that a figure is measured against.
import * as fs from "node:fs";
import { join } from "node:path";

/** L: write and fdatasync of a ready line. @param {string} folder @param {Buffer} line */
export function durableAppends(folder, line) {
  const fd = fs.openSync(join(folder, "limit-durable"), "a");
  return {
    run: (n) => {
      for (let i = 0; i < n; i++) {
        fs.writeSync(fd, line);
        fs.fdatasyncSync(fd);
      }
    },
    close: () => fs.closeSync(fd),
  };
}

/** The same write without the sync. @param {string} folder @param {Buffer} line */
export function plainAppends(folder, line) {
  const fd = fs.openSync(join(folder, "limit-plain"), "a");
  return {
    run: (n) => {
      for (let i = 0; i < n; i++) fs.writeSync(fd, line);
    },
    close: () => fs.closeSync(fd),
  };
}
