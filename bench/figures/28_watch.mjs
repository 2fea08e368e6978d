import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { workspaceOf } from "../lib/many_tasks.mjs";
import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const TASKS = 10_000;
const NOTER = join(import.meta.dirname, "../lib/noter.mjs");
/** Between two changes, so that each finds the watch at rest. */
const REST_MS = 50;

/**
 * From the beginning of a durable change in another process to the event in this one, in a workspace with more folders than are
 * watched. No ratio: what counts is what a person or an agent waits.
 * @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const root = setting.folder();
  await (await workspaceOf(root, TASKS)).close();
  const noter = fork(NOTER, [root]);
  await once(noter, "message");
  const ws = openWorkspace({ root });
  const events = ws.watch();
  const waits = [];
  const rounds = setting.quick ? 21 : 101;
  const warm = 5;
  for (let round = -warm; round < rounds; round++) {
    const written = once(noter, "message");
    const seen = events.next().then(() => performance.timeOrigin + performance.now());
    await new Promise((done) => setTimeout(done, REST_MS));
    noter.send({});
    const [{ began }] = await written;
    const ms = (await seen) - began;
    if (round >= 0) waits.push(ms);
  }
  noter.send({ end: true });
  await once(noter, "exit");
  await ws.close();
  const late = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.95)];
  return [
    row({
      figure: 28,
      name: `a change by another process, seen by watch among ${TASKS} tasks`,
      unit: "ms",
      spread: spread(waits),
      better: "lower",
      must: 50,
      aim: 10,
      told: `p95 ${late.toFixed(1)} ms, the change itself included`,
    }),
  ];
}
