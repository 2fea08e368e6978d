import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder for one test, by its real path; removed with everything in it when the test is over. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "taskfold-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
