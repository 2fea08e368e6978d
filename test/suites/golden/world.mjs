// @ts-check
// The shared tools of the makers of golden workspaces: workspaces with a fixed clock and fixed ids, and branches that are
// merged.
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const WORKSPACE = "acme/repo";

/** @typedef {typeof import("../../../src/testing.ts")} Library */
/** @typedef {import("../../../src/index.ts").Workspace} Workspace */

/** One second later at every look at the clock. @param {Library} library @param {string} root @param {string} who @param {number} hour @param {string} [seed] */
export function open(library, root, who, hour, seed = "golden") {
  let ticks = 0;
  let ids = 0;
  return library.openWorkspace({
    root,
    by: who.includes(":") ? who : `human:${who}`,
    now: () => Date.UTC(2026, 0, 1, hour) + 1000 * ticks++,
    newId: () => createHash("sha256").update(`${seed} ${who} ${hour} ${ids++}`).digest("hex").slice(0, 16),
  });
}

/** The result of a call that has to succeed. @param {Workspace} ws @param {string} tool @param {Record<string, unknown>} input */
export async function call(ws, tool, input) {
  const reply = await ws.callTool(tool, { workspace: WORKSPACE, ...input });
  if (!reply.success) throw new Error(`${tool}: ${reply.error?.message}`);
  return reply.result;
}

/** @param {string} root @param {string} id */
export const logOf = (root, id) => join(root, ".coco", "tasks", id, "events.jsonl");

/** @param {...string} titles */
export function steps(...titles) {
  return titles.map((title) => ({ title, success_criteria: ["it works"], tests: ["npm test"] }));
}

/** A second clone of `root`, and a function that merges what became of it, as `merge=union` does. @param {string} root @param {string} who */
export function branch(root, who) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "taskfold-golden-"));
  const other = join(folder, who);
  cpSync(root, other, { recursive: true });
  /** @param {readonly string[]} ids */
  const merge = (ids) => {
    for (const id of ids) {
      const have = readFileSync(logOf(root, id), "utf8");
      const more = readFileSync(logOf(other, id), "utf8")
        .split("\n")
        .filter((line) => line !== "" && !have.includes(line));
      appendFileSync(logOf(root, id), more.map((line) => `${line}\n`).join(""));
    }
    rmSync(folder, { recursive: true });
  };
  return { other, merge };
}

/** A golden workspace holds no state of a machine. @param {string} root */
export function withoutMachine(root) {
  for (const name of ["registry", "locks"]) rmSync(join(root, ".coco", name), { recursive: true, force: true });
}
