/** A program that is bundled with the package takes along what it uses. Looks at dist/. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../src/index.ts";
import * as index from "../src/index.ts";
import * as guard from "../src/guard/index.ts";
import { pageText } from "./support/markdown.ts";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";
import { ROTATING } from "./support/sweep.ts";

const { exports, sideEffects } = JSON.parse(pageText("package.json")) as {
  exports: Record<string, { default: string }>;
  sideEffects: boolean;
};

/** The code of a program that exports these names of the package, without packages and modules of Node. */
async function bundled(entry: string, names: readonly string[]): Promise<string> {
  const input = join(tempFolder(), "program.mjs");
  const file = pathToFileURL(join(ROOT, exports[entry]!.default)).pathname;
  writeFileSync(input, `export { ${names.join(", ")} } from ${JSON.stringify(file)};\n`);
  const bundle = await rolldown({ input, platform: "node", external: (id) => !/^[./]/.test(id) });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return output.map((part) => (part.type === "chunk" ? part.code : "")).join("");
}

const KB = 1000;
/** What opens workspaces, and the tools themselves. */
const WHOLE = ["TOOLS", "openReader", "openWorkspace", "openWorkspaces"];
const SMALL = Object.keys(index).filter((name) => !WHOLE.includes(name));

describe("a bundle", () => {
  it("[TOOL-104] of one small function holds that, and no tool", ROTATING, async () => {
    expect(sideEffects).toBe(false);
    expect(SMALL).toContain("filterListing");
    expect((await bundled(".", ["isTaskfoldError"])).length).toBeLessThanOrEqual(5 * KB);
    expect((await bundled(".", ["filterListing"])).length).toBeLessThanOrEqual(25 * KB);
    const all = await bundled(".", SMALL);
    expect(all.length).toBeLessThanOrEqual(50 * KB);
    expect(Object.values(TOOLS).filter(({ doc }) => all.includes(doc))).toEqual([]);
  });

  it("[TOOL-104] finds the tools where a program asks for them", ROTATING, async () => {
    expect(await bundled(".", ["TOOLS"])).toContain(TOOLS["tasks_radar"]!.doc);
  });

  it("[regression GUARD-23] of taskfold/guard holds the whole guard and nothing of the engine; names and listings need no disk", async () => {
    const code = await bundled("./guard", Object.keys(guard));
    expect(code.length).toBeLessThanOrEqual(25 * KB);
    expect(Object.keys(index)).toEqual(expect.arrayContaining(Object.keys(guard)));
    expect(await bundled("./guard", ["filterListing", "isEncapsulatedPathLexical"])).not.toContain("node:");
  });

  it("[ENG-104] of taskfold/replay holds no tool and no disk", async () => {
    const code = await bundled("./replay", ["replay", "projectionsOf"]);
    expect(code).not.toContain("node:fs");
    expect(Object.values(TOOLS).filter(({ doc }) => code.includes(doc))).toEqual([]);
  });
});

describe("taskfold/replay", () => {
  it("[ENG-104] folds a log where no code may be made from text", () => {
    const file = pathToFileURL(join(ROOT, exports["./replay"]!.default)).href;
    const log = join(ROOT, "test/golden/v1/.coco/tasks/TASK-001/events.jsonl");
    const program = `
      import { readFileSync } from "node:fs";
      import { replay } from ${JSON.stringify(file)};
      console.log(replay(readFileSync(${JSON.stringify(log)})).report.problems.length);
    `;
    const args = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
    expect({ stdout, error: /^\w*Error: .*$/m.exec(stderr)?.[0] }).toEqual({ stdout: "0\n", error: undefined });
  });
});
