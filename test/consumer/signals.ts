/** Where a project has a type of signals, of Node or of a browser, that is the type of ours. */
import type { Workspace } from "taskfold";
import { runWorker } from "taskfold/runner";

export async function fetched(workspace: Workspace, signal: AbortSignal): Promise<number> {
  const { closed } = await runWorker(
    workspace,
    async ({ title }, stop) => {
      await fetch(`https://example.invalid/${title}`, { signal: AbortSignal.any([stop, AbortSignal.timeout(1000)]) });
    },
    { signal },
  );
  return closed;
}
