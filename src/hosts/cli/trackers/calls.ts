/** The calls of tools that make a plan or task of an item (TRACKER-2). */
import type { JsonObject } from "../../../index.ts";
import { counted } from "../../../state/counted.ts";
import { cleanText, oneLine, pieces, TEXT_BYTES } from "./clean.ts";
import type { Fact, Tracker, TrackerItem, TrackerNote, TrackerStep } from "./item.ts";
import { newStep } from "./item.ts";
import { listed } from "./left_out.ts";
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
  more: Fact[];
}

export interface Made {
  calls: ItemCall[];
  /** Ended there and not here: a step of it is open. */
  isLeftOpen: boolean;
  /** Fields of the source whose text is longer than a description or a note, and stands whole in several notes. */
  inNotes: string[];
  circles: number;
}

/** The page of a plan or task shows so many notes, the last ones. */
const SHOWN_NOTES = 10;
const MAX_STEPS = 500;
const CRITERION = 2000;
const FACT = 2000;
/** Of the line that says what stands in notes. */
const STANDS_IN = 2048;
const TAG = 80;
const PRIORITY = 40;
/** Of the criteria and tests of all steps, so that they fit into one operation. */
const CRITERIA = 256 * 1024;

export function callsFor(tracker: Tracker, { item, id, plan, dependsOn, more }: Placed): Made {
  const { name } = tracker;
  const isPlan = item.kind === "plan";
  const all = stepsOf(item);
  const { steps, order, unkept, circles } = freeSteps(isPlan ? [] : all.slice(0, MAX_STEPS));
  const isFulfilled = steps.every(({ done }) => done);
  const isLeftOpen = item.state === "done" && !isFulfilled;
  const { inputs, isWhole } = stepInputs(steps);
  const tags = item.tags.map((tag) => oneLine(tag, TAG));
  const shownTags = [...new Set(tags.map(({ line }) => line))].filter((tag) => tag !== "");
  const priority = oneLine(item.priority ?? "", PRIORITY);
  const { calls: last, why } = ending(name, item, id, steps);
  const description = describe(tracker, item, {
    target: id,
    facts: [
      ...(tags.every((tag) => tag.isWhole) ? [] : [["Tags there", item.tags.join(", ")] as Fact]),
      ...(priority.isWhole ? [] : [["Priority there", item.priority!, "priority"] as Fact]),
      ...(why?.isWhole === true || item.reason === "" ? [] : [["Reason", item.reason] as Fact]),
      ...unkept.map(
        ([from, to]) => ["Order of steps there", `${titleAt(steps, from)} after ${titleAt(steps, to)}`] as Fact,
      ),
      ...item.facts,
      ...more,
    ],
    steps: all.filter((step, at) => isPlan || at >= MAX_STEPS || !isWhole[at]! || !oneLine(step.title).isWhole),
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
  const comments = grouped(item.notes);
  const notes = [...description.notes, ...comments.texts].map((note) => ({
    tool: "tasks_note",
    args: { target: id, note },
  }));
  const closed = order.flatMap((at) => (steps[at]!.done ? [closing(id, at)] : []));
  const calls = [{ tool: "tasks_create", args: create }, ...notes, ...closed, ...last];
  const inNotes = [...description.moved, ...(comments.isSplit ? [tracker.fields.notes] : [])];
  return { calls, isLeftOpen, inNotes, circles };
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
  const inputs = steps.map(({ criteria, tests, dependsOn, done }, at): JsonObject => {
    const lines = (texts: readonly string[]): string[] => texts.filter(taken).map(cleanText);
    const [success, checks] = [lines(criteria), lines(tests)];
    isWhole.push(success.length + checks.length === criteria.length + tests.length);
    return {
      title: titleAt(steps, at),
      success_criteria: success,
      tests: checks,
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn.map((to) => `s:${to}`) }),
      // The other tracker has no proof of what was done there, whatever this workspace asks of new steps.
      ...(done ? { proof: NO_PROOF } : {}),
    };
  });
  return { inputs, isWhole };
}

const NO_PROOF: JsonObject = { tests: "off", security: "off", perf: "off", docs: "off" };

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
  target: string;
  facts: readonly Fact[];
  /** Steps that say more than their fields do. */
  steps: readonly TrackerStep[];
  isConfirmed: boolean;
}

/** A part of a description, with the names that the source has for its fields. */
interface Part {
  name: string;
  fields: string[];
  text: string;
}

/** The text, the sections, and last the facts, each of one line below the other. */
function describe(
  { name, fields }: Tracker,
  { id, text, sections, status, title, tests }: TrackerItem,
  { target, facts, steps, isConfirmed }: Described,
): Placing {
  const there = oneLine(id, FACT);
  const given: Fact[] = [["Id there", there.isWhole ? "" : id, "id"], ["Status there", status, "status"], ...facts];
  const filled = given.filter(([, value]) => value !== "");
  const isLine = ([, value]: Fact): boolean => oneLine(value, FACT).isWhole;
  const lines = filled.filter(isLine);
  const titled = (heading: string, body: string, field: string): Part => {
    const { line } = oneLine(heading, FACT);
    return { name: line, fields: [field], text: body.trim() === "" ? "" : `## ${line}\n\n${body}` };
  };
  const isOfTests = steps.every((step) => step.tests === tests);
  const parts: Part[] = [
    titled("Title there", oneLine(title).isWhole ? "" : title, fields.title),
    { name: fields.text, fields: [fields.text], text },
    ...sections.map(([heading, body, field = heading]) => titled(heading, body, field)),
    titled("Steps there", steps.map(stepLine).join("\n"), isOfTests ? fields.tests : fields.steps),
    ...filled.filter((fact) => !isLine(fact)).map(([what, value, field = what]) => titled(what, value, field)),
  ];
  const from = `From ${name}: ${there.line}`;
  return placed(
    parts.filter((part) => part.text.trim() !== ""),
    {
      name: "facts of one line",
      fields: lines.map(([what, , field = what]) => field),
      text: [
        from,
        ...lines.map(([what, value]) => `${oneLine(what, FACT).line}: ${oneLine(value, FACT).line}`),
        ...(isConfirmed ? ["No step that was done there was checked here."] : []),
      ].join("\n"),
    },
    { from, target },
  );
}

interface Placing {
  text: string;
  notes: string[];
  /** Fields of the source that stand in notes. */
  moved: string[];
}

/**
 * All parts in the description, where they fit. Where they do not, the longest stand whole in notes, as many as it takes: so
 * nothing small moves away because something else is long.
 */
function placed(parts: readonly Part[], origin: Part, { from, target }: { from: string; target: string }): Placing {
  const all = [...parts, { ...origin, text: parts.length === 0 ? origin.text : `---\n${origin.text}` }];
  const clean = all.map((part) => ({ ...part, text: cleanText(part.text) }));
  const sizes = clean.map(({ text }) => Buffer.byteLength(text) + 2);
  const longest = clean.map((_part, at) => at).toSorted((a, b) => sizes[b]! - sizes[a]!);
  const away = new Set<number>();
  let size = sizes.reduce((sum, one) => sum + one, 0);
  for (const at of longest) {
    if (size + (away.size === 0 ? 0 : STANDS_IN) <= TEXT_BYTES) break;
    away.add(at);
    size -= sizes[at]!;
  }
  const stays = clean.filter((_part, at) => !away.has(at)).map(({ text }) => text);
  if (away.size === 0) return { text: stays.join("\n\n"), notes: [], moved: [] };
  const gone = clean.filter((_part, at) => away.has(at));
  const texts = pieces(gone.map(({ text }) => text).join("\n\n"));
  const headed = texts.map((text, at) => `Part ${at + 1} of ${texts.length} of what is long there:\n\n${text}`);
  const where = `${counted(texts.length, "note")}, from "Part 1 of ${texts.length}" on. taskfold log ${target} --json prints them`;
  const pointer = `Too long for a description: ${listed(gone.map(({ name }) => name))}. All of it stands in ${where}.`;
  return {
    text: [...stays, ...(away.has(all.length - 1) ? [from] : []), pointer].join("\n\n"),
    notes: headed,
    moved: gone.flatMap(({ fields }) => fields),
  };
}

/** As few as a page shows, so that it shows all of them: what is more stands together. A text that is longer than a note holds has several. */
function grouped(notes: readonly TrackerNote[]): { texts: string[]; isSplit: boolean } {
  const texts = notes.map((note) => cleanText(noteText(note))).filter((text) => text.trim() !== "");
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
  const fit = groups.flatMap((group) => pieces(group.texts.join("\n\n")));
  return { texts: fit, isSplit: fit.length > groups.length };
}

function noteText({ by, at, text }: TrackerNote): string {
  const head = [by, at].filter((one) => one !== "").join(", ");
  return head === "" ? text : `${head}: ${text}`;
}
