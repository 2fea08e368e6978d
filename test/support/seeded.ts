/** Before each test file: properties draw by the seed of the run, and a failure that depends on it says how to repeat it. */
import fc from "fast-check";
import { relative } from "node:path";
import { afterEach } from "vitest";
import { ROOT } from "./source.ts";
import { repeatCommand, SEED } from "./sweep.ts";

fc.configureGlobal({ seed: SEED });

afterEach(({ task }) => {
  for (const error of task.result?.errors ?? []) {
    if (!task.tags?.includes("sweep") && !error.message.startsWith("Property failed")) continue;
    error.message += `\nTo repeat: ${repeatCommand(relative(ROOT, task.file.filepath), task.name)}`;
  }
});
