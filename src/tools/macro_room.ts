/** Room of a macro's answer: an agent that calls one reads all of it, whether it needs all of it or not. */
import { countCodePoints } from "../state/code_points.ts";
import type { JsonObject } from "../state/json.ts";
import { LEAST_CHARS } from "../views/budget.ts";
import type { Answer } from "./define.ts";

/** Characters of JSON that the whole answer of a macro takes unless more is asked for. */
export const MACRO_CHARS = 4_000;
/** Names of the envelope around the answer, and the tool's name. */
const ENVELOPE = 140;

/**
 * The answer with as much of its view as fits. `asked`: the budget of the view alone, where the caller gave one.
 * Members that `spare` takes out, one by one, go only where the view at its least leaves too little room.
 */
export function fitMacro(
  answer: (viewChars: number) => Answer,
  asked: number | undefined,
  spare: ((result: JsonObject) => void)[],
): Answer {
  if (asked !== undefined) return answer(asked);
  let room = MACRO_CHARS;
  let fitted = unasked(answer(room));
  for (let over = excess(fitted); over > 0 && room > LEAST_CHARS; over = excess(fitted)) {
    room = Math.max(LEAST_CHARS, room - over);
    fitted = unasked(answer(room));
  }
  for (const takeOut of spare) {
    if (excess(fitted) <= 0) break;
    takeOut(fitted.result);
    fitted = { ...fitted, warnings: [TAKEN_OUT, ...(fitted.warnings ?? []).filter((w) => w !== TAKEN_OUT)] };
  }
  return fitted;
}

/** No caller set the budget of the view, so no warning tells of it: `budget` in the view says what was cut. */
function unasked({ warnings = [], ...answer }: Answer): Answer {
  return {
    ...answer,
    warnings: warnings.filter(({ code }) => code !== "BUDGET_TRUNCATED" && code !== "BUDGET_MINIMAL"),
  };
}

const TAKEN_OUT = {
  code: "BUDGET_TRUNCATED",
  message: `Parts were left out of the answer so that it fits ${MACRO_CHARS} characters.`,
  recovery: "tasks_delta gives the events, tasks_resume the steps.",
} as const;

function excess({ result, warnings = [], suggestions = [] }: Answer): number {
  return countCodePoints(JSON.stringify({ result, warnings, suggestions })) + ENVELOPE - MACRO_CHARS;
}
