/** The law of every import, over files that the programs themselves wrote: those of this repository, and of the programs that are there. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Page } from "../../../src/hosts/cli/page.ts";
import { result, run } from "../cli_support.ts";
import { randomFrom } from "../../support/random.ts";
import { ROOT } from "../../support/source.ts";
import { SEED } from "../../support/sweep.ts";
import { tempFolder } from "../../support/temp.ts";
import { judged } from "./judge.ts";
import { isThere, PROGRAMS } from "./programs.ts";
import { Writing } from "./writing.ts";
import type { Said, Written } from "./writing.ts";

const DATA = join(ROOT, "test/data/trackers/written");
/** `npm run imports` runs the programs; with a folder it also keeps there what they wrote. */
const { IMPORT_PROGRAMS: asked, IMPORT_PROGRAMS_KEEP: keep } = process.env;

/** As it was written once. */
function keptBy(source: string): Written {
  const { path, said } = JSON.parse(readFileSync(join(DATA, source, "said.json"), "utf8")) as {
    path: string;
    said: Said[];
  };
  const folder = join(DATA, source, "files");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return { path, said, files: new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")])) };
}

async function lostOf(source: string, made: Written): Promise<string[]> {
  const cwd = tempFolder();
  for (const [path, text] of made.files) put(join(cwd, path), text);
  await run({ cwd }, "init", "--workspace", "acme/repo");
  return judged(cwd, source, made);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("files that a program wrote", () => {
  it.each(readdirSync(DATA))("[TRACKER-21] %s: no word of them is lost", async (source) => {
    const made = keptBy(source);
    expect(made.said.length).toBeGreaterThan(10);
    expect(await lostOf(source, made)).toEqual([]);
  });

  it("[TRACKER-2] eleven subtasks of Backlog.md are steps in the order in which they were made", async () => {
    const { path, files, said } = keptBy("backlog");
    const cwd = tempFolder();
    for (const [name, text] of files) put(join(cwd, name), text);
    await run({ cwd }, "init", "--workspace", "acme/repo");
    await run({ cwd }, "import", "backlog", path);
    const { step_list: steps } = (await result(cwd, "show", "backlog-1")) as unknown as Page;
    const subtasks = said.filter(({ field }) => field === "subtasks").map(({ value }) => value);
    expect(steps.map(({ title }) => title).slice(-subtasks.length)).toEqual(subtasks);
    expect(subtasks).toHaveLength(11);
  });

  for (const [source, { command, write }] of Object.entries(PROGRAMS))
    it.skipIf(asked === undefined || !isThere(command))(
      `[TRACKER-21] ${source}, now`,
      { timeout: 1_800_000 },
      async () => {
        const made = write(new Writing(randomFrom(SEED)), tempFolder());
        if (keep !== undefined) {
          for (const [path, text] of made.files) put(join(keep, source, "files", path), text);
          put(join(keep, source, "said.json"), `${JSON.stringify({ path: made.path, said: made.said }, null, 1)}\n`);
        }
        expect(await lostOf(source, made)).toEqual([]);
      },
    );
});
