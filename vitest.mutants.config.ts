import { defineConfig } from "vitest/config";
import { tempRoot } from "./test/support/temp_root.mjs";
import { common, tags } from "./vitest.config.ts";

/** The tests of `npm run mutants`: those in memory, and those of events and rules that only a whole workspace shows. */
export default defineConfig({
  test: {
    ...common,
    include: [
      "test/{rules,events,log,state,views,tools,projections,packet}/**/*.test.ts",
      "test/laws/{merge,redo,undo}.test.ts",
      "test/engine/{adopt,archive,archive_merge,evidence_verify,import_taskdoc,macros,packet_archive,packet_import,undo_far,undo_merge}.test.ts",
      "test/errors.test.ts",
    ],
    tags,
    isolate: false,
    env: { TMPDIR: tempRoot() },
    // A sample of each sweep, always the same.
    provide: { whole: false, seed: 1, runs: 0 },
  },
});
