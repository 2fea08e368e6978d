import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noteProven } from "../../src/log/envelope.ts";
import { readLine, type Line, type LineOptions } from "../../src/log/line.ts";
import { scan } from "../../src/log/scan.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Event } from "../../src/log/types.ts";
import { usualEvent } from "../../src/log/usual_line.ts";
import { makeOp, upon, type OpSpec } from "../support/logs.ts";
import { randomFrom } from "../support/random.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** Lines that each name the one before. */
function straight(length: number, spec: (n: number) => OpSpec = () => ({})): string[] {
  const lines: string[] = [];
  let before = makeOp(0);
  for (let n = 1; n <= length; n++) {
    before = makeOp(n, { opId: `operation-${n}`, ...upon(before), ...spec(n) });
    lines.push(before.bytes.toString().trimEnd());
  }
  return lines;
}

/** The lines as they are read: with `whole` by the parser alone, which a text that was not decoded before asks for. */
function read(lines: string[], whole: boolean, options: LineOptions): Line[] {
  const all: Line[] = [];
  scan(bytesSource(Buffer.from(`${lines.join("\n")}\n`)), { offset: 0, line: 1 }, (view) => {
    all.push(readLine(whole ? { ...view, text: null } : view, options));
    return true;
  });
  return all;
}

/** What both give, with and without each check, down to the order of keys. */
const parsed = (lines: string[]): string[] => CHECKS.flatMap((checkHash) => read(lines, true, { checkHash }).map(told));
const seen = (lines: string[]): string[] => CHECKS.flatMap((checkHash) => read(lines, false, { checkHash }).map(told));
const CHECKS = [false, true, "canonical"] as const;

/** The parser's own sentences quote what it was given, or not, by the representation of the text. */
function told(line: Line): string {
  return JSON.stringify(line.kind === "bad" && line.code === "LINE_NOT_JSON" ? { ...line, reason: "" } : line);
}

const spec = (n: number): OpSpec => ({
  by: n % 3 === 0 ? "human:b" : "agent:a",
  tool: n % 2 === 0 ? "tasks_note" : "tasks_done",
  events: [{ type: n % 4 === 0 ? "step.noted" : "step.done", payload: { message: `Note "${n}"`, list: [{}, [n]] } }],
});
const LINES = straight(8, spec);
const LAST = LINES.at(-1)!;

describe("a line read by its places", () => {
  it("[LOG-2] is the event that the parser gives, with its keys in the same order", () => {
    const found: (Event | null)[] = [];
    read(LINES, true, {});
    scan(bytesSource(Buffer.from(`${straight(20, spec).join("\n")}\n`)), { offset: 0, line: 1 }, (view) => {
      if (view.line <= 8) readLine(view);
      else {
        found.push(usualEvent(view));
        noteProven(found.at(-1)!.hash);
      }
      return true;
    });
    expect(found.map((event) => JSON.stringify(event))).toEqual(straight(20, spec).slice(8));
  });

  it("[LOG-2] is the same event behind a line that the parser alone can read", () => {
    const unusual = makeOp(9, { key: "k" }).bytes.toString().trimEnd();
    const all = [...LINES, unusual, ...LINES];
    expect(parsed(all)).toEqual(seen(all));
  });

  it.each<[string, string, string]>([
    ["no seq", '"seq":9', '"seq":'],
    ["a seq of 0", '"seq":9', '"seq":0'],
    ["a seq with a leading 0", '"seq":9', '"seq":09'],
    ["a seq that is not exact", '"seq":9', '"seq":9007199254740993'],
    ["a seq below 0", '"seq":9', '"seq":-9'],
    ["another n", '"n":1', '"n":2'],
    ["a key twice", '"n":1', '"n":1,"n":1'],
    ["a payload twice", '"payload":{', '"payload":{},"payload":{'],
    ["a payload that ends too early", ',"prev"', '},"prev"'],
    ["a payload that does not end", '},"prev"', ',"prev"'],
    ["a payload that is a list", /"payload":.*,"prev"/.exec(LAST)![0], '"payload":[{}],"prev"'],
    ["no payload", /"payload":.*,"prev"/.exec(LAST)![0], '"payload":,"prev"'],
    ["a blank behind the payload", '},"prev"', '} ,"prev"'],
    ["a blank before the end", '"v":1}', '"v":1 }'],
    ["another version", '"v":1}', '"v":2}'],
    ["an impossible time", "2026-01-", "2026-13-"],
    ["a type with a capital", '"type":"s', '"type":"S'],
    ["an actor without a name", '"by":"agent:a"', '"by":"agent:"'],
    ["an empty id", '"id":"operation-8"', '"id":""'],
    ["an id with an escape", "operation-8", "operation\\u002d8"],
    ["an id with half an escape", "operation-8", "operation-8\\"],
    ["an id with a control character", "operation-8", "operation\t8"],
    ["a short id", "operation-8", "op-8"],
    ["a long id", "operation-8", "8".repeat(65)],
    ["a hash with a control character", '"hash":"', '"hash":"\t'],
    ["a hash with an escape", '"hash":"', '"hash":"\\n'],
    ["no one before it", '"prev":["', '"prev":["","'],
    ["an instance", '{"by"', '{"agentInstance":"a","by"'],
    ["a turn", ',"type"', ',"turnId":"t","type"'],
  ])("[LOG-3] gives what the parser gives: %s", (_, from, to) => {
    expect(LAST).toContain(from);
    const changed = LAST.replace(from, to);
    // As long as before, too, where that is a hash: what was added at its beginning falls off at its end.
    const cut = changed.replace(/("hash":"(?:[^"\\]|\\.){42,43})[^"]*"/, '$1"');
    for (const line of [changed, cut]) {
      const all = [...LINES.slice(0, -1), line, LAST];
      expect(parsed(all)).toEqual(seen(all));
    }
  });

  it("[LOG-3] names only a hash that was found right", () => {
    const [first, second, third] = straight(3, spec) as [string, string, string];
    const odd = second.replace(/"hash":"...../, '"hash":"!!!!!');
    const names = third.replace(/"prev":\["...../, '"prev":["!!!!!');
    const all = [first, odd, names];
    expect(parsed(all)).toEqual(seen(all));
    expect(read([first, odd, names], false, {})[2]).toMatchObject({ kind: "bad", code: "LINE_INVALID" });
  });

  it("[LOG-3] names the line before it, and no earlier one", () => {
    const [first, second, third] = straight(3, spec) as [string, string, string];
    const unusual = makeOp(9, { ...upon(makeOp(8)), key: "k" })
      .bytes.toString()
      .trimEnd();
    for (const between of [unusual, "{}"]) {
      const all = [first, second, between, third];
      expect(parsed(all)).toEqual(seen(all));
    }
  });

  it.each(['a quote " in it', "a \\ in it", "a \n in it", "an é in it"])("[LOG-3] knows no name with %j", (name) => {
    const lines = straight(6, () => ({ tool: name, taskId: name }));
    expect(parsed(lines)).toEqual(seen(lines));
    const all = lines.map((line, i) => (i < 5 ? line : line.replaceAll(JSON.stringify(name), `"${name}"`)));
    expect(parsed(all)).toEqual(seen(all));
  });

  it("[LOG-3] is read as before when hundreds of actors, tools and types take turns", () => {
    const many = straight(300, (n) => ({
      by: `agent:a${(n * 7) % 90}`,
      tool: `tasks_${(n * 5) % 70}`,
      events: [{ type: `step.${"abcdefghijkl"[n % 12]}${"abcdefghijkl"[(n * 7) % 11]}`, payload: { n } }],
    }));
    expect(parsed(many)).toEqual(seen(many));
  });

  it("[LOG-3] gives what the parser gives, whatever bytes were changed", SWEEP, () => {
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "0",
      "7",
      "a",
      " ",
      "\t",
      "\u0001",
      "\r",
      "é",
      '\\"',
      '","',
      "",
    ];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const random = randomFrom(seed);
        const lines = LINES.map((line, i) => {
          if (i === 0 || random.chance(0.5)) return line;
          const at = random.below(line.length);
          return line.slice(0, at) + pieces[random.below(pieces.length)]! + line.slice(at + random.below(3));
        });
        expect(parsed(lines)).toEqual(seen(lines));
      }),
      runsOf(300),
    );
  });
});
