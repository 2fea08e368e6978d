/**
 * `packet_stage_finish` as the runner of packets calls it: a result may say that Taskfold started the command itself. It stands in no
 * registry, so no call from outside reaches it (PROOF-46).
 */
import { object, optional, list } from "../state/schema.ts";
import type { ChangeTool } from "./change_tool.ts";
import { startedRun } from "./evidence.ts";
import { acceptanceLimits, acceptanceResult, packetStageFinish, stageFinishFields } from "./packet_stage_finish.ts";

export const hostStageFinish: ChangeTool = {
  ...packetStageFinish,
  input: object({
    ...stageFinishFields,
    acceptance: optional(list(object({ ...acceptanceResult, captured: optional(startedRun) }), acceptanceLimits)),
  }),
};
