/** Before each test file: properties draw by the seed of the run, and a failure that depends on it says how to repeat it. */
import fc from "fast-check";
import { relative } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { ROOT } from "./source.ts";
import { isDrawn, repeatCommand, SEED } from "./sweep.ts";

fc.configureGlobal({ seed: SEED });

beforeEach(({ task, skip }) => {
  const { tags = [], fullTestName: title } = task;
  if (tags.includes("rotating") && !isDrawn(title)) skip("it is not in the sample");
});

afterEach(async ({ task }) => {
  for (const error of task.result?.errors ?? []) {
    error.stack = (await import("./compiled.ts")).inSources(error.stack ?? "");
    const isDrawnBySeed = task.tags?.some((tag) => tag === "sweep" || tag === "rotating");
    if (!isDrawnBySeed && !error.message.startsWith("Property failed")) continue;
    error.message += `\nTo repeat: ${repeatCommand(relative(ROOT, task.file.filepath), task.name)}`;
  }
});
