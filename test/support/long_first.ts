/** The order of test files: the longest first, so that no worker waits at the end for the other one. */
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Short files whose tests wait for long programs. A machine that never ran the tests has only the sizes of files to go by. */
const LONG = [
  "test/sim.test.ts",
  "test/git_random.test.ts",
  "test/hosts/git_two_folders.test.ts",
  "test/hosts/cli_resolve.test.ts",
  "test/engine/fault_sweep.test.ts",
  "test/hosts/view_threads.test.ts",
  "test/hosts/view_export.test.ts",
  "test/hosts/viewer_looks.test.ts",
  "test/engine/went_back.test.ts",
  "test/hosts/cli_denied.test.ts",
  "test/hostile_matrix.test.ts",
  "test/new_tool.test.ts",
  "test/examples.test.ts",
  "test/consumer.test.ts",
  "test/guard.test.ts",
  "test/model.test.ts",
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((path) => moduleId.endsWith(`/${path}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
