/** Stages for tests: a workspace folder with a task, and requests that run real programs in it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { RootedDisk } from "../../src/rooted_disk.ts";
import { ServantProcess } from "../../src/runner/servant_process.ts";
import type { StageRequest, StageRun } from "../../src/runner/stage_executor.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";

export const SERVANTS = join(ROOT, "test/runner/servants");

export class StageRoom {
  readonly root = tempFolder();
  readonly task = join(this.root, ".coco/tasks/TASK-001");
  readonly disk = new RootedDisk(this.root);
  readonly servants = new ServantProcess({ disk: this.disk, runtime: nodeRuntime });

  constructor() {
    mkdirSync(this.task, { recursive: true });
  }

  request(command: readonly string[], more: Partial<StageRequest> = {}): StageRequest {
    const { stage = "codex_impl" } = more;
    const tool = stage.split("_")[0]!;
    const file = (ending: string): string => `outputs/${stage}.${tool}.${ending}`;
    return {
      stage,
      role: stage.slice(tool.length + 1),
      model: "gpt-5.3-codex",
      command,
      prompt: { text: "Make it.\n", mode: "stdin", path: `inputs/prompt/${tool}.impl.md` },
      task_dir: this.task,
      cwd: this.root,
      environment: { PATH: process.env["PATH"] ?? "" },
      limits: { wallclock_sec: 60 },
      files: {
        out: file("out"),
        err: file("err"),
        "compose.log": file("compose.log"),
        "wrapper.log": file("wrapper.log"),
      },
      compose_log: "1 part\n",
      ...more,
    };
  }

  run(command: readonly string[], more: Partial<StageRequest> = {}, signal?: AbortSignal): Promise<StageRun> {
    return this.servants.run(this.request(command, more), signal);
  }

  /** A script of the POSIX shell as the servant. */
  sh(script: string, more: Partial<StageRequest> = {}, signal?: AbortSignal): Promise<StageRun> {
    return this.run(["sh", "-c", script], more, signal);
  }

  bytes(path: string): Buffer {
    return readFileSync(join(this.task, path));
  }

  text(path: string): string {
    return this.bytes(path).toString("utf8");
  }
}

export function sha256(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Processes of a group that run; one that has ended and that nobody has collected is none. */
export function membersOf(group: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat="], { encoding: "utf8" }).split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith("Z"))
    .map(([pid]) => Number(pid));
}

/**
 * Runs under longer and longer limits of seconds, until the program was ready when its limit passed.
 * A loaded machine starts a shell late, and a limit that passes before its `trap` tells nothing.
 */
export async function pastReady<T>(run: (seconds: number) => Promise<T>, ready: () => boolean): Promise<T> {
  for (let seconds = 0.5; ; seconds *= 4) {
    const result = await run(seconds);
    if (ready() || seconds > 30) return result;
  }
}

const MAX_MS = 100_000;

/** Waits until it holds, as long as a slow machine may take, and less than the servants of the tests run. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + MAX_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`expected ${what} within ${MAX_MS / 1000} s`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
