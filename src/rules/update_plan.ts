/** A plan's checklist and how far it has come (PLANS rules). */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { planUpdated } from "../events/plan.updated.ts";
import { dueItem, itemsBehind } from "../state/checklist.ts";
import type { Subject } from "../state/entity.ts";
import { counted } from "../state/counted.ts";
import { sentence } from "./phrase.ts";
import { refuseTask } from "./plan_only.ts";
import { callOn } from "./suggest.ts";
import { checkTitle, cleanList } from "./text.ts";

export interface PlanUpdate {
  steps?: readonly string[];
  current?: number;
  doc?: string;
  advance?: boolean;
}

/** INVALID_INPUT when nothing is given, or when the position would leave the list. */
export function updatePlan(subject: Subject, input: PlanUpdate): Draft[] {
  refuseTask(subject);
  const { checklist, title } = subject.entity;
  const steps = input.steps === undefined ? undefined : cleanList(input.steps, "steps");
  const length = (steps ?? checklist.steps).length;
  const current = positionOf(subject, input, length);
  const set = {
    ...(input.doc === undefined ? {} : { doc: checkTitle(input.doc, "doc") }),
    ...(steps === undefined ? {} : { steps }),
    ...(current === undefined ? {} : { current }),
  };
  if (Object.keys(set).length === 0) {
    throw refused(subject, "Expected steps, current, doc or advance, found nothing to change.");
  }
  const did = [
    steps === undefined ? "" : `Set the checklist of plan "${title}" to ${counted(length, "item")}`,
    set.doc === undefined ? "" : `Named the document of plan "${title}" ${set.doc}`,
    current === undefined ? "" : `Plan "${title}" is at ${current} of ${length}`,
  ];
  const message = did
    .filter((part) => part !== "")
    .map((part) => sentence(part))
    .join(" ");
  return [planUpdated.draft({ ...set, message })];
}

/** Where the plan stands afterwards; undefined when nothing is said of it and nothing has to change. */
function positionOf(subject: Subject, { steps, current, advance }: PlanUpdate, length: number): number | undefined {
  const { checklist } = subject.entity;
  if (advance === true && current !== undefined) {
    throw refused(subject, "Expected current or advance, found both.");
  }
  if (current !== undefined) {
    if (current <= length) return current;
    throw refused(subject, `Expected current from 0 to ${length}, the length of the checklist, found ${current}.`);
  }
  const behind = Math.min(itemsBehind(checklist), length);
  if (advance === true) {
    if (behind < length) return behind + 1;
    throw refused(subject, `Expected an item to be left; all ${length} of ${subject.id} are behind.`);
  }
  // A shorter list may end before the place where the old one stood.
  return steps !== undefined && checklist.current > length ? length : undefined;
}

function refused(subject: Subject, message: string): TaskfoldError {
  const { checklist } = subject.entity;
  const args = dueItem(checklist) === undefined ? { steps: ["<fill: what is to be done first>"] } : { advance: true };
  return new TaskfoldError("INVALID_INPUT", message, {
    recovery: "Give steps to replace the checklist, current to say how many are behind, or advance for the next one.",
    suggestions: [callOn(subject, "tasks_plan", args, "Go on with the checklist.")],
    details: { current: checklist.current, length: checklist.steps.length },
  });
}
