/** Taskwarrior: what `task export` prints, as one list or one task a line. */
import { Fields, saying } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem } from "./item.ts";
import { jsonListOrLines, textOf, unreadable } from "./source_text.ts";

const PRIORITIES: Record<string, string> = { H: "HIGH", M: "MEDIUM", L: "LOW" };
/** `20261224T000000Z` as people read it. */
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

export const taskwarrior: Tracker = {
  name: "Taskwarrior",
  prefix: "tw",
  places: [],
  ends: ".json",
  folders: [],
  read: (files) => {
    const rows = files.flatMap((file) =>
      jsonListOrLines(textOf(file), file.path).map((row) => ({ of: new Fields(row), file: file.path })),
    );
    const count = (status: string): number => rows.filter(({ of }) => of.text("status") === status).length;
    const left = [
      [count("deleted"), "deleted there"],
      [count("recurring"), "template of a recurring task"],
    ] as const;
    const live = rows.filter(({ of }) => !["deleted", "recurring"].includes(of.text("status")));
    const tasks = live.map(({ of, file }) => itemOf(of, file));
    const projects = new Set(tasks.flatMap(({ plan }) => plan ?? []));
    const plans = [...projects].map((id) => newItem({ id, kind: "plan", title: id.slice("project:".length) }));
    return {
      items: [...plans, ...tasks],
      said: left.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what} left out`),
    };
  },
};

function itemOf(of: Fields, file: string): TrackerItem {
  const id = of.text("uuid");
  if (id === "") throw unreadable(file, "tasks with a uuid", of.names().slice(0, 5).join(", ") || "another value");
  const status = of.text("status");
  const project = of.text("project");
  const started = of.text("start") !== "";
  const state: TrackerState = status === "completed" ? "done" : started ? "active" : "open";
  const priority = of.text("priority");
  const at = (name: string): string => of.text(name).replace(STAMP, "$1-$2-$3T$4:$5:$6Z");
  of.skip("id", "urgency", "imask", "mask", "rtype");
  return newItem({
    id,
    title: of.text("description"),
    state,
    status,
    priority: priority === "" ? undefined : Object.hasOwn(PRIORITIES, priority) ? PRIORITIES[priority] : priority,
    tags: of.texts("tags"),
    // Older versions write them as one text.
    dependsOn: of.texts("depends").flatMap((ids) => ids.split(",")),
    plan: project === "" ? undefined : `project:${project}`,
    notes: of.list("annotations").map((one) => {
      const note = new Fields(one);
      return { text: note.text("description"), by: "", at: note.text("entry").replace(STAMP, "$1-$2-$3T$4:$5:$6Z") };
    }),
    facts: saying(
      ["Created", at("entry")],
      ["Modified", at("modified")],
      ["Started", at("start")],
      ["Ended", at("end")],
      ["Due", at("due")],
      ["Waits until", at("wait")],
      ["Scheduled", at("scheduled")],
      ["Until", at("until")],
      ["Recurs", of.text("recur")],
      ["Instance of", of.text("parent")],
      ...of.rest(),
    ),
  });
}
