/** How payloads write digests: content in hex, what has a hash in the log in base64url. Held to every golden log. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

type Json = Record<string, unknown>;

const golden = join(import.meta.dirname, "../golden");
const logs = readdirSync(golden, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("events.jsonl") && !path.includes("runtime"))
  .toSorted();

const CONTENT = /^(?:sha256|previous_sha256|lines_sha256)$/;
const HASHED = /^(?:op|root|head|found|void|accepted|hashes)$/;
const digest = (data: string | Buffer, as: "hex" | "base64url"): string => createHash("sha256").update(data).digest(as);

const linesOf = (path: string): string[] =>
  readFileSync(join(golden, path), "utf8")
    .split("\n")
    .map((line) => line.trim());
interface Told {
  hash?: string;
  type: string;
  payload: Json;
}
const eventsOf = (path: string): Told[] =>
  linesOf(path)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Told)
    .filter(({ hash }) => hash !== undefined);

/** Every member at any depth, but for values that undo and redo give back. */
function* membersOf(value: unknown): Generator<[string, unknown, Json]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield [key, member, value as Json];
    if (key !== "fields") yield* membersOf(member);
  }
}

describe("digests in payloads", () => {
  it("[EVENT-43] are hex for content and base64url for what has a hash in the log", () => {
    const events = logs.flatMap((path) => eventsOf(path));
    const members = events.flatMap(({ payload }) => [...membersOf(payload)]);
    // What a gate found is text.
    const ofLogs = events.filter(({ type }) => !/^(?:packet|stage)\./.test(type));
    const content = members.filter(([key, value]) => CONTENT.test(key) && value !== null).map(([, value]) => value);
    const hashed = ofLogs
      .flatMap(({ payload }) => [...membersOf(payload)])
      .filter(([key]) => HASHED.test(key))
      .flatMap(([, value]) => value);
    expect(Math.min(content.length, hashed.length)).toBeGreaterThan(10);
    expect(content.filter((value) => !/^[0-9a-f]{64}$/.test(String(value)))).toEqual([]);
    expect(hashed.filter((value) => !/^[A-Za-z0-9_-]{43}$/.test(String(value)))).toEqual([]);
  });

  it("[EVENT-60] [LOG-17] are of the bytes that are kept, and of the trimmed line of another program", () => {
    const seen = { texts: 0, blobs: 0, lines: 0 };
    for (const path of logs) {
      const lines = new Set(linesOf(path).map((line) => digest(line, "base64url")));
      for (const { type, payload } of eventsOf(path)) {
        for (const [, , { sha256, content, excerpt }] of membersOf(payload)) {
          if (typeof sha256 !== "string") continue;
          const blob = join(golden, dirname(path), "shared/evidence/blobs", sha256);
          const kept = typeof content === "string" ? content : excerpt === undefined ? null : readFileSync(blob);
          if (kept === null) continue;
          seen[typeof kept === "string" ? "texts" : "blobs"]++;
          expect(digest(kept, "hex")).toBe(sha256);
        }
        for (const hash of type === "foreign.adopted" ? (payload["hashes"] as string[]) : []) {
          seen.lines++;
          expect(lines).toContain(hash);
        }
      }
    }
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(2);
  });
});
