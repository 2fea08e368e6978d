// @ts-check
// What every demo does around its steps: options, a repository, checks at the end, and the exit code.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stage } from "./stage.mjs";

/**
 * Reads `[--json] [--keep DIR]` from the command line. `name` is the folder of the repository.
 * @param {string} name @param {readonly ((stage: Stage) => Promise<void> | void)[]} steps
 */
export async function runSteps(name, steps) {
  const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, keep: { type: "string" } } });
  const temporary = mkdtempSync(join(tmpdir(), "taskfold-demo-"));
  const repo = values.keep === undefined ? join(temporary, name) : resolve(values.keep);
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
    if (values.keep !== undefined) console.log(`The repository is in ${repo}`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}
