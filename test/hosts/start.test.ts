/** What the built program loads: people wait for it, and every package is milliseconds. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { openGit } from "../../src/hosts/git/git_port.ts";
import type * as runnerEntry from "../../src/runner/index.ts";
import { repository } from "../support/git.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { PROGRAM, workspace } from "./cli_support.ts";

/** Runs the program inside a module that tells afterwards which packages it loaded. */
function packagesLoadedBy(cwd: string, ...argv: string[]): string[] {
  const program = pathToFileURL(PROGRAM).href;
  const script = `
    import { createRequire } from "node:module";
    process.argv = ${JSON.stringify([process.execPath, PROGRAM, ...argv])};
    await import(${JSON.stringify(program)});
    const files = Object.keys(createRequire(${JSON.stringify(program)}).cache);
    const names = files.flatMap((file) => /node_modules[\\\\/]((?:@[^\\\\/]+[\\\\/])?[^\\\\/]+)/.exec(file)?.[1] ?? []);
    process.stderr.write("\\nLOADED" + JSON.stringify([...new Set(names)].sort()));`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" });
  const told = /LOADED(.*)$/s.exec(stderr)?.[1];
  if (told === undefined) throw new Error(`expected the program to end, it said: ${stderr}`);
  return JSON.parse(told) as string[];
}

describe("the entry taskfold/git", () => {
  it("[GRAPH-2] opens git for a root, and is nothing outside of a work tree", async () => {
    const { exports: entries } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      exports: { "./git": { default: string } };
    };
    const { openGit: open } = (await import(pathToFileURL(join(ROOT, entries["./git"].default)).href)) as {
      openGit: typeof openGit;
    };
    const { ada } = repository();
    expect(open(tempFolder())).toBeUndefined();
    expect(open(ada.root)?.base()).toMatch(/neither a default branch/);
    writeFileSync(join(ada.root, "a file"), "x");
    ada.commit("begin");
    expect(open(ada.root)?.base()).toMatchObject({ branch: "main", base: "main", commit: ada.head() });
  });
});

describe("the entry taskfold/runner", () => {
  it("[PACKET-154] gives what runs a packet, and reads its configuration", async () => {
    const { exports: entries } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      exports: { "./runner": { default: string; types: string } };
    };
    const entry = entries["./runner"];
    expect(existsSync(join(ROOT, entry.types))).toBe(true);
    const runner = (await import(pathToFileURL(join(ROOT, entry.default)).href)) as typeof runnerEntry;
    expect(Object.keys(runner)).toEqual(expect.arrayContaining(["composeStage", "readPacketConfig", "runPacket"]));
    const dir = tempFolder();
    expect(() => runner.readPacketConfig(dir)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    mkdirSync(join(dir, "servant"));
    const file = { tool: "codex", command: ["codex"], prompt: "stdin", default_model: "m", allowed_models: ["m"] };
    writeFileSync(join(dir, "servant/codex.yaml"), JSON.stringify(file));
    expect(runner.readPacketConfig(dir).servants.codex).toMatchObject({ command: ["codex"], default_model: "m" });
    writeFileSync(join(dir, "servant/codex.yaml"), JSON.stringify({ ...file, prompt: "pigeon", colour: "red" }));
    const errors = ["prompt", "colour"].map((field) => expect.objectContaining({ field }) as unknown);
    const details = { errors: expect.arrayContaining(errors) as unknown };
    expect(() => runner.readPacketConfig(dir)).toThrow(expect.objectContaining({ details }));
  });
});

describe("starting", () => {
  it("[CLI-21] a read loads the command line's two packages and the canonical JSON, nothing else", async () => {
    const cwd = await workspace();
    const few = ["commander", "fast-json-stable-stringify", "picocolors"];
    expect(packagesLoadedBy(cwd, "list")).toEqual(few);
    expect(packagesLoadedBy(cwd, "radar", "TASK-001")).toEqual(few);
  });

  it("[CLI-21] ajv is loaded for an input that may not fit", async () => {
    const cwd = await workspace();
    expect(packagesLoadedBy(cwd, "call", "tasks_context", '{"tasks_limit":0}')).toContain("ajv");
  });

  it("[CLI-21] help loads no engine", async () => {
    const cwd = await workspace();
    expect(packagesLoadedBy(cwd, "--help")).toEqual(["commander", "picocolors"]);
  });
});
