import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { unwrap } from "../../src/engine/entity/unwrap.ts";
import * as plain from "../../src/index.ts";
import * as testing from "../../src/testing.ts";
import { openWorkspace } from "../support/open.ts";
import { ERROR_CODES, isRetryable } from "../../src/errors.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { tempFolder } from "../support/temp.ts";
import { logLines, newTask, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const NO_TEXTS = [null, 5, true, {}, [], ["TASK-001"], Symbol("x")];

/** Calls of the methods of a workspace with a value in the place of a text. */
const OPTIONAL: Record<string, (ws: Workspace, value: string) => unknown> = {
  "verify: id": (ws, id) => ws.verify(id),
  "verify: gitBase": (ws, gitBase) => ws.verify(undefined, { gitBase }),
  "repair.rebuild: id": (ws, id) => ws.repair.rebuild(id),
  "repair.resolve: id": (ws, id) => ws.repair.resolve(id),
  "log: since": (ws, since) => ws.log("TASK-001", { since }),
  "watch: since": (ws, since) => ws.watch({ since }),
  "taskdoc.adoptEdits: by": (ws, by) => ws.taskdoc.adoptEdits("TASK-001", { by }),
};
/** null is as good as none. */
const DEFAULTED: Record<string, (ws: Workspace, value: string) => unknown> = {
  "openWorkspace: by": ({ root }, by) => openWorkspace({ root, by }),
};
const REQUIRED: Record<string, (ws: Workspace, value: string) => unknown> = {
  "log: id": (ws, id) => ws.log(id),
  "files: id": (ws, id) => ws.files(id),
  "repair.adopt: id": (ws, id) => ws.repair.adopt(id),
  "taskdoc.render: id": (ws, id) => ws.taskdoc.render(id),
  "taskdoc.audit: id": (ws, id) => ws.taskdoc.audit(id),
  "taskdoc.history: id": (ws, id) => ws.taskdoc.history(id),
  "taskdoc.adoptEdits: id": (ws, id) => ws.taskdoc.adoptEdits(id),
  "taskdoc.importMarkdown: id": (ws, id) => ws.taskdoc.importMarkdown(id, "old.md"),
  "taskdoc.importMarkdown: file": (ws, file) => ws.taskdoc.importMarkdown("TASK-001", file),
  "init: workspace": (ws, workspace) => ws.init(workspace),
  "openWorkspace: root": (_ws, root) => openWorkspace({ root }),
};

describe("the library", () => {
  it.each([
    ...Object.entries(OPTIONAL).map(([name, use]) => [name, use, NO_TEXTS] as const),
    ...Object.entries(DEFAULTED).map(([name, use]) => [name, use, NO_TEXTS.slice(1)] as const),
    ...Object.entries(REQUIRED).map(([name, use]) => [name, use, [...NO_TEXTS, undefined]] as const),
  ])("[ENG-19] %s that is no text is refused, and changes nothing", async (_name, use, values) => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    for (const value of values)
      await expect((async () => use(ws, value as never))()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(tree(ws.root)).toEqual(before);
  });

  it("[TOOL-80] a workspace has its methods and groups, and nothing of what only hosts need", async () => {
    const ws = testing.openWorkspace({ root: tempFolder() });
    const methodsOf = (object: object): string[] =>
      Reflect.ownKeys(Object.getPrototypeOf(object) as object)
        .map(String)
        .filter((name) => name !== "constructor")
        .toSorted();
    const face = "call callTool close files id init log verify watch";
    expect(methodsOf(ws).join(" ")).toBe(face);
    expect(Reflect.ownKeys(ws)).toEqual(["root", "taskdoc", "packets", "repair", "shared"]);
    const { taskdoc, packets, repair, shared } = ws;
    for (const group of [taskdoc, packets, repair]) expect(Reflect.ownKeys(group)).toEqual([]);
    expect(methodsOf(taskdoc).join(" ")).toBe("adoptEdits audit history importMarkdown render");
    expect(methodsOf(packets).join(" ")).toBe("export exportReview import");
    expect(methodsOf(repair).join(" ")).toBe("adopt rebuild rename resolve");
    const refusal = { code: "INVALID_INPUT", message: expect.stringContaining("opened with `shared`") as unknown };
    for (const method of Object.values(shared)) await expect(method()).rejects.toMatchObject(refusal);
    await ws.close();
    for (const method of Object.values(shared)) await expect(method()).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("[ENG-19] call never throws: a closed workspace and a name that is none come back as the error of the reply", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    for (const by of [...NO_TEXTS.slice(1), "ada", "agent:"])
      expect((await ws.callTool("tasks_note", {}, { by: by as never })).error?.code).toBe("INVALID_INPUT");
    expect(tree(ws.root)).toEqual(before);
    await ws.close();
    expect(await ws.call("tasks_context", { workspace: WORKSPACE })).toMatchObject({
      success: false,
      intent: "tasks_context",
      result: null,
      error: { code: "CLOSED" },
    });
    await expect(ws.repair.rebuild()).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => ws.verify()).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });

  it("[regression ENG-20] a reply has the type of its tool's answer", async () => {
    const ws = openTemp();
    await newTask(ws);
    const reply = await ws.call("tasks_radar", { workspace: WORKSPACE, task: "TASK-001" });
    const next: string[] | undefined = reply.success ? reply.result.radar?.next : [reply.error.message];
    expect(next).toEqual(["Confirm criteria, tests for s:0 First"]);
  });

  it.each(["agentInstance", "turnId"])(
    "[LOG-5] %s with a lone surrogate is refused, not written as a line of no use",
    async (key) => {
      const ws = openTemp();
      await newTask(ws);
      const before = logLines(ws.root);
      const note = { workspace: WORKSPACE, task: "TASK-001", note: "x" };
      expect((await ws.call("tasks_note", note, { [key]: "a\ud800" })).error?.code).toBe("INVALID_INPUT");
      expect(logLines(ws.root)).toEqual(before);
      expect((await ws.call("tasks_note", note, { [key]: 'a"\u{1F680}' })).error).toBeNull();
      expect(ws.verify().findings).toEqual([]);
    },
  );

  it.each([
    ["no options", null, "options"],
    ["a list of them", [], "options"],
    ["a name that is none", { durabilty: "os" }, '"durabilty"'],
    ["a name that every object has", { toString: "os" }, '"toString"'],
    ["another durability", { durability: "sync" }, '"fsync" or "group" or "os"'],
    ["other projections", { projections: "off" }, '"batch" or "manual"'],
    ["another lock", { lock: "flock" }, '"os" or "lockfile"'],
    ["another style of ids", { ids: "uuid" }, '"sequential" or "suffixed"'],
    ["a time that is no number", { lockTimeoutMs: Number.NaN }, "lockTimeoutMs"],
    ["a time in words", { lockTimeoutMs: "10" }, "lockTimeoutMs"],
    ["a time before now", { lockTimeoutMs: -1 }, "lockTimeoutMs"],
    ["a clock that is none", { now: 5 }, "now"],
  ])("[ENG-19] to open with %s is refused, and says what was expected", (_name, options, words) => {
    const root = tempFolder();
    const given = options === null || Array.isArray(options) ? options : { root, ...options };
    expect(() => openWorkspace(given as never)).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining(words) as string }),
    );
    expect(readdirSync(root)).toEqual([]);
  });

  it.each(["runtime", "now", "newId", "disk", "lockProvider"])(
    "[ENG-105] %s is an option of taskfold/testing, and no other openWorkspace takes it",
    (name) => {
      const options = { root: tempFolder(), [name]: 7 };
      const refused = (words: string): unknown =>
        expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining(words) as unknown });
      expect(() => plain.openWorkspace(options)).toThrow(refused(`found "${name}"`));
      expect(() => plain.openWorkspaces({ roots: [options] })).toThrow(refused(`found "${name}"`));
      expect(() => testing.openWorkspace(options)).toThrow(refused(`Expected ${name} to be`));
    },
  );

  it("[ENG-19] options that are left to the default may be said to be undefined, or null", async () => {
    const nothing = { by: undefined, durability: null, lockTimeoutMs: undefined, now: null } as never;
    const ws = openWorkspace({ root: tempFolder(), ...(nothing as object) });
    expect((await ws.call("tasks_context", { workspace: WORKSPACE })).error).toBeNull();
    await ws.close();
  });

  it("[TOOL-1] where the opening named the workspace a call may leave it out, unless it is asked for", async () => {
    const ws = openTemp({ workspace: "zeta/widgets" });
    const created = await ws.call("tasks_create", { title: "Version 2" } as never);
    expect(unwrap(created)).toMatchObject({ qualified_id: "zeta/widgets:PLAN-001" });
    const input = Object.freeze({ plan: "PLAN-001" });
    expect((await ws.callTool("tasks_radar", input)).result).toMatchObject({ workspace: "zeta/widgets" });
    expect((await ws.callTool("tasks_radar", { ...input, workspace: undefined } as never)).error).toBeNull();
    const operations = [{ tool: "tasks_note", args: { plan: "PLAN-001", note: "n" } }];
    expect((await ws.callTool("tasks_batch", { operations })).error).toBeNull();
    const asked = await ws.callTool("tasks_radar", input, { workspaceRequired: true });
    expect(asked.error).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining('"workspace"') as string,
    });
    for (const odd of [null, 1, "PLAN-001", [], [input]])
      expect((await ws.callTool("tasks_radar", odd as never)).error?.code).toBe("INVALID_INPUT");
    const unnamed = openTemp({ root: ws.root });
    expect((await unnamed.callTool("tasks_radar", input)).error?.code).toBe("INVALID_INPUT");
  });

  it("[TOOL-80] unwrap gives the result or throws the reply's error, with its suggestions", async () => {
    const ws = openTemp({ workspace: WORKSPACE });
    await newTask(ws);
    const reply = await ws.callTool("tasks_done", { task: "TASK-001", path: "s:0" });
    expect(reply.suggestions).not.toEqual([]);
    const { code, message, recovery, details } = reply.error!;
    const { suggestions } = reply;
    expect(() => unwrap(reply)).toThrow(
      expect.objectContaining({ name: "TaskfoldError", code, message, recovery, details, suggestions }),
    );
    expect(unwrap(await ws.callTool("tasks_radar", { task: "TASK-001" }))).toHaveProperty("radar");
  });

  it("[TOOL-80] a code is retryable where the same call may succeed later", () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    expect(codes.filter(isRetryable).toSorted()).toEqual([
      "LEASE_HELD",
      "LOCK_TIMEOUT",
      "NOTHING_READY",
      "SHARED_BUSY",
      "SHARED_UNAVAILABLE",
      "STORAGE_FAILED",
      "STORAGE_FULL",
      "UNKNOWN_OUTCOME",
    ]);
  });

  it("[ENG-60] a workspace that is opened for one id takes no other, in a root that is bound to nothing", async () => {
    const ws = openTemp({ workspace: "zeta/widgets" });
    const wrong = await ws.call("tasks_create", { workspace: "my-project", title: "x" });
    expect(wrong.error).toMatchObject({ code: "WORKSPACE_MISMATCH", details: { known: ["zeta/widgets"] } });
    await expect(ws.init("my-project")).rejects.toMatchObject({ code: "WORKSPACE_MISMATCH" });
    expect(ws.id).toBeUndefined();
    expect((await ws.call("tasks_create", { workspace: "zeta/widgets", title: "x" })).error).toBeNull();
    expect(ws.id).toBe("zeta/widgets");
  });

  it("[ENG-60] opened for another id than its root is bound to, every call and every method is refused", async () => {
    const { root } = await boundTo("zeta/widgets");
    const ws = openTemp({ root, workspace: "another/one" });
    for (const workspace of ["zeta/widgets", "another/one"])
      expect((await ws.call("tasks_context", { workspace })).error?.code).toBe("WORKSPACE_MISMATCH");
    expect(() => ws.verify()).toThrow(expect.objectContaining({ code: "WORKSPACE_MISMATCH" }));
    await expect(ws.init("another/one")).rejects.toMatchObject({ code: "WORKSPACE_MISMATCH" });
    for (const workspace of ["", "no id", "-x"])
      expect(() => openWorkspace({ root, workspace })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});

async function boundTo(id: string): Promise<Workspace> {
  const ws = openTemp();
  await ws.init(id);
  return ws;
}
