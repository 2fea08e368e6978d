/** One server for the tests of a project that shares its workspaces, and behind them the numbers of those that ran. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { RunnerTask, TestProject } from "vitest/node";
import { natsServer } from "./nats_servers.mjs";
import { tempRoot } from "./temp_root.mjs";
import type {} from "./open.ts";
import type {} from "./shared_setup.ts";

export default async function serve(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tempRoot(), "taskfold-nats-"));
  const server = await natsServer(folder);
  project.provide("server", server.url);
  return async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(`${told(project).join("\n")}\n`);
  };
}

type Test = Extract<RunnerTask, { type: "test" }>;

function told(project: TestProject): string[] {
  const files = project.vitest.state.getFiles().filter((file) => file.projectName === project.name);
  const tests = files.flatMap((file) => testsIn(file));
  const ran = tests.filter(({ result }) => result?.state === "pass" || result?.state === "fail");
  const sharing = ran.filter(({ meta }) => (meta.sharedRoots ?? 0) > 0);
  const inFiles = new Set(sharing.map(({ file }) => file)).size;
  const local = tests.flatMap(({ meta }) => meta.isLocal ?? []);
  const other = tests.length - ran.length - local.length;
  return [
    `Mode ${project.name}: ${ran.length} of ${tests.length} tests ran; ${sharing.length} of them, in ${inFiles} files, shared a workspace.`,
    ...(other > 0 ? [`  ${other} skip themselves.`] : []),
    ...[...new Set(local)].map(
      (reason) => `  ${local.filter((one) => one === reason).length} run without a shared log alone: ${reason}`,
    ),
  ];
}

function testsIn(task: RunnerTask): Test[] {
  return "tasks" in task ? task.tasks.flatMap(testsIn) : [task];
}
