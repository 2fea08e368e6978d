// @module-tag long
// @module-tag rotating
/** Logs that a filter of git reached, because their attributes are of an older release: nothing is taken for empty, and nothing is lost. */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import { ENCRYPTED, hasLfs, LFS, setAttributes, useFilters } from "../support/git_filters.mjs";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { Driven } from "../support/git_work.ts";
import { branched, driven, expectRight, gitSaid, inWorkspace } from "../support/git_work.ts";
import { code, keptIn, logPath, newTask, notesOf, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { real } from "./cli_support.ts";

const OLDER = join(import.meta.dirname, "../golden/v2/.coco/.gitattributes");
const LOG = ".coco/tasks/TASK-001/events.jsonl";
const OURS = ".coco/.gitattributes";
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1206\n`;

/** Two branches of one task, in a repository whose filter reaches logs as in a workspace of an older release. */
async function filtered(attributes: string, install: string[] | null = null): Promise<Driven> {
  const repo = await driven(install);
  const { clone } = repo;
  useFilters(clone);
  copyFileSync(OLDER, join(clone.root, ".coco/.gitattributes"));
  setAttributes(clone, attributes);
  clone.git("add", "--renormalize", ".");
  clone.commit("attributes");
  expect(clone.git("cat-file", "blob", `HEAD:${LOG}`)).not.toContain("task.created");
  await branched(repo, ["side"], ["main"]);
  return repo;
}

const resolve = (clone: Clone) =>
  inWorkspace(clone.root, (ws) => ws.repair.resolve(undefined, { git: openGit(clone.root)!, stage: true }));
const bytes = (clone: Clone, path = LOG): string => readFileSync(join(clone.root, path), "utf8");

/** The commands that the refusal names. */
async function takeTheWayOut({ clone, program }: Driven): Promise<void> {
  clone.git("checkout", "HEAD", "--", LOG);
  clone.git("merge", "--abort");
  for (const branch of ["side", "main"]) {
    clone.git("checkout", "-q", branch);
    const isNew = !existsSync(join(clone.root, OURS));
    const said = program("doctor", "--fix");
    expect(isNew || said.includes("wrote the lines that were missing")).toBe(true);
    clone.git("add", OURS);
    clone.git("add", "--renormalize", ".coco");
    clone.git("commit", "-q", "-m", "logs out of the filter");
    expect(clone.git("status", "--porcelain")).toBe("");
  }
  expect(clone.tries("merge", "-q", "--no-edit", "side")).toBe(false);
  expect((await resolve(clone)).findings).toEqual([]);
  clone.conclude("merge");
  await expectRight(clone);
  expect(notesOf(clone.root).toSorted()).toEqual(["main", "side"]);
  expect(clone.git("cat-file", "blob", `HEAD:${LOG}`)).toBe(bytes(clone));
}

describe("a merge of what a filter wrote", () => {
  it.skipIf(!hasLfs())(
    "[RESOLVE-40] [LOG-16] pointers of Git LFS that git joined stay, nothing of the task is staged, and the way out leads out",
    async () => {
      const repo = await filtered(`*.jsonl ${LFS}`);
      const { clone } = repo;
      await inWorkspace(clone.root, async (ws) => void (await newTask(ws, "TASK-003")));
      clone.commit("another task");
      expect(clone.tries("merge", "-q", "--no-edit", "side")).toBe(false);
      appendFileSync(logPath(clone.root, "TASK-003"), "=======\n");
      const joined = bytes(clone);
      expect(joined.match(/^oid /gm)).toHaveLength(2);
      const before = clone.git("ls-files", "-s", ".coco/tasks/TASK-001");
      const report = await resolve(clone);
      expect(report.findings).toContainEqual(
        expect.objectContaining({
          code: "LOG_LFS_POINTER",
          file: LOG,
          message: expect.stringMatching(
            /git checkout HEAD -- .coco\/tasks\/TASK-001.*merge --abort.*doctor --fix and git add .coco\/.gitattributes && git add --renormalize .coco/,
          ) as string,
        }),
      );
      expect(bytes(clone)).toBe(joined);
      expect(clone.git("ls-files", "-s", ".coco/tasks/TASK-001")).toBe(before);
      // The other logs are put in order, those too that git took whole.
      expect(report.entities.map(({ id }) => id)).toEqual(["TASK-003"]);
      const others = report.findings.filter(({ file }) => /TASK-00[23]/.test(file));
      expect(others.filter((one) => one.code !== "FILE_NOT_STAGED")).toEqual([]);
      const said = real(clone.root, ["resolve", "--stage"]);
      expect([said.code, said.err]).toEqual([1, expect.stringContaining("LOG_LFS_POINTER") as string]);
      await takeTheWayOut(repo);
    },
  );

  it.skipIf(!hasLfs()).each([[null], [["git", "install"]]])(
    "[RESOLVE-40] where no commit has attributes of ours, resolve writes none, and the way out leads out, driver: %s",
    async (install) => {
      const repo = await driven(install);
      const { clone, program } = repo;
      useFilters(clone);
      clone.git("rm", "-q", OURS);
      setAttributes(clone, `*.jsonl ${LFS}`);
      clone.git("add", "--renormalize", ".");
      clone.commit("attributes");
      await branched(repo, ["side"], ["main"]);
      expect(clone.tries("merge", "-q", "--no-edit", "side")).toBe(false);
      expect((await resolve(clone)).findings.map((one) => one.code)).toContain("LOG_LFS_POINTER");
      expect(existsSync(join(clone.root, OURS))).toBe(false);
      if (install) program("git", "uninstall");
      await takeTheWayOut(repo);
    },
  );

  it.skipIf(!hasLfs())(
    "[GIT-9] with the driver git stops at such a log, which stays as it was on our side, and resolve refuses it",
    async () => {
      const repo = await filtered(`*.jsonl ${LFS}`, ["git", "install"]);
      const { clone } = repo;
      const mine = bytes(clone);
      const { code: exit, said } = gitSaid(clone, "merge", "--no-edit", "side");
      expect([exit, said]).toEqual([1, expect.stringMatching(/events\.jsonl stays as it was.*doctor --fix/) as string]);
      expect(clone.unmerged().has(LOG)).toBe(true);
      expect(bytes(clone)).toBe(mine);
      const { findings, staged } = await resolve(clone);
      expect([findings.filter(({ file }) => file === LOG).map((one) => one.code), staged]).toEqual([
        ["LOG_LFS_POINTER"],
        [],
      ]);
      expect(bytes(clone)).toBe(mine);
      clone.program(join(import.meta.dirname, "../../dist/cli.cjs"), "git", "uninstall");
      await takeTheWayOut(repo);
    },
  );

  it.each([[null], [["git", "install"]]])(
    "[RESOLVE-40] [GIT-9] encrypted sides are refused as well, driver: %s",
    async (install) => {
      const repo = await filtered(`*.jsonl ${ENCRYPTED}`, install);
      const { clone, program } = repo;
      expect(clone.tries("merge", "-q", "--no-edit", "side")).toBe(false);
      const mine = bytes(clone);
      expect(notesOf(clone.root)).toEqual(["main"]);
      const { findings, staged } = await resolve(clone);
      expect(findings).toContainEqual(
        expect.objectContaining({
          code: "LOG_UNREADABLE",
          file: LOG,
          message: expect.stringContaining("on all sides of the merge") as string,
        }),
      );
      expect(staged).toEqual([]);
      expect(clone.unmerged().has(LOG)).toBe(true);
      expect(bytes(clone)).toBe(mine);
      if (install) program("git", "uninstall");
      await takeTheWayOut(repo);
    },
  );

  it("[GIT-9] [GIT-4] a folded file that a filter reaches is left to people by the driver, and none of its text is stored", async () => {
    const repo = await driven(["git", "install"]);
    const { clone } = repo;
    useFilters(clone);
    appendFileSync(join(clone.root, ".git/info/attributes"), `*.md ${ENCRYPTED}\n`);
    clone.git("add", "--renormalize", ".coco");
    clone.git("commit", "-q", "-m", "README encrypted");
    await branched(repo, ["side"], ["main"]);
    expect(gitSaid(clone, "merge", "--no-edit", "side").said).toContain("because a filter of git reaches it");
    expect(clone.git("cat-file", "blob", ":2:.coco/tasks/TASK-001/README.md")).not.toContain("Task");
    expect(clone.unmerged().get(".coco/tasks/TASK-001/README.md")).toEqual([1, 2, 3]);
  });

  it.skipIf(!hasLfs())(
    "[RESOLVE-40] what both sides came from may be a filter's, once both branches are out of it",
    async () => {
      const repo = await filtered(`*.jsonl ${LFS}`);
      const { clone } = repo;
      // One branch alone: the other one's side is still a pointer.
      repo.program("doctor", "--fix");
      clone.git("add", "--renormalize", ".coco");
      clone.git("commit", "-q", "-am", "main is out of it");
      clone.tries("merge", "-q", "--no-edit", "side");
      const { findings } = await resolve(clone);
      expect(findings.map((one) => one.code)).toContain("LOG_LFS_POINTER");
      // TASK-002 is the same on that branch as on the commit that both came from.
      expect(findings.filter(({ file }) => file.includes("TASK-002"))).toEqual([]);
      await inWorkspace(clone.root, async (ws) =>
        expect(await code(ws, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_LFS_POINTER"),
      );
    },
  );
});

describe("a log in the place of which something else stands", () => {
  it.skipIf(!hasLfs())(
    "[VERIFY-9] [LOG-16] a pointer that was not fetched is named by every door, and git lfs pull brings the log back",
    async () => {
      const { clone } = await filtered(`*.jsonl ${LFS}`);
      const mine = bytes(clone);
      writeFileSync(join(clone.root, LOG), clone.git("cat-file", "blob", `HEAD:${LOG}`));
      expect(bytes(clone)).toMatch(/^version /);
      for (const args of [
        ["show", "1"],
        ["note", "1", "x"],
        ["log", "1"],
        ["claim", "1"],
      ])
        expect(real(clone.root, args), args.join(" ")).toMatchObject({
          code: 6,
          err: expect.stringMatching(/LOG_LFS_POINTER[^]*git lfs pull/) as string,
        });
      expect(real(clone.root, ["list"]).err).toMatch(/TASK-001 is left out.*pointers of Git LFS/);
      const verified = real(clone.root, ["verify"]);
      expect([verified.code, verified.out]).toEqual([
        1,
        expect.stringMatching(/LOG_LFS_POINTER .*git lfs pull/) as string,
      ]);
      expect(verified.out).not.toContain("LOG_EMPTY");
      expect(real(clone.root, ["doctor"]).out).toContain("a pointer of Git LFS stands in the place of a log");
      expect(real(clone.root, ["resolve"]).code).toBe(1);
      clone.git("lfs", "pull");
      expect(bytes(clone)).toBe(mine);
    },
  );

  it("[VERIFY-9] [RESOLVE-40] a log of which no line can be read stays as it is", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const before = readFileSync(logPath(ws.root));
    for (const garbage of [
      Buffer.from("\0CIPHER\0\x17\x80\xff"),
      Buffer.from("one\ntwo\n"),
      before.map((byte) => byte ^ 0x55),
    ]) {
      writeFileSync(logPath(ws.root), garbage);
      appendFileSync(logPath(ws.root, "TASK-002"), "=======\n");
      const again = openTemp({ root: ws.root });
      expect(await code(again, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_UNREADABLE");
      const report = await again.repair.resolve();
      expect(report.findings).toContainEqual(expect.objectContaining({ code: "LOG_UNREADABLE", file: LOG }));
      expect(report.entities.map(({ id }) => id)).toEqual(["TASK-002"]);
      expect(readFileSync(logPath(ws.root)).equals(garbage)).toBe(true);
      expect(again.verify("TASK-001").findings.map((one) => one.code)).toContain("LOG_UNREADABLE");
      expect(again.verify("TASK-001").findings.map((one) => one.code)).not.toContain("LOG_EMPTY");
    }
    writeFileSync(logPath(ws.root), before);
    expect(openTemp({ root: ws.root }).verify().ok).toBe(true);
  });

  it("[VERIFY-9] [RESOLVE-40] the beginning of a first line is what a creation left that was cut off, and resolve sets it aside", async () => {
    const ws = openTemp();
    await newTask(ws);
    const begun = readFileSync(logPath(ws.root)).subarray(0, 115);
    for (const rest of [begun, Buffer.alloc(115), Buffer.concat([begun, Buffer.alloc(9)])]) {
      const log = logPath(ws.root, "TASK-002");
      mkdirSync(dirname(log), { recursive: true });
      writeFileSync(log, rest);
      const again = openTemp({ root: ws.root });
      expect(again.verify("TASK-002").findings.map((one) => one.code)).toEqual(["LOG_EMPTY", "LINE_TORN"]);
      await again.repair.resolve();
      expect(readFileSync(log, "utf8")).toBe("");
      expect(keptIn(join(ws.root, ".coco/registry/quarantine"))).toContain(rest.toString());
      rmSync(dirname(log), { recursive: true });
    }
  });

  it("[LOG-16] pointers beside events are a warning of reads, and refuse writes; a reader counts no such line", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
    appendFileSync(logPath(ws.root), POINTER);
    const log = readFileSync(logPath(ws.root), "utf8");
    const again = openTemp({ root: ws.root });
    const reply = await again.callTool("tasks_radar", { workspace: WORKSPACE, task: "TASK-001" });
    expect(reply.warnings.map((one) => one.code)).toContain("LOG_LFS_POINTER");
    expect(await code(again, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_LFS_POINTER");
    expect((await again.repair.resolve()).entities).toEqual([]);
    expect(readFileSync(logPath(ws.root), "utf8")).toBe(log);
  });

  it("[PEOPLE-3] a pointer in the place of people's notes is not read into the log", async () => {
    const ws = openTemp();
    await newTask(ws);
    const notes = join(ws.root, ".coco/tasks/TASK-001/shared/human-notes.md");
    mkdirSync(join(notes, ".."), { recursive: true });
    writeFileSync(notes, POINTER);
    const reply = await ws.callTool("tasks_note", { workspace: WORKSPACE, task: "TASK-001", note: "x" });
    expect(reply.warnings).toContainEqual(expect.objectContaining({ code: "NOTES_NOT_READ" }));
    expect(readFileSync(logPath(ws.root), "utf8")).not.toContain("git-lfs");
    expect(readFileSync(notes, "utf8")).toBe(POINTER);
  });
});
