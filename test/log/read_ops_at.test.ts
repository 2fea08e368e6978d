import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readOpsAt } from "../../src/log/read_ops_at.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { sealOp } from "../../src/log/envelope.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** A straight log of ops with so many events each, of which each has a payload of that many characters. */
function logOf(sizes: readonly (readonly number[])[], between = ""): Buffer {
  const parts: Buffer[] = [];
  let heads: string[] = [];
  let seq = 0;
  sizes.forEach((events, i) => {
    const { events: sealed, bytes } = sealOp({
      taskId: "TASK-001",
      by: "human:ada",
      ts: `2026-01-01T00:00:${String(i % 60).padStart(2, "0")}.000Z`,
      tool: "x",
      opId: `op-${i}`,
      heads,
      seq,
      drafts: events.map((n) => ({ type: "x.y", payload: { message: "ü".repeat(n) } })),
    });
    heads = [sealed.at(-1)!.hash];
    seq += events.length;
    parts.push(Buffer.from(between), bytes);
  });
  return Buffer.concat(parts);
}

describe("reading ops where they stand", () => {
  it("[RESUME-3] gives what a reading of the whole gives, in the order asked for", SWEEP, () => {
    const sizes = fc.array(fc.array(fc.constantFrom(0, 10, 3000, 40_000), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(sizes, fc.constantFrom("", "\n", '{"ts":"2026-01-01T00:00:00Z","type":"x"}\n'), (list, between) => {
        const source = bytesSource(logOf(list, between));
        const { ops } = readOps(source);
        expect(ops).toHaveLength(list.length);
        const backwards = ops.toReversed();
        expect(
          readOpsAt(
            source,
            backwards.map((op) => op.offset),
          ),
        ).toEqual(backwards.map((op) => op.events));
      }),
      runsOf(40),
    );
  });

  it("[RESUME-3] begins behind an empty line, which closes a line that had no end", () => {
    const source = bytesSource(Buffer.concat([Buffer.from("\n"), logOf([[1, 2]])]));
    expect(readOpsAt(source, [0])?.[0]).toHaveLength(2);
  });

  it("[RESUME-3] says so when an op is not there in one piece", () => {
    const log = logOf([[1, 2], [3]]).toString("utf8");
    const [one, two, three] = log.trimEnd().split("\n") as [string, string, string];
    const at = (text: string): unknown => readOpsAt(bytesSource(Buffer.from(text)), [0]);
    expect(at(`${one}\n${three}\n${two}\n`)).toBeNull();
    expect(at(`${one}\n\n${two}\n`)).toBeNull();
    expect(at(`${one}\n${two}`)).toBeNull();
    expect(at(`${two}\n${one}\n`)).toBeNull();
    expect(at("garbage\n")).toBeNull();
    expect(at("")).toBeNull();
    expect(readOpsAt(bytesSource(Buffer.from(log)), [Buffer.byteLength(log) + 10])).toBeNull();
  });
});
