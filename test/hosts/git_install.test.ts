// @module-tag long
// @module-tag rotating
/** The merge driver with real git: what git does by itself, and what its commits hold. */
import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import {
  branched,
  change,
  commitChange,
  driven,
  expectEachRight,
  expectRight,
  gitSaid,
  inWorkspace,
} from "../support/git_work.ts";
import { PROGRAM } from "./cli_support.ts";
import { someManifest } from "../support/some_packet.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, notesOf, ok } from "../support/workspace.ts";

const TASK = ".coco/tasks/TASK-001";
const read = (clone: Clone, path: string): string => readFileSync(join(clone.root, path), "utf8");

/** The built program in another folder. */
function copiedProgram(folder: string): string {
  const root = join(dirname(PROGRAM), "..");
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

describe("what git does with the driver", () => {
  it("[GIT-3] [GIT-4] git merge stops at nothing, and the merge commit holds the folded files of both", async () => {
    const repo = await driven();
    await branched(repo, ["side one", "side two"], ["main one"]);
    const { code } = gitSaid(repo.clone, "merge", "--no-edit", "side");
    expect(code).toBe(0);
    await expectRight(repo.clone);
    expect(notesOf(repo.clone.root).toSorted()).toEqual(["main one", "side one", "side two"]);
    const index = JSON.parse(read(repo.clone, `${TASK}/shared/evidence/index.json`)) as object[];
    expect(index).toHaveLength(3);
    expect(read(repo.clone, `${TASK}/README.md`)).toContain("side two");
    // Both sections were written: what the log says counts, and radar names the conflict.
    expect(read(repo.clone, `${TASK}/taskdoc.tsk/progress.md`)).toMatch(/^Progress: (side two|main one)\n$/);
  });

  it("[GIT-3] without the driver the same merge stops", async () => {
    const repo = await driven(null);
    await branched(repo, ["side"], ["main"]);
    expect(gitSaid(repo.clone, "merge", "--no-edit", "side").code).toBe(1);
  });

  it("[GIT-3] a merge of a merge, criss-cross, folds right", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side one"], ["main one"]);
    const [main, side] = [clone.head(), clone.git("rev-parse", "side").trim()];
    expect(gitSaid(clone, "merge", "--no-edit", side).code).toBe(0);
    await commitChange(clone, "main two");
    clone.git("checkout", "-q", "side");
    expect(gitSaid(clone, "merge", "--no-edit", main).code).toBe(0);
    await commitChange(clone, "side two");
    expect(gitSaid(clone, "merge", "--no-edit", "main").code).toBe(0);
    await expectRight(clone);
    expect(new Set(notesOf(clone.root))).toEqual(new Set(["main one", "main two", "side one", "side two"]));
  });

  it("[GIT-3] git pull, and the strategy recursive", async () => {
    const repo = await driven();
    const other = Clone.of(join(tempFolder(), "other"), repo.clone);
    other.program(PROGRAM, "git", "install");
    await commitChange(repo.clone, "theirs");
    await commitChange(other, "mine");
    expect(gitSaid(other, "pull", "-q", "--no-rebase", "--no-edit", "-s", "recursive").code).toBe(0);
    await expectRight(other);
    await commitChange(repo.clone, "theirs again");
    await commitChange(other, "mine again");
    expect(gitSaid(other, "pull", "-q", "--no-rebase", "--no-edit").code).toBe(0);
    await expectRight(other);
  });

  it.each([["--merge"], ["--apply"]])(
    "[GIT-3] git rebase %s stops at nothing, and each commit is right",
    async (backend) => {
      const repo = await driven();
      const { clone } = repo;
      await branched(repo, ["side one", "side two", "side three"], ["main one", "main two"]);
      clone.git("checkout", "-q", "side");
      expect(gitSaid(clone, "rebase", backend, "main").code).toBe(0);
      expect(clone.git("log", "--oneline", "main..side").trim().split("\n")).toHaveLength(3);
      expect(notesOf(clone.root)).toHaveLength(5);
      await expectEachRight(clone, ["side", "side~1", "side~2"]);
    },
  );

  it("[GIT-3] git pull --rebase --autostash: commits and what was not committed", async () => {
    const repo = await driven();
    const other = Clone.of(join(tempFolder(), "other"), repo.clone);
    other.program(PROGRAM, "git", "install");
    await commitChange(repo.clone, "theirs");
    await commitChange(other, "mine");
    await change(other.root, "not committed");
    const { code, said } = gitSaid(other, "pull", "-q", "--rebase", "--autostash");
    expect([code, said]).toEqual([0, expect.not.stringContaining("conflict")]);
    other.commit("the rest");
    await expectRight(other);
    expect(notesOf(other.root).toSorted()).toEqual(["mine", "not committed", "theirs"]);
  });

  it("[GIT-3] git rebase --rebase-merges of a merge that both sides wrote in", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side one"], ["main one"]);
    clone.git("checkout", "-q", "-b", "topic");
    clone.git("merge", "-q", "--no-edit", "side");
    clone.git("checkout", "-q", "main");
    await commitChange(clone, "main two");
    clone.git("checkout", "-q", "topic");
    expect(gitSaid(clone, "rebase", "--rebase-merges", "main").code).toBe(0);
    await expectRight(clone);
    expect(new Set(notesOf(clone.root))).toEqual(new Set(["main one", "main two", "side one"]));
  });

  it("[GIT-3] git cherry-pick of one commit and of several", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side one", "side two", "side three"], ["main one"]);
    expect(gitSaid(clone, "cherry-pick", "side~2").code).toBe(0);
    await expectRight(clone);
    clone.git("checkout", "-q", "-b", "again", "main~1");
    expect(gitSaid(clone, "cherry-pick", "side~2", "side~1", "side").code).toBe(0);
    await expectEachRight(clone, ["again", "again~1", "again~2"]);
  });

  it("[GIT-10] [GIT-14] a pick from the middle brings the changes that it builds on, and resolve their captured bytes", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side one", "side two", "side three"], ["main one"]);
    expect(gitSaid(clone, "cherry-pick", "side").code).toBe(0);
    expect(notesOf(clone.root)).toHaveLength(4);
    const faults = await inWorkspace(clone.root, (ws) => Promise.resolve(ws.verify().findings));
    expect(faults.filter(({ info }) => !info).map(({ code }) => code)).toEqual(["BLOB_MISSING", "BLOB_MISSING"]);
    expect(repo.program("resolve", "--stage")).toMatch(/TASK-001: captured bytes of 2 files brought back from git\./);
    clone.conclude("the captured bytes");
    await expectRight(clone);
  });

  it.each([
    ["with", ["git", "install"]],
    ["without", null],
  ] as const)("[GIT-3] [GIT-14] files of a packet that both sides changed, %s the driver", async (_, install) => {
    const { clone, program } = await driven(install && [...install]);
    const patch = (retries: number): object => ({
      task: "TASK-001",
      manifest: { budgets: { retry_budget: retries, paid_call_budget: 9, max_wallclock_sec: 700 } },
    });
    await inWorkspace(clone.root, (ws) =>
      ok(ws, "packet_define", { task: "TASK-001", manifest: { ...someManifest(), task_id: "TASK-001" } }),
    );
    clone.commit("a packet");
    for (const [branch, retries] of [
      ["side", 3],
      ["main", 4],
    ] as const) {
      clone.git("checkout", "-q", ...(branch === "side" ? ["-b", "side"] : ["main"]));
      await inWorkspace(clone.root, async (ws) => {
        await ok(ws, "packet_patch", patch(retries) as never);
        await ok(ws, "packet_input_set", { task: "TASK-001", path: "user_request.md", text: `Of ${branch}\n` });
      });
      clone.commit(branch);
    }
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(install ? 0 : 1);
    if (!install) program("resolve", "--stage");
    clone.conclude("both");
    await expectRight(clone);
  });

  it("[GIT-3] git stash pop over new commits drops the stash and leaves the folded files right", async () => {
    const repo = await driven();
    const { clone } = repo;
    await change(clone.root, "stashed");
    clone.git("stash", "-q", "-u");
    await commitChange(clone, "meanwhile");
    expect(gitSaid(clone, "stash", "pop", "-q").code).toBe(0);
    expect(clone.git("stash", "list")).toBe("");
    clone.commit("popped");
    await expectRight(clone);
    expect(notesOf(clone.root).toSorted()).toEqual(["meanwhile", "stashed"]);
  });

  it("[GIT-3] git merge --squash and git revert", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side one", "side two"], ["main one", "main two"]);
    // Taking a change back is an event: a revert finds all lines in place.
    expect(gitSaid(clone, "revert", "--no-edit", "HEAD~1").said).not.toContain("CONFLICT");
    gitSaid(clone, "revert", "--skip");
    expect(gitSaid(clone, "merge", "--squash", "side").code).toBe(0);
    clone.commit("squashed");
    repo.program("resolve", "--stage");
    clone.conclude("what the revert took");
    await expectRight(clone);
    expect(notesOf(clone.root)).toHaveLength(4);
  });

  it("[GIT-1] a linked work tree and a sparse checkout are served by the same install", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side"], ["main"]);
    const linked = new Clone(join(dirname(clone.root), "linked"));
    clone.git("worktree", "add", "-q", "-b", "third", linked.root, "side");
    expect(statSync(join(linked.root, ".git")).isFile()).toBe(true);
    expect(gitSaid(linked, "merge", "-q", "--no-edit", "main").code).toBe(0);
    await expectRight(linked);
    const status = JSON.parse(linked.program(PROGRAM, "--json", "git", "status")) as { driver: { state: string } };
    expect(status.driver.state).toBe("installed");

    // Installed from a linked work tree, too.
    clone.program(PROGRAM, "git", "uninstall");
    linked.program(PROGRAM, "git", "install");
    writeFileSync(join(clone.root, "other.txt"), "x\n");
    clone.commit("a file outside");
    clone.git("sparse-checkout", "set", "--no-cone", "/other.txt");
    expect(existsSync(join(clone.root, TASK, "task.yaml"))).toBe(false);
    expect(gitSaid(clone, "merge", "-q", "--no-edit", "side").code).toBe(0);
    clone.git("sparse-checkout", "disable");
    await expectRight(clone);
  });

  it("[GIT-1] a workspace in a folder of the repository, whose path needs quotes", async () => {
    const clone = Clone.init(join(tempFolder(), "it's a 100% repo"));
    const root = join(clone.root, "pack ages/it's");
    await inWorkspace(root, (ws) => newTask(ws));
    clone.commit("a task");
    const copy = copiedProgram(join(dirname(clone.root), "pro gram's 5%O"));
    clone.program(join(copy, "dist/cli.cjs"), "git", "install");
    clone.git("checkout", "-q", "-b", "side");
    await change(root, "side");
    clone.commit("side");
    clone.git("checkout", "-q", "main");
    await change(root, "main");
    clone.commit("main");
    expect(gitSaid(clone, "merge", "-q", "--no-edit", "side").code).toBe(0);
    const findings = await inWorkspace(root, (ws) => Promise.resolve(ws.verify().findings));
    expect(findings.filter(({ info }) => !info)).toEqual([]);
  });
});

describe("what the driver leaves to people", () => {
  it("[GIT-4] a folded file that a person edited on a branch is kept, and said", async () => {
    const repo = await driven();
    const { clone } = repo;
    clone.git("checkout", "-q", "-b", "side");
    writeFileSync(join(clone.root, TASK, "README.md"), "What Bob wrote by hand\n");
    clone.commit("an edit");
    clone.git("checkout", "-q", "main");
    await commitChange(clone, "main");
    const { code, said } = gitSaid(clone, "merge", "--no-edit", "side");
    expect(code).toBe(0);
    expect(said).toMatch(
      /README\.md was edited by hand on one side; that text is kept in \.coco\/registry\/quarantine\/TASK-001-README\.md-/,
    );
    await expectRight(clone);
    const kept = readdirSync(join(clone.root, ".coco/registry/quarantine")).filter((name) =>
      name.startsWith("TASK-001-README"),
    );
    expect(kept.map((name) => read(clone, `.coco/registry/quarantine/${name}`))).toEqual(["What Bob wrote by hand\n"]);
  });

  it("[GIT-4] a file that a forgotten resolve left behind is no edit", async () => {
    const repo = await driven(null);
    const { clone, program } = repo;
    await branched(repo, ["side"], ["main"]);
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(1);
    clone.git("add", "-A");
    clone.git("commit", "-q", "-m", "ours, and no resolve");
    program("git", "install");
    clone.git("checkout", "-q", "-b", "third", "main~2");
    await commitChange(clone, "third");
    const { code, said } = gitSaid(clone, "merge", "--no-edit", "main");
    expect([code, said]).toEqual([0, expect.not.stringContaining("edited by hand")]);
    await expectRight(clone);
  });

  it("[GIT-3] people's notes in conflict stop git as they always did", async () => {
    const repo = await driven();
    const { clone } = repo;
    const notes = join(clone.root, TASK, "shared/human-notes.md");
    clone.git("checkout", "-q", "-b", "side");
    writeFileSync(notes, "side\n");
    await commitChange(clone, "side");
    clone.git("checkout", "-q", "main");
    writeFileSync(notes, "main\n");
    await commitChange(clone, "main");
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(1);
    expect([...clone.unmerged().keys()]).toEqual([`${TASK}/shared/human-notes.md`]);
    expect(readFileSync(notes, "utf8")).toMatch(/<<<<<<<[^]*main\n[^]*side\n/);
  });

  it("[GIT-9] two tasks with one id stop the merge, and resolve parts them", async () => {
    const repo = await driven();
    const { clone } = repo;
    clone.git("checkout", "-q", "-b", "side");
    await inWorkspace(clone.root, (ws) => newTask(ws, "TASK-003"));
    clone.commit("side");
    clone.git("checkout", "-q", "main");
    await inWorkspace(clone.root, (ws) => newTask(ws, "TASK-003"));
    clone.commit("main");
    const { code, said } = gitSaid(clone, "merge", "--no-edit", "side");
    expect([code, said]).toEqual([1, expect.stringContaining("taskfold resolve --stage")]);
    repo.program("resolve", "--stage");
    clone.conclude("both");
    await expectRight(clone);
    expect(readdirSync(join(clone.root, ".coco/tasks")).filter((name) => name.startsWith("TASK-003"))).toHaveLength(2);
  });

  it("[GIT-3] a side that stands in no commit stops git as without the driver", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side"], ["main"]);
    const patch = clone.git("format-patch", "--stdout", "-1", "side");
    // A side that only the patch has: its files are in no commit of another clone.
    const other = Clone.of(join(tempFolder(), "other"), clone);
    other.git("checkout", "-q", "-b", "local", "origin/main");
    for (const name of ["side", "origin/side"]) other.tries("update-ref", "-d", `refs/remotes/${name}`);
    other.program(PROGRAM, "git", "install");
    writeFileSync(join(other.root, "..", "patch"), patch);
    expect(gitSaid(other, "am", "-3", "../patch").code).not.toBe(0);
    expect(notesOf(other.root).toSorted()).toEqual(["main", "side"]);
    other.program(PROGRAM, "resolve", "--stage");
    other.git("-c", "core.editor=true", "am", "--continue");
    await expectRight(other);
  });

  it("[GIT-10] [GIT-9] a file that one side alone changed is that side's; a task that one side deleted stops git", async () => {
    const repo = await driven(null);
    const { clone, program } = repo;
    await branched(repo, ["side"], ["main"]);
    gitSaid(clone, "merge", "--no-edit", "side");
    clone.git("add", "-A");
    clone.git("commit", "-q", "-m", "ours, and no resolve");
    program("git", "install");
    clone.git("checkout", "-q", "-b", "third", "main~1");
    await commitChange(clone, "third");
    // Against the commit that both come from, only this side has other folded files: git asks no driver.
    expect(gitSaid(clone, "merge", "--no-edit", "main").code).toBe(0);
    expect(notesOf(clone.root)).toHaveLength(3);
    expect(program("rebuild")).toContain("1 of them had files that differed");
    clone.commit("rebuilt");
    await expectRight(clone);

    clone.git("checkout", "-q", "-b", "gone", "main~1");
    await inWorkspace(clone.root, (ws) => ok(ws, "tasks_delete", { task: "TASK-001" }));
    clone.commit("deleted");
    expect(gitSaid(clone, "merge", "--no-edit", "third").code).toBe(1);
    program("resolve", "--stage");
    clone.conclude("both");
    await expectRight(clone);
  });

  it("[GIT-10] the overview stays ours, and rebuild writes it anew", async () => {
    const repo = await driven();
    const { clone, program } = repo;
    program("init", "--overview");
    clone.commit("an overview");
    for (const [branch, id] of [
      ["side", "TASK-003"],
      ["main", "TASK-004"],
    ] as const) {
      if (branch === "side") clone.git("checkout", "-q", "-b", "side");
      else clone.git("checkout", "-q", "main");
      await inWorkspace(clone.root, (ws) => newTask(ws, id));
      program("rebuild");
      clone.commit(id);
    }
    expect(gitSaid(clone, "merge", "-q", "--no-edit", "side").code).toBe(0);
    expect(read(clone, ".coco/README.md")).not.toContain("TASK-003");
    program("rebuild");
    expect(read(clone, ".coco/README.md")).toMatch(/TASK-003[^]*TASK-004/);
  });

  it("[GIT-1] when the program is gone, git joins the logs, stops at the folded files, and loses nothing", async () => {
    const clone = (await driven(null)).clone;
    const copy = copiedProgram(join(dirname(clone.root), "program"));
    const repo = { clone, program: (...args: string[]) => clone.program(PROGRAM, ...args) };
    clone.program(join(copy, "dist/cli.cjs"), "git", "install");
    await branched(repo, ["side"], ["main"]);
    renameSync(copy, `${copy} moved`);
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(1);
    expect(clone.unmerged().has(`${TASK}/events.jsonl`)).toBe(false);
    expect(notesOf(clone.root).toSorted()).toEqual(["main", "side"]);
    expect(() => repo.program("git", "status")).toThrow(/program that git would start is gone/);
    repo.program("resolve", "--stage");
    clone.conclude("both");
    await expectRight(clone);
  });

  it("[GIT-4] the driver keeps unreadable lines, and those of other programs", async () => {
    const repo = await driven();
    const { clone } = repo;
    const log = join(clone.root, TASK, "events.jsonl");
    clone.git("checkout", "-q", "-b", "side");
    writeFileSync(log, `${readFileSync(log, "utf8")}{"ts":"2026-01-01T00:00:00Z","type":"other.event"}\nhalf a li\n`);
    clone.commit("side");
    clone.git("checkout", "-q", "main");
    await commitChange(clone, "main");
    gitSaid(clone, "merge", "--no-edit", "side");
    expect(read(clone, `${TASK}/events.jsonl`)).toContain("\nhalf a li\n");
    expect(read(clone, `${TASK}/events.jsonl`)).toContain('"other.event"');
  });
});

describe("git install, uninstall and status", () => {
  it("[GIT-1] install changes this clone's own files alone, again changes nothing, and uninstall takes all of it out", async () => {
    const { clone, program } = await driven(null);
    const [config, attributes] = [join(clone.root, ".git/config"), join(clone.root, ".git/info/attributes")];
    writeFileSync(attributes, "*.bin binary");
    const before = readFileSync(config, "utf8");
    expect(program("git", "install")).toMatch(/in place for this clone/);
    const installed = [readFileSync(config, "utf8"), readFileSync(attributes, "utf8")];
    expect(clone.git("status", "--porcelain")).toBe("");
    expect(
      clone.git("check-attr", "merge", `${TASK}/task.yaml`, `${TASK}/events.jsonl`, "a/.coco/archive/X/README.md"),
    ).toMatch(/task\.yaml: merge: taskfold\n.*events\.jsonl: merge: taskfold-log\n.*README\.md: merge: taskfold\n/);
    program("git", "install");
    expect([readFileSync(config, "utf8"), readFileSync(attributes, "utf8")]).toEqual(installed);
    expect(program("git", "status")).toMatch(/^merge driver: installed\n/);
    expect(program("git", "uninstall")).toMatch(/as it was/);
    expect([readFileSync(config, "utf8"), readFileSync(attributes, "utf8")]).toEqual([before, "*.bin binary"]);
    expect(program("git", "uninstall")).toMatch(/nothing to take out/);
    expect(program("git", "status")).toMatch(/^merge driver: not installed\n/);
  });

  it("[GIT-1] attributes that were not there are gone again; a part that was changed is told", async () => {
    const { clone, program } = await driven();
    const attributes = join(clone.root, ".git/info/attributes");
    rmSync(attributes);
    expect(() => program("git", "status")).toThrow(/missing or was changed/);
    program("git", "install");
    program("git", "uninstall");
    expect(existsSync(attributes)).toBe(false);
  });

  it("[GIT-1] outside of a work tree it is refused, and says why", () => {
    const folder = new Clone(tempFolder());
    expect(() => folder.program(PROGRAM, "git", "install")).toThrow(/Expected a folder inside a git work tree/);
  });
});
