/** Proof on the command line: what steps need, what a failed run means, and what `status` says of done work. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROOF_MODES } from "../../src/state/entity.ts";
import { parseProofModes, printProofModes } from "../../src/state/proof_modes.ts";
import { refused, result, run, workspace } from "./cli_support.ts";

interface Row {
  path: string;
  proof_tests_mode?: string;
  proof_docs_mode?: string;
}

const modes = async (cwd: string, id: string): Promise<(string | undefined)[][]> =>
  ((await result(cwd, "show", id)) as unknown as { step_list: Row[] }).step_list.map((row) => [
    row.proof_tests_mode,
    row.proof_docs_mode,
  ]);
const binding = (cwd: string): string => join(cwd, ".coco/workspace.yaml");

describe("a run that a caller reports as failed", () => {
  it.each(["absolute", "./sub", "sub/", "sub/../sub", "link", "an absolute link", "."])(
    "[PROOF-39] [EVID-8] is taken back by the line that its refusal names, whichever way its folder is written: %s",
    async (given) => {
      const cwd = await workspace();
      mkdirSync(join(cwd, "sub"));
      symlinkSync("sub", join(cwd, "link"));
      for (const folder of [cwd, join(cwd, "sub")]) {
        writeFileSync(join(folder, "x"), "#!/bin/sh\nexit 0\n");
        chmodSync(join(folder, "x"), 0o755);
      }
      await run({ cwd }, "add", "A", "--step", "s", "--criteria", "c", "-q");
      const folder = { absolute: join(cwd, "sub"), "an absolute link": join(cwd, "link") }[given] ?? given;
      const items = [{ kind: "run", command: "./x", cwd: folder, exit_code: 1 }];
      const input = { task: "TASK-001", path: "s:0", checkpoint: "tests", items };
      expect((await run({ cwd }, "call", "tasks_evidence_capture", JSON.stringify(input))).code).toBe(0);
      const done = () => run({ cwd }, "done", "1", "s:0", "--confirm", "gate");
      const [, below = ".", words = ""] = /"(?:cd '?([^' ]+)'? && )?taskfold (run [^"]*)"/.exec((await done()).err)!;
      expect((await run({ cwd: join(cwd, below) }, ...words.split(" "))).code).toBe(0);
      expect((await done()).code).toBe(0);
    },
  );
});

describe("the line that a refusal names for a run in a folder", () => {
  it.each([
    ["the root", "su b"],
    ["the folder", "su b"],
    ["-C", "su b"],
    ["the root", "-d e"],
  ])("[PROOF-39] [CLI-7] leads there from where the caller is: %s, %s", async (from, folder) => {
    const cwd = await workspace();
    mkdirSync(join(cwd, folder));
    await run({ cwd }, "add", "A", "--step", "s", "--criteria", "c", "-q");
    const items = [{ kind: "run", command: "test -d .", cwd: folder, exit_code: 1 }];
    const input = { task: "TASK-001", path: "s:0", checkpoint: "tests", items };
    expect((await run({ cwd }, "call", "tasks_evidence_capture", JSON.stringify(input))).code).toBe(0);
    const here = from === "-C" ? dirname(cwd) : from === "the folder" ? join(cwd, folder) : cwd;
    const root = from === "-C" ? ["-C", cwd] : [];
    const done = () => run({ cwd: here }, ...root, "done", "1", "s:0", "--confirm", "gate");
    const [, way = ".", words = ""] = /"(?:cd '([^']+)' && )?taskfold (run [^"]*)"/.exec((await done()).err)!;
    expect(way).not.toMatch(/^-/);
    expect((await run({ cwd: join(here, way) }, ...words.split(" "))).code).toBe(0);
    expect((await done()).code).toBe(0);
  });
});

describe("what a step needs proof of", () => {
  it("[CLI-114] is named by checkpoint with a mode, required if none is said", () => {
    const read: [string, object | undefined][] = [
      ["tests", { tests: "require" }],
      ["warn", { tests: "warn" }],
      ["tests=off, docs", { tests: "off", docs: "require" }],
      ["tests=maybe", undefined],
      ["criteria", undefined],
      ["tests=warn=off", undefined],
      ["", undefined],
    ];
    for (const [text, found] of read) expect([text, parseProofModes(text)]).toEqual([text, found]);
    expect(printProofModes({ docs: "warn", tests: "require" })).toBe("tests=require,docs=warn");
  });

  it("[CLI-114] help, the topic, the refusal of another mode and the tools name every mode", async () => {
    const cwd = await workspace();
    const said = {
      add: (await run({ cwd }, "add", "--help")).out,
      edit: (await run({ cwd }, "edit", "--help")).out,
      topic: (await run({ cwd }, "help", "proof")).out,
      refusal: (await run({ cwd }, "add", "A", "--proof", "tests=maybe")).err,
      tools: readFileSync(new URL("../../schemas/tools/tasks_define.json", import.meta.url), "utf8").match(
        /Proof modes[^"]*/,
      )![0],
    };
    for (const [where, text] of Object.entries(said))
      expect([where, PROOF_MODES.filter((mode) => !new RegExp(`\\b${mode}\\b`).test(text))]).toEqual([where, []]);
  });

  it("[CLI-114] add and edit set it for the step before, for every step, and for a step that is there", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "A", "--proof", "docs=warn", "--step", "one", "--proof", "tests", "--step", "two", "-q");
    expect(await modes(cwd, "2")).toEqual([
      ["require", "warn"],
      [undefined, "warn"],
    ]);
    await run({ cwd }, "edit", "2", "two", "--proof", "tests=warn", "-q");
    expect((await modes(cwd, "2"))[1]).toEqual(["warn", "warn"]);
    await run({ cwd }, "add", "B", "--proof", "tests", "-q");
    expect(await modes(cwd, "3")).toEqual([["require", undefined]]);
    expect(await refused(cwd, "INVALID_INPUT", 2, "edit", "2", "--proof", "tests")).toContain("belongs to a step");
    expect((await run({ cwd }, "add", "C", "--proof", "tests=maybe")).err).toContain("--proof");
  });

  it("[PROOF-44] [CLI-114] a step gets what it does not name from the plan, else from the workspace", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Before", "--step", "one", "-q");
    writeFileSync(binding(cwd), `${readFileSync(binding(cwd), "utf8")}# ours\n`);
    const { out } = await run({ cwd }, "init", "--proof", "tests=require,docs=warn");
    expect(out).toContain("new steps get the proof modes tests=require,docs=warn");
    await run({ cwd }, "init", "--proof", "require", "-q");
    expect(readFileSync(binding(cwd), "utf8")).toMatch(/# ours\nproof: "tests=require"\n$/);
    await run({ cwd }, "plan", "add", "Strict", "--proof", "docs,tests=warn", "-q");
    await run({ cwd }, "add", "Alone", "--step", "one", "--step", "two", "--proof", "tests=off", "-q");
    await run({ cwd }, "add", "Under", "--plan", "PLAN-002", "--step", "one", "-q");
    await run(
      { cwd },
      "call",
      "tasks_decompose",
      '{"task":"TASK-004","steps":[{"title":"two","success_criteria":[]}]}',
    );
    expect(await modes(cwd, "2")).toEqual([[undefined, undefined]]);
    expect(await modes(cwd, "3")).toEqual([
      ["require", undefined],
      [undefined, undefined],
    ]);
    expect(await modes(cwd, "4")).toEqual([
      ["warn", "require"],
      ["warn", "require"],
    ]);
    const create = '{"kind":"task","title":"x","proof":{"tests":"require"}}';
    expect(await refused(cwd, "INVALID_INPUT", 2, "call", "tasks_create", create)).toContain("of a plan only");
  });

  it("[PROOF-44] what another tracker calls done needs no proof here", async () => {
    const cwd = await workspace();
    await run({ cwd }, "init", "--proof", "require", "-q");
    writeFileSync(join(cwd, "TODO.md"), "- [x] Done there\n  - [x] a part\n- [ ] Open\n  - [x] one\n  - [ ] two\n");
    expect((await run({ cwd }, "import", "markdown", "TODO.md")).code).toBe(0);
    const { by_status } = (await result(cwd, "status")) as unknown as { by_status: Record<string, number> };
    expect(by_status["DONE"]).toBe(1);
  });

  it("[PROOF-44] modes that this release does not know are refused, and nothing is written", async () => {
    const cwd = await workspace();
    writeFileSync(binding(cwd), `${readFileSync(binding(cwd), "utf8")}proof: tests=sworn\n`);
    expect(await refused(cwd, "LOG_UNREADABLE", 6, "add", "A", "--step", "one")).toContain("tests=sworn");
  });
});

describe("status", () => {
  it("[PROOF-90] [PROOF-108] the line that a refusal names runs a failed command again, once every step is closed", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "A", "--step", "One", "--criteria", "It works");
    await run({ cwd }, "done", "TASK-002", "s:0", "--confirm", "gate");
    expect((await run({ cwd }, "run", "TASK-002", "--", "test", "-e", "built")).code).toBe(1);
    const told = await run({ cwd }, "complete", "TASK-002");
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringContaining('"taskfold run TASK-002 --for tests -- test -e built"'),
    ]);
    writeFileSync(join(cwd, "built"), "");
    expect((await run({ cwd }, "run", "TASK-002", "--for", "tests", "--", "test", "-e", "built")).code).toBe(0);
    expect((await run({ cwd }, "complete", "TASK-002")).code).toBe(0);
  });

  it("[CLI-202] names done work whose proof failed, is missing, is weak, or ran another command", async () => {
    const cwd = await workspace();
    const unproved = async (): Promise<{ what: string; task: string; why: string }[]> =>
      (
        (await result(cwd, "status")) as unknown as { needs_you: { what: string; task: string; why: string }[] }
      ).needs_you.filter(({ what }) => what === "proof");
    const node = (code: number): string[] => ["--", process.execPath, "-e", `process.exit(${code})`];
    await run({ cwd }, "add", "Failed", "--step", "one", "-q");
    await run({ cwd }, "done", "2", "one", "--confirm", "gate", "-q");
    expect(await unproved()).toEqual([]);
    await run(
      { cwd },
      "call",
      "tasks_evidence_capture",
      '{"task":"TASK-002","path":"s:0","checkpoint":"tests","items":[{"kind":"run","command":"x","exit_code":3}]}',
    );
    await run({ cwd }, "add", "Missing", "--step", "one", "--proof", "tests=warn", "-q");
    await run({ cwd }, "done", "3", "one", "--confirm", "gate", "-q");
    await run({ cwd }, "add", "Weak", "--step", "one", "--proof", "tests", "-q");
    await run(
      { cwd },
      "call",
      "tasks_evidence_capture",
      '{"task":"TASK-004","path":"s:0","checkpoint":"tests","checks":["CMD: x"]}',
    );
    await run({ cwd }, "done", "4", "one", "--confirm", "gate", "-q");
    await run({ cwd }, "complete", "4", "-q");
    await run({ cwd }, "add", "Other", "--step", "one", "--test", "npm test", "-q");
    await run({ cwd }, "run", "5", "one", "--close", ...node(0));
    expect((await unproved()).map(({ task, why }) => [task, why])).toEqual([
      ["TASK-002", expect.stringContaining("a run for tests failed: evidence:cmd-")],
      ["TASK-003", "s:0 one has no proof of tests, which was asked for"],
      ["TASK-004", expect.stringContaining("has weak proof of tests")],
      ["TASK-005", expect.stringContaining("tests are proved by another command than the declared test: ")],
    ]);
    expect((await run({ cwd }, "status")).out).toMatch(/^Proof +- TASK-002: s:0 one: a run for tests failed/m);
    expect((await run({ cwd }, "help", "proof")).out).toContain("taskfold init --proof tests=require");
  });

  it("[PROOF-39] a failed run keeps the step and its task open on the command line, too", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "A", "--step", "one", "--test", "npm test", "-q");
    const failing = ["--", process.execPath, "-e", "console.log('not ok 1 - adds'); process.exit(1)"];
    expect((await run({ cwd }, "run", "2", "one", ...failing)).code).toBe(1);
    const said = await refused(cwd, "PROOF_FAILED", 1, "done", "2", "one", "--confirm", "gate");
    expect(said).toMatch(/not ok 1 - adds; output in shared\/evidence\/blobs\//);
    expect(await refused(cwd, "STEPS_OPEN", 1, "complete", "2")).toContain("s:0");
  });
});
