/**
 * The `depends_on` of steps as callers give it: ids or paths, of steps that are there or come with the same call
 * (STEP-72).
 */
import { TaskfoldError } from "../errors.ts";
import type { Step, Subject } from "../state/entity.ts";
import { isStepId } from "../state/ids.ts";
import type { StepGraph } from "../state/step_waits.ts";
import { circleThrough, graphOf } from "../state/step_waits.ts";
import { pathOf } from "../state/tree.ts";
import { listed } from "./phrase.ts";
import { stepOf } from "./step_of.ts";
import { callOn } from "./suggest.ts";
import { cleanList } from "./text.ts";

/** Ids of the steps that an existing step is to depend on; refused where it would wait for itself. */
export function dependenciesOf(subject: Subject, step: Step, names: readonly string[]): string[] {
  const ids = stepIdsOf(subject, step, names);
  const { entity } = subject;
  refuseCircle(circleThrough(graphOf(entity), step.id, ids), (id) => pathOf(entity.steps.get(id)!), subject);
  return ids;
}

/** Ids of the steps named. A name in an adopted step may be no step of ours; it stays as it is. */
export function stepIdsOf(subject: Subject, step: Step, names: readonly string[]): string[] {
  const known = new Set(step.depends_on);
  return resolved(names, (name) => (known.has(name) ? name : stepOf(subject, selectorOf(name)).id));
}

/** A step that is only being added, by the path that it gets. */
interface Coming {
  id: string;
  path: string;
  /** As the caller wrote them. */
  depends_on: readonly string[];
}

/** For each step that a call adds below `parent` (null: at the top) the ids that it depends on. `subject`: null for a new task. */
export function dependenciesAmong(subject: Subject | null, parent: Step | null, coming: readonly Coming[]): string[][] {
  if (coming.every((one) => one.depends_on.length === 0)) return coming.map(() => []);
  const byPath = new Map(coming.map(({ path, id }) => [path, id]));
  const find = (name: string): string => byPath.get(name) ?? existing(subject, name, byPath);
  const all = coming.map((one) => resolved(one.depends_on, find));
  const graph = graphWith(subject, parent, new Map(coming.map(({ id }, i) => [id, all[i]!])));
  const paths = new Map(coming.map(({ path, id }) => [id, path]));
  const nameOf = (id: string): string => paths.get(id) ?? pathOf(subject!.entity.steps.get(id)!);
  for (const [i, { id }] of coming.entries()) refuseCircle(circleThrough(graph, id, all[i]!), nameOf, subject);
  return all;
}

function graphWith(subject: Subject | null, parent: Step | null, added: ReadonlyMap<string, string[]>): StepGraph {
  const known = subject && graphOf(subject.entity);
  return {
    parent: (id) => (added.has(id) ? (parent?.id ?? null) : (known?.parent(id) ?? null)),
    children: (id) => [...(known?.children(id) ?? []), ...(id === parent?.id ? added.keys() : [])],
    dependsOn: (id) => added.get(id) ?? known?.dependsOn(id) ?? [],
  };
}

function existing(subject: Subject | null, name: string, byPath: ReadonlyMap<string, string>): string {
  if (subject) return stepOf(subject, selectorOf(name)).id;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    `Expected depends_on to name steps of the same call by path, found ${JSON.stringify(name.slice(0, 80))}.`,
    { recovery: `The steps of this call get the paths ${listed([...byPath.keys()], 20)}.` },
  );
}

function selectorOf(name: string): { step_id: string } | { path: string } {
  return isStepId(name) ? { step_id: name } : { path: name };
}

function resolved(names: readonly string[], find: (name: string) => string): string[] {
  return [...new Set(cleanList(names, "depends_on").map(find))];
}

function refuseCircle(circle: string[] | null, nameOf: (id: string) => string, subject: Subject | null): void {
  if (circle === null) return;
  const paths = circle.map(nameOf);
  throw new TaskfoldError("INVALID_INPUT", `Expected depends_on without a circle, found ${paths.join(" on ")}.`, {
    recovery: "Leave that dependency out: a step waits for those below it and for what those above it wait for.",
    ...(subject ? { suggestions: [callOn(subject, "tasks_radar", {}, "See what waits for what.")] } : {}),
    details: { circle: paths },
  });
}
