// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const CLI = join(import.meta.dirname, "../../../dist/cli.cjs");
const POLLS = 400;

/** @param {import("../../demo/stage.mjs").Stage} stage */
export async function bKilled(stage) {
  stage.section(
    "The dispatcher is killed",
    "SIGKILL while codex implements. Its servant ends with it, and the payment stays in the log.",
  );
  const args = ["packet", "run", "read-once", "--allow-commands", "--config", join(stage.temporary, "configs")];
  const dispatcher = spawn(process.execPath, [CLI, ...args], { cwd: stage.repo, stdio: "ignore" });
  for (let n = 0; n < POLLS && !(await isImplementing(stage)); n++) await sleep(25);
  await sleep(300);
  dispatcher.kill("SIGKILL");
  const [, signal] = await once(dispatcher, "exit");
  const shown = stage.json("call", "packet_show", '{"task":"read-once"}').json.result;
  stage.show(
    `process ${dispatcher.pid}: ended by ${signal}, ${shown.packet.budgets.paid_calls_used} paid calls in the log`,
  );
  const next = stage.taskfold("packet", "next", "read-once");
  stage.check(
    "the next action says that codex_impl was interrupted",
    next.out.startsWith("resume interrupted codex_impl"),
    next.out,
  );
  for (let n = 0; n < POLLS && servants(stage) !== ""; n++) await sleep(25);
  stage.check("no servant is left running", servants(stage) === "", servants(stage));
}

/** @param {import("../../demo/stage.mjs").Stage} stage */
async function isImplementing(stage) {
  const events = await stage.events("read-once");
  return events.some(({ type, message }) => type === "stage_started" && message.includes("codex_impl"));
}

/** Servants that run, by the system's own list. @param {import("../../demo/stage.mjs").Stage} stage */
function servants(stage) {
  const { out } = stage.run("ps", ["-A", "-o", "pid=,stat=,args="]);
  const path = join(import.meta.dirname, "../servant.mjs");
  const own = out.split("\n").filter((line) => line.includes(path) && !/^\s*\d+\s+Z/.test(line));
  return own.join("\n");
}
