// @module-tag long
// @module-tag rotating
/** The hooks with real git: what commits hold without a resolve, and the hooks of others beside them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import { branched, change, commitChange, driven, expectRight, gitSaid, inWorkspace } from "../support/git_work.ts";
import { notesOf } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const TASK = ".coco/tasks/TASK-001";
const INSTALL = ["git", "install", "--hooks"];

function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return readFileSync(path, "utf8");
}

/** Hooks of a clone that write their names and arguments to a file. */
function said(clone: Clone): string[] {
  const path = join(clone.root, "..", "said");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

const NOISY = 'echo "$(basename "$0") $*" >> ../said';

describe("hooks", () => {
  it("[GIT-22] post-merge folds and stages what git took from one side alone", async () => {
    const repo = await driven(null);
    const { clone, program } = repo;
    await branched(repo, ["side"], ["main"]);
    gitSaid(clone, "merge", "--no-edit", "side");
    clone.git("add", "-A");
    clone.git("commit", "-q", "-m", "ours, and no resolve");
    program(...INSTALL);
    clone.git("checkout", "-q", "-b", "third", "main~1");
    await commitChange(clone, "third");
    const merged = gitSaid(clone, "merge", "--no-edit", "main");
    expect([merged.code, merged.said]).toEqual([
      0,
      expect.stringMatching(/taskfold: \d+ files were folded anew from their logs and staged; commit them\./),
    ]);
    clone.git("commit", "-q", "-m", "the folded files");
    await expectRight(clone);
  });

  it("[GIT-22] post-rewrite does the same after a rebase", async () => {
    const repo = await driven(INSTALL);
    const { clone } = repo;
    clone.git("checkout", "-q", "-b", "side");
    writeFileSync(join(clone.root, "other.txt"), "x\n");
    clone.commit("a file outside");
    clone.git("checkout", "-q", "main");
    await change(clone.root, "main");
    clone.git("add", `${TASK}/events.jsonl`, `${TASK}/shared/evidence/blobs`);
    clone.git("commit", "-q", "--no-verify", "-m", "the log alone");
    clone.git("checkout", "-q", "--", ".");
    clone.git("checkout", "-q", "side");
    const { code, said: told } = gitSaid(clone, "rebase", "main");
    expect([code, told]).toEqual([0, expect.stringContaining("commit them")]);
    clone.git("commit", "-q", "-m", "the folded files");
    await expectRight(clone);
  });

  it("[GIT-22] pre-commit puts the folded files of the staged log into the commit, whatever else is in the work tree", async () => {
    const { clone } = await driven(INSTALL);
    await change(clone.root, "one");
    clone.git("add", `${TASK}/events.jsonl`, `${TASK}/shared/evidence/blobs`);
    await change(clone.root, "two");
    expect(gitSaid(clone, "commit", "-q", "-m", "half of it").said).toMatch(
      /files were folded anew .* the commit has them/,
    );
    // The rest goes with the next commit; this one is right by itself.
    clone.git("stash", "-q", "-u");
    await expectRight(clone);
    expect(notesOf(clone.root)).toEqual(["one"]);
    expect(gitSaid(clone, "stash", "pop", "-q").code).toBe(0);
    clone.commit("the rest");
    await expectRight(clone);
  });

  it.each([
    ["-a", ["commit", "-q", "-a", "-m", "all"]],
    ["a path", ["commit", "-q", "-m", "one path", "--", `${TASK}/events.jsonl`]],
  ])("[GIT-22] pre-commit with git commit %s", async (_, args) => {
    const { clone } = await driven(INSTALL);
    await change(clone.root, "one");
    clone.git("add", "-A");
    clone.git("checkout", "HEAD", "--", `${TASK}/README.md`, `${TASK}/task.yaml`);
    expect(gitSaid(clone, ...args).said).toMatch(/files were folded anew/);
    clone.commit("what is left");
    await expectRight(clone);
    clone.git("checkout", "-q", "--detach", "HEAD");
    expect(clone.git("show", `HEAD:${TASK}/README.md`)).toContain("one");
  });

  it("[GIT-4] [GIT-22] pre-commit keeps a staged edit of a folded file aside and says so", async () => {
    const { clone } = await driven(INSTALL);
    writeFileSync(join(clone.root, TASK, "README.md"), "by hand\n");
    clone.git("add", "-A");
    const { said: told } = gitSaid(clone, "commit", "-q", "--allow-empty", "-m", "an edit");
    expect(told).toMatch(/README\.md was edited by hand; that text is kept in \.coco\/registry\/quarantine/);
    await expectRight(clone);
  });

  it(
    "[GIT-22] a hook of ours stops nothing: a log without its first line, a program that is gone",
    ROTATING,
    async () => {
      const { clone, program } = await driven(INSTALL);
      const log = join(clone.root, TASK, "events.jsonl");
      writeFileSync(log, `${readFileSync(log, "utf8").split("\n").slice(1).join("\n")}`);
      clone.git("add", "-A");
      const { code, said: told } = gitSaid(clone, "commit", "-q", "-m", "a log without its first line");
      expect([code, told]).toEqual([0, expect.stringContaining(`${TASK} needs a look: taskfold resolve`)]);
      program("resolve", "--git", "--stage");
      for (const name of ["pre-commit", "post-merge"]) {
        const path = join(clone.root, ".git/hooks", name);
        writeFileSync(path, readFileSync(path, "utf8").replaceAll("cli.cjs", "gone.cjs"));
      }
      expect(gitSaid(clone, "commit", "-q", "-m", "resolved").code).toBe(0);
      await expectRight(clone);
    },
  );
});

describe("hooks of others", () => {
  it("[GIT-20] a hook that was there is called first, with its arguments, and stops git; uninstall puts it back", async () => {
    const { clone, program } = await driven(null);
    const hooks = join(clone.root, ".git/hooks");
    const before = script(join(hooks, "pre-commit"), `${NOISY}\n[ ! -f ../stop ]`);
    writeFileSync(join(hooks, "post-merge"), "#!/bin/sh\necho never >> ../said\n");
    program(...INSTALL);
    program(...INSTALL);
    await commitChange(clone, "one");
    expect(said(clone)).toEqual(["pre-commit.before-taskfold"]);
    await expectRight(clone);
    writeFileSync(join(clone.root, "..", "stop"), "");
    await change(clone.root, "two");
    clone.git("add", "-A");
    expect(gitSaid(clone, "commit", "-q", "-m", "two").code).toBe(1);
    expect(program("--json", "git", "status")).toContain('"kept":["pre-commit","post-merge"]');
    program("git", "uninstall");
    expect(readFileSync(join(hooks, "pre-commit"), "utf8")).toBe(before);
    expect(readFileSync(join(hooks, "post-merge"), "utf8")).toContain("never");
    expect(
      readdirSync(hooks)
        .filter((name) => !name.endsWith(".sample"))
        .toSorted(),
    ).toEqual(["post-merge", "pre-commit"]);
  });

  it("[GIT-20] where a second hook came meanwhile, install is refused and changes nothing", async () => {
    const { clone, program } = await driven(null);
    const hooks = join(clone.root, ".git/hooks");
    script(join(hooks, "pre-commit"), "exit 0");
    program(...INSTALL);
    script(join(hooks, "pre-commit"), "exit 0 # another");
    const config = readFileSync(join(clone.root, ".git/config"), "utf8");
    const names = readdirSync(hooks);
    expect(() => program(...INSTALL)).toThrow(/Expected one hook pre-commit to keep/);
    expect(readdirSync(hooks)).toEqual(names);
    expect(readFileSync(join(clone.root, ".git/config"), "utf8")).toBe(config);
  });

  it("[GIT-20] hooks in a folder that the configuration names, as husky has them, stay as they are and are called", async () => {
    const { clone, program } = await driven(null);
    const folder = join(clone.root, ".husky/_");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, ".gitignore"), "*\n");
    const stub =
      '[ ! -f "$(dirname "$(dirname "$0")")/$(basename "$0")" ] || sh "$(dirname "$(dirname "$0")")/$(basename "$0")" "$@"';
    for (const name of ["pre-commit", "commit-msg", "post-merge", "push-to-checkout"]) script(join(folder, name), stub);
    for (const name of ["pre-commit", "commit-msg"])
      writeFileSync(join(clone.root, ".husky", name), `echo "${name}" >> ../said\n`);
    clone.git("config", "core.hooksPath", ".husky/_");
    clone.commit("husky");
    const config = readFileSync(join(clone.root, ".git/config"), "utf8");
    const before = said(clone).length;
    program(...INSTALL);
    program(...INSTALL);
    expect(clone.git("status", "--porcelain")).toBe("");
    await change(clone.root, "one");
    clone.git("add", `${TASK}/events.jsonl`, `${TASK}/shared`);
    expect(gitSaid(clone, "commit", "-q", "-m", "one").said).toContain("folded anew");
    expect(said(clone).slice(before)).toEqual(["pre-commit", "commit-msg"]);
    expect(program("git", "status")).toMatch(/hooks: installed; called first: .*commit-msg/);
    expect(readdirSync(join(clone.root, ".git/taskfold-hooks"))).toContain("push-to-checkout");
    program("git", "uninstall");
    expect(readFileSync(join(clone.root, ".git/config"), "utf8")).toBe(config);
    expect(existsSync(join(clone.root, ".git/taskfold-hooks"))).toBe(false);
    await inWorkspace(clone.root, () => Promise.resolve());
    expect(readdirSync(join(clone.root, ".git/hooks")).filter((name) => !name.endsWith(".sample"))).toEqual([]);
  });
});
