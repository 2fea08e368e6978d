import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { Writers } from "../lib/writers.mjs";

const TAKE_IN_MS = 100;

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/**
 * Several processes on one task, durable: what they get done together, against what one of them gets done while the others wait
 * for their turn. First they write together for a while: processes that fight for a lock compile their code ten times as slowly
 * as one alone. Each of them finishes compiling after some thousands of changes, and figure 16 measures the cost of starting.
 * After the one wrote alone, the others take in its writes before they are measured. That work is not theirs, and would fill up
 * to a sixth of a short round.
 * @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const ms = setting.quick ? 400 : 1500;
  const rounds = setting.quick ? 11 : 21;
  const rows = [];
  for (const count of setting.quick ? [2, 8] : [2, 4, 8]) {
    const writers = await Writers.start(setting.folder(), count);
    await writers.write(count * 2000);
    const ratios = [];
    const slowest = [];
    const late = [];
    const rates = [];
    for (let round = 0; round < rounds; round++) {
      // In turn, so that what else the machine does falls on both.
      const [alone] = await writers.write(ms, 1);
      await writers.write(TAKE_IN_MS);
      const together = await writers.write(ms);
      const done = together.map((micros) => micros.length);
      ratios.push(sum(done) / alone.length);
      slowest.push(Math.min(...done) / (sum(done) / count));
      late.push(together.flat().toSorted((a, b) => a - b)[Math.floor(sum(done) * 0.99)]);
      rates.push(sum(done) / (ms / 1000));
    }
    await writers.end();
    const told = `${spread(rates).median.toFixed(0)} mutations/s, p99 ${(spread(late).median / 1000).toFixed(1)} ms, slowest ${spread(slowest).median.toFixed(2)} of the mean, none lost, torn or doubled`;
    rows.push(
      row({
        figure: 13,
        name: `${count} processes on one task, durable`,
        unit: "x one process",
        spread: spread(ratios),
        better: "higher",
        must: 1,
        aim: 1.3,
        told,
      }),
    );
  }
  return rows;
}
