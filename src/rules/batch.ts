/** The operations that a batch may have (BATCH rules). */
import { TaskfoldError } from "../errors.ts";
import { listed } from "./phrase.ts";

export interface Operation {
  tool: string;
  args: Record<string, unknown>;
}

/** An operation as callers give it: `name` and `arguments` are other names, as of a call over MCP. */
export interface GivenOperation {
  tool?: string;
  args?: Record<string, unknown>;
  name?: string;
  arguments?: Record<string, unknown>;
}

/** INVALID_INPUT, naming the operation, for one without a tool or its input, and for both names of either. */
export function operationsOf(given: readonly GivenOperation[]): Operation[] {
  return given.map((one, index) => {
    const [tool, ...otherTools] = [one.tool, one.name].filter((name) => name !== undefined);
    const [args, ...otherArgs] = [one.args, one.arguments].filter((input) => input !== undefined);
    if (tool === undefined || otherTools.length > 0)
      refuse(index, tool ?? "", `Expected tool, or name, found ${tool === undefined ? "neither" : "both"}.`);
    if (args === undefined || otherArgs.length > 0)
      refuse(index, tool, `Expected args, or arguments, found ${args === undefined ? "neither" : "both"}.`);
    return { tool, args };
  });
}

/** Tools whose ops can all be undone: what a batch that is kept whole may be made of. */
export const ATOMIC_TOOLS = ["tasks_block", "tasks_patch", "tasks_progress", "tasks_task_define"];

/** INVALID_INPUT for a batch that is to be kept whole and to go on after a refusal. */
export function checkOnError(atomic: boolean, onError: string | undefined): void {
  if (!atomic || onError !== "continue") return;
  throw new TaskfoldError("INVALID_INPUT", 'Expected atomic or on_error "continue", found both.', {
    recovery: "Leave on_error out: an atomic batch keeps all of its operations or none.",
  });
}

/** INVALID_INPUT, naming the operation, for what no batch takes. */
export function checkOperations(operations: readonly Operation[], atomic: boolean, workspace: string): void {
  for (const [index, { tool, args }] of operations.entries()) {
    if (tool === "tasks_batch") refuse(index, tool, "Expected another tool than tasks_batch within a batch.");
    if (!atomic) continue;
    if (!ATOMIC_TOOLS.includes(tool))
      refuse(index, tool, `Expected one of ${listed(ATOMIC_TOOLS)} in an atomic batch, found ${tool.slice(0, 80)}.`);
    if (args["idempotency_key"] !== undefined)
      refuse(index, tool, "Expected no idempotency_key in an operation of an atomic batch: give it to the batch.");
    if ((args["workspace"] ?? workspace) !== workspace)
      refuse(index, tool, `Expected the workspace of the batch, ${workspace}, found another one.`);
  }
}

function refuse(index: number, tool: string, message: string): never {
  throw new TaskfoldError("INVALID_INPUT", `operations[${index}]: ${message}`, {
    recovery: "Nothing was changed. Correct that operation, leave it out, or call the batch without atomic.",
    details: { index, tool: tool.slice(0, 80) },
  });
}
