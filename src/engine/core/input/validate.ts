/** Step 1: is the input what the tool's schema says? */
import { isTaskfoldError, TaskfoldError } from "../../../errors.ts";
import { assertHashable, hashableCopy, MAX_DEPTH, TooLarge } from "../../../log/canonical.ts";
import { isObject } from "../../../state/json.ts";
import { LIMITS } from "../../../state/limits.ts";
import type { Tool } from "../../../tools/define.ts";
import { exampleIn } from "./example_in.ts";
import type { InputFault } from "./input_faults.ts";
import { faultWords, inputFaults } from "./input_faults.ts";

/** Which workspace an input has to name. */
interface ValidateOptions {
  /** The only one that it may name; undefined while nothing decides it. */
  accepted?: string | undefined;
  /** The one that it means when it names none. */
  implied?: string | undefined;
}

/** Returns a copy of the input, without keys that are undefined, with the workspace that is implied. Throws INVALID_INPUT. */
export function validate(tool: Tool, input: unknown, options: ValidateOptions): Record<string, unknown> {
  const call = { tool, options };
  const own = ownCopy(call, input);
  const faults = inputFaults(tool.input, own);
  if (faults.length > 0) throw refusal(call, own, faults);
  return own;
}

/** A call of which the input is not judged yet. */
interface Unjudged {
  tool: Tool;
  options: ValidateOptions;
}

/** Taken before anything is judged: the caller may change its input, and a getter may give something else each time. */
function ownCopy(call: Unjudged, input: unknown): Record<string, unknown> {
  let fault: string | null;
  try {
    const own = hashableCopy(input, false, MAX_DEPTH, MOST);
    if (own !== undefined) return named(own as Record<string, unknown>, call.options);
    fault = assertHashable(input);
  } catch (e) {
    if (e instanceof TooLarge) throw tooLarge();
    // A getter of the caller's; its error may say anything, and is not repeated.
    fault = null;
  }
  if (fault === null) throw invalid(call, "value: expected values that can be read, found one that cannot", []);
  throw refusal(call, input, fault);
}

function named(own: Record<string, unknown>, { implied }: ValidateOptions): Record<string, unknown> {
  if (implied !== undefined && isObject(own)) own["workspace"] ??= implied;
  return own;
}

/** Checking and keeping more would stop every other call of the process. */
const MOST = { values: LIMITS.inputValues, text: LIMITS.inputText };

function tooLarge(): TaskfoldError {
  return new TaskfoldError(
    "CONTENT_TOO_LARGE",
    `Expected an input of at most ${MOST.values} members and items and ${MOST.text} characters of text in all, found more.`,
    { recovery: "Make several calls of it." },
  );
}

/** The tool's own words where it has some, else those of the schema. */
function refusal(call: Unjudged, input: unknown, fault: string | InputFault[]): TaskfoldError {
  try {
    if (isObject(input)) call.tool.explainInvalidInput?.(input);
  } catch (e) {
    // Anything else was thrown by a getter of the caller's.
    if (isTaskfoldError(e)) return e;
  }
  if (typeof fault === "string") return invalid(call, fault, []);
  return invalid(call, faultWords(fault), fault);
}

function invalid(
  { tool, options: { accepted: workspace } }: Unjudged,
  message: string,
  faults: InputFault[],
): TaskfoldError {
  const beside = workspace === undefined ? ', beside the id of your workspace as "workspace"' : "";
  const recovery = `An input that validates${beside}: ${JSON.stringify(exampleIn(workspace, tool.examples[0]))}`;
  return new TaskfoldError("INVALID_INPUT", message, {
    recovery,
    ...(faults.length === 0 ? {} : { details: { faults } }),
  });
}
