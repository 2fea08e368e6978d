import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { call, openTemp } from "../support/workspace.ts";
import { run } from "./cli_support.ts";

describe("a workspace above the repository that one stands in", () => {
  it("[DIR-1] a change from a submodule without a workspace says where it went, and a look does not", async () => {
    const outer = tempFolder();
    const inner = join(outer, "vendor/part");
    const below = join(inner, "src");
    mkdirSync(below, { recursive: true });
    mkdirSync(join(outer, ".git"));
    // A submodule has a file there, a repository of its own a folder.
    writeFileSync(join(inner, ".git"), "gitdir: ../../.git/modules/part\n");
    await run({ cwd: outer }, "init", "--workspace", "acme/repo");
    const said = `The change went to the workspace in ${outer}, which lies above the repository in ${inner}.`;
    for (const cwd of [inner, below]) {
      const added = await run({ cwd }, "add", "Where is it");
      expect([added.code, added.err.replaceAll(/\s+/g, " ")]).toEqual([0, expect.stringContaining(said)]);
      expect((await run({ cwd }, "list")).err).toBe("");
    }
    expect(JSON.parse((await run({ cwd: inner }, "add", "Again", "--json")).out)).toMatchObject({
      warnings: [{ code: "ROOT_ABOVE_GIT", message: said }],
    });
    for (const [cwd, ...args] of [[outer], [join(outer, "vendor")], [inner, "-C", outer]] as const)
      expect((await run({ cwd }, ...args, "add", "No surprise")).err).toBe("");
  });

  it("[DIR-1] a program that says where it searched is told once, by its first change that is kept", async () => {
    const root = tempFolder();
    const inner = join(root, "inner");
    mkdirSync(join(inner, ".git"), { recursive: true });
    const ws = openTemp({ root, rootSearchedFrom: inner });
    const codes = async (task: string): Promise<string[]> =>
      (await call(ws, "tasks_note", { task, note: "x" })).warnings.map(({ code }) => code);
    await call(ws, "tasks_context", {});
    expect(await codes("TASK-009")).toEqual([]);
    const made = await call(ws, "tasks_create", { kind: "task", title: "One" });
    expect(made.warnings).toMatchObject([{ code: "ROOT_ABOVE_GIT" }]);
    expect(await codes("TASK-001")).toEqual([]);
  });
});
