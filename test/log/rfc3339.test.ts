import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utcNanos } from "../../src/log/rfc3339.ts";

describe("times of other programs", () => {
  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000000Z"],
    ["2026-01-02t03:04:05.5z", "2026-01-02T03:04:05.500000000Z"],
    ["2026-01-02T03:04:05.1234567891Z", "2026-01-02T03:04:05.123456789Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000000000Z"],
    ["2024-02-28T23:30:60-01:00", "2024-02-29T00:30:60.000000000Z"],
    ["2023-02-28T23:30:00-01:00", "2023-03-01T00:30:00.000000000Z"],
    ["2026-03-01T00:00:00+00:01", "2026-02-28T23:59:00.000000000Z"],
    ["2025-12-31T23:59:59-00:01", "2026-01-01T00:00:59.000000000Z"],
  ])("[LOG-18] %s is %s", (text, expected) => {
    expect(utcNanos(text)).toBe(expected);
  });

  it.each([
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+24:00",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "1767225600",
  ])("[LOG-17] %s is no such time", (text) => {
    expect(utcNanos(text)).toBeNull();
  });

  it("[LOG-18] agrees with the platform's own clock arithmetic", () => {
    const times = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(times, fc.integer({ min: -1439, max: 1439 }), (utc, offset) => {
        const local = new Date(utc.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const two = (n: number): string => String(n).padStart(2, "0");
        const minutes = Math.abs(offset);
        const text = `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
        expect(utcNanos(text)).toBe(`${utc.toISOString().slice(0, -1)}000000Z`);
      }),
    );
  });
});
