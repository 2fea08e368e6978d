// @ts-check
// `npm run demo [-- --json] [-- --keep DIR]`: a real repository, agents at once, one killed, a merge,
// a person's note, and what is left to read.
// Every check is made on what a program really printed or wrote; one that fails makes the exit code 1.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stage } from "./stage.mjs";
import { aRepository } from "./steps/a_repository.mjs";
import { bPlan } from "./steps/b_plan.mjs";
import { cTwoAgentsLook } from "./steps/c_two_agents_look.mjs";
import { dTwoAgentsFix } from "./steps/d_two_agents_fix.mjs";
import { eTakenBack } from "./steps/e_taken_back.mjs";
import { fKilled } from "./steps/f_killed.mjs";
import { gTwoBranches } from "./steps/g_two_branches.mjs";
import { hAPersonsNote } from "./steps/h_a_persons_note.mjs";
import { iNextAgent } from "./steps/i_next_agent.mjs";
import { jThePast } from "./steps/j_the_past.mjs";
import { kReviewer } from "./steps/k_reviewer.mjs";

const STEPS = [
  aRepository,
  bPlan,
  cTwoAgentsLook,
  dTwoAgentsFix,
  eTakenBack,
  fKilled,
  gTwoBranches,
  hAPersonsNote,
  iNextAgent,
  jThePast,
  kReviewer,
];
const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, keep: { type: "string" } } });

const temporary = mkdtempSync(join(tmpdir(), "taskfold-demo-"));
const repo = values.keep === undefined ? join(temporary, "tiny-slug") : resolve(values.keep);
if (existsSync(repo) && readdirSync(repo).length > 0) {
  console.error(`--keep wants a folder that is empty or not there yet: ${repo}`);
  rmSync(temporary, { recursive: true });
  process.exit(2);
}

const stage = new Stage({ repo, temporary, quiet: values.json });
try {
  for (const step of STEPS) await step(stage);
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
