/** Each entry point but that of OpenTelemetry, whose own types need more, in a project that has no types of Node. */
import type { GitPort, SharedLogPort, WatchOptions, Workspace } from "taskfold";
import { openWorkspace, unwrap } from "taskfold";
import { openGit } from "taskfold/git";
import { jetstream } from "taskfold/jetstream";
import { runCaptured, runPacket, runWorker } from "taskfold/runner";
import type { StageExecutor, WorkFunction } from "taskfold/runner";
import { openSigners } from "taskfold/signers";
import { nodeDisk, nodeRuntime } from "taskfold/testing";
import type { Disk, Runtime } from "taskfold/testing";

export const ports: [typeof openGit, typeof jetstream, typeof openSigners, Disk, Runtime] = [
  openGit,
  jetstream,
  openSigners,
  nodeDisk,
  nodeRuntime,
];

export async function lines(workspace: Workspace): Promise<number> {
  let printed = 0;
  const onOutput = (_stream: string, chunk: Uint8Array): number => (printed += chunk.length);
  await runCaptured(workspace, { task: "TASK-001", argv: ["node", "--test"], onOutput });
  return printed + nodeDisk.readFile("log").toString("utf8").split("\n").length;
}

const work: WorkFunction = async ({ run, tests }, signal) => {
  signal.addEventListener("abort", () => undefined, { once: true });
  if (!signal.aborted) for (const test of tests) await run(["sh", "-c", test], { test });
};

export async function worker(root: string, git: () => GitPort, shared: SharedLogPort): Promise<number> {
  const workspace = openWorkspace({ root, git, shared, workspace: "acme/repo" });
  unwrap(await workspace.call("tasks_context", {}));
  return (await runWorker(workspace, work)).closed;
}

/** A signal goes wherever one goes. */
export async function passed(workspace: Workspace, executor: StageExecutor): Promise<string> {
  const own: StageExecutor = { run: (request, signal) => executor.run(request, signal) };
  return (await runPacket(workspace, { task: "TASK-001", executor: own })).outcome;
}

export const watched = (options: WatchOptions): WatchOptions => ({ ...options, since: "0" });
