// @ts-check

/** @param {import("../stage.mjs").Stage} stage */
export async function jThePast(stage) {
  stage.section("The past", "Everything is done. What did it look like just before the first fix was accepted?");
  const operations = await history(stage);
  const closed = operations.findLast((op) => op.events.includes("step_done"));
  const at = (closed?.revision ?? 0) - 1;
  const ask = JSON.stringify({ task: stage.task, at });
  const then = stage.taskfold("call", "tasks_radar", ask);
  const { radar, steps, target } = (await stage.call("human:mo", "tasks_radar", { task: stage.task, at })).result;
  const now = (await stage.call("human:mo", "tasks_radar", { task: stage.task })).result;
  stage.check(
    "radar at that revision shows the step still open",
    then.code === 0 &&
      steps.open === 3 &&
      target.revision === at &&
      radar.now.includes(steps.first_open?.title ?? "an open step"),
    radar.now,
  );
  stage.check(
    "one revision later it is closed, and today all of them are",
    (await stage.call("human:mo", "tasks_radar", { task: stage.task, at: at + 1 })).result.steps.open === 2 &&
      now.steps.open === 0 &&
      now.target.status === "DONE",
    now.radar.now,
  );
  const byEvent = (await stage.call("human:mo", "tasks_radar", { task: stage.task, at: operations.at(-1)?.op ?? 1 }))
    .result;
  stage.check(
    "the first event stands for the beginning: nothing confirmed, three steps open",
    byEvent.target.revision === 1 && byEvent.steps.open === 3 && byEvent.steps.missing_criteria === 3,
    byEvent.steps,
  );
}

/** Every op, newest first. @param {import("../stage.mjs").Stage} stage */
async function history(stage) {
  /** @type {import("../stage.mjs").Answer<"tasks_history">["result"]["operations"]} */
  const operations = [];
  for (let before = /** @type {number | string | null | undefined} */ (undefined); before !== null;) {
    const from = before === undefined ? {} : { before };
    const { result } = await stage.call("human:mo", "tasks_history", { task: stage.task, limit: 20, ...from });
    operations.push(...result.operations);
    before = result.next_before;
  }
  return operations;
}
