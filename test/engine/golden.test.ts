import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../src/events/index.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { openTemp, tree } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const GOLDEN = join(ROOT, "test/golden");
/** Types that came after the last golden workspace was made; the next one has them. */
const LATER: string[] = ["task.archived", "task.restored", "tasks.archived", "tasks.restored"];
const versions = readdirSync(GOLDEN);
const EMPTY = createHash("sha256").update("").digest("hex").slice(0, 12);
/** Earlier releases wrote the three files of a Taskdoc without a section, too. */
const EMPTY_SECTION = new RegExp(String.raw`/taskdoc\.tsk/(?:goals|constraints|progress)\.md file ${EMPTY}$`);

function logs(version: string): string[] {
  return readFileSync(join(GOLDEN, version, "logs.sha256"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(66));
}

describe.each(versions)("golden workspace %s", (version) => {
  const root = join(GOLDEN, version);

  it("[VERIFY-11] its logs are the bytes that were committed", () => {
    const sums = logs(version).map(
      (path) =>
        `${createHash("sha256")
          .update(readFileSync(join(root, ".coco", path)))
          .digest("hex")}  ${path}\n`,
    );
    expect(sums.join("")).toBe(readFileSync(join(root, "logs.sha256"), "utf8"));
  });

  it("[VERIFY-11] folds to the files that were committed, byte for byte, and nothing is written by looking", () => {
    const before = tree(root);
    const ws = openTemp({ root });
    expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
    expect(tree(root)).toEqual(before);
  });

  it(
    "[REBUILD-1] [TASKDOC-1] comes back from its logs alone, but for the empty Taskdocs of an earlier release",
    ROTATING,
    async () => {
      const copy = tempFolder();
      cpSync(root, copy, { recursive: true });
      for (const path of logs(version)) {
        for (const name of ["task.yaml", "README.md", "shared/evidence/index.json", "shared/human-notes.md"])
          rmSync(join(copy, ".coco", path, "..", name));
        rmSync(join(copy, ".coco", path, "../taskdoc.tsk"), { recursive: true });
      }
      const ws = openTemp({ root: copy });
      expect((await ws.repair.rebuild()).findings).toEqual([]);
      expect((await ws.repair.resolve()).changed).toBe(false);
      for (const part of ["tasks", "archive"]) {
        const files = (at: string): string[] =>
          tree(join(at, ".coco", part), { times: false }).filter((line) => line.includes(" file "));
        const back = files(copy);
        expect(back.filter((line) => !files(root).includes(line))).toEqual([]);
        for (const line of files(root).filter((one) => !back.includes(one))) expect(line).toMatch(EMPTY_SECTION);
      }
    },
  );
});

describe("golden Taskdocs", () => {
  const root = join(GOLDEN, "taskdoc");

  it.each(readdirSync(join(root, "effective")))(
    "[VERIFY-11] [TASKDOC-24] %s is the effective Taskdoc, byte for byte",
    (name) => {
      const [, id, language, most] = /^(.+)\.(en|zh)(?:\.(\d+))?\.md$/.exec(name) as string[];
      const { text } = openTemp({ root }).taskdoc.render(id!, {
        language: language as "en" | "zh",
        ...(most === undefined ? {} : { maxBytes: Number(most) }),
      });
      expect(text).toBe(readFileSync(join(root, "effective", name), "utf8"));
    },
  );
});

describe("golden workspaces", () => {
  it("[VERIFY-11] hold every type of event that this release writes", () => {
    const texts = versions.flatMap((version) =>
      logs(version).map((path) => readFileSync(join(GOLDEN, version, ".coco", path), "utf8")),
    );
    const seen = new Set(
      texts.flatMap((text) =>
        text
          .trimEnd()
          .split("\n")
          .map((line) => (JSON.parse(line) as { type: string }).type),
      ),
    );
    expect(Object.keys(EVENTS).filter((type) => !seen.has(type))).toEqual(LATER);
    for (const version of versions) expect(existsSync(join(GOLDEN, version, ".coco/registry"))).toBe(false);
  });
});
