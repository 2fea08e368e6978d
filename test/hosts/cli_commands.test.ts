import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deriveWorkspaceId, idOfRemote } from "../../src/hosts/cli/workspace_id.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { git, gitCode, json, PROGRAM, run, workspace } from "./cli_support.ts";
import type { Ran } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";

/** A machine that does other work is slow enough for lines about how far a command is (CLI-100). */
const ONLY_PROGRESS = /^(?:resolve: \d+ of \d+\n)*$/;

describe("init", () => {
  it("[CLI-10] the id comes from the remote in every form people write it", () => {
    const forms = {
      "https://github.com/acme/repo.git": "acme/repo",
      "https://user:secret@github.com/acme/repo": "acme/repo",
      "https://github.com/acme/repo/": "acme/repo",
      "ssh://git@host.example:2222/acme/repo.git": "acme/repo",
      "git@github.com:acme/repo.git": "acme/repo",
      "host:acme/repo": "acme/repo",
      "git@gitlab.com:group/sub/repo.git": "group/sub/repo",
      "https://host/~ada/my repo.git": "ada/my-repo",
      "../bare.git": undefined,
      "/srv/git/repo.git": undefined,
      "file:///srv/git/repo.git": undefined,
      "C:\\git\\repo": undefined,
    };
    for (const [url, id] of Object.entries(forms)) expect({ url, id: idOfRemote(url) }).toEqual({ url, id });
  });

  it("[CLI-10] without a remote it is the folder's name, made safe", () => {
    const parent = tempFolder();
    const names = { "My Project!": "My-Project", "-Crème": "Creme", 日本: "workspace" };
    for (const [name, id] of Object.entries(names)) {
      mkdirSync(join(parent, name));
      expect(deriveWorkspaceId(join(parent, name))).toEqual({ id, from: "folder" });
    }
  });

  it("[CLI-10] --workspace, else the bound id, else the remote", ROTATING, async () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    git(cwd, "remote", "add", "origin", "git@github.com:acme/tools.git");
    expect(deriveWorkspaceId(cwd)).toEqual({ id: "acme/tools", from: "remote" });
    const first = await json({ cwd }, "init", "--workspace", "acme/chosen");
    expect(first.doc.result).toMatchObject({ workspace: "acme/chosen", created: true });
    expect((await json({ cwd }, "init")).doc.result).toMatchObject({ workspace: "acme/chosen", created: false });
  });

  it("[CLI-10] --overview turns the overview on at any time, and init then names it among what to commit", async () => {
    const cwd = tempFolder();
    const first = await json({ cwd }, "init", "--workspace", "acme/repo");
    expect(first.doc.result).toMatchObject({
      overview: false,
      commit: expect.not.arrayContaining([".coco/README.md"]),
    });
    const { code, out } = await run({ cwd }, "init", "--overview");
    expect(code).toBe(0);
    expect(out).toContain("the overview is on");
    expect(out).toMatch(/git add .* \.coco\/README\.md$/m);
    await run({ cwd }, "call", "tasks_create", '{"title":"Version 2"}');
    expect((await run({ cwd }, "rebuild")).out).toContain(".coco/README.md was written anew");
    expect(readFileSync(join(cwd, ".coco/README.md"), "utf8")).toContain("Version 2");
  });

  it("[CLI-10] says what to commit, and those files are what git would commit", ROTATING, async () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    const { doc } = await json({ cwd }, "init", "--workspace", "acme/repo");
    const { commit } = doc.result as { commit: string[] };
    git(cwd, "add", "--all");
    expect(git(cwd, "ls-files").trim().split("\n")).toEqual(commit.toSorted());
    const again = await run({ cwd }, "init");
    expect(again.out).toMatch(/^Was bound to acme\/repo already; nothing changed\./);
    expect(git(cwd, "status", "--porcelain", "--untracked-files=all").replaceAll(/^A .*\n/gm, "")).toBe("");
  });

  it("[CLI-10] hints at suffixed ids in a shared repository, not when they were chosen", ROTATING, async () => {
    const shared = (): string => {
      const cwd = tempFolder();
      git(cwd, "init", "--quiet");
      git(cwd, "remote", "add", "origin", "https://example.com/acme/repo");
      return cwd;
    };
    const hints = async (...argv: string[]): Promise<unknown> => {
      const { doc } = await json({ cwd: shared() }, "init", ...argv);
      return (doc.result as { hints: string[] }).hints.length;
    };
    expect(await hints()).toBe(1);
    expect(await hints("--ids", "suffixed")).toBe(0);
    expect(await hints("--ids", "sequential")).toBe(0);
    expect((await json({ cwd: tempFolder() }, "init")).doc.result).toMatchObject({ hints: [] });
  });

  it("[CLI-10] --ids suffixed makes ids that the short form still names", async () => {
    const cwd = tempFolder();
    await run({ cwd }, "init", "--workspace", "acme/repo", "--ids", "suffixed");
    const made = await json({ cwd }, "call", "tasks_create", '{"title":"A plan"}');
    expect((made.doc.result as { id: string }).id).toMatch(/^PLAN-001-[0-9a-z]{4}$/);
    expect((await run({ cwd }, "radar", "PLAN-001")).code).toBe(0);
    expect((await json({ cwd }, "init", "--ids", "sequential")).doc.result).toMatchObject({
      ids: "suffixed",
      created: false,
    });
  });
});

describe("call", () => {
  it("[CLI-118] takes its input from an argument or from stdin, and {} when there is none", async () => {
    const cwd = await workspace();
    const note = '{"task":"TASK-001","note":"über"}';
    expect((await json({ cwd }, "call", "tasks_note", note)).doc.result).toMatchObject({ revision: 2 });
    expect((await json({ cwd, stdin: note }, "call", "tasks_note", "-")).doc.result).toMatchObject({ revision: 3 });
    expect((await json({ cwd }, "call", "tasks_focus_get")).doc.result).toMatchObject({ focus: null });
  });

  it("[CLI-118] a real pipe works, and one of more than 8 MiB is refused", ROTATING, async () => {
    const cwd = await workspace();
    const call = (input: string) =>
      spawnSync(process.execPath, [PROGRAM, "--json", "call", "tasks_note", "-"], { cwd, input, encoding: "utf8" });
    const good = call('{"task":"TASK-001","note":"by pipe"}');
    expect({ status: good.status, success: (JSON.parse(good.stdout) as { success: boolean }).success }).toEqual({
      status: 0,
      success: true,
    });
    const big = call(" ".repeat(8 * 1024 * 1024 + 1));
    expect(JSON.parse(big.stdout)).toMatchObject({ error: { code: "CONTENT_TOO_LARGE" } });
    expect({ status: big.status, stderr: big.stderr }).toEqual({ status: 2, stderr: "" });
  });

  it("[CLI-118] what is no JSON, no UTF-8 or no object is refused and calls nothing", async () => {
    const cwd = await workspace();
    const before = readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
    for (const bad of ["{", "", "{} {}", "[1]", '"x"', "null", "{'task':'TASK-001'}"]) {
      const ran = await json({ cwd }, "call", "tasks_note", bad);
      expect({ bad, code: ran.code, error: ran.doc.error?.code }).toEqual({ bad, code: 2, error: "INVALID_INPUT" });
    }
    const bytes = await json({ cwd, stdin: Buffer.from([0x7b, 0xff, 0x7d]) }, "call", "tasks_note", "-");
    expect(bytes).toMatchObject({ code: 2, doc: { error: { code: "INVALID_INPUT" } } });
    expect(readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8")).toBe(before);
  });
});

describe("reading", () => {
  it("[CLI-118] [TOOL-31] radar, handoff and log go by the focus of who acts, else by that of the workspace", async () => {
    const cwd = await workspace();
    for (const command of ["radar", "handoff", "log"]) {
      const { code, doc } = await json({ cwd }, command, "--by", "agent:a");
      expect({ command, code, error: doc.error?.code }).toEqual({ command, code: 2, error: "TARGET_REQUIRED" });
      expect(doc["suggestions"]).toContainEqual(expect.objectContaining({ tool: "tasks_focus_set" }));
    }
    await run({ cwd }, "--by", "agent:a", "call", "tasks_focus_set", '{"task":"TASK-001"}');
    expect((await run({ cwd }, "--by", "agent:a", "radar")).out).toContain("Task TASK-001");
    expect((await run({ cwd }, "--by", "agent:a", "handoff")).out).toContain("Remaining");
    expect((await run({ cwd }, "--by", "agent:a", "log")).out).toContain("task_created");
    const { doc } = await json({ cwd }, "radar");
    expect(doc.result).toMatchObject({ target: { id: "TASK-001" }, target_from: "workspace_focus" });
    for (const command of ["radar", "handoff"]) {
      const [own, others, named] = [
        await run({ cwd }, "--by", "agent:a", command),
        await run({ cwd }, command),
        await run({ cwd }, command, "TASK-001"),
      ];
      expect([command, own.err, named.err]).toEqual([command, "", ""]);
      expect(others.err).toContain("warning FOCUS_OF_OTHER: ");
    }
  });

  it("[CHECK-2] handoff asks git for the commits that prove something", async () => {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    git(cwd, "commit", "-q", "--allow-empty", "-m", "fix");
    const commit = git(cwd, "rev-parse", "HEAD").trim();
    const args = { task: "TASK-001", path: "s:0", checkpoint: "tests", items: [{ kind: "fix", commit }] };
    await run({ cwd }, "call", "tasks_evidence_capture", JSON.stringify(args));
    const gone = `commit ${commit} is not there`;
    expect((await run({ cwd }, "handoff", "TASK-001")).out).not.toContain(gone);
    rmSync(join(cwd, ".git"), { recursive: true });
    git(cwd, "init", "-q");
    expect((await run({ cwd }, "handoff", "TASK-001")).out).toContain(gone);
  });

  it("[CLI-118] list shows tasks below their plans and marks the focus", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_create", '{"kind":"task","id":"alone","title":"On its own"}');
    await run({ cwd }, "call", "tasks_focus_set", '{"task":"TASK-001"}');
    expect((await run({ cwd }, "list")).out).toBe(
      [
        "  PLAN-001    TODO  0/1 tasks  Version 2",
        "*   TASK-001  TODO  0/2 steps  A parser",
        "  alone       TODO  0/0 steps  On its own",
        "* has the focus",
        "",
      ].join("\n"),
    );
    const empty = tempFolder();
    await run({ cwd: empty }, "init");
    expect((await run({ cwd: empty }, "list")).out).toMatch(/^Nothing in \S+ yet\.\n$/);
  });

  it("[CLI-118] list gives more than one page of a tool", ROTATING, async () => {
    const cwd = tempFolder();
    await run({ cwd }, "init", "--workspace", "acme/repo");
    const { openWorkspace } = await import("../../src/engine/workspace.ts");
    const many = openWorkspace({ root: cwd, durability: "os", projections: "manual" });
    for (let i = 0; i < 205; i++)
      await many.call("tasks_create", { workspace: "acme/repo", kind: "task", title: `Task ${i}` });
    await many.close();
    const { doc } = await json({ cwd }, "list");
    const { tasks, tasks_pagination: page } = doc.result as { tasks: { id: string }[]; tasks_pagination: object };
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(205);
    expect(page).toMatchObject({ next_cursor: null, total: 205, count: 205 });
  });

  it("[CLI-118] log goes on from its cursor", async () => {
    const cwd = await workspace();
    for (const note of ["one", "two", "three"]) {
      await run({ cwd }, "call", "tasks_note", JSON.stringify({ task: "TASK-001", note }));
    }
    const seen: string[] = [];
    let since: string[] = [];
    for (let more = 1; more > 0;) {
      const { doc } = await json({ cwd }, "log", "TASK-001", "--limit", "2", ...since);
      const page = doc.result as { events: { type: string }[]; cursor: string; more: number };
      expect(page.events.length).toBeLessThanOrEqual(2);
      seen.push(...page.events.map(({ type }) => type));
      since = ["--since", page.cursor];
      more = page.more;
    }
    expect(seen).toEqual(["task_created", "steps_added", "step_noted", "step_noted", "step_noted"]);
    expect((await json({ cwd }, "log", "TASK-001", "--since", "garbage")).code).toBe(2);
    expect((await run({ cwd }, "log", "TASK-001")).out).toMatch(
      /human:local {2}step_noted {4}Noted on "A parser": three\.\n5 shown, 5 events in all/,
    );
  });

  it("[CLI-118] log says what to mind on stderr, and as warnings", async () => {
    const cwd = await workspace();
    expect((await run({ cwd }, "log", "TASK-001", "--limit", "500")).err).toContain("warning LIMIT_CLAMPED");
    const { doc } = await json({ cwd }, "log", "TASK-001", "--limit", "500");
    expect(doc).toMatchObject({ warnings: [{ code: "LIMIT_CLAMPED" }] });
    expect(doc.result).not.toHaveProperty("warnings");
  });

  it("[CLI-118] radar and handoff answer for a moment of the past, by revision or by event", async () => {
    const cwd = await workspace();
    const call = (tool: string, more: object) =>
      json({ cwd }, "call", tool, JSON.stringify({ task: "TASK-001", ...more }));
    await call("tasks_edit", { description: "For everybody." });
    const { doc } = await call("tasks_edit", { description: "For the few." });
    const { event } = doc.result as { event: { event_id: string } };
    const why = async (...at: string[]) =>
      /^Why +(.*)$/m.exec((await run({ cwd }, "radar", "TASK-001", ...at)).out)?.[1];
    expect(await why("--at", "1")).toBe("none");
    expect(await why("--at", "2")).toBe("For everybody.");
    expect(await why("--at", event.event_id)).toBe("For the few.");
    expect(await why()).toBe("For the few.");
    expect((await run({ cwd }, "handoff", "TASK-001", "--at", "1")).out).toContain("revision 1)");
    expect((await run({ cwd }, "radar", "TASK-001", "--at", "9")).code).not.toBe(0);
  });

  it("[CLI-118] what max_chars left out is not shown as nothing", async () => {
    const cwd = await workspace();
    for (let i = 0; i < 12; i++) {
      const note = `Note number ${i}, which is long enough to count.`;
      await run({ cwd }, "call", "tasks_note", JSON.stringify({ task: "TASK-001", note }));
    }
    const whole = await run({ cwd }, "handoff", "TASK-001");
    expect(whole.out).not.toContain("left out to fit");
    const less = await run({ cwd }, "handoff", "TASK-001", "--max-chars", "1800");
    expect(less.out).toMatch(/^Notes(.|\n)*\(\d+ left out to fit max_chars\)/m);
    expect(less.err).toMatch(/^warning BUDGET_TRUNCATED: /);
    const least = await run({ cwd }, "handoff", "TASK-001", "--max-chars", "300");
    expect(least.out).toMatch(/^Now /m);
    expect(least.out).not.toMatch(/^(Done|Remaining|Risks|Notes) /m);
    expect((await run({ cwd }, "handoff", "TASK-001", "--max-chars", "none")).code).toBe(2);
  });

  it("[regression CLI-20] history says what was undone and what stays, delta what came since its cursor", async () => {
    const cwd = await workspace();
    const call = async (tool: string, more: object = {}) =>
      (await run({ cwd }, "call", tool, JSON.stringify({ task: "TASK-001", ...more }))).out;
    await call("tasks_note", { note: "hold on" });
    await call("tasks_undo");
    const history = (await call("tasks_history", { limit: 2 })).trimEnd().split("\n");
    expect(history).toEqual([
      expect.stringMatching(/^3 {2}\S+ {2}human:local {2}stays {3}Undid: Noted on "A parser": hold on\.$/),
      expect.stringMatching(/^2 {2}\S+ {2}human:local {2}undone {2}Noted on "A parser": hold on\.$/),
      'before these: "before": 2',
    ]);
    const delta = (await call("tasks_delta")).trimEnd().split("\n");
    expect(delta).toHaveLength(5);
    expect(delta[3]).toMatch(/^\S+ {2}human:local {2}TASK-001 {2}Undid: /);
    const since = /^4 events, 0 more; from here: "since": "(.*)"$/.exec(delta[4]!)?.[1];
    expect(await call("tasks_delta", { since })).toBe(`0 events, 0 more; from here: "since": "${since}"\n`);
  });

  it("[CLI-118] undo, redo, history and delta are a call of the tool, with its exit code", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_note", '{"task":"TASK-001","note":"hold on"}');
    const done = (await json({ cwd }, "history", "TASK-001")).doc.result as { operations: { op: string }[] };
    const op = done.operations[0]!.op;
    expect(await json({ cwd }, "undo", "TASK-001")).toMatchObject({ code: 0, doc: { intent: "tasks_undo" } });
    expect(await json({ cwd }, "redo", "TASK-001")).toMatchObject({ code: 0, doc: { intent: "tasks_redo" } });
    expect((await run({ cwd }, "undo", "TASK-001", "--op", op)).code).toBe(0);
    expect(await json({ cwd }, "undo", "TASK-001", "--op", "nobody's")).toMatchObject({ doc: { success: false } });
    expect(await json({ cwd }, "undo")).toMatchObject({ doc: { error: { code: "TARGET_REQUIRED" } } });
    for (const [argv, tool, input] of [
      [["history", "TASK-001", "--limit", "2"], "tasks_history", { task: "TASK-001", limit: 2 }],
      [["history", "TASK-001", "--before", "3"], "tasks_history", { task: "TASK-001", before: 3 }],
      [["delta", "TASK-001", "--max-chars", "900"], "tasks_delta", { task: "TASK-001", max_chars: 900 }],
      [["delta", "--limit", "1"], "tasks_delta", { limit: 1 }],
    ] as const) {
      const called = await json({ cwd }, "call", tool, JSON.stringify(input));
      expect(await json({ cwd }, ...argv)).toEqual(called);
      const rows = ({ out }: Ran): string[] =>
        out.split("\n").filter((line) => /^ *\d/.test(line) && !/from here/.test(line));
      const [said, calledSaid] = [await run({ cwd }, ...argv), await run({ cwd }, "call", tool, JSON.stringify(input))];
      expect(rows(said)).toEqual(rows(calledSaid));
    }
    const { doc } = await json({ cwd }, "delta", "TASK-001");
    const { cursor } = doc.result as { cursor: string };
    expect((await json({ cwd }, "delta", "TASK-001", "--since", cursor)).doc.result).toMatchObject({ events: [] });
  });

  it("[regression CLI-20] the focus tools say which focus there is and which there was", async () => {
    const cwd = await workspace();
    const said = async (tool: string, input = "{}") => (await run({ cwd }, "call", tool, input)).out;
    expect(await said("tasks_focus_get")).toBe("No focus.\n");
    expect(await said("tasks_focus_set", '{"task":"TASK-001"}')).toBe("The focus is TASK-001.\n");
    expect(await said("tasks_focus_set", '{"plan":"PLAN-001"}')).toBe("The focus is PLAN-001 (it was TASK-001).\n");
    expect(await said("tasks_focus_get")).toBe("The focus is PLAN-001.\n");
    expect(await said("tasks_focus_clear")).toBe("No focus (it was PLAN-001).\n");
  });

  it("[CLI-118] tools lists every tool, and tells one of them whole", async () => {
    const cwd = tempFolder();
    const { doc } = await json({ cwd }, "tools");
    expect((doc.result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    const one = await json({ cwd }, "tools", "tasks_note");
    expect(one.doc.result).toMatchObject({
      name: "tasks_note",
      input: { type: "object", required: ["workspace", "note"] },
    });
    expect((await run({ cwd }, "tools", "tasks_note")).out).toContain("taskfold call tasks_note '{\"");
    expect(await json({ cwd }, "tools", "constructor")).toMatchObject({
      code: 2,
      doc: { error: { code: "UNKNOWN_TOOL" } },
    });
  });
});

describe("examples of tools", () => {
  it("[CLI-118] in a bound root the examples name its workspace, elsewhere they name none", ROTATING, async () => {
    const [bound, none] = [tempFolder(), tempFolder()];
    await run({ cwd: bound }, "init", "--workspace", "zeta/own");
    for (const name of Object.keys(TOOLS)) {
      const shown = await run({ cwd: bound }, "tools", name);
      expect([name, shown.code, shown.out.includes("acme/repo")]).toEqual([name, 0, false]);
      const { examples } = (await json({ cwd: bound }, "tools", name)).doc.result as { examples: object[] };
      for (const example of examples) expect(example, name).toMatchObject({ workspace: "zeta/own" });
      expect((await run({ cwd: none }, "tools", name)).out, name).not.toContain("acme/repo");
    }
    const example = /^ {2}taskfold call tasks_macro_start '(.*)'$/m.exec(
      (await run({ cwd: bound }, "tools", "tasks_macro_start")).out,
    );
    expect((await run({ cwd: bound }, "call", "tasks_macro_start", example![1]!)).code).toBe(0);
    expect(readdirSync(none)).toEqual([]);
  });
});

describe("verify, rebuild, resolve", () => {
  it("[CLI-16] verify is clean, and tells file and line when it is not", async () => {
    const cwd = await workspace();
    const clean = await run({ cwd }, "--json", "verify");
    expect({ code: clean.code, doc: JSON.parse(clean.out) }).toEqual({
      code: 0,
      doc: expect.objectContaining({ ok: true, entities: 2, events: 3, findings: [] }) as object,
    });
    appendFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "{not json}\n");
    const { code, doc } = await json({ cwd }, "verify");
    const finding = { file: ".coco/tasks/TASK-001/events.jsonl", line: 3 };
    expect({ code, ok: doc["ok"], findings: doc["findings"] }).toMatchObject({
      code: 1,
      ok: false,
      findings: [finding],
    });
    const plain = await run({ cwd }, "verify");
    expect(plain.code).toBe(1);
    expect(plain.out).toContain(".coco/tasks/TASK-001/events.jsonl:3");
  });

  it("[CLI-16] a note is no fault", async () => {
    const cwd = await workspace();
    const file = join(cwd, ".coco/tasks/TASK-001/task.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^renderer: \d+/m, "renderer: 999"));
    const { code, doc } = await json({ cwd }, "verify");
    expect({ code, doc }).toMatchObject({ code: 0, doc: { ok: true, findings: [{ info: true }] } });
  });

  it("[CLI-16] rebuild brings back what was deleted", async () => {
    const cwd = await workspace();
    const readme = join(cwd, ".coco/tasks/TASK-001/README.md");
    const text = readFileSync(readme, "utf8");
    rmSync(readme);
    const { code, doc } = await json({ cwd }, "rebuild", "TASK-001");
    expect({ code, result: doc.result }).toMatchObject({
      code: 0,
      result: { rebuilt: [{ id: "TASK-001", files: ["README.md"] }] },
    });
    expect(readFileSync(readme, "utf8")).toBe(text);
  });

  it(
    "[CLI-17] resolve puts a stopped merge in order; a dry run changes nothing, nothing is committed",
    ROTATING,
    async () => {
      const cwd = await workspace();
      git(cwd, "init", "--quiet", "--initial-branch=main");
      git(cwd, "add", ".");
      git(cwd, "commit", "--quiet", "-m", "base");
      git(cwd, "switch", "--quiet", "-c", "side");
      await run({ cwd }, "call", "tasks_define", '{"task":"TASK-001","path":"s:0","title":"Side"}');
      git(cwd, "commit", "--quiet", "-a", "-m", "side");
      git(cwd, "switch", "--quiet", "main");
      await run({ cwd }, "call", "tasks_define", '{"task":"TASK-001","path":"s:0","title":"Main"}');
      git(cwd, "commit", "--quiet", "-a", "-m", "main");
      expect(gitCode(cwd, "merge", "side")).toBe(1);
      const status = git(cwd, "status", "--porcelain");

      await run({ cwd }, "resolve", "--dry-run", "--stage");
      expect(git(cwd, "status", "--porcelain")).toBe(status);

      const { code, doc } = await json({ cwd }, "resolve", "--stage");
      expect({ code, result: doc.result }).toMatchObject({
        code: 0,
        result: { conflicts: [{ id: "TASK-001", values: [{ value: "Side" }, { value: "Main" }] }], findings: [] },
      });
      expect(git(cwd, "diff", "--name-only", "--diff-filter=U")).toBe("");
      expect(git(cwd, "log", "--oneline").trim().split("\n")).toHaveLength(2);
      git(cwd, "commit", "--quiet", "--no-edit");
      expect(git(cwd, "status", "--porcelain")).toBe("");
      expect((await run({ cwd }, "resolve")).out).toContain("title was written on both sides");
    },
  );

  it("[CLI-17] [TASKDOC-17] names a section of the Taskdoc as radar does", ROTATING, async () => {
    const cwd = await workspace();
    git(cwd, "init", "--quiet", "--initial-branch=main");
    git(cwd, "add", ".");
    git(cwd, "commit", "--quiet", "-m", "base");
    const change = (content: string) =>
      run({ cwd }, "call", "change_mind", JSON.stringify({ task: "TASK-001", selector: "goals", content }));
    git(cwd, "switch", "--quiet", "-c", "side");
    await change("Side");
    git(cwd, "commit", "--quiet", "-am", "side");
    git(cwd, "switch", "--quiet", "main");
    await change("Main");
    git(cwd, "commit", "--quiet", "-am", "main");
    expect(gitCode(cwd, "merge", "side")).toBe(1);
    const open = "open until they are staged: taskfold resolve --stage.";
    expect((await run({ cwd }, "resolve")).out).toContain(open);
    const { out } = await run({ cwd }, "resolve", "--stage");
    expect(out).toContain("TASK-001: taskdoc.tsk/goals.md was written on both");
    expect(out).not.toContain(open);
    git(cwd, "commit", "--quiet", "--no-edit");
    expect((await run({ cwd }, "resolve")).out).not.toContain(open);
    expect((await run({ cwd }, "radar", "TASK-001")).out).toContain("Conflict on taskdoc.tsk/goals.md");
  });

  it("[CLI-17] works where there is no git repository", async () => {
    const cwd = await workspace();
    expect(await run({ cwd }, "resolve")).toEqual({ code: 0, out: "Nothing was out of order.\n", err: "" });
  });
});

describe("lines that git took away", () => {
  /** A task with three notes, each committed; without its middle one where `cut` says so. */
  async function repository(): Promise<string> {
    const cwd = await workspace();
    for (const args of [
      ["init", "-q"],
      ["config", "user.name", "Ada"],
      ["config", "user.email", "ada@example.org"],
    ])
      git(cwd, ...args);
    for (const note of ["one", "two"]) {
      await run({ cwd }, "call", "tasks_note", JSON.stringify({ task: "TASK-001", note }));
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", note);
    }
    return cwd;
  }
  const LOG = ".coco/tasks/TASK-001/events.jsonl";

  it("[CLI-118] verify --git says what a revert took, resolve --git brings it back", ROTATING, async () => {
    const cwd = await repository();
    git(cwd, "revert", "--no-edit", "HEAD");
    expect((await run({ cwd }, "verify")).code).toBe(0);
    const found = await run({ cwd }, "verify", "--git");
    expect(found.code).toBe(1);
    expect((await run({ cwd }, "verify", "--git-base", "HEAD~1")).out).toContain("LINE_LOST");
    expect((await run({ cwd }, "verify", "--git-base", "HEAD")).code).toBe(0);
    expect(await run({ cwd }, "verify", "--git-base", "nowhere")).toMatchObject({ code: 2, out: "" });
    expect(found.out).toMatch(
      /LINE_LOST +\.coco\/tasks\/TASK-001\/events\.jsonl +Expected the event .* commit [0-9a-f]{12} took it out/,
    );
    const back = await run({ cwd }, "resolve", "--git", "--stage");
    expect(back).toMatchObject({ code: 0, err: expect.stringMatching(ONLY_PROGRESS) });
    expect(back.out).toMatch(/TASK-001: 1 line brought back from before commit [0-9a-f]{12}\./);
    expect(await run({ cwd }, "verify", "--git")).toMatchObject({ code: 0 });
  });

  it("[CLI-118] outside of git both say so in a plain sentence and change nothing", async () => {
    const cwd = await workspace();
    for (const [command, option] of [
      ["verify", "--git"],
      ["resolve", "--git"],
      ["resolve", "--stage"],
    ] as const) {
      const { code, err } = await run({ cwd }, command, option);
      expect(code).toBe(2);
      expect(err).toContain(`INVALID_INPUT: Expected a folder inside a git work tree for ${option}`);
      expect((await json({ cwd }, command, option)).doc.error).toMatchObject({ code: "INVALID_INPUT" });
    }
  });

  it(
    "[CLI-17] resolve names what is missing and what it found; --accept-gap declares the rest lost",
    ROTATING,
    async () => {
      const cwd = await repository();
      const call = async (note: string) =>
        run({ cwd }, "call", "tasks_note", JSON.stringify({ task: "TASK-001", note }));
      await call("never committed");
      await call("waits");
      const drop = (note: string): void => {
        const lines = readFileSync(join(cwd, LOG), "utf8").split("\n");
        writeFileSync(join(cwd, LOG), lines.filter((line) => !line.includes(`"note":"${note}"`)).join("\n"));
      };
      drop("one");
      drop("never committed");
      const refused = await call("refused");
      expect(refused.code).toBe(4);
      expect(refused.err).toContain("LOG_INCOMPLETE");
      expect(refused.err).toContain("taskfold resolve TASK-001 --accept-gap");
      const dry = await run({ cwd }, "resolve", "--dry-run");
      expect(dry.out).toMatch(/TASK-001: 1 line would be brought back from commit/);
      expect(dry.out).toMatch(/TASK-001: nowhere to be found: [\w-]{43}\. .*--accept-gap declares them lost/);
      expect((await run({ cwd }, "resolve")).code).toBe(1);
      const accepted = await run({ cwd }, "resolve", "TASK-001", "--accept-gap");
      expect(accepted).toMatchObject({ code: 0, err: expect.stringMatching(ONLY_PROGRESS) });
      expect(accepted.out).toMatch(/TASK-001: 1 line declared lost: [\w-]{43}\./);
      expect((await call("goes on")).code).toBe(0);
    },
  );
});
