import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { hasChanged } from "../../src/engine/groups/has_changed.ts";
import { Reader } from "../../src/engine/reader.ts";
import { isTaskfoldError, unwrap } from "../../src/index.ts";
import { openWorkspaces } from "../../src/testing.ts";
import { tasksContext } from "../../src/tools/tasks_context.ts";
import { openWorkspace } from "../support/open.ts";
import type { Workspaces, WorkspacesOptions } from "../../src/index.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";

/** A root that is bound to an id. */
async function bound(id: string): Promise<string> {
  const root = tempFolder();
  const ws = openWorkspace({ root });
  await ws.init(id);
  await ws.close();
  return root;
}

function opened(options: WorkspacesOptions): Workspaces {
  const workspaces = openWorkspaces(options);
  onTestFinished(() => workspaces.close());
  return workspaces;
}

function refusal(work: () => unknown): object {
  try {
    work();
  } catch (e) {
    if (isTaskfoldError(e)) return { code: e.code, message: e.message };
    throw e;
  }
  throw new Error("nothing was refused");
}

describe("several roots", () => {
  it("[ENG-91] a call goes to the root of the workspace that it names, the focus and the ids of each apart", async () => {
    const roots = [await bound("acme/a"), await bound("acme/b")];
    const all = opened({ roots });
    for (const workspace of ["acme/a", "acme/b"]) {
      const made = unwrap(await all.call("tasks_create", { workspace, kind: "task", title: `Of ${workspace}` }));
      expect(made).toMatchObject({ id: "TASK-001", qualified_id: `${workspace}:TASK-001` });
    }
    unwrap(await all.call("tasks_focus_set", { workspace: "acme/b", target: "TASK-001" }));
    expect(unwrap(await all.call("tasks_radar", { workspace: "acme/b" }))).toMatchObject({
      target: { title: "Of acme/b" },
    });
    expect((await all.call("tasks_radar", { workspace: "acme/a" })).error?.code).toBe("TARGET_REQUIRED");
    expect(all.of("acme/b").root).toBe(roots[1]);
    expect(all.of().root).toBe(roots[0]);
    const chosen = opened({ roots, workspace: "acme/b" });
    expect(chosen.of().root).toBe(roots[1]);
    expect(chosen.list().map((row) => row.default)).toEqual([false, true]);
  });

  it("[ENG-91] tasks_storage lists them, and an id of none of them is refused with those there are", async () => {
    const [a, b] = [await bound("acme/a"), await bound("acme/b")];
    const all = opened({ roots: [a, { root: b }] });
    expect(unwrap(await all.call("tasks_storage", { workspace: "acme/b" }))).toMatchObject({
      workspace: "acme/b",
      workspaces: [
        { workspace: "acme/a", root: a, default: true, error: null },
        { workspace: "acme/b", root: b, default: false, error: null },
      ],
    });
    const { error } = await all.call("tasks_context", { workspace: "acme/c" });
    expect(error).toMatchObject({ code: "WORKSPACE_MISMATCH", details: { known: ["acme/a", "acme/b"] } });
    expect(error?.recovery).toContain('"acme/a" or "acme/b"');
    const alone = opened({ roots: [a] });
    expect(unwrap(await alone.call("tasks_storage", { workspace: "acme/a" }))).not.toHaveProperty("workspaces");
    expect((await alone.call("tasks_context", { workspace: "acme/c" })).error?.code).toBe("WORKSPACE_MISMATCH");
    // No workspace named: the default root's engine asks for it.
    expect((await all.callTool("tasks_context", {})).error).toMatchObject({ code: "INVALID_INPUT" });
    expect((await all.callTool("tasks_context", null as never)).error).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("[ENG-91] an operation of a batch goes to the root of the workspace that it names, and a repeated batch makes none twice", async () => {
    const all = opened({ roots: [await bound("acme/a"), { root: await bound("acme/b"), by: "agent:bea" }] });
    for (const workspace of ["acme/a", "acme/b"])
      unwrap(await all.call("tasks_create", { workspace, kind: "task", title: workspace }));
    const noted = (workspace?: string) => ({
      tool: "tasks_note",
      args: { ...(workspace === undefined ? {} : { workspace }), task: "TASK-001", note: "seen" },
    });
    const input = {
      workspace: "acme/a",
      idempotency_key: "k",
      operations: [noted(), noted("acme/b"), noted("acme/a"), noted("acme/x")],
    };
    const once = input.operations.slice(0, 3);
    for (const turn of [1, 2]) {
      const { error } = await all.call("tasks_batch", input);
      expect(error, `${turn}`).toMatchObject({ code: "BATCH_FAILED", details: { index: 3, failed: 1 } });
      expect(error?.message).toContain('one of the workspaces that are served, "acme/a", "acme/b"');
    }
    const { operations } = unwrap(await all.call("tasks_batch", { ...input, operations: once }));
    expect(operations.map(({ response }) => response?.result)).toMatchObject([
      { event: { by: "human:local" } },
      { event: { by: "agent:bea" } },
      { event: { by: "human:local" } },
    ]);
    const notes = async (workspace: string) =>
      unwrap(await all.call("tasks_resume_super", { workspace, task: "TASK-001" })).memory?.stats?.notes;
    expect([await notes("acme/a"), await notes("acme/b")]).toEqual([2, 1]);
    const blocked = { tool: "tasks_block", args: { workspace: "acme/b", task: "TASK-001", path: "s:0" } };
    const whole = await all.call("tasks_batch", { workspace: "acme/a", atomic: true, operations: [blocked] });
    expect(whole.error).toMatchObject({ code: "INVALID_INPUT", details: { index: 0 } });
    const alone = opened({ roots: [await bound("acme/c")] });
    const { error } = await alone.call("tasks_batch", { workspace: "acme/c", operations: [noted("acme/b")] });
    expect(error).toMatchObject({ details: { code: "WORKSPACE_MISMATCH" } });
  });

  it("[ENG-92] two roots are no one folder and have no one id, when they are opened and later", async () => {
    const [a, other] = [await bound("acme/a"), await bound("acme/a")];
    const link = join(tempFolder(), "link");
    symlinkSync(a, link);
    expect(refusal(() => openWorkspaces({ roots: [a, link] }))).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("different folders"),
    });
    expect(refusal(() => openWorkspaces({ roots: [a, other] }))).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining('"acme/a"'),
    });
    const later = tempFolder();
    const all = opened({ roots: [a, later] });
    const ws = openWorkspace({ root: later });
    await ws.init("acme/a");
    await ws.close();
    const before = [tree(a), tree(later)];
    expect((await all.call("tasks_create", { workspace: "acme/a", title: "x" })).error).toMatchObject({
      code: "WORKSPACE_MISMATCH",
      details: { roots: [a, later] },
    });
    expect([tree(a), tree(later)]).toEqual(before);
  });

  it("[ENG-60] a root that another process renames is found by its new id at the next call, and by no other", async () => {
    const [a, b] = [await bound("acme/a"), await bound("acme/b")];
    const all = opened({ roots: [a, b] });
    unwrap(await all.call("tasks_create", { workspace: "acme/b", kind: "task", title: "One" }));
    const rename = async (root: string, id: string): Promise<void> => {
      const other = openWorkspace({ root });
      await other.repair.rename(id);
      await other.close();
    };
    await rename(b, "acme/c");
    expect((await all.call("tasks_context", { workspace: "acme/b" })).error).toMatchObject({
      code: "WORKSPACE_MISMATCH",
      details: { known: ["acme/a", "acme/c"] },
    });
    unwrap(await all.call("tasks_note", { workspace: "acme/c", task: "TASK-001", note: "seen" }));
    // The same for the workspace alone, and two that come to one id are named once.
    const alone = openWorkspace({ root: b });
    onTestFinished(() => alone.close());
    expect(alone.id).toBe("acme/c");
    await rename(b, "acme/a");
    // The call comes before any other look at the id.
    expect((await alone.call("tasks_context", { workspace: "acme/c" })).error?.code).toBe("WORKSPACE_MISMATCH");
    expect(alone.id).toBe("acme/a");
    expect((await all.call("tasks_context", { workspace: "acme/x" })).error).toMatchObject({
      code: "WORKSPACE_MISMATCH",
      details: { known: ["acme/a"] },
    });
    expect((await all.call("tasks_context", { workspace: "acme/a" })).error?.message).toContain("both bound");
  });

  it("[ENG-60] changes that share a write look at the binding once, and each is refused after another process renamed it", async () => {
    const root = await bound("acme/a");
    const file = join(root, ".coco/workspace.yaml");
    let looks = 0;
    const disk: Disk = { ...nodeDisk, lstat: (path) => ((looks += Number(path === file)), nodeDisk.lstat(path)) };
    const ws = openWorkspace({ root, disk });
    onTestFinished(() => ws.close());
    const call = (workspace: string, tool: string, input: object) => ws.callTool(tool, { workspace, ...input });
    unwrap(await call("acme/a", "tasks_create", { kind: "task", title: "One" }));
    const notes = (workspace: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, i) => call(workspace, "tasks_note", { task: "TASK-001", note: `n${i}` })),
      );
    looks = 0;
    for (const reply of await notes("acme/a")) expect(reply.error).toBeNull();
    expect(looks).toBe(1);
    const other = openWorkspace({ root });
    await other.repair.rename("acme/b");
    await other.close();
    const before = tree(root);
    for (const { error } of await notes("acme/a")) expect(error?.code).toBe("WORKSPACE_MISMATCH");
    expect(tree(root)).toEqual(before);
    for (const reply of await notes("acme/b")) expect(reply.error).toBeNull();
  });

  it("[ENG-60] a repeated call is refused after another process renamed the workspace, also if its task was deleted since", async () => {
    const root = await bound("acme/a");
    const ws = openWorkspace({ root });
    onTestFinished(() => ws.close());
    unwrap(await ws.callTool("tasks_create", { workspace: "acme/a", kind: "task", title: "One" }));
    const note = { workspace: "acme/a", task: "TASK-001", note: "n", idempotency_key: "k" };
    unwrap(await ws.callTool("tasks_note", note));
    unwrap(await ws.callTool("tasks_delete", { workspace: "acme/a", target: "TASK-001" }));
    expect(unwrap(await ws.callTool("tasks_note", note))).toBeDefined();
    const other = openWorkspace({ root });
    await other.repair.rename("acme/b");
    await other.close();
    expect((await ws.callTool("tasks_note", note)).error?.code).toBe("WORKSPACE_MISMATCH");
  });

  it.each([{}, { workspace: "acme/a" }])(
    "[ENG-60] a call that makes nothing looks at the binding once, and reads it only where it changed: %o",
    async (options) => {
      const root = await bound("acme/a");
      const file = join(root, ".coco/workspace.yaml");
      const looked: string[] = [];
      const disk: Disk = {
        ...nodeDisk,
        lstat: (path) => (path === file && looked.push("look"), nodeDisk.lstat(path)),
        readFile: (path, most) => (path === file && looked.push("read"), nodeDisk.readFile(path, most)),
      };
      const ws = openWorkspace({ root, disk, ...options });
      onTestFinished(() => ws.close());
      const during = async (tool: string, input: object): Promise<string[]> => {
        looked.length = 0;
        unwrap(await ws.callTool(tool, { workspace: "acme/a", ...input }));
        return [...looked];
      };
      // Under the lock of the workspace it is read: another process may have bound the root meanwhile.
      const creation = { kind: "task", title: "One" };
      await during("tasks_create", creation);
      expect(await during("tasks_create", creation)).toEqual(["look", "look", "read"]);
      expect(await during("tasks_note", { task: "TASK-001", note: "first" })).toEqual(["look"]);
      expect(await during("tasks_radar", { task: "TASK-001" })).toEqual(["look"]);
      writeFileSync(file, `${readFileSync(file, "utf8")}# A comment of people.\n`);
      expect(await during("tasks_note", { task: "TASK-001", note: "second" })).toEqual(["look", "look", "read"]);
      expect(await during("tasks_note", { task: "TASK-001", note: "third" })).toEqual(["look"]);
    },
  );

  it("[ENG-60] a call that makes nothing looks at the binding once, also where no code that writes is loaded", async () => {
    const root = await bound("acme/a");
    let looks = 0;
    const isBinding = (path: string): boolean => path === join(root, ".coco/workspace.yaml");
    const disk: Disk = { ...nodeDisk, lstat: (path) => (isBinding(path) && looks++, nodeDisk.lstat(path)) };
    const reader = new Reader({ root, disk, by: "agent:ada" });
    onTestFinished(() => reader.close());
    for (let n = 1; n <= 3; n++) {
      expect((await reader.call(tasksContext, { workspace: "acme/a" })).success).toBe(true);
      expect(looks).toBe(n);
    }
  });

  it("[ENG-92] a default that none of several roots has opens nothing", async () => {
    const roots = [await bound("acme/a"), await bound("acme/b")];
    expect(refusal(() => openWorkspaces({ roots, workspace: "acme/x" }))).toMatchObject({
      code: "WORKSPACE_MISMATCH",
      message: expect.stringContaining('"acme/a", "acme/b"'),
    });
    expect(opened({ roots: [...roots, tempFolder()], workspace: "acme/x" }).list()).toHaveLength(3);
  });

  it("[ENG-92] roots of different disks are different folders", async () => {
    const root = await bound("acme/a");
    const elsewhere = { ...nodeDisk };
    expect(refusal(() => openWorkspaces({ roots: [root, { root, disk: elsewhere }] }))).toMatchObject({
      message: expect.stringContaining("different ids"),
    });
    // Each root is looked at by its own disk.
    const one = { ...nodeDisk, stat: () => ({ ...nodeDisk.stat(root)!, dev: 1, ino: 1 }) };
    const roots = [await bound("acme/b"), await bound("acme/c")].map((at) => ({ root: at, disk: one }));
    expect(refusal(() => openWorkspaces({ roots }))).toMatchObject({
      message: expect.stringContaining("different folders"),
    });
  });

  it("[ENG-92] a root that cannot be read does not stop the others, and calls that may mean it say why", async () => {
    const [good, broken, file] = [await bound("acme/good"), await bound("acme/broken"), join(tempFolder(), "a-file")];
    writeFileSync(join(broken, ".coco/workspace.yaml"), "nothing of ours\n");
    writeFileSync(file, "");
    const all = opened({ roots: [broken, good, file] });
    expect(all.list()).toMatchObject([
      { workspace: null, root: broken, default: true, error: { code: "LOG_UNREADABLE" } },
      { workspace: "acme/good", error: null },
      { workspace: null, root: file, error: { code: "INVALID_INPUT" } },
    ]);
    expect((await all.call("tasks_create", { workspace: "acme/good", title: "x" })).error).toBeNull();
    const { error } = await all.call("tasks_context", { workspace: "acme/broken" });
    expect(error).toMatchObject({ code: "WORKSPACE_MISMATCH", details: { known: ["acme/good"] } });
    expect(error?.message).toContain(`${JSON.stringify(broken)} cannot be used: Expected .coco/workspace.yaml`);
    expect(refusal(() => all.of())).toMatchObject({ code: "LOG_UNREADABLE" });
    // Once it is mended, calls find it.
    writeFileSync(join(broken, ".coco/workspace.yaml"), 'id: "acme/broken"\nids: sequential\n');
    expect((await all.call("tasks_context", { workspace: "acme/broken" })).error).toBeNull();
  });

  it("[ENG-92] a root that is bound to nothing is found by the id of its options, and binds to no other", async () => {
    const [a, free, fresh] = [await bound("acme/a"), tempFolder(), tempFolder()];
    const all = opened({ roots: [a, free, { root: join(fresh, "new"), workspace: "acme/new" }] });
    expect(all.list().map((row) => row.workspace)).toEqual(["acme/a", null, "acme/new"]);
    expect((await all.call("tasks_create", { workspace: "acme/free", title: "x" })).error?.message).toContain(
      `${JSON.stringify(free)} is bound to no id yet`,
    );
    expect(tree(free)).toEqual([]);
    expect((await all.call("tasks_create", { workspace: "acme/new", title: "x" })).error).toBeNull();
    const ws = openWorkspace({ root: free });
    await ws.init("acme/free");
    await ws.close();
    expect((await all.call("tasks_create", { workspace: "acme/free", title: "x" })).error).toBeNull();
    expect(hasChanged(all)).toBe(true);
  });

  it("[ENG-91] close ends all of them", async () => {
    const all = openWorkspaces({ roots: [await bound("acme/a"), await bound("acme/b")] });
    await all.close();
    for (const workspace of ["acme/a", "acme/b"])
      expect((await all.call("tasks_context", { workspace })).error?.code).toBe("CLOSED");
    await all.close();
  });

  it("[ENG-19] options that are none are refused", async () => {
    const root = await bound("acme/a");
    for (const options of [
      undefined,
      {},
      { roots: [] },
      { roots: root },
      { roots: [root], by: "human:ada" },
      { roots: [1] },
      { roots: [{}] },
      { roots: [{ root, durable: true }] },
      { roots: [{ root, by: "nobody" }] },
      { roots: [{ root, workspace: "not an id" }] },
      { roots: [root], workspace: "not an id" },
    ])
      expect(
        refusal(() => openWorkspaces(options as unknown as WorkspacesOptions)),
        JSON.stringify(options),
      ).toMatchObject({ code: "INVALID_INPUT" });
  });
});
