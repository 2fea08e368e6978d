// @module-tag long
import fc from "fast-check";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openWorkspaces } from "../../src/engine/workspaces.ts";
import { LineShape } from "../../src/hosts/mcp/line_shape.ts";
import { listedTools } from "../../src/hosts/mcp/listed_tool.ts";
import { serveMcp } from "../../src/hosts/mcp/serve.ts";
import { MAX_UNDER_WAY } from "../../src/hosts/mcp/jsonrpc.ts";
import { Wire } from "../../src/hosts/mcp/wire.ts";
import { ROTATING } from "../support/sweep.ts";
import { newTask, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { BareClient } from "./mcp_support.ts";

const on = { workspace: WORKSPACE };

/** Members of the largest object and values in all, by parsing. */
function sizes(value: unknown): { members: number; values: number } {
  if (typeof value !== "object" || value === null) return { members: 0, values: 0 };
  const inner = Object.values(value).map(sizes);
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return {
    members: Math.max(own, ...inner.map(({ members }) => members)),
    // An opening bracket and a comma each: what a line shows without being parsed.
    values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

describe("what a line holds", () => {
  it("[MCP-40] is counted as parsing would, however the line comes in parts and whatever its texts hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 9 }), (value, part) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const { members, values } = sizes(value);
        const fits = (most: { members: number; values: number }): boolean => {
          const shape = new LineShape(most);
          // What came before has no say in it.
          shape.take(Buffer.from('{"a":[1,2,"\\"}'));
          shape.reset();
          for (let i = 0; i < bytes.length; i += part) if (!shape.take(bytes.subarray(i, i + part))) return false;
          return true;
        };
        expect(fits({ members, values })).toBe(true);
        // One less is too few, where there is one.
        expect(fits({ members: members - 1, values })).toBe(members === 0);
        expect(fits({ members, values: values - 1 })).toBe(values === 0);
      }),
    );
  });

  const members = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 1]));
  it.each([
    ["members of an object", { ...on, ...members(10_001) }],
    ["members of an inner object", { ...on, note: [{ a: members(10_001) }] }],
    ["values", { ...on, note: Array.from({ length: 250_001 }, () => 1) }],
  ])(
    "[MCP-40] with too many %s is refused by its id, and the next request is answered",
    ROTATING,
    async (_what, input) => {
      const ws = openTemp();
      await newTask(ws);
      const before = tree(ws.root);
      const client = await new BareClient(ws.root).open();
      const { error } = await client.request("tools/call", { name: "tasks_note", arguments: input });
      expect(error?.message).toContain("CONTENT_TOO_LARGE");
      expect((await client.call("tasks_radar", { ...on, task: "TASK-001" })).success).toBe(true);
      expect(tree(ws.root)).toEqual(before);
    },
  );

  it("[MCP-40] with commas, brackets and colons in a text is taken", ROTATING, async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await new BareClient(ws.root).open();
    const note = ':,{[\\"'.repeat(40_000);
    expect((await client.call("tasks_note", { ...on, task: "TASK-001", note })).error).toBeNull();
  });
});

describe("a client that does not read", ROTATING, () => {
  it("[MCP-40] is not read either, and hears every answer once it reads", async () => {
    const asked = 5000;
    const input = new PassThrough();
    let answers = 0;
    let reads = false;
    let go = (): void => undefined;
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        answers += chunk.toString("latin1").split("\n").length - 1;
        if (reads) done();
        else go = done;
      },
    });
    const { ended } = serveMcp({
      workspaces: openWorkspaces({ roots: [openTemp().root] }),
      toolset: "core",
      version: "0",
      input,
      output,
      log: (message) => expect.fail(message),
    });
    const say = (message: object): boolean => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "a test", version: "1" };
    say({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    say({ method: "notifications/initialized" });
    for (let id = 1; id <= asked; id++) say({ id, method: "tools/list" });
    for (let last = -1; last !== output.writableLength;) {
      last = output.writableLength;
      await new Promise((done) => setTimeout(done, 100));
    }
    const one = JSON.stringify(listedTools("core", false)).length;
    expect(output.writableLength).toBeGreaterThan(one);
    expect(output.writableLength).toBeLessThan(1.1 * one * MAX_UNDER_WAY);
    reads = true;
    go();
    await expect.poll(() => answers, { timeout: 150_000 }).toBe(asked + 1);
    input.end();
    await ended;
  }, 180_000);

  it("[MCP-40] a request that was canceled, or asks to be told of changes, holds up nobody", async () => {
    const lines = new PassThrough();
    const wire = new Wire(lines, new Writable({ write: (_chunk, _encoding, done) => done() }));
    let heard = 0;
    wire.onmessage = () => heard++;
    await wire.start();
    const say = (message: object): boolean => lines.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    for (let id = 0; id < 2 * MAX_UNDER_WAY; id++) {
      say({ id, method: "tools/list" });
      say({ method: "notifications/cancelled", params: { requestId: id } });
      say({ id: `listen ${id}`, method: "subscriptions/listen", params: {} });
    }
    await new Promise((done) => setImmediate(done));
    expect(heard).toBe(6 * MAX_UNDER_WAY);
    for (let id = 0; id < 2 * MAX_UNDER_WAY; id++) say({ id: 7, method: "tools/list" });
    await new Promise((done) => setImmediate(done));
    expect(heard).toBe(7 * MAX_UNDER_WAY);
    for (let i = 0; i < MAX_UNDER_WAY; i++) await wire.send({ jsonrpc: "2.0", id: 7, result: {} });
    await new Promise((done) => setImmediate(done));
    expect(heard).toBe(8 * MAX_UNDER_WAY);
    await wire.close();
  });
});
