// @ts-check
import { existsSync } from "node:fs";
import { join } from "node:path";

/** @param {import("../stage.mjs").Stage} stage */
export async function bPlan(stage) {
  stage.section(
    "A plan and a task",
    "A step says what has to be so, how that is checked, and whether proof is needed.",
  );
  const init = stage.taskfold("init", "--workspace", "acme/tiny-slug");
  stage.check(
    "init binds the folder",
    init.code === 0 && existsSync(join(stage.repo, ".coco/workspace.yaml")),
    init.out,
  );

  const plan = await stage.call("human:mo", "tasks_create", {
    title: "tiny-slug 1.1",
    contract: "Slugs that were right stay as they are.",
  });
  stage.plan = plan.result.id;
  const task = await stage.call("human:mo", "tasks_create", {
    parent: stage.plan,
    title: "Right slugs for accents and runs of signs",
    description: "Users report Crème Brûlée and Rock & Roll. Both reports are tests now; they fail.",
    steps: [
      step(
        "Take off every accent",
        "Crème Brûlée à Zürich gives creme-brulee-a-zurich",
        "node --test --test-reporter=tap test/accents.test.mjs",
      ),
      step(
        "Let dashes not pile up",
        "Rock & Roll! gives rock-roll",
        "node --test --test-reporter=tap test/dashes.test.mjs",
      ),
      step("Write the changelog", "CHANGELOG.md names both changes", "node --test"),
    ],
  });
  stage.task = task.result.id;
  const list = stage.taskfold("list");
  stage.check(
    "the plan and its task are listed",
    [stage.plan, stage.task, "0/3 steps"].every((word) => list.out.includes(word)),
    list.out,
  );
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "Plan 1.1");
}

/** @param {string} title @param {string} criterion @param {string} test */
function step(title, criterion, test) {
  return { title, success_criteria: [criterion], tests: [test], proof: { tests: /** @type {const} */ ("require") } };
}
