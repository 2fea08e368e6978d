/** Task Master: `.taskmaster/tasks/tasks.json`, with tags or without. */
import { Fields, isObject, saying } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState } from "./item.ts";
import { newItem, newStep } from "./item.ts";
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

export const taskmaster: Tracker = {
  name: "Task Master",
  prefix: "tm",
  places: [".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"],
  ends: ".json",
  folders: [],
  read: (files) => ({
    items: files.flatMap((file) => {
      const whole = jsonOf(textOf(file), file.path);
      if (!isObject(whole)) throw unreadable(file.path, "an object with tasks", "another value");
      const of = new Fields(whole);
      if (of.has("tasks")) return of.list("tasks").map((one) => itemOf(one, MAIN, file.path));
      return of.names().flatMap((tag) => ofTag(of, tag, file.path));
    }),
    said: [],
  }),
};

function ofTag(of: Fields, tag: string, file: string): TrackerItem[] {
  const context = of.object(tag);
  if (!context.has("tasks")) throw unreadable(file, "tags with their tasks", `${JSON.stringify(tag)} without`);
  const tasks = context.list("tasks").map((one) => itemOf(one, tag, file));
  if (tag === MAIN) return tasks;
  const about = context.object("metadata").text("description");
  return [newItem({ id: `tag:${tag}`, kind: "plan", title: tag, text: about }), ...tasks];
}

function stateOf(status: string): TrackerState {
  return Object.hasOwn(STATES, status) ? STATES[status]! : "open";
}

function itemOf(row: unknown, tag: string, file: string): TrackerItem {
  const of = new Fields(row);
  const number = of.text("id");
  if (number === "") throw unreadable(file, "tasks with an id", JSON.stringify(row ?? null));
  const named = (id: string): string => (tag === MAIN ? id : `${tag}-${id}`);
  const status = of.text("status");
  const title = of.text("title");
  const tests = of.text("testStrategy");
  const state = stateOf(status);
  const priority = of.text("priority");
  const children = of.list("subtasks").map((one) => new Fields(one));
  const live = children.filter((one) => stateOf(one.text("status")) !== "dropped");
  const places = new Map(live.map((one, place) => [one.text("id"), place]));
  const place = (id: string): number | undefined =>
    places.get(id.startsWith(`${number}.`) ? id.slice(number.length + 1) : id);
  const steps = live.map((one) =>
    newStep(one.text("title"), {
      tests: one.text("testStrategy") === "" ? [] : [one.text("testStrategy")],
      done: stateOf(one.text("status")) === "done",
      dependsOn: one.texts("dependencies").flatMap((id) => place(id) ?? []),
    }),
  );
  const outside = children.flatMap((one) =>
    one
      .texts("dependencies")
      .filter((id) => place(id) === undefined && id.includes("."))
      .map((id) => id.split(".")[0]!),
  );
  const proof = newStep(title, { tests: tests === "" ? [] : [tests], done: state === "done" });
  return newItem({
    id: named(number),
    title,
    text: of.text("description"),
    state,
    status,
    priority: priority === "" ? undefined : priority.toUpperCase(),
    tags: ["deferred", "review"].includes(status) ? [status] : [],
    // A subtask of another task waits with its whole task.
    dependsOn: [...new Set([...of.texts("dependencies").map((id) => id.split(".")[0]!), ...outside])].map(named),
    plan: tag === MAIN ? undefined : `tag:${tag}`,
    steps: tests === "" ? steps : [...steps, { ...proof, dependsOn: steps.map((_step, at) => at) }],
    sections: [...saying(["Details", of.text("details")]), ...children.flatMap((one) => aboutSubtask(number, one))],
    facts: saying(["Updated", of.text("updatedAt")], ...of.rest()),
  });
}

function aboutSubtask(number: string, one: Fields): [string, string][] {
  const [text, details, status] = [one.text("description"), one.text("details"), one.text("status")];
  one.skip("id", "title", "parentTaskId", "parentId", "dependencies", "testStrategy");
  const rest = one.rest().map(([name, value]) => `${name}: ${value}`);
  const lines = [text, details, ...(stateOf(status) === "dropped" ? [`Status there: ${status}`] : []), ...rest];
  return saying([`${one.text("title")} (${number}.${one.text("id")})`, lines.filter((l) => l !== "").join("\n\n")]);
}
