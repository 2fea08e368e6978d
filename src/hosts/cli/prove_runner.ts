/** Runs declared tests one after another, each in a clean checkout of its own and with a line about how it goes, and records each. */
import { nodeRuntime } from "../../node_runtime.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { shellArgv } from "../../runner/argv.ts";
import type { StageProgress } from "../../runner/progress.ts";
import { captureRun, look } from "../../runner/run_captured.ts";
import type { CaptureFor, StartedResult } from "../../runner/run_captured.ts";
import type { Degree } from "../../state/degree.ts";
import type { CleanCheckout } from "../git/clean_checkout.ts";
import type { Declared, ProveCommand } from "./declared_tests.ts";
import type { Session } from "./session.ts";

/** The outcome of one command. */
export interface Proved extends ProveCommand {
  exit_code: number;
  timed_out: boolean;
  degree: Degree;
  duration_sec: number;
  /** Ids of the entries, in the order of the steps; null where one was refused. */
  evidence: (string | null)[];
}

export interface RunOptions {
  /** Commands before each test. */
  prepare?: string[];
  /** Seconds for each command. */
  timeout: number;
}

interface RunOutcome {
  proved: Proved;
  refused: string[];
  changed: string[];
}

interface RunsIn {
  env: Session["io"]["env"];
  workspace: Workspace;
  progress: StageProgress;
  options: RunOptions;
  /** Aborts when a person stops the runs. */
  signal: AbortSignal | undefined;
}

export class ProveRunner {
  readonly #in: RunsIn;
  readonly #environment: Record<string, string>;

  constructor(runsIn: RunsIn) {
    this.#in = runsIn;
    this.#environment = environmentOf(runsIn.env);
  }

  /** Whether all commands before the test passed. */
  async prepare({ root }: CleanCheckout): Promise<boolean> {
    for (const command of this.#in.options.prepare ?? []) {
      const tail = new Tail();
      this.#in.progress.started(command);
      const outcome = await this.#unlessStopped(() =>
        nodeRuntime.groups.run({
          argv: shellArgv(command),
          cwd: root,
          environment: this.#environment,
          wallclock_ms: this.#in.options.timeout * 1000,
          onStdout: (chunk) => tail.add(chunk),
          onStderr: (chunk) => tail.add(chunk),
          signal: this.#in.signal,
        }),
      );
      if (!outcome || !this.#report(outcome, tail)) return false;
    }
    return true;
  }

  /** Undefined where a person stopped it. `changed`: files that were not as the commit has them when the test began. */
  async run({ command, steps }: ProveCommand, checkout: CleanCheckout): Promise<RunOutcome | undefined> {
    const before = await look(checkout);
    const tail = new Tail();
    this.#in.progress.started(command);
    const began = nodeRuntime.uptime();
    const [first, ...also] = steps as [Declared, ...Declared[]];
    const outcome = await this.#unlessStopped(() =>
      captureRun(
        this.#in.workspace,
        {
          ...targetOf(first),
          argv: shellArgv(command),
          env: this.#environment,
          timeoutMs: this.#in.options.timeout * 1000,
          ...(this.#in.signal ? { signal: this.#in.signal } : {}),
          onOutput: (_, chunk) => tail.add(chunk),
        },
        {
          command,
          also: also.map(targetOf),
          checkout: { root: checkout.root, git: checkout },
          before: Promise.resolve(before),
        },
      ),
    );
    if (!outcome) return undefined;
    const { exit_code, timed_out, aborted, reply, others, degree } = outcome;
    const duration_sec = Math.round((nodeRuntime.uptime() - began) / 1000);
    this.#report(outcome, tail);
    if (aborted || !reply) return undefined;
    const replies = [reply, ...others];
    const refused = replies.flatMap(({ error }, n) =>
      error ? [`${steps[n]!.task} ${steps[n]!.path}: not recorded, ${error.code}: ${error.message}`] : [],
    );
    const evidence = replies.map(evidenceId);
    const changed = [...(before?.changed.keys() ?? [])].map((path) => before!.fromRoot(path));
    return { proved: { command, steps, exit_code, timed_out, degree, duration_sec, evidence }, refused, changed };
  }

  /** Undefined where a person stopped it before the command began. */
  async #unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (e) {
      if (!this.#in.signal?.aborted) throw e;
      this.#in.progress.interrupted("nothing of it was recorded");
      return undefined;
    }
  }

  #report({ exit_code, timed_out, aborted }: StartedResult, tail: Tail): boolean {
    if (aborted) this.#in.progress.interrupted("nothing of it was recorded");
    else if (exit_code === 0) this.#in.progress.completed();
    else {
      const after = `the ${this.#in.options.timeout} seconds of --timeout are over`;
      this.#in.progress.failed(timed_out ? after : `exit code ${exit_code}`, tail.lines());
    }
    return !aborted && exit_code === 0;
  }
}

function targetOf({ task, step_id, test, checkpoints }: Declared): CaptureFor {
  return { task, step_id, checkpoints, ...(test === null ? {} : { test }) };
}

function evidenceId({ result }: Reply): string | null {
  const [entry] = (result?.["evidence"] ?? []) as { id: string }[];
  return entry?.id ?? null;
}

/** Each variable of git is left out: they lead to another repository, and to settings that name programs. */
const OF_GIT = /^GIT_/i;

function environmentOf(env: Session["io"]["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !OF_GIT.test(entry[0])),
  );
}

const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 20;

/** The end of what a command printed. */
class Tail {
  #bytes = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-TAIL_BYTES);
  }

  lines(): string[] {
    return this.#bytes.toString("utf8").trimEnd().split("\n").slice(-TAIL_LINES);
  }
}
