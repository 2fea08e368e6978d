// @ts-check
// `npm run demo:packet [-- --json] [-- --keep DIR]`: one Task Packet from a request to the archive. The servants are small programs
// that behave like command lines of models. Every check is made on what a program really printed or wrote.
import { runSteps } from "../demo/run_steps.mjs";
import { aRequest } from "./steps/a_request.mjs";
import { bKilled } from "./steps/b_killed.mjs";
import { cGoesOn } from "./steps/c_goes_on.mjs";
import { dWhatIsLeft } from "./steps/d_what_is_left.mjs";

await runSteps("tiny-config", [aRequest, bKilled, cGoesOn, dWhatIsLeft]);
