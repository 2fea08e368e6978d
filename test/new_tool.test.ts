// @module-tag long
// @module-tag rotating
/** `npm run new -- tool NAME` and `-- event TYPE` in a copy of the project: what it writes builds, and its test passes. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";
import { ROTATING } from "./support/sweep.ts";

/** Paths of the project, parted by blanks. */
const COPIED = `
  src schemas spec package.json tsconfig.json tsconfig.build.json vitest.config.ts .oxfmtrc.json
  scripts/new.mjs scripts/templates scripts/generate.mjs scripts/generated.mjs scripts/generated_types.mjs scripts/field_docs.mjs
  scripts/registry.mjs scripts/bundle.mjs scripts/entries.mjs scripts/third_party.mjs scripts/start.cjs
  scripts/coverage_spec.mjs scripts/coverage.mjs test/support test/rules/steps.test.ts
  test/events/registry.test.ts
`
  .trim()
  .split(/\s+/);

/** A copy of what the command and a test of a rule need. */
function copyOfProject(): string {
  const root = tempFolder();
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"), "junction");
  return root;
}

const ENV = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("VITEST")));

function run(cwd: string, script: string, ...args: string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    env: ENV,
    encoding: "utf8",
  });
  return { status, out: stdout + stderr };
}

// A build of everything, on a machine that does other work too.
const BUILD = { timeout: 900_000 };

it("makes a tool that builds, answers on the command line, and passes its test", BUILD, () => {
  const root = copyOfProject();
  const made = run(root, "scripts/new.mjs", "tool", "tasks_example_of_two");
  expect(made).toMatchObject({ status: 0 });
  expect(run(root, "scripts/generate.mjs", "--check")).toMatchObject({ status: 0 });
  for (const path of ["src/tools/index.ts", "src/tools/generated/tool_types.ts"])
    expect(readFileSync(join(root, path), "utf8"), path).toContain("tasks_example_of_two");
  expect(existsSync(join(root, "schemas/tools/tasks_example_of_two.output.json"))).toBe(true);

  // Its rule has the next free number, a line in the specification, and a test that quotes it.
  const rule = /written {2}spec\/steps\.md: (STEP-\d+)/.exec(made.out)?.[1] ?? "none";
  expect(readFileSync(join(ROOT, "spec/steps.md"), "utf8")).not.toMatch(new RegExp(`${rule}\\b`));
  const { rules } = JSON.parse(run(root, "scripts/coverage_spec.mjs", "--json").out) as {
    rules: { id: string; tests: string[] }[];
  };
  expect(rules.find(({ id }) => id === rule)?.tests).toEqual([
    expect.stringContaining("test/rules/example_of_two.test.ts"),
    expect.stringContaining("test/rules/example_of_two.test.ts"),
  ]);

  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  expect(run(root, tsc, "-p", "tsconfig.build.json")).toEqual({ status: 0, out: "" });
  expect(run(root, "scripts/bundle.mjs")).toMatchObject({ status: 0 });
  const told = run(root, "dist/cli.cjs", "tools", "tasks_example_of_two");
  expect(told).toMatchObject({ status: 0, out: expect.stringContaining("Write a text down") });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const tested = run(root, vitest, "run", "test/rules/example_of_two.test.ts", "test/rules/steps.test.ts");
  expect(tested.out).toMatch(/Test Files .*2 passed/);

  // The test holds the rule: without the refusal it fails.
  const code = join(root, "src/rules/example_of_two.ts");
  writeFileSync(code, readFileSync(code, "utf8").replace('.trim() === ""', ".length < 0"));
  expect(run(root, vitest, "run", "test/rules/example_of_two.test.ts").out).toMatch(/Tests .*1 failed.*1 passed/);
});

it("makes an event that the registry, the schemas and the page of events have", BUILD, () => {
  const root = copyOfProject();
  // Before the first type, between two of one noun, and behind the last.
  for (const type of ["agent.seen", "step.example_seen", "zone.seen"]) {
    expect(run(root, "scripts/new.mjs", "event", type)).toMatchObject({ status: 0 });
    expect(readFileSync(join(root, "src/events/index.ts"), "utf8")).toContain(`"${type}": `);
    expect(existsSync(join(root, `schemas/events/${type}.json`))).toBe(true);
  }
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  expect(run(root, vitest, "run", "test/events").out).toMatch(/Test Files .*4 passed/);
  expect(run(root, "scripts/new.mjs", "event", "step.noted")).toMatchObject({ status: 1 });
});

it("refuses a name that is no tool's, and one that is taken, and writes nothing", ROTATING, () => {
  const root = copyOfProject();
  const before = readFileSync(join(root, "src/tools/index.ts"), "utf8");
  for (const args of [
    [],
    ["tool"],
    ["tool", "example"],
    ["tool", "tasks_Example"],
    ["event", "tasks_example"],
    ["x"],
    ["tool", "tasks_example", "--spec", "none"],
    ["tool", "tasks_example", "--spec", "README"],
  ])
    expect(run(root, "scripts/new.mjs", ...args), args.join(" ")).toMatchObject({
      status: 2,
      out: expect.stringContaining("Expected: npm run new -- tool NAME"),
    });
  // src/tools/tasks_batch.ts and src/rules/batch.ts are there.
  const taken = run(root, "scripts/new.mjs", "tool", "packet_batch");
  expect(taken).toMatchObject({ status: 1, out: expect.stringContaining("src/rules/batch.ts") });
  expect(existsSync(join(root, "src/tools/packet_batch.ts"))).toBe(false);
  expect(readFileSync(join(root, "src/tools/index.ts"), "utf8")).toBe(before);
});
