// @ts-check
// Runs the declared tests of the tasks that a pull request changes, at the commit of its branch. A fork's commands never run.
import { commitAndPush } from "./push.mjs";

/** The members that are read of the document of `prove`. @typedef {{ commands?: { command: string, exit_code: number, degree: string, steps: { task: string, path: string }[] }[], refused?: string[], error?: { message: string } | undefined }} Proved */
/** `isRight` is null where nothing was to be run. @typedef {{ proved: Proved | null, isRight: boolean | null, pushed: boolean }} Outcome */

const NOTHING = { proved: null, isRight: null, pushed: false };

/**
 * @param {import("./program.mjs").Taskfold} taskfold
 * @param {import("./event.mjs").Compared} compared
 * @param {{ prepare: string, pushes: boolean }} asked `prepare`: commands that run first, one a line
 * @param {(message: string) => void} warn
 * @returns {Outcome}
 */
export function prove(taskfold, { base, branch, head, isFork }, { prepare, pushes }, warn) {
  const refused = (/** @type {string} */ why) => {
    warn(`No test was run: ${why}`);
    return NOTHING;
  };
  if (base === null) return refused("this event has no commit to compare with.");
  if (isFork) return refused("the branch belongs to a fork, and its steps name the commands.");
  const before = taskfold.git("rev-parse", "HEAD").out;
  // The checkout of a pull request is a merge that GitHub made: the branch itself is what is proved, and pushed to.
  if (head !== null && before !== head && !taskfold.git("checkout", "--quiet", "--detach", head).isDone)
    return refused("the commit of the branch is not in this clone.");
  const first = prepare.split("\n").filter((line) => line.trim() !== "");
  const proved = /** @type {Proved} */ (
    taskfold.json(
      "--by",
      "agent:ci",
      "prove",
      "--git-base",
      base,
      "--allow-commands",
      ...first.flatMap((command) => ["--prepare", command]),
    )
  );
  const isRight = taskfold.code === 0;
  const pushed =
    pushes &&
    branch !== null &&
    commitAndPush(taskfold, { branch, message: "Proof of the declared tests", paths: [".coco"] }, warn);
  if (!pushed && taskfold.git("rev-parse", "HEAD").out !== before)
    taskfold.git("checkout", "--quiet", "--force", "--detach", before);
  return { proved, isRight, pushed };
}
