import { group } from "./04_group.mjs";

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return group(setting, "batch", {
    figure: 5,
    name: "files in place",
    // As in figure 2.
    warm: 10,
    goals: [
      [16, 2.5, 4],
      [64, 5.5, 12],
    ],
  });
}
