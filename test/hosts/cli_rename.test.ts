import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { json, refused, result, run, workspace } from "./cli_support.ts";

/** Bytes of the logs, and the file that binds the root. */
function kept(cwd: string): { logs: string[]; binding: string } {
  const tasks = join(cwd, ".coco/tasks");
  const logs = readdirSync(tasks).map((id) => readFileSync(join(tasks, id, "events.jsonl"), "utf8"));
  return { logs, binding: readFileSync(join(cwd, ".coco/workspace.yaml"), "utf8") };
}

describe("another id for a workspace", () => {
  it("[CLI-260] changes the one line that binds the root, and takes each focus along", async () => {
    const cwd = await workspace();
    const path = join(cwd, ".coco/workspace.yaml");
    writeFileSync(path, `${kept(cwd).binding.replaceAll("\n", "\r\n")}# kept\r\n`);
    const before = kept(cwd);
    const from = /^id: "(.*)"/m.exec(before.binding)![1]!;
    await run({ cwd }, "call", "tasks_focus_set", '{"task":"TASK-001"}');
    const told = await json({ cwd }, "init", "--rename", "acme/new-name");
    expect(told).toMatchObject({ code: 0, doc: { result: { from, workspace: "acme/new-name" } } });
    const after = kept(cwd);
    expect(after.logs).toEqual(before.logs);
    expect(after.binding).toBe(before.binding.replace(`id: "${from}"`, 'id: "acme/new-name"'));
    expect(await result(cwd, "whoami")).toMatchObject({ workspace: "acme/new-name", focus: "TASK-001" });
    const old = await run({ cwd }, "call", "tasks_radar", JSON.stringify({ workspace: from }));
    expect(old).toMatchObject({ code: 4, err: expect.stringMatching(/^WORKSPACE_MISMATCH/) as string });
    expect((await run({ cwd }, "note", "1", "goes on")).code).toBe(0);
    expect(await run({ cwd }, "verify")).toMatchObject({ code: 0 });
    expect((await run({ cwd }, "init", "--rename", "acme/new-name")).out).toContain("nothing changed");
  });

  it("[CLI-260] init names the way, at first and where another id is asked for", async () => {
    const cwd = tempFolder();
    expect((await run({ cwd }, "init", "--workspace", "acme/repo")).out).toContain("taskfold init --rename ID");
    const { code, err } = await run({ cwd }, "init", "--workspace", "acme/other");
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringContaining("taskfold init --rename acme/other") as string,
    });
  });

  it("[CLI-260] is refused where nothing is bound, with other options, and beside a shared log", async () => {
    const unbound = await run({ cwd: tempFolder() }, "init", "--rename", "acme/new");
    expect(unbound).toMatchObject({ code: 3, err: expect.stringMatching(/^NO_WORKSPACE/) as string });
    const cwd = await workspace();
    await refused(cwd, "INVALID_INPUT", 2, "init", "--rename", "not an id");
    await refused(cwd, "INVALID_INPUT", 2, "init", "--rename", "acme/new", "--overview");
    const registry = join(cwd, ".coco/registry");
    await run({ cwd }, "call", "tasks_focus_set", '{"task":"TASK-001"}');
    const machine = readdirSync(registry).find((name) => name.startsWith("machine-"))!;
    const position = join(registry, machine, "shared/position");
    mkdirSync(dirname(position), { recursive: true });
    writeFileSync(position, "");
    await refused(cwd, "INVALID_INPUT", 2, "init", "--rename", "acme/new");
  });
});
