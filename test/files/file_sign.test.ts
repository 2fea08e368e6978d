import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { FileStat } from "../../src/disk.ts";
import { isSettled, recordedSign, same, sameExceptCtime, sameRecorded, signOf } from "../../src/files/file_sign.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";

onRealDisk();

const TICK_MS = 100;

function given() {
  const path = join(tempFolder(), "file");
  writeFileSync(path, "one");
  const look = (): FileStat => nodeDisk.lstat(path)!;
  return { path, look };
}

/** Until the clock of the file system has gone on: a change of then has other times. */
function untilNextTick(folder: string, { ctimeMs }: FileStat): void {
  const other = join(folder, "other");
  do writeFileSync(other, "");
  while (statSync(other).ctimeMs <= ctimeMs);
}

describe("the sign of a file", () => {
  const changes: [string, (path: string, before: FileStat) => void][] = [
    ["is longer", (path) => writeFileSync(path, "longer")],
    ["is of equal size", (path) => writeFileSync(path, "two")],
    [
      "is of equal size, and a program set its mtime back",
      (path, { mtimeMs }) => {
        writeFileSync(path, "two");
        utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
      },
    ],
    [
      "was replaced by a rename, with equal size and mtime",
      (path, { mtimeMs }) => {
        const other = `${path}.new`;
        writeFileSync(other, "two");
        utimesSync(other, mtimeMs / 1000, mtimeMs / 1000);
        renameSync(other, path);
      },
    ],
    ["has other rights, so that ctime alone is another", (path) => chmodSync(path, 0o640)],
  ];

  it.each(changes)("[FRESH-12] a file that %s is another", (_what, change) => {
    const { path, look } = given();
    const before = look();
    untilNextTick(join(path, ".."), before);
    change(path, before);
    const after = look();
    expect(same(before, after)).toBe(false);
    expect(signOf(after)).not.toBe(signOf(before));
    expect(sameRecorded(recordedSign(before), recordedSign(after))).toBe(false);
  });

  it("[FRESH-12] a file that nothing changed is the same, also where it is missing", () => {
    const { look } = given();
    expect(same(look(), look())).toBe(true);
    expect(signOf(look())).toBe(signOf(look()));
    expect(same(undefined, null)).toBe(true);
    expect(same(look(), undefined)).toBe(false);
    expect(sameRecorded(null, recordedSign(look()))).toBe(false);
  });

  it("[FRESH-12] a file of another device is another one, though all else is equal; a record has no device", () => {
    const stat = given().look();
    const mounted = { ...stat, dev: stat.dev + 1 };
    expect([same(stat, mounted), sameExceptCtime(stat, mounted), signOf(stat) === signOf(mounted)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(sameRecorded(recordedSign(stat), recordedSign(mounted))).toBe(true);
  });

  it("[FRESH-12] a file that was renamed by its owner is the same but for ctime", () => {
    const { path, look } = given();
    const before = look();
    untilNextTick(join(path, ".."), before);
    renameSync(path, `${path}.moved`);
    renameSync(`${path}.moved`, path);
    expect(sameExceptCtime(before, look())).toBe(true);
    writeFileSync(path, "longer");
    expect(sameExceptCtime(before, look())).toBe(false);
  });

  /** Looks at a file with these times on a machine with a clock that disagrees with the file server's by so much. */
  function machine(ahead: number) {
    const { path, look } = given();
    const changed = look().ctimeMs + ahead;
    let passed = 0;
    const runtime = { now: () => changed + passed, uptime: () => 5000 + passed };
    const isSettledAfter = (ms: number, stat = look()): boolean => {
      passed = ms;
      return isSettled({ runtime }, stat);
    };
    return { path, look, isSettledAfter };
  }

  it.each([-59_000, -101, 0, 101, 59_000])(
    "[FRESH-12] a file that changed within a tick may change again unseen, also where its server's clock is %i ms behind",
    (ahead) => {
      const { isSettledAfter } = machine(ahead);
      expect(isSettledAfter(0)).toBe(false);
      expect(isSettledAfter(TICK_MS)).toBe(false);
      expect(isSettledAfter(TICK_MS + 1)).toBe(true);
    },
  );

  it("[FRESH-12] each change of mtime or ctime makes a file young again", () => {
    const { path, look, isSettledAfter } = machine(0);
    const before = look();
    expect(isSettledAfter(0)).toBe(false);
    expect(isSettledAfter(1000)).toBe(true);
    utimesSync(path, 1, 1);
    expect(isSettledAfter(1000)).toBe(false);
    expect(isSettledAfter(1000, { ...before, ctimeMs: before.ctimeMs + 1 })).toBe(false);
    expect(isSettledAfter(1000, { ...before, mtimeMs: before.mtimeMs + 1 })).toBe(false);
    expect(isSettledAfter(1000, before)).toBe(true);
  });

  it("[FRESH-12] a file older than a minute is settled at the first look, and one from the future is not", () => {
    const old = machine(60_000);
    expect(old.isSettledAfter(0)).toBe(false);
    expect(machine(60_001).isSettledAfter(0)).toBe(true);
    const future = machine(-3_600_000);
    expect(future.isSettledAfter(0)).toBe(false);
    expect(future.isSettledAfter(TICK_MS + 1)).toBe(true);
  });

  it("[FRESH-12] two changes of equal size in one tick have one sign: that is what a settled file rules out", () => {
    const { path, look } = given();
    const fd = openSync(path, "r+");
    try {
      // The tick may end between two writes. Where the system stamps more finely than that, the sign tells both.
      for (let i = 0; i < 1000; i++) {
        writeSync(fd, "abc", 0);
        const first = look();
        writeSync(fd, "xyz", 0);
        if (fstatSync(fd).ctimeMs !== first.ctimeMs) continue;
        expect(same(first, look())).toBe(true);
        expect(isSettled({ runtime: nodeRuntime }, first)).toBe(false);
        return;
      }
    } finally {
      closeSync(fd);
    }
  });
});
