import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { workspaceOf } from "../lib/many_tasks.mjs";
import { paired } from "../lib/measure.mjs";
import { entityFiles, withoutLogs, writeBare } from "../lib/on_disk.mjs";
import { row } from "../lib/report.mjs";

/**
 * Every file of a workspace of which there are only the logs, against writing the same files into the same folders. Neither
 * side pays for taking the files of the round before away. @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const tasks = setting.quick ? 500 : 10_000;
  const folder = setting.folder();
  await (await workspaceOf(folder, tasks)).close();
  const build = async () => {
    const ws = openWorkspace({ root: folder });
    const { rebuilt, findings } = await ws.repair.rebuild();
    await ws.close();
    if (findings.length > 0 || rebuilt.length !== tasks) throw new Error(`rebuilt ${rebuilt.length} of ${tasks} tasks`);
  };
  await build();
  const files = new Map(withoutLogs(entityFiles(folder)).map((path) => [relative(folder, path), readFileSync(path)]));
  const clear = (below) => {
    for (const name of files.keys()) rmSync(join(below, name));
  };
  const bare = setting.folder();
  const write = () => writeBare(bare, files);
  write();
  const rounds = [];
  for (let i = 0; i < (setting.quick ? 5 : 3); i++) {
    clear(folder);
    clear(bare);
    rounds.push(await paired(build, write, { rounds: 1, na: 1, nb: 1, warm: 0 }));
  }
  const middle = rounds.toSorted((x, y) => x.ratio.median - y.ratio.median);
  const { ratio, a, b } = middle[rounds.length >> 1];
  return [
    row({
      figure: 27,
      name: `rebuild of ${tasks} tasks`,
      unit: "x writing the same files",
      spread: { median: ratio.median, min: middle[0].ratio.median, max: middle.at(-1).ratio.median },
      better: "lower",
      must: 2,
      aim: 1.3,
      told: `${(a / 1000).toFixed(0)} ms, writing ${files.size} files ${(b / 1000).toFixed(0)} ms`,
    }),
  ];
}
