/** Ops of the engine's own: by `system`, staged before the caller's in the same write, and never by themselves. */
import type { Draft } from "../events/define.ts";
import type { ForeignLine } from "../log/types.ts";
import { object } from "../state/schema.ts";
import { defineTool } from "../tools/define.ts";
import type { Job } from "./job.ts";

/** `foreign`: the lines that each `foreign.adopted` among the drafts places. */
export function engineJob(workspace: string, drafts: Draft[], foreign?: Map<number, ForeignLine[]>): Job {
  const tool = defineTool({
    name: "engine",
    title: "Engine",
    doc: "The engine's own ops.",
    input: object({}),
    examples: [{}],
    effect: "write",
    target: "entity",
    decide: () => ({ drafts }),
    reply: () => ({ result: {} }),
  });
  return {
    tool,
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

export function isEngineJob(job: Job): boolean {
  return job.done === nobody;
}

const nobody = (): void => undefined;
