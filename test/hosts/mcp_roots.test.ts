/** One server of several roots. */
import type { Client } from "@modelcontextprotocol/client";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { repository } from "../support/git.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { run } from "./cli_support.ts";
import { callTool, connect, ERAS } from "./mcp_support.ts";

async function bind(root: string, id: string): Promise<string> {
  const ws = openWorkspace({ root });
  await ws.init(id);
  await ws.close();
  return root;
}

const bound = (id: string): Promise<string> => bind(tempFolder(), id);

const task = (client: Client, workspace: string, title = `Of ${workspace}`) =>
  callTool(client, "tasks_create", { workspace, kind: "task", title });

describe("a server of several roots", ROTATING, () => {
  it("[MCP-91] a call goes to the root that it names, and the first root stands in where none has to be named", async () => {
    const [a, b] = [await bound("acme/a"), await bound("acme/b")];
    const client = await connect(a, { args: ["--root", b, "--toolset", "full"] });
    for (const workspace of ["acme/a", "acme/b"])
      expect((await task(client, workspace)).result).toMatchObject({ id: "TASK-001" });
    const snapshot = (input: object) => callTool(client, "tasks_snapshot", { task: "TASK-001", ...input });
    expect((await snapshot({})).result).toMatchObject({ target: { qualified_id: "acme/a:TASK-001" } });
    expect((await snapshot({ workspace: "acme/b" })).result).toMatchObject({
      target: { qualified_id: "acme/b:TASK-001" },
    });
    expect((await callTool(client, "tasks_context", {})).error?.message).toContain('"workspace"');
    expect((await callTool(client, "tasks_context", { workspace: "acme/c" })).error).toMatchObject({
      code: "WORKSPACE_MISMATCH",
      details: { known: ["acme/a", "acme/b"] },
    });
    expect((await callTool(client, "tasks_storage", { workspace: "acme/b" })).result).toMatchObject({
      workspaces: [
        { workspace: "acme/a", root: a, default: true },
        { workspace: "acme/b", root: b, default: false },
      ],
    });
    const operations = [{ tool: "tasks_note", args: { workspace: "acme/b", task: "TASK-001", note: "of b" } }];
    expect((await callTool(client, "tasks_batch", { workspace: "acme/a", operations })).error).toBeNull();
    const said = client.getInstructions() ?? "";
    expect(said).toContain(`"acme/a" (${a}), "acme/b" (${b})`);
    expect(said).toContain('mean "acme/a"');
    const { tools } = await client.listTools();
    for (const tool of tools)
      expect(tool.inputSchema.properties?.["workspace"]).toEqual({ type: "string", enum: ["acme/a", "acme/b"] });
    expect(tools.find(({ name }) => name === "tasks_snapshot")?.inputSchema.required ?? []).not.toContain("workspace");
    const printed = await run({ cwd: a }, "mcp", "--root", a, "--root", b, "--print-tools", "--toolset", "full");
    expect(JSON.parse(printed.out)).toEqual({ tools });
    const chosen = await connect(a, { args: ["--root", b, "--workspace", "acme/b"] });
    expect((await callTool(chosen, "tasks_snapshot", { task: "TASK-001" })).result).toMatchObject({
      target: { qualified_id: "acme/b:TASK-001" },
    });
  });

  it("[MCP-91] each root has its own git, focus and Taskdoc", async () => {
    const a = await bound("acme/a");
    const { ada } = repository();
    await bind(ada.root, "acme/b");
    const client = await connect(a, { args: ["--root", ada.root] });
    await task(client, "acme/b");
    ada.commit("begin");
    await task(client, "acme/a");
    for (const [workspace, available] of [
      ["acme/a", false],
      ["acme/b", true],
    ] as const)
      expect((await callTool(client, "tasks_snapshot", { workspace, task: "TASK-001" })).result).toMatchObject({
        graph_diff: { available },
      });
    await callTool(client, "tasks_focus_set", { workspace: "acme/a", target: "TASK-001" });
    const written = await callTool(client, "change_mind", { selector: "goals", content: "Of a." });
    expect(written.error).toBeNull();
    const prompt = async (given: Record<string, string>) =>
      JSON.stringify((await client.getPrompt({ name: "taskdoc", arguments: given })).messages);
    expect(await prompt({})).toContain("Of a.");
    expect(await prompt({ workspace: "acme/b", target: "TASK-001" })).not.toContain("Of a.");
    await expect(prompt({ workspace: "acme/b" })).rejects.toThrow("TARGET_REQUIRED");
    await expect(prompt({ workspace: "acme/c" })).rejects.toThrow("WORKSPACE_MISMATCH");
  });

  for (const era of Object.keys(ERAS))
    it(`[MCP-8] of ${era}: a resource names its workspace, and clients hear of changes in every root`, async () => {
      const [a, b] = [await bound("acme/a"), await bound("acme/b")];
      const client = await connect(a, { era, args: ["--root", b] });
      for (const workspace of ["acme/a", "acme/b"]) await task(client, workspace);
      const uris: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await client.listResources(cursor === undefined ? {} : { cursor });
        uris.push(...page.resources.map(({ uri }) => uri));
        if (page.nextCursor === undefined) break;
        cursor = page.nextCursor;
      }
      const radar = (id: string) => `taskfold://tasks/${encodeURIComponent(id)}/radar`;
      expect(uris.filter((uri) => uri.startsWith("taskfold://tasks/"))).toHaveLength(10);
      expect(uris).toEqual(expect.arrayContaining(["acme/a:TASK-001", "acme/b:TASK-001"].map(radar)));
      const read = async (id: string) => JSON.stringify((await client.readResource({ uri: radar(id) })).contents);
      expect(await read("acme/b:TASK-001")).toContain("Of acme/b");
      expect(await read("TASK-001")).toContain("Of acme/a");
      await expect(client.readResource({ uri: radar("acme/c:TASK-001") })).rejects.toThrow("WORKSPACE_MISMATCH");
      await expect(client.readResource({ uri: radar("acme/b:TASK-002") })).rejects.toThrow("UNKNOWN_ID");
    });

  it("[MCP-8] who subscribed hears of the root that was meant", async () => {
    const [a, b] = [await bound("acme/a"), await bound("acme/b")];
    const client = await connect(a, { args: ["--root", b] });
    for (const workspace of ["acme/a", "acme/b"]) await task(client, workspace);
    const uri = `taskfold://tasks/${encodeURIComponent("acme/b:TASK-001")}/radar`;
    const heard = new Promise<string>((done) =>
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => done(params.uri)),
    );
    await client.subscribeResource({ uri });
    await callTool(client, "tasks_note", { workspace: "acme/a", task: "TASK-001", note: "x" });
    await callTool(client, "tasks_note", { workspace: "acme/b", task: "TASK-001", note: "x" });
    expect(await heard).toBe(uri);
  });

  it("[MCP-91] a root that cannot be used stops no other one; the same folder twice, or one id twice, starts no server", async () => {
    const [a, broken] = [await bound("acme/a"), await bound("acme/broken")];
    writeFileSync(join(broken, ".coco/workspace.yaml"), "nothing of ours\n");
    const client = await connect(broken, { args: ["--root", a] });
    expect((await task(client, "acme/a")).error).toBeNull();
    expect(client.getInstructions()).toContain(`${broken} cannot be used`);
    expect((await callTool(client, "tasks_context", { workspace: "acme/broken" })).error?.message).toContain(
      "cannot be used: Expected .coco/workspace.yaml",
    );
    expect((await callTool(client, "tasks_snapshot", {})).error?.code).toBe("LOG_UNREADABLE");
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("taskfold://tasks/"))).toHaveLength(5);
    const [guide] = (await client.readResource({ uri: "taskfold://guide/work" })).contents;
    expect(JSON.stringify(guide)).toContain("acme/a");
    const link = join(tempFolder(), "link");
    symlinkSync(a, link);
    for (const other of [link, await bound("acme/a")]) {
      const { code, err } = await run({ cwd: a }, "mcp", "--root", a, "--root", other);
      expect(code).toBe(2);
      expect(err).toContain("INVALID_INPUT");
    }
  });

  it("[MCP-91] a root without a workspace goes by the id that init would choose", async () => {
    const [a, free] = [await bound("acme/a"), join(tempFolder(), "widgets")];
    const client = await connect(a, { args: ["--root", free] });
    expect((await callTool(client, "tasks_context", { workspace: "other" })).error).toMatchObject({
      details: { known: ["acme/a", "widgets"] },
    });
    expect((await task(client, "widgets")).error).toBeNull();
    expect(readdirSync(free)).toEqual([".coco"]);
  });
});
