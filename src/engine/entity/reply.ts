/** The one shape of an answer (TOOL rules). No clock in it: the same log and call give the same bytes. */
import type { CallResult } from "./job.ts";
import type { ErrorCode, Suggestion, Warning } from "../../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { messageOf } from "../../message.ts";
import type { MESSAGE_PARTS, MessagePart } from "../../message.ts";
import { remedyOf, remedy, TASKFOLD } from "../../remedy.ts";
import type { REMEDY_PARTS, RemedyPart } from "../../remedy.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { EVENTS } from "../../events/index.ts";
import type { TaskfoldEvent } from "../../events/generated/event_types.ts";
import type { Event } from "../../log/types.ts";
import type { PrintedEvent } from "../../events/printed_event.ts";
import type { StepCounts } from "../../rules/ready.ts";
import type { Json, JsonObject } from "../../state/json.ts";

interface ErrorBase {
  /** Says the state that was expected, and the one that was found. */
  message: string;
  /** @internal */
  [MESSAGE_PARTS]?: readonly MessagePart[] | undefined;
  recovery?: string;
  /** @internal */
  [REMEDY_PARTS]?: readonly RemedyPart[];
}

/** A program reads these details, by the code of the refusal. */
interface DetailsByCode {
  NOTHING_READY: StepCounts & {
    /** Milliseconds until `earliest_end`; null where only a change frees a step. */
    retry_after_ms: number | null;
  };
  ALL_DONE: StepCounts;
}

/** `code` tells the type of `details`. */
export type ReplyError =
  | (ErrorBase & { code: Exclude<ErrorCode, keyof DetailsByCode>; details?: Record<string, unknown> })
  | {
      [C in keyof DetailsByCode]: ErrorBase & { code: C; details: DetailsByCode[C] & Record<string, unknown> };
    }[keyof DetailsByCode];

interface ReplyBase {
  /** The tool's name. */
  intent: string;
  warnings: Warning[];
  /** Calls that would work, or that come next. */
  suggestions: Suggestion[];
}

/** `success` tells which of the two it is: what the tool answers, or what was refused and why. */
export type Reply<R = JsonObject> =
  | (ReplyBase & { success: true; result: R; error: null })
  | (ReplyBase & { success: false; result: null; error: ReplyError });

/** No tool has a longer name; a longer one is not repeated whole. */
const LONGEST_INTENT = 100;

/** @internal */
export function okReply(intent: string, result: JsonObject, warnings: Warning[], suggestions: Suggestion[]): Reply {
  return { success: true, intent, result: ownResult(result), warnings, suggestions, error: null };
}

/** @internal */
export function errorReply(intent: string, e: unknown, warnings: Warning[] = []): Reply {
  const error = isTaskfoldError(e) ? e : isFromSystem(e) ? storageError(e, `do ${intent}`) : internal(e);
  const { code, details } = error;
  return {
    success: false,
    // A caller without types may name a tool by anything; a reply is JSON all the same.
    intent: typeof intent === "string" ? intent.slice(0, LONGEST_INTENT) : "call",
    result: null,
    warnings,
    suggestions: error.suggestions,
    error: {
      code,
      ...messageOf(error),
      ...remedyOf(error),
      ...(details === undefined ? {} : { details }),
    } as ReplyError,
  };
}

/** An errno, as EIO; faults that node finds in a call of ours have other codes (ERR_...). */
export function isFromSystem(e: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errnoOf(e) ?? "");
}

/** An unexpected error: its text may name paths of the machine, so it goes to `cause` and not to the caller. */
function internal(e: unknown): TaskfoldError {
  const name = e instanceof Error ? e.name : typeof e;
  return new TaskfoldError("INTERNAL", `An error inside the engine (${name}); nothing is known to have been written.`, {
    cause: e,
    ...remedy`Run ${TASKFOLD} verify, then report it with the call that led here.`,
  });
}

/**
 * `{event_id, type, ts, task, ...payload}`, the type with `_` for the dot. The payload's keys stand as in the line, before it
 * was ever read back and after (TOOL-8).
 * @internal
 */
export function printEvent(event: Event, id: string): PrintedEvent {
  return {
    event_id: event.hash,
    type: EVENTS[event.type]?.printed ?? event.type.replaceAll(".", "_"),
    ts: event.ts,
    task: id,
    by: event.by,
    ...(event.payload as JsonObject),
  } as PrintedEvent;
}

/** An event with its payload also as an object (TOOL-8). A transaction, which does the work of several calls, leaves that out. @internal */
export function printWhole(event: Event, id: string): PrintedEvent {
  return { ...printEvent(event, id), payload: event.payload as JsonObject } as PrintedEvent;
}

/** The same events as the library's callers see them, whose compiler tells them by their type. @internal */
export function typed(events: PrintedEvent[]): TaskfoldEvent[] {
  return events as object[] as TaskfoldEvent[];
}

/** The answer of a tool, with the warnings that came up before. @internal */
export function callResult(
  answer: { result: CallResult["result"]; warnings?: Warning[]; suggestions?: Suggestion[] },
  warnings: Warning[],
): CallResult {
  return {
    result: answer.result,
    warnings: [...warnings, ...(answer.warnings ?? [])],
    suggestions: answer.suggestions ?? [],
  };
}

/**
 * A result of its own: what tools put into it may be the state's, or a constant (ENG-12).
 * A copy of the whole and then of what is in it: half again as fast as member by member.
 */
function ownResult<T extends JsonObject | Json[]>(result: T): T {
  if (Array.isArray(result)) return result.map(own) as T;
  const copy: JsonObject = { ...result };
  for (const key in copy) {
    const member = copy[key]!;
    if (typeof member !== "object" || member === null) continue;
    // An assignment to this one would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: ownResult(member) });
    else copy[key] = ownResult(member);
  }
  return copy as T;
}

function own(value: Json): Json {
  return typeof value === "object" && value !== null ? ownResult(value) : value;
}
