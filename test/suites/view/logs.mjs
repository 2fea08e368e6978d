// @ts-check
// A second reading of the logs: what pages have to say, without a line of the engine.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ ts: string, by: string, type: string, op: { id: string }, hash: string, payload: Record<string, unknown>, taskId: string }} Event */

/** @param {string} world @returns {Event[]} */
export function logsOf(world) {
  const tasks = join(world, ".coco/tasks");
  return readdirSync(tasks)
    .toSorted()
    .flatMap((id) => readFileSync(join(tasks, id, "events.jsonl"), "utf8").split("\n"))
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

/** One of each change, whatever it wrote. @param {Event[]} logs */
export function changesIn(logs) {
  return [...new Map(logs.map((event) => [event.op.id, event])).values()];
}

/** `day by task count`, in order of letters. @param {Event[]} logs */
export function rowsIn(logs) {
  /** @type {Map<string, number>} */
  const rows = new Map();
  for (const { ts, by, taskId } of changesIn(logs)) {
    const row = `${dayThere(ts)} ${by} ${taskId}`;
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return [...rows].map(([row, count]) => `${row} ${count}`).toSorted();
}

/** The day in the zone of the browser, by the clock of that zone alone. @param {string} ts */
export function dayThere(ts) {
  return new Date(ts).toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
}

/** The newest day first. @param {Event[]} logs */
export function daysIn(logs) {
  const days = changesIn(logs).map(({ ts }) => dayThere(ts));
  const each = [...new Set(days)].toSorted().toReversed();
  return each.map((day) => {
    const count = days.filter((one) => one === day).length;
    return `${day} ${count} change${count === 1 ? "" : "s"}`;
  });
}

/** Tasks with a step that is blocked or has a blocker, by id. Nothing unblocks or closes such a step in this story. @param {Event[]} logs */
export function blockedIn(logs) {
  const marked = logs.filter(({ type }) => type === "step.blocked").map(({ taskId }) => taskId);
  const named = logs
    .filter(({ type, payload }) => type === "steps.added" && /"blockers":\["/.test(JSON.stringify(payload)))
    .map(({ taskId }) => taskId);
  return [...marked, ...named].toSorted();
}

/** Open tasks of which the last claim ran out before now, by id. @param {Event[]} logs */
export function overIn(logs) {
  const ended = new Set(
    logs.filter(({ type }) => type === "task.completed" || type === "status.changed").map(({ taskId }) => taskId),
  );
  const last = new Map(
    logs
      .filter(({ type }) => type === "lease.claimed")
      .map(({ taskId, payload }) => [taskId, String(payload["expires_at"])]),
  );
  const at = new Date().toISOString();
  return [...last].flatMap(([task, until]) => (until < at && !ended.has(task) ? [task] : [])).toSorted();
}

/** Of one task, oldest first. @param {Event[]} logs @param {string} id */
export function eventsOf(logs, id) {
  return logs.filter(({ taskId }) => taskId === id);
}

/** Changes of one task, oldest first: the place of one is its revision. @param {Event[]} logs @param {string} id */
export function revisionsOf(logs, id) {
  return changesIn(eventsOf(logs, id)).map(({ ts }) => ts);
}

/** @typedef {{ id: string, title: string, steps?: Step[] }} Step */

/** Steps of a task by id, and which of them are closed: an undo of a closing opens its step again. @param {Event[]} logs @param {string} id */
export function stepsIn(logs, id) {
  /** @type {Map<string, string>} */
  const titles = new Map();
  /** @type {Set<string>} */
  const done = new Set();
  for (const { type, payload } of eventsOf(logs, id)) {
    if (type === "steps.added")
      for (const step of /** @type {Step[]} */ (payload["steps"])) titles.set(step.id, step.title);
    if (type === "step.done") done.add(String(payload["step_id"]));
    if (type !== "undo.applied") continue;
    for (const { field, value } of /** @type {{ field: string, value: unknown }[]} */ (payload["fields"])) {
      const step = /^step\.(.+)\.done$/.exec(field)?.[1];
      if (step && value === false) done.delete(step);
    }
  }
  return { titles, done };
}

/** @typedef {{ command: string, exit_code: number, commit?: string }} Run */

/** Runs that a task has captured, each with its actor. @param {Event[]} logs @param {string} id */
export function runsIn(logs, id) {
  return eventsOf(logs, id)
    .filter(({ type }) => type === "evidence.captured")
    .flatMap(({ by, payload }) =>
      /** @type {Run[]} */ (payload["items"]).filter(({ command }) => command).map((run) => ({ by, ...run })),
    );
}

/** How far each plan is, by steps and by tasks. A canceled task has no step to do. @param {Event[]} logs */
export function plansIn(logs) {
  /** @type {Map<string, { steps: { done: number, total: number }, tasks: { done: number, total: number } }>} */
  const plans = new Map();
  for (const { type, payload, taskId } of logs) {
    if (type !== "task.created") continue;
    const parent = /** @type {{ id: string } | null | undefined} */ (payload["parent"])?.id;
    if (!parent) continue;
    const plan = plans.get(parent) ?? { steps: { done: 0, total: 0 }, tasks: { done: 0, total: 0 } };
    plans.set(parent, plan);
    const end = eventsOf(logs, taskId).findLast(
      (one) => one.type === "task.completed" || one.type === "status.changed",
    );
    const ended = end?.type === "task.completed" ? "DONE" : end?.payload["status"];
    plan.tasks.total++;
    if (ended === "DONE") plan.tasks.done++;
    if (ended === "CANCELED") continue;
    const { titles, done } = stepsIn(logs, taskId);
    plan.steps.total += titles.size;
    plan.steps.done += done.size;
  }
  return plans;
}

/** The actor that captured most runs that failed. @param {Event[]} logs */
export function mostFailures(logs) {
  /** @type {Map<string, Set<string>>} */
  const failed = new Map();
  for (const { type, by, op, payload } of logs) {
    const items = type === "evidence.captured" ? /** @type {Run[]} */ (payload["items"]) : [];
    if (items.some(({ exit_code }) => exit_code > 0)) failed.set(by, (failed.get(by) ?? new Set()).add(op.id));
  }
  const [by = "", ops = new Set()] = [...failed].toSorted(([, a], [, b]) => b.size - a.size)[0] ?? [];
  return { name: by.replace(/^\w+:/, ""), failed: ops.size };
}
