import { describe, expect, it } from "vitest";
import { asLog, linesIn } from "../../src/log/lines_in.ts";
import { wholeLines } from "../../src/log/whole_lines.ts";
import { buildLog, newerLine, splitLines } from "../support/logs.ts";

const FOREIGN = '{"ts":"2026-01-01T00:00:00Z","type":"agent.started"}';
const { bytes, ops } = buildLog(3);
const hashes = ops.flatMap(({ events }) => events.map(({ hash }) => hash));
const joined = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

describe("lines that a log could miss", () => {
  it("[LOG-17] are events, lines of other programs and lines of a newer version, and nothing else", () => {
    const text = joined("\uFEFF", bytes, `${FOREIGN}\r\n`, "\n", "no JSON\n", newerLine(), "\n<<<<<<< ours\n");
    const lines = linesIn(Buffer.from(text));
    expect(lines.slice(0, 3).map(({ id }) => id)).toEqual(hashes);
    expect(lines.map(({ event }) => event !== undefined)).toEqual([true, true, true, false, false]);
    expect(lines.map((line) => line.bytes.toString())).toEqual([
      ...splitLines(bytes).map((line) => line.toString().trimEnd()),
      FOREIGN,
      newerLine().trimEnd(),
    ]);
    expect(asLog(lines.slice(0, 3))).toEqual(bytes);
  });
});

describe("bytes of unknown origin", () => {
  it("[DIR-56] count if each line is an event, the last one ends, and at most one blank line stands before them", () => {
    const read = (...parts: (Buffer | string)[]): string[] | undefined =>
      wholeLines(joined(...parts))?.map(({ hash }) => hash);
    expect(read(bytes)).toEqual(hashes);
    expect(read("\n", bytes)).toEqual(hashes);
    for (const parts of [
      [""],
      ["\n"],
      [bytes.subarray(0, -1)],
      ["\n\n", bytes],
      [bytes, "\n"],
      [bytes, `${FOREIGN}\n`],
      [`${FOREIGN}\n`],
      [bytes, "no JSON\n"],
      [joined(bytes).fill("x", 40, 41)],
    ]) {
      expect(
        read(...parts),
        joined(...parts)
          .toString()
          .slice(-40),
      ).toBeUndefined();
    }
    const given = joined(bytes);
    wholeLines(given);
    expect(given).toEqual(bytes);
  });
});
