/** The signals by which the system asks this process to end, for the workers that it runs. */

const ENDING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const asked = new Set<() => void>();

/**
 * Calls once such a signal comes. Gives what takes that back. With no caller left, the next signal ends the process. All callers share one
 * listener: Node takes eleven for a leak.
 */
export function onEnding(call: () => void): () => void {
  if (asked.size === 0) for (const name of ENDING) process.on(name, askAll);
  asked.add(call);
  return () => {
    if (asked.delete(call) && asked.size === 0) for (const name of ENDING) process.off(name, askAll);
  };
}

function askAll(): void {
  for (const call of asked) call();
}
