/** The step tree: paths, walks, and finding a step by what a caller gave (seed tasks, "Step selectors"). */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Entity, Step } from "./entity.ts";

/** `s:0.s:2`: zero-based ordinals from the root down. */
export function pathOf(step: Step): string {
  let path = `s:${step.ordinal}`;
  for (let s = step.parent; s; s = s.parent) path = `s:${s.ordinal}.${path}`;
  return path;
}

const PATH = /^s:(?:0|[1-9]\d{0,6})(?:\.s:(?:0|[1-9]\d{0,6}))*$/;

/** Ordinals of a path, or null when the text is not one. */
export function parsePath(path: string): number[] | null {
  if (!PATH.test(path)) return null;
  // Most steps stand at the top, and to split a text costs as much as all else that finds a step.
  return path.includes(".") ? path.split(".").map((part) => Number(part.slice(2))) : [Number(path.slice(2))];
}

/** The live step at a path; undefined when there is none or it was deleted. */
export function stepAt(entity: Entity, ordinals: number[]): Step | undefined {
  let siblings = entity.children;
  let step: Step | undefined;
  for (const ordinal of ordinals) {
    step = siblings[ordinal];
    if (!step || step.deleted) return undefined;
    siblings = step.children;
  }
  return step;
}

/** Live steps, children before their parent, siblings in order: the order in which work is due. */
export function* postOrder(steps: readonly Step[]): Generator<Step> {
  const stack: { list: readonly Step[]; at: number; owner: Step | null }[] = [{ list: steps, at: 0, owner: null }];
  while (stack.length > 0) {
    const frame = stack.at(-1)!;
    const step = frame.list[frame.at++];
    if (step?.deleted) continue;
    // Most steps have none below them, and a frame for each was most of the walk.
    if (step?.children.length === 0) yield step;
    else if (step) stack.push({ list: step.children, at: 0, owner: step });
    else {
      stack.pop();
      if (frame.owner) yield frame.owner;
    }
  }
}

/** Live steps, parents before children, siblings in order: the order in which a tree is read. */
export function* preOrder(steps: readonly Step[]): Generator<Step> {
  const stack = steps.toReversed();
  for (let step = stack.pop(); step; step = stack.pop()) {
    if (step.deleted) continue;
    yield step;
    for (let i = step.children.length - 1; i >= 0; i--) stack.push(step.children[i]!);
  }
}

export function firstOpen(entity: Entity): Step | undefined {
  for (const step of postOrder(entity.children)) if (!step.done) return step;
  return undefined;
}

/** Whether it is so of one of these steps, or of a live one below them. */
export function anyStep(steps: readonly Step[], is: (step: Step) => boolean): boolean {
  if (steps.length === 0) return false;
  for (const step of preOrder(steps)) if (is(step)) return true;
  return false;
}

export function openChildren(step: Step): Step[] {
  return step.children.filter((c) => !c.deleted && !c.done);
}

export function depthOf(step: Step | null): number {
  let depth = 0;
  for (let s = step; s; s = s.parent) depth++;
  return depth;
}

/** Name of the list a step stands in, as `Entity.moved` uses it. */
export function listName(parent: Step | null): string {
  return parent ? `${parent.$}children` : "children";
}

export interface StepSelector {
  step_id?: string;
  path?: string;
}

/**
 * The step a caller means. Both selectors may be given when they agree. For a write, a path that a merge moved is
 * refused until a caller who saw both sides has written there (STEP rules, PATH_MOVED).
 */
export function selectStep(entity: Entity, by: StepSelector, use: "read" | "write"): Step {
  const byId = by.step_id === undefined ? undefined : entity.steps.get(by.step_id);
  if (by.step_id !== undefined && (!byId || isGone(byId))) {
    throw new TaskfoldError(
      "UNKNOWN_ID",
      `Expected the id of a step of this task, found ${JSON.stringify(by.step_id)}.`,
      {
        ...remedy`${toolName("tasks_radar")} names the steps that are there.`,
      },
    );
  }
  if (by.path === undefined) {
    if (byId) return byId;
    throw new TaskfoldError("TARGET_REQUIRED", "Expected step_id or path to name a step, found neither.", {
      recovery: "Give step_id (safe against moves) or path, such as s:0.s:1.",
    });
  }
  const ordinals = parsePath(by.path);
  if (!ordinals) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected a path such as s:0.s:1, found ${JSON.stringify(by.path.slice(0, 80))}.`,
    );
  }
  const atPath = stepAt(entity, ordinals);
  if (!atPath) {
    throw new TaskfoldError("UNKNOWN_ID", `Expected a path of this task, found ${by.path}, where no step stands.`, {
      ...remedy`${toolName("tasks_radar")} names the steps that are there.`,
    });
  }
  if (byId) {
    if (byId !== atPath) {
      throw new TaskfoldError(
        "TARGET_CONTRADICTION",
        `Expected step_id and path to name one step; ${byId.id} stands at ${pathOf(byId)}, ${by.path} is ${atPath.id}.`,
        { recovery: "Give one of the two.", details: { step_id: byId.id, at_path: atPath.id } },
      );
    }
    return byId;
  }
  if (use === "write") refuseMoved(entity, atPath, by.path);
  return atPath;
}

function isGone(step: Step): boolean {
  for (let s: Step | null = step; s; s = s.parent) if (s.deleted) return true;
  return false;
}

function refuseMoved(entity: Entity, step: Step, path: string): void {
  if (entity.moved.size === 0) return;
  for (let s: Step | null = step; s; s = s.parent) {
    const ids = entity.moved.get(listName(s.parent));
    if (ids?.includes(s.id)) {
      throw new TaskfoldError(
        "PATH_MOVED",
        `Expected a path that names one step on every branch; a merge moved ${path}, which is now ${step.id}.`,
        {
          recovery: `Name the step by step_id: ${step.id} stands at ${path} now.`,
          details: { path, step_id: step.id, moved: ids },
        },
      );
    }
  }
}
