// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @param {import("../../demo/stage.mjs").Stage} stage */
export async function dWhatIsLeft(stage) {
  stage.section("The files to read", "A caller reads one file of at most 80 lines; everything else is beside it.");
  const task = join(stage.repo, ".coco/tasks/read-once");
  const summary = readFileSync(join(task, "outputs/_summary.md"), "utf8");
  stage.show(summary, 40);
  stage.check("the summary fits", summary.split("\n").length <= 81, `${summary.split("\n").length} lines`);
  stage.print("   $ git diff --stat");
  stage.show(stage.git("diff", "--stat"));
  const artifact = readFileSync(join(task, "outputs/codex_verify.artifact.md"), "utf8");
  stage.check("the command of the brief ran and passed", /read_once[^]*exit code: 0/i.test(artifact), artifact);
  stage.check(
    "git shows the change",
    stage.git("diff", "--stat").includes("src/load.mjs"),
    stage.git("diff", "--stat"),
  );
  const verified = stage.taskfold("verify", "read-once");
  stage.check("every file follows from the log", verified.code === 0, verified.out);

  const archived = stage.taskfold("packet", "archive", "read-once");
  const kept = join(stage.repo, ".coco/archive/read-once");
  stage.check(
    "the archive keeps the summary, the markers and the log",
    archived.code === 0 &&
      ["outputs/_summary.md", "done/gemini_review.done", "events.jsonl"].every((name) => existsSync(join(kept, name))),
    archived.out + archived.err,
  );
}
