// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";

const DOCS_TITLE = "Write the changelog and mention both reports";
const MAIN_TITLE = "Write CHANGELOG.md for 1.1.0";

/** @param {import("../stage.mjs").Stage} stage */
export async function gTwoBranches(stage) {
  stage.section(
    "Two branches change the same task",
    "No merge driver, no configuration: plain git merge on the files of the commit.",
  );
  const log = () => lines(join(stage.repo, ".coco/tasks", stage.task, "events.jsonl"));
  const base = log();
  stage.git("switch", "--quiet", "-c", "docs");
  await change(stage, "human:dana", "The changelog should thank those who reported.", DOCS_TITLE);
  const docs = log();
  stage.git("switch", "--quiet", "main");
  await change(stage, "human:mo", "1.1.0 goes out on Friday.", MAIN_TITLE);
  const main = log();
  const { cursor } = await stage.delta();

  stage.print("   $ git merge docs");
  const merge = stage.run("git", ["merge", "docs"]);
  stage.show(merge.out);
  const unmerged = stage.git("diff", "--name-only", "--diff-filter=U").trim().split("\n");
  stage.check(
    "git stops at folded files and joins the log by itself",
    merge.code === 1 && unmerged.length > 0 && !unmerged.some((path) => path.endsWith("events.jsonl")),
    unmerged.join("\n"),
  );
  const merged = log();
  const wanted = new Set([...base, ...docs, ...main]);
  stage.check(
    "every line of both sides is in the merged log, and no other",
    merged.length === wanted.size && merged.every((line) => wanted.has(line)),
    `${base.length} lines before, ${docs.length - base.length} on docs, ${main.length - base.length} on main, ${merged.length} merged`,
  );
  const resolve = stage.taskfold("resolve", "--stage");
  stage.check(
    "resolve folds the files again and stages them",
    resolve.code === 0 && stage.git("diff", "--name-only", "--diff-filter=U") === "",
    resolve.out,
  );
  stage.print("   $ git commit");
  stage.git("commit", "--quiet", "--no-edit");
  stage.check(
    "nothing is left to commit",
    stage.git("status", "--porcelain") === "",
    stage.git("log", "--oneline", "-1"),
  );

  const { events: brought } = await stage.delta(cursor);
  stage.check(
    "a cursor from before the merge gives exactly what the merge brought",
    brought.length === docs.length - base.length && brought.every((event) => event.by === "human:dana"),
    brought.map((event) => `${event.by}: ${event.message}`).join("\n"),
  );

  stage.print("\n   Both gave the step another title. One shows, neither is lost, and a person has to decide:");
  const radar = stage.taskfold("radar", stage.task);
  stage.check(
    "radar names the conflict with both titles",
    [DOCS_TITLE, MAIN_TITLE].every((title) => blockers(radar.out).includes(title)),
    blockers(radar.out),
  );
  await stage.call("human:mo", "tasks_define", { task: stage.task, path: "s:2", title: MAIN_TITLE });
  const after = (await stage.call("human:mo", "tasks_radar", { task: stage.task })).result.radar;
  stage.check("writing it again resolves it", after.blockers.length === 0 && after.now.includes(MAIN_TITLE), after.now);
  const said = (await stage.events(stage.task)).map((event) => event.by);
  stage.check(
    "what each side wrote is in the history",
    said.includes("human:dana") && said.includes("human:mo"),
    [...new Set(said)].join(", "),
  );
}

/** A note and another title, committed. @param {import("../stage.mjs").Stage} stage @param {string} by @param {string} note @param {string} title */
async function change(stage, by, note, title) {
  const replies = [
    await stage.call(by, "tasks_note", { task: stage.task, note }),
    await stage.call(by, "tasks_define", { task: stage.task, path: "s:2", title }),
  ];
  const failed = replies.find((reply) => !reply.success);
  if (failed) throw new Error(`${by}: ${failed.error?.message}`);
  stage.git("commit", "--quiet", "--all", "-m", `${by}: ${title}`);
}

/** @param {string} path */
function lines(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** @param {string} radar */
function blockers(radar) {
  return radar.slice(radar.indexOf("Blockers"));
}
