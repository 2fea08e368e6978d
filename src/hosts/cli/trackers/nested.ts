/** Tasks below a task are steps here: what a step has no field for stands in the text of its task. */
import type { ReadItems, TrackerItem, TrackerStep } from "./item.ts";
import { newStep } from "./item.ts";
import { withoutCircles } from "./without_circles.ts";

/** Items without those that became steps; each dependency names what is left. */
export function nested({ items, said }: ReadItems): ReadItems {
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
  return { items: kept.map((item) => withSteps(item, below.get(item.id) ?? [], homes)), said };
}

/** The task that an item becomes a step of, or itself. */
function homeOf(item: TrackerItem, byId: ReadonlyMap<string, TrackerItem>): string {
  const seen = new Set<string>();
  let at = item;
  while (at.kind === "task" && at.parent !== undefined && !seen.has(at.id)) {
    seen.add(at.id);
    const above = byId.get(at.parent);
    if (above === undefined || above.kind !== "task") break;
    at = above;
  }
  // Tasks that are each below the other have no home but themselves.
  return seen.has(at.id) ? item.id : at.id;
}

function withSteps(item: TrackerItem, children: TrackerItem[], homes: ReadonlyMap<string, string>): TrackerItem {
  if (children.length === 0) return item;
  const live = children.filter(({ state }) => state !== "dropped");
  const places = new Map(live.map(({ id }, index) => [id, item.steps.length + index]));
  const away = [...item.dependsOn, ...children.flatMap(({ dependsOn }) => dependsOn)].map((id) => homes.get(id) ?? id);
  const steps = live.map((child): TrackerStep => {
    const dependsOn = child.dependsOn.flatMap((id) => places.get(id) ?? []);
    return newStep(child.title, { ...fulfilled(child), dependsOn });
  });
  return {
    ...item,
    dependsOn: [...new Set(away)].filter((id) => id !== item.id),
    steps: [...item.steps, ...steps],
    sections: [...item.sections, ...children.flatMap(sectionsOf)],
    notes: [...item.notes, ...children.flatMap(({ title, notes }) => notes.map((one) => aboutStep(title, one)))],
  };
}

function fulfilled({ state, steps }: TrackerItem): Pick<TrackerStep, "criteria" | "tests" | "done"> {
  return {
    criteria: steps.flatMap(({ title, criteria }) => (criteria.length > 0 ? criteria : [title])),
    tests: steps.flatMap(({ tests }) => tests),
    done: state === "done" && steps.every(({ done }) => done),
  };
}

function sectionsOf({ id, title, text, status, facts, sections, tags, priority }: TrackerItem): [string, string][] {
  const more = [
    ...(status === "" ? [] : [`Status there: ${status}`]),
    ...(priority === undefined ? [] : [`Priority: ${priority}`]),
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`]),
    ...facts.map(([name, value]) => `${name}: ${value}`),
  ];
  const parts = [text, ...sections.map(([heading, body]) => `${heading}:\n${body}`), more.join("\n")];
  return [[`${title} (${id})`, parts.filter((part) => part !== "").join("\n\n")]];
}

function aboutStep<N extends { text: string }>(title: string, note: N): N {
  return { ...note, text: `${title}: ${note.text}` };
}

/** Steps that wait for none behind them in a circle, and for none when they are done. */
export function freeSteps(steps: readonly TrackerStep[]): { steps: TrackerStep[]; order: number[]; dropped: number } {
  const links = steps.map(({ done, dependsOn }, at) =>
    done ? [] : dependsOn.filter((to) => to !== at && to in steps),
  );
  const { order, dropped } = withoutCircles(links);
  const gone = new Set(dropped.map(([from, to]) => `${from} ${to}`));
  const free = steps.map((step, at) => ({ ...step, dependsOn: links[at]!.filter((to) => !gone.has(`${at} ${to}`)) }));
  return { steps: free, order, dropped: dropped.length };
}
