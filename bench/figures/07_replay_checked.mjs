import { replay } from "./06_replay.mjs";

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return replay(setting, true, { figure: 7, name: "cold replay, every hash checked", must: 0.4, aim: 0.5 });
}
