// @ts-check
// `npm run demo [-- --json] [-- --keep DIR]`: a real repository, agents at once, a killed agent, a merge and a person's note.
// Each check reads real output or real files of a program; a failed check makes the exit code 1.
import { runSteps } from "./run_steps.mjs";
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
import { kDegrees } from "./steps/k_degrees.mjs";
import { lReviewer } from "./steps/l_reviewer.mjs";

await runSteps("tiny-slug", [
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
  kDegrees,
  lReviewer,
]);
