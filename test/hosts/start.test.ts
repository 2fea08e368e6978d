// @module-tag rotating
/** What the built program loads: people wait for it, and every package is milliseconds. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { openGit } from "../../src/hosts/git/git_port.ts";
import type * as runnerEntry from "../../src/runner/index.ts";
import { repository } from "../support/git.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { PROGRAM, run, workspace } from "./cli_support.ts";

/** Runs the program behind a module that tells at its end which files it loaded, parts that were compiled before among them. */
function filesLoadedBy(cwd: string, ...argv: string[]): string[] {
  const teller = join(tempFolder(), "tell.cjs");
  const script = `
    process.on("exit", () => {
      const parts = require.cache[${JSON.stringify(PROGRAM)}].exports.parts.keys();
      require("node:fs").writeSync(2, "\\nLOADED" + JSON.stringify([...Object.keys(require.cache), ...parts]));
    });`;
  writeFileSync(teller, script);
  const { stderr } = spawnSync(process.execPath, ["--require", teller, PROGRAM, ...argv], { cwd, encoding: "utf8" });
  const told = /LOADED(.*)$/s.exec(stderr)?.[1];
  if (told === undefined) throw new Error(`expected the program to end, it said: ${stderr}`);
  return JSON.parse(told) as string[];
}

function packagesLoadedBy(cwd: string, ...argv: string[]): string[] {
  const names = filesLoadedBy(cwd, ...argv).flatMap(
    (file) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].toSorted();
}

/** Parts of the program in `dist/cli`, without what tells one build from another. */
function partsLoadedBy(cwd: string, ...argv: string[]): string[] {
  const parts = filesLoadedBy(cwd, ...argv).flatMap(
    (file) => /dist[\\/]cli[\\/]([^\\/]+)-[^\\/]{8}\.cjs$/.exec(file)?.[1] ?? [],
  );
  return parts.filter((name) => name !== "rolldown-runtime").toSorted();
}

/** Files of `src` that stand in the parts which a command loads. */
function sourcesLoadedBy(cwd: string, ...argv: string[]): string[] {
  const parts = JSON.parse(readFileSync(join(ROOT, "dist/parts.json"), "utf8")) as Record<string, string[]>;
  return filesLoadedBy(cwd, ...argv).flatMap((file) => parts[`cli/${basename(file)}`] ?? []);
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
  it("[PACKET-12] gives what runs a packet, and reads its configuration", async () => {
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
  it("[regression CLI-21, CLI-101, ONBOARD-16] a read loads colours and the canonical JSON, and a parser only for options", async () => {
    const cwd = await workspace();
    const few = ["fast-json-stable-stringify", "picocolors"];
    expect(packagesLoadedBy(cwd, "list")).toEqual(few);
    expect(packagesLoadedBy(cwd, "radar", "TASK-001")).toEqual(few);
    expect(packagesLoadedBy(cwd, "prime")).toEqual(few);
    expect(packagesLoadedBy(cwd, "radar", "--max-chars", "2000")).toEqual(["commander", ...few]);
  });

  it("[regression CLI-101] a plain read answers as one that was parsed does, also where it fails", async () => {
    const cwd = await workspace();
    const ran = async (...argv: string[]) => {
      const { code, out, err } = await run({ cwd }, ...argv);
      return { code, out, err };
    };
    for (const argv of [["list"], ["radar"], ["radar", "TASK-001"], ["handoff", "PLAN-001"], ["radar", "TASK-404"]])
      for (const json of [[], ["--json"]])
        expect(await ran(...argv, ...json), argv.join(" ")).toEqual(await ran(...json, ...argv, "--"));
    expect(await ran("list", "more")).toMatchObject({ code: 2 });
    expect(await ran("radar", "--", "TASK-001")).toMatchObject({ code: 0 });
  });

  it("[regression CLI-90, ONBOARD-16] a command that only looks loads no code that writes, and help none that reads", async () => {
    const cwd = await workspace();
    const reads = [
      ["list"],
      ["show", "TASK-001"],
      ["ready"],
      ["status"],
      ["board"],
      ["whoami"],
      ["prime"],
      ["radar", "TASK-001"],
      ["radar", "PLAN-001"],
      ["handoff", "TASK-001"],
      ["history"],
      ["delta"],
    ];
    const others = ["index", "tasks_block", "tasks_macro_finish", "packet_patch"].map((name) => `src/tools/${name}.ts`);
    for (const argv of reads) {
      const parts = partsLoadedBy(cwd, ...argv);
      const sources = sourcesLoadedBy(cwd, ...argv);
      expect(sources, argv[0]).toContain("src/engine/reader.ts");
      expect(
        sources.filter((source) => others.includes(source)),
        argv[0],
      ).toEqual([]);
      expect(parts, argv[0]).toContain("reading");
      expect(parts, argv[0]).not.toContain("engine");
    }
    expect(partsLoadedBy(cwd, "--help")).toEqual(["base", "main", "parsed"]);
    expect(partsLoadedBy(cwd, "call", "tasks_radar", '{"target":"TASK-001"}')).toContain("engine");
  });

  it("[regression CLI-92] Node keeps compiled code where it is told to, and none in the workspace", async () => {
    const cwd = await workspace();
    const cache = tempFolder();
    const before = tree(cwd, { times: false });
    const env = { ...process.env, NODE_COMPILE_CACHE: cache };
    expect(spawnSync(process.execPath, [PROGRAM, "list"], { cwd, env }).status).toBe(0);
    expect(tree(cwd, { times: false })).toEqual(before);
    const keeps = "enableCompileCache" in nodeModule;
    expect(readdirSync(cache).length > 0).toBe(keeps);
  });

  it("[regression CLI-21] ajv is loaded for an input that does not fit alone, in one file", async () => {
    const cwd = await workspace();
    const ajvFor = (input: string): number =>
      filesLoadedBy(cwd, "call", "tasks_context", input).filter((file) => /[\\/]ajv\b/.test(file)).length;
    expect(ajvFor('{"tasks_limit":0}')).toBe(1);
    expect(ajvFor("{}")).toBe(0);
  });

  it("[OTEL-8] a write that measures nothing loads nothing of OpenTelemetry", async () => {
    const cwd = await workspace();
    expect(
      filesLoadedBy(cwd, "note", "TASK-001", "seen").filter((file) => /telemetry|otel/.test(basename(file))),
    ).toEqual([]);
    expect(packagesLoadedBy(cwd, "note", "TASK-001", "seen")).not.toContain("@opentelemetry/api");
  });

  it("[regression CLI-21] a write loads no part of another area: no packets, MCP, viewer, trackers or commands of git", async () => {
    const cwd = await workspace();
    const parts = partsLoadedBy(cwd, "note", "TASK-001", "seen");
    const needed = ["base", "engine", "everyday", "folded_files", "git", "looks", "main", "parsed", "reading", "views"];
    expect(parts).toContain("engine");
    expect(parts.filter((name) => !needed.includes(name))).toEqual([]);
  });

  it("[regression CLI-21] help loads no engine", async () => {
    const cwd = await workspace();
    expect(packagesLoadedBy(cwd, "--help")).toEqual(["commander", "picocolors"]);
  });
});
