import { fstatSync, openSync, closeSync } from "node:fs";
import { openWorkspace } from "../../dist/index.js";
import { longTask, outsideWriter } from "../lib/long_logs.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { call, TASK } from "../lib/workspaces.mjs";

export const LONG = 100_000;
export const SHORT = 1_000;

/** Radar of an open task; with `outside`, each radar follows an append by another writer. */
export async function radarOf(folder, events, outside) {
  const log = await longTask(folder, events);
  const ws = openWorkspace({ root: folder, durability: "os" });
  const writer = outside ? outsideWriter(log) : null;
  const radar = async (times) => {
    for (let i = 0; i < times; i++) {
      writer?.append();
      await call(ws, "tasks_radar", { task: TASK });
    }
  };
  await radar(200);
  const close = async () => {
    writer?.close();
    await ws.close();
  };
  return { radar, log, close };
}

/** Nothing new: the answer costs the state, not the log. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const long = await radarOf(setting.folder(), LONG, false);
  const short = await radarOf(setting.folder(), SHORT, false);
  const how = { rounds: setting.quick ? 11 : 31, na: 200, nb: 200, warm: 2 };
  const lengths = await paired(long.radar, short.radar, how);
  const fd = openSync(long.log, "r");
  const stats = (times) => {
    for (let i = 0; i < times; i++) fstatSync(fd);
  };
  const stat = await paired(long.radar, stats, { ...how, nb: 5000 });
  closeSync(fd);
  await long.close();
  await short.close();
  const told = `${lengths.a.toFixed(1)} us at ${LONG} events, ${lengths.b.toFixed(1)} us at ${SHORT}`;
  return [
    row({
      figure: 9,
      name: "warm radar, log of 100k events to 1k",
      unit: "x",
      spread: lengths.ratio,
      better: "lower",
      must: 1.5,
      aim: 1.2,
      told,
    }),
    row({
      figure: 9,
      name: "warm radar, log of 100k events",
      unit: "x fstat",
      spread: stat.ratio,
      better: "lower",
      must: 100,
      aim: 40,
      told: `${stat.a.toFixed(1)} us, fstat ${stat.b.toFixed(2)} us`,
    }),
  ];
}
