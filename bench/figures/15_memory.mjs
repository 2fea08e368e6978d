import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { longTask } from "../lib/long_logs.mjs";
import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const HEAP = join(import.meta.dirname, "../lib/heap.mjs");
const MEGA = 1024 * 1024;
const BETWEEN = 100_000;

/** The extra memory that a long log takes for the same state. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const [short, long] = [setting.folder(), setting.folder()];
  await longTask(short, 5_000);
  await longTask(long, 5_000 + BETWEEN);
  const heap = (root) =>
    Number(execFileSync(process.execPath, ["--expose-gc", HEAP, root], { encoding: "utf8" })) / MEGA;
  const pairs = Array.from({ length: setting.quick ? 3 : 9 }, () => [heap(long), heap(short)]);
  const [a, b] = [0, 1].map((side) => spread(pairs.map((pair) => pair[side])).median);
  return [
    row({
      figure: 15,
      name: "memory of 100k more events",
      unit: "MB",
      spread: spread(pairs.map(([x, y]) => x - y)),
      better: "lower",
      must: 10,
      aim: 2,
      told: `${a.toFixed(2)} MB in all, ${b.toFixed(2)} MB with the short log`,
    }),
  ];
}
