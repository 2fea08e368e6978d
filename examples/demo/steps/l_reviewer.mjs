// @ts-check
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const READER = join(import.meta.dirname, "../../read_artifacts.mjs");

/** @param {import("../stage.mjs").Stage} stage */
export async function lReviewer(stage) {
  stage.section("The reviewer", "A fresh clone, and a script of a hundred lines that knows none of our code.");
  const clone = join(stage.temporary, "clone");
  stage.git("clone", "--quiet", stage.repo, clone);
  const read = stage.run(process.execPath, [READER, clone]);
  stage.show(read.out + read.err, 60);
  const words = [stage.task, "DONE", "agent:ada", "agent:ben", "agent:cyd", "exit 1", "exit 0", "every hash is right"];
  stage.check(
    "the committed files alone tell the story",
    read.code === 0 && words.every((word) => read.out.includes(word)),
    read.out,
  );

  stage.print("");
  const here = stage.taskfold("verify");
  const there = stage.json("-C", clone, "verify").json;
  // git keeps no empty folders; verify notes that the clone lacks some, which is no fault.
  const faults = there.findings.filter((/** @type {{ info?: true }} */ finding) => !finding.info);
  stage.check("verify finds no fault, here and in the clone", here.code === 0 && there.ok && faults.length === 0, {
    here: here.out.trim(),
    clone: there,
  });

  const folder = join(stage.repo, ".coco/tasks", stage.task);
  const folded = ["task.yaml", "README.md", "shared/evidence/index.json"];
  for (const name of folded) rmSync(join(folder, name));
  stage.taskfold("rebuild");
  stage.check("deleted files come back byte for byte", stage.git("status", "--porcelain") === "", folded.join(", "));

  // An attacker changes one letter of one note to change its meaning.
  const log = join(clone, ".coco/tasks", stage.task, "events.jsonl");
  writeFileSync(log, readFileSync(log, "utf8").replace("goes out on Friday", "goes out on Monday"));
  const tampered = stage.json("-C", clone, "verify");
  const finding = tampered.json.findings.find((/** @type {{ code: string }} */ { code }) => code === "LINE_BAD_HASH");
  stage.check(
    "a changed word in the log is found, with its line",
    tampered.code === 1 && finding?.line > 0,
    finding ?? tampered.json,
  );
  stage.check(
    "no temporary file is left",
    !readdirSync(folder, { recursive: true }).some((name) => String(name).includes(".tf-tmp")),
    folder,
  );
}
