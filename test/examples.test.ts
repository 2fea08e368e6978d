import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskdocPolicyCopy } from "../src/state/taskdoc_policy.ts";
import { ROOT } from "./support/source.ts";
import { ROTATING } from "./support/sweep.ts";
import { tempFolder } from "./support/temp.ts";

const ENV = { ...process.env, NO_COLOR: "1" };

describe("examples", () => {
  it("the demo of packets runs, and every check of it holds", ROTATING, () => {
    const demo = join(ROOT, "examples/demo_packet/run.mjs");
    const run = spawnSync(process.execPath, [demo, "--json"], { env: ENV, encoding: "utf8" });
    expect(run.stderr).toBe("");
    const checks = JSON.parse(run.stdout) as { name: string; ok: boolean; evidence: string }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.length).toBeGreaterThan(12);
  });

  it("the demo runs, and every check of it holds", ROTATING, () => {
    const repo = join(tempFolder(), "kept");
    const demo = join(ROOT, "examples/demo/run.mjs");
    const run = spawnSync(process.execPath, [demo, "--json", "--keep", repo], { env: ENV, encoding: "utf8" });
    expect(run.stderr).toBe("");
    const checks = JSON.parse(run.stdout) as { name: string; ok: boolean; evidence: string }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.filter(({ evidence }) => evidence === "")).toEqual([]);
    expect(checks.length).toBeGreaterThan(40);
    expect(run.status).toBe(0);

    const reader = join(ROOT, "examples/read_artifacts.mjs");
    const read = () => spawnSync(process.execPath, [reader, repo], { env: ENV, encoding: "utf8" });
    expect(read()).toMatchObject({ status: 0, stderr: "", stdout: expect.not.stringContaining("null") });
    const log = join(repo, ".coco/tasks/TASK-001/events.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace("goes out on Friday", "goes out on Sunday"));
    expect(read()).toMatchObject({ status: 1, stdout: expect.stringContaining("1 hashes are wrong") });
  });

  it("the reader of artifacts imports nothing but Node", () => {
    const text = readFileSync(join(ROOT, "examples/read_artifacts.mjs"), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  it(
    "[GUARD-14] [GUARD-17] the guarded file tools run, show a package by its name and refuse the rest",
    ROTATING,
    () => {
      const example = join(ROOT, "examples/guarded_file_tools.mjs");
      const run = spawnSync(process.execPath, [example], { env: ENV, encoding: "utf8" });
      expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
      const answers = run.stdout.split(/^> /m).slice(1);
      expect(answers.map((answer) => answer.split("\n").slice(0, 2).join(" | "))).toEqual([
        'list_dir plans | [{"name":"notes.md","kind":"file","size":27},{"name":"release.tsk","encapsulated":true}]',
        'grep version | ["plans/notes.md:1: version 2 is due in spring"]',
        'read_file plans/notes.md | "version 2 is due in spring\\n"',
        expect.stringMatching(/^read_file .*checklist\.md \| TASKDOC_ENCAPSULATED: /),
        expect.stringMatching(/^write_file .*goals\.md \| TASKDOC_ENCAPSULATED: /),
        expect.stringMatching(/^delete plans \| TASKDOC_ENCAPSULATED: /),
      ]);
      expect(run.stdout).toContain('recall_taskdoc {"workspace":"acme/repo","category":"ux","selector":"checklist"}');
      expect(run.stdout).not.toContain("ship version 2");
    },
  );

  it(
    "[GUARD-19] what agents are told of the guarded file tools is the canonical text and their names",
    ROTATING,
    async () => {
      const { toolGuide } = (await import("../examples/guarded_file_tools.mjs")) as {
        toolGuide: (l: string) => string;
      };
      for (const language of ["en", "zh"] as const) {
        expect(toolGuide(language).startsWith(taskdocPolicyCopy(language))).toBe(true);
        expect(toolGuide(language)).toMatch(/`read_file`, .*`grep`/);
      }
    },
  );
});
