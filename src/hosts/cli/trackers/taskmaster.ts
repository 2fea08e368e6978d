/** Task Master: `.taskmaster/tasks/tasks.json`, with tags or without. */
import { Fields, isObject, saying, scalar } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, withRest } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { nested } from "./nested.ts";
import { attempt } from "./records.ts";
import { jsonOf, textOf, unreadable } from "./source_text.ts";

const STATES: Record<string, TrackerState> = {
  "in-progress": "active",
  review: "active",
  blocked: "blocked",
  done: "done",
  completed: "done",
  cancelled: "dropped",
};
/** The tag of those who use none. */
const MAIN = "master";
const LABELS = { updatedAt: "Updated" };

export const taskmaster: Tracker = {
  name: "Task Master",
  fields: { title: "title", text: "description", steps: "subtasks", tests: "testStrategy", notes: "comments" },
  prefix: "tm",
  places: [".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"],
  ends: ".json",
  folders: [],
  read: (files) => {
    const leftOut: LeftOut[] = [];
    const skipped: string[] = [];
    const items = files.flatMap((file) =>
      attempt(file.path, leftOut, () => {
        const whole = jsonOf(textOf(file), file.path);
        if (!isObject(whole)) throw unreadable(file.path, "an object with tasks", "another value");
        const of = new Fields(whole);
        // One of the tags may have this name.
        const isFlat = Array.isArray(whole["tasks"]);
        const named = of.names().filter((name) => !of.is(name, null));
        const tags: [string, Fields][] = isFlat ? [[MAIN, of]] : named.map((name) => [name, of.object(name)]);
        return tags.flatMap(([tag, context]) =>
          attempt(`tag ${JSON.stringify(tag)} of ${file.path}`, leftOut, () => {
            const read = ofTag(context, { tag, file: file.path, leftOut });
            if (tag === MAIN) skipped.push(...context.rest().map(({ name }) => name));
            return read;
          }),
        );
      }),
    );
    return { ...nested(items, leftOut), skipped };
  },
};

interface Reading {
  tag: string;
  file: string;
  leftOut: LeftOut[];
}

function ofTag(context: Fields, reading: Reading): TrackerItem[] {
  const { tag, file, leftOut } = reading;
  if (!context.has("tasks")) throw unreadable(file, "tags with their tasks", `${JSON.stringify(tag)} without`);
  const rows = context.records("tasks");
  const whole = new Set(rows.map((of) => of.text("id")));
  const tasks = rows.flatMap((of) =>
    attempt(`task ${of.place} of tag ${JSON.stringify(tag)}`, leftOut, () => taskOf(of, { ...reading, whole })),
  );
  if (tag === MAIN) return tasks;
  const text = context.object("metadata").text("description");
  return [withRest(newItem({ id: `tag:${tag}`, kind: "plan", title: tag, text }), context, {}), ...tasks];
}

function taskOf(of: Fields, { tag, file, whole }: Reading & { whole: ReadonlySet<string> }): TrackerItem[] {
  const number = of.text("id");
  if (number === "") throw unreadable(file, "tasks with an id", of.names().slice(0, 5).join(", ") || "another value");
  const named = (id: string): string => (tag === MAIN ? id : `${tag}-${id}`);
  const dependsOn = of.texts("dependencies").map(named);
  const item = { ...itemOf(of, named(number)), dependsOn, plan: tag === MAIN ? undefined : `tag:${tag}` };
  const subtasks = subtasksOf(of, { above: number, named, whole });
  return [withRest(item, of, LABELS), ...subtasks];
}

interface Above {
  /** Number of the task or subtask that they are below. */
  above: string;
  named: (id: string) => string;
  /** Numbers of whole tasks. */
  whole: ReadonlySet<string>;
}

/** Each subtask, and those below it. */
function subtasksOf(task: Fields, { above, named, whole }: Above): TrackerItem[] {
  const siblings = new Set<string>();
  const rows = task.objects("subtasks").map((of) => {
    const wanted = of.text("id") || String(of.place);
    const number = siblings.has(wanted) ? `${wanted} (${of.place})` : wanted;
    siblings.add(number);
    return { of, number };
  });
  return rows.flatMap(({ of, number }): TrackerItem[] => {
    const id = `${above}.${number}`;
    if (of.text("parentTaskId") !== above) of.skip("parentTaskId");
    // The program writes the word where it has no number.
    of.skip("parentId");
    const dependsOn = of.values("dependencies").map((one) => {
      const to = scalar(one);
      const isSibling = siblings.has(to) && !(typeof one === "string" && whole.has(to)) && to !== number;
      return named(isSibling ? `${above}.${to}` : to);
    });
    const item = { ...itemOf(of, named(id)), dependsOn, parent: named(above) };
    const below = subtasksOf(of, { above: id, named, whole });
    return [withRest(item, of, LABELS), ...below];
  });
}

function itemOf(of: Fields, id: string): TrackerItem {
  const status = of.text("status");
  const tests = of.text("testStrategy");
  return newItem({
    id,
    title: of.text("title"),
    text: of.text("description"),
    state: Object.hasOwn(STATES, status) ? STATES[status]! : "open",
    status,
    priority: of.text("priority") || undefined,
    tags: ["deferred", "review"].includes(status) ? [status] : [],
    tests: tests === "" ? [] : [tests],
    sections: saying(["Details", of.text("details"), "details"]),
  });
}
