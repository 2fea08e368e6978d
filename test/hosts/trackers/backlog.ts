/** Backlog.md: a folder of pages with front matter. */
import type { Said, Writing, Written } from "./writing.ts";
import { written } from "./writing.ts";

/** What YAML or the parts of a page would take for something else is written in the ways that the program knows: quoted. */
const QUOTED = [(text: string) => JSON.stringify(text), (text: string) => `'${text.replaceAll("'", "''")}'`];
/** Lines of a part: a heading of level 2 would begin another where there are no marks, and the marks are the program's own. */
const BREAKS = ["\n", "\n\n", "\n- ", "\n# ", "\n## ", "\n> ", "\n1. ", "\n    ", "\n- [x] ", "\n---\n", "\n```\n"];
const PARTS = [
  ["Implementation Plan", "SECTION:PLAN"],
  ["Implementation Notes", "SECTION:NOTES"],
  ["Final Summary", "SECTION:FINAL_SUMMARY"],
  ["Of My Own", undefined],
] as const;

export function writeBacklog(w: Writing): Written {
  const files = new Map<string, string>();
  const said: Said[] = [];
  const [project, remark] = [w.word(), w.word()];
  const definition = w.some(2, () => w.word());
  files.set(
    "backlog/config.yml",
    `project_name: "${project}"\nstatuses: ["To Do", "In Progress", "Done"] # ${remark}\ndefinition_of_done: ${JSON.stringify(definition)}\n`,
  );
  said.push(
    { field: "config.yml: project_name", value: project },
    { field: "config.yml: comments of YAML", value: remark },
  );
  said.push({ field: "config.yml: definition_of_done", value: definition });
  const milestones = w.some(2, (at) => {
    const [id, title, text] = [`m-${at}`, w.line(), w.text()];
    files.set(
      `backlog/milestones/${id} - x.md`,
      `---\nid: ${id}\ntitle: ${quoted(w, title)}\n---\n\n## Description\n\n${text}\n`,
    );
    said.push({ of: `milestone:${id}`, field: "milestone", value: [title, text] });
    return id;
  });
  const tasks: { id: string; own: string; home: string }[] = [];
  for (let at = 0; at < 1 + w.random.below(6); at++) {
    const above = tasks.length > 0 && w.random.chance(0.4) ? w.pick(tasks) : undefined;
    const id = above ? `${above.id}.${12 - at}` : `TASK-${w.pick([at + 1, (at + 1) * 10])}`;
    if (tasks.some((one) => one.id === id)) continue;
    const own = spelled(w, id);
    const home = above?.home ?? own;
    const page = pageOf(w, { id: own, home, above: above?.id, milestones, before: tasks, said });
    const folder = above ? "tasks" : w.pick(["tasks", "tasks", "completed", "drafts"]);
    files.set(`backlog/${folder}/${id.toLowerCase()} - x.md`, page);
    tasks.push({ id, own, home });
  }
  if (w.random.chance(0.3)) {
    files.set("backlog/tasks/notes.txt", "Not a task.\n");
    said.push({ field: "tasks/notes.txt", value: "Not a task." });
  }
  const extra: [chance: number, path: string, text: string, named: string][] = [
    [0.3, "backlog/docs/doc-1 - Setup.md", "---\nid: doc-1\n---\nSetup\n", "docs/doc-1 - Setup.md"],
    [0.3, "backlog/decisions/decision-1 - Use.md", "---\nid: decision-1\n---\nUse\n", "decisions/decision-1 - Use.md"],
    [0.3, "backlog/tasks/README.md", "# About\n\nThis folder.\n", "tasks/README.md"],
    [0.2, "backlog/tasks/task-90 - broken.md", "---\nid: [\n---\n", "tasks/task-90 - broken.md"],
    [0.3, "backlog/archive/tasks/task-91 - old.md", "---\nid: TASK-91\n---\n", "archive/tasks/task-91 - old.md"],
  ];
  for (const [chance, path, text, named] of extra) {
    if (!w.random.chance(chance)) continue;
    files.set(path, text);
    said.push({ field: named, value: named });
  }
  return { path: ".", files, said };
}

interface PageOf {
  id: string;
  home: string;
  above: string | undefined;
  milestones: string[];
  before: readonly { id: string; own: string }[];
  said: Said[];
}

function pageOf(w: Writing, { id, home, above, milestones, before, said }: PageOf): string {
  const say = (field: string, value: unknown, isText = false): void =>
    void said.push({ of: home, field, value, isText });
  const dependencies = w
    .some(2, () => w.pick([...before, { id: "TASK-777", own: "" }]))
    .map((to) => {
      const written = spelled(w, to.id);
      said.push({ of: home, by: id, field: "dependencies", value: null, dependsOn: to.own || written });
      return written;
    });
  const front = written({
    id,
    title: w.line(),
    status: w.pick(["To Do", "In Progress", "Done", "Blocked", w.word()]),
    assignee: w.some(3, () => `@${w.word()}`),
    reporter: w.maybe(() => `@${w.word()}`),
    created_date: "2026-01-01 10:00",
    updated_date: w.maybe(() => w.word()),
    due_date: w.maybe(() => w.word()),
    labels: w.some(3, () => w.line()),
    milestone: w.maybe(() => w.pick([...milestones, w.word()])),
    dependencies,
    references: w.maybe(() => w.some(3, () => `https://example.org/${w.word()}`)),
    documentation: w.maybe(() => w.some(3, () => `docs/${w.word()}.md`)),
    modified_files: w.maybe(() => w.some(3, () => `src/${w.word()}.ts`)),
    parent_task_id: above === undefined ? undefined : spelled(w, above),
    priority: w.maybe(() => w.pick(["high", "Medium", "LOW", w.word()])),
    type: w.maybe(() => w.word()),
    project: w.maybe(() => w.word()),
    onStatusChange: w.maybe(() => w.line()),
    ordinal: w.maybe(() => 1000 + w.random.below(20) * 500),
    [w.word()]: w.line(),
    [w.word()]: w.text(),
  });
  for (const [field, value] of Object.entries(front))
    if (!["id", "dependencies", "parent_task_id"].includes(field)) {
      // A milestone that is a file of its own is a plan.
      if (field !== "milestone" || !milestones.includes(String(value)))
        said.push({ ...(field === "milestone" ? {} : { of: home }), field, value });
    }
  const remark = w.maybe(() => w.word());
  if (remark !== undefined) say("comments of YAML", remark);
  const parts: string[] = [];
  const part = (heading: string, mark: string | undefined, body: string): void =>
    void parts.push(
      `## ${heading}\n\n${mark === undefined ? body : `<!-- ${mark}:BEGIN -->\n${body}\n<!-- ${mark}:END -->`}\n`,
    );
  if (w.random.chance(0.8)) {
    const text = w.text(BREAKS);
    say("Description", text, true);
    part("Description", "SECTION:DESCRIPTION", text);
  }
  for (const [heading, mark] of [
    ["Acceptance Criteria", "AC"],
    ["Definition of Done", "DOD"],
  ] as const)
    if (w.random.chance(0.6)) part(heading, mark, criteria(w, heading, say));
  for (const [heading, mark] of PARTS) {
    if (w.random.chance(0.5)) continue;
    const text = w.text(mark === undefined ? BREAKS.filter((one) => one !== "\n## ") : BREAKS);
    say(heading, text, true);
    part(heading, mark, text);
  }
  if (w.random.chance(0.4)) part("Comments", "COMMENTS", commentsOf(w, say));
  const blank = (): string => w.pick(["", "", "", " ", "\t"]);
  const page = `---${blank()}\n${remark === undefined ? "" : `# ${remark}\n`}${yamlOf(w, front)}empty:\n---${blank()}\n\n${parts.join("\n")}`;
  return w.pick(["", "", "\ufeff"]) + (w.random.chance(0.2) ? page.replaceAll("\n", "\r\n") : page);
}

/** The program takes all of them for one id. */
function spelled(w: Writing, id: string): string {
  return w.pick([id, id.toLowerCase(), `T${id.slice(1).toLowerCase()}`]);
}

function criteria(w: Writing, heading: string, say: (field: string, value: unknown) => void): string {
  const lines = Array.from({ length: 1 + w.random.below(5) }, (_none, at) => {
    const text = w.line();
    if (w.random.chance(0.2)) {
      const more = w.line();
      say(heading, more);
      return w.pick([more, `- ${more}`, `  ${more}`, `\n${more}\n`, `### ${more}`]);
    }
    say(heading, text);
    return `- [${w.pick([" ", "x"])}] #${at + 1} ${text}`;
  });
  return lines.join("\n");
}

function commentsOf(w: Writing, say: (field: string, value: unknown, isText?: boolean) => void): string {
  return w
    .some(3, () => {
      const [author, text] = [w.word(), w.text(BREAKS.filter((one) => !one.includes("---")))];
      say("Comments", author);
      say("Comments", text, true);
      return `author: @${author}\ncreated: 2026-11-27 03:07\n---\n${text}\n---\n`;
    })
    .join("\n");
}

function quoted(w: Writing, text: string): string {
  const style = w.pick(QUOTED);
  return text.includes("\t") || /[\u2066\ufeff]/.test(text) ? JSON.stringify(text) : style(text);
}

function yamlOf(w: Writing, front: Record<string, unknown>): string {
  return Object.entries(front)
    .map(([name, value]) => {
      // A block keeps its lines.
      if (typeof value === "string" && value.includes("\n"))
        return `${name}: |-\n${value.replaceAll(/^(?=.)/gm, "  ")}\n`;
      if (!Array.isArray(value)) return `${name}: ${typeof value === "number" ? value : quoted(w, String(value))}\n`;
      if (value.length === 0) return `${name}: []\n`;
      const items = value.map((one) => quoted(w, String(one)));
      return w.random.chance(0.5)
        ? `${name}: [${items.join(", ")}]\n`
        : `${name}:\n${items.map((one) => `  - ${one}\n`).join("")}`;
    })
    .join("");
}
