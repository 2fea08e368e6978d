/** A shared log beside a sparse checkout: the log knows what git left out of one machine's folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import { machine } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { tempFolder } from "../support/temp.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

describe.each(["strict", "merge"] as const)("a sparse checkout beside a shared log in mode %s", (mode) => {
  it("[GIT-90] [GIT-91] gives no id twice, and loses no change to what it left out", async () => {
    const server = await natsServer();
    const ada = Clone.init(join(tempFolder(), "ada"));
    const a = machine(server.url, { root: ada.root, log: { mode } });
    await a.shared.init(WORKSPACE);
    for (const title of ["First", "Second"]) await newTask(a, `TASK-00${title === "First" ? 1 : 2}`);
    await a.shared.sync();
    ada.commit("work");
    const sparse = Clone.of(join(tempFolder(), "sparse"), ada);
    sparse.git("sparse-checkout", "set", "--no-cone", "/*", "!/.coco/tasks/TASK-002");
    expect(existsSync(join(sparse.root, ".coco/tasks/TASK-002"))).toBe(false);
    const b = machine(server.url, { root: sparse.root, log: { mode } });
    // In mode strict a write takes in first what the shared log has, and so the whole log of that task.
    const first = await call(b, "tasks_note", { task: "TASK-002", note: "first" });
    expect(first.error?.code).toBe(mode === "strict" ? undefined : "NOT_CHECKED_OUT");
    const before = mode === "strict" ? ["first"] : [];
    const made = await ok(b, "tasks_create", { kind: "task", title: "Third" });
    expect(made["id"]).toBe("TASK-003");
    await ok(a, "tasks_note", { task: "TASK-002", note: "by a" });
    await b.shared.sync();
    await a.shared.sync();
    expect(notesOf(a.root, "TASK-002")).toEqual([...before, "by a"]);
    expect(existsSync(join(a.root, ".coco/tasks/TASK-003"))).toBe(true);
    sparse.git("sparse-checkout", "disable");
    await b.shared.sync();
    await ok(b, "tasks_note", { task: "TASK-002", note: "by b" });
    await b.shared.sync();
    await a.shared.sync();
    expect(notesOf(a.root, "TASK-002")).toEqual([...before, "by a", "by b"]);
    for (const one of [a, b]) expect(one.verify().findings.filter(({ info }) => info !== true)).toEqual([]);
  });
});
