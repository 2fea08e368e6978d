/** The shared parts of the tools of the resume family: their inputs, and how an answer is put together from them. */
import type { Suggestion, Warning } from "../errors.ts";
import { callOn, closingCall } from "../rules/suggest.ts";
import type { Subject } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import { integer, optional, text } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import type { NextAction } from "../views/capsule.ts";
import { RESUME_SUPER_CUTS } from "../views/cuts_resume.ts";
import { graphDiff } from "../views/graph_diff.ts";
import type { MemoryAsked } from "../views/memory.ts";
import { memoryOf } from "../views/memory.ts";
import { limitClamped } from "../views/page.ts";
import { NEWEST } from "../views/page_back.ts";
import type { PageAsked } from "../views/page_back.ts";
import type { ResumeParts, SignalsAsked } from "../views/resume.ts";
import { resumeSuper, signalsOf } from "../views/resume.ts";
import { maxChars, readOnly, target, workspace } from "./common.ts";
import type { ReadContext } from "./read_tool.ts";
import type { Answer } from "./reply_context.ts";
import type { RolledUp } from "./plan_tasks.ts";
import { rollUp } from "./plan_tasks.ts";
import { readerOf } from "./reader.ts";
import { toolsetOf } from "./toolsets.ts";

/** How many of each when the call does not say. */
const DEFAULTS = {
  events_limit: 20,
  decisions_limit: 5,
  evidence_limit: 5,
  blockers_limit: 5,
  notes_limit: 10,
  trace_limit: 20,
  cards_limit: 20,
  graph_diff_limit: 50,
  delta_limit: 50,
};

type LimitName = keyof typeof DEFAULTS;
type Limits = { [L in LimitName]?: number };

const limit = (name: LimitName, what: string) =>
  optional(
    integer({
      minimum: name === "graph_diff_limit" ? 1 : 0,
      description: `How many ${what}, ${DEFAULTS[name]} by default, at most ${LIMITS.listPage}.`,
    }),
  );

const cursor = (name: string) =>
  optional(text({ minLength: 1, maxLength: 64, description: `next_cursor of ${name} of an earlier answer.` }));

export const eventsLimit = limit("events_limit", "of the last events");
export const deltaLimit = limit("delta_limit", "of the last events");
export const signalLimits = {
  decisions_limit: limit("decisions_limit", "of the last decisions"),
  evidence_limit: limit("evidence_limit", "of the last evidence entries"),
};

/** Of `tasks_resume_super` and `tasks_snapshot`. */
export const superInput = {
  workspace,
  ...target,
  events_limit: eventsLimit,
  ...signalLimits,
  blockers_limit: limit("blockers_limit", "lines on what stands in the way"),
  notes_limit: limit("notes_limit", "notes"),
  trace_limit: limit("trace_limit", "lines of the trace"),
  cards_limit: limit("cards_limit", "cards"),
  notes_cursor: cursor("memory.notes"),
  trace_cursor: cursor("memory.trace"),
  cards_cursor: cursor("memory.cards"),
  graph_diff_cursor: cursor("graph_diff"),
  graph_diff_limit: limit("graph_diff_limit", "changes of the graph"),
  max_chars: maxChars,
  read_only: readOnly,
};

/** The limits as they are used, with a warning for each that was lowered. */
export class AskedLimits {
  readonly warnings: Warning[] = [];
  readonly #given: Limits;

  constructor(given: Limits) {
    this.#given = given;
  }

  of(name: LimitName): number {
    const asked = this.#given[name] ?? DEFAULTS[name];
    const used = Math.min(asked, LIMITS.listPage);
    if (asked > used) this.warnings.push(limitClamped(name, { asked, limit: used }, "Follow the cursor for the rest."));
    return used;
  }

  signals(): SignalsAsked {
    return {
      blockers: this.of("blockers_limit"),
      decisions: this.of("decisions_limit"),
      evidence: this.of("evidence_limit"),
    };
  }
}

export function partsOf(ctx: ReadContext, { tasks, block }: RolledUp): ResumeParts {
  return {
    subject: ctx.subject,
    idOf: ctx.idOf,
    reader: readerOf(ctx, { tasks }),
    tasks: block,
    focus: ctx.focus,
    target_from: ctx.target_from,
    ...(ctx.restored ? { focus_previous: ctx.restored.from } : {}),
  };
}

/** The last events, with the limit that was used. */
export function timelineOf(ctx: ReadContext, most: number) {
  return { limit: most, ...ctx.past(false).timeline(most) };
}

export interface SuperAsked extends Limits {
  notes_cursor?: string;
  trace_cursor?: string;
  cards_cursor?: string;
  graph_diff_cursor?: string;
  max_chars?: number;
}

/** The super-resume as an answer; macros that reply one call this too. `diff`: against the base branch, where the tool reads it. */
export function superResume(ctx: ReadContext, asked: SuperAsked, diff: boolean): Answer {
  const { subject } = ctx;
  const limits = new AskedLimits(asked);
  const past = ctx.past(false);
  const page = (at: string | undefined, name: LimitName): PageAsked => ({
    cursor: placeOf(at),
    limit: limits.of(name),
  });
  const pages: MemoryAsked = {
    notes: page(asked.notes_cursor, "notes_limit"),
    trace: page(asked.trace_cursor, "trace_limit"),
    cards: page(asked.cards_cursor, "cards_limit"),
  };
  const rolled = rollUp(ctx);
  const base = diff ? ctx.gitBase() : undefined;
  const parts = { ...partsOf(ctx, rolled), mostBlockers: asked.blockers_limit };
  const whole = resumeSuper({
    ...parts,
    timeline: timelineOf(ctx, limits.of("events_limit")),
    signals: signalsOf(subject, limits.signals(), parts.reader),
    memory: memoryOf(subject.entity, past.everything, pages),
    action: nextAction(subject, rolled),
    ...(base
      ? { graphDiff: graphDiff(subject.entity, base, placeOf(asked.graph_diff_cursor), limits.of("graph_diff_limit")) }
      : {}),
  });
  const { result, warnings } = fitBudget(whole, asked.max_chars, RESUME_SUPER_CUTS);
  return { result, warnings: [...limits.warnings, ...warnings], suggestions: rolled.calls };
}

function placeOf(cursor: string | undefined): string | undefined {
  return cursor === NEWEST ? undefined : cursor;
}

/** Tools that bring an open step nearer to being closed. */
const CLOSING = new Set(["tasks_close_step", "tasks_done", "tasks_evidence_capture"]);

/**
 * Returns the first action of an agent that takes over, by the macros where they do it (RESUME-10); null when nothing
 * is left to do.
 */
function nextAction(subject: Subject, { calls: [first] }: RolledUp): NextAction | null {
  const call = subject.entity.kind === "plan" ? first : taskCall(subject, first);
  return call ? { ...call, toolset: toolsetOf(call.tool) } : null;
}

/** By the macro where one does what comes next. */
function taskCall(subject: Subject, next: Suggestion | undefined): Suggestion | undefined {
  if (next && CLOSING.has(next.tool)) {
    const step = subject.entity.steps.get(next.args["step_id"] as string);
    // Evidence may have asked more of a closed step since.
    return step && !step.done ? closingCall(subject, step) : next;
  }
  if (next?.tool !== "tasks_complete") return next;
  return callOn(subject, "tasks_macro_close_step", {}, "Every step is closed: this finishes the task.");
}
