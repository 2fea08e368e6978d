// @ts-check
// `npm run kill:packet -- [--seed 1] [--only PROFILE] [--json]`: real processes run packets to their end on a real repository.
// SIGKILL ends the dispatcher at each boundary of each stage and in the middle, and a second run follows. Prints what was lost.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROFILES, PacketWorld } from "./kill_packet_world.mjs";
import { randomFrom } from "./kill_packet_random.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const profiles = Object.keys(PROFILES).filter((name) => values.only === undefined || values.only === name);
if (profiles.length === 0) throw new Error(`expected --only to be one of ${Object.keys(PROFILES).join(", ")}`);

const counts = { runs: 0, kills: 0, lost: 0, paid_twice: 0, orphans: 0, differs: 0 };
/** @type {string[]} */
const told = [];
const random = randomFrom(Number(values.seed));

/** @param {"lost" | "paid_twice" | "orphans" | "differs"} count @param {string[]} found */
function add(count, found) {
  counts[count] += found.length;
  told.push(...found.map((text) => `${count}: ${text}`));
}

for (const profile of profiles) {
  const folder = mkdtempSync(join(tmpdir(), "taskfold-kill-packet-"));
  try {
    const undisturbed = new PacketWorld(join(folder, "undisturbed"), profile);
    await undisturbed.run();
    const killed = new PacketWorld(join(folder, "killed"), profile);
    for (const point of killed.points(random)) {
      const before = killed.lines();
      const { wasKilled } = await killed.run(point);
      if (wasKilled) counts.kills++;
      const after = killed.lines();
      add(
        "lost",
        before.filter((line) => !after.includes(line)).map((line) => `${profile}: a line of the log: ${line}`),
      );
    }
    await killed.run();
    counts.runs++;
    add("lost", killed.lost());
    add("paid_twice", killed.paidTwice());
    add("orphans", await killed.orphans());
    add("differs", killed.differsFrom(undisturbed));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (values.json) console.log(JSON.stringify({ ...counts, told }));
else console.log([...told, ...Object.entries(counts).map(([name, n]) => `${name}: ${n}`)].join("\n"));
process.exitCode = told.length > 0 ? 1 : 0;
