/** What random attacks (test/suites/fuzz/run.mjs) once found, as they found it. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";
import { code, openTemp } from "./support/workspace.ts";

const FOREIGN = "task-2f61da5b5ec7488eb79fc983790aa10c";

describe("a folder of another program that has no log of ours", () => {
  it.each(["tasks_macro_close_step", "tasks_macro_finish"] as const)(
    "is refused by %s with LOG_FOREIGN",
    async (tool) => {
      const root = tempFolder();
      mkdirSync(join(root, ".coco/tasks"), { recursive: true });
      cpSync(join(ROOT, "test/data/coco", FOREIGN), join(root, ".coco/tasks", FOREIGN), { recursive: true });
      const ws = openTemp({ root });
      expect(await code(ws, tool, { task: FOREIGN } as never)).toBe("LOG_FOREIGN");
    },
  );
});
