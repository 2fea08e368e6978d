import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeDisk } from "../../dist/disk.js";
import { foldLog } from "../../dist/fold_log.js";
import { FileLog } from "../../dist/log/file_log.js";
import { bigLog } from "../lib/big_log.mjs";
import { inverse, paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const EVENTS = 20_000;

/** From a file to full state, against P: JSON.parse over lines that are split already. @param {import("../run.mjs").Setting} setting */
export async function replay(setting, checkHash, { figure, name, must, aim }) {
  const bytes = bigLog(EVENTS);
  const path = join(setting.folder(), "events.jsonl");
  writeFileSync(path, bytes);
  const lines = bytes.toString("utf8").trimEnd().split("\n");
  const ours = (times) => {
    for (let i = 0; i < times; i++) {
      const { fold } = new FileLog(nodeDisk, path).withSource((source) => foldLog(source, { checkHash }));
      if (fold.entity?.revision !== EVENTS - 1 || fold.noEffect.length > 0)
        throw new Error("the log did not replay whole");
    }
  };
  const parsing = (times) => {
    for (let i = 0; i < times; i++) for (const line of lines) JSON.parse(line);
  };
  const { ratio, a, b } = await paired(ours, parsing, { rounds: setting.quick ? 15 : 41, na: 1, nb: 1, warm: 3 });
  const rate = (us) => `${(EVENTS / us).toFixed(2)}M events/s`;
  const told = `${rate(a)}, P ${rate(b)}, ${(bytes.length / EVENTS).toFixed(0)} bytes an event`;
  return [row({ figure, name, unit: "P", spread: inverse(ratio), better: "higher", must, aim, told })];
}

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return replay(setting, false, { figure: 6, name: "cold replay, bytes trusted", must: 0.6, aim: 0.75 });
}
