import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openWorkspace, taskdocPolicyCopy, TOOLS } from "../../src/index.ts";
import { agentOf } from "../../src/hosts/mcp/identity.ts";
import { listedTools } from "../../src/hosts/mcp/listed_tool.ts";
import { TOOLSETS } from "../../src/hosts/mcp/toolsets.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { machinePath } from "../support/machine.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, notesOf, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { BareClient, callTool, connect, ERAS } from "./mcp_support.ts";

const names = (tools: readonly { name: string }[]): string[] => tools.map((tool) => tool.name);
const on = { workspace: WORKSPACE };

describe("what is listed", () => {
  it("[MCP-62] a list costs little: core 16,000 characters, daily 24,000, full 92,000", () => {
    const size = (set: (typeof TOOLSETS)[number]): number =>
      JSON.stringify({ tools: listedTools(set, true, { workspaces: ["an-organisation/a-repository"] }) }).length;
    expect(size("core")).toBeLessThanOrEqual(16_000);
    expect(size("daily")).toBeLessThanOrEqual(24_000);
    expect(size("full")).toBeLessThanOrEqual(92_000);
  });

  it("[PACKET-120] a set of its own has every tool of packets, in 16,000 characters", () => {
    const packet = listedTools("packet", true, { workspaces: ["an-organisation/a-repository"] });
    expect(JSON.stringify({ tools: packet }).length).toBeLessThanOrEqual(16_000);
    const all = Object.keys(TOOLS).filter((name) => name.startsWith("packet_"));
    expect(
      names(packet)
        .filter((name) => name.startsWith("packet_"))
        .toSorted(),
    ).toEqual(all.toSorted());
  });

  it(
    "[MCP-70] no tool runs a packet or writes a folder, and nothing of the server runs a stage",
    ROTATING,
    async () => {
      const client = await connect(tempFolder());
      const { tools } = await client.listTools();
      for (const name of ["packet_run", "packet_import", "packet_export", "packet_export_review"]) {
        expect(names(tools), name).not.toContain(name);
        expect((await callTool(client, name, { task: "TASK-001" })).error?.code, name).toBe("UNKNOWN_TOOL");
      }
      const folder = join(ROOT, "src/hosts/mcp");
      for (const file of readdirSync(folder))
        expect(readFileSync(join(folder, file), "utf8"), file).not.toMatch(/runner\/|child_process/);
    },
  );

  it("[MCP-62] daily has what several agents need", () => {
    expect(names(listedTools("daily", false))).toEqual(
      expect.arrayContaining([
        "tasks_claim",
        "tasks_claim_next",
        "tasks_release",
        "tasks_handoff",
        "tasks_undo",
        "tasks_complete",
      ]),
    );
  });

  it("[MCP-2] core is a part of daily and daily of full, in an order that stays", () => {
    const [core, daily, full] = (["core", "daily", "full"] as const).map((set) => names(listedTools(set, false))) as [
      string[],
      string[],
      string[],
    ];
    expect(daily.slice(0, core.length)).toEqual(core);
    expect(full).toEqual(Object.keys(TOOLS));
    expect(full).toEqual(expect.arrayContaining(daily));
    expect(core).toEqual(expect.arrayContaining(["tasks_context", "tasks_note", "tasks_evidence_capture"]));
    expect(daily).toEqual(expect.arrayContaining(["tasks_create", "tasks_close_step", "tasks_radar", "tasks_delta"]));
  });

  it("[MCP-4] --print-tools prints it and ends", ROTATING, async () => {
    for (const set of TOOLSETS) {
      const { code, out } = await run({ cwd: tempFolder() }, "mcp", "--print-tools", "--toolset", set);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual({ tools: JSON.parse(JSON.stringify(listedTools(set, false))) as unknown });
    }
  });

  it("[MCP-4] schemas are valid, and what is lean takes what the whole one takes", ROTATING, () => {
    for (const set of TOOLSETS) {
      for (const tool of listedTools(set, false)) {
        const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
        const fits = ajv.compile(tool.inputSchema);
        for (const example of TOOLS[tool.name]!.examples as { target?: string | { id: string } }[]) {
          const { target } = example;
          const plain = typeof target === "object" ? { ...example, target: target.id } : example;
          expect([tool.name, fits(set === "full" ? example : plain)]).toEqual([tool.name, true]);
        }
        expect(tool.title?.length).toBeLessThanOrEqual(40);
      }
    }
    const [lean, whole] = [listedTools("daily", false), listedTools("full", false)].map(
      (tools) => tools.find((tool) => tool.name === "tasks_evidence_capture")!.inputSchema.properties!,
    ) as [object, object];
    const seldom = ["target", "evidence_id", "max_items", "max_artifact_bytes", "expected_revision", "expected_head"];
    const left = ["artifacts", "idempotency_key", ...seldom];
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(left));
    expect(Object.keys(lean)).toEqual(Object.keys(whole).filter((key) => !left.includes(key)));
    expect(JSON.stringify(lean)).not.toMatch(/"(?:maxLength|pattern|minimum|additionalProperties)":/);
  });

  it("[MCP-4] output schemas are listed when they are asked for, and then whole", ROTATING, async () => {
    for (const set of TOOLSETS)
      expect(listedTools(set, false).filter((tool) => tool.outputSchema !== undefined)).toEqual([]);
    const { out } = await run({ cwd: tempFolder() }, "mcp", "--print-tools", "--toolset", "full", "--output-schemas");
    const { tools } = JSON.parse(out) as { tools: ReturnType<typeof listedTools> };
    expect(tools).toEqual(JSON.parse(JSON.stringify(listedTools("full", false, { outputs: true }))));
    const full = tools.find((tool) => tool.name === "tasks_radar")!;
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const tool of tools) expect(ajv.validateSchema(tool.outputSchema as object)).toBe(true);
    const fits = ajv.compile(full.outputSchema as object);
    const envelope = { success: true, intent: "tasks_radar", warnings: [], suggestions: [], error: null };
    expect(fits({ ...envelope, result: { focus: null } })).toBe(true);
    expect(fits({ ...envelope, result: { focus: 1 } })).toBe(false);
    const error = { code: "X", message: "no" };
    expect(fits({ ...envelope, success: false, result: null, error })).toBe(true);
  });

  it("[MCP-4] annotations say what a call may do", () => {
    // What the protocol assumes of a tool that says nothing.
    const assumed = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
    const hints = new Map(listedTools("full", false).map((tool) => [tool.name, { ...assumed, ...tool.annotations }]));
    // The protocol gives the other hints a meaning only where a tool does not just read.
    expect(listedTools("full", false).find(({ name }) => name === "tasks_radar")!.annotations).toEqual({
      readOnlyHint: true,
      openWorldHint: false,
    });
    expect(hints.get("tasks_note")).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    expect(hints.get("tasks_delete")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});

describe("server.json", () => {
  it("[MCP-1] names this package, its version and what the program takes", () => {
    const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), "utf8")) as Record<string, unknown>;
    const server = read("server.json");
    const own = read("package.json");
    const [npm] = server["packages"] as [Record<string, unknown>];
    expect(server).toMatchObject({ name: own["mcpName"], version: own["version"] });
    expect((server["description"] as string).length).toBeLessThanOrEqual(100);
    expect(npm).toMatchObject({ identifier: own["name"], version: own["version"], transport: { type: "stdio" } });
    const args = npm["packageArguments"] as { value?: string; name?: string }[];
    expect(args.map((arg) => arg.value ?? arg.name)).toEqual(["mcp", "--root", "--toolset"]);
    expect(args[2]).toMatchObject({ choices: TOOLSETS, default: "daily" });
  });
});

describe("a client", ROTATING, () => {
  for (const era of Object.keys(ERAS)) {
    it(`[MCP-1] [MCP-2] [MCP-5] [MCP-7] of ${era}: lists, calls what is not listed, and is told refusals`, async () => {
      const root = tempFolder();
      const client = await connect(root, { era, name: "Ada's IDE (β)" });
      expect(names((await client.listTools()).tools)).toEqual(names(listedTools("core", false)));
      const created = await callTool(client, "tasks_create", { ...on, title: "Version 2" });
      expect(created.result).toMatchObject({ id: "PLAN-001", events: [{ by: "agent:Ada-s-IDE" }] });
      expect((await callTool(client, "tasks_context", on)).result).toMatchObject({ counts: { plans: 1, tasks: 0 } });
      expect((await callTool(client, "tasks_note", { ...on, note: "x" })).error).toMatchObject({
        code: "TARGET_REQUIRED",
      });
      expect((await callTool(client, "tasks_note", { ...on, plan: "PLAN-001", note: 1 })).error?.code).toBe(
        "INVALID_INPUT",
      );
      expect((await callTool(client, "format_disk", on)).error?.code).toBe("UNKNOWN_TOOL");
      expect(client.getInstructions()).toContain("bound to no workspace");
      expect(client.getInstructions()).toContain("idempotency_key: the same key");
      expect((await connect(root, { era })).getInstructions()).toContain(`"${WORKSPACE}"`);
    });
  }

  it("[MCP-6] a configured workspace stands in for macros, the snapshot and the Taskdoc tools, and for nothing else", async () => {
    const root = tempFolder();
    const named = ["tasks_snapshot", "change_mind", "recall_taskdoc"];
    const standIns = Object.keys(TOOLS).filter((name) => named.includes(name) || name.startsWith("tasks_macro_"));
    for (const env of [{ TASKFOLD_WORKSPACE: WORKSPACE }, { BRANCHMIND_WORKSPACE: WORKSPACE }]) {
      const client = await connect(root, { env });
      expect((await callTool(client, "tasks_context", {})).error?.message).toContain('"workspace"');
      for (const name of standIns)
        expect((await callTool(client, name, {})).error?.message ?? "").not.toContain('"workspace"');
    }
    const given = await connect(root, { args: ["--workspace", WORKSPACE], env: { TASKFOLD_WORKSPACE: "another/one" } });
    expect(given.getInstructions()).toContain("may leave it out");
    const open = (hasDefault: boolean): string[] =>
      listedTools("full", hasDefault).flatMap((t) => (t.inputSchema.required?.includes("workspace") ? [] : [t.name]));
    expect(open(false)).toEqual([]);
    expect(open(true)).toEqual(standIns);
  });

  it("[MCP-6] without a configured workspace that of the root stands in, as soon as it has one", async () => {
    const client = await connect(tempFolder(), { args: ["--toolset", "full"] });
    const required = async (name: string) => {
      const { tools } = await client.listTools();
      return tools.find((tool) => tool.name === name)?.inputSchema.required ?? [];
    };
    const mind = { task: "TASK-001", selector: "goals", content: "Tea." };
    expect((await callTool(client, "change_mind", mind)).error?.message).toContain('"workspace"');
    expect(await required("change_mind")).toContain("workspace");
    await callTool(client, "tasks_create", { ...on, kind: "task", title: "x" });
    expect((await callTool(client, "change_mind", mind)).error).toBeNull();
    expect(await required("change_mind")).not.toContain("workspace");
    expect((await callTool(client, "tasks_context", {})).error?.message).toContain('"workspace"');
    expect(await required("tasks_context")).toContain("workspace");
  });

  it("[MCP-6] the calls of the policy text work as agents read them", async () => {
    const client = await connect(tempFolder(), { args: ["--workspace", WORKSPACE] });
    const { result } = await callTool(client, "tasks_create", { ...on, kind: "task", title: "x" });
    await callTool(client, "tasks_focus_set", { ...on, task: (result as { id: string }).id });
    const section = { category: "ux", selector: "checklist" };
    expect((await callTool(client, "change_mind", { ...section, content: "- Allowed: tea" })).error).toBeNull();
    expect((await callTool(client, "recall_taskdoc", section)).result).toMatchObject({ content: "- Allowed: tea" });
    expect((await callTool(client, "change_mind", { selector: "constraints", content: "- MUST" })).error).toBeNull();
    const elsewhere = await callTool(client, "recall_taskdoc", { workspace: "another/one", ...section });
    expect(elsewhere.error?.code).toBe("WORKSPACE_MISMATCH");
  });

  it("[MCP-60] a configured workspace is the only one, in a root that is bound to nothing", async () => {
    const root = tempFolder();
    const client = await connect(root, { args: ["--workspace", "zeta/widgets"] });
    const wrong = await callTool(client, "tasks_create", { workspace: "my-project", title: "x" });
    expect(wrong.error).toMatchObject({ code: "WORKSPACE_MISMATCH", details: { known: ["zeta/widgets"] } });
    expect(wrong.error?.recovery).toContain('"zeta/widgets"');
    expect(readdirSync(root)).toEqual([]);
    const right = await callTool(client, "tasks_create", { workspace: "zeta/widgets", title: "x" });
    expect(right.error).toBeNull();
    const others = await connect(root, { args: ["--workspace", "another/one"] });
    for (const workspace of ["another/one", "zeta/widgets"])
      expect((await callTool(others, "tasks_radar", { workspace, target: "PLAN-001" })).error?.code).toBe(
        "WORKSPACE_MISMATCH",
      );
    expect(others.getInstructions()).toMatch(/"another\/one".*"zeta\/widgets"/);
    await expect(others.readResource({ uri: "taskfold://tasks/PLAN-001/README.md" })).rejects.toThrow(
      "WORKSPACE_MISMATCH",
    );
  });

  it("[MCP-6] instructions, inputs and refusals name the real id and no example's", async () => {
    const texts = async (root: string, args: string[]): Promise<string[]> => {
      const client = await connect(root, { args: ["--toolset", "full", ...args] });
      const refusals = await Promise.all(
        Object.keys(TOOLS).map((name) => callTool(client, name, { workspace: 1, no_such_field: 1 })),
      );
      return [client.getInstructions() ?? "", ...[await client.listTools(), ...refusals].map((o) => JSON.stringify(o))];
    };
    const bound = tempFolder();
    await openTemp({ root: bound }).init("bound/here");
    const unbound = join(tempFolder(), "widgets");
    mkdirSync(unbound);
    for (const [id, root, args] of [
      ["zeta/widgets", unbound, ["--workspace", "zeta/widgets"]],
      ["bound/here", bound, []],
    ] as const) {
      const said = await texts(root, [...args]);
      expect(said.join("\n")).not.toContain("acme/repo");
      // Refusals of the Taskdoc tools' own give parts of an input.
      const whole = said.filter((text) => !text.includes('"TASKDOC_'));
      expect(whole.filter((text) => !text.includes(id))).toEqual([]);
    }
    const [instructions, ...others] = await texts(unbound, []);
    expect(instructions).toContain('"widgets"');
    expect(others.join("\n")).not.toContain("acme/repo");
  });

  it("[MCP-7] --by and TASKFOLD_BY come before the client's name, which is made fit", async () => {
    const root = tempFolder();
    const by = async (setting: Parameters<typeof connect>[1]): Promise<unknown> => {
      const { result } = await callTool(await connect(root, setting), "tasks_create", { ...on, title: "x" });
      return (result as unknown as { events: [{ by: string }] }).events[0].by;
    };
    expect(await by({ args: ["--by", "human:ada"], env: { TASKFOLD_BY: "agent:env" } })).toBe("human:ada");
    expect(await by({ env: { TASKFOLD_BY: "agent:env" } })).toBe("agent:env");
    expect(agentOf("  Çlaude Code\n(v2) ")).toBe("agent:Claude-Code-v2");
    expect(agentOf("漢字")).toBe("agent:mcp");
    expect(agentOf(undefined)).toBe("agent:mcp");
    expect(agentOf("x".repeat(100))).toBe(`agent:${"x".repeat(64)}`);
  });

  it("[MCP-8] reads the radar and the folded files of every plan and task", async () => {
    const ws = openTemp({ projections: "manual" });
    await ok(ws, "tasks_create", { title: "Version 2" });
    for (let n = 1; n <= 60; n++) await newTask(ws, `TASK-${n}`, []);
    const client = await connect(ws.root);
    const uris: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...page.resources.map((resource) => resource.uri));
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
    const ofTasks = uris.filter((uri) => uri.startsWith("taskfold://tasks/"));
    expect(ofTasks).toHaveLength(5 * 61);
    expect(new Set(ofTasks).size).toBe(5 * 61);
    const text = async (uri: string): Promise<string> => {
      const [content] = (await client.readResource({ uri })).contents;
      return content && "text" in content ? content.text : "";
    };
    expect(JSON.parse(await text("taskfold://tasks/TASK-7/radar"))).toMatchObject({ target: { id: "TASK-7" } });
    expect(await text("taskfold://tasks/TASK-7/task.yaml")).toContain('id: "TASK-7"');
    expect(await text("taskfold://tasks/PLAN-001/README.md")).toContain("Version 2");
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((t) => t.uriTemplate)).toContain("taskfold://tasks/{id}/radar");
    for (const uri of [
      "taskfold://tasks/TASK-999/radar",
      "taskfold://tasks/TASK-7/events.jsonl",
      "taskfold://tasks/%/radar",
    ])
      await expect(client.readResource({ uri })).rejects.toThrow("UNKNOWN_ID");
    await expect(client.readResource({ uri: "taskfold://tasks/..%2F..%2Fetc/README.md" })).rejects.toThrow(
      "UNKNOWN_ID",
    );
    await expect(client.listResources({ cursor: "x" })).rejects.toThrow("INVALID_INPUT");
  });

  it("[MCP-8] gives each guide as a resource and as a prompt, and each of its calls is one that a tool takes", async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await connect(ws.root, { args: ["--toolset", "full"] });
    const { resources } = await client.listResources();
    const guides = resources.filter(({ uri }) => uri.startsWith("taskfold://guide/"));
    expect(guides.map(({ uri }) => uri)).toEqual(
      ["plan", "work", "hand-over", "review"].map((name) => `taskfold://guide/${name}`),
    );
    const { prompts } = await client.listPrompts();
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
    let calls = 0;
    for (const { uri } of guides) {
      const name = uri.slice("taskfold://guide/".length);
      expect(prompts.map((prompt) => prompt.name)).toContain(name);
      const [content] = (await client.readResource({ uri })).contents;
      const text = content && "text" in content ? content.text : "";
      const { messages } = await client.getPrompt({ name });
      expect(messages).toEqual([{ role: "user", content: { type: "text", text } }]);
      for (const [, tool = "", input = ""] of text.matchAll(/^\d+\. [^`]*`(\w+) (\{.*\})`$/gm)) {
        // A place without quotes stands for a number.
        const given = JSON.parse(input.replaceAll(/:<[^>]*>/g, ":0")) as Record<string, unknown>;
        expect(given["workspace"]).toBe("acme/repo");
        const { properties = {}, required = [] } = tools.get(tool)!.inputSchema;
        expect(Object.keys(properties), tool).toEqual(expect.arrayContaining(Object.keys(given)));
        expect(Object.keys(given), tool).toEqual(expect.arrayContaining(required));
        calls++;
      }
    }
    expect(calls).toBeGreaterThan(15);
    await expect(client.readResource({ uri: "taskfold://guide/nothing" })).rejects.toThrow("UNKNOWN_ID");
    await expect(client.getPrompt({ name: "work", arguments: { target: "x" } })).rejects.toThrow("INVALID_INPUT");
  });

  it("[MCP-8] reads the effective Taskdoc in both languages, and what is beside it", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "win\r\n" });
    writeFileSync(join(ws.root, ".coco/tasks/TASK-001/taskdoc.tsk/plan.md"), "never injected");
    const before = tree(ws.root);
    const client = await connect(ws.root);
    for (const [name, language] of [
      ["taskdoc", "en"],
      ["taskdoc.zh", "zh"],
    ] as const) {
      const uri = `taskfold://tasks/TASK-001/${name}`;
      const { text, violations, revision, head, bytes } = ws.taskdoc.render("TASK-001", { language });
      expect((await client.readResource({ uri })).contents).toEqual([
        {
          uri,
          mimeType: "text/markdown",
          text,
          _meta: {
            "io.github.taskfold/taskdoc": { id: "TASK-001", revision, head, bytes, truncated: false, violations },
          },
        },
      ]);
      expect([text.includes("win"), text.includes("never injected")]).toEqual([true, false]);
      expect(violations).toMatchObject([{ kind: "stray", path: "taskdoc.tsk/plan.md" }]);
    }
    expect(tree(ws.root)).toEqual(before);
  });

  for (const era of Object.keys(ERAS)) {
    it(`[MCP-13] of ${era}: the prompt is what to know of Taskdocs, then the effective Taskdoc byte for byte`, async () => {
      const ws = openTemp();
      await newTask(ws);
      await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "win\n\n## Progress\nforged" });
      const client = await connect(ws.root, { era, args: ["--by", "agent:ada"] });
      const get = (given: Record<string, string>, name = "taskdoc") => client.getPrompt({ name, arguments: given });
      const texts = async (given: Record<string, string>): Promise<unknown[]> =>
        (await get(given)).messages.map(({ role, content }) => [role, content.type === "text" ? content.text : null]);
      expect(client.getServerCapabilities()).toHaveProperty("prompts");
      const prompts = (await client.listPrompts()).prompts.filter(({ name }) => name === "taskdoc");
      expect(prompts).toMatchObject([
        { name: "taskdoc", arguments: [{ name: "target" }, { name: "language" }, { name: "workspace" }] },
      ]);
      for (const language of ["en", "zh"] as const) {
        const { text } = ws.taskdoc.render("TASK-001", { language });
        expect(await texts({ target: "TASK-001", language })).toEqual([
          ["user", taskdocPolicyCopy(language)],
          ["user", text],
        ]);
      }
      await expect(get({})).rejects.toThrow("TARGET_REQUIRED");
      await ws.call("tasks_focus_set", { ...on, task: "TASK-001" }, { by: "agent:ada" });
      expect(await texts({})).toEqual(await texts({ target: "TASK-001", language: "en" }));
      expect((await get({}))._meta?.["io.github.taskfold/taskdoc"]).toMatchObject({ revision: 2, violations: [] });
      for (const target of ["TASK-9", "../../etc", ""]) await expect(get({ target })).rejects.toThrow("UNKNOWN_ID");
      for (const [given, name] of [
        [{ language: "fr" }, "taskdoc"],
        [{ task: "TASK-001" }, "taskdoc"],
        [{}, "radar"],
      ] as const)
        await expect(get(given, name)).rejects.toThrow("INVALID_INPUT");
    });
  }

  it("[MCP-9] of 2025 hears of what others change, where it asked for it", async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await connect(ws.root);
    const heard = notifications(client);
    await client.listResources();
    await client.subscribeResource({ uri: "taskfold://tasks/TASK-001/taskdoc" });
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "from elsewhere" });
    expect(await heard.next()).toBe("taskfold://tasks/TASK-001/taskdoc");
    await client.unsubscribeResource({ uri: "taskfold://tasks/TASK-001/taskdoc" });
    await client.subscribeResource({ uri: "taskfold://tasks/TASK-001/radar" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "from elsewhere" });
    expect(await heard.next()).toBe("taskfold://tasks/TASK-001/radar");
    await newTask(ws, "TASK-002", []);
    expect(await heard.next()).toBe("list");
    await client.unsubscribeResource({ uri: "taskfold://tasks/TASK-001/radar" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "not wanted any more" });
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    expect(await heard.next()).toBe("list");
  });

  it("[MCP-9] [VIEW-81] the radar of a plan says how its tasks stand, and is told of with them, the deleted one too", async () => {
    // The server judges the claim by its own clock.
    const ws = openTemp({ now: Date.now });
    await ok(ws, "tasks_create", { title: "Version 2" });
    const steps = [{ title: "Write", success_criteria: ["it works"] }];
    for (const id of ["TASK-001", "TASK-002"])
      await ok(ws, "tasks_create", { id, parent: "PLAN-001", title: id, steps });
    const client = await connect(ws.root);
    const heard = notifications(client);
    const uri = "taskfold://tasks/PLAN-001/radar";
    const ready = async (): Promise<string[]> => {
      const [content] = (await client.readResource({ uri })).contents as { text: string }[];
      const { tasks } = JSON.parse(content!.text) as { tasks: { ready: { id: string }[] } };
      return tasks.ready.map(({ id }) => id);
    };
    expect(await ready()).toEqual(["TASK-001", "TASK-002"]);
    await client.listResources();
    await client.subscribeResource({ uri });
    await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0" });
    expect(await heard.next()).toBe(uri);
    expect(await ready()).toEqual(["TASK-002"]);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    // The list changed, too, and may be told of first.
    const first = await heard.next();
    expect(["list", uri]).toContain(first);
    expect(first === uri ? uri : await heard.next()).toBe(uri);
    expect(await ready()).toEqual([]);
  });

  it("[MCP-9] of 2026 listens", async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await connect(ws.root, { era: "2026" });
    const heard = notifications(client);
    const uri = "taskfold://tasks/TASK-001/README.md";
    await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "from elsewhere" });
    expect(await heard.next()).toBe(uri);
    await newTask(ws, "TASK-002", []);
    expect(await heard.next()).toBe("list");
  });
});

describe("two agents", ROTATING, () => {
  it("[MCP-1] [MCP-5] [MCP-9] one works, the other carries on from what it left: npm run e2e:mcp", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "test/suites/mcp/run.mjs"), "--json"]);
    expect([status, String(stderr)]).toEqual([0, ""]);
    const { checks, failed } = JSON.parse(String(stdout)) as { checks: { ok: boolean }[]; failed: number };
    expect([failed, checks.filter(({ ok: isOk }) => !isOk)]).toEqual([0, []]);
    expect(checks.length).toBeGreaterThan(10);
  });
});

describe("a client that does harm", ROTATING, () => {
  const garbage = [
    "",
    "{",
    "null",
    "[]",
    "[[[[",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":7}}',
    '{"jsonrpc":"1.0","id":3,"method":"ping"}',
    "GET / HTTP/1.1",
    "[".repeat(200_000),
    `{"a":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`,
    "\u0000\u001b[31m\ufffd",
  ];

  it("[MCP-40] sends garbage: the next request is answered, and stdout has nothing but the protocol", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    const client = await new BareClient(ws.root).open();
    for (const line of garbage) client.send(line);
    client.send(Buffer.from([0xff, 0xfe, 0x00]));
    expect(await client.call("tasks_radar", { ...on, task: "TASK-001" })).toMatchObject({ success: true });
    const deep = JSON.parse('{"a":'.repeat(3000) + "1" + "}".repeat(3000)) as object;
    expect((await client.call("tasks_note", { ...on, note: deep })).error?.code).toBe("INVALID_INPUT");
    expect(tree(ws.root)).toEqual(before);
    client.process.stdin.end();
    expect(await client.ended).toBe(0);
  });

  it("[MCP-40] sends garbage before anything else", async () => {
    const client = new BareClient(tempFolder());
    for (const line of garbage) client.send(line);
    await client.open();
    expect((await client.call("tasks_context", on)).success).toBe(true);
  });

  it("[MCP-40] sends lines of 10 and of 40 MB", async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await new BareClient(ws.root).open();
    const large = (megabytes: number) =>
      client.call("tasks_note", { ...on, task: "TASK-001", note: "x".repeat(megabytes * 1e6) });
    expect((await large(10)).error?.code).toBe("CONTENT_TOO_LARGE");
    const input = { name: "tasks_note", arguments: { ...on, note: "x".repeat(40e6) } };
    const { error } = await client.request("tools/call", input);
    expect(error?.message).toContain("CONTENT_TOO_LARGE");
    client.send("y".repeat(20e6));
    expect((await client.call("tasks_radar", { ...on, task: "TASK-001" })).success).toBe(true);
    expect(notesOf(ws.root)).toEqual([]);
  });

  it("[MCP-1] is gone with all its pipes: what it had asked for is made whole, and nothing is left to heal", async () => {
    const root = tempFolder();
    const client = await new BareClient(root).open();
    const start = (n: number) =>
      client.call("tasks_macro_start", { ...on, plan_title: `Plan ${n}`, task_title: `Task ${n}` });
    const first = start(0);
    for (let n = 1; n < 30; n++) void start(n);
    await first;
    for (const pipe of [client.process.stdin, client.process.stdout, client.process.stderr]) pipe.destroy();
    expect(await client.ended).toBe(0);
    expect(openTemp({ root }).verify()).toMatchObject({ ok: true, findings: [] });
    // What it had not read yet was not begun; of what was, no half is missing.
    const made = readdirSync(join(root, ".coco/tasks"));
    const plans = made.filter((id) => id.startsWith("PLAN-"));
    expect([plans.length > 0, made.length]).toEqual([true, 2 * plans.length]);
    for (const folder of [machinePath(root, "dirty"), join(root, ".coco/registry/journal")])
      expect(readdirSync(folder)).toEqual([]);
  });

  it("[MCP-1] calls a thousand times at once", async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await new BareClient(ws.root).open();
    // And reads nothing for a while, so that answers pile up.
    client.process.stdout.pause();
    setTimeout(() => client.process.stdout.resume(), 1000);
    const replies = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        client.call(i % 10 === 9 ? "tasks_radar" : "tasks_note", {
          ...on,
          task: "TASK-001",
          ...(i % 10 === 9 ? {} : { note: `note ${i}` }),
        }),
      ),
    );
    expect(replies.filter((reply) => !reply.success)).toEqual([]);
    expect(new Set(notesOf(ws.root)).size).toBe(900);
    expect(ws.verify().ok).toBe(true);
    expect(client.stderr).toBe("");
  });

  for (const how of ["goes away", "is gone before it reads", "SIGTERM", "SIGINT"] as const) {
    it(`[MCP-1] ${how}: what was begun ends well, and so does the process`, async () => {
      const ws = openTemp();
      await newTask(ws);
      const client = await new BareClient(ws.root).open();
      for (let i = 0; i < 50; i++) void client.call("tasks_note", { ...on, task: "TASK-001", note: `note ${i}` });
      await client.call("tasks_radar", { ...on, task: "TASK-001" });
      if (how === "is gone before it reads") client.process.stdout.destroy();
      if (how.startsWith("SIG")) client.process.kill(how as NodeJS.Signals);
      else client.process.stdin.end();
      expect(await client.ended).toBe(0);
      const { ok: isOk, findings } = ws.verify();
      expect([isOk, findings]).toEqual([true, []]);
      const again = openWorkspace({ root: ws.root });
      expect((await again.call("tasks_note", { ...on, task: "TASK-001", note: "after" })).success).toBe(true);
      await again.close();
    });
  }
});

/** URIs of updated resources, and `list`, as they are told. */
function notifications(client: Awaited<ReturnType<typeof connect>>): { next: () => Promise<string> } {
  const told: string[] = [];
  let wake = (): void => undefined;
  const tell = (what: string): void => {
    told.push(what);
    wake();
  };
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => tell(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => tell("list"));
  return {
    next: async () => {
      while (told.length === 0) await new Promise<void>((done) => (wake = done));
      return told.shift()!;
    },
  };
}
