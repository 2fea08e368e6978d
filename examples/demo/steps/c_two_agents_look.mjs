// @ts-check
import { ACCENTS, DASHES } from "../tiny_slug.mjs";

/** @param {import("../stage.mjs").Stage} stage */
export async function cTwoAgentsLook(stage) {
  stage.section(
    "Two agents on one task at once",
    "Two processes, started together, write to the same log: notes, and real output as evidence.",
  );
  const before = (await stage.events(stage.task)).length;
  const agents = await stage.agents([
    { phase: "look", by: "agent:ada", task: stage.task, path: "s:0", file: ACCENTS, test: "test/accents.test.mjs" },
    { phase: "look", by: "agent:ben", task: stage.task, path: "s:1", file: DASHES, test: "test/dashes.test.mjs" },
  ]);
  const acknowledged = agents.flatMap((agent) => agent.lines.flatMap((line) => line.ids));
  const events = (await stage.events(stage.task)).slice(before);
  for (const event of events) stage.show(`${event.by}  ${event.message}`);
  stage.check(
    "both processes ended well",
    agents.every((agent) => agent.code === 0) && agents[0]?.pid !== agents[1]?.pid,
    agents.map(({ pid, code }) => ({ pid, code })),
  );
  stage.check(
    "what was acknowledged is in the log, each change once",
    acknowledged.length === 8 &&
      events.length === 8 &&
      acknowledged.every((id) => events.filter((event) => event.event_id === id).length === 1),
    { acknowledged: acknowledged.length, "in the log": events.length },
  );
  const failing = events.filter(
    (event) => event.type === "evidence_captured" && JSON.stringify(event).includes("--test"),
  );
  stage.check(
    "the failing runs are evidence, exit code 1",
    failing.length === 2 && failing.every((event) => event.message && event.items[0]?.exit_code === 1),
    failing.map((event) => event.items[0]?.title),
  );

  stage.print("\n   Both also tried to close their step at once. The step says what is missing:");
  const refused = agents.map((agent) => agent.lines.at(-1)?.error);
  for (const error of refused) stage.show(`${error?.code}: ${error?.message}`);
  stage.check(
    "a step with nothing confirmed does not close",
    refused.every((error) => error?.code === "CHECKPOINTS_NOT_CONFIRMED"),
    refused.map((error) => error?.message).join("\n"),
  );
}
