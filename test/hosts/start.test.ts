/** What the built program loads: people wait for it, and every package is milliseconds. */
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
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
