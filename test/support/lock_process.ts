/** A process of its own that takes and frees locks when told to; it is gone when the test is over. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface Told {
  ok: boolean;
  code?: string;
  text?: string;
  details?: { pid: number; held_ms?: number };
}

export interface LockProcess {
  pid: number;
  tell: (order: string, more?: Record<string, unknown>) => Promise<Told>;
  /** Sends a signal; resolves when the process has ended, if it is one that ends it. */
  kill: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT") => Promise<void>;
}

export async function lockProcess(kind: string, root: string): Promise<LockProcess> {
  const child = fork(join(import.meta.dirname, "lock_worker.mjs"), [kind, root]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const answer = async (): Promise<Told> => {
    const [told] = (await once(child, "message")) as [Told];
    return told;
  };
  await answer();
  return {
    pid: child.pid!,
    tell: (order, more = {}) => {
      const answered = answer();
      child.send({ order, ...more });
      return answered;
    },
    kill: async (signal) => {
      const ended = signal === "SIGKILL" ? once(child, "exit") : undefined;
      child.kill(signal);
      await ended;
    },
  };
}
