/** Steps 1 and 7 of every call of a tool: its input is checked, and its outcome or its refusal becomes a reply. */
import type { Suggestion, Warning } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import type { EngineContext } from "./core/context.ts";
import { validate } from "./core/input/validate.ts";
import { observedCall } from "./core/telemetry/observed_call.ts";
import { aboutFocus, withFocus } from "./entities/focus.ts";
import type { ReadModel } from "./entities/read_model.ts";
import { checkAccepted } from "./entity/binding.ts";
import type { CallResult, Caller, CheckedCall } from "./entity/job.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, okReply } from "./entity/reply.ts";
import type { OpenReadModel } from "./open_read_model.ts";
import { mayBeHeld } from "./query/may_be_held.ts";

/** A call as its host made it. */
export interface Asked<T extends Tool> {
  name: string;
  /** UNKNOWN_TOOL where there is none. */
  tool: () => T;
  input: unknown;
  caller: Caller;
  /** Whether the input names its workspace in any case. */
  workspaceRequired: boolean;
}

/** The part of an answer in which the engine and the reader differ. */
export interface AnswerBy<T extends Tool> {
  /** Whether calls of the tool wait in the queue of a log. The queue looks at the binding of the root once for all that it takes. */
  queues?: (tool: T) => boolean;
  /** Steps 2 to 7. */
  run: (call: CheckedCall<T>) => Promise<CallResult> | CallResult;
  /** Gives the functions that judge offers and refusals. They know every tool, so a reader loads them only if it needs them. */
  explain: () => Explain | Promise<Explain>;
  /** The reply to a refusal, as the tool cuts it. */
  fit?: (call: CheckedCall, refusal: Reply) => Reply;
}

interface Explain {
  explained: (from: ReadModel, call: CheckedCall, e: unknown) => unknown;
  offeredBy: (from: ReadModel, call: CheckedCall, outcome: CallResult) => Suggestion[];
}

/** Never throws: what is refused or fails comes back as the error of the reply. */
export function answerCall<T extends Tool>(model: OpenReadModel, asked: Asked<T>, by: AnswerBy<T>): Promise<Reply> {
  const { telemetry } = model.context;
  if (!telemetry) return answer(model, asked, by);
  return observedCall(telemetry, asked.name, () => answer(model, asked, by));
}

async function answer<T extends Tool>(model: OpenReadModel, asked: Asked<T>, by: AnswerBy<T>): Promise<Reply> {
  const { context, root } = model;
  const { name, input, caller } = asked;
  let call: CheckedCall<T> | undefined;
  try {
    const tool = asked.tool();
    // 1 validate
    const isLookedLater = by.queues?.(tool) && root.names(input);
    if (!isLookedLater) root.look();
    const { accepted, configured } = root;
    const named = { accepted, implied: asked.workspaceRequired ? undefined : configured };
    const judged = validate(tool, input, named);
    const checked = judged instanceof Promise ? await judged : judged;
    call = { tool, input: checked, workspace: checked["workspace"] as string, caller };
    checkAccepted(accepted, call.workspace);
    const outcome = await by.run(call);
    // 7 reply
    const warnings = withNotices(context, aboutFocus(call, outcome.warnings));
    if (outcome.error) return errorReply(name, outcome.error, warnings);
    const offered = outcome.suggestions.length === 0 ? [] : await offeredIn(model, call, outcome, by);
    return okReply(name, withFocus(call, outcome.result), warnings, offered);
  } catch (e) {
    if (!call) return errorReply(name, e, withNotices(context, []));
    const { explained } = await by.explain();
    const refusal = errorReply(name, explained(readingNow(model), call, e), withNotices(context, []));
    return by.fit?.(call, refusal) ?? refusal;
  }
}

/** The warnings, and what this process has to tell with its next answer. */
export function withNotices({ notices }: Pick<EngineContext, "notices">, warnings: Warning[]): Warning[] {
  return notices.length === 0 ? warnings : [...warnings, ...notices.splice(0)];
}

async function offeredIn(
  model: OpenReadModel,
  call: CheckedCall,
  outcome: CallResult,
  { explain }: Pick<AnswerBy<Tool>, "explain">,
): Promise<Suggestion[]> {
  const from = readingNow(model);
  if (!isAnyInDoubt(from, call, outcome)) return outcome.suggestions;
  const { offeredBy } = await explain();
  return offeredBy(from, call, outcome);
}

/** A disk that fails by now takes nothing from an answer. */
function readingNow(model: OpenReadModel): ReadModel {
  try {
    return model.reading();
  } catch {
    return model;
  }
}

/** Whether an offered call may be refused now: one that a claim keeps the caller from, or one of a state that is past. */
function isAnyInDoubt(from: ReadModel, { workspace }: CheckedCall, { suggestions, warnings }: CallResult): boolean {
  try {
    if (warnings.some(({ code }) => code === "REPLAYED")) return true;
    return suggestions.some((one) => mayBeHeld(from, workspace, one));
  } catch {
    // A disk that fails by now takes nothing from the answer.
    return false;
  }
}
