// @module-tag long
/**
 * The law of every import: each word of the source is found in its plan or task, or the report names its field. The words are
 * those of the records that were written, split here; no reader of the importer has a part in it. `npm run imports` makes many.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { result, run } from "../cli_support.ts";
import { randomFrom } from "../../support/random.ts";
import { runsOf, SEED, SWEEP, WHOLE } from "../../support/sweep.ts";
import { tempFolder } from "../../support/temp.ts";
import { writeBacklog } from "./backlog.ts";
import { writeBeads } from "./beads.ts";
import { writeGithub } from "./github.ts";
import { judged } from "./judge.ts";
import { writeMarkdown } from "./markdown.ts";
import { writeTaskmaster } from "./taskmaster.ts";
import { writeTaskwarrior } from "./taskwarrior.ts";
import type { Written } from "./writing.ts";
import { Writing } from "./writing.ts";

const SOURCES: Record<string, (w: Writing) => Written> = {
  backlog: writeBacklog,
  beads: writeBeads,
  github: writeGithub,
  markdown: writeMarkdown,
  taskmaster: writeTaskmaster,
  taskwarrior: writeTaskwarrior,
};

const { numRuns } = runsOf(20, 3);
/** A sample is the same every day. */
const seed = WHOLE ? SEED : 1;

describe("every import", () => {
  it("[TRACKER-21] a word, a line and a link that are not there are found missing", async () => {
    const cwd = tempFolder();
    await run({ cwd }, "init", "--workspace", "acme/repo");
    writeFileSync(join(cwd, "in.jsonl"), JSON.stringify({ id: "bd-1", title: "a", description: "b c" }));
    const lost = await judged(cwd, "beads", {
      path: "in.jsonl",
      files: new Map(),
      said: [
        { of: "bd-1", field: "title", value: "a" },
        { of: "bd-1", field: "notes", value: "never" },
        { of: "bd-2", field: "title", value: "a" },
        { of: "bd-1", field: "description", value: "b\nc", isText: true },
        { of: "bd-1", by: "bd-1", field: "dependencies", value: null, dependsOn: "bd-3" },
      ],
    });
    expect(lost).toEqual([
      'bd-1: notes: ["never"]',
      'bd-2: title: ["a"]',
      'bd-1: description: ["b\\nc"]',
      "bd-1: dependencies: on bd-3",
    ]);
  });

  it.each(Object.entries(SOURCES))("[TRACKER-2] [TRACKER-21] %s loses no word", SWEEP, async (source, write) => {
    for (let n = 0; n < numRuns; n++) {
      const made = write(new Writing(randomFrom(seed * 1_000_003 + n)));
      const cwd = tempFolder();
      for (const [path, text] of made.files) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
      }
      await run({ cwd }, "init", "--workspace", "acme/repo");
      expect({ n, lost: await judged(cwd, source, made) }).toEqual({ n, lost: [] });
      expect(await result(cwd, "verify")).toMatchObject({ findings: [] });
    }
  });
});
