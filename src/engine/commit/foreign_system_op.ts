/**
 * Lines of other programs get their place by an op of the engine's own, just before the next op of ours (LOG rules).
 * It is by `system` and holds hashes only, in their order by time.
 */
import type { Draft } from "../../events/define.ts";
import { foreignAdopted } from "../../events/foreign.adopted.ts";
import type { ForeignLine } from "../../log/types.ts";
import { systemOp } from "../entity/system_op.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Job } from "../entity/job.ts";
import { counted } from "../../state/counted.ts";

/** Most lines that one event places: it stays far below the limits of a line. */
const MOST_LINES = 2_000;
/** Most lines that one op places, for the same reason. The next op of ours places the next ones. */
const MOST_AT_ONCE = 20 * MOST_LINES;

/** The job that places what stands there, or undefined when there is nothing to place. */
export function foreignSystemOp(handle: LoadedEntity, workspace: string): Job | undefined {
  const lines = handle.report.foreign;
  if (lines.length === 0) return undefined;
  const { drafts, foreign } = placing(lines);
  return systemOp(workspace, drafts, foreign);
}

/** The events that place the first of these lines, and which of them each places. */
export function placing(waiting: readonly ForeignLine[]): { drafts: Draft[]; foreign: Map<number, ForeignLine[]> } {
  const lines = waiting.slice(0, MOST_AT_ONCE);
  const parts = Array.from({ length: Math.ceil(lines.length / MOST_LINES) }, (_, i) =>
    lines.slice(i * MOST_LINES, (i + 1) * MOST_LINES),
  );
  const drafts = parts.map((part) =>
    foreignAdopted.draft({
      hashes: part.map((line) => line.hash),
      message: `Placed ${counted(part.length, "line")} written by another program.`,
    }),
  );
  return { drafts, foreign: new Map(parts.map((part, i) => [i, part])) };
}
