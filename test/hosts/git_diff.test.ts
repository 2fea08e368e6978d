// @module-tag rotating
/** What a review is told: real commits, and texts of users that try to be more than text. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { foldLog } from "../../src/fold_log.ts";
import { code, diffMarkdown } from "../../src/hosts/cli/text/diff_text.ts";
import { bytesSource } from "../../src/log/source.ts";
import { taskDiff } from "../../src/views/task_diff.ts";
import { Clone } from "../support/git_clone.mjs";
import { branched, commitChange, driven, inWorkspace } from "../support/git_work.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";

interface Task {
  id: string;
  change: string;
  status: { before: string | null; after: string | null };
  sentences: string[];
  sum: { done: number; proved: number; failed: number; blocked: number };
  evidence: { title: string; exit_code: number | null }[];
  conflicts: { label: string; values: { value: string }[] }[];
  by: string[];
  events: { added: number; missing: number };
}

async function tasks(clone: Clone, ...args: string[]): Promise<Task[]> {
  const { code: exit, doc } = await json({ cwd: clone.root }, "diff", ...args);
  expect(exit).toBe(0);
  return doc["tasks"] as Task[];
}

describe("taskfold diff", () => {
  it("[GIT-30] counts and names blockers in words as it does a block, and says when they are gone", async () => {
    const { clone } = await driven(null);
    const define = (blockers: string[]) =>
      inWorkspace(clone.root, async (ws) => {
        await ok(ws, "tasks_define", { task: "TASK-001", path: "s:0", blockers });
      });
    await define(["no key", "no disk"]);
    const [one] = await tasks(clone);
    expect(one!.sum.blocked).toBe(1);
    expect(one!.sentences.slice(-1)).toEqual(['Step s:0 "First" waits for: "no key"; "no disk".']);
    clone.commit("blockers");
    await define([]);
    const [two] = await tasks(clone);
    expect(two!.sum.blocked).toBe(0);
    expect(two!.sentences).toContain('Step s:0 "First" has no blockers any more.');
  });

  it("[GIT-30] says in sentences what changed between two commits, and between HEAD and the work tree", async () => {
    const { clone } = await driven(null);
    const first = clone.head();
    await inWorkspace(clone.root, async (ws) => {
      await ok(ws, "tasks_note", { task: "TASK-001", note: "Half way" });
      await ok(ws, "tasks_evidence_capture", {
        task: "TASK-001",
        path: "s:0",
        checkpoint: "tests",
        items: [{ kind: "command", command: "npm test", exit_code: 0, stdout: "ok" }],
      });
      await ok(ws, "tasks_verify", {
        task: "TASK-001",
        path: "s:0",
        checkpoints: { criteria: { confirmed: true }, tests: { confirmed: true } },
      });
      await ok(ws, "tasks_done", { task: "TASK-001", path: "s:0" });
      await ok(ws, "tasks_block", { task: "TASK-001", path: "s:1", reason: "waits for Bob" });
      await ok(ws, "tasks_edit", { task: "TASK-001", title: "Another title", description: "Longer" });
      await ok(ws, "tasks_claim", { task: "TASK-002" });
      await newTask(ws, "TASK-010");
    });
    const [one, two, ten] = await tasks(clone);
    expect(one).toMatchObject({
      id: "TASK-001",
      change: "changed",
      status: { before: "TODO", after: "ACTIVE" },
      by: ["human:local"],
    });
    expect(one!.sentences).toEqual([
      "Status: TODO became ACTIVE.",
      'Title: "Task TASK-001" became "Another title".',
      "Changed: description.",
      'Step s:0 "First" was done by "human:local", proof: "npm test" passed.',
      'Step s:1 "Second" is blocked: "waits for Bob".',
      'Note by "human:local": "Half way"',
    ]);
    expect(one!.evidence).toMatchObject([{ exit_code: 0 }]);
    expect(one!.sum).toEqual({ done: 1, proved: 0, failed: 0, blocked: 1 });
    expect((await run({ cwd: clone.root }, "diff", "--markdown")).out).toMatch(
      /^\*\*3 tasks; 1 step done, 0 with captured tests; 1 step blocked\*\*\n\n#### `TASK-001` /,
    );
    expect(two!.sentences).toEqual([
      expect.stringMatching(/^Status: /),
      expect.stringMatching(/^The whole was claimed by "human:local" until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/),
    ]);
    expect(ten).toMatchObject({ id: "TASK-010", change: "created", status: { before: null, after: "TODO" } });
    clone.commit("work");
    expect(await tasks(clone)).toEqual([]);
    expect(await tasks(clone, first)).toEqual([one, two, ten]);
    expect(await tasks(clone, first, "HEAD")).toEqual([one, two, ten]);
    const back = await tasks(clone, "HEAD", first);
    expect(back.map(({ id, change }) => [id, change])).toEqual([
      ["TASK-001", "changed"],
      ["TASK-002", "changed"],
      ["TASK-010", "removed"],
    ]);
    expect(back[0]!.sentences[0]).toMatch(/^\d+ changes of before are missing\.$/);
    const { out } = await run({ cwd: clone.root }, "diff", first);
    expect(out).toMatch(/^TASK-001 {2}Another title {2}\(changed, TODO → ACTIVE\)\n {2}Status: TODO became ACTIVE\.\n/);
    expect((await run({ cwd: clone.root }, "diff")).out).toBe("No plan or task changed.\n");
  });

  it("[GIT-30] archived, restored, deleted, reopened; and a conflict that a merge brought", async () => {
    const repo = await driven();
    const { clone } = repo;
    await branched(repo, ["side"], ["main"]);
    clone.git("merge", "-q", "--no-edit", "side");
    const [merged] = await tasks(clone, "HEAD~1", "HEAD");
    expect(merged!.conflicts).toMatchObject([{ label: "taskdoc.tsk/progress.md" }]);
    expect(merged!.sentences).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^Open conflict: "taskdoc\.tsk\/progress\.md" was written as "Progress: (side|main)" by "human:local" and as /,
        ),
      ]),
    );
    await commitChange(clone, "settled");
    expect((await tasks(clone, "HEAD~1"))[0]!.sentences).toContain(
      'The conflict about "taskdoc.tsk/progress.md" is resolved.',
    );
    await inWorkspace(clone.root, async (ws) => {
      await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED", reason: "not wanted" });
      await ok(ws, "tasks_delete", { task: "TASK-002" });
    });
    clone.commit("ended");
    await inWorkspace(clone.root, (ws) => ok(ws, "tasks_archive", { tasks: ["TASK-001"] }));
    clone.commit("archived");
    expect((await tasks(clone, "HEAD~2", "HEAD~1")).map(({ id, change }) => [id, change])).toEqual([
      ["TASK-001", "changed"],
      ["TASK-002", "deleted"],
    ]);
    expect((await tasks(clone, "HEAD~1", "HEAD")).map(({ change }) => change)).toEqual(["archived"]);
    await inWorkspace(clone.root, (ws) => ok(ws, "tasks_restore", { task: "TASK-001" }));
    expect((await tasks(clone)).map(({ change }) => change)).toEqual(["restored"]);
  });

  it("[GIT-30] --merge-base leaves out what the other branch did meanwhile", async () => {
    const repo = await driven();
    await branched(repo, ["side"], ["main"]);
    repo.clone.git("checkout", "-q", "side");
    const [without] = await tasks(repo.clone, "main");
    expect(without!.events.missing).toBeGreaterThan(0);
    const [own] = await tasks(repo.clone, "main", "--merge-base");
    expect(own).toMatchObject({ events: { missing: 0 } });
    expect(own!.sentences.join("\n")).toMatch(/side/);
  });

  it("[GIT-30] a name that is no commit, a shallow clone and a folder without git are one line that helps", async () => {
    const { clone } = await driven(null);
    await commitChange(clone, "one");
    const refused = async (cwd: string, ...args: string[]): Promise<string> => {
      const { code: exit, err } = await run({ cwd }, "diff", ...args);
      expect(exit).toBe(2);
      return err;
    };
    expect(await refused(clone.root, "nowhere")).toMatch(
      /Expected a branch, a tag or a commit of this clone, found "nowhere"\.[^]*git fetch/,
    );
    expect(await refused(clone.root, "HEAD", "HEAD:.coco")).toMatch(/found "HEAD:\.coco"/);
    expect(await refused(clone.root, "--", "--output=x")).toMatch(/found "--output=x"/);
    const shallow = new Clone(join(tempFolder(), "shallow"));
    clone.git("clone", "-q", "--depth", "1", `file://${clone.root}`, shallow.root);
    expect(await refused(shallow.root, "HEAD~1")).toMatch(/shallow: git fetch --unshallow/);
    const plain = tempFolder();
    await inWorkspace(plain, (ws) => newTask(ws));
    expect(await refused(plain)).toMatch(/Expected a folder inside a git work tree/);
  });

  it("[GIT-33] in Markdown, what users wrote is code and nothing else", async () => {
    const { clone } = await driven(null);
    const title = "`</code>` @team #1 <script>alert(1)</script> [x](http://evil) ``| a ``` b";
    await inWorkspace(clone.root, async (ws) => {
      await ok(ws, "tasks_edit", { task: "TASK-001", title });
      await ok(ws, "tasks_note", { task: "TASK-001", note: "one\n\n## two\n- [ ] three @everyone" });
    });
    const { out } = await run({ cwd: clone.root }, "diff", "--markdown");
    expect(out).toContain(`#### \`TASK-001\` \`\`\`\` ${title} \`\`\`\` (changed, TODO)\n`);
    expect(out).toContain("- Note by `human:local`: `one ## two - [ ] three @everyone`\n");
    expect(out.split("\n").filter((line) => /^(#|<)/.test(line))).toHaveLength(1);
  });

  it("[GIT-33] links lead from plans, tasks, sections and evidence to their files, and never out of the workspace", async () => {
    const { clone } = await driven(null);
    const before = clone.head();
    mkdirSync(join(clone.root, "src/a b"), { recursive: true });
    writeFileSync(join(clone.root, "src/a b/(x)#1.ts"), "one\ntwo\nthree\n");
    await inWorkspace(clone.root, async (ws) => {
      const items = [
        { kind: "command" as const, command: "npm test", exit_code: 1, stdout: "begins\nnot ok 3 - parses\n" },
        { kind: "file" as const, path: "src/a b/(x)#1.ts", start_line: 2, end_line: 3 },
      ];
      await ok(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", checkpoint: "tests", items });
      await ok(ws, "tasks_delete", { task: "TASK-002" });
    });
    const climbs = { id: "climbs", kind: "file-anchor", title: "out", summary: "", createdAt: "2026-01-01T00:00:00Z" };
    const { entity } = foldLog(bytesSource(readFileSync(join(clone.root, ".coco/tasks/TASK-001/events.jsonl"))));
    const out = { type: "fileAnchor", path: "../../../mallory/x", startLine: 1, endLine: 1 } as const;
    entity!.evidence.push({ ...climbs, kind: "file-anchor", sources: [out] });
    const long = { ...out, path: "漢".repeat(60) };
    entity!.evidence.push({ ...climbs, id: "long", title: "long", kind: "file-anchor", sources: [long] });
    const climbing = taskDiff(null, { entity: entity!, events: new Map([["hash", "human:local"]]) })!;
    const far = diffMarkdown([{ ...climbing, id: "TASK-001" }], [], "https://git.example/a/b/blob/c");
    expect(far).toContain("`out`");
    expect(far).toContain("- Evidence: `long`.\n");
    expect(far).not.toContain("%E6%BC%A2");
    expect(far).toContain("`](https://git.example/a/b/blob/c/.coco/tasks/TASK-001/README.md)");

    clone.commit("work");
    const told = (...args: string[]) => run({ cwd: clone.root }, "diff", before, "HEAD", ...args);
    const { out: text } = await told("--markdown", "--links", "https://git.example/a/(b)/blob/c/");
    const below = "https://git.example/a/%28b%29/blob/c/";
    const links = [...text.matchAll(/\[`([^`]+)`\]\(([^)\s]+)\)/g)].map(([, name, address]) => {
      expect(address!.slice(0, below.length)).toBe(below);
      return [name, decodeURIComponent(address!.slice(below.length).replace(/#.*/, ""))];
    });
    expect(links.map(([name]) => name)).toEqual(["TASK-001", "npm test", expect.anything(), "TASK-002"]);
    for (const [, path] of links) expect([path, existsSync(join(clone.root, path!))]).toEqual([path, true]);
    expect(text).toContain("src/a%20b/%28x%29%231.ts#L2-L3)");
    expect(text).toContain(" failed with exit code 1: `not ok 3 - parses`.\n");
    expect((await told("--markdown")).out).not.toMatch(/\]\(/);

    for (const [args, said] of [
      [["--markdown", "--links", "javascript:alert(1)"], "Expected an address such as https://"],
      [["--markdown", "--links", "https://git.example/?"], "Expected an address such as https://"],
      [["--markdown", "--links", "https://ada:token@git.example"], "Expected an address such as https://"],
      [["--links", "https://git.example"], "Expected --markdown beside --links"],
    ] as const) {
      const { code: exit, err } = await told(...args);
      expect([exit, err]).toEqual([2, expect.stringContaining(said)]);
    }
  });

  it("[GIT-33] a code span of any text begins and ends where it says", () => {
    const char = fc.constantFrom("`", "a", " ", "\n", "<", "\\", "|", "\u202e");
    fc.assert(
      fc.property(fc.string({ unit: char, maxLength: 30 }), (text) => {
        const span = code(text);
        const fence = /^`+/.exec(span)![0];
        const inside = span.slice(fence.length, -fence.length);
        expect(span.endsWith(fence)).toBe(true);
        expect(span).not.toContain("\n");
        // Only a run of just as many backticks would end it.
        expect([...inside.matchAll(/`+/g)].every(([run]) => run.length !== fence.length)).toBe(true);
        expect(inside.startsWith("`") || inside.endsWith("`") || inside === "").toBe(false);
      }),
    );
  });

  it("[GIT-30] a log that cannot be read is named and not compared, and leaves the others", async () => {
    const { clone } = await driven(null);
    const log = join(clone.root, ".coco/tasks/TASK-002/events.jsonl");
    rmSync(join(clone.root, ".coco/tasks/TASK-001"), { recursive: true });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1206\n`;
    for (const [bytes, code, found] of [
      ["no line\n", "LOG_DAMAGED", "found 1 line that cannot be read: it is not compared."],
      [pointer, "LOG_LFS_POINTER", "found 2 lines of pointers of Git LFS: it is not compared."],
    ] as const) {
      writeFileSync(log, bytes);
      const { code: exit, doc } = await json({ cwd: clone.root }, "diff");
      expect((doc["tasks"] as Task[]).map(({ id, change }) => [id, change])).toEqual([["TASK-001", "removed"]]);
      const message = `Expected events in the log of TASK-002 in the work tree, ${found}`;
      expect({ exit, warnings: doc["warnings"] }).toMatchObject({ exit: 0, warnings: [{ code, message }] });
      expect((await run({ cwd: clone.root }, "diff")).err).toContain(message);
      expect((await run({ cwd: clone.root }, "diff", "--markdown")).out).toContain(`\`${message}\``);
      // The other side, too.
      clone.git("commit", "-q", "-am", "a filter wrote it");
      clone.git("checkout", "-q", "HEAD~1", "--", ".coco/tasks/TASK-002");
      const other = await json({ cwd: clone.root }, "diff");
      expect(other.doc).toMatchObject({
        tasks: [],
        warnings: [{ code, message: expect.stringContaining(clone.head().slice(0, 12)) as string }],
      });
      expect((await run({ cwd: clone.root }, "diff")).out).toBe("");
      clone.git("reset", "-q", "--hard", "HEAD~1");
      rmSync(join(clone.root, ".coco/tasks/TASK-001"), { recursive: true });
    }
    expect(readdirSync(join(clone.root, ".coco/tasks"))).toEqual(["TASK-002"]);
  });
});
