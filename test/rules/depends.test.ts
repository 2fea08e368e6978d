import { describe, expect, it } from "vitest";
import { Given } from "../support/given.ts";
import { call, ok, openTemp } from "../support/workspace.ts";

/** Tasks TASK-001 and up, none of which depends on anything. */
function tasks(count: number): Given {
  const given = new Given();
  for (let i = 0; i < count; i++) given.call("tasks_create", { kind: "task", title: `Task ${i}` });
  return given;
}

const idOf = (number: number): string => `TASK-${String(number).padStart(3, "0")}`;

describe("a circle of dependencies", () => {
  it("[TOOL-17] is told by the edit that closes it, by the shortest way, and stands", () => {
    const given = tasks(5);
    const edit = (task: string, ...depends_on: string[]) => given.call("tasks_edit", { task, depends_on }).warnings;
    expect(edit("TASK-001", "TASK-002")).toEqual([]);
    expect(edit("TASK-002", "TASK-003", "TASK-004")).toEqual([]);
    expect(edit("TASK-003", "TASK-002")).toMatchObject([
      { code: "DEPENDENCY_CYCLE", message: "TASK-003 depends on itself: TASK-003 on TASK-002 on TASK-003." },
    ]);
    expect(edit("TASK-004", "TASK-001")).toMatchObject([
      { message: "TASK-004 depends on itself: TASK-004 on TASK-001 on TASK-002 on TASK-004." },
    ]);
    // It leads to circles, and is in none.
    expect(edit("TASK-005", "TASK-001", "TASK-003")).toEqual([]);
    expect(given.call("tasks_edit", { task: "TASK-004", title: "Still in it" }).warnings).toEqual([]);
    expect(given.entity("TASK-004").depends_on).toMatchObject([{ id: "TASK-001" }]);
  });

  it("[TOOL-17] is told by a patch, and by the patches of a task that is closed", () => {
    const given = tasks(2);
    const ops = [{ op: "append" as const, field: "depends_on", value: "TASK-002" }];
    expect(given.call("tasks_patch", { task: "TASK-001", ops }).warnings).toEqual([]);
    const back = [{ op: "append" as const, field: "depends_on", value: "TASK-001" }];
    const told = given.call("tasks_patch", { task: "TASK-002", ops: back });
    expect(told.warnings).toMatchObject([{ code: "DEPENDENCY_CYCLE" }]);
    given.call("tasks_patch", { task: "TASK-002", ops: [{ op: "unset", field: "depends_on" }] });
    const closed = given.call("tasks_close_task", { task: "TASK-002", apply: true, patches: [{ ops: back }] });
    expect(closed.warnings?.map((w) => w.code)).toEqual(["NO_STEPS", "DEPENDENCY_CYCLE"]);
  });

  it("[TOOL-17] [LINT-1] of many is told in a sentence, not in a list of all", () => {
    const given = tasks(40);
    for (let i = 1; i < 40; i++) given.call("tasks_edit", { task: idOf(i), depends_on: [idOf(i + 1)] });
    const { warnings } = given.call("tasks_edit", { task: idOf(40), depends_on: [idOf(1)] });
    const way = [40, 1, 2, 3, 4, 5, 6, 7].map(idOf).join(" on ");
    expect(warnings).toMatchObject([{ message: `TASK-040 depends on itself: ${way} on 32 more on TASK-040.` }]);
  });

  it("[TOOL-17] that one batch closes is told too", async () => {
    const ws = openTemp();
    for (const id of ["TASK-001", "TASK-002"]) await ok(ws, "tasks_create", { kind: "task", id, title: id });
    const on = (task: string, value: string) => ({
      tool: "tasks_patch",
      args: { task, ops: [{ op: "set", field: "depends_on", value: [value] }] },
    });
    const operations = [on("TASK-001", "TASK-002"), on("TASK-002", "TASK-001")];
    const reply = await call(ws, "tasks_batch", { atomic: true, operations });
    expect(reply.warnings.map((w) => w.code)).toEqual(["DEPENDENCY_CYCLE"]);
  });
});
