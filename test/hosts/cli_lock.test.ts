import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { json, run } from "./cli_support.ts";

describe("init --lock", () => {
  it("[DUR-25] chooses the kind of lock of this machine, once", async () => {
    const cwd = tempFolder();
    const { doc } = await json({ cwd }, "init", "--workspace", "acme/repo", "--lock", "lockfile");
    expect(doc.result).toMatchObject({ lock: "lockfile", hints: [] });
    expect(readFileSync(join(cwd, ".coco/locks/kind"), "utf8")).toBe("lockfile\n");
    const again = await json({ cwd }, "init", "--lock", "os");
    expect(again.doc.result).toMatchObject({
      lock: "lockfile",
      hints: [expect.stringContaining("locks stay of kind lockfile")],
    });
    expect((await run({ cwd }, "call", "tasks_create", '{"title":"Works"}')).code).toBe(0);
  });

  it("[DUR-25] knows no other kind", async () => {
    expect((await run({ cwd: tempFolder() }, "init", "--lock", "flock")).code).toBe(2);
  });
});
