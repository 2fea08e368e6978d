// @ts-check
// A process that does random attacks, one after another, as its parent numbers them: of each number one and the same.
import { Attack } from "../hostile/attack.mjs";
import { work } from "../hostile/work.mjs";
import { kindOf, KINDS } from "./runs.mjs";
import { World } from "../hostile/world.mjs";
import { randomFrom } from "../../support/random_calls.mjs";

/** @typedef {{ id: string, seed: number, kind?: string }} Job */

const world = new World(process.argv[2] ?? "");
await world.build();
await work({}, async (job) => {
  const { seed, kind } = /** @type {Job} */ (/** @type {unknown} */ (job));
  const random = randomFrom(seed);
  const chosen = kindOf(random);
  const attack = new Attack(world);
  world.watch();
  await KINDS[kind ?? chosen]?.run(attack, random);
  return { faults: attack.end(), kind: kind ?? chosen };
});
