/**
 * Step 1: is the input what the tool's schema says? A walk takes what fits, and has the words for what does not. ajv judges that
 * before a call is refused. It is loaded for the first such input, and compiles one tool at a time: all of them take longer than
 * most processes live.
 */
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { isTaskfoldError, TaskfoldError } from "../../../errors.ts";
import { remedy } from "../../../remedy.ts";
import { assertHashable, hashableCopy, MAX_DEPTH, TooLarge } from "../../../log/canonical.ts";
import { isObject } from "../../../state/json.ts";
import { LIMITS } from "../../../state/limits.ts";
import type { Tool } from "../../../tools/tool.ts";
import { exampleIn } from "./example_in.ts";
import type { InputFault } from "./input_faults.ts";
import { faultWords, inputFaults } from "./input_faults.ts";

let ajv: Promise<Ajv2020> | undefined;
/** By tool: the host has a tool of the same name that takes more (PROOF-46). */
const compiled = new WeakMap<Tool, ValidateFunction>();

/** Which workspace an input has to name. */
interface ValidateOptions {
  /** The only one that it may name; undefined while nothing decides it. */
  accepted?: string | undefined;
  /** The one that it means when it names none. */
  implied?: string | undefined;
}

/**
 * Returns a copy of the input, without keys that are undefined, with the workspace that is implied. If ajv has to judge it, the
 * copy is promised. INVALID_INPUT where it does not fit.
 */
export function validate(
  tool: Tool,
  input: unknown,
  options: ValidateOptions,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const call = { tool, options };
  const own = ownCopy(call, input);
  const faults = inputFaults(tool.input, own);
  return faults.length === 0 ? own : judged(call, own, faults);
}

async function judged(call: Unjudged, own: Record<string, unknown>, faults: InputFault[]) {
  const check = compiled.get(call.tool) ?? (await compile(call.tool));
  if (check(own)) return own;
  throw refusal(call, own, faults);
}

async function compile(tool: Tool): Promise<ValidateFunction> {
  ajv ??= import("ajv/dist/2020.js").then(
    (m) => new m.Ajv2020({ strict: true, meta: false, validateSchema: false, allowUnionTypes: true }),
  );
  const check = (await ajv).compile(tool.input as object);
  compiled.set(tool, check);
  return check;
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
  const example = JSON.stringify(exampleIn(workspace, tool.examples[0]));
  return new TaskfoldError("INVALID_INPUT", message, {
    ...remedy`${{ forCallers: `An input that validates${beside}: ${example}` }}`,
    ...(faults.length === 0 ? {} : { details: { faults } }),
  });
}
