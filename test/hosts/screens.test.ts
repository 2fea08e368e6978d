/** The screens that `npm run e2e:cli` plays in a real terminal: whether they are all there, and fit. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { masked } from "../suites/cli/masks.mjs";
import { BAD_INPUTS } from "../suites/cli/bad_inputs.mjs";
import { STORY } from "../suites/cli/story.mjs";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { run } from "./cli_support.ts";

const FOLDER = join(ROOT, "test/golden_screens");
const SCREENS = STORY.flatMap((entry) => ("name" in entry ? [entry] : []));

async function commands(...before: string[]): Promise<string[]> {
  const { out } = await run({ cwd: tempFolder() }, "__complete", "--", ...before, "");
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));
}

describe("screens", () => {
  it("[regression CLI-210] every command has a screen and bad input", async () => {
    const all: string[] = [];
    for (const name of await commands()) {
      const inner = ["plan", "taskdoc", "packet", "git"].includes(name) ? await commands(name) : [];
      all.push(...(inner.length === 0 ? [name] : inner.map((one) => `${name} ${one}`)));
    }
    expect(all.length).toBeGreaterThan(65);
    const isShown = (command: string): boolean =>
      SCREENS.some(({ run: typed }) => `${typed} `.includes(`taskfold ${command} `));
    expect(all.filter((command) => !isShown(command))).toEqual([]);
    expect(all.filter((command) => !BAD_INPUTS[command])).toEqual([]);
  });

  it("[regression CLI-210] each is committed, for both terminals and the pipe, and nothing in it differs from run to run", () => {
    const names = SCREENS.map(({ name }) => `${name}.txt`).toSorted();
    expect(readdirSync(FOLDER).toSorted()).toEqual(names);
    for (const name of names) {
      const text = readFileSync(join(FOLDER, name), "utf8");
      expect(text.match(/^=== .*?(?=, exit)/gm), name).toEqual(["=== 60 columns", "=== 120 columns", "=== pipe"]);
      expect(masked(text, {}), name).toBe(text);
    }
  });

  it("[CLI-9] [regression CLI-203] pages of every day are no wider than the terminal", () => {
    const pages = ["list", "ready", "show", "status", "board", "search", "history", "radar", "handoff", "doctor"];
    for (const page of pages) {
      const [narrow = "", wide = ""] = readFileSync(join(FOLDER, `${page}.txt`), "utf8")
        .split(/^=== /m)
        .slice(1);
      expect(
        [narrow, wide].filter((one) => one.includes("wider than the terminal")),
        page,
      ).toEqual([]);
    }
  });

  it("[regression CLI-211] without tmux and the shells the program says by name what it lacks, and ends with 1", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(ROOT, "test/suites/cli/run.mjs"), "--json"], {
      env: { PATH: tempFolder() },
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toBe("e2e:cli needs tmux: install the Debian package tmux.\n");
    expect(JSON.parse(stdout)).toMatchObject({ failed: ["e2e:cli needs tmux: install the Debian package tmux."] });
  });
});
