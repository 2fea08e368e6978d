import { describe, expect, it } from "vitest";
import { readme } from "../../src/projections/readme.ts";
import { isSameCommand } from "../../src/state/same_command.ts";
import { shellLine } from "../../src/state/shell_quote.ts";
import { showTool } from "../../src/tools/command_line/show.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { taskDiff } from "../../src/views/task_diff.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

const OTHER = "another command than the declared test";
const close = { path: "s:0", checkpoints: "gate" } as const;
const declares = (...tests: string[]): Given => givenTask({ title: "a", tests });
const run = (given: Given, command: string, exit_code: number, more: object = {}): Told =>
  given.call("tasks_evidence_capture", {
    path: "s:0",
    items: [{ kind: "run", command, exit_code, stdout: "printed", ...more }],
  });
const testsOf = (given: Given): (string | undefined)[] => given.step("s:0").linked.tests.map(({ test }) => test);

describe("evidence and the declared tests of a step", () => {
  it("[PROOF-42] a run is for the test that is its command, which its text or its place may name as well", () => {
    const given = declares("npm test -- 'i18n all'", "make check");
    run(given, 'npm  test -- "i18n all"', 0);
    run(given, "vitest i18n", 0, { test: 0 });
    run(given, "make", 0, { test: "make check" });
    run(given, "echo fine", 0);
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make check"], checkpoint: "docs" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make check"], checkpoint: "tests" });
    expect(testsOf(given)).toEqual(["npm test -- 'i18n all'", "npm test -- 'i18n all'", "make check", "make check"]);
    expect([...given.entity().facts.values()].map(({ test }) => test)[3]).toBeUndefined();
  });

  it("[PROOF-42] [PROOF-39] what was run for a declared test and failed keeps the step open, though its caller named no checkpoint", () => {
    const given = declares("npm test");
    run(given, "npm test", 1);
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    run(given, "echo fine", 0, { test: 0 });
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    run(given, "npm test", 0);
    given.call("tasks_close_step", close);
  });

  it("[PROOF-42] two spellings of one command are one declared test, whichever call declares them", () => {
    const spelled = ["npm test", "sh -c 'npm  test'", "make check", "make 'check'"];
    const given = declares(...spelled);
    expect(given.step("s:0").tests).toEqual(["npm test", "make check"]);
    given.call("tasks_define", { path: "s:0", tests: spelled.toReversed() });
    expect(given.step("s:0").tests).toEqual(["make 'check'", "sh -c 'npm  test'"]);
    given.call("tasks_patch", { path: "s:0", ops: [{ op: "set", field: "tests", value: spelled }] });
    expect(given.step("s:0").tests).toEqual(["npm test", "make check"]);
  });

  it("[PROOF-42] a test that the step does not declare is refused with those that it does", () => {
    const given = declares("npm test");
    for (const test of [1, "npm run lint"]) {
      const items = [{ kind: "run", command: "x", exit_code: 0, test }];
      const refused = given.refusal("tasks_evidence_capture", { path: "s:0", items });
      expect([refused.code, refused.recovery]).toEqual(["INVALID_INPUT", 'Give its text or its place: 0: "npm test".']);
      expect(given.refusal("tasks_evidence_capture", { items }).recovery).toContain("Name a step");
    }
  });

  it("[PROOF-42] quotes and blanks make no difference between two commands, words do", () => {
    const same = [
      ["npm test", " npm   test "],
      ["a 'b c'", 'a "b c"'],
      ["a b\\ c", "a 'b c'"],
      ['a "\\$x"', "a '$x'"],
      ["it's open", "it's open"],
      ["npm test && echo $CI", "sh -c 'npm test && echo $CI'"],
      ["npm test && echo $CI", " npm  test && echo $CI"],
      ["grep 'a # b << $(c)' x", 'grep "a # b << \\$(c)" x'],
      ["make CC=gcc", "make 'CC=gcc'"],
      ["! npm  test", "! npm test"],
      ["sh -c \"sh -c 'npm  test'\"", "npm test"],
      ["npm test\nnpm run lint", "npm  test\n npm run lint\n"],
      ["test ! -e build/*.bad", "sh -c 'test ! -e build/*.bad'"],
      ["git diff --check HEAD~1", "git diff --check 'HEAD~1'"],
      ["find . -exec stat {} +", "find . -exec stat '{}' +"],
      ["[ -f x ]", "'[' -f x ']'"],
      ["curl -u ann:[REDACTED] x", "curl -u 'ann:[REDACTED]' x"],
      ["test -e [FORBIDDEN_PATH]", 'test -e "[FORBIDDEN_PATH]"'],
    ] as const;
    for (const [one, other] of same) expect([one, other, isSameCommand(one, other)]).toEqual([one, other, true]);
    for (const [one, other] of [
      ["npm test", "npm test -- x"],
      ["a 'b c'", "a b c"],
      ["a", "A"],
      ["it's a", "it s a"],
      // `taskfold run -- true '&&' false` starts no shell.
      ["true && false", "true '&&' false"],
      ["true && false", "true \\&\\& false"],
      ["true; false", "'true;' false"],
      ["test $CI", "test '$CI'"],
      ["test $CI", "sh -c test '$CI'"],
      ["true\nfalse", "true false"],
      // A quoted pattern names one file, which may well not be there.
      ["test ! -e build/*.bad", "test '!' -e 'build/*.bad'"],
      ["test ! -e a?", "test ! -e 'a?'"],
      ["test ! -e [ab]", "test ! -e '[ab]'"],
      ["test ! -e [REDACTED]/[ab]", "test ! -e '[REDACTED]/[ab]'"],
      ["ls {a,b}", "ls '{a,b}'"],
      ["ls ~/x", "ls '~/x'"],
      ["ls a # b", "ls a '#' b"],
      // A shell takes these spaces for letters of a name.
      ["test -f proof", "test -f\u00a0proof"],
      ["test -f proof", "test -f\vproof"],
      ["test -f proof", "test -f\rproof"],
      ["node --check $f", "node --check $\\f"],
      ["echo $CI", 'echo "$CI"'],
      ["test -f \\\nproof", "test -f '\nproof'"],
      ['test -f "\\\nproof"', "test -f '\nproof'"],
      ["bash -c '! [[ -e a ]]'", "sh -c '! [[ -e a ]]'"],
      ["bash -c 'npm test'", "npm test"],
      // A program may have these names.
      ["CI=1 npm test", "'CI=1' npm test"],
      ["true && CI=1 x", "true && 'CI=1' x"],
      ["> f CI=1 x", "> f 'CI=1' x"],
      ["test -f a\\ ", "test -f a\\"],
      ["x b\\", "x b \\"],
      ["true && test -f never", "true '&&\u0001' test -f never"],
      ["test -f $f", "test -f '$f\u0001'"],
      ["a\u0000b", "a b"],
      ["test -f [\\ c]", "test -f '[ c]'"],
      ["test -f []b]", "test -f '[]b]'"],
      ['test -f ["x y"a]', "test -f '[x ya]'"],
      [`test -f [${"a".repeat(300)}]`, `test -f '[${"a".repeat(300)}]'`],
      ["ls {' ',b}", "ls '{ ,b}'"],
      ["! true", "'!' true"],
      // Quotes in a command of a command are its own.
      ['echo "$(echo "a b")"', 'echo "$(echo "a b\\)\\""'],
      ["cat <<'E'\na  b\nE", "cat <<'E'\na b\nE"],
    ] as const)
      expect([one, other, isSameCommand(one, other)]).toEqual([one, other, false]);
  });

  it("[PROOF-42] a program that is named as the shell names a variable is recorded in quotes", () => {
    const line = shellLine(["CI=1", "npm", "test", "a b"]);
    expect(line).toBe("'CI=1' npm test 'a b'");
    expect(isSameCommand(line, "CI=1 npm test 'a b'")).toBe(false);
    expect(shellLine(["make", "CC=gcc"])).toBe("make CC=gcc");
  });

  it("[PROOF-39] [PROOF-42] a refusal names a command line that runs the test, by a shell where it takes one, in the folder of the run", () => {
    for (const [test, named] of [
      ["npm test", "npm test"],
      ["npm test && echo 'a b'", String.raw`sh -c 'npm test && echo '\''a b'\'''`],
      ["CI=1 npm test", "sh -c 'CI=1 npm test'"],
      // Put into a shell, it would name the files that are there, and be another command.
      ["node --test test/*.js", "sh -c 'node --test test/*.js'"],
      ["grep 'a*' x", "grep 'a*' x"],
      [`node -e "if(!0)x"`, `sh -c 'node -e "if(!0)x"'`],
      [`sh -c "test "!" -e bad"`, `sh -c 'sh -c "test "!" -e bad"'`],
      [`npm test -- ${"x".repeat(200)}`, `npm test -- ${"x".repeat(200)}`],
    ] as const) {
      const given = declares(test);
      const told = (): string => given.refusal("tasks_close_step", close).recovery!;
      run(given, test, 1);
      expect(told()).toContain(`"taskfold run TASK-001 s:0 --for tests -- ${named}"`);
      expect(isSameCommand(test, named)).toBe(true);
      run(given, test, 0);
      run(given, test, 1, { cwd: "sub" });
      expect(told()).toContain(`"cd 'sub' && taskfold run TASK-001 s:0`);
    }
  });

  it("[PROOF-39] a refusal names no line for a run outside of the workspace, where none is recorded, but what puts it aside", () => {
    const given = declares("npm test");
    run(given, "npm test", 1, { cwd: "/srv/other" });
    const { code, recovery, suggestions } = given.refusal("tasks_close_step", close);
    expect([code, recovery]).toEqual([
      "PROOF_FAILED",
      "No run in /srv/other takes it back, because none is recorded outside of the workspace. Supersede it with a reason.",
    ]);
    expect(suggestions!.map(({ args }) => Object.keys(args).includes("supersedes"))).toContain(true);
  });

  it("[PROOF-3] a run of another command for the declared test that its caller names is told at once, with what runs the test", () => {
    const given = declares("npm test", "make check");
    const warnings = (told: Told) => (told.warnings ?? []).filter(({ code }) => code === "PROOF_WEAK");
    expect(warnings(run(given, "true", 0, { test: 1 }))).toMatchObject([
      {
        code: "PROOF_WEAK",
        message: 's:0 "a" has a run of "true" for the declared test "make check", which is another command.',
        recovery: 'Run the test itself with "taskfold run TASK-001 s:0 --for tests -- make check".',
      },
    ]);
    expect(warnings(run(given, "npm  test", 0, { test: "npm test" }))).toEqual([]);
    expect(warnings(run(given, "true", 0))).toEqual([]);
  });

  it("[PROOF-52] another command is told in README, radar, handoff, show and diff, and a declared one is not", () => {
    const seen = (command: string): string[] => {
      const given = declares("npm test -- i18n");
      run(given, command, 0, { test: 0 });
      given.call("tasks_close_step", close);
      const { radar } = given.call("tasks_radar", {}).result as { radar: { verify: string[] } };
      const subject = given.subject("TASK-001");
      const show = showTool.reply as (input: object, context: object) => Told;
      const page = show({}, {
        workspace: "acme/repo",
        subject,
        find: () => undefined,
        idOf: () => "",
      } as never);
      const { evidence } = page.result as { evidence: { remarks?: string[] }[] };
      return [
        readme(subject),
        radar.verify.join(),
        JSON.stringify(handoffOf(subject)),
        JSON.stringify(evidence[0]!.remarks ?? []),
        JSON.stringify(taskDiff(null, { entity: subject.entity, events: new Map() })),
      ];
    };
    for (const text of seen("echo fine")) expect(text).toContain(OTHER);
    for (const text of seen("npm test -- i18n")) expect(text).not.toContain(OTHER);
  });

  it("[PROOF-52] diff says all about a proof in one pair of parentheses, and of no other proof", () => {
    const given = declares("npm test -- i18n");
    run(given, "echo fine", 0, { test: 0 });
    given.call("tasks_evidence_capture", {
      path: "s:0",
      checkpoint: "criteria",
      items: [{ kind: "run", command: "make docs", exit_code: 0, stdout: "made" }],
    });
    given.call("tasks_close_step", close);
    const { entity } = given.subject("TASK-001");
    const id = given.step("s:0").linked.tests[0]!.evidence;
    const captured = { started_at: "", ended_at: "", platform: "" };
    entity.facts.set(id, { ...entity.facts.get(id)!, captured });
    const { sentences } = taskDiff(null, { entity, events: new Map() })!;
    const told = sentences.map((parts) => parts.map((part) => (typeof part === "string" ? part : part.text)).join(""));
    expect(told.find((sentence) => sentence.includes("was done"))).toMatch(
      new RegExp(`proof: echo fine passed \\(captured, ${OTHER}\\), make docs passed\\.$`),
    );
  });

  it("[PROOF-52] a receipt of the declared test makes no other command one of it", () => {
    const given = declares("npm test -- i18n");
    run(given, "echo fine", 0, { test: 0 });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test -- i18n"], checkpoint: "tests" });
    given.call("tasks_close_step", close);
    const risks = (): string => JSON.stringify(given.call("tasks_handoff", {}).result["handoff"]);
    expect(risks()).toContain(`${OTHER}: echo fine`);
    run(given, "npm test -- i18n", 0);
    expect(risks()).not.toContain(OTHER);
  });

  it("[PROOF-52] a failed run that is the newest of a declared test is named with it", () => {
    const given = declares("npm test -- i18n");
    run(given, "vitest i18n", 2, { test: 0 });
    const risks = (): string => JSON.stringify(given.call("tasks_handoff", {}).result["handoff"]);
    expect(risks()).toContain("the newest run of the test npm test -- i18n failed: evidence:cmd-");
    expect(given.refusal("tasks_close_step", close).message).toContain('for the declared test "npm test -- i18n"');
    run(given, "npm test -- i18n", 0);
    expect(risks()).toContain("a run for tests failed: evidence:cmd-");
  });
});
