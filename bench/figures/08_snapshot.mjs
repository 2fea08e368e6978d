import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeDisk } from "../../dist/disk.js";
import { LoadedEntity } from "../../dist/engine/entity/loaded_entity.js";
import { Snapshots } from "../../dist/engine/entity/snapshot.js";
import { Layout } from "../../dist/files/layout.js";
import { nodeRuntime } from "../../dist/node_runtime.js";
import { longTask, outsideWriter } from "../lib/long_logs.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { TASK } from "../lib/workspaces.mjs";

const EVENTS = 100_000;
const TAIL = 100;

/** Opening a long log cold: what a snapshot and a short tail cost of the whole replay. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const folder = setting.folder();
  const log = await longTask(folder, EVENTS);
  const world = { disk: nodeDisk, layout: new Layout(folder), runtime: nodeRuntime };
  const snapshots = new Snapshots(world);
  const open = (from) => {
    const handle = new LoadedEntity(world, TASK, dirname(log), from);
    handle.catchUp();
    return handle;
  };
  snapshots.saveIfDue(open(undefined));
  const outside = outsideWriter(log);
  for (let i = 0; i < TAIL; i++) outside.append();
  outside.close();
  const cold = (from, spared) => (times) => {
    for (let i = 0; i < times; i++) {
      const handle = open(from);
      if (handle.report.events !== EVENTS + TAIL || handle.eventsInSnapshot !== spared)
        throw new Error(`read ${handle.report.events} events, ${handle.eventsInSnapshot} of them from a snapshot`);
    }
  };
  const { ratio, a, b } = await paired(cold(snapshots, EVENTS), cold(undefined, 0), {
    rounds: setting.quick ? 5 : 15,
    na: 10,
    nb: 1,
  });
  rmSync(join(folder, ".coco"), { recursive: true });
  const told = `${(a / 1000).toFixed(1)} ms, whole replay of ${EVENTS} events ${(b / 1000).toFixed(0)} ms`;
  return [
    row({
      figure: 8,
      name: `cold open with a snapshot, tail of ${TAIL} events`,
      unit: "x whole replay",
      spread: ratio,
      better: "lower",
      must: 0.05,
      aim: 0.02,
      told,
    }),
  ];
}
