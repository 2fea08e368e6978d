import fc from "fast-check";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { inspectLines } from "../../src/files/inspect.ts";
import type { InspectedLines } from "../../src/files/inspect.ts";
import { tempFolder } from "../support/temp.ts";
import { runsOf, SWEEP, ROTATING } from "../support/sweep.ts";

/** What the lines of a text are, written so that nobody can mistake it. */
function expected(text: string, start: number, end: number): InspectedLines {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length < end) return { state: "short", lines: lines.length };
  const wanted = lines.slice(start - 1, end).join("\n");
  return { state: "present", sha256: createHash("sha256").update(wanted, "latin1").digest("hex"), end };
}

/** Gives at most so many bytes at once, so that line ends fall between two reads; counts what is held at once. */
class SmallReads {
  largest = 0;
  readonly disk: Disk;

  constructor(most: number) {
    this.disk = Object.assign(Object.create(nodeDisk) as Disk, {
      read: (fd: number, into: Buffer, at: number) => {
        this.largest = Math.max(this.largest, into.length);
        return nodeDisk.read(fd, into.subarray(0, Math.min(most, into.length)), at);
      },
      readFile: () => expect.fail("the whole file was read at once"),
    });
  }
}

it(
  "[regression CHECK-30] lines are found wherever reads end, with LF for CR LF and every other byte as it is",
  SWEEP,
  () => {
    const folder = tempFolder();
    const texts = fc
      .array(fc.constantFrom("\n", "\r\n", "\r", "a", "\u00e9", "\0", "bc"), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 8 }),
        fc.nat(8),
        fc.integer({ min: 1, max: 7 }),
        (text, start, more, most) => {
          writeFileSync(join(folder, "a.txt"), text, "latin1");
          const found = inspectLines(new SmallReads(most).disk, folder, "a.txt", start, start + more);
          expect(found).toEqual(expected(text, start, start + more));
        },
      ),
      runsOf(500),
    );
  },
);

it("[regression CHECK-30] no more of a file is held than a chunk, however many lines it has", ROTATING, () => {
  const folder = tempFolder();
  const size = 8 * 1024 * 1024;
  writeFileSync(join(folder, "a.txt"), Buffer.alloc(size, "\n"));
  const reads = new SmallReads(Infinity);
  expect(inspectLines(reads.disk, folder, "a.txt", 1, size)).toEqual({
    state: "present",
    sha256: createHash("sha256")
      .update(Buffer.alloc(size - 1, "\n"))
      .digest("hex"),
    end: size,
  });
  expect(inspectLines(reads.disk, folder, "a.txt", 5, size + 1)).toEqual({ state: "short", lines: size });
  expect(reads.largest).toBeLessThanOrEqual(256 * 1024);
});
