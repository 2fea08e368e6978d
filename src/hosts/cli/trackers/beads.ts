/** beads: `.beads/issues.jsonl`, one issue a line, and what `bd export` adds to them. */
import { compareIds } from "../../../state/compare_ids.ts";
import { listItems } from "./checklist.ts";
import type { Fields } from "./fields.ts";
import { saying } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, newStep, withRest } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { nested } from "./nested.ts";
import { noteOf } from "./note.ts";
import { itemsOf } from "./records.ts";
import { jsonRecords, unreadable } from "./source_text.ts";

const STATES: Record<string, TrackerState> = {
  in_progress: "active",
  hooked: "active",
  blocked: "blocked",
  closed: "done",
};
const PRIORITIES = ["URGENT", "HIGH", "MEDIUM", "LOW", "LOWEST"];
const LABELS = {
  assignee: "Assignee",
  created_at: "Created",
  created_by: "Created by",
  updated_at: "Updated",
  closed_at: "Closed",
  estimated_minutes: "Estimate in minutes",
  external_ref: "External reference",
};

export const beads: Tracker = {
  name: "beads",
  fields: {
    title: "title",
    text: "description",
    steps: "acceptance_criteria",
    tests: "acceptance_criteria",
    notes: "comments",
  },
  prefix: "bd",
  places: [".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl", "beads.jsonl"],
  ends: ".jsonl",
  folders: [],
  read: (files) => {
    const leftOut: LeftOut[] = [];
    const records = files.flatMap((file) => jsonRecords(file, leftOut));
    const items = itemsOf(records, leftOut, (of, where) => {
      const other = otherRecord(of, where);
      if (other) leftOut.push(other);
      return other ? [] : [issueOf(of, where)];
    });
    return nested(inOrder(withPlans(items)), leftOut);
  },
};

/** A record that is no issue, or one of an issue that was deleted. */
function otherRecord(of: Fields, where: string): LeftOut | undefined {
  const type = of.text("_type");
  const id = of.text("id");
  if (of.text("status") === "tombstone") return { kind: "deleted", name: id || where };
  if (type === "memory") return { kind: "memory", name: of.text("key") || where };
  const schema = of.text("_schema");
  if ((type !== "" && type !== "issue") || (id === "" && schema !== ""))
    return { kind: "record", name: `${type || schema} in ${where}` };
  return undefined;
}

function issueOf(of: Fields, where: string): TrackerItem {
  const id = of.text("id");
  if (id === "") throw unreadable(where, "issues with an id", of.names().slice(0, 5).join(", ") || "another value");
  const links = of.objects("dependencies").map((one) => {
    if (one.text("issue_id") !== id) one.skip("issue_id");
    one.skip("created_at", "created_by");
    return { type: one.text("type"), to: one.text("depends_on_id") };
  });
  const to = (wanted: string): string[] =>
    links.flatMap((link) => (link.type === wanted && link.to !== "" ? [link.to] : []));
  const others = links.filter(({ type }) => !["blocks", "parent-child"].includes(type));
  const [parent, ...parents] = to("parent-child");
  const status = of.text("status");
  const title = of.text("title");
  const acceptance = of.text("acceptance_criteria");
  const criteria = listItems(acceptance);
  const state = Object.hasOwn(STATES, status) ? STATES[status]! : "open";
  const type = of.text("issue_type");
  const priority = PRIORITIES[Number(of.text("priority") || NaN)];
  of.skip("content_hash", "compaction_level", "original_size", "dependency_count", "dependent_count", "comment_count");
  const item = newItem({
    id,
    title,
    kind: type === "epic" ? "plan" : "task",
    text: of.text("description"),
    state,
    status,
    reason: of.text("close_reason"),
    priority,
    tags: [...of.texts("labels"), ...(type === "" || type === "task" || type === "epic" ? [] : [type])],
    dependsOn: to("blocks"),
    parent,
    steps: criteria.length === 0 ? [] : [newStep(title, { criteria, done: state === "done" })],
    sections: saying(
      // Marks that stand in it are of no step.
      ["Acceptance criteria", /\[[^ ]\]/.test(acceptance) ? acceptance : "", "acceptance_criteria"],
      ["Design", of.text("design"), "design"],
      ["Notes", of.text("notes"), "notes"],
    ),
    notes: of.objects("comments").map((one) => {
      if (one.text("issue_id") !== id) one.skip("issue_id");
      one.skip("id");
      return noteOf(one, { text: one.text("text"), by: one.text("author"), at: one.text("created_at") });
    }),
    facts: saying(
      ["Priority", priority === undefined ? of.text("priority") : "", "priority"],
      ["Other parents", parents.join(", "), "dependencies"],
      ["Other links", others.map((link) => `${link.type} ${link.to}`).join(", "), "dependencies"],
    ),
  });
  return withRest(item, of, LABELS);
}

/** The items, where those of ids such as `a.10` and `a.2` share their places in the order of these numbers. */
function inOrder(items: readonly TrackerItem[]): TrackerItem[] {
  const places = new Map<string, number[]>();
  for (const [at, { id }] of items.entries()) {
    const [, above] = /^(.+)\.\d+$/.exec(id) ?? [];
    if (above === undefined) continue;
    const known = places.get(above);
    if (known) known.push(at);
    else places.set(above, [at]);
  }
  const sorted = [...items];
  for (const siblings of places.values()) {
    const ordered = siblings.toSorted((a, b) => compareIds(items[a]!.id, items[b]!.id));
    for (const [nth, at] of siblings.entries()) sorted[at] = items[ordered[nth]!]!;
  }
  return sorted;
}

/** A task below an epic belongs to that plan; a task below that task does too. */
function withPlans(items: TrackerItem[]): TrackerItem[] {
  const plans = new Set(items.filter(({ kind }) => kind === "plan").map(({ id }) => id));
  return items.map((item) => {
    if (item.parent === undefined || !plans.has(item.parent) || item.kind === "plan") return item;
    const { parent, ...rest } = item;
    return { ...rest, parent: undefined, plan: parent };
  });
}
