/** The work on a claimed step, as a worker hands it to its function. */
import type { Signal } from "../global_types.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Checkpoint } from "../state/entity.ts";
import type { CapturedRunResult, CaptureOptions } from "./run_captured.ts";
import { runCaptured } from "./run_captured.ts";

/** A claimed step, and what its work needs. */
export interface Work {
  /** Id of the task. */
  readonly task: string;
  readonly task_title: string;
  readonly step_id: string;
  readonly path: string;
  readonly title: string;
  readonly success_criteria: readonly string[];
  readonly tests: readonly string[];
  /** Why the task is done, if its description or its context says so. */
  readonly why?: string;
  /** The last notes around the step, oldest first. */
  readonly notes: readonly WorkNote[];
  /** Number of the claim, for calls of the function's own. */
  readonly fence: number;
  /** Runs a command and records the run as evidence of the step. Rejects once the signal is aborted. */
  run(argv: readonly string[], options?: WorkRunOptions): Promise<CapturedRunResult>;
}

export interface WorkNote {
  readonly ts: string;
  readonly by: string;
  readonly text: string;
}

/** Options of a run for the step that is worked on. */
export type WorkRunOptions = Omit<CaptureOptions, "argv" | "task" | "path" | "step_id" | "signal" | "actor">;

/** The checkpoints that hold, as `tasks_close_step` takes them. */
export type Confirmed = "gate" | "all" | Readonly<Partial<Record<Checkpoint, boolean>>>;

/**
 * Does the work of one step. It resolves to the checkpoints that hold then, or to nothing for criteria and tests. If the signal is
 * aborted, the claim is lost or the worker is to stop: what is resolved to nothing after that closes no step.
 */
export type WorkFunction = (work: Work, signal: Signal) => Promise<Confirmed | void>;

/** The claimed step as the answer of the claim tells it. */
export interface Claimed {
  task: string;
  step: { step_id: string; path: string; title: string };
  lease: { fence: number; expires_at: string };
  work: Pick<Work, "task_title"> & Partial<Pick<Work, "success_criteria" | "tests" | "why" | "notes">>;
}

/** `by`: the actor of the worker, where it is not that of the workspace. */
export function workOf(
  workspace: Workspace,
  { task, step, lease, work }: Claimed,
  by: string | undefined,
  signal: AbortSignal,
): Work {
  const { step_id, path, title } = step;
  return {
    task,
    task_title: work.task_title,
    step_id,
    path,
    title,
    success_criteria: work.success_criteria ?? [],
    tests: work.tests ?? [],
    ...(work.why === undefined ? {} : { why: work.why }),
    notes: work.notes ?? [],
    fence: lease.fence,
    run: async (argv, options = {}) => {
      signal.throwIfAborted();
      const actor = by === undefined ? {} : { actor: by };
      const ran = await runCaptured(workspace, { ...options, ...actor, argv, task, step_id, signal });
      signal.throwIfAborted();
      return ran;
    },
  };
}
