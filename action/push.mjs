// @ts-check
// One commit on the branch of a pull request, never by force.

export const IDENTITY = [
  "-c",
  "user.name=github-actions[bot]",
  "-c",
  "user.email=41898282+github-actions[bot]@users.noreply.github.com",
];

/**
 * Whether HEAD was pushed.
 * @param {import("./program.mjs").Taskfold} taskfold @param {string} branch @param {(message: string) => void} warn
 */
export function push(taskfold, branch, warn) {
  const { isDone, err } = taskfold.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  if (!isDone) warn(`git push said: ${err.slice(0, 300)}`);
  return isDone;
}

/** Whether the branch has a name that a push may take. @param {import("./program.mjs").Taskfold} taskfold @param {string} branch */
export function isBranch(taskfold, branch) {
  return taskfold.git("check-ref-format", `refs/heads/${branch}`).isDone;
}

/**
 * Whether there was something to commit, and it was pushed.
 * @param {import("./program.mjs").Taskfold} taskfold
 * @param {{ branch: string, message: string, paths: string[] }} of
 * @param {(message: string) => void} warn
 */
export function commitAndPush(taskfold, { branch, message, paths }, warn) {
  if (!isBranch(taskfold, branch)) {
    warn("Nothing was pushed: the branch has no name that git takes.");
    return false;
  }
  taskfold.git("add", "--all", "--", ...paths);
  if (taskfold.git("diff", "--cached", "--quiet").isDone) return false;
  if (!taskfold.git(...IDENTITY, "commit", "--quiet", "--no-verify", "-m", message).isDone) return false;
  return push(taskfold, branch, warn);
}
