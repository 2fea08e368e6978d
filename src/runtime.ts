/**
 * The machine that a program runs on, besides its disk (disk.ts): clocks, timers, chance, threads and other processes. A host gives one to each workspace that it opens. The real one is in node_runtime.ts.
 */
import type { Bytes, Signal } from "./global_types.ts";

/** The shell that commands are run by. */
export const SHELL = "/bin/sh";
/** How long a group has between SIGTERM and SIGKILL. */
export const GRACE_MS = 5000;

/** The start of a command in a process group of its own. */
export interface GroupRequest {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** Descriptor of an open file; nothing to read where it is left out. */
  stdin?: number;
  wallclock_ms: number;
  /** Bytes are valid during the call alone. The command waits while it runs; if it throws, the group ends. */
  onStdout: (chunk: Bytes) => void;
  onStderr: (chunk: Bytes) => void;
  /** Told before the command begins; if it throws, the command never starts. */
  onGroup?: ((group: number) => void) | undefined;
  /** The steps taken against the group, as sentences for a log. */
  note?: (sentence: string) => void;
  signal?: Signal | undefined;
}

export interface GroupResult {
  /** That of the command; 128 and the number of the signal that ended it; 126 where the system did not start it. */
  exit_code: number;
  signal: string | null;
  timed_out: boolean;
  aborted: boolean;
  /** By a clock that is never set. */
  duration_ms: number;
  /** Why the system did not start it; null where it did. */
  not_started: string | null;
}

/** Events hold whole numbers alone. */
export function wholeSeconds({ duration_ms }: Pick<GroupResult, "duration_ms">): number {
  return Math.round(duration_ms / 1000);
}

/** Commands that end with all that they started. A group bears the number of its first process. */
export interface ProcessGroups {
  /** Never rejects for what the command does. Rejects with what `onStdout`, `onStderr` or `onGroup` threw. */
  run(request: GroupRequest): Promise<GroupResult>;
  /** Whether a process of the group runs; those of other users count as gone. */
  hasRunning(group: number): boolean;
  /** When a process began, as the system counts it; undefined where there is none, and where the system does not tell. */
  beganAt(pid: number): string | undefined;
  /** Tells every process of the group. */
  signalAll(group: number, signal: "SIGTERM" | "SIGKILL"): void;
}

export interface ThreadRequest {
  /** The program, an absolute path. */
  file: string;
  /** For the program, as a structured clone; shared memory stays shared. */
  work: object;
  /** Called for each message. Without it, `messages` gives them. */
  heard?: (message: unknown) => void;
  /** Room for young objects, in MiB. */
  youngMb?: number;
}

/** Threads that run one program on the same work. They keep no process alive unless `heard` is given. */
export interface Threads {
  /** Messages since the last call; waits for none. */
  messages(): Iterable<unknown>;
  /** Blocks until a thread has told something since the last `messages` began, or so many milliseconds; false when none did. */
  wait(ms: number): boolean;
  /** When all of them have ended, by themselves or by a fault, which is not told. */
  readonly ended: Promise<void>;
  /** Stops them, wherever they are. */
  end(): void;
}

/**
 * Every call but `groups.run` is answered before it returns. Callbacks come in a later turn of the event loop, never within the
 * call that asked for them, and each at most once.
 */
export interface Runtime {
  /** Milliseconds since 1970 by the machine's clock, as file times have it. People and programs set it, back as well. */
  now(): number;
  /** Milliseconds, with a fraction, of a clock that nothing sets; where it began says nothing. Every limit and every wait goes by it. */
  uptime(): number;
  /** Calls once after that many milliseconds, at most 2 ** 31 - 1. Gives what takes it back. `idle`: keeps no process alive. */
  after(ms: number, call: () => void, idle?: "idle"): () => void;
  /** Calls once everything that is ready now, such as other calls, timers and sockets, had its turn. */
  nextTurn(call: () => void): void;
  /** Blocks the thread for that many milliseconds: less than one, for what a timer is too slow. */
  nap(ms: number): void;
  /** Random hexadecimal digits in lower case, which no program can guess. */
  randomHex(digits: number): string;
  /** Number of this process. */
  readonly pid: number;
  /** Whether there is a process of that number here, of whatever user. */
  isRunning(pid: number): boolean;
  /** Name of this machine. */
  readonly host: string;
  /** How many threads can run beside this one; 0 where there is one processor. */
  readonly threadsBeside: number;
  /** Throws where the system gives none. */
  startThreads(count: number, request: ThreadRequest): Threads;
  readonly groups: ProcessGroups;
}

/** Waits; ends early, without an error, where the signal aborts. */
export function sleep(runtime: Pick<Runtime, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      done();
    };
    const cancel = runtime.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Calls again and again, the pause between two calls. Keeps no process alive. Gives what ends it. */
export function every(runtime: Pick<Runtime, "after">, ms: number, call: () => void): () => void {
  let cancel: () => void;
  const arm = (): void => {
    cancel = runtime.after(ms, again, "idle");
  };
  const again = (): void => {
    arm();
    call();
  };
  arm();
  return () => cancel();
}

/** A number from 0 to 1, without 1. */
export function fraction(runtime: Pick<Runtime, "randomHex">): number {
  return Number.parseInt(runtime.randomHex(8), 16) / 2 ** 32;
}
