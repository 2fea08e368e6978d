// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGELOG } from "../tiny_slug.mjs";

/** @param {import("../stage.mjs").Stage} stage */
export async function iNextAgent(stage) {
  stage.section("The next agent", "It has never seen this task. One command tells it where things stand.");
  const cyd = ["--by", "agent:cyd"];
  await stage.call("agent:cyd", "tasks_focus_set", { task: stage.task });
  const radar = stage.taskfold(...cyd, "radar");
  stage.check(
    "radar by focus: now, why, verify, next, blockers",
    ["Now", "Why", "Verify", "Next", "Blockers"].every((word) => radar.out.includes(`\n${word}`)) &&
      radar.out.includes("s:2"),
    radar.out,
  );
  const handoff = stage.taskfold(...cyd, "handoff", stage.task);
  stage.check(
    "handoff: two steps done, one remaining, notes of each actor",
    ["s:0", "s:1", "s:2", "human:dana", "agent:ada", "agent:ben"].every((word) => handoff.out.includes(word)),
    handoff.out,
  );

  stage.print("\n   The same with little room: at most 600 characters of JSON.");
  const small = { task: stage.task, max_chars: 600 };
  stage.taskfold(...cyd, "call", "tasks_handoff", JSON.stringify(small));
  const { result, warnings } = await stage.call("agent:cyd", "tasks_handoff", small);
  const whole = (await stage.call("agent:cyd", "tasks_handoff", { task: stage.task })).result;
  const size = characters(result);
  const cut = warnings.find(({ code }) => code === "BUDGET_TRUNCATED");
  stage.check(
    "a handoff under a budget fits, says what was cut, and keeps the core of radar",
    size <= 600 &&
      characters(whole) > 600 &&
      cut?.message.includes("handoff") === true &&
      result.radar.now === whole.radar.now &&
      /** @type {const} */ (["verify", "next", "blockers"]).every((name) =>
        same(result.radar[name], whole.radar[name]),
      ),
    { size, cut: cut?.message },
  );

  stage.print("\n   It does what is left, with proof, and finishes:");
  writeFileSync(join(stage.repo, "CHANGELOG.md"), CHANGELOG);
  const tests = stage.run(process.execPath, ["--test", "--test-reporter=tap"]);
  const run = {
    kind: "test-run",
    title: `node --test -> exit ${tests.code}`,
    command: "node --test",
    cwd: ".",
    stdout: tests.out,
    stderr: tests.err,
    exit_code: tests.code,
  };
  const file = { kind: "file", path: "CHANGELOG.md", start_line: 3, end_line: 6, summary: "names both changes" };
  const done = [
    await stage.call("agent:cyd", "tasks_evidence_capture", { path: "s:2", items: [run, file], checkpoint: "tests" }),
    await stage.call("agent:cyd", "tasks_close_step", { path: "s:2", checkpoints: "gate" }),
    await stage.call("agent:cyd", "tasks_complete", {}),
    await stage.call("agent:cyd", "tasks_complete", { plan: stage.plan }),
  ];
  const wrong = done.filter((reply) => !reply.success);
  stage.check(
    "the last step closes, the task and the plan are DONE",
    wrong.length === 0,
    wrong[0]?.error?.message ??
      done.map((reply) => reply.result.event?.message ?? reply.result.events.at(-1)?.message).join("\n"),
  );
  stage.taskfold("list");
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "tiny-slug 1.1.0");
}

/** @param {unknown} a @param {unknown} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** As `max_chars` counts: code points of compact JSON. @param {unknown} value */
function characters(value) {
  return Array.from(JSON.stringify(value)).length;
}
