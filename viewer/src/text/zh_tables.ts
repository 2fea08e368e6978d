/** Words that pages show by themselves, and sentences of the engine have in them. */

import { ZH_FIELDS } from "./zh_fields.ts";

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

export const KIND: Readonly<Record<string, string>> = {
  plan: "计划",
  task: "任务",
  Plan: "计划",
  Task: "任务",
  "task node": "任务节点",
};
export const STATUS: Readonly<Record<string, string>> = {
  TODO: "待办",
  ACTIVE: "进行中",
  DONE: "完成",
  FAILED: "失败",
  CANCELED: "已取消",
  deleted: "已删除",
  "not here": "不在此处",
  "left out by a sparse checkout": "稀疏检出未包含",
};
/** Names of fields and of checkpoints. */
export const WORD: Readonly<Record<string, string>> = {
  ...ZH_FIELDS,
  success_criteria: "标准",
  criteria: "标准",
  tests: "测试",
  security: "安全",
  perf: "性能",
  docs: "文档",
};
export const ENDED: Readonly<Record<string, string>> = { DONE: "已完成", FAILED: "已失败", CANCELED: "已取消" };

export const of = (table: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(table, word) ? table[word]! : word;
