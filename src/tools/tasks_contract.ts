import { setContract } from "../rules/set_contract.ts";
import { boolean, json, object, optional, orNull, text } from "../state/schema.ts";
import { entityBlock, preconditions, printed, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksContract = changeTool({
  name: "tasks_contract",
  title: "Set or clear a plan's contract",
  doc: "Set what a plan promises, as text, as data or both; fields that are not given stay. clear removes both.",
  input: object({
    workspace,
    ...target,
    current: optional(orNull(text({ description: "The text of the contract from now on." }))),
    contract_data: optional(json({ description: "The same as data." })),
    clear: optional(boolean({ default: false, description: "Removes text and data." })),
    ...preconditions,
  }),
  output: object({
    plan: object({ ...out.ofEntity, contract: orNull(text()), contract_data: view.value }),
    ...out.happened,
  }),
  examples: [
    { workspace: "acme/repo", plan: "PLAN-001", current: "Old files keep their meaning." },
    { workspace: "acme/repo", plan: "PLAN-001", clear: true },
  ],
  kinds: ["plan"],
  decide: (input, ctx) => ({ drafts: setContract(ctx.subject, input) }),
  reply: (_input, ctx) => {
    const { contract, contract_data } = ctx.subject.entity;
    return { result: { plan: { ...entityBlock(ctx.subject), contract, contract_data }, ...printed(ctx) } };
  },
});
