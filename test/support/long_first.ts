/** The order of test files: the longest first, so that no worker waits at the end for the other one. */
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * What takes longest in a sample and in whole sweeps. A machine that never ran the tests has only the sizes of files to go by. First come those
 * that start many programs: to start one costs a process twice as much once it has grown by 200 MB. Those that use much memory are the last.
 */
const LONG = [
  "test/sim.test.ts",
  "test/hosts/git_install.test.ts",
  "test/hosts/git_hostile.test.ts",
  "test/forge.test.ts",
  "test/hostile_matrix.test.ts",
  "test/hosts/git_filtered.test.ts",
  "test/docs.test.ts",
  "test/hosts/git_two_folders.test.ts",
  "test/runner/dispatcher.test.ts",
  "test/runner/attempt_end.test.ts",
  "test/engine/went_away.test.ts",
  "test/hosts/mcp.test.ts",
  "test/new_tool.test.ts",
  "test/hosts/git_attributes.test.ts",
  "test/hosts/onboard.test.ts",
  "test/git_random.test.ts",
  "test/hosts/git_action.test.ts",
  "test/runner/seen_files.test.ts",
  "test/examples.test.ts",
  "test/hosts/cli_attest.test.ts",
  "test/hosts/viewer_pages.test.ts",
  "test/engine/archive_merge.test.ts",
  "test/hosts/cli_prove.test.ts",
  "test/runner/scope.test.ts",
  "test/runner/stale_proof.test.ts",
  "test/hosts/viewer_entity.test.ts",
  "test/engine/went_back.test.ts",
  "test/engine/resolve_git.test.ts",
  "test/engine/verify_git.test.ts",
  "test/hosts/git_run.test.ts",
  "test/runner/work_tree.test.ts",
  "test/hosts/git_sparse.test.ts",
  "test/hosts/cli_denied.test.ts",
  "test/hosts/view_changes.test.ts",
  "test/hosts/viewer_looks.test.ts",
  "test/hosts/git_hooks.test.ts",
  "test/runner/ignored_files.test.ts",
  "test/runner/unlisted_files.test.ts",
  "test/runner/run_captured.test.ts",
  "test/hosts/cli_packet.test.ts",
  "test/single_executable.test.ts",
  "test/consumer.test.ts",
  "test/guard.test.ts",
  "test/hosts/cli_resolve.test.ts",
  "test/engine/fault_sweep.test.ts",
  "test/engine/bad_input.test.ts",
  "test/hosts/git_limits.test.ts",
  "test/model.test.ts",
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((path) => moduleId.endsWith(`/${path}`));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
