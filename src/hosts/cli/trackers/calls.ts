/** The calls of tools that make a plan or task of an item (TRACKER-2 to TRACKER-9). */
import type { JsonObject } from "../../../index.ts";
import { oneLine, wholeText } from "./clean.ts";
import type { Tracker, TrackerItem, TrackerNote, TrackerStep } from "./item.ts";
import { freeSteps } from "./nested.ts";

export interface ItemCall {
  tool: string;
  args: JsonObject;
}

/** The plan or task that an item becomes: ids are of plans and tasks here. */
export interface Placed {
  item: TrackerItem;
  id: string;
  plan: string | undefined;
  dependsOn: string[];
  /** Facts that have no place of their own for reasons outside of the item. */
  more: [name: string, value: string][];
}

export interface Made {
  calls: ItemCall[];
  /** Ended there and not here: a step of it is open. */
  isLeftOpen: boolean;
  isCut: boolean;
  circles: number;
}

/** Notes beyond these share the last ones. */
const MOST_NOTES = 50;
const MOST_STEPS = 500;
const CRITERION = 2000;
const FACT = 2000;
/** Of the criteria and tests of all steps, so that they fit into one operation. */
const CRITERIA = 256 * 1024;

export function callsFor({ name }: Tracker, { item, id, plan, dependsOn, more }: Placed): Made {
  const isPlan = item.kind === "plan";
  const { steps, order, dropped } = freeSteps(isPlan ? [] : stepsOf(item));
  const isFulfilled = steps.every(({ done }) => done);
  const isLeftOpen = item.state === "done" && !isFulfilled;
  const description = wholeText(describe(name, item, steps, more));
  const { inputs, isCut } = stepInputs(steps);
  const title = titleOf(item);
  const tags = [...new Set(item.tags.map((tag) => oneLine(tag, 80).line).filter((tag) => tag !== ""))];
  const priority = item.priority === undefined ? "" : oneLine(item.priority, 40).line;
  const create: JsonObject = {
    kind: item.kind,
    id,
    title,
    description: description.text,
    ...(plan === undefined || isPlan ? {} : { parent: plan }),
    ...(priority === "" ? {} : { priority }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    ...(steps.length === 0 ? {} : { steps: inputs }),
  };
  const notes = grouped(item.notes).map((note) => ({ tool: "tasks_note", args: { target: id, note } }));
  const closed = order.flatMap((at) => (steps[at]!.done ? [closing(id, at)] : []));
  const calls = [{ tool: "tasks_create", args: create }, ...notes, ...closed, ...ending(name, item, id, steps)];
  return { calls, isLeftOpen, isCut: description.isCut || isCut, circles: dropped };
}

function titleOf({ title, id }: TrackerItem): string {
  return oneLine(title).line || oneLine(id).line || "Untitled";
}

/** A task that is not ended has a step to take up; one that ended and names none needs none. */
function stepsOf(item: TrackerItem): TrackerStep[] {
  const named = item.steps.slice(0, MOST_STEPS);
  const isOver = item.state === "done" || item.state === "dropped";
  return named.length > 0 || isOver
    ? named
    : [{ title: titleOf(item), criteria: [], tests: [], done: false, dependsOn: [] }];
}

/** As tools take them; `isCut` where criteria were too many. */
function stepInputs(steps: readonly TrackerStep[]): { inputs: JsonObject[]; isCut: boolean } {
  let left = CRITERIA;
  const lines = (texts: readonly string[]): string[] =>
    texts.map((text) => wholeText(text.slice(0, CRITERION)).text).filter(({ length }) => (left -= length + 1) >= 0);
  const inputs = steps.map(({ title, criteria, tests, dependsOn }, at): JsonObject => ({
    title: oneLine(title).line || `Step ${at + 1}`,
    success_criteria: lines(criteria),
    tests: lines(tests),
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn.map((to) => `s:${to}`) }),
  }));
  return { inputs, isCut: left < 0 };
}

function closing(task: string, at: number): ItemCall {
  return { tool: "tasks_close_step", args: { task, path: `s:${at}`, checkpoints: "gate" } };
}

function ending(
  name: string,
  { state, status, reason }: TrackerItem,
  target: string,
  steps: readonly TrackerStep[],
): ItemCall[] {
  const why = oneLine(`${status || state} in ${name}${reason === "" ? "" : `: ${reason}`}`).line;
  const set = (to: string): ItemCall => ({ tool: "tasks_complete", args: { target, status: to, reason: why } });
  if (state === "dropped") return [set("CANCELED")];
  if (state === "active") return [set("ACTIVE")];
  if (state === "done") return [set(steps.every(({ done }) => done) ? "DONE" : "ACTIVE")];
  const open = steps.findIndex(({ done }) => !done);
  if (state !== "blocked" || open < 0) return [];
  return [{ tool: "tasks_block", args: { task: target, path: `s:${open}`, reason: why } }];
}

function describe(
  name: string,
  { id, text, sections, facts, status, state, title, steps }: TrackerItem,
  shown: readonly TrackerStep[],
  more: readonly [string, string][],
): string {
  const full = oneLine(title);
  const long = steps.filter((step) => oneLine(step.title).isCut || step.criteria.some((one) => one.length > CRITERION));
  const beyond = steps.slice(MOST_STEPS).map((step) => `- [${step.done ? "x" : " "}] ${step.title}`);
  const confirmed = state === "done" && shown.length > 0;
  const origin = [
    `From ${name}: ${id}`,
    ...(status === "" ? [] : [`Status there: ${status}`]),
    ...[...facts, ...more].map(([what, value]) => `${what}: ${value}`),
    ...(confirmed ? ["No step that was done there was checked here."] : []),
  ];
  const parts = [
    text,
    ...(full.isCut ? [`Title there: ${title}`] : []),
    ...sections.map(([heading, body]) => `## ${heading}\n\n${body}`),
    ...long.map((step) => `## Step in full\n\n${[step.title, ...step.criteria].join("\n")}`),
    ...(beyond.length === 0 ? [] : [`## More steps\n\n${beyond.join("\n")}`]),
  ].filter((part) => part.trim() !== "");
  const from = origin.map((line) => oneLine(line, FACT).line).join("\n");
  return [...parts, parts.length === 0 ? from : `---\n${from}`].join("\n\n");
}

/** At most MOST_NOTES texts: what is beyond stands together in the last ones. */
function grouped(notes: readonly TrackerNote[]): string[] {
  const texts = notes.filter(({ text }) => text.trim() !== "").map(noteText);
  const size = Math.ceil(texts.length / MOST_NOTES) || 1;
  const groups = Array.from({ length: Math.ceil(texts.length / size) }, (_none, at) =>
    texts.slice(at * size, (at + 1) * size),
  );
  return groups.map((group) => wholeText(group.join("\n\n")).text);
}

function noteText({ by, at, text }: TrackerNote): string {
  const head = [by, at].filter((one) => one !== "").join(", ");
  return head === "" ? text : `${head}: ${text}`;
}
