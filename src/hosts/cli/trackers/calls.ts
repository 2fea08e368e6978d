/** The calls of tools that make a plan or task of an item (TRACKER-2 to TRACKER-9). */
import type { JsonObject } from "../../../index.ts";
import { oneLine, TEXT_BYTES, wholeText } from "./clean.ts";
import type { Tracker, TrackerItem, TrackerNote, TrackerStep } from "./item.ts";
import { newStep } from "./item.ts";
import { freeSteps, stepLine } from "./nested.ts";

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
  /** Names of texts of which a part is left out. */
  cut: string[];
  circles: number;
}

/** The page of a plan or task shows so many notes, the last ones. */
const SHOWN_NOTES = 10;
const MOST_STEPS = 500;
const CRITERION = 2000;
const FACT = 2000;
const TAG = 80;
const PRIORITY = 40;
/** Of the criteria and tests of all steps, so that they fit into one operation. */
const CRITERIA = 256 * 1024;

export function callsFor({ name }: Tracker, { item, id, plan, dependsOn, more }: Placed): Made {
  const isPlan = item.kind === "plan";
  const all = stepsOf(item);
  const { steps, order, unkept, circles } = freeSteps(isPlan ? [] : all.slice(0, MOST_STEPS));
  const isFulfilled = steps.every(({ done }) => done);
  const isLeftOpen = item.state === "done" && !isFulfilled;
  const { inputs, isWhole } = stepInputs(steps);
  const tags = item.tags.map((tag) => oneLine(tag, TAG));
  const shownTags = [...new Set(tags.map(({ line }) => line))].filter((tag) => tag !== "");
  const priority = oneLine(item.priority ?? "", PRIORITY);
  const { calls: last, why } = ending(name, item, id, steps);
  const description = describe(name, item, {
    facts: [
      ...(tags.every((tag) => tag.isWhole) ? [] : [["Tags there", item.tags.join(", ")] as const]),
      ...(priority.isWhole ? [] : [["Priority there", item.priority!] as const]),
      ...(why?.isWhole === true || item.reason === "" ? [] : [["Reason", item.reason] as const]),
      ...unkept.map(
        ([from, to]) => ["Order of steps there", `${titleAt(steps, from)} after ${titleAt(steps, to)}`] as const,
      ),
      ...item.facts,
      ...more,
    ],
    steps: all.filter((step, at) => isPlan || at >= MOST_STEPS || !isWhole[at]! || !oneLine(step.title).isWhole),
    isConfirmed: item.state === "done" && steps.length > 0,
  });
  const create: JsonObject = {
    kind: item.kind,
    id,
    title: titleOf(item).line,
    description: description.text,
    ...(plan === undefined || isPlan ? {} : { parent: plan }),
    ...(priority.line === "" ? {} : { priority: priority.line }),
    ...(shownTags.length === 0 ? {} : { tags: shownTags }),
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    ...(steps.length === 0 ? {} : { steps: inputs }),
  };
  const { texts, isCut } = grouped(item.notes);
  const notes = texts.map((note) => ({ tool: "tasks_note", args: { target: id, note } }));
  const closed = order.flatMap((at) => (steps[at]!.done ? [closing(id, at)] : []));
  const calls = [{ tool: "tasks_create", args: create }, ...notes, ...closed, ...last];
  return { calls, isLeftOpen, cut: [...description.cut, ...(isCut ? ["comments"] : [])], circles };
}

function titleOf({ title, id }: TrackerItem): { line: string; isWhole: boolean } {
  const named = oneLine(title);
  return named.line === "" ? { line: oneLine(id).line || "Untitled", isWhole: true } : named;
}

/** A task that is not ended has a step to take up; one that ended and names none needs none. */
function stepsOf(item: TrackerItem): TrackerStep[] {
  const isOver = item.state === "done" || item.state === "dropped";
  const { title, steps, tests, state } = item;
  const proof = newStep(title, { tests, done: state === "done", dependsOn: steps.map((_step, at) => at) });
  if (tests.length > 0) return [...steps, proof];
  return steps.length > 0 || isOver || item.kind === "plan" ? steps : [newStep(titleOf(item).line)];
}

/** As tools take them, and for each whether all of its criteria and tests are there. */
function stepInputs(steps: readonly TrackerStep[]): { inputs: JsonObject[]; isWhole: boolean[] } {
  let left = CRITERIA;
  const taken = (text: string): boolean => text.length <= CRITERION && (left -= text.length + 1) >= 0;
  const isWhole: boolean[] = [];
  const inputs = steps.map(({ criteria, tests, dependsOn }, at): JsonObject => {
    const lines = (texts: readonly string[]): string[] => texts.filter(taken).map((text) => wholeText(text).text);
    const [success, checks] = [lines(criteria), lines(tests)];
    isWhole.push(success.length + checks.length === criteria.length + tests.length);
    return {
      title: titleAt(steps, at),
      success_criteria: success,
      tests: checks,
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn.map((to) => `s:${to}`) }),
    };
  });
  return { inputs, isWhole };
}

function titleAt(steps: readonly TrackerStep[], at: number): string {
  return oneLine(steps[at]!.title).line || `Step ${at + 1}`;
}

function closing(task: string, at: number): ItemCall {
  return { tool: "tasks_close_step", args: { task, path: `s:${at}`, checkpoints: "gate" } };
}

/** The calls that give it its state, and the reason that they name. */
function ending(
  name: string,
  { state, status, reason }: TrackerItem,
  target: string,
  steps: readonly TrackerStep[],
): { calls: ItemCall[]; why?: { line: string; isWhole: boolean } } {
  const why = oneLine(`${status || state} in ${name}${reason === "" ? "" : `: ${reason}`}`);
  const set = (to: string): ItemCall[] => [{ tool: "tasks_complete", args: { target, status: to, reason: why.line } }];
  if (state === "dropped") return { calls: set("CANCELED"), why };
  if (state === "active") return { calls: set("ACTIVE"), why };
  if (state === "done") return { calls: set(steps.every(({ done }) => done) ? "DONE" : "ACTIVE"), why };
  const open = steps.findIndex(({ done }) => !done);
  if (state !== "blocked" || open < 0) return { calls: [] };
  return { calls: [{ tool: "tasks_block", args: { task: target, path: `s:${open}`, reason: why.line } }], why };
}

interface Described {
  facts: readonly (readonly [name: string, value: string])[];
  /** Steps that say more than their fields do. */
  steps: readonly TrackerStep[];
  isConfirmed: boolean;
}

/** The text, the sections, and last the facts, each of one line below the other. */
function describe(
  name: string,
  { id, text, sections, status, title }: TrackerItem,
  { facts, steps, isConfirmed }: Described,
): { text: string; cut: string[] } {
  const told = [["Status there", status] as const, ...facts].filter(([, value]) => value !== "");
  const isLine = ([, value]: readonly [string, string]): boolean => oneLine(value, FACT).isWhole;
  const long = told.filter((fact) => !isLine(fact));
  const origin = [
    `From ${name}: ${oneLine(id, FACT).line}`,
    ...told.filter(isLine).map(([what, value]) => `${oneLine(what, FACT).line}: ${oneLine(value, FACT).line}`),
    ...(isConfirmed ? ["No step that was done there was checked here."] : []),
  ].join("\n");
  const parts: (readonly [field: string, text: string])[] = [
    ["title", oneLine(title).isWhole ? "" : `## Title there\n\n${title}`],
    ["description", text],
    ...sections.map(([heading, body]) => [heading, `## ${heading}\n\n${body}`] as const),
    ["steps", steps.length === 0 ? "" : `## Steps there\n\n${steps.map(stepLine).join("\n")}`],
    ...long.map(([what, value]) => [what, `## ${oneLine(what, FACT).line}\n\n${value}`] as const),
  ];
  return fitted(
    parts.filter(([, part]) => part.trim() !== ""),
    origin,
  );
}

/** Where all of it is too long for a field, the last parts are cut, and never the origin. */
function fitted(
  parts: readonly (readonly [field: string, text: string])[],
  origin: string,
): { text: string; cut: string[] } {
  const end = wholeText(parts.length === 0 ? origin : `---\n${origin}`);
  let left = TEXT_BYTES - Buffer.byteLength(end.text);
  const cut = end.isCut ? ["facts"] : [];
  const texts = parts.flatMap(([field, part]) => {
    const { text, isCut } = wholeText(part, left);
    if (isCut) cut.push(field);
    if (left <= 0) return [];
    left -= Buffer.byteLength(text) + 2;
    return [text];
  });
  return { text: [...texts, end.text].join("\n\n"), cut };
}

/** As few as a page shows, so that it shows all of them: what is more stands together. A longer text than a note holds is cut. */
function grouped(notes: readonly TrackerNote[]): { texts: string[]; isCut: boolean } {
  const texts = notes.map(noteText).filter((text) => text.trim() !== "");
  const most = Math.ceil(texts.length / SHOWN_NOTES);
  const groups: { texts: string[]; bytes: number }[] = [];
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 2;
    const last = groups.at(-1);
    if (last && last.texts.length < most && last.bytes + bytes <= TEXT_BYTES) {
      last.texts.push(text);
      last.bytes += bytes;
    } else groups.push({ texts: [text], bytes });
  }
  const fit = groups.map((group) => wholeText(group.texts.join("\n\n")));
  return { texts: fit.map(({ text }) => text), isCut: fit.some(({ isCut }) => isCut) };
}

function noteText({ by, at, text }: TrackerNote): string {
  const head = [by, at].filter((one) => one !== "").join(", ");
  return head === "" ? text : `${head}: ${text}`;
}
