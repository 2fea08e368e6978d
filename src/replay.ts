/** The public names of `taskfold/replay`: a log becomes a state, and a state becomes files. Nothing here reads or writes a disk. */
import { TaskfoldError } from "./errors.ts";
import { withPending } from "./events/foreign.adopted.ts";
import { foldLog } from "./fold_log.ts";
import { headDigest } from "./log/canonical.ts";
import type { LogReport } from "./log/report.ts";
import { bytesSource } from "./log/source.ts";
import { filesToMake } from "./projections/index.ts";
import type { Entity } from "./state/entity.ts";

export type { ProblemCode, Problem } from "./log/problem.ts";
export type { LogReport } from "./log/report.ts";
export type { ForeignLine } from "./log/types.ts";
export type { Entity, Lease, Note, Status, Step, TaskNode } from "./state/entity.ts";

export interface ReplayOptions {
  /** Name of the folder of the log, which `projectionsOf` writes into the files. Left out, the `taskId` of the first event. */
  id?: string;
}

/** One plan or task as its log says. */
export interface LogState {
  /** Name of its folder. */
  id: string;
  entity: Entity;
  /** Digest of the heads of the log, as `head` of every answer. */
  head: string;
  /** Bytes of the lines of its events, as a writer writes them. */
  bytes: number;
  /** It names problems by line, lines that are missing, and other entities of the log. */
  report: LogReport;
}

/**
 * Folds one log, as every reader of a workspace does. Lines are put in order by what they name. Duplicates count once. A damaged line
 * is reported and has no effect.
 *
 * @param lines the whole of one `events.jsonl`, as text or bytes or as its lines.
 * @throws TaskfoldError LOG_UNREADABLE where no first event of a plan or task can be read. INVALID_INPUT where `lines` is none of these.
 * Rule ENG-104 (spec/engine.md).
 */
export function replay(lines: string | Uint8Array | readonly string[], options: ReplayOptions = {}): LogState {
  let taskId = "";
  const { entity, report } = foldLog(bytesSource(bytesOf(lines)), {
    ring: 1,
    each: (op) => {
      if (op.index === 0) taskId = op.events[0]!.taskId;
    },
  });
  if (!entity) throw nothingIn(report);
  const { heads, foreign, bytes } = report;
  return {
    id: options.id ?? taskId,
    entity: withPending(entity, foreign),
    head: headDigest(heads),
    bytes,
    report,
  };
}

/**
 * Texts of the files that are folded from the log, by their paths in its folder. Write none of them if `report.newer` is true: a later
 * version of Taskfold wrote a part of that log.
 */
export function projectionsOf(state: Omit<LogState, "report">): Map<string, string> {
  return filesToMake({ ...state, workspace: "" });
}

function bytesOf(lines: unknown): Uint8Array {
  if (lines instanceof Uint8Array) return lines;
  if (typeof lines === "string") return Buffer.from(lines);
  if (Array.isArray(lines) && lines.every((line) => typeof line === "string"))
    return Buffer.from(lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`)).join(""));
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected lines to be text, bytes or a list of texts, found ${kindOf(lines)}.`,
    {
      recovery: EXAMPLE,
    },
  );
}

const kindOf = (value: unknown): string => (value === null ? "null" : `a value of type ${typeof value}`);

const EXAMPLE = 'For example: replay(readFileSync(".coco/tasks/TASK-001/events.jsonl")).';

function nothingIn({ problems, moreProblems }: LogReport): TaskfoldError {
  const bad = problems.length + moreProblems;
  const lines = bad > 0 ? `; lines with problems: ${bad}` : "";
  return new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected lines of a log that begins with task.created, found none that could be read${lines}.`,
    { recovery: EXAMPLE, details: { problems: problems.slice(0, 10) } },
  );
}
