/** Descriptors that are kept for speed, where the system allows a process few of them. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptWithin } from "../../src/engine/core/kept_descriptors.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";

const TASKS = 300;

const PROGRAM = `
import { openWorkspace } from ${JSON.stringify(`file://${join(ROOT, "dist/index.js")}`)};
const ws = openWorkspace({ root: process.argv[2], durability: "os", projections: "manual" });
const call = async (tool, input) => {
  const { error } = await ws.callTool(tool, { workspace: "acme/repo", ...input });
  if (error) throw new Error(error.message);
};
for (let n = 1; n <= ${TASKS}; n++) await call("tasks_create", { kind: "task", id: "TASK-" + n, title: "Task" });
for (let n = 1; n <= ${TASKS}; n++) await call("tasks_edit", { task: "TASK-" + n, title: "Other" });
await Promise.all(Array.from({ length: ${TASKS} }, (_, i) => call("tasks_edit", { task: "TASK-" + (i + 1), title: "Third" })));
process.stdout.write("done");
`;

describe("descriptors", () => {
  it("[regression DUR-53] keeps fewer where a process may have few, and some at any limit", () => {
    expect(keptWithin(Infinity)).toEqual({ logs: 128, locks: 512 });
    expect(keptWithin(1024)).toEqual({ logs: 128, locks: 224 });
    expect(keptWithin(256)).toEqual({ logs: 32, locks: 32 });
    expect(keptWithin(64)).toEqual({ logs: 1, locks: 1 });
  });

  it.skipIf(process.platform === "win32")(
    "[regression DUR-53] more entities are changed than a process may have files open",
    { ...ROTATING, timeout: 60_000 },
    () => {
      const root = tempFolder();
      const program = join(root, "change.mjs");
      writeFileSync(program, PROGRAM);
      const limited = ["-c", 'ulimit -n 256 && exec "$0" "$@"', process.execPath, program, join(root, "ws")];
      const { stdout, stderr } = spawnSync("sh", limited, { encoding: "utf8" });
      expect(stderr).toBe("");
      expect(stdout).toBe("done");
    },
  );
});
