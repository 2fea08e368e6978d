/** Ops that no tool of the registry makes. The engine's own are by `system`, staged before the caller's in the same write, and never by themselves. */
import type { Draft } from "../../events/define.ts";
import type { ForeignLine } from "../../log/types.ts";
import type { DecideContext, Decision } from "../../tools/decide_context.ts";
import type { Decider } from "../../tools/tool.ts";
import type { Job } from "./job.ts";

/** A change that no tool of the registry makes, on behalf of a caller: adoption of edits, imports. */
export function ownTool(name: string, decide: (ctx: DecideContext) => Decision): Decider {
  return { name, decide: (_input, ctx) => decide(ctx), reply: () => ({ result: {} }) };
}

/** `foreign`: the lines that each `foreign.adopted` among the drafts places. */
export function systemOp(workspace: string, drafts: Draft[], foreign?: Map<number, ForeignLine[]>): Job {
  return {
    tool: ownTool("engine", () => ({ drafts })),
    input: {},
    workspace,
    caller: { by: "system" },
    targetFrom: "input",
    key: undefined,
    ...(foreign ? { foreign } : {}),
    done: nobody,
    fail: nobody,
  };
}

const nobody = (): void => undefined;
