/** How far a long command is, on stderr (CLI-91): a bar on a terminal, a line now and then elsewhere, nothing beside `--json`. */
import type { Io } from "./io.ts";

/** A command that ends before says nothing. */
const QUIET_MS = 1000;
const BAR_MS = 100;
const LINE_MS = 10_000;
const CELLS = 30;
const ERASE_LINE = "\r\u001b[2K";

/** Runs `work` with a function that takes how many of how many are done; the bar is gone when it ends. */
export async function withProgress<T>(
  { io, json }: { readonly io: Io; readonly json: boolean },
  what: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
  now: () => number = () => performance.now(),
): Promise<T> {
  const began = now();
  let drawnAt = began + QUIET_MS - BAR_MS;
  let isDrawn = false;
  const progress = (done: number, total: number): void => {
    const at = now();
    if (json || total === 0 || at - began < QUIET_MS || at - drawnAt < (io.terminal ? BAR_MS : isDrawn ? LINE_MS : 0))
      return;
    drawnAt = at;
    isDrawn = true;
    if (!io.terminal) return io.stderr(`${what}: ${done} of ${total}\n`);
    // A line that is wider than the terminal wraps, and only its last part would be written over.
    const room = Math.max(io.terminal.columns() - 1, 10);
    io.stderr(ERASE_LINE + `${what} ${bar(done, total)} ${done} of ${total}`.slice(0, room));
  };
  try {
    return await work(progress);
  } finally {
    if (isDrawn && io.terminal) io.stderr(ERASE_LINE);
  }
}

function bar(done: number, total: number): string {
  const full = Math.floor((done / total) * CELLS);
  return `[${"#".repeat(full)}${".".repeat(CELLS - full)}]`;
}
