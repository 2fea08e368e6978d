/** A refused macro fits the room that its answer has (TOOL-84): an agent that calls one reads all of it. */
import type { Suggestion, Warning } from "../../errors.ts";
import { remedy, toolName } from "../../remedy.ts";
import { countCodePoints, shorten } from "../../state/code_points.ts";
import { MACRO_CHARS } from "../../tools/macro_room.ts";
import type { CheckedCall } from "../entity/job.ts";
import type { Reply, ReplyError } from "../entity/reply.ts";

type Refusal = Extract<Reply, { success: false }>;

/** Room of a message and of a recovery, where all else is cut and does not suffice. */
const MESSAGE = 1_200;
const RECOVERY = 400;

const LEFT_OUT: Warning = {
  code: "BUDGET_TRUNCATED",
  message: `Parts were left out of the refusal so that it fits ${MACRO_CHARS} characters.`,
  ...remedy`${toolName("tasks_resume")} shows the steps with what is attached to them.`,
};

/** The refusal of another tool, of a macro with a budget of its own, and one that fits come back as they are. */
export function fitRefusal({ tool, input }: CheckedCall, reply: Reply): Reply {
  const isBudgeted = "resume_max_chars" in input || "handoff_max_chars" in input;
  if (reply.success || !tool.name.startsWith("tasks_macro_") || isBudgeted || fits(reply)) return reply;
  const shortened = { ...reply, warnings: [...reply.warnings, LEFT_OUT] };
  for (const cut of [cutLists, cutSuggestions, cutTexts, withoutDetails, withLookAlone]) {
    if (fits(shortened)) break;
    cut(shortened);
  }
  return shortened;
}

function fits(reply: Reply): boolean {
  return countCodePoints(JSON.stringify(reply)) <= MACRO_CHARS;
}

/** Takes the second half of the longest list away, again and again; `left_out` counts what is gone. */
function cutLists(reply: Refusal): void {
  const lists = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(reply.error.details ?? {}))
    if (Array.isArray(value) && value.length > 1) lists.set(name, value);
  const whole = new Map([...lists].map(([name, list]) => [name, list.length]));
  while (lists.size > 0 && !fits(reply)) {
    const [name, list] = [...lists].reduce((a, b) => (sizeOf(b[1]) > sizeOf(a[1]) ? b : a));
    const half = list.slice(0, Math.ceil(list.length / 2));
    if (half.length > 1) lists.set(name, half);
    else lists.delete(name);
    const before = reply.error.details!;
    const left_out = { ...(before["left_out"] as object | undefined), [name]: whole.get(name)! - half.length };
    reply.error = { ...reply.error, details: { ...before, [name]: half, left_out } } as ReplyError;
  }
}

function sizeOf(list: readonly unknown[]): number {
  return JSON.stringify(list).length;
}

/** The first is the nearest way out. */
function cutSuggestions(reply: Refusal): void {
  while (reply.suggestions.length > 1 && !fits(reply)) reply.suggestions = reply.suggestions.slice(0, -1);
}

function cutTexts(reply: Refusal): void {
  const { message, recovery } = reply.error;
  reply.error = {
    ...reply.error,
    message: shorten(message, MESSAGE),
    ...(recovery === undefined ? {} : { recovery: shorten(recovery, RECOVERY) }),
  };
}

/** Details that programs read are counts, which always fit. */
function withoutDetails(reply: Refusal): void {
  const { details: _details, ...error } = reply.error;
  reply.error = error as ReplyError;
}

/** A call that is too long to be offered gives way to a look at its target. */
function withLookAlone(reply: Refusal): void {
  reply.suggestions = reply.suggestions.map(({ args }): Suggestion => {
    const { workspace, task, plan, target } = args;
    const look = {
      tool: "tasks_radar",
      args: { workspace, target: task ?? plan ?? target },
      reason: "See what there is.",
    };
    return look as Suggestion;
  });
}
