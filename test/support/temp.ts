/** Temporary folders of tests. They lie where TMPDIR says: in memory where the system has room there, else on the disk. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject, onTestFinished } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder for temporary folders on a real disk. */
    disk: string;
  }
}

/** The temporary folders of this test file lie on the disk: it tests syncs, locks, renames or notifications of a real file system. */
export function onRealDisk(): void {
  const before = tmpdir();
  process.env["TMPDIR"] = inject("disk");
  afterAll(() => {
    process.env["TMPDIR"] = before;
  });
}

function newFolder(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), "taskfold-test-"));
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** A new folder for one test, by its real path; removed with everything in it when the test is over. */
export function tempFolder(): string {
  const folder = newFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A new folder for all tests of a file. */
export function fileTempFolder(): string {
  const folder = newFolder();
  afterAll(() => remove(folder));
  return folder;
}

/** A folder for the length of one run: a property makes hundreds. */
export async function inTempFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = newFolder();
  try {
    return await run(folder);
  } finally {
    remove(folder);
  }
}
