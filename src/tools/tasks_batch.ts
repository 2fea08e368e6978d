import { worded } from "../message.ts";
import type { Suggestion } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import type { GivenOperation } from "../rules/batch.ts";
import { ATOMIC_TOOLS, checkOnError, checkOperations, operationsOf } from "../rules/batch.ts";
import { LIMITS } from "../state/limits.ts";
import type { Fitted } from "../views/budget.ts";
import { DEFAULT_CHARS, fitBudget, sizeOf } from "../views/budget.ts";
import type { JsonObject } from "../state/schema.ts";
import { boolean, integer, jsonObject, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { workspace } from "./common.ts";
import type { CallReply } from "./batch_tool.ts";
import { batchTool } from "./batch_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

interface BatchInput {
  workspace: string;
  operations: readonly GivenOperation[];
  atomic?: boolean;
  on_error?: "stop" | "continue";
  compact?: boolean;
  idempotency_key?: string;
}

export const tasksBatch = batchTool({
  name: "tasks_batch",
  title: "Several calls in one",
  doc: `Make several calls in order, up to the first that is refused. With atomic all or none: then only ${ATOMIC_TOOLS.join(", ")}.`,
  input: object({
    workspace,
    operations: list(
      object({
        tool: optional(text({ minLength: 1, maxLength: 80, description: "Name of the tool." })),
        args: optional(jsonObject({ description: "Its input; workspace may be left out." })),
        name: optional(text({ minLength: 1, maxLength: 80, description: "Another name for tool." })),
        arguments: optional(jsonObject({ description: "Another name for args." })),
      }),
      { minItems: 1, maxItems: LIMITS.operations },
    ),
    atomic: optional(boolean({ description: "Keep all or none. Default false: each stands by itself." })),
    on_error: optional(
      oneOf(["stop", "continue"], {
        description: "Without atomic: whether calls after a refused one are made. Default stop.",
      }),
    ),
    compact: optional(boolean({ description: "Of each only whether it succeeded, and why not. Default false." })),
    idempotency_key: optional(
      text({
        minLength: 1,
        // Each operation that is made by itself gets it with its place behind.
        maxLength: LIMITS.keyCharacters - 4,
        description: "The same key with the same input makes no operation twice.",
      }),
    ),
  }),
  output: object({
    workspace: text(),
    atomic: boolean(),
    compact: boolean(),
    failed: integer(),
    operations: list(
      object({
        index: integer(),
        tool: text(),
        response: optional(out.replyOf(jsonObject())),
        success: optional(boolean()),
        code: optional(orNull(text())),
        message: optional(orNull(text())),
        task: optional(text()),
        revision: optional(integer()),
        target_from: view.targetFrom,
        changed: optional(boolean({ description: "False if the operation changed nothing." })),
        warnings: optional(list(text(), { description: "Their codes." })),
      }),
    ),
  }),
  examples: [
    {
      workspace: "acme/repo",
      atomic: true,
      operations: [
        { tool: "tasks_progress", args: { task: "TASK-001", path: "s:0", completed: false } },
        { tool: "tasks_block", args: { task: "TASK-002", path: "s:1", reason: "waits for TASK-001" } },
      ],
    },
    {
      workspace: "acme/repo",
      compact: true,
      operations: [{ tool: "tasks_note", args: { task: "TASK-001", note: "Began." } }],
    },
  ],
  target: "workspace",
  each: {
    calls: (input) => {
      checkOnError(input.atomic === true, input.on_error);
      const operations = operationsOf(input.operations);
      checkOperations(operations, input.atomic === true, input.workspace);
      return input.atomic === true ? null : operations;
    },
    goesOn: (input, reply) => reply.success || input.on_error === "continue",
    reply: (input, replies) => {
      const { result, warnings } = batchResult(input, replies);
      const index = replies.findIndex((reply) => !reply.success);
      const answer = { result, warnings };
      return index === -1 ? answer : { ...answer, error: batchFailed(input, replies, index, result) };
    },
  },
  parts: (input) => operationsOf(input.operations),
  partsAgain: (input) => operationsOf(input.operations),
  reply: (input, ctx) => {
    const replies = ctx.parts.map(({ tool: intent, result, warnings = [], suggestions = [] }) => {
      return { success: true, intent, result, warnings, suggestions, error: null } as unknown as CallReply;
    });
    return { ...batchResult(input, replies), suggestions: ctx.parts.at(-1)!.suggestions ?? [] };
  },
});

/** Two answers fit that have all the room of one. */
const MAX_CHARS = 2 * DEFAULT_CHARS;

function batchResult(input: BatchInput, replies: readonly CallReply[]): Fitted {
  const compact = input.compact === true;
  const given = operationsOf(input.operations);
  const failed = replies.filter((reply) => !reply.success).length;
  const rows = (of: (reply: CallReply) => JsonObject): JsonObject => {
    const operations = replies.map((reply, index) => ({ index, tool: given[index]!.tool, ...of(reply) }));
    return { workspace: input.workspace, atomic: input.atomic === true, compact, failed, operations };
  };
  const whole = rows(compact ? compacted : (reply) => ({ response: reply }));
  if (sizeOf(whole) <= MAX_CHARS) return { result: whole, warnings: [] };
  const full = rows((reply) => ({ ...compacted(reply), ...(compact ? {} : { response: reply }) }));
  // Without its response a row is what `compact` gives.
  const { budget: _budget, ...result } = fitBudget(full, MAX_CHARS, [
    { cut: "member", at: "operations", key: "response", from: "back" },
  ]).result;
  const message = `The whole answer has ${sizeOf(whole)} characters, and that of a batch has at most ${MAX_CHARS}; cut: operations.`;
  const recovery = "The operations were made: call again for none of them, and read what is missing by itself.";
  return { result, warnings: [{ code: "BUDGET_TRUNCATED", message, recovery }] };
}

function compacted({ success, result, error, warnings }: CallReply): JsonObject {
  if (!success) return { success, code: error?.code ?? null, message: error?.message ?? null };
  const task = result?.["task"] ?? result?.["id"];
  const revision = result?.["revision"];
  const targetFrom = result?.["target_from"];
  return {
    success,
    ...(typeof task === "string" ? { task } : {}),
    ...(typeof revision === "number" ? { revision } : {}),
    ...(typeof targetFrom === "string" ? { target_from: targetFrom } : {}),
    ...(result?.["changed"] === false ? { changed: false } : {}),
    ...(warnings.length > 0 ? { warnings: warnings.map(({ code }) => code) } : {}),
  };
}

/** BATCH_FAILED at the first refused operation. `details` has the whole result, so that the caller knows what stands. */
function batchFailed(
  { operations, on_error: onError, idempotency_key: key }: BatchInput,
  replies: readonly CallReply[],
  index: number,
  result: JsonObject,
): TaskfoldError {
  const { tool } = operationsOf(operations)[index]!;
  const { error, suggestions } = replies[index]!;
  const { failed } = result as { failed: number };
  const notMade = operations.length - replies.length;
  const found = worded`found operations[${index}] (${tool.slice(0, 80)}) refused with ${error?.code ?? ""}: ${error ?? ""}`;
  return new TaskfoldError("BATCH_FAILED", worded`Expected every operation of the batch to go through, ${found}`, {
    recovery:
      `${replies.length - failed} of ${operations.length} operations were made and stand, ${failed} refused, ${notMade} not tried. ` +
      (onError === "continue"
        ? "Correct those that were refused, and call a batch of these alone"
        : `Correct operations[${index}], and call a batch of it and those behind it`) +
      (key === undefined ? "." : ", with another idempotency_key."),
    suggestions: suggestions as unknown as Suggestion[],
    details: { index, tool: tool.slice(0, 80), code: error?.code ?? null, not_made: notMade, ...result },
  });
}
