import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { scaleWorkspace } from "./scale_workspace.mjs";
import { call } from "./workspaces.mjs";

const STEPS = join(import.meta.dirname, "scale_steps.mjs");

/**
 * Times and memory of the steps in a new process. @param {string} root @param {string[]} only names of steps; none: all
 * @returns {{ took: Record<string, number>, memory: number }}
 */
export function scaleSteps(root, ...only) {
  return JSON.parse(execFileSync(process.execPath, [STEPS, root, ...only], { encoding: "utf8", maxBuffer: 1 << 24 }));
}

/** A workspace as `scaleWorkspace` makes it, which a process has listed before. @param {string} root @param {{ tasks: number, open: number }} many */
export async function listedWorkspace(root, many) {
  await scaleWorkspace(root, many);
  const ws = openWorkspace({ root });
  await call(ws, "tasks_delta", {});
  // Beginning with the second change a reader relies on what writers notify.
  await call(ws, "tasks_create", { kind: "task", title: "The last" });
  await ws.close();
}
