/** The executor of a stage. The built-in one is `servant_process.ts`; a program that runs models by itself brings another. */
import type { Signal } from "../global_types.ts";
import type { PacketFile, StageFile } from "../state/packet.ts";
import type { Excerpt } from "./excerpt.ts";

export interface StageExecutor {
  /** Rejects where nothing was run or nothing could be kept. A servant that fails is a result. */
  run(request: StageRequest, signal?: Signal): Promise<StageRun>;
}

export interface StageRequest {
  stage: string;
  role: string;
  model: string;
  /** Argument list; {model} {prompt_file} {stage} {role} {task_dir} are filled in once, the paths from `cwd` on. */
  command: readonly string[];
  prompt: StagePrompt;
  /** Folder of the task. Files of the stage lie below it. */
  task_dir: string;
  /** Where the servant runs: the root of the workspace. */
  cwd: string;
  /** All that the servant gets; names that are no names of shell variables may be left out. */
  environment: Readonly<Record<string, string>>;
  limits: StageLimits;
  /** From the task's folder on, with `/`. */
  files: Readonly<Record<StageFile, string>>;
  /** Their names when the servant has ended: meanwhile a later attempt of another branch may have come. Left out: `files`. */
  filesAtEnd?: () => Readonly<Record<StageFile, string>>;
  /** Remarks of the composition of the prompt, for `.compose.log`. */
  compose_log: string;
  /** Takes secrets out of a text. Output of the servant goes through it before it is kept. */
  redact?: (text: string) => string;
  /** Told the process group before the servant begins, so that a later dispatcher finds it. If it throws, nothing begins. */
  onGroup?: (group: number) => void;
  /** Told when nothing of the servant runs any more, before its outputs have their names. Never throws. An executor may leave it out. */
  onEnded?: () => void;
}

export const PROMPT_MODES = ["stdin", "file", "argument"] as const;
export type PromptMode = (typeof PROMPT_MODES)[number];

export interface StagePrompt {
  text: string;
  /** `stdin`: the servant reads the file there. `file`: by `{prompt_file}`. `argument`: as the last argument. */
  mode: PromptMode;
  /** From the task's folder on; written where it does not hold this text yet. */
  path: string;
}

export interface StageLimits {
  wallclock_sec: number;
  /** Kept of stdout and of stderr, each; bytes above it are read, counted and dropped. */
  output_bytes?: number;
}

export interface StageRun {
  /** Of a servant that a signal ended: 128 and its number. 127: no such command. 126: it could not be executed. */
  exit_code: number;
  signal: string | null;
  timed_out: boolean;
  aborted: boolean;
  /** Whether output above the limit was dropped. */
  truncated: boolean;
  /** UTC, whole seconds. `end` is `start` and the duration: a clock that is set meanwhile changes nothing. */
  start: string;
  end: string;
  duration_sec: number;
  files: Record<StageFile, PacketFile>;
  /** As it was kept: not safe for a terminal. */
  stderr: Excerpt;
}

export const OUTPUT_BYTES = 64 * 1024 * 1024;
/** Most bytes of an argument; the system's own limit for one is 128 KiB on Linux. */
export const ARGUMENT_BYTES = 51_200;
