import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { openTemp } from "../support/workspace.ts";
import { connect } from "./mcp_support.ts";
import { ROTATING } from "../support/sweep.ts";

describe("a Taskdoc in conflict, over MCP", () => {
  it("[MCP-13] has every text of a section whole beside the effective Taskdoc", ROTATING, async () => {
    const root = tempFolder();
    cpSync(join(ROOT, "test/golden/taskdoc/.coco"), join(root, ".coco"), { recursive: true });
    const { sections } = openTemp({ root }).taskdoc.render("TASK-FORK");
    const open = sections.filter(({ conflict }) => conflict !== undefined);
    expect(open.length).toBeGreaterThan(0);
    const client = await connect(root);
    const { contents } = await client.readResource({ uri: "taskfold://tasks/TASK-FORK/taskdoc" });
    const beside = contents[0]!._meta?.["io.github.taskfold/taskdoc"] as { conflicts: unknown };
    expect(beside.conflicts).toEqual(open.map(({ path, conflict }) => ({ path, texts: conflict })));
  });
});
