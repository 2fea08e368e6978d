/** Backlog.md: a folder of Markdown files with front matter. */
import { yamlReader } from "../../../files/yaml_reader.ts";
import { boxIn, isChecked } from "./checklist.ts";
import { Fields, saying } from "./fields.ts";
import type { SourceFile, Tracker, TrackerItem, TrackerNote, TrackerState, TrackerStep } from "./item.ts";
import { newItem, newStep } from "./item.ts";
import { nested } from "./nested.ts";
import { textOf, unreadable } from "./source_text.ts";

type Yaml = Awaited<ReturnType<typeof yamlReader>>;

const CONFIG = /(?:^|\/)(?:config|backlog\.config)\.ya?ml$/;
const CHECKLISTS = new Set(["Acceptance Criteria", "Definition of Done"]);
/** Marks of the program around the parts of a task. */
const MARK = /^<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->$/;

export const backlog: Tracker = {
  name: "Backlog.md",
  prefix: "backlog",
  places: ["backlog", ".backlog", "."],
  ends: ".md",
  folders: ["tasks", "completed", "drafts", "archive", "milestones"],
  read: async (files) => {
    const yaml = await yamlReader();
    const isIn = (folder: string) => (file: SourceFile) => `/${file.path}`.includes(`/${folder}/`);
    const isArchived = isIn("archive");
    const archived = files.filter(isArchived);
    const live = files.filter((file) => !isArchived(file));
    const done = doneWord(
      live.find(({ path }) => CONFIG.test(path)),
      yaml,
    );
    const milestones = live.filter(isIn("milestones")).map((file) => milestoneOf(file, yaml));
    const tasks = live.filter((file) => ["tasks", "completed", "drafts"].some((name) => isIn(name)(file)));
    const items = tasks.map((file) => taskOf(file, { yaml, done, isDraft: isIn("drafts")(file) }));
    const named = plansNamed(milestones, items);
    const said = archived.length === 0 ? [] : [`${archived.length} archived there left out`];
    return nested({ items: [...named.plans, ...named.items], said });
  },
};

interface Page {
  of: Fields;
  /** Texts by their headings of level 2. */
  parts: [heading: string, text: string][];
}

function pageOf(file: SourceFile, yaml: Yaml): Page {
  const lines = textOf(file).split("\n");
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end < 0) throw unreadable(file.path, "front matter between two lines ---", "none");
  const of = new Fields(yaml(lines.slice(1, end).join("\n"), file.path));
  const parts: [string, string][] = [["", ""]];
  let inPart = false;
  for (const line of lines.slice(end + 1)) {
    const mark = MARK.test(line.trim());
    if (mark) inPart = line.includes(":BEGIN");
    // A part may have headings of its own between its marks.
    const heading = inPart ? undefined : /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) parts.push([heading.trim(), ""]);
    else if (!mark) parts.at(-1)![1] += `${line}\n`;
  }
  return { of, parts: parts.map(([heading, text]) => [heading, text.trim()]) };
}

/** The last status of the list is the one that ends a task. */
function doneWord(config: SourceFile | undefined, yaml: Yaml): string {
  const statuses = config ? new Fields(yaml(textOf(config), config.path)).texts("statuses") : [];
  return (statuses.at(-1) ?? "Done").toLowerCase();
}

function milestoneOf(file: SourceFile, yaml: Yaml): TrackerItem {
  const { of, parts } = pageOf(file, yaml);
  const id = of.text("id");
  if (id === "") throw unreadable(file.path, "a milestone with an id", "none");
  const text = parts.map(([heading, body]) =>
    heading === "" || heading === "Description" ? body : `${heading}:\n${body}`,
  );
  return newItem({
    id: `milestone:${id}`,
    kind: "plan",
    title: of.text("title") || id,
    text: text.filter((one) => one !== "").join("\n\n"),
    facts: saying(["File", file.path], ...of.rest()),
  });
}

/** A milestone that has no file is a plan all the same. */
function plansNamed(plans: TrackerItem[], items: TrackerItem[]): { plans: TrackerItem[]; items: TrackerItem[] } {
  const byName = new Map(
    plans.flatMap((plan) => [plan.id.slice("milestone:".length), plan.title].map((name) => [name.toLowerCase(), plan])),
  );
  const placed = items.map((item) => {
    if (item.plan === undefined) return item;
    const name = item.plan.toLowerCase();
    const plan = byName.get(name) ?? newItem({ id: `milestone:${item.plan}`, kind: "plan", title: item.plan });
    byName.set(name, plan);
    return { ...item, plan: plan.id };
  });
  return { plans: [...new Set(byName.values())], items: placed };
}

function stateOf(status: string, done: string): TrackerState {
  const word = status.toLowerCase();
  if (word === done || word === "done") return "done";
  return word === "in progress" ? "active" : word === "blocked" ? "blocked" : "open";
}

function taskOf(
  file: SourceFile,
  { yaml, done, isDraft }: { yaml: Yaml; done: string; isDraft: boolean },
): TrackerItem {
  const { of, parts } = pageOf(file, yaml);
  const id = of.text("id").toUpperCase();
  if (id === "") throw unreadable(file.path, "a task with an id", "none");
  const status = of.text("status");
  const priority = of.text("priority");
  const milestone = of.text("milestone");
  const parent = of.text("parent_task_id", "parent").toUpperCase();
  const rest = parts.filter(([heading]) => !["", "Description", "Comments"].includes(heading));
  of.skip("subtasks");
  return newItem({
    id,
    title: of.text("title"),
    text: parts
      .filter(([heading]) => heading === "" || heading === "Description")
      .map(([, text]) => text)
      .join("\n\n")
      .trim(),
    state: stateOf(status, done),
    status,
    priority: priority === "" ? undefined : priority.toUpperCase(),
    tags: [...of.texts("labels"), ...(isDraft ? ["draft"] : [])],
    dependsOn: of.texts("dependencies").map((one) => one.toUpperCase()),
    plan: milestone === "" ? undefined : milestone,
    parent: parent === "" ? undefined : parent,
    steps: rest.filter(([heading]) => CHECKLISTS.has(heading)).flatMap(([, text]) => stepsOf(text)),
    sections: saying(...rest.filter(([heading]) => !CHECKLISTS.has(heading))),
    notes: parts.filter(([heading]) => heading === "Comments").flatMap(([, text]) => commentsOf(text)),
    facts: saying(
      ["File", file.path],
      ["Assignee", of.texts("assignee").join(", ")],
      ["Reporter", of.text("reporter")],
      ["Created", of.text("created_date")],
      ["Updated", of.text("updated_date")],
      ["Due", of.text("due_date")],
      ["References", of.texts("references").join(", ")],
      ["Documentation", of.texts("documentation").join(", ")],
      ...of.rest(),
    ),
  });
}

/** `- [x] #1 Every sample parses`: each is a step, so that each has its own mark. */
function stepsOf(text: string): TrackerStep[] {
  return text.split("\n").flatMap((line) => {
    const box = boxIn(line);
    const said = box?.text.replace(/^#\d+\s+/, "") ?? "";
    return box && said !== "" ? [newStep(said, { criteria: [said], done: isChecked(box) })] : [];
  });
}

/** `author:` and `created:`, a line `---`, the text, and a line `---`. */
function commentsOf(text: string): TrackerNote[] {
  const pieces = text.split(/^---$/m).map((piece) => piece.trim());
  const notes: TrackerNote[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const head = /^(?:author: (.*)\n)?created: (.*)$/.exec(pieces[at]!);
    if (head) notes.push({ by: head[1] ?? "", at: head[2]!, text: pieces[++at] ?? "" });
    else if (pieces[at] !== "") notes.push({ by: "", at: "", text: pieces[at]! });
  }
  return notes;
}
