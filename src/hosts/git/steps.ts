/** Work that needs answers of git: the caller decides whether it waits for git or goes on beside it. */
import type { Repository } from "./repository.ts";
import type { GitInput } from "./run_git.ts";

export interface Call {
  repository: Repository;
  args: readonly string[];
  input?: GitInput;
  /** Work for the time in which git runs. It needs no answer of git. */
  meanwhile?: () => void;
}

/** Gives calls that may run at once, and takes their outputs in the same order. */
export type Steps<T> = Generator<Call[], T, Buffer[]>;

export function waitedFor<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    step = steps.next(
      step.value.map(({ repository, args, input, meanwhile }) => (meanwhile?.(), repository.git(args, input))),
    );
  }
}

/** The same while this process does other things. */
export async function beside<T>(steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    const calls = step.value.map(({ repository, args, input }) => repository.beside(args, input));
    for (const { meanwhile } of step.value) meanwhile?.();
    step = steps.next(await Promise.all(calls));
  }
}
