/** How a stage goes, for a person: lines of ours alone. Output of servants stays in files, but for the end of a log after a failure. */
import type { Disk } from "../disk.ts";
import { safeLine } from "../state/safe_text.ts";
import { errnoOf } from "../files/storage_error.ts";
import type { Runtime } from "../runtime.ts";
import { every } from "../runtime.ts";
import { linesOf } from "./excerpt.ts";

export interface ProgressOptions {
  write: (text: string) => void;
  /** One line is written over and over; otherwise there is a line of its own for each step of time. */
  isTerminal: boolean;
  columns: () => number;
  runtime: Pick<Runtime, "uptime" | "after">;
  /** Between two lines about a stage that runs; 0: none. */
  interval_sec: number;
}

const LIVE_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const ERASE_LINE = "\r\u001b[2K";

export class StageProgress {
  readonly #options: ProgressOptions;
  #stage = "";
  #began = 0;
  #stop: (() => void) | undefined;
  #isLive = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  started(stage: string): void {
    this.#end();
    this.#stage = safeLine(stage);
    this.#began = this.#options.runtime.uptime();
    const { interval_sec, isTerminal } = this.#options;
    this.#line(`${this.#stage} started`);
    if (interval_sec <= 0) return;
    const ms = isTerminal ? Math.min(LIVE_MS, interval_sec * 1000) : interval_sec * 1000;
    // A stage that ended without a word to us does not keep the process alive.
    this.#stop = every(this.#options.runtime, Math.min(ms, LONGEST_TIMER_MS), () => this.#running());
  }

  /** A line about the stage that runs. */
  say(text: string): void {
    if (this.#isLive) this.#options.write(ERASE_LINE);
    this.#isLive = false;
    this.#line(`  ${safeLine(text)}`);
  }

  completed(): void {
    const seconds = this.#seconds();
    this.#end();
    this.#line(`${this.#stage} completed (${seconds}s)`);
  }

  /** `log`: the last lines of what was kept. */
  failed(reason: string, log: readonly string[] = []): void {
    this.#endedBadly("failed", reason, log);
  }

  interrupted(reason: string): void {
    this.#endedBadly("interrupted", reason, []);
  }

  #endedBadly(how: string, reason: string, log: readonly string[]): void {
    const seconds = this.#seconds();
    this.#end();
    this.#line(`${this.#stage} ${how} (${seconds}s): ${safeLine(reason)}`);
    for (const line of log) this.#line(`  | ${safeLine(line)}`);
  }

  /** Ends the lines about a stage whose end is told elsewhere. */
  stop(): void {
    this.#end();
  }

  #running(): void {
    const line = `${this.#stage} running (${this.#seconds()}s)`;
    if (!this.#options.isTerminal) return this.#line(line);
    // A line that is wider than the terminal wraps, and only its last part would be written over.
    const room = Math.max(this.#options.columns() - 1, 10);
    this.#options.write(ERASE_LINE + line.slice(0, room));
    this.#isLive = true;
  }

  #end(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.#isLive) this.#options.write(ERASE_LINE);
    this.#isLive = false;
  }

  #line(text: string): void {
    this.#options.write(`${text}\n`);
  }

  #seconds(): number {
    return Math.floor((this.#options.runtime.uptime() - this.#began) / 1000);
  }
}

const TAIL_LINES = 40;
const TAIL_BYTES = 64 * 1024;

/** The last 40 lines of a log, however long it is; none where it is not there. */
export function tailOf(disk: Disk, path: string): string[] {
  let fd: number;
  try {
    fd = disk.open(path, "r");
  } catch (e) {
    if (errnoOf(e) === "ENOENT") return [];
    throw e;
  }
  try {
    const { size } = disk.fstat(fd);
    const from = Math.max(size - TAIL_BYTES, 0);
    const into = Buffer.alloc(size - from);
    const lines = linesOf(into.subarray(0, disk.read(fd, into, from)));
    return (from === 0 ? lines : lines.slice(1)).slice(-TAIL_LINES);
  } finally {
    disk.close(fd);
  }
}
