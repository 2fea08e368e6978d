import { openWorkspace } from "../../dist/index.js";
import { longTask } from "../lib/long_logs.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { call, note, TASK } from "../lib/workspaces.mjs";

const FIRST = 100;

/** An open task with cards and notes: its super-resume, and a note before each of them. */
async function opened(folder, events) {
  await longTask(folder, events, { thoughts: true });
  const ws = openWorkspace({ root: folder, durability: "os", projections: "manual" });
  const resume = async (times) => {
    for (let i = 0; i < times; i++) await call(ws, "tasks_resume_super", { task: TASK });
  };
  const after = async (times) => {
    for (let i = 0; i < times; i++) {
      await note(ws);
      await call(ws, "tasks_resume_super", { task: TASK });
    }
  };
  await resume(200);
  return { resume, after, close: () => ws.close() };
}

/** The super-resume costs what it shows, not the log. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const short = await opened(setting.folder(), FIRST);
  const how = { rounds: setting.quick ? 11 : 31, na: 100, nb: 100, warm: 2 };
  const rows = [];
  for (const events of [2_000, 50_000]) {
    const long = await opened(setting.folder(), events);
    for (const [name, side] of [
      ["super-resume", "resume"],
      ["a note and a super-resume", "after"],
    ]) {
      const { ratio, a, b } = await paired(long[side], short[side], how);
      rows.push(
        row({
          figure: 19,
          name: `${name} in process, log of ${events / 1000}k events to ${FIRST}`,
          unit: "x",
          spread: ratio,
          better: "lower",
          must: 1.5,
          aim: 1.2,
          told: `${a.toFixed(0)} us at ${events} events, ${b.toFixed(0)} us at ${FIRST}`,
        }),
      );
    }
    await long.close();
  }
  await short.close();
  return rows;
}
