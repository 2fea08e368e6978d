import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/log/canonical.ts";
import { repairLog } from "../../src/log/repair.ts";
import { MAX_LINE } from "../../src/log/envelope.ts";
import { buildLog, makeOp, minute, newerLine, randomHistory, splitLines, upon } from "../support/logs.ts";
import { told } from "../support/told.ts";
import { sampleOf, SWEEP, ROTATING } from "../support/sweep.ts";

const text = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map((p) => Buffer.from(p)));
const FOREIGN = '{"ts":"2026-01-01T00:00:00Z","type":"agent.started"}';
const NEWER = newerLine();

/** Seeds of random histories. */
const HISTORIES = sampleOf(
  Array.from({ length: 40 }, (_, seed) => seed),
  8,
);

describe("repairLog", () => {
  const { ops, bytes } = buildLog(3);
  const a = makeOp(10, upon(ops[2]!));
  const b = makeOp(11, upon(ops[2]!));

  it("[LOG-24] a log with nothing wrong comes back as it was", () => {
    expect(repairLog([bytes])).toEqual({
      bytes,
      split: [],
      quarantine: [],
      changed: false,
      dropped: { markers: 0, duplicates: 0, crlf: 0 },
      missing: [],
      incomplete: 0,
    });
    expect(repairLog([Buffer.alloc(0)]).changed).toBe(false);
  });

  it("[LOG-24] markers, copies, CR and marks go, every other line stays in its place", () => {
    const broken = text(
      "\uFEFF",
      bytes.toString().replaceAll("\n", "\r\n"),
      "<<<<<<< HEAD\n",
      b.bytes,
      "=======\n\n",
      FOREIGN,
      "\n",
      a.bytes,
      ops[1]!.bytes,
      ">>>>>>> theirs\n",
      NEWER,
      "\nbad\nbad\n",
      '{"torn',
    );
    const repaired = repairLog([broken]);
    expect(repaired.bytes.toString()).toBe(text(bytes, b.bytes, FOREIGN, "\n", a.bytes, NEWER, "\n").toString());
    expect(repaired.quarantine.map(String)).toEqual(["bad", '{"torn']);
    expect(repaired).toMatchObject({ changed: true, split: [], dropped: { markers: 3, duplicates: 1, crlf: 3 } });
    expect(told(repaired.bytes).order).toEqual(told(broken).order);
  });

  it("[LOG-24] a last line that lacks its LF gets it", () => {
    expect(repairLog([bytes.subarray(0, bytes.length - 1)])).toMatchObject({ bytes, changed: true });
  });

  it("[LOG-24] lines of other versions follow, in their order, and no line is counted twice", () => {
    const mine = text(bytes, b.bytes);
    const theirs = text(ops[0]!.bytes, a.bytes, FOREIGN, "\n", ops[1]!.bytes);
    const repaired = repairLog([mine, theirs, bytes]);
    expect(repaired.bytes.toString()).toBe(text(mine, a.bytes, FOREIGN, "\n").toString());
    expect(repaired).toMatchObject({ changed: true, dropped: { duplicates: 0 } });
    expect(repairLog([repaired.bytes, mine, theirs]).changed).toBe(false);
  });

  it("[LOG-24] held, incomplete and stray events stay", () => {
    const half = splitLines(makeOp(20, { ...upon(a), events: 2 }).bytes)[0]!;
    const log = text(bytes, b.bytes, makeOp(30, upon(makeOp(29, upon(a)))).bytes, half);
    expect(repairLog([log])).toMatchObject({ changed: false, bytes: log });
  });

  it("[LOG-24] another entity is cut out, the same from every clone", () => {
    const other = buildLog([{ ts: minute(50), events: 2 }, { ts: minute(70) }, { ts: minute(60) }]);
    const root = other.ops[0]!.events[0]!.hash;
    const lines = splitLines(other.bytes);
    const mixed = text(lines[0]!, bytes, ...lines.slice(1), FOREIGN, "\n");
    const repaired = repairLog([mixed]);
    expect(repaired.bytes.toString()).toBe(text(bytes, FOREIGN, "\n").toString());
    expect(repaired.split).toEqual([
      {
        root,
        suffix: Buffer.from(root, "base64url").toString("hex").slice(0, 6),
        lines: other.bytes,
        events: expect.arrayContaining(other.ops.flatMap(({ events }) => events)),
        maxTs: minute(70),
        heads: [other.ops[2]!.events[0]!.hash],
        seq: 4,
      },
    ]);
    expect(repairLog([text(other.bytes, bytes, FOREIGN, "\n")]).split).toEqual(repaired.split);
    expect(repairLog([repaired.bytes])).toMatchObject({ changed: false, split: [] });
    expect(told(repaired.split[0]!.lines).report).toMatchObject({ ops: 3, linear: true });
    // Found only in another version: the file itself need not change, but there is something to do.
    expect(repairLog([bytes, other.bytes])).toMatchObject({ bytes, changed: true });
  });

  it("[LOG-24] a line too long to be read is set aside whole", ROTATING, () => {
    for (const size of [MAX_LINE + 1, 5 * MAX_LINE]) {
      const long = "x".repeat(size);
      const repaired = repairLog([text(bytes, long, "\n", a.bytes)]);
      expect(repaired.quarantine.map((q) => sha256(q))).toEqual([sha256(long)]);
      expect(repaired.bytes.equals(text(bytes, a.bytes))).toBe(true);
    }
  });

  it(
    "[LOG-24] no line is lost and the order is the same, however histories are cut, shuffled and joined",
    SWEEP,
    () => {
      for (const seed of HISTORIES) {
        const { lines, random, bytes: whole } = randomHistory(seed);
        const noise = ["<<<<<<< HEAD\n", "=======\n", ">>>>>>> x\n", `${FOREIGN}\n`, "bad\n"].map((l) =>
          Buffer.from(l),
        );
        const version = (): Buffer =>
          text(...random.shuffle([...lines.filter(() => random.chance(0.7)), ...noise, lines[0]!]));
        const versions = [version(), version(), text(...random.shuffle(lines))];
        const repaired = repairLog(versions);
        const kept = splitLines(repaired.bytes).map(String);
        expect(kept.toSorted(), `seed ${seed}`).toEqual([...lines.map(String), `${FOREIGN}\n`].toSorted());
        expect(told(repaired.bytes).order, `seed ${seed}`).toEqual(told(whole).order);
        expect(repairLog([repaired.bytes]).changed, `seed ${seed}`).toBe(false);
        // What stood in the first version still stands in its order.
        const first = [...new Set(splitLines(versions[0]!).map(String))].filter((line) => kept.includes(line));
        expect(kept.slice(0, first.length), `seed ${seed}`).toEqual(first);
      }
    },
  );
});
