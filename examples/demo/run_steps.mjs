// @ts-check
// The frame of every demo: options, a repository, checks at the end, and the exit code.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CLI, Stage } from "./stage.mjs";

/**
 * Reads `[--json] [--keep DIR] [--view]` from the command line. `name` is the folder of the repository. With `--view` the repository
 * stays, and the viewer serves it until it is stopped.
 * @param {string} name @param {readonly ((stage: Stage) => Promise<void> | void)[]} steps
 */
export async function runSteps(name, steps) {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      keep: { type: "string" },
      view: { type: "boolean", default: false },
    },
  });
  const temporary = mkdtempSync(join(tmpdir(), "taskfold-demo-"));
  const kept =
    values.keep ?? (values.view ? join(mkdtempSync(join(tmpdir(), "taskfold-demo-view-")), name) : undefined);
  const repo = kept === undefined ? join(temporary, name) : resolve(kept);
  if (existsSync(repo) && readdirSync(repo).length > 0) {
    console.error(`--keep wants a folder that is empty or not there yet: ${repo}`);
    rmSync(temporary, { recursive: true });
    process.exit(2);
  }
  const stage = new Stage({ repo, temporary, quiet: values.json });
  try {
    for (const step of steps) await step(stage);
  } catch (e) {
    stage.check("the demo runs to its end", false, e instanceof Error ? (e.stack ?? e.message) : String(e));
  } finally {
    // On some systems a child's files go a moment after the child.
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
  const failed = stage.checks.filter(({ ok }) => !ok);
  if (values.json) console.log(JSON.stringify(stage.checks, null, 2));
  else {
    console.log(`\n${stage.checks.length - failed.length} of ${stage.checks.length} checks hold.`);
    if (kept !== undefined) console.log(`The repository is in ${repo}`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
  if (values.view) await view(repo);
}

/** Until Ctrl-C, which reaches the viewer as well. @param {string} repo */
async function view(repo) {
  const ended = () => undefined;
  process.on("SIGINT", ended);
  await once(spawn(process.execPath, [CLI, "view", "--open"], { cwd: repo, stdio: "inherit" }), "exit");
  process.off("SIGINT", ended);
}
