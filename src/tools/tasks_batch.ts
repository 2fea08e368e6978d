import type { Warning } from "../errors.ts";
import type { Operation } from "../rules/batch.ts";
import { ATOMIC_TOOLS, checkOperations } from "../rules/batch.ts";
import { LIMITS } from "../state/limits.ts";
import type { JsonObject } from "../state/schema.ts";
import { boolean, integer, jsonObject, list, object, optional, orNull, text } from "../state/schema.ts";
import { workspace } from "./common.ts";
import type { CallReply } from "./define.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

interface BatchInput {
  workspace: string;
  operations: readonly Operation[];
  atomic?: boolean;
  compact?: boolean;
}

export const tasksBatch = defineTool({
  name: "tasks_batch",
  title: "Several calls in one",
  doc: `Make several calls in order. With atomic all or none: then only ${ATOMIC_TOOLS.join(", ")}.`,
  input: object({
    workspace,
    operations: list(
      object({
        tool: text({ minLength: 1, maxLength: 80, description: "Name of the tool." }),
        args: jsonObject({ description: "Its input; workspace may be left out." }),
      }),
      { minItems: 1, maxItems: LIMITS.operations },
    ),
    atomic: optional(boolean({ description: "Keep all or none. Default false: each stands by itself." })),
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
  effect: "txn",
  target: "workspace",
  each: {
    calls: (input) => {
      checkOperations(input.operations, input.atomic === true, input.workspace);
      return input.atomic === true ? null : input.operations;
    },
    reply: (input, replies) => ({ result: batchResult(input, replies), warnings: failures(input, replies) }),
  },
  parts: (input) => input.operations,
  partsAgain: (input) => input.operations,
  reply: (input, ctx) => {
    const replies = ctx.parts!.map(({ tool: intent, result, warnings = [], suggestions = [] }) => {
      return { success: true, intent, result, warnings, suggestions, error: null } as unknown as CallReply;
    });
    return { result: batchResult(input, replies), suggestions: ctx.parts!.at(-1)!.suggestions ?? [] };
  },
});

function batchResult(input: BatchInput, replies: readonly CallReply[]): JsonObject {
  const compact = input.compact === true;
  const operations = replies.map((reply, index) => {
    const { tool } = input.operations[index]!;
    return compact ? { index, tool, ...compacted(reply) } : { index, tool, response: reply };
  });
  const failed = replies.filter((reply) => !reply.success).length;
  return { workspace: input.workspace, atomic: input.atomic === true, compact, failed, operations };
}

function compacted({ success, result, error }: CallReply): JsonObject {
  if (!success) return { success, code: error?.code ?? null, message: error?.message ?? null };
  const task = result?.["task"] ?? result?.["id"];
  const revision = result?.["revision"];
  return {
    success,
    ...(typeof task === "string" ? { task } : {}),
    ...(typeof revision === "number" ? { revision } : {}),
  };
}

function failures(input: BatchInput, replies: readonly CallReply[]): Warning[] {
  return replies.flatMap(({ success, error }, index) => {
    if (success) return [];
    const message = `operations[${index}] (${input.operations[index]!.tool}) was refused: ${error?.message}`;
    return [{ code: "OPERATION_FAILED", message, recovery: "The other operations stand; call this one again alone." }];
  });
}
