// @ts-check
import { ACCENTS, DASHES, FIXED } from "../tiny_slug.mjs";

/** @param {import("../stage.mjs").Stage} stage */
export async function dTwoAgentsFix(stage) {
  stage.section(
    "The fix, the proof, the close",
    "Both agents again at once: each repairs its file, runs the test, confirms, proves and closes.",
  );
  const agents = await stage.agents([
    {
      phase: "fix",
      by: "agent:ada",
      task: stage.task,
      path: "s:0",
      file: ACCENTS,
      test: "test/accents.test.mjs",
      text: FIXED[ACCENTS],
    },
    {
      phase: "fix",
      by: "agent:ben",
      task: stage.task,
      path: "s:1",
      file: DASHES,
      test: "test/dashes.test.mjs",
      text: FIXED[DASHES],
    },
  ]);
  const tries = agents.map((agent) => agent.lines.filter((line) => line.tool.startsWith("tasks_done")));
  stage.print("   Confirmed, but the newest run of the declared test failed:");
  for (const [first] of tries) stage.show(`${first?.error?.code}: ${first?.error?.message}`);
  stage.check(
    "a word takes no failure back: the close is refused until the test passes",
    tries.every(([first]) => first?.error?.code === "PROOF_FAILED"),
    tries.map(([first]) => first?.error?.message).join("\n"),
  );
  stage.check(
    "with the passing run attached, both steps close",
    tries.every(([, second]) => second?.error === null),
    tries.map(([, second]) => `revision ${second?.revision}`).join(", "),
  );
  stage.check(
    "a repeated call changes nothing and gives the first answer",
    tries.every(
      ([, second, again]) =>
        again?.warnings.includes("REPLAYED") &&
        again?.revision === second?.revision &&
        again?.ids.join() === second?.ids.join(),
    ),
    tries.map(([, , again]) => again?.warnings.join()).join(", "),
  );
  const closed = (await stage.events(stage.task)).filter((event) => event.type === "step_done");
  stage.check(
    "each step was closed once, by its agent",
    closed
      .map((event) => event.by)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .join() === "agent:ada,agent:ben",
    closed.map((event) => `${event.by}: ${event.message}`).join("\n"),
  );
  const tests = stage.run(process.execPath, ["--test", "--test-reporter=tap"]);
  const sum = tests.out
    .split("\n")
    .filter((line) => /^# (pass|fail) /.test(line))
    .join(", ");
  stage.check("node --test passes", tests.code === 0, sum);
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "Right slugs for accents and runs of signs");
}
