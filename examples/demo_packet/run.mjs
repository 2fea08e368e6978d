// @ts-check
// `npm run demo:packet [-- --json] [-- --keep DIR]`: one Task Packet from a request to the archive. The servants are small programs
// that behave like command lines of models. Every check is made on what a program really printed or wrote.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stage } from "../demo/stage.mjs";
import { aRequest } from "./steps/a_request.mjs";
import { bKilled } from "./steps/b_killed.mjs";
import { cGoesOn } from "./steps/c_goes_on.mjs";
import { dWhatIsLeft } from "./steps/d_what_is_left.mjs";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, keep: { type: "string" } } });

const temporary = mkdtempSync(join(tmpdir(), "taskfold-demo-packet-"));
const repo = values.keep === undefined ? join(temporary, "tiny-config") : resolve(values.keep);
if (existsSync(repo) && readdirSync(repo).length > 0) {
  console.error(`--keep wants a folder that is empty or not there yet: ${repo}`);
  rmSync(temporary, { recursive: true });
  process.exit(2);
}

const stage = new Stage({ repo, temporary, quiet: values.json });
try {
  for (const step of [aRequest, bKilled, cGoesOn, dWhatIsLeft]) await step(stage);
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
