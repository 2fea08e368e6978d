import { PacketRoom, STAGES } from "../lib/packet_room.mjs";
import { spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";

const REVIEW = String.raw`cat >/dev/null; printf '## Findings\nnone\n## Test gaps\n## Breaking changes\n## Minimal fix\n'`;
/** Limits of a stage: a number of durable changes, and a number of milliseconds. */
const CHANGES = 3;
const FIXED_MS = 30;
const WARM = 5;

/**
 * The cost that a packet's run adds to each servant, against durable changes of the same task.
 * @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const room = await PacketRoom.make(setting.folder(), REVIEW);
  const rounds = [];
  for (let round = -WARM; round < (setting.quick ? 15 : 41); round++) {
    const sides = { stage: () => passed(room), bare: () => servants(room) };
    // A B, then B A, as in every pair.
    const order = round % 2 === 0 ? ["stage", "bare"] : ["bare", "stage"];
    const ms = {};
    for (const side of order) ms[side] = (await timed(sides[side])) / STAGES.length;
    await room.reopen();
    ms.change = await timed(async () => {
      for (let n = 0; n < CHANGES; n++) await room.note();
    });
    if (round >= 0) rounds.push(ms);
  }
  await room.ws.close();
  const median = (side) => spread(rounds.map((ms) => ms[side])).median.toFixed(1);
  return [
    row({
      figure: 29,
      name: "what the runner adds to a stage",
      unit: `x (${CHANGES} changes + ${FIXED_MS} ms)`,
      spread: spread(rounds.map(({ stage, bare, change }) => (stage - bare) / (change + FIXED_MS))),
      better: "lower",
      must: 1,
      aim: 0.7,
      told: `a stage ${median("stage")} ms, its servant alone ${median("bare")} ms, ${CHANGES} durable changes ${median("change")} ms`,
    }),
  ];
}

/** A bench that measures stages that fail would measure something else. */
async function passed(room) {
  const { outcome, reasons } = await room.run();
  if (outcome !== "done") throw new Error(`expected every stage to pass: ${outcome}, ${reasons.join(" ")}`);
}

async function servants(room) {
  for (let n = 0; n < STAGES.length; n++) await room.bare();
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
