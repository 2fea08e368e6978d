// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @param {import("../stage.mjs").Stage} stage */
export async function eTakenBack(stage) {
  stage.section(
    "A change taken back",
    "Agent ben reopens the wrong step. Undo is a change of its own: nothing ever leaves the log.",
  );
  const log = () => readFileSync(join(stage.repo, ".coco/tasks", stage.task, "events.jsonl"), "utf8");
  const state = async () => (await stage.call("human:mo", "tasks_radar", { task: stage.task })).result.steps;
  const turn = (/** @type {string} */ by, /** @type {"tasks_undo" | "tasks_redo"} */ tool) =>
    stage.call(by, tool, { task: stage.task });
  const before = { log: log(), steps: await state() };

  const mistake = await stage.call("agent:ben", "tasks_progress", {
    task: stage.task,
    path: "s:0",
    completed: false,
    reason: "the dashes need another look",
  });
  stage.show(mistake.result.event.message);
  const reopened = await state();

  const other = await turn("agent:ada", "tasks_undo");
  stage.show(`${other.error?.code}: ${other.error?.message}`);
  stage.check(
    "an actor cannot take back another actor's change without naming it",
    other.error?.code === "UNDO_CONFLICT" && other.suggestions[0]?.args["op"] === mistake.result.event.event_id,
    other.error?.message,
  );

  const undone = await turn("agent:ben", "tasks_undo");
  stage.show(undone.result.event.message);
  const afterUndo = await state();
  stage.check(
    "undo closes the step again, with its confirmations and proof",
    reopened.open === before.steps.open + 1 && same(afterUndo, before.steps),
    `open steps: ${before.steps.open}, reopened ${reopened.open}, undone ${afterUndo.open}`,
  );
  const redone = await turn("agent:ben", "tasks_redo");
  stage.show(redone.result.event.message);
  const afterRedo = await state();
  await turn("agent:ben", "tasks_undo");
  stage.check(
    "redo brings the change back, and undo takes it away once more",
    same(afterRedo, reopened) && same(await state(), before.steps),
    `open steps: redone ${afterRedo.open}, undone ${(await state()).open}`,
  );
  const history = stage.taskfold("call", "tasks_history", JSON.stringify({ task: stage.task, limit: 4 }));
  stage.check(
    "history lists all four, and the mistake as undone",
    ["Undid", "Redid", "undone"].every((word) => history.out.includes(word)),
    history.out,
  );
  stage.check(
    "the log only grew",
    log().startsWith(before.log) && log().length > before.log.length,
    `${before.log.length} bytes before, ${log().length} after, the first ${before.log.length} unchanged`,
  );
}

/** @param {object} a @param {object} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
