/**
 * Lines of other programs get their place by an op of the engine's own, just before the next op of ours (LOG rules).
 * It is by `system` and holds hashes only, in their order by time.
 */
import { foreignAdopted } from "../events/foreign.adopted.ts";
import { object } from "../state/schema.ts";
import { defineTool } from "../tools/define.ts";
import type { Handle } from "./handle.ts";
import type { Job } from "./job.ts";

/** Most lines that one event places: it stays far below the limits of a line. */
const MOST_LINES = 2_000;

/** The job that places what stands there, or undefined when there is nothing to place. */
export function foreignJob(handle: Handle, workspace: string, done: () => void): Job | undefined {
  const lines = handle.report.foreign;
  if (lines.length === 0) return undefined;
  const parts = Array.from({ length: Math.ceil(lines.length / MOST_LINES) }, (_, i) =>
    lines.slice(i * MOST_LINES, (i + 1) * MOST_LINES),
  );
  const drafts = parts.map((part) =>
    foreignAdopted.draft({
      hashes: part.map((line) => line.hash),
      message: `Placed ${part.length} lines written by another program.`,
    }),
  );
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
  const foreign = new Map(parts.map((part, i) => [i, part]));
  return {
    tool,
    input: {},
    workspace,
    caller: { by: "system" },
    targetFrom: "input",
    key: undefined,
    foreign,
    done,
    fail: done,
  };
}
