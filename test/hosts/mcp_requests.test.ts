import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspaces } from "../../src/engine/workspaces.ts";
import { MAX_UNDER_WAY } from "../../src/hosts/mcp/jsonrpc.ts";
import { serveMcp } from "../../src/hosts/mcp/serve.ts";
import { newTask, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

interface Answer {
  id: string | number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const LAST = { jsonrpc: "2.0", id: "last", method: "ping" };

/** All that the server writes for these lines; a ping ends them. */
async function written(
  lines: readonly (string | Buffer | object)[],
  { revision = "2025-06-18", workspace = openTemp() } = {},
): Promise<(Answer | Answer[])[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const workspaces = openWorkspaces({ roots: [workspace.root] });
  onTestFinished(() => workspaces.close());
  const { ended } = serveMcp({ workspaces, toolset: "core", version: "0", input, output, log: () => undefined });
  const clientInfo = { name: "a test", version: "1" };
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  const opening = { jsonrpc: "2.0", id: "first", method: "initialize", params };
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  for (const line of [opening, initialized, ...lines, LAST]) {
    input.write(typeof line === "string" || Buffer.isBuffer(line) ? line : JSON.stringify(line));
    input.write("\n");
  }
  const all = (): (Answer | Answer[])[] =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Answer);
  const isThere = (id: string): boolean => all().some((one) => !Array.isArray(one) && one.id === id);
  await expect.poll(() => isThere("first") && isThere("last"), { timeout: 20_000 }).toBe(true);
  const asked = lines.filter((line) => /"(?:tools\/call|resources\/list)"/.test(JSON.stringify(line))).length;
  await expect.poll(() => all().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(asked + 2);
  input.end();
  await ended;
  return all().filter((one) => Array.isArray(one) || (one.id !== "first" && one.id !== "last"));
}

const request = (id: unknown, method: unknown, more: object = {}): object => ({ jsonrpc: "2.0", id, method, ...more });

describe("a request that is none", () => {
  const cases: [string, string | Buffer | object, Answer["id"], number][] = [
    ["null params", request(2, "tools/list", { params: null }), 2, -32600],
    ["a text as params", request("a", "tools/list", { params: "x" }), "a", -32600],
    ["a list of params", request(3, "ping", { params: [] }), 3, -32602],
    ["a null id", request(null, "ping"), null, -32600],
    ["a fraction as id", request(1.5, "ping"), 1.5, -32600],
    ["an object as id", request({}, "ping"), null, -32600],
    ["an id that JSON cannot carry", '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', null, -32600],
    ["another JSON-RPC", { jsonrpc: "1.0", id: 4, method: "ping" }, 4, -32600],
    ["no JSON-RPC", { id: 5, method: "ping" }, 5, -32600],
    ["no method", request(6, undefined), 6, -32600],
    ["a method that is no text", request(7, 1), 7, -32600],
    ["no members", {}, null, -32600],
    ["a number", "7", null, -32600],
    ["text that does not parse", '{"jsonrpc":"2.0","id":8', null, -32700],
    ["bytes that are no text", Buffer.from('{"jsonrpc":"2.0","id":9,"method":"\xff"}', "latin1"), null, -32700],
    ["a list", [request(10, "ping")], null, -32600],
    ["no uri", request(11, "resources/read", { params: {} }), 11, -32602],
    ["no params", request(12, "resources/read"), 12, -32602],
    ["no uri to follow", request(13, "resources/subscribe", { params: { uri: 7 } }), 13, -32602],
    ["a null cursor", request(14, "resources/list", { params: { cursor: null } }), 14, -32602],
    ["a null cursor of tools", request(15, "tools/list", { params: { cursor: null } }), 15, -32602],
    ["no name", request(16, "tools/call", { params: {} }), 16, -32602],
    ["a list of arguments", request(17, "tools/call", { params: { name: "tasks_note", arguments: [] } }), 17, -32602],
    [
      "a number as argument",
      request(18, "prompts/get", { params: { name: "taskdoc", arguments: { target: 1 } } }),
      18,
      -32602,
    ],
    ["a second, wrong opening", request(19, "initialize", { params: { protocolVersion: 1 } }), 19, -32602],
    ["an ill _meta", request(20, "tools/list", { params: { _meta: 5 } }), 20, -32602],
    ["an ill token", request(21, "ping", { params: { _meta: { progressToken: {} } } }), 21, -32602],
    ["no method of the protocol", request(22, "tasks/make"), 22, -32601],
  ];

  it("[MCP-71] is answered by its id, with the code of its kind and a sentence", async () => {
    const answers = (await written(cases.map(([, line]) => line))) as Answer[];
    expect(answers).toHaveLength(cases.length);
    for (const [what, , id, code] of cases) {
      const found = answers.filter((one) => one.id === id && one.error?.code === code);
      expect(found.length, what).toBeGreaterThanOrEqual(1);
    }
    // None is the raw text of a schema library.
    const ours = answers.filter(({ error }) => error?.code !== -32601).map(({ error }) => error?.message);
    const sentence = /^INVALID_INPUT: Expected .*, found .*; nothing was done\.$/;
    expect(ours.filter((message) => !sentence.test(message ?? ""))).toEqual([]);
    const nulls = (of: readonly { id: unknown }[]): number => of.filter(({ id }) => id === null).length;
    expect(nulls(answers)).toBe(nulls(cases.map(([, , id]) => ({ id }))));
  });

  it("[MCP-71] a cursor that no answer gave and an ill _meta are refused by their names", async () => {
    const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    const cursors = lists.map((method) => request(method, method, { params: { cursor: "bogus" } }));
    const metas = [null, [], { progressToken: null }, { "io.modelcontextprotocol/related-task": { taskId: 1 } }];
    const calls = metas.map((_meta, at) => request(at, "tools/call", { params: { name: "tasks_context", _meta } }));
    const listed = cursors.splice(2, 1);
    const answers = [...(await written([...cursors, ...calls])), ...(await written(listed))] as Answer[];
    const said = new Map(answers.map(({ id, error }) => [id, error]));
    for (const method of lists) {
      expect(said.get(method), method).toMatchObject({ code: -32602 });
      expect(said.get(method)!.message, method).toMatch(/cursor.* found "bogus"/);
    }
    expect(metas.map((_none, at) => said.get(at)!.message.replace(/^INVALID_INPUT: Expected /, ""))).toEqual([
      "params._meta of tools/call to be an object, found null; nothing was done.",
      "params._meta of tools/call to be an object, found a list; nothing was done.",
      "params._meta.progressToken of tools/call to be a text or a whole number, found null; nothing was done.",
      expect.stringMatching(
        /^params\._meta\["io\.modelcontextprotocol\/related-task"\] .*an object with taskId, a text, found /,
      ),
    ]);
  });

  it("[MCP-71] changes nothing", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    const call = { name: "tasks_note", arguments: { workspace: WORKSPACE, task: "TASK-001", note: "n" } };
    const lines = [request(null, "tools/call", { params: call }), request(1.5, "tools/call", { params: call })];
    await written(lines, { workspace: ws });
    expect(tree(ws.root)).toEqual(before);
  });

  it("[MCP-40] a blank line, a notification and an answer are never answered", async () => {
    const lines = [
      "",
      "  \r",
      { jsonrpc: "2.0", method: "notifications/x", params: null },
      { jsonrpc: "2.0", method: "notifications/x", params: [] },
      { jsonrpc: "1.0", method: "notifications/x" },
      { jsonrpc: "2.0", id: 7, result: 5 },
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } },
      { jsonrpc: "2.0", id: {}, error: {} },
    ];
    expect(await written(lines)).toEqual([]);
  });

  it("[MCP-71] a member that the protocol does not know is passed over", async () => {
    expect(await written([request(2, "ping", { more: 1 })])).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });

  it("[MCP-40] one that is too long is answered with null where its id cannot be seen", ROTATING, async () => {
    const [answer] = (await written([`{"a":"${"x".repeat(17 * 1024 * 1024)}"}`])) as Answer[];
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
    expect(answer?.error?.message).toContain("CONTENT_TOO_LARGE");
  });
});

describe("a batch", () => {
  const ping = (id: string): object => request(id, "ping");
  const note = { jsonrpc: "2.0", method: "notifications/x" };
  const read = request("b", "tools/call", { params: { name: "tasks_context", arguments: { workspace: WORKSPACE } } });

  it("[MCP-1] is answered as one under 2025-03-26", async () => {
    const [answers, ...others] = await written([[ping("a"), note, read, 7]], { revision: "2025-03-26" });
    expect(others).toEqual([]);
    expect(answers).toHaveLength(3);
    expect(new Set((answers as Answer[]).map(({ id }) => id))).toEqual(new Set(["a", "b", null]));
  });

  it.each(["2024-11-05", "2025-06-18", "2025-11-25"])("[MCP-1] is refused under %s", async (revision) => {
    const answers = await written([[ping("a"), note, 7]], { revision });
    expect(answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it("[MCP-1] has no answer where it asks nothing, and one refusal where it is empty or too long", async () => {
    const revision = "2025-03-26";
    const [empty, long, ...others] = await written(
      [[note, note], [], Array.from({ length: MAX_UNDER_WAY + 1 }, () => note)],
      { revision },
    );
    expect(empty).toMatchObject({ id: null, error: { code: -32600 } });
    expect(long).toMatchObject({ id: null, error: { code: -32600 } });
    expect(others).toEqual([]);
  });

  it("[MCP-1] of which one is called off, and with one id twice, has the other answers", async () => {
    const canceled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "b" } };
    const [answers] = await written([[ping("a"), ping("a"), read, canceled]], { revision: "2025-03-26" });
    expect((answers as Answer[]).map(({ id }) => id)).toEqual(["a", "a"]);
  });

  it("[MCP-1] has no opening in it", async () => {
    const [answers] = await written([[request("c", "initialize", { params: {} })]], { revision: "2025-03-26" });
    expect(answers).toMatchObject([{ id: "c", error: { code: -32600 } }]);
  });
});
