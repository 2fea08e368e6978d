// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACCENTS, FIXED, SHARP_S } from "../tiny_slug.mjs";

const TEST = "node --test --test-reporter=tap test/sharp_s.test.mjs";

/** @param {import("../stage.mjs").Stage} stage */
export async function kDegrees(stage) {
  stage.section(
    "Degrees of proof",
    "A claim, a run that Taskfold made, and the same run repeated by CI at the merged commit.",
  );
  stage.git("switch", "--quiet", "-c", "sharp-s");
  const made = await stage.call("human:mo", "tasks_create", {
    kind: "task",
    title: "Straße gives strasse",
    steps: [
      {
        title: "Write ß as ss",
        success_criteria: ["Straße gives strasse"],
        tests: [TEST],
        proof: { tests: "repeated" },
      },
    ],
  });
  if (!made.success) throw new Error(made.error?.message);
  const task = made.result.id;
  for (const [path, text] of Object.entries(SHARP_S)) writeFileSync(join(stage.repo, path), text);
  commit(stage, "A test for ß");

  stage.print("   Claimed: the agent says that the test passed. It never ran, and it fails.");
  const claim = { kind: "run", command: TEST, exit_code: 0, stdout: "# pass 1" };
  await stage.call("agent:ada", "tasks_evidence_capture", { task, path: "s:0", items: [claim], checkpoint: "tests" });
  const claimed = await close(stage, task);
  stage.check("a claim is not enough", claimed?.code === "PROOF_REQUIRED", claimed?.message);
  commit(stage, "A claim");
  const listed = stage.taskfold("--by", "agent:ci", "prove", task);
  stage.check(
    "prove lists what it would run, and runs nothing without leave",
    listed.code === 2 && listed.out.includes(TEST) && listed.err.includes("--allow-commands"),
    listed.out,
  );
  const forged = stage.taskfold("--by", "agent:ci", "prove", task, "--allow-commands");
  stage.check("a forged exit code is caught: the test fails at that commit", forged.code === 1, forged.out);

  stage.print("\n   Captured: the agent corrects the code, and Taskfold runs the test.");
  writeFileSync(
    join(stage.repo, ACCENTS),
    (FIXED[ACCENTS] ?? "").replace("text.normalize", 'text.replace(/ß/g, "ss").normalize'),
  );
  const run = stage.taskfold("--by", "agent:ada", "run", task, "s:0", "--", ...TEST.split(" "));
  const captured = await close(stage, task);
  stage.check(
    "the run passes, and is still the agent's own",
    run.code === 0 && captured?.code === "PROOF_REQUIRED",
    captured?.message,
  );
  commit(stage, "Write ß as ss");
  stage.git("switch", "--quiet", "main");
  stage.git("merge", "--quiet", "--no-edit", "--no-ff", "sharp-s");

  stage.print("\n   Repeated: CI runs the test in a clean work tree of the merged commit.");
  const repeated = stage.taskfold("--by", "agent:ci", "prove", task, "--allow-commands");
  stage.check(
    "CI repeats the run at the merged commit",
    repeated.code === 0 && repeated.out.includes("repeated"),
    repeated.out,
  );
  const closed = await close(stage, task);
  const done = await stage.call("agent:ada", "tasks_complete", { task });
  stage.check("the step closes", closed === null && done.success, repeated.out);
  commit(stage, "Straße gives strasse, repeated by CI");
}

/** Null, or the refusal. @param {import("../stage.mjs").Stage} stage @param {string} task */
async function close(stage, task) {
  return (await stage.call("agent:ada", "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).error;
}

/** @param {import("../stage.mjs").Stage} stage @param {string} message */
function commit(stage, message) {
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", message);
}
