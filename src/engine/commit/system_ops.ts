/**
 * The engine's own ops, just before the next op of a caller. They take in edits of people's files, note the ends that a log lost, and place
 * the lines of other programs (LOG rules). The last are by `system` and hold hashes only, in their order by time.
 */
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { foreignAdopted } from "../../events/foreign.adopted.ts";
import type { ForeignLine } from "../../log/types.ts";
import { systemOp } from "../entity/system_op.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Job } from "../entity/job.ts";
import { counted } from "../../state/counted.ts";
import type { EngineContext } from "../core/context.ts";
import { noteShorter } from "../entity/log_truncated.ts";
import type { HumanFiles } from "../entity/human_files.ts";
import type { Projector } from "../projection/project.ts";

export interface SystemOpParts {
  readonly context: EngineContext;
  readonly projector: Projector;
  readonly people: HumanFiles;
}

/** Call when the entity is caught up and about to change: the ops to go before those of callers, and warnings for the callers. */
export function systemOpsOf(
  { context, projector, people }: SystemOpParts,
  loaded: LoadedEntity,
  workspace: string,
): { jobs: Job[]; warnings: Warning[] } {
  projector.expectProjection(loaded, workspace);
  const shorter = noteShorter(context, loaded, workspace);
  const read = people.ingest(loaded, workspace);
  const jobs = [foreignSystemOp(loaded, workspace), shorter.job, read.job].filter((job) => job !== undefined);
  return { jobs, warnings: [...shorter.warnings, ...read.warnings] };
}

/** Most lines that one event places: it stays far below the limits of a line. */
const MAX_LINES = 2_000;
/** Most lines that one op places, for the same reason. The next op of ours places the next ones. */
const MAX_AT_ONCE = 20 * MAX_LINES;

/** The job that places what stands there, or undefined when there is nothing to place. */
function foreignSystemOp(loaded: LoadedEntity, workspace: string): Job | undefined {
  const lines = loaded.report.foreign;
  if (lines.length === 0) return undefined;
  const { drafts, foreign } = placing(lines);
  return systemOp(workspace, drafts, foreign);
}

/** The events that place the first of these lines, and which of them each places. */
export function placing(waiting: readonly ForeignLine[]): { drafts: Draft[]; foreign: Map<number, ForeignLine[]> } {
  const lines = waiting.slice(0, MAX_AT_ONCE);
  const parts = Array.from({ length: Math.ceil(lines.length / MAX_LINES) }, (_, i) =>
    lines.slice(i * MAX_LINES, (i + 1) * MAX_LINES),
  );
  const drafts = parts.map((part) =>
    foreignAdopted.draft({
      hashes: part.map((line) => line.hash),
      message: `Placed ${counted(part.length, "line")} written by another program.`,
    }),
  );
  return { drafts, foreign: new Map(parts.map((part, i) => [i, part])) };
}
