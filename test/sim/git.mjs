// @ts-check
/** Git as an actor: a command goes on step by step, by the time of the world, whatever the processes do meanwhile. */

/** @typedef {import("./repository.mjs").Repository} Repository */
/** @typedef {{ note: (line: string) => void, later: (run: () => void) => void, ended: (said: string) => void }} Around */

/** @param {Repository} repository @param {string} command @param {Around} around */
export function startGit(repository, command, { note, later, ended }) {
  const steps = repository.run(command);
  const step = () => {
    const { done, value } = steps.next();
    note(`${command}: ${value}`);
    if (done) ended(value);
    else later(step);
  };
  later(step);
}
