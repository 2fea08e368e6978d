/** A plan's checklist: what is to be gone through in order, and how far it has come. */
import type { Node } from "./node.ts";

export interface Checklist extends Node {
  /** Name of the document that the plan stands for. */
  doc: string;
  steps: string[];
  /** How many of `steps` are behind; `steps[current]` is the one that is due. */
  current: number;
}

export const DEFAULT_PLAN_DOC = "plan";

export function newChecklist(): Checklist {
  return { $: "checklist.", doc: DEFAULT_PLAN_DOC, steps: [], current: 0 };
}

/** How many items are behind; a merge may have shortened the list below what another branch counted. */
export function itemsBehind({ steps, current }: Checklist): number {
  return Math.min(current, steps.length);
}

/** The item that is due, or undefined when all are behind or there is none. */
export function dueItem(checklist: Checklist): string | undefined {
  return checklist.steps[checklist.current];
}

/** Whether the checklist comes before the tasks: work on the plan itself has begun. */
export function isItemFirst({ status, checklist }: { status: string; checklist: Checklist }): boolean {
  return status !== "TODO" || itemsBehind(checklist) > 0;
}

/** `1/3` */
export function checklistProgress(checklist: Checklist): string {
  return `${itemsBehind(checklist)}/${checklist.steps.length}`;
}
