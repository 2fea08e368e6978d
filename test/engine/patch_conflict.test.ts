import { describe, expect, it } from "vitest";
import { clone, union } from "../support/clones.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";

describe("a patch of a field in conflict", () => {
  it.each([
    ["the whole", {}, "title"],
    ["a step", { path: "s:0" }, "title"],
  ])("[PATCH-4] of %s decides for the value that is shown, by setting it again", async (_what, at, field) => {
    const base = openTemp();
    const task = await newTask(base);
    const titled = (value: string) => ({ task, ...at, ops: [{ op: "set" as const, field, value }] });
    const [ann, ben] = [clone(base, 1), clone(base, 2)];
    await ok(ann, "tasks_patch", titled("of Ann"));
    await ok(ben, "tasks_patch", titled("of Ben"));
    union(ann, ben);
    await ann.repair.resolve();
    const radar = async (): Promise<string> => JSON.stringify(await ok(ann, "tasks_radar", { task }));
    expect(await radar()).toContain("Conflict on");
    expect(await ok(ann, "tasks_patch", titled("of Ben"))).toMatchObject({ changed: true });
    expect(await radar()).not.toContain("Conflict on");
    expect(await ok(ann, "tasks_patch", titled("of Ben"))).toMatchObject({ changed: false });
  });
});
