import fc from "fast-check";
import { mkdirSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openWorkspace } from "../support/open.ts";
import { Layout } from "../../src/files/layout.ts";
import { idFault } from "../../src/state/ids.ts";
import { LIMITS } from "../../src/state/limits.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { tempFolder } from "../support/temp.ts";
import { logLines, newTask, notesOf, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const on = { workspace: WORKSPACE };

/** Texts that look like ways out, and what else is no id. */
const noIds = fc
  .oneof(
    fc.constantFrom(
      "../../../out/hollow",
      "..",
      ".",
      "",
      "a/b",
      "a\\b",
      "a\0b",
      "/etc",
      "C:\\x",
      "CON",
      "x".repeat(1e6),
    ),
    fc
      .array(fc.constantFrom("..", ".", "/", "\\", "\0", "a", "TASK-001", "\n", "\u202e"), { maxLength: 8 })
      .map((p) => p.join("")),
    fc.string({ unit: ANY_CHARACTER, maxLength: 100 }),
  )
  .filter((id) => idFault(id, LIMITS.idCharacters + 8) !== null);

/** Calls that name an entity by this id, with a key, which is looked for in the archive too. */
const CALLS: Record<string, (id: string) => object> = {
  tasks_note: (task) => ({ task, note: "x", idempotency_key: "k" }),
  tasks_edit: (plan) => ({ plan, title: "x", idempotency_key: "k" }),
  tasks_radar: (target) => ({ target }),
  tasks_macro_close_step: (task) => ({ task, idempotency_key: "k" }),
  tasks_create: (parent) => ({ parent, title: "x", idempotency_key: "k" }),
  tasks_focus_set: (target) => ({ target }),
  tasks_batch: (task) => ({
    atomic: true,
    idempotency_key: "k",
    operations: [{ tool: "tasks_block", args: { task, path: "s:0", reason: "r" } }],
  }),
};

const METHODS: Record<string, (ws: Workspace, id: string) => unknown> = {
  log: (ws, id) => ws.log(id),
  files: (ws, id) => ws.files(id),
  verify: (ws, id) => ws.verify(id),
  rebuild: (ws, id) => ws.repair.rebuild(id),
  resolve: (ws, id) => ws.repair.resolve(id),
  adopt: (ws, id) => ws.repair.adopt(id),
  taskdocAudit: (ws, id) => ws.taskdoc.audit(id),
};

/** The path that a name becomes, or the code it is refused with. */
function pathBy(way: (name: string) => string, name: string): string {
  try {
    return way(name);
  } catch (e) {
    return (e as { code: string }).code;
  }
}

describe("an id that is none", () => {
  it(
    "[ENG-12] is refused by every tool and method, and nothing outside of the workspace is looked at",
    ROTATING,
    async () => {
      const root = tempFolder();
      for (const name of ["out/hollow/empty", "ws"]) mkdirSync(join(root, name), { recursive: true });
      const disk = new FaultyDisk();
      const ws = openTemp({ root: join(root, "ws"), disk });
      await newTask(ws);
      await ok(ws, "tasks_create", { title: "Gone", kind: "plan", id: "GONE" });
      await ok(ws, "tasks_delete", { plan: "GONE" });
      const outside = tree(join(root, "out"));
      await fc.assert(
        fc.asyncProperty(noIds, async (id) => {
          disk.calls.length = 0;
          for (const [tool, input] of Object.entries(CALLS)) {
            const { error } = await ws.callTool(tool, { ...on, ...input(id) });
            expect(["UNKNOWN_ID", "INVALID_INPUT", "ID_UNSAFE"], `${tool}: ${error?.message}`).toContain(error?.code);
            expect(error!.message.length).toBeLessThan(1000);
          }
          for (const [name, use] of Object.entries(METHODS))
            await expect((async () => use(ws, id))(), name).rejects.toMatchObject({ code: "UNKNOWN_ID" });
          // Where a repository may begin is looked for upwards.
          const paths = disk.calls.map(({ path }) => path);
          expect(
            paths.filter((path) => path !== ws.root && !path.startsWith(ws.root + sep) && !path.endsWith(`${sep}.git`)),
          ).toEqual([]);
          expect(paths.filter((path) => path.includes("\0"))).toEqual([]);
        }),
        { numRuns: 60 },
      );
      expect(tree(join(root, "out"))).toEqual(outside);
    },
  );

  it("[ENG-12] is no part of any path", () => {
    const layout = new Layout("/work");
    const ways: ((name: string) => string)[] = [
      (name) => layout.folder(name),
      (name) => layout.archived(name),
      (name) => layout.lock(name),
      (name) => layout.sharedFile("journal", name),
    ];
    fc.assert(
      fc.property(fc.oneof(noIds, fc.string()), fc.constantFrom(...ways), (name, way) => {
        const path = pathBy(way, name);
        if (path === "ID_UNSAFE") return;
        const [folder] = way("X").split(/\/X/);
        expect(path.slice(folder!.length + 1)).toMatch(/^[^/\\\0]+$/);
        expect(path.startsWith(`${folder}/`)).toBe(true);
        expect(path).not.toMatch(/\/\.{1,2}(\/|$)/);
      }),
    );
  });
});

describe("an input that is too large", () => {
  /** Small in memory, large when it is walked through. */
  const shared = (levels: number): unknown => {
    let value: unknown = "x";
    for (let i = 0; i < levels; i++) value = [value, value];
    return value;
  };
  const cyclic: Record<string, unknown> = { ...on, note: "x" };
  cyclic["a"] = cyclic;
  cyclic["b"] = cyclic;

  it.each([
    ["members", { ...on, ...Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1])) }],
    ["items", { ...on, note: Array.from({ length: 300_000 }, () => 1) }],
    ["items that are one and the same", { ...on, note: shared(40) }],
    ["characters", { ...on, note: Array.from({ length: 80 }, () => "x".repeat(1 << 20)) }],
  ])("[ENG-16] with too many %s is refused before it is checked", async (_what, input) => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    const { error } = await ws.callTool("tasks_note", input as never);
    expect(error).toMatchObject({ code: "CONTENT_TOO_LARGE", message: expect.stringContaining("250000") as string });
    expect(tree(ws.root)).toEqual(before);
  });

  it("[ENG-16] that leads back to itself is refused too", async () => {
    const ws = openTemp();
    for (const tool of ["tasks_note", "tasks_radar", "tasks_batch"])
      expect(["CONTENT_TOO_LARGE", "INVALID_INPUT"]).toContain((await ws.callTool(tool, cyclic as never)).error?.code);
  });
});

describe("callers without types", () => {
  it.each([NaN, Infinity, -1, 1e300, "x", null, {}, 1n, Date.UTC(9999, 11, 31)])(
    "[regression ENG-57] a clock that gives %s is told so, and nothing is written",
    async (time) => {
      const ws = openTemp();
      await newTask(ws);
      await ws.close();
      const odd = openWorkspace({ root: ws.root, now: () => time as number });
      const calls: [string, object][] = [
        ["tasks_note", { task: "TASK-001", note: "x" }],
        ["tasks_claim", { task: "TASK-001" }],
        ["tasks_create", { title: "x" }],
        [
          "tasks_batch",
          { atomic: true, operations: [{ tool: "tasks_block", args: { task: "TASK-001", path: "s:0", reason: "r" } }] },
        ],
      ];
      for (const [tool, input] of calls)
        expect((await odd.callTool(tool, { ...on, ...input })).error, tool).toMatchObject({
          code: "INVALID_INPUT",
          message: expect.stringContaining("now") as string,
        });
      await odd.close();
      expect(notesOf(ws.root)).toEqual([]);
      expect(logLines(ws.root)).toHaveLength(2);
    },
  );

  const throwing = {
    toString(): string {
      throw new Error("no");
    },
  };
  it.each([
    5,
    null,
    undefined,
    {},
    throwing,
    Symbol("x"),
    ["tasks_note"],
    1n,
    "__proto__",
    "constructor",
    "x".repeat(1e6),
  ])("[ENG-19] a tool that no tool is called by is UNKNOWN_TOOL, and the reply is JSON", async (tool) => {
    const reply = await openTemp().callTool(tool as string, on);
    expect(reply.error?.code).toBe("UNKNOWN_TOOL");
    expect(JSON.stringify(reply).length).toBeLessThan(5000);
    expect(typeof reply.intent).toBe("string");
  });

  it("[ENG-19] null in the place of the options of a call is as good as none", async () => {
    const ws = openTemp();
    await newTask(ws);
    expect((await ws.call("tasks_radar", { ...on, task: "TASK-001" }, null as never)).error).toBeNull();
  });
});
