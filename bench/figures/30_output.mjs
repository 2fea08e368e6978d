import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const CHILD = join(import.meta.dirname, "../lib/packet_output.mjs");
const BYTES = 50_000_000;

/** Output of a servant on its way through the redaction to its file. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const measured = (bytes) =>
    JSON.parse(execFileSync(process.execPath, [CHILD, setting.folder(), String(bytes)], { encoding: "utf8" }));
  const rounds = Array.from({ length: setting.quick ? 3 : 7 }, () => ({
    much: measured(BYTES),
    little: measured(100),
  }));
  const median = (of) => spread(rounds.map(of)).median.toFixed(0);
  const name = `of ${BYTES / 1e6} MB of output`;
  return [
    row({
      figure: 30,
      name: `memory ${name}`,
      unit: "MiB",
      spread: spread(rounds.map(({ much, little }) => (much.peak_kib - little.peak_kib) / 1024)),
      better: "lower",
      must: 32,
      aim: 24,
      told: `${median(({ much }) => much.peak_kib / 1024)} MiB at the most, ${median(({ little }) => little.peak_kib / 1024)} MiB with 100 bytes`,
    }),
    row({
      figure: 30,
      name: `time ${name}`,
      unit: "x the servant alone",
      spread: spread(rounds.map(({ much }) => much.stage_ms / much.bare_ms)),
      better: "lower",
      must: 20,
      aim: 10,
      told: `${median(({ much }) => much.stage_ms)} ms, ${median(({ much }) => much.bare_ms)} ms by the servant into a file`,
    }),
  ];
}
