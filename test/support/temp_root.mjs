// @ts-check
// Where tests keep files that they throw away: where the caller says, else in memory, else where the system says.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = "/dev/shm";
/** Bytes. All tests together need a small part of it; containers often grant 64 MiB. */
const ROOM = 2 ** 31;

/** Returns the folder for temporary folders. A busy disk takes ten times as long as memory. */
export function tempRoot() {
  return process.env["TMPDIR"] === undefined && hasMemory() ? FOLDER : realpathSync(tmpdir());
}

/** Whether there is a folder in memory, with room. Some systems let it run no program, and tests of git hooks start some. */
function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= ROOM && runsPrograms();
  } catch {
    // Systems without the folder, and folders that refuse a file.
    return false;
  }
}

function runsPrograms() {
  const folder = mkdtempSync(join(FOLDER, "taskfold-probe-"));
  try {
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
