/** Taskwarrior: what `task export` prints, as one list or one task a line. */
import type { Fields } from "./fields.ts";
import { saying } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, withRest } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { noteOf } from "./note.ts";
import { itemsOf } from "./records.ts";
import { jsonRecords, unreadable } from "./source_text.ts";

const PRIORITIES: Record<string, string> = { H: "HIGH", M: "MEDIUM", L: "LOW" };
/** `20261224T000000Z` as people read it. */
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const LABELS = { recur: "Recurs", parent: "Instance of" };

export const taskwarrior: Tracker = {
  name: "Taskwarrior",
  fields: {
    title: "description",
    text: "description",
    steps: "description",
    tests: "description",
    notes: "annotations",
  },
  prefix: "tw",
  places: [],
  ends: ".json",
  folders: [],
  read: (files) => {
    const leftOut: LeftOut[] = [];
    const records = files.flatMap((file) => jsonRecords(file, leftOut));
    const tasks = itemsOf(records, leftOut, (of, where) => {
      const kind = { deleted: "deleted", recurring: "template" } as const;
      const status = of.text("status");
      if (status !== "deleted" && status !== "recurring") return [itemOf(of, where)];
      leftOut.push({ kind: kind[status], name: of.text("description") || of.text("uuid") || where });
      return [];
    });
    const projects = new Set(tasks.flatMap(({ plan }) => plan ?? []));
    const plans = [...projects].map((id) => newItem({ id, kind: "plan", title: id.slice("project:".length) }));
    return { items: [...plans, ...tasks], leftOut };
  },
};

function itemOf(of: Fields, where: string): TrackerItem {
  const id = of.text("uuid");
  if (id === "") throw unreadable(where, "tasks with a uuid", of.names().slice(0, 5).join(", ") || "another value");
  const status = of.text("status");
  const project = of.text("project");
  const at = (one: Fields, name: string): string => one.text(name).replace(STAMP, "$1-$2-$3T$4:$5:$6Z");
  const started = at(of, "start");
  const state: TrackerState = status === "completed" ? "done" : started === "" ? "open" : "active";
  const priority = of.text("priority");
  of.skip("id", "urgency", "imask", "mask", "rtype");
  const item = newItem({
    id,
    title: of.text("description"),
    state,
    status,
    priority: priority === "" ? undefined : Object.hasOwn(PRIORITIES, priority) ? PRIORITIES[priority] : priority,
    tags: of.texts("tags"),
    // Older versions write them as one text.
    dependsOn: of.texts("depends").flatMap((ids) => ids.split(",")),
    plan: project === "" ? undefined : `project:${project}`,
    notes: of.objects("annotations").map((one) => {
      return noteOf(one, { text: one.text("description"), by: "", at: at(one, "entry") });
    }),
    facts: saying(
      ["Created", at(of, "entry")],
      ["Modified", at(of, "modified")],
      ["Started", started],
      ["Ended", at(of, "end")],
      ["Due", at(of, "due")],
      ["Waits until", at(of, "wait")],
      ["Scheduled", at(of, "scheduled")],
      ["Until", at(of, "until")],
    ),
  });
  return withRest(item, of, LABELS);
}
