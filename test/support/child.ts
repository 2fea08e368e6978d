/** Programs on the built package, each in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ROOT } from "./source.ts";
import { WORKSPACE } from "./workspace.ts";

const DIST = join(ROOT, "dist/index.js");

/** Runs a program that has `openWorkspace`, `root` and `call`; gives what it sends first. */
export async function child(root: string, body: string): Promise<unknown> {
  if (!existsSync(DIST)) throw new Error("expected a build in dist; run `npm run build`");
  const program = join(root, `child-${readdirSync(root).length}-${Math.trunc(performance.now() * 1000)}.mjs`);
  const head = `import { openWorkspace } from ${JSON.stringify(`file://${DIST}`)};\nconst root = ${JSON.stringify(root)};\n`;
  const call = `const call = (ws, tool, input) => ws.call(tool, { workspace: ${JSON.stringify(WORKSPACE)}, ...input });\n`;
  writeFileSync(program, head + call + body);
  return firstMessage(program);
}

/** Runs a program; gives what it sends first, or how it ended where it sends nothing. */
export async function firstMessage(program: string): Promise<unknown> {
  const running = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  onTestFinished(() => void running.kill("SIGKILL"));
  const [said] = await Promise.race([
    once(running, "message"),
    once(running, "exit").then((e) => [`exited: ${String(e[0])}`]),
  ]);
  return said;
}
