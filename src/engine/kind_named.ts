/** The refusal of a kind that the caller said and the entity has not, where the tool takes the other kind alone (ERR-24). */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { CheckedCall } from "./job.ts";

/** Any other error comes back as it is. */
export function aboutKind({ tool, workspace }: CheckedCall, e: unknown): unknown {
  const [takes, ...others] = tool.kinds ?? [];
  if (!isTaskfoldError(e) || e.code !== "TARGET_CONTRADICTION" || takes === undefined || others.length > 0) return e;
  const kind = e.details?.["kind"];
  if (kind === undefined || kind === takes) return e;
  return new TaskfoldError(e.code, e.message, {
    recovery: `${tool.name} takes a ${takes}: name the id of one.`,
    suggestions: [{ tool: "tasks_context", args: { workspace }, reason: `See which ${takes}s there are.` }],
    details: e.details ?? {},
    cause: e,
  });
}
