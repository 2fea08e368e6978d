/** Tasks below a task are steps here: what a step has no field for stands in the text of its task. */
import { oneLine } from "./clean.ts";
import { saying } from "./fields.ts";
import type { ReadItems, TrackerItem, TrackerStep } from "./item.ts";
import { newStep } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { withoutCircles } from "./without_circles.ts";
import { withoutTwins } from "./without_twins.ts";

/** Items without those that became steps, and the item that each became a step of. */
export function nested(all: readonly TrackerItem[], leftOut: LeftOut[]): ReadItems {
  const items = withoutTwins(all, leftOut);
  const byId = new Map(items.map((item) => [item.id, item]));
  const homes = new Map(items.map((item) => [item.id, homeOf(item, byId)]));
  const below = new Map<string, TrackerItem[]>();
  for (const item of items) {
    const home = homes.get(item.id)!;
    if (home === item.id) continue;
    const known = below.get(home);
    if (known) known.push(item);
    else below.set(home, [item]);
  }
  const kept = items.filter((item) => homes.get(item.id) === item.id);
  return { items: kept.map((item) => withSteps(aboutParent(item), below.get(item.id) ?? [], homes)), homes, leftOut };
}

/** The item with the name of its parent, which is no task here. */
function aboutParent(item: TrackerItem): TrackerItem {
  return item.parent === undefined ? item : { ...item, facts: [...item.facts, ["Parent", item.parent]] };
}

/** The task that an item becomes a step of, or itself. */
function homeOf(item: TrackerItem, byId: ReadonlyMap<string, TrackerItem>): string {
  const seen = new Set<string>();
  let at = item;
  while (at.kind === "task" && at.parent !== undefined && !seen.has(at.id)) {
    const above = byId.get(at.parent);
    if (above === undefined || above.kind !== "task") return at.id;
    seen.add(at.id);
    at = above;
  }
  // Tasks that are each below the other have no home but themselves.
  return seen.has(at.id) ? item.id : at.id;
}

function withSteps(item: TrackerItem, children: TrackerItem[], homes: ReadonlyMap<string, string>): TrackerItem {
  if (children.length === 0) return item;
  const live = children.filter(({ state }) => state !== "dropped");
  const places = new Map(live.map(({ id }, index) => [id, item.steps.length + index]));
  const away = children.flatMap(({ dependsOn }) => dependsOn).map((id) => homes.get(id) ?? id);
  const steps = live.map((child): TrackerStep => {
    const dependsOn = child.dependsOn.flatMap((id) => places.get(id) ?? []);
    return newStep(child.title, { ...fulfilled(child), dependsOn });
  });
  const unplaced = [item, ...children].flatMap((one) => one.unplaced);
  const skipped = [item, ...children].flatMap((one) => one.skipped);
  return {
    ...item,
    dependsOn: [...new Set([...item.dependsOn, ...away.filter((id) => id !== item.id)])],
    steps: [...item.steps, ...steps],
    sections: [...item.sections, ...children.map((child) => sectionOf(item, child, places))],
    notes: [...item.notes, ...children.flatMap(({ title, notes }) => notes.map((one) => aboutStep(title, one)))],
    unplaced: [...new Set(unplaced)],
    skipped: [...new Set(skipped)],
  };
}

function fulfilled({ title, state, steps, tests }: TrackerItem): Pick<TrackerStep, "criteria" | "tests" | "done"> {
  const own = (step: TrackerStep): string[] => (step.title === title ? [] : [step.title]);
  return {
    criteria: steps.flatMap((step) => (step.criteria.length > 0 ? step.criteria : own(step))),
    tests: [...tests, ...steps.flatMap((step) => step.tests)],
    done: state === "done" && steps.every(({ done }) => done),
  };
}

/** The heading and the text for everything that a step has no field for. */
function sectionOf(home: TrackerItem, child: TrackerItem, places: ReadonlyMap<string, number>): [string, string] {
  const { id, title, text, state, status, reason, facts, sections, tags, priority, parent, plan, steps, tests } = child;
  const name = oneLine(title);
  const waits = child.dependsOn.filter((one) => one === id || !places.has(one) || !places.has(id));
  const isPartDone = state !== "done" && steps.some(({ done }) => done);
  const isBelowAnother = parent !== undefined && parent !== home.id;
  const lines = saying(
    ["Status there", status],
    ["Reason", reason],
    ["Priority", priority ?? ""],
    ["Tags", tags.join(", ")],
    ["Below", isBelowAnother ? parent : ""],
    ["Belongs to", plan === undefined || plan === home.plan ? "" : plan],
    ["Depends on", waits.join(", ")],
    ...facts,
  ).map(([what, value]) => `${what}: ${value}`);
  const listed = isPartDone || state === "dropped" ? steps : [];
  const parts = [
    ...(name.isWhole ? [] : [title]),
    text,
    ...sections.map(([heading, body]) => `${heading}:\n${body}`),
    listed.map(stepLine).join("\n"),
    state === "dropped" ? tests.join("\n") : "",
    lines.join("\n"),
  ];
  return [`${name.line} (${id})`, parts.filter((part) => part !== "").join("\n\n")];
}

/** A step with its mark and all of its texts. */
export function stepLine({ title, criteria, tests, done }: TrackerStep): string {
  const more = [...criteria.filter((one) => one !== title), ...tests];
  return [`- [${done ? "x" : " "}] ${title}`, ...more].join("\n");
}

function aboutStep<N extends { text: string }>(title: string, note: N): N {
  return { ...note, text: `${title}: ${note.text}` };
}

/**
 * Steps that wait for none behind them in a circle. A step that is done waits for none that is open. `unkept` has the links
 * that were left out.
 */
export function freeSteps(steps: readonly TrackerStep[]): FreeSteps {
  const named = steps.map(({ dependsOn }, at) => [...new Set(dependsOn)].filter((to) => to !== at && to in steps));
  const links = named.map((all, at) => all.filter((to) => !steps[at]!.done || steps[to]!.done));
  const { order, dropped } = withoutCircles(links);
  const gone = new Set(dropped.map(([from, to]) => `${from} ${to}`));
  const free = steps.map((step, at) => ({ ...step, dependsOn: links[at]!.filter((to) => !gone.has(`${at} ${to}`)) }));
  const unkept = named.flatMap((all, at) =>
    all.filter((to) => !free[at]!.dependsOn.includes(to)).map((to): [number, number] => [at, to]),
  );
  return { steps: free, order, unkept, circles: dropped.length };
}

interface FreeSteps {
  steps: TrackerStep[];
  order: number[];
  unkept: [from: number, to: number][];
  circles: number;
}
