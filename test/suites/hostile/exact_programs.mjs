// @ts-check
// Repositories that bring a configuration of packets along, whose servants leave a marker when they are run (item 22).
import * as fs from "node:fs";
import { join } from "node:path";
import { runPacket } from "../../../dist/runner.js";
import { callTool } from "./operations.mjs";
import { remove, WORKSPACE } from "./world.mjs";

/** @typedef {import("./attack.mjs").Attack} Attack */
/** @typedef {import("./exact_links.mjs").Exact} Exact */

const ITEM = 22;
const MANIFEST = {
  goal: "Look at it",
  routing: { intent: "review_cross" },
  scope: { allow: ["."], deny: [] },
  acceptance: { commands: [], criteria: [] },
  budgets: { retry_budget: 1, paid_call_budget: 9, max_wallclock_sec: 60 },
  context: { digest_policy: "off" },
};
/** Made in the clone; the one that comes with it has the other name. */
const MADE = "TASK-900";
const BROUGHT = "TASK-901";

/** @param {Attack} attack @param {string} folder */
function configs(attack, folder) {
  const at = join(folder, "servant");
  fs.mkdirSync(at, { recursive: true });
  for (const tool of ["gemini", "codex", "copilot"]) {
    const command = ["sh", "-c", `echo run >> '${attack.world.marker(tool)}'`];
    const servant = { tool, command, prompt: "stdin", default_model: "m1", allowed_models: ["m1"] };
    fs.writeFileSync(join(at, `${tool}.yaml`), JSON.stringify(servant));
  }
}

/** Every way in which a person, an agent or a program comes to the packets of a clone. @param {Attack} attack */
async function everything(attack) {
  const manifest = join(attack.world.own, "manifest.yaml");
  fs.writeFileSync(manifest, JSON.stringify({ task_id: MADE, ...MANIFEST }));
  const packet = { workspace: WORKSPACE, task: MADE };
  await attack.command("packet", "validate", manifest);
  await attack.command("packet", "plan", "--manifest", manifest);
  await attack.command("packet", "create", manifest);
  await attack.call("packet_define", { ...packet, create: true, manifest: MANIFEST });
  await attack.call("packet_patch", { ...packet, manifest: { goal: "Look again" } });
  await attack.call("packet_review", { workspace: WORKSPACE, context_pack: "x", impl_report: "y" });
  await attack.command("packet", "review", manifest, manifest, "out");
  for (const task of [MADE, BROUGHT, "TASK-002"]) {
    await attack.command("packet", "plan", task);
    await attack.command("packet", "next", task);
    await attack.command("packet", "compose", task, "gemini_review");
    await attack.command("packet", "run", task);
    await attack.command("packet", "run", task, "--allow-commands", "--stage", "codex_review");
    await attack.within((workspace) => runPacket(workspace, { task, allowCommands: true }));
    await attack.command("packet", "start", task, "gemini_review");
    await attack.command("packet", "finish", task, "gemini_review", "--exit-code", "0", "--allow-commands");
  }
}

/** `plant`: beside a packet that was planned with the configuration. @param {(attack: Attack, root: string) => void} plant @returns {Exact} */
function cloned(plant) {
  return {
    item: ITEM,
    seconds: 60,
    run: async (attack) => {
      // The records of the person at this machine stay out of the case.
      const data = join(attack.world.own, "data");
      remove(data);
      process.env["XDG_DATA_HOME"] = data;
      await attack.cloned(async (root) => {
        configs(attack, join(root, "configs"));
        await callTool(root, "packet_define", {
          workspace: WORKSPACE,
          task: BROUGHT,
          create: true,
          manifest: MANIFEST,
        });
        plant(attack, root);
      });
      await everything(attack);
    },
  };
}

/** By what the repository brings. @type {Record<string, Exact>} */
export const PROGRAMS = {
  "a configuration of packets": cloned(() => undefined),
  "a configuration of packets that is another one than that of its packet": cloned((_attack, root) => {
    const file = join(root, "configs/servant/codex.yaml");
    fs.appendFileSync(file, "\n# changed since\n");
  }),
  "a configuration of packets behind a link": cloned((_attack, root) => {
    fs.renameSync(join(root, "configs"), join(root, "elsewhere"));
    fs.symlinkSync("elsewhere", join(root, "configs"));
  }),
  "a configuration of packets under names in another case": cloned((_attack, root) => {
    fs.renameSync(join(root, "configs/servant"), join(root, "configs/Servant"));
    fs.renameSync(join(root, "configs"), join(root, "Configs"));
  }),
  "a configuration of packets, and records of trust in it": cloned((_attack, root) => {
    const own = join(root, ".local/share/taskfold/trusted");
    fs.mkdirSync(own, { recursive: true });
    fs.writeFileSync(join(own, "all"), "{}\n");
    process.env["XDG_DATA_HOME"] = ".local/share";
  }),
};
