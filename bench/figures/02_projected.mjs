import { durable } from "./01_durable.mjs";

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return durable(setting, "batch", {
    figure: 2,
    name: "durable mutation, files folded from it in place",
    must: 0.2,
    aim: 0.5,
    n: 40,
    // Until files that came out of view have rested: from then on they are written again, and none is made.
    warm: 10,
  });
}
