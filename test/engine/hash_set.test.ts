import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashSet } from "../../src/engine/core/hash_set.ts";
import { learnEvents } from "../../src/engine/watch/watch.ts";
import { bytesSource } from "../../src/log/source.ts";
import { logLines, newTask, ok, openTemp } from "../support/workspace.ts";

const hashOf = (n: number): string => createHash("sha256").update(String(n)).digest("base64url");

describe("a set of hashes", () => {
  it("[regression WATCH-5] holds what was added and nothing else", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000)), fc.array(fc.nat(5000)), (added, asked) => {
        const set = new HashSet();
        const plain = new Set(added);
        for (const n of added) set.add(hashOf(n));
        expect(set.size).toBe(plain.size);
        for (const n of [...added, ...asked]) expect(set.has(hashOf(n))).toBe(plain.has(n));
      }),
    );
  });

  it("[regression WATCH-5] grows", () => {
    const set = new HashSet();
    for (let n = 0; n < 20_000; n++) set.add(hashOf(n));
    expect(set.size).toBe(20_000);
    const held = Array.from({ length: 40_000 }, (_, n) => set.has(hashOf(n)));
    expect(held.lastIndexOf(true)).toBe(19_999);
    expect(held.indexOf(false)).toBe(20_000);
  });
});

describe("learning what stands in a log", () => {
  it("[WATCH-1] finds the hash of every line, however it is written", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: '","hash":"not this one' });
    await ws.call("tasks_note", { workspace: "acme/repo", task: "TASK-001", note: "x" }, { agentInstance: '"hash":"' });
    const lines = logLines(ws.root);
    const hashes = lines.map((line) => (JSON.parse(line) as { hash: string }).hash);
    const { hash, payload, ...others } = JSON.parse(lines[2]!) as { hash: string; payload: object };
    const turned = JSON.stringify({ payload: { ...payload, hash: hashOf(1) }, ...others, hash });
    const text = ["<<<<<<< ours", lines[0], `${lines[1]}\r`, "{}", "null", turned, lines[3], '{"by":"torn'].join("\n");
    const known = new HashSet();
    expect(learnEvents(bytesSource(Buffer.from(text)), known)).toEqual({
      heads: [hashes[3]],
      at: Buffer.byteLength(text.slice(0, text.indexOf(lines[3]!))),
    });
    expect(known.size).toBe(4);
    expect(hashes.filter((each) => known.has(each))).toEqual(hashes);
  });
});
