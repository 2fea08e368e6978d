// @module-tag long
// @module-tag rotating
/** `taskfold prove`: declared tests in a clean work tree of a commit, with real git and real commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import type { Ran } from "./cli_support.ts";
import { json, PROGRAM, run } from "./cli_support.ts";

const ADA = { TASKFOLD_BY: "agent:ada" };
const CI = { TASKFOLD_BY: "agent:ci", PATH: process.env["PATH"] ?? "" };

interface Command {
  command: string;
  steps: { task: string; path: string; step_id: string; test: number | null; checkpoints: string[]; degree?: string }[];
  exit_code: number;
  timed_out: boolean;
  degree: string;
  evidence: (string | null)[];
}
interface Report {
  commit: string;
  ran: boolean;
  prepared: boolean;
  commands: Command[];
  failed: number;
  not_run: number;
  refused: string[];
}

interface World {
  root: string;
  git: (...args: string[]) => string;
  as: (env: Record<string, string>, ...argv: string[]) => Promise<Ran>;
  prove: (
    ...argv: string[]
  ) => Promise<{ code: number; report: Report; warnings: { code: string; message: string }[] }>;
}

/** A repository on a branch, with a task of one step for each list of tests. */
async function world(...steps: string[][]): Promise<World> {
  const { ada } = repository();
  const { root } = ada;
  // Other programs make temporary folders, too.
  vi.stubEnv("TMPDIR", tempFolder());
  const as: World["as"] = (env, ...argv) => run({ cwd: root, env }, ...argv);
  await as(ADA, "init", "--workspace", "acme/repo", "-q");
  writeFileSync(join(root, "answer.txt"), "42\n");
  writeFileSync(join(root, ".gitignore"), "ignored/\n");
  ada.commit("first");
  ada.git("switch", "-q", "-c", "work");
  const named = steps.flatMap((tests, n) => [
    "--step",
    `step ${n}`,
    "--criteria",
    "it works",
    ...tests.flatMap((one) => ["--test", one]),
  ]);
  await as(ADA, "add", "A parser", ...named, "-q");
  ada.commit("second");
  return {
    root,
    git: (...args) => ada.git(...args),
    as,
    prove: async (...argv) => {
      const { code, doc } = await json({ cwd: root, env: CI }, "prove", ...argv);
      return { code, report: doc as unknown as Report, warnings: doc["warnings"] as never };
    },
  };
}

/** The temporary folders that are there. */
const folders = (): string[] => readdirSync(tmpdir());
const degrees = ({ report }: { report: Report }): string[] => report.commands.map(({ degree }) => degree);

describe("which tests prove takes", () => {
  it("[PROOF-70] those of the steps that are named, of a task, of a plan, or of the tasks that the branch changed", async () => {
    const { as, prove } = await world(["test -f a", "test -f b"], ["test -f c"]);
    await as(ADA, "plan", "add", "A plan", "-q");
    await as(ADA, "add", "Another", "--plan", "PLAN-001", "--step", "one", "--test", "test -f d", "-q");
    const asked = async (...words: string[]): Promise<string[]> =>
      (await prove(...words)).report.commands.map(
        ({ command, steps }) => `${command} ${steps.map(({ path, test }) => `${path} ${test}`).join()}`,
      );
    expect(await asked("1", "step 1")).toEqual(["test -f c s:1 0"]);
    expect(await asked("TASK-001", "s:1", "s:0", "2")).toEqual([
      "test -f c s:1 0",
      "test -f a s:0 0",
      "test -f b s:0 1",
      "test -f d s:0 0",
    ]);
    expect(await asked("PLAN-001")).toEqual(["test -f d s:0 0"]);
    // The second task is in no commit yet.
    expect(await asked()).toEqual(["test -f a s:0 0", "test -f b s:0 1", "test -f c s:1 0"]);
    expect(await asked("--git-base", "HEAD")).toEqual([]);
    expect((await as(CI, "prove", "--git-base", "HEAD")).out).toBe(
      "None of these steps declares a test, or has a run to repeat.\n",
    );
    expect((await as(CI, "prove", "TASK-009")).err).toContain("UNKNOWN_ID");
    expect((await as(CI, "prove", "1", "--at", "nowhere")).err).toContain("a commit of this clone");
  });

  it("[PROOF-70] nothing is started without --allow-commands: the command lists what would run, and how to run it", async () => {
    const { root, as, prove } = await world(["touch made"], ["touch made", "ls"]);
    const before = tree(root);
    const { code, out, err } = await as(CI, "prove", "1", "--prepare", "touch 'made too'");
    expect(code).toBe(2);
    expect(out.replace(/[0-9a-f]{12}/, "COMMIT")).toBe(
      [
        "Would run in a clean work tree of COMMIT:",
        "  touch 'made too'  (first, no evidence)",
        '  touch made  TASK-001 s:0 "step 0", TASK-001 s:1 "step 1"',
        '  ls  TASK-001 s:1 "step 1"',
        "",
      ].join("\n"),
    );
    expect(err).toContain("COMMANDS_NOT_ALLOWED");
    expect(err).toContain(`taskfold prove 1 --prepare 'touch '\\''made too'\\''' --allow-commands`);
    const listed = await prove("1");
    expect([listed.code, listed.report.ran, listed.warnings.map((one) => one.code)]).toEqual([
      2,
      false,
      ["COMMANDS_NOT_ALLOWED"],
    ]);
    expect(tree(root)).toEqual(before);
  });
});

describe("a run of prove", () => {
  it("[PROOF-48] says captured where the same actor closed or holds the step, and why", async () => {
    const { root, as, prove } = await world(["true"], ["true"], ["test -d ."]);
    await as(ADA, "done", "1", "s:0", "--confirm", "gate", "-q");
    await as(ADA, "claim", "1", "s:2", "-q");
    const why = "the same actor";
    const { out } = await as({ ...ADA, PATH: CI.PATH }, "prove", "1", "--allow-commands");
    expect(out.split("\n").slice(0, 2)).toEqual([
      `passed  true  TASK-001 s:0 "step 0", TASK-001 s:1 "step 1"  repeated (captured for TASK-001 s:0: ${why} closed the step; a repeat is made by another)`,
      `passed  test -d .  TASK-001 s:2 "step 2"  captured (${why} holds the step; a repeat is made by another)`,
    ]);
    const own = await json({ cwd: root, env: { ...ADA, PATH: CI.PATH } }, "prove", "1", "--allow-commands");
    const told = (own.doc as unknown as Report).commands.map(({ degree, steps }) => [
      degree,
      ...steps.map((s) => s.degree),
    ]);
    expect(told).toEqual([
      ["repeated", "captured", "repeated"],
      ["captured", "captured"],
    ]);
    const other = await prove("1", "--allow-commands");
    expect(degrees(other)).toEqual(["repeated", "repeated"]);
    expect((await as({ ...CI }, "prove", "1", "--allow-commands")).out).not.toContain(why);
  });

  it("[PROOF-48] of who holds a step is shown as captured there, also while the step is open", async () => {
    const { as, root } = await world(["true"], ["test -d ."]);
    await as(ADA, "prove", "1", "--allow-commands");
    const shown = async (): Promise<(string | undefined)[]> => {
      const { doc } = await json({ cwd: root, env: ADA }, "call", "tasks_resume", '{"task":"TASK-001"}');
      const { step_list } = doc.result as unknown as { step_list: { proof_tests_degree?: string }[] };
      const { doc: all } = await json({ cwd: root, env: ADA }, "call", "tasks_evidence_verify", '{"task":"TASK-001"}');
      const { evidence } = all.result as unknown as { evidence: { degree: string }[] };
      return [...step_list.map((row) => row.proof_tests_degree), ...evidence.map(({ degree }) => degree).toSorted()];
    };
    expect(await shown()).toEqual(["repeated", "repeated", "repeated", "repeated"]);
    await as(ADA, "claim", "1", "s:1", "-q");
    expect(await shown()).toEqual(["repeated", "captured", "captured", "repeated"]);
    expect(
      readFileSync(join(root, ".coco/tasks/TASK-001/README.md"), "utf8").match(/`(?:captured|repeated)`/g),
    ).toEqual(expect.arrayContaining(["`captured`", "`repeated`"]));
    await as(ADA, "release", "1", "s:1", "-q");
    expect(await shown()).toEqual(["repeated", "repeated", "repeated", "repeated"]);
    await as(ADA, "call", "tasks_claim", '{"task":"TASK-001"}', "-q");
    expect(await shown()).toEqual(["captured", "captured", "captured", "captured"]);
  });

  it("[PROOF-72] [PROOF-70] is a repeat at the commit, once for all steps that declare it, and lets another actor's step close", async () => {
    const { root, git, as, prove } = await world(
      ["grep -q 42 answer.txt"],
      ["grep -q 42 answer.txt", "pwd; git status --short"],
    );
    await as(ADA, "edit", "1", "s:0", "--proof", "tests=repeated", "-q");
    await as(ADA, "run", "1", "s:0", "--", "grep", "-q", "42", "answer.txt");
    const early = await as(ADA, "done", "1", "s:0", "--confirm", "gate");
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("PROOF_REQUIRED")]);
    // What is not in the commit is not tested.
    writeFileSync(join(root, "answer.txt"), "41\n");
    const done = await prove("1", "--allow-commands");
    expect([done.code, done.report.failed, done.report.commit]).toEqual([0, 0, git("rev-parse", "HEAD").trim()]);
    expect(done.report.commands.map(({ steps, degree, evidence }) => [steps.length, degree, evidence.length])).toEqual([
      [2, "repeated", 2],
      [1, "repeated", 1],
    ]);
    expect(folders()).toEqual([]);
    const item = itemsOf(root).findLast(({ command }) => String(command).includes("pwd"))!;
    expect(item).toMatchObject({
      test: "pwd; git status --short",
      captured: { checkout: "clean", git_commit: done.report.commit },
    });
    expect([item["command"], item["cwd"]]).toEqual(["pwd; git status --short", "."]);
    expect((await as(CI, "show", "1")).out).not.toContain("another command");
    // The work tree is not what was proved.
    expect((await as(ADA, "done", "1", "s:0", "--confirm", "gate")).err).toContain("PROOF_STALE");
    git("checkout", "-q", "answer.txt");
    expect((await as(ADA, "done", "1", "s:0", "--confirm", "gate")).code).toBe(0);
    // The repository has no work tree, no branch and no setting more than before.
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    const changed = git("status", "--short").trim().split("\n");
    expect(changed.filter((line) => !line.includes(" .coco/"))).toEqual([]);
  });

  it("[PROOF-70] [PROOF-48] repeats runs on record where a checkpoint asks for a repeat and no test is declared", async () => {
    const { root, git, as, prove } = await world([]);
    await as(ADA, "edit", "1", "s:0", "--proof", "tests=repeated,security=repeated,docs=captured", "-q");
    const done = () => as(ADA, "done", "1", "s:0", "--confirm", "criteria,tests,security,docs");
    // Without a run there is nothing to repeat: the refusal names both lines.
    expect((await prove("1", "--allow-commands")).report.commands).toEqual([]);
    const first = await done();
    expect(first.err).toContain("taskfold run TASK-001 s:0 --for tests,security,docs -- COMMAND");
    expect(first.err).toContain("taskfold prove TASK-001 s:0 --allow-commands");
    const grep = ["grep", "-q", "42", "answer.txt"];
    await as(ADA, "run", "1", "s:0", "--for", "tests,security", "--", ...grep);
    await as(ADA, "run", "1", "s:0", "--for", "security,docs", "--", "ls");
    const early = await done();
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("Expected repeated proof of tests, security")]);
    expect(early.err).toContain('run "taskfold prove TASK-001 s:0 --allow-commands"');
    const made = await prove("TASK-001", "s:0", "--allow-commands");
    expect(made.report.commands.map(({ command, degree }) => [command, degree])).toEqual([
      ["grep -q 42 answer.txt", "repeated"],
      ["ls", "repeated"],
    ]);
    expect(made.report.commands.map(({ steps }) => steps.map((one) => [one.test, one.checkpoints]))).toEqual([
      [[null, ["tests", "security"]]],
      [[null, ["security"]]],
    ]);
    expect(git("status", "--short", "answer.txt")).toBe("");
    expect((await done()).code).toBe(0);
    expect(itemsOf(root)).toHaveLength(4);
  });

  it("[PROOF-70] [PROOF-39] a refusal names one line for what is run here, and another for what is repeated", async () => {
    const { as, prove } = await world([]);
    await as(ADA, "edit", "1", "s:0", "--proof", "tests=captured,security=repeated", "-q");
    const done = () => as(ADA, "done", "1", "s:0", "--confirm", "all");
    await as(ADA, "run", "1", "s:0", "--for", "security", "--", "ls");
    expect((await done()).err).toContain("Expected captured proof of tests for");
    expect((await done()).err).toContain('Run "taskfold run TASK-001 s:0 --for tests -- COMMAND".');
    await as(ADA, "run", "1", "s:0", "--for", "tests", "--", "ls");
    expect((await done()).err).toContain("Expected repeated proof of security for");
    await prove("TASK-001", "s:0", "--allow-commands");
    expect((await done()).code).toBe(0);
  });

  it("[PROOF-51] [PROOF-39] what the refusals of a repeat name works: prove sees commits alone", async () => {
    const { root, git, as, prove } = await world(["grep -q 42 answer.txt"]);
    await as(ADA, "edit", "1", "s:0", "--proof", "tests=repeated", "-q");
    const done = () => as(ADA, "done", "1", "s:0", "--confirm", "gate");
    const line = "taskfold prove TASK-001 s:0 --allow-commands";
    await prove("TASK-001", "s:0", "--allow-commands");
    writeFileSync(join(root, "answer.txt"), "42 and more\n");
    const stale = await done();
    expect(stale.err).toContain("PROOF_STALE");
    expect(stale.err).toContain(
      `Commit what changed. Give a claim on it back first, because a held step takes runs of its holder alone. Let another actor than the one who closes the step run "${line}".`,
    );
    // The line alone proves the commit, which is not what the work tree has.
    await prove("TASK-001", "s:0", "--allow-commands");
    expect((await done()).err).toContain("PROOF_STALE");
    writeFileSync(join(root, "answer.txt"), "41\n");
    git("commit", "-qam", "wrong");
    expect((await prove("TASK-001", "s:0", "--allow-commands")).code).toBe(1);
    expect((await done()).err).toContain(`Make it pass, commit that, and run it again, such as with "${line}"`);
    writeFileSync(join(root, "answer.txt"), "42\n");
    git("commit", "-qam", "right");
    await prove("TASK-001", "s:0", "--allow-commands");
    expect((await done()).code).toBe(0);
  });

  it("[PROOF-72] starts no hook, filter or program that the repository, the user or the system names", async () => {
    const { root, git, as, prove } = await world([
      "cat secret.txt; ls .git/hooks 2>/dev/null; git config --get-regexp 'evil|alias' ; true",
    ]);
    const witness = join(root, "..", "witness");
    const program = join(root, "..", "program.sh");
    writeFileSync(program, `#!/bin/sh\ntouch '${witness}'\ncat\n`);
    chmodSync(program, 0o755);
    mkdirSync(join(root, ".git/hooks"), { recursive: true });
    writeFileSync(join(root, ".git/hooks/post-checkout"), readFileSync(program));
    chmodSync(join(root, ".git/hooks/post-checkout"), 0o755);
    writeFileSync(join(root, ".gitattributes"), "secret.txt filter=evil\n");
    writeFileSync(join(root, "secret.txt"), "as stored\n");
    git("add", "-A");
    git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "third");
    for (const [name, value] of [
      ["filter.evil.smudge", program],
      ["filter.evil.clean", program],
      ["filter.evil.required", "true"],
      ["core.fsmonitor", program],
      ["alias.x", `!${program}`],
    ] as const)
      git("config", name, value);
    const global = join(root, "..", "gitconfig");
    writeFileSync(global, `[filter "evil"]\n\tsmudge = ${program}\n[init]\n\ttemplateDir = ${join(root, ".git")}\n`);
    const done = await json({ cwd: root, env: { ...CI, GIT_CONFIG_GLOBAL: global } }, "prove", "1", "--allow-commands");
    expect(done.code).toBe(0);
    expect(existsSync(witness)).toBe(false);
    const { excerpt } = itemsOf(root).at(-1)!["stdout"] as { excerpt: string };
    expect(excerpt).toMatch(/^as stored\n/);
    expect(excerpt).not.toMatch(/sample|filter\.evil\.clean|alias/);
    expect(await as(CI, "verify")).toMatchObject({ code: 0 });
    const { warnings } = await prove("1", "--allow-commands");
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^CHECKOUT_INCOMPLETE .* 1 file is as git stores them: secret.txt\.$/),
    ]);
  });

  it("[PROOF-72] names pointers of Git LFS and submodules that the clean work tree lacks", async () => {
    const { root, git, prove } = await world(['grep -q git-lfs image.png && test -z "$(ls vendor)"']);
    writeFileSync(join(root, ".gitattributes"), "*.png filter=lfs diff=lfs merge=lfs -text\n");
    writeFileSync(
      join(root, "image.png"),
      `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12\n`,
    );
    git("add", "-A");
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD").trim()},vendor`);
    git("commit", "-qm", "third");
    const done = await prove("1", "--allow-commands");
    expect([done.code, degrees(done)]).toEqual([0, ["repeated"]]);
    expect(done.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("image.png"),
      expect.stringContaining("vendor"),
    ]);
  });

  it("[PROOF-70] [PROOF-72] each command has a folder of its own, in which the preparation runs first", async () => {
    const left =
      "test ! -e made && test -e ignored/lib && test ! -e ignored/planted && grep -q 42 answer.txt && git diff --quiet HEAD";
    const { prove, root, git } = await world(
      [left, `${left} && touch made ignored/planted && echo 1 > answer.txt && git commit -qam x; pwd`],
      [`${left} && pwd`, `${left} && :`],
    );
    const done = await prove("1", "--allow-commands", "--prepare", "mkdir ignored && touch ignored/lib");
    expect([done.code, degrees(done)]).toEqual([0, ["repeated", "repeated", "repeated", "repeated"]]);
    const places = itemsOf(root).flatMap(({ stdout }) => (stdout ? [(stdout as { excerpt: string }).excerpt] : []));
    expect([places.length, new Set(places).size]).toEqual([2, 2]);
    expect(git("log", "--all", "--format=%s").trim().split("\n").toSorted()).toEqual(["first", "second"]);
  });

  it("[PROOF-72] a preparation that changes files of the commit makes no repeat, and a warning names them", async () => {
    const { prove } = await world(["true"]);
    const done = await prove("1", "--allow-commands", "--prepare", "echo 0 > answer.txt; touch new");
    expect([done.code, degrees(done)]).toEqual([0, ["captured"]]);
    expect(done.warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^CHECKOUT_CHANGED .* 2 files differed from the commit: answer.txt, new\.$/),
    ]);
  });

  it.each([
    ["removes its .git, and the temporary folder lies in the repository", () => "rm -rf .git"],
    ["makes its .git that of the repository", (root: string) => `rm -rf .git; echo 'gitdir: ${root}/.git' > .git`],
    ["names the repository as its work tree", (root: string) => `git config core.worktree '${root}'`],
    ["puts a link to the repository in its place", (root: string) => `cd .. && rm -rf tree && ln -s '${root}' tree`],
  ])("[PROOF-72] a command that %s changes nothing there", async (_, command) => {
    const { root, git, as, prove } = await world(["true"]);
    const inside = join(root, "ignored");
    mkdirSync(inside);
    vi.stubEnv("TMPDIR", inside);
    await as(ADA, "edit", "1", "s:0", "--test", command(realpathSync(root)), "--test", "true", "-q");
    git("commit", "-qam", "third");
    writeFileSync(join(root, "answer.txt"), "an edit\n");
    writeFileSync(join(root, "staged.txt"), "staged\n");
    git("add", "staged.txt");
    writeFileSync(join(root, "new.txt"), "new\n");
    const seen = (): string[] => [
      git("symbolic-ref", "HEAD"),
      git("status", "--short", "--", ".", ":!.coco"),
      git("config", "--list", "--local"),
      ...["answer.txt", "staged.txt", "new.txt"].map((name) => readFileSync(join(root, name), "utf8")),
    ];
    const before = seen();
    const done = await prove("1", "--allow-commands");
    expect(seen()).toEqual(before);
    expect([done.code, degrees(done)]).toEqual([0, ["repeated", "repeated"]]);
    expect(readdirSync(inside)).toEqual([]);
  });

  it("[PROOF-70] no command makes files of the next one differ from the commit, or hides that they do", async () => {
    const { root, as, git, prove } = await world(["true"]);
    const witness = join(root, "..", "witness");
    const planted = [
      "git update-index --skip-worktree answer.txt && echo 41 > answer.txt",
      "git update-index --assume-unchanged answer.txt && echo 41 > answer.txt",
      "mkdir -p .git/info; echo planted > .git/info/exclude; echo 41 > planted",
      `git config filter.e.smudge 'touch ${witness}; cat'; git config filter.e.clean 'touch ${witness}; cat'; mkdir -p .git/info; echo 'answer.txt filter=e' > .git/info/attributes; echo 41 > answer.txt`,
      "(setsid sh -c 'for n in 1 2 3 4 5 6 7 8; do echo 41 > answer.txt; sleep 0.2; done' > /dev/null 2>&1 &) ; true",
    ];
    const looks = planted.map((__, n) => `test ! -e planted && grep -q 42 answer.txt && sleep 0.${n}`);
    const tests = planted.flatMap((one, n) => ["--test", one, "--test", looks[n]!]);
    await as(ADA, "edit", "1", "s:0", ...tests, "-q");
    git("commit", "-qam", "third");
    const done = await prove("1", "--allow-commands");
    expect(done.report.commands.map(({ exit_code, degree }) => `${exit_code} ${degree}`)).toEqual(
      tests.filter((word) => word !== "--test").map(() => "0 repeated"),
    );
    expect(existsSync(witness)).toBe(false);
    // What such a command itself changed is seen, whatever it told its own git.
    const changes = itemsOf(root).map(({ captured }) => {
      const { sha256 } = (captured as { wrote?: { sha256: string } }).wrote ?? {};
      return sha256 === undefined
        ? ""
        : readFileSync(join(root, ".coco/tasks/TASK-001/shared/evidence/blobs", sha256), "latin1");
    });
    expect(changes.slice(0, 4).map((one) => /answer\.txt|planted/.exec(one)?.[0] ?? "")).toEqual([
      "answer.txt",
      "",
      "answer.txt",
      "",
    ]);
    expect(changes[4]).toContain("planted");
  });

  it("[PROOF-72] ignore rules of the user hide nothing that a preparation leaves", async () => {
    const { root, prove } = await world(["true"]);
    const home = join(root, "..", "settings");
    mkdirSync(join(home, "git"), { recursive: true });
    writeFileSync(join(home, "git/ignore"), "hidden\n");
    writeFileSync(join(home, "git/attributes"), "* text eol=crlf\n");
    vi.stubEnv("XDG_CONFIG_HOME", home);
    expect(degrees(await prove("1", "--allow-commands", "--prepare", "touch hidden"))).toEqual(["captured"]);
    expect(degrees(await prove("1", "--allow-commands", "--prepare", "! grep -q '\r' answer.txt"))).toEqual([
      "repeated",
    ]);
  });

  it("[PROOF-72] no variable of git reaches a command", async () => {
    const { root, as } = await world(["env | grep -i ^git_ || true"]);
    const env = {
      ...CI,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.hooksPath",
      GIT_CONFIG_VALUE_0: root,
      GIT_CONFIG_PARAMETERS: `'core.worktree=${root}'`,
      GIT_SSH_COMMAND: "true",
      GIT_DIR: join(root, ".git"),
    };
    expect((await as(env, "prove", "1", "--allow-commands", "--prepare", "! env | grep -i ^git_")).code).toBe(0);
    const [item] = itemsOf(root);
    expect(item!["stdout"]).toBeUndefined();
    expect((item!["captured"] as { env: string[] }).env.filter((name) => /^GIT_/i.test(name))).toEqual([]);
  });

  it("[regression PROOF-79] the next run removes the folders of a process that was killed, and no others", async () => {
    const { root, git, as, prove } = await world(["true"]);
    const began = join(root, "..", "began");
    await as(ADA, "edit", "1", "s:0", "--test", `test -e '${began}' || { touch '${began}'; sleep 60; }`, "-q");
    git("commit", "-qam", "third");
    const argv = [PROGRAM, "prove", "1", "--allow-commands"];
    const child = spawn(process.execPath, argv, { cwd: root, env: { ...process.env, ...CI }, stdio: "ignore" });
    await vi.waitUntil(() => existsSync(began), { timeout: 60_000 });
    const [live, ...more] = folders();
    expect(more).toEqual([]);
    mkdirSync(join(tmpdir(), "taskfold-prove-other"));
    await prove("1", "--allow-commands");
    expect(new Set(folders())).toEqual(new Set([live, "taskfold-prove-other"]));
    child.kill("SIGKILL");
    await once(child, "exit");
    await prove("1", "--allow-commands");
    expect(folders()).toEqual(["taskfold-prove-other"]);
  });

  it("[PROOF-70] fails with exit code 1 where a command fails, and the failed run is evidence too", async () => {
    const { root, as, prove } = await world(["echo so; echo why >&2; exit 3"], ["true"]);
    const shown = await as(CI, "prove", "1", "--allow-commands");
    expect(shown.code).toBe(1);
    expect(shown.out).toMatch(
      /^failed \(exit code 3\) {2}echo so; echo why >&2; exit 3 {2}TASK-001 s:0 "step 0" {2}repeated\npassed {2}true .*\n1 of 2 commands passed at [0-9a-f]{12}\.\n$/,
    );
    expect(shown.err).toMatch(
      /started\n.* failed \(\d+s\): exit code 3\n {2}\| so\n {2}\| why\ntrue started\ntrue completed/,
    );
    expect(itemsOf(root).map((item) => item["exit_code"])).toEqual([3, 0]);
    const { code, report } = await prove("1", "s:0", "--allow-commands");
    expect([code, report.failed, report.commands[0]!.exit_code]).toEqual([1, 1, 3]);
    expect((await prove("1", "s:1", "--allow-commands")).code).toBe(0);
  });

  it("[PROOF-70] fails where a run cannot be recorded", async () => {
    const { as, prove } = await world(["true"]);
    await as(ADA, "claim", "1", "s:0", "--for", "1h");
    const { code, report } = await prove("1", "--allow-commands");
    expect([code, report.failed, report.commands[0]!.evidence]).toEqual([1, 0, [null]]);
    expect(report.refused).toEqual([expect.stringContaining("LEASE_HELD")]);
  });

  it("[PROOF-72] a preparation that fails ends it before a test, and is no evidence", async () => {
    const { root, as, prove } = await world(["true"]);
    const shown = await as(CI, "prove", "1", "--allow-commands", "--prepare", "echo no >&2; exit 7");
    expect([shown.code, shown.out]).toEqual([
      1,
      expect.stringMatching(/^The preparation failed at [0-9a-f]{12}: no test was run\.\n$/),
    ]);
    expect(shown.err).toContain("| no");
    expect(itemsOf(root)).toEqual([]);
    const { code, report } = await prove("1", "--allow-commands", "--prepare", "false");
    expect([code, report.prepared, report.not_run]).toEqual([1, false, 1]);
    // It runs again before each command.
    const later = await world(["true", ":"]);
    const witness = join(later.root, "..", "once");
    const half = await later.as(CI, "prove", "1", "--allow-commands", "--prepare", `mkdir '${witness}'`);
    expect([half.code, half.out]).toEqual([
      1,
      expect.stringMatching(/\n1 of 2 commands passed at [0-9a-f]{12}, 1 not run \(the preparation failed\)\.\n$/),
    ]);
  });

  it("[PROOF-72] a command is ended when its time is up, with all that it started; one that a person stops leaves nothing", async () => {
    const { root, prove } = await world(["sleep 60 & sleep 60"]);
    const { code, report } = await prove("1", "--allow-commands", "--timeout", "1");
    expect([code, report.commands[0]!.timed_out]).toEqual([1, true]);
    const items = itemsOf(root).length;
    const stop = new AbortController();
    const running = run({ cwd: root, env: CI, stop: stop.signal }, "prove", "1", "--allow-commands");
    stop.abort();
    const { code: stopped, out } = await running;
    expect([stopped, out]).toEqual([
      1,
      expect.stringMatching(/^0 of 1 command passed at [0-9a-f]{12}, 1 not run\.\n$/),
    ]);
    expect(itemsOf(root)).toHaveLength(items);
    expect(folders()).toEqual([]);
  });

  it("[PROOF-72] an older commit, a shallow clone, a root below the top and a linked work tree", async () => {
    const { root, git, as } = await world(["grep -q 42 answer.txt"]);
    writeFileSync(join(root, "answer.txt"), "41\n");
    git("commit", "-qam", "third");
    const proves = async (cwd: string, ...more: string[]): Promise<number> =>
      (await run({ cwd, env: CI }, "prove", "1", "--allow-commands", ...more)).code;
    expect([await proves(root), await proves(root, "--at", "HEAD~1")]).toEqual([1, 0]);
    const shallow = join(root, "..", "shallow");
    git("clone", "-q", "--depth", "2", `file://${realpathSync(root)}`, shallow);
    expect(await proves(shallow, "--at", "HEAD~1")).toBe(0);
    const linked = join(root, "..", "linked");
    git("worktree", "add", "-q", "--detach", linked, "HEAD~1");
    expect(await proves(linked)).toBe(0);
    const below = join(root, "part");
    mkdirSync(below);
    writeFileSync(join(below, "part.txt"), "x\n");
    await run({ cwd: below, env: ADA }, "-C", ".", "init", "--workspace", "acme/part", "-q");
    await run({ cwd: below, env: ADA }, "-C", ".", "add", "Part", "--step", "one", "--test", "test -f part.txt", "-q");
    git("add", "-A");
    git("commit", "-qm", "fourth");
    expect(await proves(below, "-C", ".")).toBe(0);
    expect(await as(CI, "verify")).toMatchObject({ code: 0 });
  });

  it("[PROOF-70] is refused outside of git, with a call that works there", async () => {
    const { root } = repository().ada;
    const plain = join(root, "..", "plain");
    mkdirSync(plain);
    await run({ cwd: plain, env: ADA }, "init", "--workspace", "acme/plain", "-q");
    const { code, err } = await run({ cwd: plain, env: CI }, "prove");
    expect([code, err]).toEqual([2, expect.stringContaining("taskfold run TASK-001 s:0 -- npm test")]);
  });
});

function itemsOf(root: string): Record<string, unknown>[] {
  return readFileSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; payload: { items: Record<string, unknown>[] } })
    .filter(({ type }) => type === "evidence.captured")
    .flatMap(({ payload }) => payload.items);
}
