/** Reasons and advice that the engine gives, in Chinese. A reason that a caller gave stays as it is. */
import type { Form } from "./zh_forms.ts";
import { form, inChinese, plain } from "./zh_forms.ts";

const FOUND: readonly Form[] = [
  plain("that it ran out of time", "已超时"),
  plain("that it was stopped", "被停止"),
  plain("that it was not run", "没有运行"),
  plain("none", "没有"),
  form('(".*") in line (\\d+)', (text, line) => `第 ${line} 行的 ${text}`),
  form("it in a code block, in line (\\d+)", (line) => `它位于第 ${line} 行的代码块中`),
  form("(-?\\d+)", (code) => `退出码为 ${code}`),
];
const found = (text: string | undefined): string => inChinese(text ?? "", FOUND) ?? text ?? "";

const OUTSIDE: readonly Form[] = [
  plain("which scope.allow does not name", "scope.allow 未列出它"),
  form('which scope.deny names by "(.*)"', (entry) => `scope.deny 以 "${entry}" 禁止它`),
  plain("which belongs to git and to no scope", "它属于 git，不属于任何范围"),
  plain("which is absolute or leaves the workspace", "它是绝对路径，或位于工作区之外"),
  plain("whose name is masked, so that it cannot be judged", "它的名称已被遮盖，无法评判"),
];

const REASONS: readonly Form[] = [
  plain("passed", "通过"),
  form("failed with exit code (-?\\d+)", (code) => `失败，退出码为 ${code}`),
  form("(\\d+) of (\\d+) runs passed", (passed, all) => `${all} 次运行中 ${passed} 次通过`),
  plain("a step below it is open again", "其下有步骤重新打开"),
  plain("steps were added", "添加了步骤"),
  plain("not all of its checkpoints are confirmed any more", "它的检查点不再全部得到确认"),
  plain("what it has to fulfil was changed", "它要满足的内容已更改"),
  plain("there is an open step in it", "其中有未完成的步骤"),
  form("[Ii]ts marker was deleted", () => "它的标记文件已被删除"),
  plain("its dispatcher is gone", "它的调度进程已不在"),
  plain("a run began while it had no end: its dispatcher is gone", "新的运行开始时它还没有结束：它的调度进程已不在"),
  plain("the packet no longer proves its tests", "任务包不再证明它的测试"),
  form("Expected the tool to end with exit code 0; found (.*)", (end) => `工具应以退出码 0 结束，实际${found(end)}`),
  plain("Expected the output of the tool; found no file", "应有工具的输出，但没有文件"),
  form(
    "Expected an output of at most (\\d+) bytes, which the gate reads; found (\\d+)",
    (most, bytes) => `输出最多可有 ${most} 字节（关卡只读取这么多），实际有 ${bytes} 字节`,
  ),
  form(
    'Expected whole commands below "## Verify Commands"; found (".*"), where a quote.*',
    (command) =>
      `"## Verify Commands" 下的命令应当完整，但 ${command} 中有引号、here-document、括号或代码块没有开头或结尾`,
  ),
  form(
    'Expected the heading "## (.*?)"( below ## Updated Context Pack)?, outside of code blocks; found (.*)',
    (title, inPack, end) =>
      `${inPack ? "## Updated Context Pack 之下" : ""}应有标题 "## ${title}"，且不在代码块中，实际${end === "none" ? "没有" : `只有${found(end)}`}`,
  ),
  form(
    "Expected a unified diff \\(lines that begin with ---, \\+\\+\\+ or @@\\); found none",
    () => "应有统一格式的差异（以 ---、+++ 或 @@ 开头的行），实际没有",
  ),
  plain(
    "Expected a diff that names a file, or a change of the work tree; found neither",
    "应有指明文件的差异，或工作树中的更改，实际两者都没有",
  ),
  plain("Expected a diff that names a file; found none", "应有指明文件的差异，实际没有"),
  plain("Expected ---, +++ or @@ in the block of the diff; found none", "差异代码块中应有 ---、+++ 或 @@，实际没有"),
  plain(
    "Expected a diff that git can apply; git apply --check refused it",
    "差异应能由 git 应用，但 git apply --check 拒绝了它",
  ),
  form(
    "Expected a diff that git can apply; .*? Lines? (.*) of the output lost text to a mask.*",
    (lines) => `差异应能由 git 应用，但输出第 ${lines} 行的文字已被遮盖。请修改遮盖规则，或让该阶段直接写入文件`,
  ),
  form(
    'Expected a ```diff block below "## Unified Diff", or "No changes required."; found neither',
    () => '"## Unified Diff" 之下应有 ```diff 代码块，或 "No changes required."，实际两者都没有',
  ),
  form(
    "Expected an updated context pack of at most (\\d+) bytes; found (\\d+)",
    (most, bytes) => `更新后的背景资料最多可有 ${most} 字节，实际有 ${bytes} 字节`,
  ),
  form(
    "Expected at most (\\d+) verify commands; found (\\d+)",
    (most, count) => `验证命令最多可有 ${most} 条，实际有 ${count} 条`,
  ),
  form(
    "Expected commands of at most (\\d+) characters; found (\\d+)",
    (most, count) => `每条命令最多可有 ${most} 个字符，实际有 ${count} 个`,
  ),
  form(
    "Expected at least (\\d+) lines of test design; found (\\d+)",
    (least, count) => `测试设计至少应有 ${least} 行，实际有 ${count} 行`,
  ),
  form(
    'Expected a result of the acceptance command (".*"); found (.*)',
    (command, end) => `应有验收命令 ${command} 的结果，实际${found(end)}`,
  ),
  form(
    'Expected the acceptance command (".*") to end(?: with exit code 0)?; found (.*)',
    (command, end) => `验收命令 ${command} 应正常结束，实际${found(end)}`,
  ),
  form(
    'Expected changes inside the scope; found (".*"), (which .*?|whose .*?)',
    (path, why) => `更改应在范围之内，但 ${path} 不在：${inChinese(why!, OUTSIDE) ?? why}`,
  ),
  form("There are (\\d+) more reasons of this kind", (n) => `还有 ${n} 条同类原因`),
];

const ADVICE: readonly Form[] = [
  plain("Log in to the tool again, or renew its key.", "重新登录该工具，或更新它的密钥。"),
  plain("Do not retry before that: the answer will be the same.", "在此之前不要重试：结果会相同。"),
  plain("Check that the tool's program is installed and on PATH.", "检查该工具的程序是否已安装并位于 PATH 中。"),
  plain("Check the command in its servant configuration.", "检查其配置中的命令。"),
  plain("Retry the stage.", "重试该阶段。"),
  plain("If it ran out of time, raise budgets.max_wallclock_sec.", "如果是超时，请提高 budgets.max_wallclock_sec。"),
  plain("Check the network.", "检查网络。"),
  plain("Set context.digest_policy to aggressive.", "将 context.digest_policy 设为 aggressive。"),
  plain("Remove attachments, or shorten the context pack.", "移除附件，或缩短背景资料。"),
  plain("Split the task.", "拆分任务。"),
  plain("Read the reasons and the output of the stage, then retry it.", "阅读该阶段的原因和输出，然后重试。"),
  plain(
    "If the same reason comes back, choose another model or tool for this role.",
    "如果再次出现同样的原因，请为此角色选择其他模型或工具。",
  ),
  plain("Take back the changes outside the scope.", "撤回范围之外的更改。"),
  plain(
    "Take back the changes outside the scope. Changes of other processes in the work tree meanwhile are among them.",
    "撤回范围之外的更改，其中也包括其他进程在此期间对工作树的更改。",
  ),
  plain(
    "If they are needed, widen scope.allow in the manifest or split the task.",
    "如果确实需要这些更改，请在清单文件中放宽 scope.allow，或拆分任务。",
  ),
  plain("Read the stderr and the wrapper log of the stage.", "阅读该阶段的错误输出和运行日志。"),
  plain("Retry the stage if they say nothing.", "如果其中没有线索，请重试该阶段。"),
];

/** The engine's full stop, or none, stands behind a reason. */
export function reasonInChinese(text: string): string {
  const advice = inChinese(text, ADVICE);
  if (advice !== undefined) return advice;
  const reason = inChinese(text.replace(/\.$/, ""), REASONS);
  if (reason === undefined) return text;
  return text.endsWith(".") ? `${reason}。` : reason;
}

/** Said of a piece of evidence by a look at its files. */
const CHECKS: readonly Form[] = [
  form("(\\S.*) is as it was", (what) => `${what} 没有变化`),
  form("(\\S.*) has changed", (what) => `${what} 已更改`),
  form("(\\S.*) has grown and begins as it was", (what) => `${what} 变长了，开头没有变化`),
  form("commit (\\S+) is there", (id) => `提交 ${id} 存在`),
  form("commit (\\S+) is not there", (id) => `提交 ${id} 不存在`),
  form("(\\S.*) is there", (what) => `${what} 存在`),
  form("(\\S.*) is not there", (what) => `${what} 不存在`),
  form("(\\S.*) has only (\\d+) lines?", (what, n) => `${what} 只有 ${n} 行`),
  form("(\\S.*) is on the shared log and not on this machine", (what) => `${what} 在共享日志上，不在这台机器上`),
  form("(\\S.*) cannot be looked at: (.*)", (what, why) => `无法查看 ${what}：${why}`),
  form("no digest of (\\S.*) was recorded", (what) => `没有记录 ${what} 的摘要`),
  form("whether commit (\\S+) is there cannot be asked of git here", (id) => `这里无法向 git 查询提交 ${id} 是否存在`),
  plain("it says what was done and keeps nothing to compare with", "它只说明做了什么，没有可供比较的内容"),
  plain("there was no time to look here", "没有时间查看"),
  form(
    "(.*), so the files that changed since cannot be told",
    (why) => `${whyUnknown(why)}，因此无法得知此后更改的文件`,
  ),
  form(
    '(".*?")( and (\\d+) more files?)? changed (while it ran|since) \\((?:not committed|commit ([0-9a-f]+))\\)',
    (names, _more, count, when, commit) =>
      `${names!.replaceAll('", "', '"、"')}${count === undefined ? "" : ` 等另外 ${count} 个文件`} ${
        when === "since" ? "此后已更改" : "在运行期间已更改"
      }（${commit === undefined ? "未提交" : `提交 ${commit}`}）`,
  ),
];

const UNKNOWN: readonly Form[] = [
  plain("there is no git here to compare with", "这里没有可供比较的 git"),
  plain("there was no time to look here", "没有时间查看"),
  plain("it recorded no commit", "它没有记录提交"),
  plain("the list of files that it saw is not there as it was", "它所见文件的清单已不是原样"),
  form("its commit (\\S+) is not in this clone", (id) => `它的提交 ${id} 不在此克隆中`),
  form('the folder (".*") cannot be looked into', (path) => `无法查看文件夹 ${path}`),
  form("git could not list the files \\((.*)\\)", (why) => `git 无法列出文件（${why}）`),
];
const whyUnknown = (why: string): string => inChinese(why, UNKNOWN) ?? why;

export function checkInChinese(text: string): string {
  return inChinese(text, CHECKS) ?? text;
}
