// @ts-check
// Resolves on the branch of the pull request and pushes one commit, never by force. A fork's branch is left alone.

import { IDENTITY, isBranch, push } from "./push.mjs";

/**
 * Whether a commit was pushed.
 * @param {import("./program.mjs").Taskfold} taskfold
 * @param {import("./event.mjs").Compared} compared
 * @param {(message: string) => void} warn
 */
export function resolveAndPush(taskfold, { base, branch, head, isFork }, warn) {
  const refused = (/** @type {string} */ why) => {
    warn(`Nothing was resolved: ${why}`);
    return false;
  };
  if (base === null || branch === null || head === null)
    return refused("this event is about no branch of a pull request.");
  if (isFork) return refused("the branch belongs to a fork.");
  if (!isBranch(taskfold, branch)) return refused("the branch has no name that git takes.");
  // The checkout of a pull request is a merge that GitHub made: the branch itself is what is pushed to.
  const before = taskfold.git("rev-parse", "HEAD").out;
  if (!taskfold.git("checkout", "--quiet", "--detach", head).isDone)
    return refused("the commit of the branch is not in this clone.");
  taskfold.says("git", "install");
  try {
    if (bothChanged(taskfold, base, head) && !merged(taskfold, base)) {
      taskfold.git("merge", "--abort");
      taskfold.git("checkout", "--quiet", "--detach", before);
      return refused("the merge with the base branch stops at files of people.");
    }
    taskfold.json("resolve", "--stage");
    if (!taskfold.git("diff", "--cached", "--quiet").isDone)
      taskfold.git(...IDENTITY, "commit", "--quiet", "--no-verify", "-m", "Fold task files anew");
  } finally {
    taskfold.says("git", "uninstall");
  }
  if (taskfold.git("rev-parse", "HEAD").out === head) {
    taskfold.git("checkout", "--quiet", "--detach", before);
    return false;
  }
  return push(taskfold, branch, (message) => warn(`Nothing was resolved: ${message}`));
}

/** Whether the base and the branch both changed one plan or task since they parted. @param {import("./program.mjs").Taskfold} taskfold @param {string} base @param {string} head */
function bothChanged(taskfold, base, head) {
  const ids = (/** @type {string} */ from, /** @type {string} */ to) =>
    (taskfold.json("diff", "--merge-base", from, to).tasks ?? []).map(({ id }) => id);
  const theirs = new Set(ids(head, base));
  return ids(base, head).some((/** @type {string} */ id) => theirs.has(id));
}

/** Stops only where people's files are open. @param {import("./program.mjs").Taskfold} taskfold @param {string} base */
function merged(taskfold, base) {
  if (taskfold.git(...IDENTITY, "merge", "--quiet", "--no-edit", base).isDone) return true;
  taskfold.json("resolve", "--stage");
  if (taskfold.git("ls-files", "--unmerged").out !== "") return false;
  return taskfold.git(...IDENTITY, "commit", "--quiet", "--no-edit", "--no-verify").isDone;
}
