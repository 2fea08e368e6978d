/** beads: `.beads/issues.jsonl`, one issue a line. */
import { listItems } from "./checklist.ts";
import { Fields, isObject, saying } from "./fields.ts";
import type { ReadItems, Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, newStep } from "./item.ts";
import { nested } from "./nested.ts";
import { jsonListOrLines, textOf, unreadable } from "./source_text.ts";

const STATES: Record<string, TrackerState> = {
  in_progress: "active",
  hooked: "active",
  blocked: "blocked",
  closed: "done",
};
const PRIORITIES = ["URGENT", "HIGH", "MEDIUM", "LOW", "LOWEST"];

export const beads: Tracker = {
  name: "beads",
  prefix: "bd",
  places: [".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl", "beads.jsonl"],
  ends: ".jsonl",
  folders: [],
  read: (files) => {
    const rows = files.flatMap((file) =>
      jsonListOrLines(textOf(file), file.path).map((row) => ({ row, file: file.path })),
    );
    const said: string[] = [];
    const gone = rows.filter(({ row }) => isObject(row) && row["status"] === "tombstone").length;
    if (gone > 0) said.push(`${gone} deleted there left out`);
    const live = rows.filter(({ row }) => !isObject(row) || row["status"] !== "tombstone");
    return nested({ items: withPlans(live.map(({ row, file }) => itemOf(row, file))), said } satisfies ReadItems);
  },
};

function itemOf(row: unknown, file: string): TrackerItem {
  const of = new Fields(row);
  const id = of.text("id");
  if (id === "") throw unreadable(file, "issues with an id", JSON.stringify(row ?? null));
  const links = of.list("dependencies").map((one) => new Fields(one));
  const to = (wanted: string): string[] =>
    links
      .filter((one) => one.text("type") === wanted)
      .map((one) => one.text("depends_on_id"))
      .filter((one) => one !== "");
  const others = links
    .filter((one) => !["blocks", "parent-child"].includes(one.text("type")))
    .map((one) => `${one.text("type")} ${one.text("depends_on_id")}`);
  const status = of.text("status");
  const title = of.text("title");
  const criteria = listItems(of.text("acceptance_criteria"));
  const priority = of.text("priority") === "" ? 0 : Number(of.text("priority"));
  const [parent] = to("parent-child");
  const state = Object.hasOwn(STATES, status) ? STATES[status]! : "open";
  const type = of.text("issue_type");
  of.skip("_type", "content_hash", "compaction_level", "original_size", "dependency_count", "dependent_count");
  of.skip("comment_count");
  return newItem({
    id,
    title,
    kind: type === "epic" ? "plan" : "task",
    text: of.text("description"),
    state,
    status,
    reason: of.text("close_reason"),
    priority: PRIORITIES[priority],
    tags: [...of.texts("labels"), ...(type === "" || type === "task" || type === "epic" ? [] : [type])],
    dependsOn: to("blocks"),
    parent,
    steps: criteria.length === 0 ? [] : [newStep(title, { criteria, done: state === "done" })],
    sections: saying(["Design", of.text("design")], ["Notes", of.text("notes")]),
    notes: of.list("comments").map((one) => {
      const comment = new Fields(one);
      return { text: comment.text("text"), by: comment.text("author"), at: comment.text("created_at") };
    }),
    facts: saying(
      ["Priority", PRIORITIES[priority] === undefined ? of.text("priority") : ""],
      ["Assignee", of.text("assignee")],
      ["Created", of.text("created_at")],
      ["Created by", of.text("created_by")],
      ["Updated", of.text("updated_at")],
      ["Closed", of.text("closed_at")],
      ["Estimate in minutes", of.text("estimated_minutes")],
      ["External reference", of.text("external_ref")],
      ["Other links", others.join(", ")],
      ...of.rest(),
    ),
  });
}

/** A task below an epic belongs to that plan; a task below that task does too. */
function withPlans(items: TrackerItem[]): TrackerItem[] {
  const plans = new Set(items.filter(({ kind }) => kind === "plan").map(({ id }) => id));
  return items.map((item) => {
    if (item.parent === undefined || !plans.has(item.parent)) return item;
    const { parent, ...rest } = item;
    return item.kind === "plan"
      ? { ...item, parent: undefined, facts: [...item.facts, ["Parent", parent]] }
      : { ...rest, parent: undefined, plan: parent };
  });
}
