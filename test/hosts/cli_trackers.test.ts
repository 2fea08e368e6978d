// @module-tag rotating
/** `taskfold import` and `taskfold export`, with files that the real programs made (test/data/trackers/README.md). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import type { Page } from "../../src/hosts/cli/page.ts";
import { json, PROGRAM, refused, result, run } from "./cli_support.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const DATA = join(ROOT, "test/data/trackers");

interface Exported {
  entries: (Pick<Page, "target" | "detail" | "notes"> & { steps: Page["step_list"] })[];
}

interface Imported {
  plans: number;
  tasks: number;
  already: number;
  refused: number;
  said: string[];
  items: { id: string; from: string; came: string }[];
}

async function bound(): Promise<string> {
  const cwd = tempFolder();
  await run({ cwd }, "init", "--workspace", "acme/repo");
  return cwd;
}

/** What the report names of a source. */
interface Told {
  left_out: { name: string }[];
  fields: { field: string }[];
}

async function imported(cwd: string, ...argv: string[]): Promise<Imported> {
  return (await result(cwd, "import", ...argv)) as unknown as Imported;
}

/** Every plan and task by its id. */
async function kept(cwd: string): Promise<Map<string, Exported["entries"][number]>> {
  const { entries } = (await result(cwd, "export", "json")) as unknown as Exported;
  return new Map(entries.map((entry) => [entry.target.id, entry]));
}

async function isWell(cwd: string): Promise<void> {
  expect(await run({ cwd }, "verify")).toMatchObject({ code: 0, err: "" });
}

function stepsOf(entry: Exported["entries"][number] | undefined): [string, boolean][] {
  return entry!.steps.map(({ title, done }) => [title, done]);
}

const FILES = [
  ["backlog", "backlog", 1, 5],
  ["beads", "beads.jsonl", 1, 4],
  ["taskwarrior", "taskwarrior.json", 3, 5],
  ["taskmaster", "taskmaster.json", 1, 5],
  ["markdown", "checklist.md", 3, 6],
  ["github", "github-gh.json", 1, 3],
  ["github", "github-rest.json", 1, 1],
] as const;

describe("taskfold import", () => {
  it.each(FILES)("[TRACKER-1] [TRACKER-10] [TRACKER-12] %s, from %s", async (source, file, plans, tasks) => {
    const cwd = await bound();
    const path = join(DATA, file);
    const before = tree(path === join(DATA, "backlog") ? path : DATA);
    const dry = await imported(cwd, source, path, "--dry-run");
    expect(dry).toMatchObject({ plans, tasks, already: 0, refused: 0 });
    expect((await kept(cwd)).size).toBe(0);
    const first = await imported(cwd, source, path);
    expect({ ...first, dry_run: true }).toEqual(dry);
    const folders = tree(join(cwd, ".coco/tasks"));
    const again = await imported(cwd, source, path);
    expect(again).toMatchObject({ plans: 0, tasks: 0, already: plans + tasks, refused: 0 });
    expect(tree(join(cwd, ".coco/tasks"))).toEqual(folders);
    expect(tree(path === join(DATA, "backlog") ? path : DATA)).toEqual(before);
    await isWell(cwd);
  });

  it("[TRACKER-2] Backlog.md: fields, criteria and subtasks", async () => {
    const cwd = await bound();
    const { said } = await imported(cwd, "backlog", DATA);
    expect(said).toContain("1 archived file left out: archive/tasks/task-5 - Old-thing.md");
    const all = await kept(cwd);
    const parser = all.get("backlog-1")!;
    expect(parser.target).toMatchObject({
      title: "Write the parser",
      parent: "backlog-milestone-m-0",
      status: "ACTIVE",
    });
    expect(parser.detail).toMatchObject({ priority: "high", tags: ["parser", "core"] });
    expect(stepsOf(parser)).toEqual([
      ["Every sample parses", true],
      ["Errors name the line, with a comma", false],
      ["Docs are written", false],
      ["Lexer", false],
      ["Tree", false],
    ]);
    expect(parser.steps[3]!.success_criteria).toEqual(["Tokens have places"]);
    expect(parser.steps[4]!.waits_for).toEqual([parser.steps[3]!.step_id]);
    for (const text of [
      "Second paragraph",
      "Began with the grammar.",
      "Assignee: @ann, @bob",
      "From Backlog.md: TASK-1",
      "1. Read",
    ])
      expect(parser.detail.description).toContain(text);
    expect(all.get("backlog-milestone-m-0")!.detail.description).toContain("Everything before May");
    expect(all.get("backlog-2")!.detail.depends_on).toEqual(["backlog-1"]);
  });

  it("[TRACKER-2] what is done there ends here only where the gate lets it, and without evidence", async () => {
    const cwd = await bound();
    const { said } = await imported(cwd, "backlog", DATA);
    expect(said).toContain("1 item ended there with open steps or criteria: open here");
    const all = await kept(cwd);
    expect(all.get("backlog-3")!.target.status).toBe("DONE");
    expect(all.get("backlog-3")!.detail.description).toContain("No step that was done there was checked here.");
    expect(all.get("backlog-4")!.target.status).toBe("ACTIVE");
    const log = readFileSync(join(cwd, ".coco/tasks/backlog-3/events.jsonl"), "utf8");
    expect(log).not.toContain("evidence");
    expect(all.get("backlog-2")!.notes.map(({ text }) => text)).toEqual(["@bob, 2026-11-23 06:22: Seen on Linux only"]);
    const times = [...log.matchAll(/"ts":"([^"]+)"/g)].map(([, ts]) => Date.parse(ts!));
    expect(times.every((ts) => Math.abs(ts - Date.now()) < 120_000)).toBe(true);
  });

  it("[TRACKER-2] beads: circles and unknown ids are said, and tombstones stay away", async () => {
    const cwd = await bound();
    const { said } = await imported(cwd, "beads", join(DATA, "beads.jsonl"));
    expect(said).toEqual([
      "1 deleted task left out: bd-7h7",
      "dependencies in a circle left out: bd-g7h8 on bd-e5f6",
      "1 item with a dependency that cannot be kept: it stands in the description",
      "3 fields left out: dependencies.created_at, dependencies.created_by, comments.id",
    ]);
    const all = await kept(cwd);
    expect(all.get("bd-e5f6")!.detail).toMatchObject({ depends_on: ["bd-g7h8"], priority: "LOWEST", tags: ["chore"] });
    expect(all.get("bd-e5f6")!.steps[0]).toMatchObject({ blocked: true, block_reason: "blocked in beads" });
    expect(all.get("bd-g7h8")!.detail.description).toContain("Depends on: bd-zzzz, bd-e5f6");
    const push = all.get("bd-a1b2-1")!;
    expect(push.target).toMatchObject({ parent: "bd-a1b2", status: "ACTIVE" });
    expect(push.steps[0]!.success_criteria).toEqual(["a forced push is told", "an ordinary push is not"]);
    expect(stepsOf(push)[1]).toEqual(["Read the reflog", true]);
    expect(all.get("bd-c3d4")!.detail.status_reason).toBe("closed in beads: Done in 1f2e3d");
  });

  it("[TRACKER-2] Taskwarrior: uuids, projects, annotations, own attributes", async () => {
    const cwd = await bound();
    const stdin = readFileSync(join(DATA, "taskwarrior.json"));
    const { code, out } = await run({ cwd, stdin }, "import", "taskwarrior", "-");
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        "Taskwarrior: 3 plans and 5 tasks made.",
        "  1 deleted task left out: Drop this.",
        "  1 template of a recurring task left out: Feed the cat.",
        "  1 field has no place here and stands in the description: estimate.",
        "  4 fields left out: id, urgency, imask, rtype.\n",
      ].join("\n"),
    });
    const all = await kept(cwd);
    const fence = all.get("tw-6908b5a6")!;
    expect(fence.target).toMatchObject({ title: 'Fix the fence, "now" äöü 木', status: "TODO" });
    expect(fence.detail.depends_on).toEqual(["tw-1bda6038", "tw-5a56b131"]);
    expect(all.get("tw-1bda6038")!.target).toMatchObject({ parent: "tw-project-home", status: "ACTIVE" });
    expect(all.get("tw-1bda6038")!.detail.description).toContain("estimate: 3");
    expect(all.get("tw-5a56b131")!.notes).toHaveLength(2);
    expect(all.get("tw-8dfd4bc3")!.target.status).toBe("DONE");
  });

  it("[TRACKER-2] Task Master: tags and subtasks, in both forms of the file", async () => {
    const cwd = await bound();
    await imported(cwd, "taskmaster", join(DATA, "taskmaster.json"));
    const all = await kept(cwd);
    expect(stepsOf(all.get("tm-1"))).toEqual([
      ["Lexer", true],
      ["Tree", false],
    ]);
    expect(all.get("tm-2")!.detail.depends_on).toEqual(["tm-1"]);
    expect(all.get("tm-3")!.target.status).toBe("CANCELED");
    expect(all.get("tm-spring-2")!.target.parent).toBe("tm-tag-spring");
    expect(all.get("tm-spring-2")!.detail.depends_on).toEqual(["tm-spring-1"]);
    const old = {
      tasks: [
        { id: 7, title: "Old form", testStrategy: "Run it", status: "pending", subtasks: [{ id: 1, title: "Part" }] },
      ],
    };
    writeFileSync(join(cwd, "tasks.json"), JSON.stringify(old));
    await imported(cwd, "taskmaster", cwd);
    const seven = (await kept(cwd)).get("tm-7")!;
    expect(seven.steps.map(({ title, tests }) => [title, tests])).toEqual([
      ["Part", []],
      ["Old form", ["Run it"]],
    ]);
  });

  it("[TRACKER-2] Markdown: headings, nested boxes and marks; code is no list", async () => {
    const cwd = await bound();
    await imported(cwd, "markdown", join(DATA, "checklist.md"));
    const all = [...(await kept(cwd)).values()];
    const named = (title: string) => all.filter(({ target }) => target.title === title);
    expect(named("Water the plants")[0]!.detail.description).toContain("Twice a week.\n- [-] Ask the neighbour");
    expect(stepsOf(named("Water the plants")[0])).toEqual([
      ["Fill the can", true],
      ["Carry it", false],
    ]);
    expect(named("Buy a hose")[0]!.target.status).toBe("DONE");
    expect(named("Paint the fence")[0]!.target.status).toBe("ACTIVE");
    expect(named("Sell the shed")[0]!.target.status).toBe("CANCELED");
    expect(named("Mend the gate")).toHaveLength(2);
    expect(named("code is no task")).toHaveLength(0);
  });

  it("[TRACKER-2] GitHub: both forms name one issue, and pull requests stay away", async () => {
    const cwd = await bound();
    await imported(cwd, "github", join(DATA, "github-gh.json"));
    const rest = await imported(cwd, "github", join(DATA, "github-rest.json"));
    expect(rest).toMatchObject({
      plans: 0,
      tasks: 0,
      already: 2,
      said: ["1 pull request left out: #15 Correct the parser"],
    });
    const all = await kept(cwd);
    expect(all.get("gh-12")!.target.parent).toBe("gh-milestone-1");
    expect(stepsOf(all.get("gh-12"))).toEqual([
      ["Find the line", true],
      ["Correct it", false],
    ]);
    expect(all.get("gh-12")!.detail.description).toContain("Link: https://github.com/acme/garden/issues/12");
    expect(all.get("gh-13")!.target.status).toBe("DONE");
    expect(all.get("gh-14")!.target.status).toBe("CANCELED");
  });

  it("[TRACKER-2] ids that are taken, too long or of other characters get a hash", async () => {
    const cwd = await bound();
    await run({ cwd }, "add", "Mine", "--id", "bd-1");
    const ids = ["bd-1", "a/b", "a-b", "A-B", "../../x", "木", "x".repeat(300), "__proto__", "con"];
    const lines = ids.map((id) => JSON.stringify({ id, title: `Item ${id}`, status: "open" }));
    writeFileSync(join(cwd, "in.jsonl"), lines.join("\n"));
    const made = await imported(cwd, "beads", "in.jsonl");
    expect(made).toMatchObject({ tasks: ids.length, refused: 0 });
    expect(new Set(made.items.map(({ id }) => id.toLowerCase())).size).toBe(ids.length);
    for (const { id } of made.items) expect(id).toMatch(/^bd-[A-Za-z0-9-]+$/);
    expect((await kept(cwd)).get("bd-1")!.target.title).toBe("Mine");
    await isWell(cwd);
  });

  it("[TRACKER-10] goes on where it was cut off, and leaves alone what was changed or deleted here", async () => {
    const cwd = await bound();
    const lines = readFileSync(join(DATA, "beads.jsonl"), "utf8").split("\n");
    writeFileSync(join(cwd, "part.jsonl"), lines.slice(0, 2).join("\n"));
    expect(await imported(cwd, "beads", "part.jsonl")).toMatchObject({ plans: 1, tasks: 1 });
    await run({ cwd }, "edit", "bd-a1b2-1", "--title", "My own words");
    expect(await imported(cwd, "beads", join(DATA, "beads.jsonl"))).toMatchObject({ plans: 0, tasks: 3, already: 2 });
    await run({ cwd }, "rm", "bd-g7h8", "--yes");
    expect(await imported(cwd, "beads", join(DATA, "beads.jsonl"))).toMatchObject({ plans: 0, tasks: 0, already: 5 });
    const all = await kept(cwd);
    expect(all.get("bd-a1b2-1")!.target.title).toBe("My own words");
    expect(all.has("bd-g7h8")).toBe(false);
  });

  it("[TRACKER-10] [TRACKER-12] goes on after its process was killed", async () => {
    const cwd = await bound();
    const count = 150;
    const lines = Array.from({ length: count }, (_none, n) =>
      JSON.stringify({
        id: `bd-${n}`,
        title: `Item ${n}`,
        status: n % 2 === 0 ? "closed" : "open",
        acceptance_criteria: "it works",
      }),
    );
    writeFileSync(join(cwd, "in.jsonl"), lines.join("\n"));
    const child = spawn(process.execPath, [PROGRAM, "import", "beads", "in.jsonl"], { cwd, stdio: "ignore" });
    const ended = once(child, "exit");
    const folders = (): number =>
      existsSync(join(cwd, ".coco/tasks")) ? readdirSync(join(cwd, ".coco/tasks")).length : 0;
    while (folders() < 20 && child.exitCode === null) await setTimeout(5);
    child.kill("SIGKILL");
    await ended;
    const { already, tasks, refused: left } = await imported(cwd, "beads", "in.jsonl");
    expect(already).toBeGreaterThan(0);
    expect({ all: already + tasks, left }).toEqual({ all: count, left: 0 });
    const all = [...(await kept(cwd)).values()];
    expect(all.filter(({ target }) => target.status === "DONE")).toHaveLength(count / 2);
    expect(all).toHaveLength(count);
    await run({ cwd }, "rebuild");
    await isWell(cwd);
  });

  it("[TRACKER-10] [DUR-3] takes the place of a creation that was cut off", async () => {
    const cwd = await bound();
    const cut = join(cwd, ".coco/tasks/bd-1");
    mkdirSync(cut, { recursive: true });
    writeFileSync(join(cut, "events.jsonl"), "");
    writeFileSync(join(cwd, "in.jsonl"), JSON.stringify({ id: "bd-1", title: "Item" }));
    expect(await imported(cwd, "beads", "in.jsonl")).toMatchObject({ tasks: 1, refused: 0 });
    expect([...(await kept(cwd)).values()].map(({ target }) => target.id)).toEqual(["bd-1"]);
    await isWell(cwd);
  });

  it("[TRACKER-12] of two items with one id the first counts, also as a parent", async () => {
    const cwd = await bound();
    const items = [
      { id: "a" },
      { id: "a", issue_type: "epic" },
      { id: "e", dependencies: [{ type: "parent-child", depends_on_id: "a" }] },
    ];
    writeFileSync(join(cwd, "in.jsonl"), items.map((one) => JSON.stringify(one)).join("\n"));
    expect(await imported(cwd, "beads", "in.jsonl")).toMatchObject({ plans: 0, tasks: 2, refused: 0 });
  });

  it("[TRACKER-2] --plan puts all of it under one plan; a task is none", async () => {
    const cwd = await bound();
    await run({ cwd }, "plan", "add", "Home");
    await run({ cwd }, "add", "A task");
    expect(await imported(cwd, "beads", join(DATA, "beads.jsonl"), "--plan", "1")).toMatchObject({
      plans: 0,
      tasks: 5,
    });
    const all = [...(await kept(cwd)).values()].filter(({ target }) => target.id.startsWith("bd-"));
    expect(all.every(({ target }) => target.kind === "task" && target.parent === "PLAN-001")).toBe(true);
    await refused(cwd, "INVALID_INPUT", 2, "import", "beads", join(DATA, "beads.jsonl"), "--plan", "TASK-001");
    await refused(cwd, "UNKNOWN_ID", 3, "import", "beads", join(DATA, "beads.jsonl"), "--plan", "PLAN-009");
  });

  it("[TRACKER-12] an item that a tool refuses stops none of the others", async () => {
    const both = '{"id":"bd-1","title":"One"}\n{"id":"bd-2","title":"Two"}\n';
    const first = await bound();
    await run({ cwd: first }, "add", "Mine", "--id", "bd-1");
    writeFileSync(join(first, "in.jsonl"), both);
    const { items } = await imported(first, "beads", "in.jsonl");
    expect(items.map(({ from, came }) => [from, came])).toEqual([
      ["bd-1", "made"],
      ["bd-2", "made"],
    ]);
    // Both of its names are taken here.
    const cwd = await bound();
    for (const id of ["bd-1", items[0]!.id]) await run({ cwd }, "add", "Mine", "--id", id);
    writeFileSync(join(cwd, "in.jsonl"), both);
    const { code, out, err } = await run({ cwd }, "import", "beads", "in.jsonl");
    expect({ code, out }).toEqual({ code: 1, out: "beads: 0 plans and 1 task made, 1 refused.\n" });
    expect(err).toMatch(/^bd-1: ID_TAKEN: .+\n$/);
  });

  it("[TRACKER-21] a number keeps the digits that it was written with", async () => {
    const cwd = await bound();
    const tasks = `[{"id":7.5,"title":"A"},{"id":7.50,"title":"B","dependencies":[7.5]},{"id":1e3,"title":"C","size":-0.0},{"id":2,"title":"D",
      "subtasks":[{"id":1.10,"title":"E","details":"of E"},{"id":1.1,"title":"F","details":"of F"}],"weight":12.340}]`;
    writeFileSync(join(cwd, "tasks.json"), `{"tasks":${tasks}}`);
    const { items } = await imported(cwd, "taskmaster", "tasks.json");
    expect(items.map(({ from }) => from)).toEqual(["7.5", "7.50", "1e3", "2"]);
    const texts = JSON.stringify([...(await kept(cwd)).values()]);
    for (const text of ["-0.0", "12.340", "E (2.1.10)", "F (2.1.1)"]) expect(texts).toContain(text);
  });

  it("[TRACKER-12] [TRACKER-2] a record of another kind is left out by its number in the file, and counts once", async () => {
    const cwd = await bound();
    const tasks = [null, "text", { id: 1, title: "One" }, 7, { title: "no id", odd: "x" }, [{ id: 2, title: "Two" }]];
    writeFileSync(join(cwd, "tasks.json"), JSON.stringify({ master: { tasks }, side: { tasks } }));
    const { code, out } = await run({ cwd }, "import", "taskmaster", "tasks.json", "--json");
    const told = (JSON.parse(out) as { result: Told }).result;
    const odd = (tag: string): string[] => [1, 2, 4, 5, 6].map((n) => `task ${n} of tag "${tag}"`);
    expect(told.left_out.map(({ name }) => name)).toEqual([...odd("master"), ...odd("side")]);
    expect([code, told.fields]).toEqual([1, []]);
    const rows = [3, { title: "A", details: "of A" }, "x", { title: "B", deep: { more: "said" } }];
    writeFileSync(join(cwd, "more.json"), JSON.stringify({ tasks: [{ id: 9, title: "Nine", subtasks: rows }] }));
    const more = (await result(cwd, "import", "taskmaster", "more.json")) as unknown as Told;
    expect(JSON.stringify([...(await kept(cwd)).values()])).toMatch(/A \(9\.2\).+B \(9\.4\)/);
    expect(more.fields.map(({ field }) => field)).toEqual(["subtasks", "deep"]);
  });

  const deep = `[${"[".repeat(5000)}${"]".repeat(5000)}]`;
  const bomb = `---\na: &a [${"x,".repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\nd: [${"*c,".repeat(50)}]\n---\n`;
  it.each<[string, string, string | Buffer]>([
    ["beads", "a.jsonl", Buffer.from([0xff, 0xfe, 0x00, 0x41])],
    ["beads", "a.jsonl", '{"id":"x","title":"\0"}'],
    ["beads", "a.jsonl", '{"id":"x"'],
    ["beads", "a.jsonl", '{"title":"no id"}'],
    ["beads", "a.jsonl", "null"],
    ["github", "a.json", deep],
    ["github", "a.json", '{"message":"Not Found"}'],
    ["taskmaster", "a.json", "[]"],
    ["taskmaster", "a.json", '{"master":{}}'],
    ["taskwarrior", "a.json", '[{"description":"no uuid"}]'],
    ["taskwarrior", "a.json", "No matches."],
    ["markdown", "a.md", Buffer.alloc(4 * 1024 * 1024 + 1, 0x0a)],
    ["backlog", "backlog/tasks/a.md", "no front matter"],
    ["backlog", "backlog/tasks/a.md", "---\ntitle: no id\n---\n"],
    ["backlog", "backlog/tasks/a.md", "---\nid: [\n---\n"],
    ["backlog", "backlog/tasks/a.md", bomb],
  ])("[TRACKER-13] %s refuses %s that it cannot read", async (source, file, bytes) => {
    const cwd = await bound();
    mkdirSync(join(cwd, "backlog/tasks"), { recursive: true });
    writeFileSync(join(cwd, file), bytes);
    const err = await refused(cwd, "INVALID_INPUT", 2, "import", source, source === "backlog" ? "." : file);
    expect(err.split("\n").length).toBeLessThan(4);
    expect(err.length).toBeLessThan(600);
  });

  it("[TRACKER-13] what is not there, another kind of thing or too large", async () => {
    const cwd = await bound();
    writeFileSync(join(cwd, "large.json"), Buffer.alloc(64 * 1024 * 1024 + 1, 0x20));
    symlinkSync("/dev/zero", join(cwd, "zero.json"));
    for (const path of ["none.json", "large.json", "zero.json", "."])
      await refused(cwd, "INVALID_INPUT", 2, "import", "taskmaster", path);
    await refused(cwd, "INVALID_INPUT", 2, "import", "jira", "x.json");
    const outside = tempFolder();
    expect((await run({ cwd: outside }, "import", "markdown", "x.md")).err).toMatch(/^NO_WORKSPACE/);
  });

  it("[TRACKER-13] links below a folder are not followed", async () => {
    const cwd = await bound();
    cpSync(join(DATA, "backlog"), join(cwd, "backlog"), { recursive: true });
    symlinkSync(join(DATA, "README.md"), join(cwd, "backlog/tasks/link.md"));
    expect(await imported(cwd, "backlog", ".")).toMatchObject({ plans: 1, tasks: 5 });
  });

  it("[TRACKER-2] a text that is too long stands in notes, and many comments share notes", async () => {
    const cwd = await bound();
    const comments = Array.from({ length: 400 }, (_none, n) => ({
      author: "ann",
      text: `Comment ${n}`,
      created_at: "",
    }));
    const long = { id: "bd-1", title: "t".repeat(500), description: "木".repeat(200_000), comments };
    writeFileSync(join(cwd, "in.jsonl"), JSON.stringify(long));
    const { said } = await imported(cwd, "beads", "in.jsonl");
    expect(said).toEqual(["1 text too long for a description stands in notes: description"]);
    const notes = (await kept(cwd)).get("bd-1")!.notes.map(({ text }) => text);
    expect(notes.join("\n")).toContain("Comment 399");
    await isWell(cwd);
  });

  it("[TRACKER-21] [TRACKER-12] any list of items comes in, twice as once, and verify stays clean", SWEEP, async () => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 30 }),
      fc.constantFrom("__proto__", "constructor", "\u001b[2J", "\ud800", "a\nb", "- [ ] x", "", "=1+1", "none"),
    );
    const id = fc.oneof(text, fc.constantFrom("a", "b", "c", "d", "e"));
    const link = fc.record({ type: fc.constantFrom("blocks", "parent-child", "related"), depends_on_id: id });
    const issue = fc.record(
      {
        id: id.filter((one) => one.trim() !== ""),
        title: text,
        description: text,
        status: fc.constantFrom("open", "closed", "in_progress", "blocked", "tombstone", "__proto__"),
        priority: fc.oneof(fc.integer({ min: -1, max: 5 }), text),
        issue_type: fc.constantFrom("epic", "task", "bug"),
        acceptance_criteria: text,
        labels: fc.array(text, { maxLength: 3 }),
        dependencies: fc.array(link, { maxLength: 3 }),
        comments: fc.array(fc.record({ author: text, text, created_at: text }), { maxLength: 2 }),
        extra: fc.json({ maxDepth: 2 }),
      },
      { requiredKeys: ["id"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(issue, { minLength: 1, maxLength: 8 }), async (issues) => {
        const cwd = await bound();
        writeFileSync(join(cwd, "in.jsonl"), issues.map((one) => JSON.stringify(one)).join("\n"));
        const first = await imported(cwd, "beads", "in.jsonl");
        expect(first).toMatchObject({ already: 0, refused: 0 });
        const again = await imported(cwd, "beads", "in.jsonl");
        expect(again).toMatchObject({ plans: 0, tasks: 0, already: first.plans + first.tasks });
        // oxlint-disable-next-line no-control-regex
        for (const { target } of (await kept(cwd)).values()) expect(target.title).not.toMatch(/[\u0000-\u001f]/);
        await isWell(cwd);
      }),
      runsOf(40),
    );
  });
});

describe("taskfold export", () => {
  it("[TRACKER-16] prints all, or one plan, and replaces no file", async () => {
    const cwd = await bound();
    await imported(cwd, "beads", join(DATA, "beads.jsonl"));
    const { entries } = (await result(cwd, "export", "json", "--plan", "bd-a1b2")) as unknown as Exported;
    expect(entries.map(({ target }) => target.id)).toEqual(["bd-a1b2", "bd-a1b2-1"]);
    const all = (await run({ cwd }, "export", "json")).out;
    expect(await run({ cwd }, "export", "json", "--out", "all.json")).toEqual({
      code: 0,
      out: "",
      err: "5 entries in all.json.\n",
    });
    expect(readFileSync(join(cwd, "all.json"), "utf8")).toBe(all);
    await refused(cwd, "INVALID_INPUT", 2, "export", "json", "--out", "all.json");
    await refused(cwd, "INVALID_INPUT", 2, "export", "csv", "--plan", "bd-c3d4");
    expect((await json({ cwd }, "export", "csv")).doc).toMatchObject({ success: true });
  });

  it("[TRACKER-16] CSV reads back cell by cell, and no cell is a formula", async () => {
    const cwd = await bound();
    const titles = ['=HYPERLINK("http://example.com")', "+1", "-1", "@SUM(A1)", 'a,"b"', "plain", " =1"];
    for (const [n, title] of titles.entries())
      await run(
        { cwd },
        "call",
        "tasks_create",
        JSON.stringify({ kind: "task", id: `t-${n}`, title, description: "a\r\nb" }),
      );
    const rows = cells((await run({ cwd }, "export", "csv")).out);
    expect(rows.every((row) => row.length === rows[0]!.length)).toBe(true);
    const at = rows[0]!.indexOf("title");
    expect(rows.slice(1).map((row) => row[at])).toEqual(
      titles.map((title) => (/^\s*[=+\-@]/.test(title) ? `'${title}` : title)),
    );
    expect(rows.flat().some((cell) => /^\s*[=+\-@\t\r]/.test(cell))).toBe(false);
  });

  it("[TRACKER-16] Markdown keeps the page whole, whatever a text says", async () => {
    const cwd = await bound();
    const input = { kind: "task", title: "# <b>*A* `title`", description: "# Heading\n```\nopen fence\u001b[2J" };
    await run({ cwd }, "call", "tasks_create", JSON.stringify(input));
    const { out } = await run({ cwd }, "export", "markdown");
    expect(out).toContain("### TASK-001: \\# \\<b\\>\\*A\\* \\`title\\`\n");
    expect(out).toContain("\n> # Heading\n> ```\n> open fence\\x1b[2J\n");
    expect(out).not.toContain("\u001b");
  });
});

/** RFC 4180, read by the letter. */
function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  for (let at = 0; at < text.length;) {
    const row = rows.at(-1)!;
    let cell = "";
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[++at];
        else break;
      }
      at++;
    } else while (at < text.length && text[at] !== "," && text[at] !== "\r") cell += text[at++];
    row.push(cell);
    const end = text[at] === "," ? "," : text.slice(at, at + 2);
    if (end !== "," && end !== "\r\n") throw new Error(`no end of a cell at ${at}`);
    at += end.length;
    if (end !== "," && at < text.length) rows.push([]);
  }
  return rows;
}
