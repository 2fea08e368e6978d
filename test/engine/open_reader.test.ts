/** `openReader`: what a workspace answers, from a program that takes no lock and writes nothing. */
import { describe, expect, it, onTestFinished } from "vitest";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceReader } from "../../src/index.ts";
import { openReader as openPlain } from "../../src/index.ts";
import type { ReaderOptions } from "../../src/testing.ts";
import { openReader } from "../../src/testing.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp, START, tree, WORKSPACE } from "../support/workspace.ts";

const now = (): number => START;

function reader(options: ReaderOptions): WorkspaceReader {
  const opened = openReader(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** A plan, a task with a step and a note, in a folder that a workspace has left. */
async function folder(): Promise<string> {
  const ws = openTemp({ now });
  await ok(ws, "tasks_create", { title: "Version 2" });
  await newTask(ws, "TASK-001", ["First", "Second"]);
  await ok(ws, "tasks_note", { task: "TASK-001", note: "Seen." });
  await ok(ws, "tasks_focus_set", { target: "TASK-001" });
  await ws.close();
  return ws.root;
}

describe("openReader", () => {
  it("[ENG-106] answers every call that reads as a workspace does, and writes nothing", async () => {
    const root = await folder();
    const before = tree(root);
    const looks = reader({ root, now, workspace: WORKSPACE });
    const calls = Object.values(TOOLS).flatMap(({ name, effect, examples }) =>
      effect === "read" ? examples.map((input) => ({ name, input: input as { workspace: string } })) : [],
    );
    const answers = [];
    for (const { name, input } of calls) answers.push(await looks.callTool(name, input));
    expect(answers.filter(({ success }) => success).length).toBeGreaterThan(10);
    expect(tree(root)).toEqual(before);
    await looks.close();
    expect(tree(root)).toEqual(before);
    const ws = openTemp({ root, now });
    for (const [i, { name, input }] of calls.entries())
      expect(answers[i], `${name} ${JSON.stringify(input)}`).toEqual(await ws.callTool(name, input));
    expect(looks.root).toBe(ws.root);
  });

  it("[ENG-106] gives log, files and each event that lands, and goes on from a cursor of its own", async () => {
    const root = await folder();
    const looks = reader({ root });
    const ws = openTemp({ root });
    expect(looks.log("TASK-001")).toEqual(ws.log("TASK-001"));
    expect(looks.files("TASK-001")).toEqual(ws.files("TASK-001"));
    const { result } = await looks.call("tasks_delta", { workspace: WORKSPACE });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "Again." });
    const watch = looks.watch({ since: result!.cursor! });
    expect((await watch.next()).value).toMatchObject({ type: "step_noted", task: "TASK-001" });
    await looks.close();
    expect((await watch.next()).done).toBe(true);
  });

  it("[ENG-106] refuses each tool that changes something, with the call that opens a workspace for it", async () => {
    const root = await folder();
    const before = tree(root);
    const looks = reader({ root });
    const changing = Object.values(TOOLS).filter(({ effect }) => effect !== "read");
    expect(changing.length).toBeGreaterThan(30);
    for (const { name, examples } of changing)
      expect((await looks.callTool(name, examples[0] as never)).error, name).toMatchObject({
        code: "READ_ONLY",
        message: expect.stringContaining(`found ${name}`) as unknown,
        recovery: expect.stringContaining("openWorkspace({ root })") as unknown,
      });
    const moving = { workspace: WORKSPACE, task: "TASK-001", read_only: false };
    const moved = await looks.call("tasks_resume", moving, { by: "agent:bob" });
    expect(moved.error).toMatchObject({
      code: "READ_ONLY",
      message: expect.stringContaining("moves the focus") as unknown,
    });
    expect((await looks.callTool("tasks_nothing", {})).error?.code).toBe("UNKNOWN_TOOL");
    expect(tree(root)).toEqual(before);
  });

  it("[ENG-106] a folder without a workspace stays one", async () => {
    const root = tempFolder();
    const looks = reader({ root });
    expect(looks.id).toBeUndefined();
    expect((await looks.call("tasks_context", { workspace: WORKSPACE })).success).toBe(true);
    expect(tree(root)).toEqual([]);
  });

  it("[ENG-106] takes no other workspace than the opening names, and no option of a writer", async () => {
    const root = await folder();
    const other = reader({ root, workspace: "acme/other" });
    const plain = await reader({ root }).callTool("tasks_context", { workspace: WORKSPACE }, null);
    expect(plain.error).toBeNull();
    expect((await other.call("tasks_context", {} as never)).error?.code).toBe("WORKSPACE_MISMATCH");
    expect(() => other.files("TASK-001")).toThrow(expect.objectContaining({ code: "WORKSPACE_MISMATCH" }) as Error);
    const refusal = {
      code: "INVALID_INPUT",
      message: expect.stringMatching(/options of openReader .* found "lock"/) as unknown,
    };
    expect(() => openPlain({ root, lock: "os" } as never)).toThrow(expect.objectContaining(refusal) as Error);
    expect(() => openPlain({ root, now } as never)).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }) as Error,
    );
  });

  it("[ENG-106] after its end each method says that it was closed", async () => {
    const looks = reader({ root: await folder() });
    await looks.close();
    await looks.close();
    expect((await looks.call("tasks_context", { workspace: WORKSPACE })).error?.code).toBe("CLOSED");
    for (const use of [() => looks.log("TASK-001"), () => looks.files("TASK-001"), () => looks.watch()])
      expect(use).toThrow(expect.objectContaining({ code: "CLOSED" }) as Error);
  });

  it("[ENG-106] a configuration of packets in the folder counts for what it plans", async () => {
    const root = await folder();
    mkdirSync(join(root, "configs/servant"), { recursive: true });
    writeFileSync(join(root, "configs/servant/codex.yaml"), "tool: [");
    const asked = { workspace: WORKSPACE, task: "TASK-001" };
    const [looks, ws] = [reader({ root, now }), openTemp({ root, now })];
    expect(await looks.callTool("packet_plan", asked)).toEqual(await ws.callTool("packet_plan", asked));
  });
});
