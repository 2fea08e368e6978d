import { describe, expect, it } from "vitest";
import { canonicalJson, sha256 } from "../../src/log/canonical.ts";
import { MAX_LINE } from "../../src/log/envelope.ts";
import { readLine, type Line, type LineOptions } from "../../src/log/line.ts";
import { scan } from "../../src/log/scan.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Event, Payload } from "../../src/log/types.ts";
import { makeOp, newerLine, upon } from "../support/logs.ts";

function read(text: string | Buffer, options?: LineOptions): Line {
  let line: Line | null = null;
  scan(bytesSource(Buffer.from(text)), { offset: 0, line: 1 }, (view) => {
    line = readLine(view, options);
    return false;
  });
  return line!;
}

const { events, bytes } = makeOp(1, upon(makeOp(0)));
const event = events[0]!;
const text = bytes.toString().trimEnd();

/** A valid event with other content, however unlikely. */
function rehashed(change: object): Event {
  const { hash: _, ...rest } = { ...event, ...change };
  return { ...rest, hash: sha256(canonicalJson(rest)) };
}

describe("a line of ours", () => {
  it("[LOG-1] is read back as it was written", () => {
    expect(read(text)).toEqual({ kind: "own", event, canonical: true });
    expect(read(`\uFEFF${text}\r\n`)).toEqual({ kind: "own", event, canonical: true });
  });

  it.each<[string, object]>([
    ["agentInstance before the hash", { agentInstance: "a" }],
    ["an agentInstance that is not ASCII", { agentInstance: "é\u{1F600}" }],
    ["an agentInstance that looks like the member", { agentInstance: '"hash":"' }],
    ["an unknown key that hides another hash", { added: { hash: sha256("x") } }],
    ["text of many bytes", { payload: { message: "日本語 \u{1F600} \u2028" } }],
  ])("[LOG-4] is valid with %s", (_, change) => {
    const other = rehashed(change);
    expect(read(canonicalJson(other))).toEqual({ kind: "own", event: other, canonical: true });
    expect(read(canonicalJson(other), { checkHash: "canonical" })).toEqual({
      kind: "own",
      event: other,
      canonical: true,
    });
  });

  it("[LOG-4] is valid, and said not to be canonical, when it was written out anew", () => {
    const turned = JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()));
    for (const other of [
      JSON.stringify(event, null, 1).replaceAll("\n", " "),
      turned,
      ` ${text}`,
      text.replace('"v":1', '"v":1.0'),
    ]) {
      expect(read(other)).toEqual({ kind: "own", event, canonical: false });
    }
  });

  it("[LOG-4] is no event when anything in it was changed", () => {
    for (const other of [text.replace("note 1.0", "note 1.1"), text.replace("agent:test", "agent:tent")]) {
      expect(read(other)).toMatchObject({ kind: "bad", code: "LINE_BAD_HASH" });
      expect(read(other, { checkHash: false })).toMatchObject({ kind: "own" });
    }
  });

  it("[LOG-4] is no event with a repeated key", () => {
    const doubled = text.replace('"v":1', '"v":1,"v":1');
    expect(read(doubled)).toMatchObject({ kind: "bad", code: "LINE_INVALID" });
    const inside = text.replace('"n":1', '"n":7,"n":1');
    expect(read(inside)).toMatchObject({ kind: "bad", code: "LINE_INVALID" });
    // Hashed by its writer over these very bytes: only the full check can tell.
    const bare = doubled.replace(/"hash":"[^"]*",/, "");
    const forged = bare.replace(',"op"', `,"hash":"${sha256(bare)}","op"`);
    expect(read(forged, { checkHash: "canonical" })).toMatchObject({ kind: "bad", code: "LINE_BAD_HASH" });
  });

  it("[LOG-5] is no event when its value has no one text", () => {
    for (const value of ["1.5", '"\\ud800"', `${"[".repeat(100)}${"]".repeat(100)}`]) {
      expect(read(text.replace('"n":1}', `"n":${value}}`))).toMatchObject({ kind: "bad" });
    }
  });

  it("[LOG-15] is no line of a newer version unless its hash is right", () => {
    expect(read(canonicalJson({ ...rehashed({ v: 2 }), v: 3 }))).toMatchObject({ kind: "bad", code: "LINE_BAD_HASH" });
    expect(read(newerLine().replace('"v":2', '"v":3'))).toMatchObject({ kind: "bad", code: "LINE_BAD_HASH" });
    expect(read('{"hash":"x","v":2}')).toMatchObject({ kind: "bad" });
  });

  it("[LOG-17] is damage without its hash, and no line of another program", () => {
    const changed = text.replace('"hash":', '"hasi":');
    expect(read(changed)).toMatchObject({ kind: "bad", code: "LINE_INVALID", reason: "expected a hash, found none" });
    const { op: _op, ...other } = JSON.parse(changed) as Record<string, unknown>;
    expect(read(JSON.stringify(other))).toMatchObject({ kind: "foreign" });
  });

  it.each<[string, boolean]>([
    ["2026-02-30T23:59:59.999Z", true],
    ["2026-01-01T24:00:00.000Z", false],
    ["2026-01-01T23:59:60.000Z", false],
    ["2026-99-01T00:00:00.000Z", false],
    ["2026-01-00T00:00:00.000Z", false],
  ])("[LOG-2] the time %s makes an event: %s", (ts, is) => {
    const kinds = is ? { kind: "own" } : { kind: "bad", code: "LINE_INVALID" };
    expect(read(canonicalJson(rehashed({ ts })))).toMatchObject(kinds);
  });

  it("[LOG-15] of a newer version has its place when its envelope is known, and is kept when not", () => {
    const newer = rehashed({ v: 2 });
    expect(read(canonicalJson(newer))).toMatchObject({ kind: "own", event: newer });
    expect(read(newerLine())).toMatchObject({ kind: "newer", hash: sha256(newerLine()) });
    for (const v of ["0", "-1", '"2"', "null", "1.5"]) {
      expect(read(`{"hash":"x","v":${v}}`)).toMatchObject({ kind: "bad", code: "LINE_INVALID" });
    }
  });
});

describe("other lines", () => {
  it.each(["<<<<<<< HEAD", "<<<<<<<", "|||||||| 1234", "=======", "==========  ", ">>>>>>> theirs\r"])(
    "[LOG-16] %j is a marker",
    (line) => {
      expect(read(`${line}\n`)).toEqual({ kind: "marker" });
    },
  );

  it.each(["<<<<<< HEAD", "<<<<<<<HEAD", "======= x", "|||", "x", "[1]", '"x"', "null", '{"a":1', "\u0000"])(
    "[LOG-20] %j is bad",
    (line) => {
      expect(read(`${line}\n`)).toMatchObject({ kind: "bad" });
    },
  );

  it.each(["\n", "\r\n", "  \t\n", "\uFEFF\n", "\f\u00A0\u2003 \n"])("[LOG-1] %j is blank", (line) => {
    expect(read(line)).toEqual({ kind: "blank" });
  });

  it("[LOG-17] an object without hash, with a time and a type, is foreign", () => {
    const line =
      '{"ts":"2026-01-01T01:00:00+01:00","type":"agent.started","agentInstance":"a","payload":{"x":1.5},"by":null}';
    const expected = {
      hash: sha256(line),
      ts: "2026-01-01T00:00:00.000000000Z",
      type: "agent.started",
      agentInstance: "a",
      payload: { x: 1.5 },
    };
    expect(read(line)).toEqual({ kind: "foreign", foreign: expected });
    expect(read(`  ${line} \r\n`)).toEqual({ kind: "foreign", foreign: expected });
  });

  it("[LOG-17] may have a time in a leap second", () => {
    expect(read('{"ts":"2016-12-31T23:59:60Z","type":"x"}')).toMatchObject({ kind: "foreign" });
  });

  it.each<[unknown, Payload]>([
    [undefined, {}],
    [[1], {}],
    ["text", {}],
    [{ a: 1 }, { a: 1 }],
  ])("[LOG-17] the payload %j of a foreign line is read as %j", (payload, expected) => {
    const line = read(JSON.stringify({ ts: "2026-01-01T00:00:00Z", type: "x", payload, agentInstance: null }));
    expect(line).toMatchObject({ kind: "foreign", foreign: { payload: expected, agentInstance: null } });
  });

  it.each([
    '{"type":"x"}',
    '{"ts":"yesterday","type":"x"}',
    '{"ts":"2026-01-01T00:00:00Z"}',
    '{"ts":1,"type":"x"}',
    "{}",
  ])("[LOG-20] %s is neither event nor foreign line", (line) => {
    expect(read(line)).toMatchObject({ kind: "bad", code: "LINE_INVALID" });
  });

  it.each([
    ["x", "LINE_NOT_JSON", 'expected JSON, found "x"'],
    [`x${"y".repeat(30)}`, "LINE_NOT_JSON", `expected JSON, found "x${"y".repeat(19)}"`],
    [" \u0000", "LINE_NOT_JSON", 'expected JSON, found " \\u0000"'],
    ['  {"a":1', "LINE_NOT_JSON", 'expected JSON, found "  {\\"a\\":1"'],
    ["[1]", "LINE_INVALID", "expected an object"],
    ['"x"', "LINE_INVALID", "expected an object"],
    ["null", "LINE_INVALID", "expected an object"],
    ["true", "LINE_INVALID", "expected an object"],
    ["-1", "LINE_INVALID", "expected an object"],
    ["7", "LINE_INVALID", "expected an object"],
    ['{"hash":"x","v":0}', "LINE_INVALID", "v: expected a version from 1"],
    ['{"hash":"x","v":1}', "LINE_INVALID", "op: expected an object, found nothing"],
    ['{"prev":1,"op":1,"seq":1,"ts":"2026-01-01T00:00:00Z","type":"x"}', "LINE_INVALID", "expected a hash, found none"],
    ['{"ts":"2026-01-01T00:00:00Z","type":1}', "LINE_INVALID", "expected a type, found none"],
    ['{"ts":1,"type":"x"}', "LINE_INVALID", "ts: expected a time as in RFC 3339"],
    ['{"ts":"yesterday","type":"x"}', "LINE_INVALID", "ts: expected a time as in RFC 3339"],
  ])("[LOG-20] of %j it says what was expected", (line, code, reason) => {
    expect(read(line)).toEqual({ kind: "bad", code, reason });
  });

  it.each(['{"a":}', '["a"', "[", "tru", "{,}"])("[LOG-20] %j is not JSON", (line) => {
    expect(read(line)).toMatchObject({ kind: "bad", code: "LINE_NOT_JSON" });
  });

  it.each(["prev", "op", "seq"])("[LOG-17] an object with no hash and no %s is a line of another program", (key) => {
    const { [key]: _none, ...others } = { prev: 1, op: 1, seq: 1, ts: "2026-01-01T00:00:00Z", type: "x" } as Record<
      string,
      unknown
    >;
    expect(read(JSON.stringify(others))).toMatchObject({ kind: "foreign", foreign: { type: "x" } });
  });

  it("[LOG-17] the agent of a foreign line is a text or none", () => {
    const line = read(JSON.stringify({ ts: "2026-01-01T00:00:00Z", type: "x", agentInstance: 1 }));
    expect(line).toMatchObject({ kind: "foreign", foreign: { agentInstance: null, payload: {} } });
  });

  it("[LOG-15] a line of a newer version has the same name with blanks around it", () => {
    expect(read(` ${newerLine()} `)).toEqual({ kind: "newer", hash: sha256(newerLine()) });
  });

  it("[LOG-22] says how long a line may be, and takes one of that length", () => {
    const padded = (bytes: number): string => `${text}${" ".repeat(bytes - Buffer.byteLength(text))}`;
    expect(read(padded(MAX_LINE))).toMatchObject({ kind: "own" });
    expect(read(padded(MAX_LINE + 1))).toEqual({
      kind: "bad",
      code: "LINE_TOO_LONG",
      reason: "expected at most 2097152 bytes",
    });
  });

  it("[LOG-22] a line above 2 MiB is not read", () => {
    const long = (size: number): string => `{"ts":"2026-01-01T00:00:00Z","type":"x","a":"${"x".repeat(size)}"}`;
    expect(read(long(MAX_LINE - 100))).toMatchObject({ kind: "foreign" });
    expect(read(long(MAX_LINE))).toMatchObject({ kind: "bad", code: "LINE_TOO_LONG" });
    expect(read(long(3 * MAX_LINE))).toMatchObject({ kind: "bad", code: "LINE_TOO_LONG" });
  });
});
