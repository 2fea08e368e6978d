// @ts-check
// A process that goes through hostile cases, one after another, as its parent names them.
import { Attack } from "./attack.mjs";
import { EXACT } from "./exact.mjs";
import { matrixPaths, notAvailable, pathOf, plant } from "./forms.mjs";
import { WEAKENED } from "./weak.mjs";
import { work } from "./work.mjs";
import { World } from "./world.mjs";

/** @typedef {{ id: string, weaken?: string } & ({ exact: string } | { form: string, path: string, operation: string })} Job */

const world = new World(process.argv[2] ?? "");
await world.build();
const missing = [...notAvailable(world.own), ...(world.notesReads ? [] : ["reads of canaries"])];

await work({ paths: matrixPaths(world), not_available: missing }, async (given) => {
  const job = /** @type {Job} */ (given);
  const attack = new Attack(world, job.weaken === undefined ? undefined : WEAKENED[job.weaken]?.weaken);
  if ("exact" in job) await EXACT[job.exact]?.run(attack);
  else {
    attack.linked = plant(world, job.form, pathOf(world, job.path));
    world.watch();
    await attack.operation(job.operation);
  }
  return { faults: attack.end() };
});
