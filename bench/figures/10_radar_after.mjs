import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { LONG, radarOf, SHORT } from "./09_radar.mjs";

/** Another process has appended one op: only that is read. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const long = await radarOf(setting.folder(), LONG, true);
  const short = await radarOf(setting.folder(), SHORT, true);
  const { ratio, a, b } = await paired(long.radar, short.radar, {
    rounds: setting.quick ? 11 : 31,
    na: 100,
    nb: 100,
    warm: 2,
  });
  await long.close();
  await short.close();
  const told = `${a.toFixed(1)} us at ${LONG} events, ${b.toFixed(1)} us at ${SHORT}, the append included`;
  return [
    row({
      figure: 10,
      name: "radar after an outside append, 100k events to 1k",
      unit: "x",
      spread: ratio,
      better: "lower",
      must: 1.5,
      aim: 1.2,
      told,
    }),
  ];
}
