/**
 * One error class, one list of codes, one list of warnings. `spec/errors.md` is the prose of the same list
 * and a test holds the two together.
 */
import { MESSAGE_PARTS } from "./message.ts";
import type { MessagePart, Wording } from "./message.ts";
import { REMEDY_PARTS } from "./remedy.ts";
import type { RemedyPart } from "./remedy.ts";

/** Exit codes of the CLI, by what a script would do next. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unknown: 3,
  conflict: 4,
  outcomeUnknown: 5,
  storage: 6,
  internal: 70,
} as const;

/** Every error code with its exit code. A code, once released, keeps its meaning. */
export const ERROR_CODES = {
  INVALID_INPUT: EXIT.usage,
  UNKNOWN_TOOL: EXIT.usage,
  UNKNOWN_ID: EXIT.unknown,
  NO_WORKSPACE: EXIT.unknown,
  WORKSPACE_MISMATCH: EXIT.conflict,
  TARGET_REQUIRED: EXIT.usage,
  TARGET_CONTRADICTION: EXIT.usage,
  ID_TAKEN: EXIT.conflict,
  ID_UNSAFE: EXIT.usage,
  NOT_CHECKED_OUT: EXIT.unknown,
  ARCHIVED: EXIT.refused,
  FILES_EDITED: EXIT.refused,
  REVISION_MISMATCH: EXIT.conflict,
  IDEMPOTENCY_CONFLICT: EXIT.conflict,
  CHECKPOINTS_NOT_CONFIRMED: EXIT.refused,
  PROOF_REQUIRED: EXIT.refused,
  PROOF_FAILED: EXIT.refused,
  CONFIRM_OTHER: EXIT.refused,
  TERMS_HELD: EXIT.refused,
  PROOF_STALE: EXIT.refused,
  PROOF_UNTRUSTED: EXIT.refused,
  NOTHING_TO_SIGN: EXIT.refused,
  SIGNING_KEY_REQUIRED: EXIT.usage,
  SIGNING_FAILED: EXIT.refused,
  SIGNERS_REQUIRED: EXIT.usage,
  SIGNERS_COMMITTED: EXIT.refused,
  SSH_KEYGEN_MISSING: EXIT.refused,
  STEP_BLOCKED: EXIT.refused,
  STEP_WAITS: EXIT.refused,
  STEPS_OPEN: EXIT.refused,
  CHILDREN_OPEN: EXIT.refused,
  ALREADY_DONE: EXIT.refused,
  BATCH_FAILED: EXIT.refused,
  NOT_DONE: EXIT.refused,
  WORK_BEGUN: EXIT.refused,
  PATH_MOVED: EXIT.conflict,
  UNDO_CONFLICT: EXIT.conflict,
  NOTHING_TO_UNDO: EXIT.refused,
  NOTHING_TO_REDO: EXIT.refused,
  LEASE_HELD: EXIT.conflict,
  LEASE_LOST: EXIT.conflict,
  NOTHING_READY: EXIT.refused,
  ALL_DONE: EXIT.refused,
  NO_PACKET: EXIT.refused,
  STAGE_RUNNING: EXIT.conflict,
  STAGE_NOT_RUNNING: EXIT.refused,
  BUDGET_EXHAUSTED: EXIT.refused,
  CONFIG_NOT_TRUSTED: EXIT.refused,
  PLAN_NOT_EMPTY: EXIT.refused,
  READ_ONLY: EXIT.storage,
  PATH_UNSAFE: EXIT.usage,
  TASKDOC_ENCAPSULATED: EXIT.refused,
  OP_TOO_LARGE: EXIT.usage,
  CONTENT_TOO_LARGE: EXIT.usage,
  OBJECT_MISSING: EXIT.storage,
  LOCK_TIMEOUT: EXIT.conflict,
  LOCK_UNAVAILABLE: EXIT.storage,
  STORAGE_FULL: EXIT.storage,
  STORAGE_FAILED: EXIT.storage,
  OUTPUT_FAILED: EXIT.storage,
  UNKNOWN_OUTCOME: EXIT.outcomeUnknown,
  SHARED_UNAVAILABLE: EXIT.storage,
  SHARED_DENIED: EXIT.storage,
  SHARED_BUSY: EXIT.conflict,
  SHARED_REPLACED: EXIT.conflict,
  LOG_INCOMPLETE: EXIT.conflict,
  LOG_CONFLICT_MARKERS: EXIT.conflict,
  LOG_LFS_POINTER: EXIT.storage,
  LOG_TWO_ROOTS: EXIT.conflict,
  LOG_TWO_FOLDERS: EXIT.conflict,
  LOG_NEWER_VERSION: EXIT.conflict,
  LOG_UNREADABLE: EXIT.storage,
  LOG_FOREIGN: EXIT.refused,
  CURSOR_EXPIRED: EXIT.conflict,
  TASKDOC_SELECTOR_REQUIRED: EXIT.usage,
  TASKDOC_SELECTOR_INVALID: EXIT.usage,
  TASKDOC_CATEGORY_INVALID: EXIT.usage,
  TASKDOC_SELECTOR_RESERVED_TOP_LEVEL: EXIT.usage,
  TASKDOC_SELECTOR_RESERVED_BEARINMIND: EXIT.usage,
  TASKDOC_CONTENT_REQUIRED: EXIT.usage,
  TASKDOC_CONTENT_EMPTY: EXIT.usage,
  TASKDOC_CONTENT_TOO_LARGE: EXIT.usage,
  TASKDOC_CONTENT_NOT_TEXT: EXIT.usage,
  TASKDOC_SECTION_MISSING: EXIT.unknown,
  TASKDOC_SECTION_INJECTED: EXIT.refused,
  TASKDOC_HASH_MISMATCH: EXIT.conflict,
  TASKDOC_NOT_EMPTY: EXIT.refused,
  TASKDOC_PATH_INVALID: EXIT.refused,
  CLOSED: EXIT.usage,
  INTERNAL: EXIT.internal,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Codes of obstacles that pass without a change of the call: a lock, a claim, steps of others, storage. */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>([
  "LOCK_TIMEOUT",
  "LEASE_HELD",
  "NOTHING_READY",
  "STORAGE_FULL",
  "STORAGE_FAILED",
  "UNKNOWN_OUTCOME",
  "SHARED_UNAVAILABLE",
  "SHARED_BUSY",
]);

/**
 * True if the same call may succeed later. After UNKNOWN_OUTCOME repeat it with the same idempotency key alone, or a change
 * may be made twice.
 */
export function isRetryable(code: ErrorCode): boolean {
  return RETRYABLE.has(code);
}

/** Every warning code with one sentence on when it is given. */
export const WARNING_CODES = {
  BUDGET_TRUNCATED: "parts of the answer were cut to fit max_chars",
  BUDGET_MINIMAL: "only the core of the answer fits max_chars",
  BUDGET_MIN_CLAMPED: "max_chars was below the least the engine works with",
  ALREADY_DONE: "it was done before; nothing was changed for that",
  ARCHIVED: "the plan or task is in the archive: it can be read, and brought back",
  THINK_FAILED: "the reasoning of the call could not be written down; the rest was done",
  LIMIT_CLAMPED: "a limit above its maximum was lowered to it",
  OP_WHOLE: "an operation has more events than the limit, and stands whole on its page",
  REPLAYED: "the idempotency key was seen before; this is the result of that call",
  MANIFEST_MASKED: "a manifest held a secret or a forbidden path in a text that is shown, or in a command",
  MANIFEST_KEY_UNKNOWN: "a manifest has keys that are no field of it; they are kept, and nothing here reads them",
  PACKET_PLANNED_ANEW: "a packet was planned with another configuration before",
  INPUT_FOREIGN: "a file in a packet's inputs is not in the log, so no prompt has it",
  ATTEMPT_INTERRUPTED: "a run recorded an attempt whose dispatcher is gone as interrupted",
  LEFT_OUT: "an import left files of the folder out; the reply names each with its reason",
  LOG_PUT_BACK: "lines that a process of a stage took out of the log are back in it",
  COMMANDS_NOT_ALLOWED: "a run stopped before a stage whose acceptance commands it may not run",
  CHECKOUT_INCOMPLETE: "a clean work tree lacks what only a filter or a submodule brings",
  CHECKOUT_CHANGED: "before a test began, files differed from the commit, so its run is no repeat",
  CHECKOUT_LEFT: "a temporary work tree could not be removed whole",
  ACCEPTANCE_OVERRIDDEN: "the commands of a brief ran in the place of those of the manifest",
  CHANGES_NOT_KNOWN: "a gate passed without the paths that changed, so no change of a file was judged",
  STAGE_ORDER: "a stage ran although a stage before it is not done",
  NOT_COMPLETED: "the last step or task is closed, and the task or plan that was to be completed with it stays open",
  PLAN_FOLLOWED: "with its task, a plan that ends with its last task was completed, or is open again",
  NO_STEPS: "the task was completed without a single step",
  OPEN_TASKS: "the plan was completed while tasks of it are open",
  ATTACHMENT_MISSING:
    "an attachment, a file, its lines or a commit is not there or is not looked at; it is recorded but is no proof",
  PROOF_WEAK: "proof that was asked for is not there, or nothing backs it; it keeps nothing from closing",
  PROOF_FAILED: "a run that failed was recorded, and is no proof",
  PROOF_STALE: "a task was completed with a step whose proof is of other files than those of now",
  PLACEHOLDER_IGNORED: "a receipt that is still to be filled in was not recorded and is no proof",
  PROJECTION_FAILED: "the change is in the log, but a file folded from it could not be written",
  PROJECTION_DRIFT: "a projected file had been changed by hand or by another program",
  NOTES_CHANGED: "a person changed a file of people's; it was read into the log",
  NOTES_CONFLICT_MARKERS: "a file of people's holds conflict markers and was not read into the log",
  NOTES_NOT_READ: "a file of people's is too large, not UTF-8 or no regular file, and was not read into the log",
  BYTES_REMOTE: "bytes that an event names are on the shared log and not on this machine",
  FOCUS_OF_OTHER: "a call that names no target went by the focus of another actor",
  RENDERER_NEWER: "a newer release wrote the projections; this one leaves them alone",
  RENDERER_OLDER: "an older release wrote the projections; they are written anew, and what stood there is kept",
  CLAIM_NOT_SHARED: "other machines do not know of the claim yet, and may claim the same",
  SHARED_BEHIND: "the shared log cannot be reached; the answer is as of what this machine has",
  LOG_INCOMPLETE: "later events wait for lines that are missing",
  LOG_TRUNCATED: "a change that was acknowledged is missing from the log, and the loss was not accepted",
  LOG_CONFLICT_MARKERS: "the log holds conflict markers of git; all sides are read",
  LOG_LFS_POINTER: "the log holds pointers of Git LFS in the place of events",
  LOG_TWO_ROOTS: "two entities stand in one log; the later one has no effect here",
  LOG_TWO_FOLDERS: "one entity lies in two folders, and takes no change in either",
  LOG_NEWER_VERSION: "the log holds events this release does not know",
  LOG_DAMAGED: "lines of the log could not be read and were set aside",
  NOT_CHECKED_OUT: "a sparse checkout of git leaves plans or tasks out, and the answer knows nothing of them",
  NO_OWN_LOG: "the folder was written by another program and has no log of ours yet",
  DEPENDENCY_CYCLE: "what it depends on leads back to it, so none of them is ready before another is done",
  ROOT_ABOVE_GIT: "the change went to a workspace that lies above the repository in which its root was searched for",
  SET_ASIDE: "a file in the registry that the engine did not write, or a torn end of a log, was moved to quarantine",
  CONFLICT_OPEN: "concurrent changes wrote different values to one field",
} as const;

export type WarningCode = keyof typeof WARNING_CODES;

/** Warnings that tell of lost work: to want few words is not to want it lost unheard. */
export const LOST_WORK: ReadonlySet<WarningCode> = new Set<WarningCode>([
  "LOG_TRUNCATED",
  "LOG_DAMAGED",
  "LOG_INCOMPLETE",
  "LOG_LFS_POINTER",
  "THINK_FAILED",
]);

export interface Warning {
  code: WarningCode;
  message: string;
  /** @internal */
  [MESSAGE_PARTS]?: readonly MessagePart[] | undefined;
  recovery?: string;
  /** @internal */
  [REMEDY_PARTS]?: readonly RemedyPart[];
}

/** A call that would work, offered beside a refusal or an answer. */
export interface Suggestion {
  tool: string;
  args: Record<string, unknown>;
  reason: string;
}

export interface ErrorDetails {
  /** The remedy, in one sentence. */
  recovery?: string;
  /** @internal */
  [REMEDY_PARTS]?: readonly RemedyPart[];
  suggestions?: Suggestion[];
  /** Machine-readable particulars: ids, expected and actual values. Never a path outside the workspace. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** The one error class: everything this package refuses or fails at is one of these. */
export class TaskfoldError extends Error {
  override readonly name = "TaskfoldError";
  readonly code: ErrorCode;
  readonly recovery: string | undefined;
  /** @internal */
  declare readonly [REMEDY_PARTS]?: readonly RemedyPart[];
  /** @internal */
  declare readonly [MESSAGE_PARTS]?: readonly MessagePart[];
  readonly suggestions: Suggestion[];
  readonly details: Record<string, unknown> | undefined;

  /** The package holds this class twice, for programs that take a small function alone. An error of either copy is one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === TaskfoldError ? isTaskfoldError(value) : super[Symbol.hasInstance](value);
  }

  constructor(code: ErrorCode, message: string | Wording, more: ErrorDetails = {}) {
    const { message: text, [MESSAGE_PARTS]: times } = typeof message === "string" ? { message } : message;
    super(text, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.recovery = more.recovery;
    const parts = more[REMEDY_PARTS];
    // Node prints what can be enumerated, and a person who sees an error printed has the sentence already.
    if (parts !== undefined) Object.defineProperty(this, REMEDY_PARTS, { value: parts });
    if (times !== undefined) Object.defineProperty(this, MESSAGE_PARTS, { value: times });
    this.suggestions = more.suggestions ?? [];
    this.details = more.details;
  }

  /** With its sentence, which JSON leaves out of any other error. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, recovery, suggestions, details } = this;
    return { name, code, message, recovery, suggestions, details };
  }

  /** The exit code a CLI ends with. */
  get exit(): number {
    return ERROR_CODES[this.code];
  }
}

/** True for errors of this class, also when two copies of the package are loaded. */
export function isTaskfoldError(e: unknown): e is TaskfoldError {
  return e instanceof Error && e.name === "TaskfoldError" && "code" in e;
}
