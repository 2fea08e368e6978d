/**
 * The judgement whether an agent that takes over finds enough in the folder (LINT-7). `tasks_lint` gives the causes, and the
 * super-resume names the same ones in `degradation.signals`, in small letters (RESUME-7).
 */
import { remedy, toolName } from "../remedy.ts";
import type { REMEDY_PARTS, RemedyPart } from "../remedy.ts";
import type { Entity } from "../state/entity.ts";
import { sectionOf, TOP_LEVEL_SECTIONS } from "../state/taskdoc.ts";
import { cardCount } from "./memory.ts";

/** One cause. It is a warning, never an error: the work itself may be sound. */
export type ContextCause = {
  code: string;
  message: string;
  recovery: string;
  [REMEDY_PARTS]?: readonly RemedyPart[];
};

export type ContextStats = {
  description: boolean;
  context: boolean;
  contract: boolean;
  /** Which of the three sections at the top of the Taskdoc say something. */
  taskdoc: string[];
  notes: number;
  trace: number;
  cards: number;
  evidence: number;
};

/** Returns what there is to take over from, as the causes are judged by. */
export function contextStats(entity: Entity): ContextStats {
  const says = (text: string | null | undefined): boolean => (text ?? "").trim() !== "";
  return {
    description: says(entity.description),
    context: says(entity.context),
    contract: says(entity.contract),
    taskdoc: TOP_LEVEL_SECTIONS.filter((name) =>
      says(sectionOf(entity.taskdoc, { category: null, selector: name })?.content),
    ),
    notes: entity.note_count,
    trace: entity.trace_count,
    cards: cardCount(entity),
    evidence: entity.evidence.length,
  };
}

/** Returns the causes, the gravest first; none where an agent finds what it needs. */
export function contextCauses(entity: Entity): ContextCause[] {
  const { description, context, contract, taskdoc, notes, trace, cards, evidence } = contextStats(entity);
  const isPurposeGiven = description || context || contract || taskdoc.includes("goals");
  const isEmpty = !isPurposeGiven && taskdoc.length === 0 && notes + trace + cards === 0;
  const isWorked = entity.status === "DONE" || [...entity.steps.values()].some((step) => step.done && !step.deleted);
  const causes: ContextCause[] = [];
  if (isEmpty) {
    causes.push({
      code: "CONTEXT_EMPTY",
      message: `Nothing says what this ${entity.kind} is for or how it goes: no description, context, contract, Taskdoc, note or thought.`,
      ...remedy`Give it a description or context with ${toolName("tasks_edit")}.`,
    });
  } else if (!isPurposeGiven) {
    causes.push({
      code: "PURPOSE_MISSING",
      message: `Nothing says what this ${entity.kind} is for: no description, context, contract or goals.`,
      ...remedy`Give it a description or context with ${toolName("tasks_edit")}.`,
    });
  }
  if (isWorked && notes === 0 && evidence === 0) {
    causes.push({
      code: "NOTHING_NOTED",
      message: "Work was done, yet not one note or piece of evidence tells how.",
      ...remedy`Write down what was found with ${toolName("tasks_note")}, or what shows it with ${toolName("tasks_evidence_capture")}.`,
    });
  }
  if (trace > 0 && notes + cards === 0) {
    causes.push({
      code: "TRACE_ONLY",
      message: "There are thoughts in the trace, yet no note and no card says what came of them.",
      ...remedy`Write down what came of them with ${toolName("tasks_note")}, or as cards with ${toolName("tasks_think")}.`,
    });
  }
  if (isWorked && trace + cards === 0) {
    causes.push({
      code: "REASONING_MISSING",
      message: "Work was done, yet no card and no thought tells why it was done this way.",
      ...remedy`Say with ${toolName("tasks_think")} what was asked, tried and decided.`,
    });
  }
  return causes;
}
