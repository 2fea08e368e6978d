/** Room of a macro's answer: an agent that calls one reads all of it, whether it needs all of it or not. */
import type { Warning } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";
import { countCodePoints } from "../state/code_points.ts";
import type { JsonObject } from "../state/json.ts";
import { isObject } from "../state/json.ts";
import { LEAST_CHARS } from "../views/budget.ts";
import { applyCut } from "../views/cut.ts";
import type { CutOrder } from "../views/cuts.ts";
import type { Answer } from "./reply_context.ts";

/** Characters of JSON that the whole answer of a macro takes unless more is asked for. */
export const MACRO_CHARS = 4_000;
/** Names of the envelope around the answer, the tool's name, and the focus that the call went by. */
const ENVELOPE = 175;
/** A view of so many characters still has each member with its cursor, where titles are not very long. */
const ROOMY = 2_200;

/** The view in a macro's answer: its member, the tool that gives the same, and the input that gives it more room. */
export interface MacroView {
  member: "resume" | "handoff";
  tool: "tasks_resume_super" | "tasks_handoff";
  input: "resume_max_chars" | "handoff_max_chars";
}

export const RESUME: MacroView = { member: "resume", tool: "tasks_resume_super", input: "resume_max_chars" };
export const HANDOFF: MacroView = { member: "handoff", tool: "tasks_handoff", input: "handoff_max_chars" };

interface Gives {
  /** Warnings that the reply has beside those of the answer. */
  noticed: readonly Warning[];
  view?: MacroView;
  /** Cuts in what the caller wrote in this call itself: they are made before the view lacks a member. */
  echoes?: CutOrder;
  /** Take out members, one by one, where the view at its least leaves too little room. */
  spare: readonly ((result: JsonObject) => void)[];
}

/** The answer with as much of its view as fits. `asked`: the budget of the view alone, where the caller gave one. */
export function fitMacro(
  answer: (viewChars: number) => Answer,
  asked: number | undefined,
  { noticed, view, echoes = [], spare }: Gives,
): Answer {
  if (asked !== undefined) return withWayOn(answer(asked), view);
  const done: ((result: JsonObject) => void)[] = [];
  let room = MACRO_CHARS;
  const made = (): Answer => {
    const { result, ...more } = answer(room);
    for (const takeOut of done) takeOut(result);
    return withOneWarning({ result, ...more }, view, done.length > 0);
  };
  let fitted = made();
  const shrink = (least: number): void => {
    for (let over = excess(fitted, noticed); over > 0 && room > least; over = excess(fitted, noticed)) {
      room = Math.max(least, room - over);
      fitted = made();
    }
  };
  const takeOut = (one: (result: JsonObject) => void): void => {
    if (excess(fitted, noticed) <= 0) return;
    done.push(one);
    fitted = made();
  };
  shrink(ROOMY);
  for (const cut of echoes) takeOut((result) => void applyCut(result, cut, Infinity));
  shrink(LEAST_CHARS);
  for (const one of spare) takeOut(one);
  return fitted;
}

/** One warning for the whole, without the names: `budget` in the view has them, and room is short. */
function withOneWarning({ warnings = [], ...answer }: Answer, view: MacroView | undefined, isMoreOut: boolean): Answer {
  const others = warnings.filter(({ code }) => code !== "BUDGET_TRUNCATED" && code !== "BUDGET_MINIMAL");
  if (others.length === warnings.length && !isMoreOut) return { ...answer, warnings };
  const message = `Parts were left out so that the answer fits ${MACRO_CHARS} characters.`;
  return {
    ...answer,
    warnings: [{ code: "BUDGET_TRUNCATED", message, ...wayOn(answer.result, view) }, ...others],
  };
}

/** To call a macro again would do its work again: what was cut is read by the view's own tool. */
function withWayOn({ warnings = [], ...answer }: Answer, view: MacroView | undefined): Answer {
  const remedied = wayOn(answer.result, view);
  const ofBudget = (one: Warning): boolean => one.code === "BUDGET_TRUNCATED" || one.code === "BUDGET_MINIMAL";
  return { ...answer, warnings: warnings.map((one) => (ofBudget(one) ? { ...one, ...remedied } : one)) };
}

function wayOn(result: JsonObject, view: MacroView | undefined): Remedy {
  if (view === undefined)
    return remedy`${toolName("tasks_delta")} gives the events, ${toolName("tasks_resume")} the steps.`;
  const shown = result[view.member];
  const budget = isObject(shown) ? shown["budget"] : undefined;
  const all = isObject(budget) ? ` with max_chars ${JSON.stringify(budget["full_chars"])}` : "";
  return remedy`${toolName(view.tool)}${all} gives all; ${view.input} gives a macro more room.`;
}

function excess({ result, warnings = [], suggestions = [] }: Answer, noticed: readonly Warning[]): number {
  return (
    countCodePoints(JSON.stringify({ result, warnings: [...noticed, ...warnings], suggestions })) +
    ENVELOPE -
    MACRO_CHARS
  );
}
