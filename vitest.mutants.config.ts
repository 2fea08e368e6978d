import { defineConfig } from "vitest/config";
import { common, tags } from "./vitest.config.ts";

/** The tests of `npm run mutants`: those of rules, events and log, and what shows their work, without a disk. */
export default defineConfig({
  test: {
    ...common,
    include: ["test/{rules,events,log,state,views,tools,projections}/**/*.test.ts", "test/errors.test.ts"],
    tags,
    isolate: false,
    // A sample of each sweep, always the same.
    provide: { whole: false, seed: 1, runs: 0 },
  },
});
