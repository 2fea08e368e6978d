/** What `tasks_search` finds, and how its answer is paged and cut. */
import { describe, expect, it } from "vitest";
import type { WorkspaceReadContext } from "../../src/tools/read_tool.ts";
import type { Answer } from "../../src/tools/reply_context.ts";
import type { Searched } from "../../src/tools/tasks_search.ts";
import { searchOver } from "../../src/tools/tasks_search.ts";
import { ok, openTemp } from "../support/workspace.ts";

const ids = (rows: unknown): string[] => (rows as { id: string }[]).map(({ id }) => id);

describe("tasks_search", () => {
  it("[VIEW-106] finds a text in any case wherever a plan or task says it, and says where", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "plan", title: "Version 2", contract: "No Parser may be slow." });
    const steps = [{ title: "Write it", success_criteria: ["the PARSER reads all"], tests: ["npm test"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "A printer", description: "Beside the parser.", steps });
    await ok(ws, "tasks_create", { kind: "task", title: "Other work", tags: ["parsers"] });
    await ok(ws, "tasks_create", { kind: "task", title: "Nothing of it" });
    await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "The parser is half done." });
    await ok(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", checks: ["CMD: npm run parser"] });
    const { tasks, notes_not_searched } = await ok(ws, "tasks_search", { text: "pArSeR" });
    expect(ids(tasks)).toEqual(["PLAN-001", "TASK-001", "TASK-002"]);
    const found = (tasks as { found: { where: string }[] }[]).map((row) => row.found.map(({ where }) => where));
    expect(found).toEqual([["contract"], ["description", "s:0", "note on s:0", "evidence"], ["tag"]]);
    expect(notes_not_searched).toBe(0);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    expect(ids((await ok(ws, "tasks_search", { text: "parser" }))["tasks"])).toEqual(["PLAN-001", "TASK-001"]);
  });

  it("[VIEW-106] names five places of each, says that there are more, and counts the notes that it left out", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "A parser", description: "parser" });
    for (let i = 0; i < 12; i++) await ok(ws, "tasks_note", { task: "TASK-001", note: `parser ${i}` });
    const { tasks, notes_not_searched } = await ok(ws, "tasks_search", { text: "parser" });
    expect(tasks).toMatchObject([{ id: "TASK-001", more: true, found: { length: 5 } }]);
    expect(notes_not_searched).toBe(2);
    expect((await ok(ws, "tasks_search", { text: "parser 0" }))["tasks"]).toEqual([]);
  });

  it("[VIEW-106] [BUDGET-8] pages give every row once, also where the budget cuts them", async () => {
    const ws = openTemp({ durability: "os" });
    for (let i = 0; i < 12; i++)
      await ok(ws, "tasks_create", { kind: "task", title: `A parser ${"x".repeat(60)} ${i}` });
    for (const bound of [{ limit: 5 }, { limit: 200, max_chars: 700 }]) {
      const seen: string[] = [];
      for (let cursor: number | null = 0; cursor !== null;) {
        const page = await ok(ws, "tasks_search", { text: "parser", ...bound, cursor });
        seen.push(...ids(page["tasks"]));
        const { next_cursor, total } = page["pagination"] as { next_cursor: number | null; total: number };
        expect(total).toBe(12);
        cursor = next_cursor;
      }
      expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => `TASK-${String(i + 1).padStart(3, "0")}`));
    }
  });

  it("[VIEW-106] searches the archive where it is asked to, and otherwise counts what lies there", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "A parser" });
    await ok(ws, "tasks_complete", { task: "TASK-001" });
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(await ok(ws, "tasks_search", { text: "parser" })).toMatchObject({ tasks: [], archived: 1 });
    const { tasks } = await ok(ws, "tasks_search", { text: "parser", archived: true });
    expect(tasks).toMatchObject([{ id: "TASK-001", status: "DONE", found: [{ where: "title" }] }]);
  });

  it("[VIEWER-5] a host that keeps texts reads each plan or task once, whatever it searches, and again once it forgot one", () => {
    const entity = { description: "", tags: [], children: [], notes: [], note_count: 2, evidence: [] };
    const titles = ["A parser", "A lexer"];
    let read = 0;
    const ctx = {
      workspace: "acme/repo",
      asOf: () => undefined,
      archive: { names: () => [] },
      rows: () => titles.map((title, n) => ({ id: `TASK-00${n + 1}`, title, status: "TODO", deleted: false })),
      find: ({ id, title }: { id: string; title: string }) => (read++, { id, entity: { ...entity, title } }),
    } as unknown as WorkspaceReadContext;
    const texts = new Map<string, Searched>();
    const search = (text: string): unknown => {
      const { result } = (searchOver(texts).reply as (input: object, of: WorkspaceReadContext) => Answer)(
        { text },
        ctx,
      );
      const { tasks, notes_not_searched } = result as { tasks: { id: string }[]; notes_not_searched: number };
      return [tasks.map(({ id }) => id).join(), notes_not_searched, read];
    };
    expect(search("PARSER")).toEqual(["TASK-001", 4, 2]);
    expect(search("lexer"), "nothing is read again").toEqual(["TASK-002", 4, 2]);
    titles[0] = "A grammar";
    texts.delete("TASK-001");
    expect(search("grammar")).toEqual(["TASK-001", 4, 3]);
  });
});
