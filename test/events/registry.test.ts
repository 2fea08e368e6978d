import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../src/events/index.ts";
import { payloadLines } from "../support/payload_notation.ts";
import { unwind, Writer } from "../../src/events/writer.ts";

const page = readFileSync(new URL("../../spec/events.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `([a-z_.]+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)];

describe("event types", () => {
  it("[EVENT-3] the page names every type, its payload's keys and what undo does", () => {
    expect(rows.map((r) => r[1])).toEqual(Object.keys(EVENTS));
    for (const [, type, payload, , undo] of rows) {
      expect(undo, type).toBe(EVENTS[type!]!.undo);
      const properties = Object.keys((EVENTS[type!]!.payload as unknown as { properties: object }).properties);
      for (const key of properties.filter((k) => k !== "message")) expect(payload, `${type}.${key}`).toContain(key);
    }
  });

  it("[EVENT-43] [EVENT-3] the page has the shape of every payload", () => {
    const block = /## Payloads[\s\S]*?```\n([\s\S]*?)\n```/.exec(page)![1]!;
    expect(block.replaceAll(/\n {2}/g, " ").split("\n")).toEqual(payloadLines());
  });

  it("[EVENT-3] every payload has a sentence for people", () => {
    for (const type of Object.values(EVENTS)) {
      expect((type.payload as unknown as { required: string[] }).required, type.type).toContain("message");
    }
  });

  it("[EVENT-4] the record of an op's writes takes all of them back, last first", () => {
    const node = { $: "", title: "old", tags: ["a"], list: [1], count: 0 };
    const map = new Map([["k", 1]]);
    const w = new Writer();
    const record = w.begin();
    w.write(node, "title", "first");
    w.write(node, "title", "second");
    w.writeUntracked(node, "count", 7);
    w.push(node, "list", node.list, 2);
    w.put("gates", map, "k", 2);
    w.put("gates", map, "new", 3);
    expect(node.title).toBe("second");
    unwind(record);
    expect(node).toEqual({ $: "", title: "old", tags: ["a"], list: [1], count: 0 });
    expect([...map]).toEqual([["k", 1]]);
  });
});
