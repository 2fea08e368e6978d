// @ts-check
import { join } from "node:path";

/** @param {import("../../demo/stage.mjs").Stage} stage */
export async function cGoesOn(stage) {
  stage.section(
    "Another one goes on",
    "The attempt is recorded as interrupted and made again; a network that fails once is tried again.",
  );
  const ran = stage.taskfold(
    "packet",
    "run",
    "read-once",
    "--allow-commands",
    "--config",
    join(stage.temporary, "configs"),
  );
  stage.check("the packet is done", ran.code === 0 && ran.out.includes("read-once: done"), ran.out + ran.err);
  const { packet } = stage.json("call", "packet_show", '{"task":"read-once"}').json.result;
  const attempts = Object.fromEntries(
    packet.stages.map((/** @type {{ stage: string, attempts: number }} */ one) => [one.stage, one.attempts]),
  );
  stage.check(
    "codex_impl has two attempts and gemini_review two, the others one",
    JSON.stringify(attempts) === JSON.stringify({ gemini_brief: 1, codex_impl: 2, codex_verify: 1, gemini_review: 2 }),
    attempts,
  );
  const started = (await stage.events("read-once")).filter(({ type }) => type === "stage_started").length;
  stage.check("what was paid is what was started", packet.budgets.paid_calls_used === started, {
    started,
    ...packet.budgets,
  });
}
