/** `taskfold resolve` in a terminal: what it says is what it did, and what is left is never called in order. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bring, renamedTask } from "../support/clones.ts";
import { repository } from "../support/git.ts";
import { run } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

const LOG = ".coco/tasks/TASK-001/events.jsonl";
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1206\n`;

async function given() {
  const { ada: clone } = repository();
  const cwd = clone.root;
  for (const argv of [
    ["init", "--workspace", "acme/repo"],
    ["add", "First"],
  ])
    expect((await run({ cwd }, ...argv)).code).toBe(0);
  clone.commit("a task");
  return { clone, cwd, program: (...argv: string[]) => run({ cwd }, ...argv) };
}

describe("taskfold resolve", () => {
  it(
    "[CLI-17] [REBUILD-1] says that a log which it refused is not in order, and stages with that said",
    ROTATING,
    async () => {
      const { cwd, program } = await given();
      writeFileSync(join(cwd, LOG), POINTER);
      const left = "Still not in order: 4 findings (LOG_LFS_POINTER, LINE_LFS_POINTER, LINE_NOT_JSON).";
      expect(await program("resolve", "--stage")).toEqual({
        code: 1,
        out: `Nothing was put in order.\nStaged 0 files; put in order what is left before you commit.\n${left}\n`,
        err: expect.stringContaining("LOG_LFS_POINTER") as string,
      });
      expect((await program("resolve", "--dry-run")).out).toBe(`Nothing was put in order.\n${left}\n`);
      expect(readFileSync(join(cwd, LOG), "utf8")).toBe(POINTER);
      const rebuilt = await program("rebuild");
      expect(rebuilt.code).toBe(1);
      expect(rebuilt.out).toContain("Still not in order: 1 finding (LOG_LFS_POINTER).");
    },
  );

  it(
    "[CLI-17] says that a log is in order where it put another in order, and names what is left",
    ROTATING,
    async () => {
      const { cwd, program } = await given();
      expect((await program("add", "Second")).code).toBe(0);
      appendFileSync(join(cwd, ".coco/tasks/TASK-002/events.jsonl"), "=======\n");
      writeFileSync(join(cwd, LOG), POINTER);
      const { code, out } = await program("resolve");
      expect({ code, out }).toEqual({
        code: 1,
        out: "Logs put in order: 1; the files folded from them were written anew.\nStill not in order: 4 findings (LOG_LFS_POINTER, LINE_LFS_POINTER, LINE_NOT_JSON).\n",
      });
    },
  );

  it("[RESOLVE-53] ready offers no task that lies in two folders, and doctor leads out", async () => {
    const { side, main, renamed } = await renamedTask();
    bring(side, main, `tasks/${renamed}`);
    const program = (...argv: string[]) => run({ cwd: side.root }, ...argv);
    bring(side, main, "tasks/TASK-900", "tasks/TASK-901");
    const ready = await program("ready");
    expect(ready.out).toContain("TASK-900");
    for (const id of ["TASK-001", renamed, "TASK-901"]) expect(ready.out).not.toContain(id);
    for (const id of ["TASK-001", renamed, "TASK-901"]) expect(ready.err).toContain(`.coco/tasks/${id}`);
    const doctor = await program("doctor");
    expect({
      code: doctor.code,
      twice: doctor.out.includes("SAME_ROOT"),
      next: doctor.out.includes("taskfold resolve"),
    }).toEqual({
      code: 1,
      twice: true,
      next: true,
    });
    expect((await program("resolve")).code).toBe(0);
    expect((await program("doctor")).code).toBe(0);
    expect((await program("ready")).out).toContain(renamed);
  });

  it("[CLI-111] [VERIFY-100] [VERIFY-106] -q tells of lost work, and so does an import", ROTATING, async () => {
    const { clone, cwd, program } = await given();
    await program("note", "1", "kept", "-q");
    clone.git("stash", "-q");
    const noted = await program("note", "1", "after", "-q");
    expect(noted).toMatchObject({ code: 0, out: "TASK-001\n" });
    expect(noted.err).toMatch(/^warning LOG_TRUNCATED: .* stash@\{0\} has it\.$/m);
    clone.commit("after");
    writeFileSync(join(cwd, "list.md"), "# List\n\n- [ ] one\n- [ ] two\n");
    // Of two calls that one command makes, the first one tells it.
    await program(
      "call",
      "tasks_decompose",
      JSON.stringify({ task: "TASK-001", steps: [{ title: "A step", success_criteria: ["c"], tests: ["t"] }] }),
    );
    const ended = { task: "TASK-001", status: "FAILED", reason: "r" };
    for (const command of ["note 1 next", "import markdown list.md", "-q run 1 --close -- true", "reopen 1"]) {
      if (command === "reopen 1") await program("call", "tasks_complete", JSON.stringify(ended));
      clone.commit(`before ${command}`);
      await program("add", "Gone", "-q");
      clone.git("stash", "-qu", "--", ".coco");
      const { code, err } = await program(...command.split(" "), ...(command.startsWith("-q") ? [] : ["-q"]));
      expect(code).toBe(0);
      expect(err.match(/warning LOG_TRUNCATED: .*folder is gone/g), command).toHaveLength(1);
      clone.commit(command);
    }
  });

  it(
    "[VERIFY-106] [VERIFY-108] a task that git stashed whole is told by the next command, and comes back by the call that it names",
    ROTATING,
    async () => {
      const { clone, cwd, program } = await given();
      expect((await program("add", "Second")).code).toBe(0);
      clone.git("stash", "-qu");
      const note = await program("note", "TASK-001", "next");
      expect(note.code).toBe(0);
      expect(note.err).toContain("LOG_TRUNCATED");
      expect(note.err).toContain("stash@{0} has it");
      expect((await program("note", "TASK-001", "later")).err).toBe("");
      const show = await program("show", "2");
      expect(show.code).toBe(3);
      expect(show.err).toContain("taskfold resolve TASK-002 --git");
      const doctor = await program("doctor");
      expect(doctor).toMatchObject({ code: 0, out: expect.stringContaining("note LOG_TRUNCATED") as string });
      expect(await program("resolve", "TASK-002", "--git")).toMatchObject({
        code: 0,
        out: expect.stringContaining("TASK-002: 1 line brought back from stash@{0}.") as string,
      });
      expect(existsSync(join(cwd, ".coco/tasks/TASK-002/README.md"))).toBe(true);
      expect((await program("show", "2")).code).toBe(0);
    },
  );

  it("[CLI-16] [VERIFY-108] doctor calls a code a fault where one of its findings is", ROTATING, async () => {
    const { clone, program } = await given();
    expect((await program("add", "Second")).code).toBe(0);
    clone.git("stash", "-qu");
    expect((await program("add", "Third")).code).toBe(0);
    clone.git("clean", "-qfd", ".coco/tasks");
    const { code, out } = await program("doctor");
    expect(code).toBe(1);
    expect(out).toMatch(/^LOG_TRUNCATED/m);
    expect(out).toContain("stash@{0} has it");
    expect(out).toContain("no branch, no stash and no reflog has it");
    expect(out).toContain("1 kind of findings");
  });
});
