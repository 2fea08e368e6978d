import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BLOCKED, cocoRewrites, placeSample } from "../support/coco.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";

describe("taskfold adopt", () => {
  it("[ADOPT-5] tells first, then adopts, in a root that nobody has bound", async () => {
    const cwd = tempFolder();
    const folder = placeSample(cwd, BLOCKED);
    const before = tree(cwd);
    const dry = await run({ cwd }, "adopt", BLOCKED, "--dry-run");
    expect(dry).toEqual({
      code: 0,
      err: "",
      out: `${BLOCKED} would be adopted: One worker blocked\nWith it: roster 2, gates 1, lines 9.\n`,
    });
    expect(tree(cwd)).toEqual(before);
    const done = await run({ cwd }, "adopt", BLOCKED);
    expect(done).toMatchObject({ code: 0, err: "" });
    expect(done.out).toContain(`${BLOCKED} adopted: One worker blocked\n`);
    expect(existsSync(join(cwd, ".coco/workspace.yaml"))).toBe(true);
    expect(await run({ cwd }, "verify")).toMatchObject({ code: 0 });
    const twice = await json({ cwd }, "adopt", BLOCKED);
    expect([twice.code, twice.doc.error?.code]).toEqual([1, "ALREADY_DONE"]);
    cocoRewrites(folder, "2026-11-22T08:00:00Z", (task) => (task.title = "Two workers"));
    const again = await json({ cwd }, "adopt", BLOCKED, "--again");
    expect(again.doc.result).toMatchObject({ changed: true, title: "Two workers", fields: ["title"] });
    const nothing = await run({ cwd }, "adopt", BLOCKED, "--again");
    expect(nothing.out).toBe(`${BLOCKED}: nothing new to take in.\n`);
    expect((await json({ cwd }, "adopt", "nothing")).code).toBe(3);
  });
});
