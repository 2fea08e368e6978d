import { TaskfoldError } from "../errors.ts";
import { contractUpdated } from "../events/contract.updated.ts";
import type { Draft } from "../events/define.ts";
import type { Subject } from "../state/entity.ts";
import type { Json } from "../state/schema.ts";
import { sentence } from "./phrase.ts";
import { refuseTask } from "./plan_only.ts";
import { callOn } from "./suggest.ts";
import { checkJson, checkText } from "./text.ts";

export interface ContractInput {
  /** The contract's text as it shall stand. */
  current?: string | null;
  contract_data?: Json;
  clear?: boolean;
}

/** Sets what is given and nothing else, or with `clear` removes text and data (PLANS-4). */
export function setContract(subject: Subject, input: ContractInput): Draft[] {
  refuseTask(subject);
  const { current, contract_data, clear } = input;
  const given = current !== undefined || contract_data !== undefined;
  if (clear === true ? given : !given) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      clear === true
        ? "Expected clear alone, found it with a contract to set."
        : "Expected current, contract_data or clear, found nothing to change.",
      {
        recovery: "Give current for the text and contract_data for the data, or clear: true to remove both.",
        suggestions: [
          callOn(subject, "tasks_contract", { current: "<fill: what the plan promises>" }, "Set the contract's text."),
        ],
      },
    );
  }
  const name = `the contract of plan "${subject.entity.title}"`;
  if (clear === true) {
    return [contractUpdated.draft({ contract: null, contract_data: null, message: sentence(`Cleared ${name}`) })];
  }
  return [
    contractUpdated.draft({
      ...(current === undefined ? {} : { contract: current === null ? null : checkText(current, "current") }),
      ...(contract_data === undefined ? {} : { contract_data: checkJson(contract_data, "contract_data") }),
      message: sentence(`Set ${name}`),
    }),
  ];
}
