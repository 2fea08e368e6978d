import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { changedLines } from "../../src/hosts/cli/text/text_diff.ts";
import { json, run, workspace } from "./cli_support.ts";

let cwd: string;
const cli = (...argv: string[]) => run({ cwd }, ...argv);
const change = (input: object) =>
  cli("call", "change_mind", JSON.stringify({ task: "TASK-001", ...input }), "--by", "agent:one");

beforeEach(async () => {
  cwd = await workspace();
});

function pathOf(path: string): string {
  return join(cwd, ".coco/tasks/TASK-001/taskdoc.tsk", path);
}

describe("taskfold taskdoc", () => {
  it("[CLI-118] show prints the effective Taskdoc, in either language and to a limit", async () => {
    await change({ selector: "goals", content: "win \u001b[2J\n" });
    expect(await cli("taskdoc", "show", "TASK-001")).toEqual({
      code: 0,
      out: "# Taskdoc (Dialog Tree)\n\n## Goals\nwin \\x1b[2J\n\n## Constraints\n\n\n## Progress\n\n\n## Extra Sections\nNot injected; read one with recall_taskdoc({ category, selector }):\n(none)\n",
      err: "",
    });
    expect((await cli("taskdoc", "show", "TASK-001", "--lang", "zh")).out).toMatch(/^# 差遣牒（对话树）\n/);
    await change({ selector: "progress", content: "- step\n".repeat(2000) });
    expect((await cli("taskdoc", "show", "TASK-001", "--max-bytes", "5000")).out).toContain("of 13999 bytes are shown");
    expect((await cli("taskdoc", "show", "TASK-001", "--at", "2")).out).not.toContain("- step");
    const { doc } = await json({ cwd }, "taskdoc", "show", "TASK-001");
    expect(doc).toMatchObject({ intent: "taskdoc show", result: { id: "TASK-001", truncated: false, violations: [] } });
  });

  it("[CLI-118] show tells on stderr what does not belong in the package", async () => {
    await change({ selector: "goals", content: "win" });
    writeFileSync(pathOf("contracts.md"), "x");
    const { code, out, err } = await cli("taskdoc", "show", "TASK-001");
    expect([code, err]).toEqual([
      0,
      "stray taskdoc.tsk/contracts.md: No section of the log; it is never injected and no tool reads it.\n",
    ]);
    expect(out).not.toContain("contracts");
  });

  it("[CLI-118] history prints every text with who and when, of all sections or one", async () => {
    await change({ selector: "goals", content: "one" });
    await change({ category: "ux", selector: "list", content: "x" });
    await change({ selector: "goals", content: "two\nlines\n" });
    await change({ selector: "goals", clear: true });
    const { out } = await cli("taskdoc", "history", "TASK-001", "--section", "goals");
    const plain = out.replaceAll(/\d{4}-\S+Z/g, "TIME").replaceAll(/[0-9a-f]{64}/g, "HASH");
    expect(plain).toBe(
      "revision 5  TIME  agent:one  taskdoc.tsk/goals.md: cleared (in effect)\n\n" +
        "revision 4  TIME  agent:one  taskdoc.tsk/goals.md: 10 bytes, sha256 HASH\n  two\n  lines\n\n" +
        "revision 2  TIME  agent:one  taskdoc.tsk/goals.md: 3 bytes, sha256 HASH\n  one\n",
    );
    const list = await json({ cwd }, "taskdoc", "history", "TASK-001", "--section", "ux/list");
    expect(list.doc.result).toMatchObject({ changes: [{ content: "x", revision: 3 }], next_before: null });
    expect((await cli("taskdoc", "history", "TASK-001", "--limit", "1")).out).toContain("--before 5");
    expect((await cli("taskdoc", "history", "TASK-001", "--section", "../x")).err).toContain("TASKDOC_");
  });

  it("[CLI-118] [TASKDOC-32] adopt-edits shows the difference and takes it in as the person's", async () => {
    await change({ selector: "goals", content: "first\nsecond\nthird\n" });
    writeFileSync(pathOf("goals.md"), "first\n2nd\nthird\n");
    writeFileSync(pathOf("constraints.md"), "\n");
    const shown =
      "taskdoc.tsk/goals.md\n@@ line 2 @@\n-second\n+2nd\nleft taskdoc.tsk/constraints.md: Expected content that says something";
    const dry = await cli("taskdoc", "adopt-edits", "TASK-001", "--dry-run");
    expect(dry.out.startsWith(shown)).toBe(true);
    expect(dry.out).toContain("1 edit would be taken in.");
    const done = await cli("taskdoc", "adopt-edits", "TASK-001", "--by", "human:ann");
    expect([done.code, done.out.startsWith(shown)]).toEqual([0, true]);
    expect(done.out).toContain("TASK-001: 1 edit taken in.");
    expect((await cli("taskdoc", "history", "TASK-001")).out).toContain("human:ann");
    expect(readFileSync(pathOf("goals.md"), "utf8")).toBe("first\n2nd\nthird\n");
    expect((await cli("taskdoc", "adopt-edits", "TASK-001")).out).toBe("TASK-001: no edit to take in.\n");
    const agent = await json({ cwd }, "taskdoc", "adopt-edits", "TASK-001", "--by", "agent:one");
    expect([agent.code, agent.doc.error?.code]).toEqual([2, "INVALID_INPUT"]);
  });

  it("[CLI-118] without an id means the focus, and says so where there is none", async () => {
    const none = await json({ cwd }, "taskdoc", "show");
    expect([none.code, none.doc.error?.code]).toEqual([2, "TARGET_REQUIRED"]);
    await cli("call", "tasks_focus_set", '{"target":"TASK-001"}');
    expect((await cli("taskdoc", "show")).out).toContain("# Taskdoc");
    expect((await json({ cwd }, "taskdoc", "show", "TASK-404")).code).toBe(3);
  });

  it("[CLI-118] the list of tools has a line for each, however much it tells those who call it", async () => {
    const { out } = await cli("tools");
    expect(out).toMatch(/^change_mind +Replace exactly one section .*at once\.$/m);
    expect((await cli("tools", "change_mind")).out).toContain("`**/*.tsk/**`");
  });
});

describe("the difference of two texts", () => {
  it.each<[string, string, ReturnType<typeof changedLines>]>([
    ["", "a\n", { at: 1, removed: [], added: ["a"] }],
    ["a\nb\nc\n", "a\nc\n", { at: 2, removed: ["b"], added: [] }],
    ["a\na\n", "a\na\na\n", { at: 3, removed: [], added: ["a"] }],
    ["a", "a\n", { at: 2, removed: [], added: [] }],
    ["x\ny", "z\ny", { at: 1, removed: ["x"], added: ["z"] }],
  ])("[TASKDOC-32] of %j and %j is one block", (before, after, expected) => {
    expect(changedLines(before, after)).toEqual(expected);
  });
});
