/** Words that pages show by themselves, and sentences of the engine have in them. */

/** Sections of the Taskdoc. */
export const ZH_SECTIONS: Readonly<Record<string, string>> = {
  goals: "目标",
  constraints: "约束",
  progress: "进展",
  "bearinmind/contracts": "牢记在心：合约",
  "bearinmind/acceptance": "牢记在心：验收",
  "bearinmind/grants": "牢记在心：授权",
  "bearinmind/runbook": "牢记在心：操作手册",
  "bearinmind/decisions": "牢记在心：决定",
  "bearinmind/risks": "牢记在心：风险",
};

/** Why a packet stands where it does. */
export const ZH_BECAUSE: Record<string, string> = {
  retry_budget: "重试次数已用完",
  paid_call_budget: "付费调用已用完",
  gate: "关卡未通过",
  interrupted: "曾被中断",
  done: "所有阶段均已完成",
};
