/** Backlog.md: a folder of Markdown files with front matter. */
import { yamlReader } from "../../../files/yaml_reader.ts";
import { compareIds } from "../../../state/compare_ids.ts";
import { boxesIn, isChecked } from "./checklist.ts";
import { Fields, saying } from "./fields.ts";
import type { SourceFile, Tracker, TrackerItem, TrackerNote, TrackerState, TrackerStep } from "./item.ts";
import { newItem, newStep, withRest } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { nested } from "./nested.ts";
import { attempt } from "./records.ts";
import { textOf, unreadable } from "./source_text.ts";

type Yaml = Awaited<ReturnType<typeof yamlReader>>;

const CONFIG = /(?:^|\/)(?:config|backlog\.config)\.ya?ml$/;
const CHECKLISTS = new Set(["Acceptance Criteria", "Definition of Done"]);
/** Marks of the program around the parts of a task. */
const MARK = /^<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->$/;

/** As the report names comments of YAML. */
const COMMENTS = "comments of YAML";
const LABELS = {
  assignee: "Assignee",
  reporter: "Reporter",
  created_date: "Created",
  updated_date: "Updated",
  due_date: "Due",
  references: "References",
  documentation: "Documentation",
  modified_files: "Modified files",
};

export const backlog: Tracker = {
  name: "Backlog.md",
  fields: {
    title: "title",
    text: "Description",
    steps: "Acceptance Criteria",
    tests: "Acceptance Criteria",
    notes: "Comments",
  },
  prefix: "backlog",
  places: ["backlog", ".backlog", "."],
  ends: ".md",
  folders: ["tasks", "completed", "drafts", "milestones"],
  named: ["archive", "docs", "decisions"],
  read: async (files) => {
    const yaml = await yamlReader();
    const isIn =
      (...folders: string[]) =>
      (file: SourceFile) =>
        folders.some((folder) => `/${file.path}`.includes(`/${folder}/`));
    const [isArchived, isDraft] = [isIn("archive"), isIn("drafts")];
    const live = files.filter((file) => !isArchived(file));
    const leftOut: LeftOut[] = [
      ...files.filter(isArchived).map(({ path: name }): LeftOut => ({ kind: "archived", name })),
      ...live.filter(isIn("docs")).map(({ path: name }): LeftOut => ({ kind: "document", name })),
      ...live.filter(isIn("decisions")).map(({ path: name }): LeftOut => ({ kind: "decision", name })),
    ];
    const read = (some: SourceFile[], itemOf: (page: Page) => Placed): Placed[] =>
      some.flatMap((file) =>
        attempt(file.path, leftOut, () => {
          const page = pageOf(file, yaml);
          if (page) return [itemOf(page)];
          leftOut.push({ kind: "page", name: file.path });
          return [];
        }),
      );
    const config = live.find(({ path }) => CONFIG.test(path));
    const [{ done, skipped } = { done: "done", skipped: [] }] = config
      ? attempt(config.path, leftOut, () => [configOf(config, yaml)])
      : [];
    const milestones = read(live.filter(isIn("milestones")), milestoneOf);
    const pages = live.filter(isIn("tasks", "completed", "drafts"));
    const homes = [...backlog.folders, ...backlog.named!];
    const others = live.filter((file) => !isIn(...homes)(file) && !CONFIG.test(file.path));
    leftOut.push(...others.map(({ path: name }): LeftOut => ({ kind: "file", name })));
    const tasks = read(pages, (page) => taskOf(page, { done, isDraft: isDraft(page.file) })).toSorted(byOrdinal);
    const named = plansNamed(
      milestones.map(({ item }) => item),
      tasks.map(({ item }) => item),
    );
    return { ...nested([...named.plans, ...spelled(named.items)], leftOut), skipped };
  },
};

/** The program takes `task-7` and `TASK-7` for one id: where a task is named, it has the spelling of its own page. */
function spelled(items: readonly TrackerItem[]): TrackerItem[] {
  const ids = new Map(items.toReversed().map(({ id, sameId }) => [sameId, id]));
  const own = (id: string): string => ids.get(id.toUpperCase()) ?? id;
  return items.map((item) => ({
    ...item,
    dependsOn: item.dependsOn.map(own),
    parent: item.parent === undefined ? undefined : own(item.parent),
  }));
}

interface Placed {
  item: TrackerItem;
  /** Its place among all, where a person gave it one. */
  ordinal: number;
}

/** Those with a place of their own first, as on the program's board. */
function byOrdinal(a: Placed, b: Placed): number {
  if (a.ordinal !== b.ordinal) return a.ordinal < b.ordinal ? -1 : 1;
  return compareIds(a.item.sameId ?? a.item.id, b.item.sameId ?? b.item.id);
}

interface Page {
  file: SourceFile;
  of: Fields;
  comments: string[];
  /** Texts by their headings of level 2. */
  parts: [heading: string, text: string][];
}

/** Undefined where a page has no front matter, as no page that the program wrote. */
function pageOf(file: SourceFile, yaml: Yaml): Page | undefined {
  const lines = textOf(file).split("\n");
  if (lines[0]!.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) throw unreadable(file.path, "front matter between two lines ---", "no second one");
  const { value, comments } = yaml(lines.slice(1, end).join("\n"), file.path);
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
  return { file, of: new Fields(value), comments, parts: parts.map(([heading, text]) => [heading, text.trim()]) };
}

/** The item with the comments of its front matter, which no field has. */
function withComments(item: TrackerItem, comments: readonly string[]): TrackerItem {
  if (comments.length === 0) return item;
  return {
    ...item,
    facts: [...item.facts, ["Comments in the front matter", comments.join("\n"), COMMENTS]],
    unplaced: [...item.unplaced, COMMENTS],
  };
}

interface Config {
  /** The last status of the list is the one that ends a task. */
  done: string;
  /** Names of its other settings, which stand nowhere here. */
  skipped: string[];
}

function configOf(config: SourceFile, yaml: Yaml): Config {
  const { value, comments } = yaml(textOf(config), config.path);
  const of = new Fields(value);
  const done = of.texts("statuses").at(-1)?.toLowerCase() ?? "done";
  of.skipRest();
  const names = [...of.skipped(), ...(comments.length === 0 ? [] : [COMMENTS])];
  return { done, skipped: names.map((name) => `${config.path}: ${name}`) };
}

function milestoneOf({ file, of, comments, parts }: Page): Placed {
  const id = of.text("id");
  if (id === "") throw unreadable(file.path, "a milestone with an id", "none");
  const text = parts.map(([heading, body]) =>
    body === "" || heading === "" || heading === "Description" ? body : `${heading}:\n${body}`,
  );
  const item = newItem({
    id: `milestone:${id}`,
    kind: "plan",
    title: of.text("title") || id,
    text: text.filter((one) => one !== "").join("\n\n"),
    facts: [["File", file.path]],
  });
  return { item: withComments(withRest(item, of, LABELS), comments), ordinal: Infinity };
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

function taskOf({ file, of, comments, parts }: Page, { done, isDraft }: { done: string; isDraft: boolean }): Placed {
  const id = of.text("id");
  if (id === "") throw unreadable(file.path, "a task with an id", "none");
  const status = of.text("status");
  const milestone = of.text("milestone");
  const ordinal = of.text("ordinal");
  const parent = of.text("parent_task_id", "parent");
  const rest = parts.filter(([heading]) => !["", "Description", "Comments"].includes(heading));
  const lists = rest.map(([heading, text]) => ({ heading, ...checklistIn(heading, text) }));
  of.skip("subtasks");
  const item = newItem({
    id,
    sameId: id.toUpperCase(),
    title: of.text("title"),
    text: parts
      .filter(([heading]) => heading === "" || heading === "Description")
      .map(([, text]) => text)
      .join("\n\n")
      .trim(),
    state: stateOf(status, done),
    status,
    priority: of.text("priority") || undefined,
    tags: [...of.texts("labels"), ...(isDraft ? ["draft"] : [])],
    dependsOn: of.texts("dependencies"),
    plan: milestone === "" ? undefined : milestone,
    parent: parent === "" ? undefined : parent,
    steps: lists.flatMap(({ steps }) => steps),
    sections: saying(...lists.map(({ heading, text }): [string, string] => [heading, text])),
    notes: parts.filter(([heading]) => heading === "Comments").flatMap(([, text]) => commentsOf(text)),
    facts: saying(["File", file.path], ["Ordinal", ordinal, "ordinal"]),
  });
  return {
    item: withComments(withRest(item, of, LABELS), comments),
    ordinal: ordinal === "" ? Infinity : Number(ordinal),
  };
}

/** `- [x] #1 Every sample parses`: each is a step, so that each has its own mark. Other lines stay text. */
function checklistIn(heading: string, text: string): { steps: TrackerStep[]; text: string } {
  if (!CHECKLISTS.has(heading)) return { steps: [], text };
  const { boxes, rest } = boxesIn(text);
  const steps = boxes.map((box, at) => {
    const number = `#${at + 1} `;
    const criterion = box.text.startsWith(number) ? box.text.slice(number.length).trim() : box.text;
    return newStep(criterion.split("\n", 1)[0]!, { criteria: [criterion], done: isChecked(box) });
  });
  return { steps, text: rest };
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
