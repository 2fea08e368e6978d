import { openWorkspace } from "../../dist/index.js";
import { paired, spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { listedWorkspace, scaleSteps } from "../lib/scale_run.mjs";
import { call } from "../lib/workspaces.mjs";

const MANY = 100_000;
const FEW = 1000;

/** Figures 22 to 25: a hundred thousand tasks against a thousand. Long form only. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  if (setting.quick) return [];
  const few = await workspace(setting, { tasks: FEW, open: FEW });
  const mostlyDone = await workspace(setting, { tasks: MANY, open: FEW });
  const claims = (root) => {
    const ws = openWorkspace({ root, by: "agent:bench" });
    // A second, so that each claim ends and tasks do not run out.
    const claim = async (times) => {
      for (let i = 0; i < times; i++) await call(ws, "tasks_claim_next", { ttl_s: 1 });
    };
    return { claim, close: () => ws.close() };
  };
  const compared = async (root) => {
    const [many, less] = [claims(root), claims(few)];
    await many.claim(1);
    await less.claim(1);
    await new Promise((done) => setTimeout(done, 3000));
    const found = await paired(many.claim, less.claim, { rounds: 21, na: 10, nb: 10, warm: 3 });
    await many.close();
    await less.close();
    return found;
  };
  const done = await compared(mostlyDone);
  const colds = ["context, first page", "delta, first page"].map((step) => {
    const pairs = Array.from({ length: 7 }, () => [mostlyDone, few].map((root) => scaleSteps(root, step).took[step]));
    return { step, pairs };
  });
  const { memory } = scaleSteps(mostlyDone);
  const open = await compared(await workspace(setting, { tasks: MANY, open: MANY }));
  const ms = (microseconds) => `${(microseconds / 1000).toFixed(1)} ms`;
  const claimRow = (figure, what, { ratio, a, b }, must, aim) =>
    row({
      figure,
      name: `next claim_next, ${MANY} tasks of which ${what} open, to ${FEW} tasks`,
      unit: "x",
      spread: ratio,
      better: "lower",
      must,
      aim,
      told: `${ms(a)}, with ${FEW} tasks ${ms(b)}`,
    });
  return [
    claimRow(22, FEW, done, 1.5, 1.1),
    claimRow(23, MANY, open, 4, 1.5),
    row({
      figure: 24,
      name: `memory with ${MANY} tasks of which ${FEW} open, after list, delta, claim, create`,
      unit: "MB",
      spread: spread([memory]),
      better: "lower",
      must: 250,
      aim: 120,
      told: "resident memory of the process",
    }),
    ...colds.map(({ step, pairs }) =>
      row({
        figure: 25,
        name: `cold ${step}, ${MANY} tasks of which ${FEW} open, to ${FEW} tasks`,
        unit: "x",
        spread: spread(pairs.map(([a, b]) => a / b)),
        better: "lower",
        must: 5,
        aim: 2,
        told: `${spread(pairs.map(([a]) => a)).median.toFixed(0)} ms, with ${FEW} tasks ${spread(pairs.map(([, b]) => b)).median.toFixed(0)} ms; from opening, without the start of node`,
      }),
    ),
  ];
}

/** @param {import("../run.mjs").Setting} setting @param {{ tasks: number, open: number }} many */
async function workspace(setting, many) {
  const root = setting.folder();
  await listedWorkspace(root, many);
  return root;
}
