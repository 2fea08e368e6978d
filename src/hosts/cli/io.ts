/** The process as the command line sees it; a test hands in another one. */
import { isatty } from "node:tty";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { commandOf } from "../onboard/start_command.ts";
import { asking } from "./asking.ts";
import { Output } from "./output.ts";

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The command that starts this program again: node and the file of the command line, or the single executable, by full paths. */
  readonly program?: readonly string[];
  /** The words by which a person starts this program here. The default is `taskfold`. */
  readonly command?: string;
  /** Whether people look at stdout and want colours. */
  readonly color: boolean;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Says that the command changed something on the disk. */
  changed?(): void;
  /** Aborts when stdout takes nothing any more. */
  readonly outputLost?: AbortSignal;
  /** Waits until stdout has taken all, and returns the exit code: another one where it did not (CLI-246). */
  ended?(exit: number): Promise<number>;
  /** Whether stderr is a terminal, and how wide: where a line may be written over. */
  readonly terminal?: { columns: () => number };
  /** The terminal on which people look at stdout; undefined where stdout is none. */
  readonly screen?: () => { columns: number; rows: number };
  /** Asks a person on the terminal; undefined where stdin or stdout is none. A person who breaks off gives no answer. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Aborts when a person or the system asks this process to end; asked again, it ends at once. `end` takes that back. */
  readonly interruption?: () => { signal: AbortSignal; end: () => void };
  /** All of stdin, as bytes. Throws CONTENT_TOO_LARGE above `limit` bytes, and an error of the system where it has no end after `ms`. */
  stdin(limit: number, ms?: number): Promise<Buffer>;
}

/** This process. */
export function nodeIo(): Io {
  const output = new Output(() => process.stdout);
  const stderr = writerTo(() => process.stderr);
  const cwd = workingFolder();
  return {
    env: process.env,
    cwd,
    get program() {
      const [, file] = process.argv;
      return file ? [process.execPath, realPath(file)] : [process.execPath];
    },
    get command() {
      const [, file] = process.argv;
      return commandOf(file === undefined ? [] : [file, realPath(file)], cwd);
    },
    color: wantsColor(),
    stdout: (text) => output.write(text),
    stderr,
    changed: () => output.changed(),
    outputLost: output.lost,
    ended: async (given) => {
      const { exit, line } = await output.ended(given);
      if (line !== undefined) stderr(line);
      return exit;
    },
    ...(isatty(2) ? { terminal: { columns: () => process.stderr.columns || COLUMNS } } : {}),
    ...(isatty(1)
      ? { screen: () => ({ columns: process.stdout.columns || COLUMNS, rows: process.stdout.rows || ROWS }) }
      : {}),
    ...(isatty(0) && isatty(1) ? { ask: asking(() => ({ input: process.stdin, output: process.stdout })) } : {}),
    interruption,
    stdin: readStdin,
  };
}

/** A shell stays in a folder that was deleted, and the system has no name for that. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

/** A package manager starts programs by a link, which the next installation may replace. */
function realPath(path: string): string {
  return nodeDisk.stat(path) ? nodeDisk.outside.realpath(path) : path;
}

/** Where a terminal does not know its width and says 0. */
const COLUMNS = 80;
const ROWS = 24;

/** The stream is made at the first text: most commands have nothing for stderr. */
function writerTo(stream: () => NodeJS.WriteStream): (text: string) => void {
  let made: NodeJS.WriteStream | undefined;
  return (text) => {
    // A process cannot tell anyone that stderr takes no line.
    made ??= stream().on("error", () => undefined);
    made.write(text);
  };
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function interruption(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const end = (): void => {
    for (const name of ENDING) process.off(name, abort);
  };
  const abort = (): void => {
    // A person who asks again does not wait for the rest of the writes.
    end();
    controller.abort();
  };
  for (const name of ENDING) process.on(name, abort);
  return { signal: controller.signal, end };
}

/** NO_COLOR and FORCE_COLOR as people know them; otherwise colours are for terminals. */
function wantsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0";
  return isatty(1) && TERM !== "dumb";
}

async function readStdin(limit: number, ms?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = ms === undefined ? undefined : setTimeout(() => process.stdin.destroy(), ms);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      process.stdin.destroy();
      throw new TaskfoldError("CONTENT_TOO_LARGE", `Expected at most ${limit} bytes on stdin, found more.`, {
        recovery: "Split the call.",
      });
    }
    chunks.push(chunk);
  }
  clearTimeout(timer);
  return Buffer.concat(chunks);
}
