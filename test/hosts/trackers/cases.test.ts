/** Files of other trackers as people met them: what an import says of what it does not take in, and what it keeps. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Page } from "../../../src/hosts/cli/page.ts";
import { json, result, run } from "../cli_support.ts";
import { tempFolder } from "../../support/temp.ts";
import { ROTATING } from "../../support/sweep.ts";

type Kept = Pick<Page, "target" | "detail" | "notes"> & { steps: Page["step_list"] };

interface Took {
  cwd: string;
  code: number;
  err: string;
  report: {
    tasks: number;
    items: { id: string; from: string }[];
    left_out: { kind: string; name: string; message?: string }[];
    fields: { field: string; place: string; items: number }[];
    said: string[];
  };
  kept: Map<string, Kept>;
}

/** Writes the files into a bound folder, and takes them in. */
async function took(
  source: string,
  files: Record<string, string | Buffer>,
  path = Object.keys(files)[0]!,
): Promise<Took> {
  const cwd = tempFolder();
  await run({ cwd }, "init", "--workspace", "acme/repo");
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
  const dry = await json({ cwd }, "import", source, path, "--dry-run");
  const { code, doc } = await json({ cwd }, "import", source, path);
  expect(dry).toMatchObject({ code, doc: { result: { ...(doc.result as object), dry_run: true } } });
  const { err } = await run({ cwd }, "import", source, path);
  const { entries } = (await result(cwd, "export", "json")) as unknown as { entries: Kept[] };
  expect(await run({ cwd }, "verify")).toMatchObject({ code: 0 });
  const kept = new Map(entries.map((entry) => [entry.target.id, entry]));
  return { cwd, code, err, report: doc.result as Took["report"], kept };
}

function stepTitles(entry: { steps: Page["step_list"] } | undefined): string[] {
  return entry!.steps.map(({ title }) => title);
}

/** A page of Backlog.md. */
function page(id: string, front = "", body = ""): string {
  return `---\nid: ${id}\ntitle: Title of ${id}\nstatus: To Do\n${front}---\n\n${body}`;
}

describe("Backlog.md", () => {
  it("[TRACKER-2] steps come in the order of their numbers, and an ordinal comes first", async () => {
    const children = [1, 2, 10, 11].map((n) => [
      `backlog/tasks/task-1.${n} - x.md`,
      page(`task-1.${n}`, "parent_task_id: task-1\n"),
    ]);
    const files = { "backlog/tasks/task-1 - x.md": page("task-1"), ...Object.fromEntries(children) };
    const { kept } = await took("backlog", files, ".");
    expect(stepTitles(kept.get("backlog-1"))).toEqual([1, 2, 10, 11].map((n) => `Title of task-1.${n}`));
    const moved = page("task-1.10", "parent_task_id: task-1\nordinal: 500\n");
    const first = await took("backlog", { ...files, "backlog/tasks/task-1.10 - x.md": moved }, ".");
    expect(stepTitles(first.kept.get("backlog-1"))).toEqual([10, 1, 2, 11].map((n) => `Title of task-1.${n}`));
    expect(first.kept.get("backlog-1")!.detail.description).toContain("Ordinal: 500");
  });

  it("[TRACKER-2] other pages are named, and blanks behind --- are no fault", async () => {
    const { code, report, kept } = await took(
      "backlog",
      {
        "backlog/tasks/task-1 - x.md": page("task-1").replaceAll("---\n", "--- \n"),
        "backlog/tasks/README.md": "# About this folder\n",
        "backlog/docs/doc-1 - Setup.md": "---\nid: doc-1\n---\n",
        "backlog/decisions/decision-1 - Use.md": "---\nid: decision-1\n---\n",
      },
      ".",
    );
    expect({ code, tasks: [...kept.keys()] }).toEqual({ code: 0, tasks: ["backlog-1"] });
    expect(report.left_out).toEqual([
      { kind: "document", name: "docs/doc-1 - Setup.md" },
      { kind: "decision", name: "decisions/decision-1 - Use.md" },
      { kind: "page", name: "tasks/README.md" },
    ]);
    expect(report.said.join("\n")).toMatch(
      /1 document left out: docs\/doc-1 - Setup\.md\nDocuments and decisions stay/,
    );
  });

  it("[TRACKER-12] [TRACKER-13] a page that cannot be read stops none of the others", async () => {
    const broken = { "backlog/tasks/task-2 - y.md": "---\nid: [\n---\n", "backlog/tasks/task-3 - z.md": page('""') };
    const { code, err, report } = await took(
      "backlog",
      { "backlog/tasks/task-1 - x.md": page("task-1"), ...broken },
      ".",
    );
    expect({ code, tasks: report.tasks }).toEqual({ code: 1, tasks: 1 });
    expect(report.left_out.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "unread tasks/task-2 - y.md",
      "unread tasks/task-3 - z.md",
    ]);
    expect(err).toContain("tasks/task-2 - y.md: ");
  });

  it("[TRACKER-21] [regression TRACKER-25] criteria keep their further lines, and other lines stay text", async () => {
    const body = [
      "## Acceptance Criteria\n<!-- AC:BEGIN -->",
      "Before all.",
      "- [x] #1 The first\nwith a second line",
      "- [ ] #2 The second\n  - with a bullet",
      "- a plain bullet",
      "- [ ] #42 is the answer",
      "<!-- AC:END -->",
    ].join("\n");
    const { kept } = await took("backlog", { "backlog/tasks/task-1 - x.md": page("task-1", "type: bug\n", body) }, ".");
    const { steps, detail } = kept.get("backlog-1")!;
    expect(steps.map(({ title, success_criteria: [first], done }) => [title, first, done])).toEqual([
      ["The first", "The first\nwith a second line", true],
      ["The second", "The second\n- with a bullet", false],
      ["#42 is the answer", "#42 is the answer", false],
    ]);
    expect(detail.description).toContain("## Acceptance Criteria\n\nBefore all.\n- a plain bullet\n");
    expect(detail.description).toContain("\ntype: bug");
  });
});

describe("a text that is longer than a description", () => {
  const words = (name: string, count: number) => Array.from({ length: count }, (_none, n) => `${name}${n}`).join(" ");
  const acceptance = "- it holds\n- [~] half of it";

  async function tookBeads(issue: object) {
    const files = { "in.jsonl": JSON.stringify({ id: "bd-1", title: "One", ...issue }) };
    const { report, kept, cwd } = await took("beads", files);
    const lines = readFileSync(join(cwd, ".coco/tasks/bd-1/events.jsonl"), "utf8").trimEnd().split("\n");
    const notes = lines.flatMap((line) => (JSON.parse(line) as { payload: { note?: string } }).payload.note ?? []);
    return { report, description: kept.get("bd-1")!.detail.description, steps: kept.get("bd-1")!.steps, notes };
  }

  it("[TRACKER-2] [TRACKER-21] stands whole in notes, and all that is shorter stays", async () => {
    const description = words("w", 60_000);
    const {
      report,
      description: said,
      steps,
      notes,
    } = await tookBeads({
      description,
      acceptance_criteria: acceptance,
      design: "Small.",
      owner: "ann",
    });
    expect(notes.map((note) => note.slice(0, 45))).toEqual([
      "Part 1 of 2 of what is long there:\n\nw0 w1 w2 ",
      expect.stringMatching(/^Part 2 of 2 of what is long there:\n\nw\d+ /),
    ]);
    expect(notes.map((note) => note.slice(note.indexOf("\n\n") + 2)).join("")).toBe(description);
    expect(said).toContain(
      'Too long for a description: description. All of it stands in 2 notes, from "Part 1 of 2" on.',
    );
    for (const part of [`## Acceptance criteria\n\n${acceptance}`, "## Design\n\nSmall.", "owner: ann"])
      expect(said).toContain(part);
    expect(steps[0]!.success_criteria).toEqual(["it holds", "half of it"]);
    expect(report.fields).toEqual([
      { field: "owner", place: "description", items: 1 },
      { field: "description", place: "notes", items: 1 },
    ]);
  });

  it.each([
    ["comments", { comments: [{ text: words("c", 60_000), author: "ann" }] }],
    ["acceptance_criteria", { acceptance_criteria: words("a", 60_000) }],
    ["design", { design: words("d", 60_000), description: words("e", 10_000) }],
    ["estimate", { description: words("e", 10_000), estimate: words("f", 60_000) }],
  ])("[TRACKER-2] [TRACKER-21] no word of %s is lost, and the report has its name", ROTATING, async (field, issue) => {
    const { report, description, notes } = await tookBeads({ acceptance_criteria: "- a criterion", ...issue });
    expect(report.fields.filter(({ place }) => place === "notes")).toEqual([{ field, place: "notes", items: 1 }]);
    const there = new Set(`${description} ${notes.join(" ")}`.split(/\s+/));
    expect(
      JSON.stringify(issue)
        .match(/[a-f]\d+/g)!
        .filter((word) => !there.has(word)),
    ).toEqual([]);
  });
});

describe("a word of the source", () => {
  it("[TRACKER-21] Backlog.md keeps its spelling of ids and priorities, and takes two spellings for one id", async () => {
    const files = {
      "backlog/tasks/task-1 - x.md": page("task-1", "priority: Medium\n"),
      "backlog/tasks/task-2 - x.md": page("TASK-2", "dependencies: [Task-1, task-9]\npriority: someday\n"),
      "backlog/tasks/task-2.1 - x.md": page("task-2.1", "parent_task_id: task-2\n"),
      "backlog/tasks/task-3 - x.md": page("Task-1"),
    };
    const { report, kept } = await took("backlog", files, ".");
    expect(report.items.map(({ from }) => from)).toEqual(["task-1", "TASK-2"]);
    expect(report.left_out).toEqual([{ kind: "twin", name: "Task-1 Title of Task-1" }]);
    expect(kept.get("backlog-1")!.detail).toMatchObject({ priority: "Medium" });
    expect(kept.get("backlog-2")!.detail).toMatchObject({ priority: "someday", depends_on: ["backlog-1"] });
    expect(kept.get("backlog-2")!.detail.description).toContain("Depends on: task-9");
    expect(kept.get("backlog-2")!.detail.description).toContain("(task-2.1)");
  });

  it("[TRACKER-21] numbers keep all of their digits, in JSON and in YAML", async () => {
    const json =
      '[{"number":1,"title":"a","big":12345678901234567890,"list":[0.12345678901234567890,-1e400],"small":1.50}]';
    const issues = await took("github", { "gh.json": json });
    expect(issues.kept.get("gh-1")!.detail.description.split("\n").slice(1)).toEqual([
      "big: 12345678901234567890",
      "list: 0.12345678901234567890, -1e400",
      "small: 1.50",
    ]);
    const { kept } = await took("beads", {
      "in.jsonl": '{"id":12345678901234567890,"title":"a \\" 99999999999999999999"}',
    });
    expect([...kept.values()][0]!.target.title).toBe('a " 99999999999999999999');
    expect([...kept.keys()]).toEqual(["bd-12345678901234567890"]);
    const yaml = { "backlog/tasks/task-1 - x.md": page("task-1", "version: 1.10\nbuild: 12345678901234567890\n") };
    const pages = await took("backlog", yaml, ".");
    expect(pages.kept.get("backlog-1")!.detail.description).toMatch(/version: 1\.10\nbuild: 12345678901234567890/);
  });

  it("[TRACKER-21] [TRACKER-2] of Backlog.md comments, settings and other files are named, and what is empty is not", async () => {
    const { report, kept } = await took(
      "backlog",
      {
        "backlog/config.yml": 'project_name: "Garden"\ndefinition_of_done: [tests pass]\nlabels: []\n# A remark.\n',
        "backlog/tasks/task-1 - x.md": page("task-1", "# Why it is here\nowner: # nobody\nreviewer:\ntags: []\n"),
        "backlog/tasks/notes.txt": "Not a task.\n",
        "backlog/tasks/.gitkeep": "",
        "backlog/tasks/empty.txt": "",
        "backlog/README.md": "# Of the folder\n",
      },
      ".",
    );
    expect(report.fields).toEqual([
      { field: "comments of YAML", place: "description", items: 1 },
      { field: "config.yml: project_name", place: "nowhere", items: 0 },
      { field: "config.yml: definition_of_done", place: "nowhere", items: 0 },
      { field: "config.yml: comments of YAML", place: "nowhere", items: 0 },
    ]);
    expect(report.left_out).toEqual([
      { kind: "file", name: "tasks/notes.txt" },
      { kind: "file", name: "README.md" },
    ]);
    expect(kept.get("backlog-1")!.detail.description).toContain(
      "## Comments in the front matter\n\nWhy it is here\nnobody",
    );
  });
});

describe("Task Master", () => {
  const taskmaster = (tasks: unknown[]): Record<string, string> => ({
    "tasks.json": JSON.stringify({ master: { tasks } }),
  });

  it("[TRACKER-2] a subtask's dependency on a whole task stays, in each form of the program", async () => {
    const subtasks = [
      { id: 1, title: "Sub A", status: "done", dependencies: ["3"] },
      { id: 2, title: "Sub B", dependencies: ["1.1", "2", 4] },
      { id: 3, title: "Sub C", dependencies: ["99.1", 2, "3.1"] },
    ];
    const others = [2, 3, 4].map((id) => ({ id, title: `Task ${id}`, subtasks: [{ id: 1, title: "Part" }] }));
    const { kept, report } = await took("taskmaster", taskmaster([{ id: 1, title: "One", subtasks }, ...others]));
    const one = kept.get("tm-1")!;
    expect(one.detail.depends_on.toSorted()).toEqual(["tm-2", "tm-3", "tm-4"]);
    expect(one.steps[2]!.waits_for).toEqual([one.steps[1]!.step_id]);
    for (const line of ["Depends on: 3", "Depends on: 2, 4", "Depends on: 99.1, 3.1", "Depends on: 99.1"])
      expect(one.detail.description.split("\n")).toContain(line);
    expect(report.said).toContain("1 item with a dependency that cannot be kept: it stands in the description");
  });

  it("[TRACKER-2] a subtask of a subtask is a step, and a task may wait for a subtask", async () => {
    const deep = { id: 1, title: "Deep", details: "Far below", subtasks: [{ id: 1, title: "Deeper" }] };
    const { kept } = await took(
      "taskmaster",
      taskmaster([
        { id: 1, title: "One", testStrategy: "Run it", subtasks: [{ id: 1, title: "Sub", subtasks: [deep] }] },
        { id: 2, title: "Two", dependencies: ["1.1"] },
      ]),
    );
    expect(stepTitles(kept.get("tm-1"))).toEqual(["Sub", "Deep", "Deeper", "One"]);
    expect(kept.get("tm-1")!.detail.description).toContain("Far below\n\nBelow: 1.1");
    expect(kept.get("tm-2")!.detail).toMatchObject({ depends_on: ["tm-1"] });
    expect(kept.get("tm-2")!.detail.description).toContain("Depends on: 1.1");
  });
});

describe("beads", () => {
  const lines = (...records: unknown[]): Record<string, string> => ({
    "in.jsonl": records.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n"),
  });

  it("[TRACKER-2] memories and headers are named, and the issues come in", async () => {
    const header = { _schema: "beads.export.v1", exported_at: "2026-07-01T00:00:00Z" };
    const memory = { _type: "memory", key: "auth", value: "JWT is used" };
    const { code, report } = await took("beads", lines(header, { _type: "issue", id: "bd-1", title: "One" }, memory));
    expect({ code, tasks: report.tasks }).toEqual({ code: 0, tasks: 1 });
    expect(report.left_out).toEqual([
      { kind: "record", name: "beads.export.v1 in line 1 of in.jsonl" },
      { kind: "memory", name: "auth" },
    ]);
  });

  it("[TRACKER-12] a line that cannot be read stops none of the others", async () => {
    const { code, err, report } = await took(
      "beads",
      lines('{"id":"bd-1"', { title: "No id" }, { id: "bd-2", title: "Two" }),
    );
    expect({ code, from: report.items.map(({ from }) => from) }).toEqual({ code: 1, from: ["bd-2"] });
    expect(err).toMatch(/^line 1 of in\.jsonl: Expected .+\nline 2 of in\.jsonl: Expected .+\n$/);
  });

  it("[TRACKER-2] a child's reason and second parent stay, and children keep their order", async () => {
    const to = (...ids: string[]) =>
      ids.map((depends_on_id) => ({ issue_id: "", depends_on_id, type: "parent-child" }));
    const { kept } = await took(
      "beads",
      lines(
        { id: "bd-p", title: "Parent" },
        { id: "bd-p.10", title: "Ten", dependencies: to("bd-p") },
        {
          id: "bd-p.2",
          title: "Two",
          status: "closed",
          close_reason: "won by\nthe second try",
          dependencies: to("bd-p", "bd-e"),
        },
        { id: "bd-e", title: "Epic", issue_type: "epic", acceptance_criteria: "- it holds" },
        { id: "bd-x", title: "Reopened", status: "open", close_reason: "was too early", dependencies: to("bd-zz") },
      ),
    );
    expect(stepTitles(kept.get("bd-p"))).toEqual(["Two", "Ten"]);
    expect(kept.get("bd-p")!.detail.description).toContain("Reason: won by\nthe second try");
    expect(kept.get("bd-p")!.detail.description).toContain("Other parents: bd-e");
    expect(kept.get("bd-e")!.detail.description).toContain("it holds");
    expect(kept.get("bd-x")!.detail.description).toContain("Reason: was too early\nParent: bd-zz");
  });
});

describe("two records with one id", () => {
  it("[TRACKER-13] [TRACKER-2] the first counts, as a child too, and the other is named", async () => {
    const dependencies = [{ type: "parent-child", depends_on_id: "bd-p" }];
    const records = [
      { id: "bd-p", title: "Parent" },
      { id: "bd-c", title: "Child", dependencies },
      { id: "bd-c", title: "Twin" },
    ];
    const { kept, report } = await took("beads", { "in.jsonl": records.map((one) => JSON.stringify(one)).join("\n") });
    expect([...kept.keys()]).toEqual(["bd-p"]);
    expect(stepTitles(kept.get("bd-p"))).toEqual(["Child"]);
    expect(report.left_out).toEqual([{ kind: "twin", name: "bd-c Twin" }]);
  });
});

describe("Taskwarrior", () => {
  it("[TRACKER-2] [TRACKER-21] a value keeps its lines and its length, and the report names its field", async () => {
    const journal = `${"L".repeat(1500)}\n\n - ${"M".repeat(1500)}\n - END`;
    const row = {
      uuid: "11111111-1111-4111-8111-111111111111",
      description: "Buy:\n- milk",
      status: "pending",
      journal,
      urgency: 1.5,
    };
    const { kept, report } = await took("taskwarrior", { "in.json": JSON.stringify([row]) });
    expect(kept.get("tw-11111111")!.detail.description).toContain(`## journal\n\n${journal}\n`);
    expect(kept.get("tw-11111111")!.detail.description).toContain("## Title there\n\nBuy:\n- milk\n");
    expect(report.fields).toEqual([
      { field: "journal", place: "description", items: 1 },
      { field: "urgency", place: "nowhere", items: 1 },
    ]);
    expect(report.said).toEqual([
      "1 field has no place here and stands in the description: journal",
      "1 field left out: urgency",
    ]);
  });
});

describe("JSON", () => {
  it.each([
    ["a list", (rows: string[]) => `[\n${rows.join(",\n")}\n]\n`],
    ["a list that was cut off", (rows: string[]) => `[\n${rows.join(",\n")},\n{"uuid":`],
    ["a record a line", (rows: string[]) => rows.join("\r\n")],
  ])("[TRACKER-12] bytes that are no UTF-8 stop none of the other lines: %s", async (_form, whole) => {
    const rows = ["11111111", "\xff\xfe", "22222222"].map(
      (id) => `{"uuid":"${id}-1111-4111-8111-111111111111","description":"x"}`,
    );
    const { code, report } = await took("taskwarrior", { "in.json": Buffer.from(whole(rows), "latin1") });
    expect({ code, from: report.items.map(({ from }) => from.slice(0, 8)) }).toEqual({
      code: 1,
      from: ["11111111", "22222222"],
    });
    expect(report.left_out[0]!.name).toMatch(/^line [23] of in\.json$/);
    expect(report.left_out[0]!.message).toContain("UTF-8");
  });

  it("[TRACKER-21] control characters within a text are no fault of a file, as Taskwarrior 2.6 writes them", async () => {
    const rows =
      '[{"uuid":"11111111-1111-4111-8111-111111111111","description":"ring \u0007 the \t \\"bell\\"","status":"pending"}]';
    const { kept } = await took("taskwarrior", { "in.json": rows });
    expect(kept.get("tw-11111111")!.target.title).toBe('ring the "bell"');
  });
});

describe("Markdown", () => {
  it("[regression TRACKER-25] a paragraph goes on at the left, and other text is of the plan or is named", async () => {
    const text = [
      "Before all.",
      "- [ ] Of no heading",
      "",
      "# Todo",
      "Text under the heading.",
      "- [ ] Every sample parses",
      "and the output is stable",
      "  - [/] a step",
      "    and more of the step",
      "- [ ] Second",
      "  continued here",
      "",
      "  - plain bullet",
      "",
      "After the list.",
      "",
      "# Empty",
      "Nothing to do.",
    ].join("\n");
    const { kept, report } = await took("markdown", { "TODO.md": text });
    const titled = (title: string) => [...kept.values()].find(({ target }) => target.title === title)!;
    expect(titled("Every sample parses").detail.description).toMatch(
      /^and the output is stable\n- \[\/\] a step\n {2}and more of the step\n\n---\n/,
    );
    expect(titled("Second").detail.description).toMatch(/^continued here\n\n- plain bullet\n\n---\n/);
    expect(titled("Todo").detail.description).toMatch(
      /^Before all\.\n\nText under the heading\.\n\nAfter the list\.\n\n---\n/,
    );
    expect(report.left_out.map(({ name }) => name)).toEqual(["line 17 of TODO.md", "line 18 of TODO.md"]);
  });

  it("[TRACKER-12] a page with a conflict stops none of the others", async () => {
    const files = { "lists/a.md": "<<<<<<< ours\n- [ ] A\n>>>>>>> theirs\n", "lists/b.md": "- [ ] B\n" };
    const { code, report } = await took("markdown", files, "lists");
    expect({ code, tasks: report.tasks, left: report.left_out[0]!.name }).toEqual({
      code: 1,
      tasks: 1,
      left: "lists/a.md",
    });
  });
});

describe("GitHub", () => {
  it("[TRACKER-2] an issue with `pull_request: null` is an issue", async () => {
    const rows = [
      { number: 1, title: "a", pull_request: null },
      { number: 2, title: "b", pull_request: { url: "x" } },
    ];
    const { kept, report } = await took("github", { "gh.json": JSON.stringify(rows) });
    expect([...kept.keys()]).toEqual(["gh-1"]);
    expect(report.left_out).toEqual([{ kind: "pull_request", name: "#2 b" }]);
  });

  it("[TRACKER-2] a field of a comment stands in its note, and nowhere else", async () => {
    const comments = [
      { id: "IC_1", author: { login: "ann" }, body: "Seen.", createdAt: "2026-01-03", authorAssociation: "OWNER" },
    ];
    const { kept, report } = await took("github", { "gh.json": JSON.stringify([{ number: 1, title: "a", comments }]) });
    expect(kept.get("gh-1")!.notes.map(({ text }) => text)).toEqual([
      "ann, 2026-01-03: Seen.\nauthorAssociation: OWNER",
    ]);
    expect(kept.get("gh-1")!.detail.description).toBe("From GitHub: 1");
    expect(report.fields).toEqual([{ field: "comments.id", place: "nowhere", items: 1 }]);
  });

  it("[TRACKER-2] [TRACKER-21] fields without a place stand in the description, and those of the API are named", async () => {
    const issue = {
      number: 1,
      title: "a",
      state: "OPEN",
      id: "I_1",
      url: "https://github.com/o/r/issues/1",
      projectItems: [{ status: { name: "In progress" }, title: "Roadmap" }],
      closedByPullRequestsReferences: [{ number: 9 }],
      isPinned: true,
    };
    const { kept, report } = await took("github", { "gh.json": JSON.stringify([issue, { title: "no number" }]) });
    expect(kept.get("gh-1")!.detail.description.split("\n")).toEqual([
      "From GitHub: o/r#1",
      "Status there: OPEN",
      "Link: https://github.com/o/r/issues/1",
      "projectItems.status.name: In progress",
      "projectItems.title: Roadmap",
      "closedByPullRequestsReferences.number: 9",
      "isPinned: true",
    ]);
    expect(report.fields.map(({ field, place }) => `${place} ${field}`)).toEqual([
      "description projectItems",
      "description closedByPullRequestsReferences",
      "description isPinned",
      "nowhere id",
    ]);
    expect(report.left_out).toMatchObject([{ kind: "unread", name: "item 2 of gh.json" }]);
  });
});
