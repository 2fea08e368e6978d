import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepDefined } from "../events/step.defined.ts";
import type { ProofCheckpoint, ProofMode, Step, Subject } from "../state/entity.ts";
import { lacksInLog, lacksMore } from "../state/checkpoint.ts";
import { acceptedDegree } from "../state/packet_proof.ts";
import type { Confirmations } from "./checkpoints_input.ts";
import { withConfirmations } from "./checkpoints_input.ts";
import { confirmOf } from "./confirm_input.ts";
import { nameOf, sentence } from "./phrase.ts";
import { reopenFrom } from "./reopen_step.ts";
import { dependenciesOf } from "./step_dependencies.ts";
import { checkFiles } from "./step_files.ts";
import { checkTests } from "./step_tests.ts";
import { callOn } from "./suggest.ts";
import { checkTitle, cleanList } from "./text.ts";

export interface StepDefinition {
  title?: string;
  success_criteria?: readonly string[];
  tests?: readonly string[];
  blockers?: readonly string[];
  depends_on?: readonly string[];
  packet?: boolean;
  proof?: { [C in ProofCheckpoint]?: ProofMode };
  confirm?: readonly string[];
  files?: readonly string[];
}

/**
 * Sets what is given and nothing else (STEP-15). Criteria and tests that are given lose their confirmation, also when
 * they are the same as before. A caller who writes them anew has to look again.
 */
export function defineStep(subject: Subject, step: Step, input: StepDefinition): Draft[] {
  const proof = input.proof !== undefined && Object.keys(input.proof).length > 0 ? input.proof : undefined;
  const set = {
    ...(input.title === undefined ? {} : { title: checkTitle(input.title) }),
    ...(input.success_criteria === undefined
      ? {}
      : { success_criteria: cleanList(input.success_criteria, "success_criteria") }),
    ...(input.tests === undefined ? {} : { tests: checkTests(input.tests, "tests") }),
    ...(input.blockers === undefined ? {} : { blockers: cleanList(input.blockers, "blockers") }),
    ...(input.depends_on === undefined ? {} : { depends_on: dependenciesOf(subject, step, input.depends_on) }),
    ...(input.packet === undefined ? {} : { packet: input.packet }),
    ...(proof === undefined ? {} : { proof }),
    ...(input.confirm === undefined ? {} : { confirm: confirmOf(input.confirm, "confirm") }),
    ...(input.files === undefined ? {} : { files: checkFiles(input.files, "files") }),
  };
  const fields = Object.keys(set);
  if (fields.length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected at least one field to define, found none.", {
      recovery: "Give title, success_criteria, tests, blockers, depends_on, packet, proof, confirm or files.",
      suggestions: [
        callOn(subject, "tasks_define", { step_id: step.id, title: "<fill: its new title>" }, "Give it another title."),
      ],
    });
  }
  const message = sentence(`Defined ${fields.join(", ")} of ${nameOf(step)}`);
  const defined = stepDefined.draft({ step_id: step.id, ...set, message });
  if (!step.done || !lacksMore(lacksInLog(after(subject, step, set, proof)), lacksInLog(step))) return [defined];
  return [defined, ...reopenFrom(subject, step, "what it has to fulfil was changed")];
}

/** The step as the event leaves it, as far as its gate looks at it. */
function after(
  { entity }: Subject,
  step: Step,
  set: Pick<StepDefinition, "packet">,
  proof: StepDefinition["proof"],
): Step {
  const { packet = step.packet } = set;
  const lost: Confirmations = {
    ...("success_criteria" in set ? { criteria: false } : {}),
    ...("tests" in set ? { tests: false } : {}),
  };
  return {
    ...withConfirmations(step, lost),
    proof: { ...step.proof, ...proof },
    packet,
    accepted: packet ? acceptedDegree(entity.packet) : null,
  };
}
