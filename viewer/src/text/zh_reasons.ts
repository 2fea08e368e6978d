/** Constant reasons and advice of the engine in Chinese. A log has them as texts. A reason that a caller gave stays as it is. */

export const ZH_REASONS: Readonly<Record<string, string>> = {
  passed: "通过",
  "a step below it is open again": "其下有步骤重新打开",
  "steps were added": "添加了步骤",
  "not all of its checkpoints are confirmed any more": "它的检查点不再全部得到确认",
  "what it has to fulfil was changed": "它要满足的内容已更改",
  "there is an open step in it": "其中有未完成的步骤",
  "its marker was deleted": "它的标记文件已被删除",
  "Its marker was deleted": "它的标记文件已被删除",
  "its dispatcher is gone": "它的调度进程已不在",
  "a run began while it had no end: its dispatcher is gone": "新的运行开始时它还没有结束：它的调度进程已不在",
  "the packet no longer proves its tests": "任务包不再证明它的测试",

  "Log in to the tool again, or renew its key": "重新登录该工具，或更新它的密钥",
  "Do not retry before that: the answer will be the same": "在此之前不要重试：结果会相同",
  "Check that the tool's program is installed and on PATH": "检查该工具的程序是否已安装并位于 PATH 中",
  "Check the command in its servant configuration": "检查其配置中的命令",
  "Retry the stage": "重试该阶段",
  "If it ran out of time, raise budgets.max_wallclock_sec": "如果是超时，请提高 budgets.max_wallclock_sec",
  "Check the network": "检查网络",
  "Set context.digest_policy to aggressive": "将 context.digest_policy 设为 aggressive",
  "Remove attachments, or shorten the context pack": "移除附件，或缩短背景资料",
  "Split the task": "拆分任务",
  "Read the reasons and the output of the stage, then retry it": "阅读该阶段的原因和输出，然后重试",
  "If the same reason comes back, choose another model or tool for this role":
    "如果再次出现同样的原因，请为此角色选择其他模型或工具",
  "Take back the changes outside the scope": "撤回范围之外的更改",
  "Take back the changes outside the scope. Changes of other processes in the work tree meanwhile are among them":
    "撤回范围之外的更改，其中也包括其他进程在此期间对工作树的更改",
  "If they are needed, widen scope.allow in the manifest or split the task":
    "如果确实需要这些更改，请在清单文件中放宽 scope.allow，或拆分任务",
  "Read the stderr and the wrapper log of the stage": "阅读该阶段的错误输出和运行日志",
  "Retry the stage if they say nothing": "如果其中没有线索，请重试该阶段",
};

/** The engine's full stop, or none, stands behind a reason. */
export function reasonInChinese(text: string): string {
  const stop = text.endsWith(".");
  const reason = stop ? text.slice(0, -1) : text;
  if (!Object.hasOwn(ZH_REASONS, reason)) return text;
  return stop ? `${ZH_REASONS[reason]}。` : ZH_REASONS[reason]!;
}
