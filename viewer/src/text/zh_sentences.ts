/**
 * Sentences of the engine in Chinese, by the keys of their forms (VIEWER-156). `{0}` is the place of a value. `{0:kind}` looks its
 * words up in the table of that name. Words of users are values, and stay as they are.
 */
import type { Sentence, SentenceArg } from "../../../src/sentence.ts";
import { fieldName } from "./field_name.ts";
import { ZH_CLASSES, ZH_FIELDS } from "./zh_fields.ts";
import { reasonInChinese } from "./zh_reasons.ts";
import { ENDED, KIND, of, STATUS, WORD, ZH_BECAUSE, ZH_SECTIONS } from "./zh_tables.ts";

const NAMES = { fields: ZH_FIELDS, steps: { names: WORD }, taskdoc: { sections: ZH_SECTIONS } };

/** A field in front of a word: a name that no table has stands apart from it. */
function fieldOf(label: string): string {
  const section = /^taskdoc\.tsk\/(.+)\.md$/.exec(label)?.[1];
  if (section !== undefined)
    return `任务文档的${Object.hasOwn(ZH_SECTIONS, section) ? `“${ZH_SECTIONS[section]}”` : ` ${section} `}`;
  const name = fieldName(label, NAMES);
  return /\p{Script=Han}$/u.test(name) ? name : `${name} `;
}

const TABLES: Readonly<Record<string, (word: string) => string>> = {
  kind: (word) => of(KIND, word),
  status: (word) => of(STATUS, word),
  ended: (word) => of(ENDED, word),
  because: (word) => of(ZH_BECAUSE, word),
  class: (word) => of(ZH_CLASSES, word),
  words: (word) => of(WORD, word),
  names: (word) => word,
  field: fieldOf,
  reason: reasonInChinese,
};

const ZH_SENTENCES: Readonly<Record<string, string>> = {
  // Of radar, of what is due, and of what an agent waits for.
  "{0}: {1}": "{0}：{1}",
  ": {0}": "：{0:reason}",
  " ({0})": "（{0}）",
  "{0} | {1}": "{0} | {1}",
  "and {0} more": "以及另外 {0} 项",
  "{0}, and {1} more": "{0}，以及另外 {1} 项",
  "Plan {0}: {1}": "计划 {0}：{1}",
  "Task {0}: {1}": "任务 {0}：{1}",
  "{0} ({1})": "{0}（{1:status}）",
  "Nothing: the {0} is {1}": "无需再做什么：{0:kind}{1:ended}",
  "Add steps to this task": "为此任务添加步骤",
  "Finish task": "完成任务",
  "Finish plan: every item of its checklist is behind": "完成计划：清单的各项均已完成",
  "Finish plan: every task has ended": "完成计划：每个任务均已结束",
  "Finish plan: every task is DONE": "完成计划：每个任务均已完成",
  "Add tasks to this plan": "为此计划添加任务",
  "Add tasks to this plan, or finish it: no task is open": "为此计划添加任务，或完成它：没有未完成的任务",
  "Work on the tasks of this plan or add some, finish it when they are done":
    "处理此计划的任务或添加任务，全部完成后完成计划",
  "Next item {0}/{1}: {2}": "下一项 {0}/{1}：{2}",
  "Close first what {0} waits for: {1}": "先关闭 {0} 所等待的：{1}",
  "Unblock {0}": "解除 {0} 的阻碍",
  "Clear the blockers of {0}: {1}": "清除 {0} 的阻碍：{1}",
  "Close next step {0}": "关闭下一步骤 {0}",
  "confirm {0}": "确认{0:words}",
  "Confirm {0} for {1}": "确认 {1} 的{0:words}",
  "attach proof of {0}": "附上{0:words}的证明",
  "Attach proof of {0} for {1}": "为 {1} 附上{0:words}的证明",
  "run again what failed for {0}": "重新运行{0:words}中失败的命令",
  "Run again what failed for {0} for {1}": "重新运行 {1} 的{0:words}中失败的命令",
  "Run again what failed for {0} for {1}: {2}": "重新运行 {1} 的{0:words}中失败的命令：{2}",
  "Run again what failed for {0} for the task: {1}": "重新运行任务的{0:words}中失败的命令：{1}",
  "let a stage of the packet prove tests (packet run --allow-commands)":
    "让任务包的一个阶段证明测试（packet run --allow-commands）",
  "Let a stage of the packet prove tests (packet run --allow-commands) for {0}":
    "让任务包的一个阶段证明 {0} 的测试（packet run --allow-commands）",
  "{0}: tests are proved by another command than the declared test: {1}": "{0}：证明测试的命令与声明的测试不同：{1}",
  "{0}: no run of the declared test: {1}": "{0}：声明的测试没有运行过：{1}",
  "criterion: {0}": "标准：{0}",
  "test: {0}": "测试：{0}",
  "Waits for {0} ({1})": "等待 {0}（{1:status}）",
  "Waits for {0} ({1}: {2})": "等待 {0}（{1:status}：{2}）",
  "The {0} is claimed by {1} until {2}": "{0:kind}由 {1} 认领，至 {2}",
  "{0} is claimed by {1} until {2}": "{0} 由 {1} 认领，至 {2}",
  "{0} is blocked{1}": "{0} 受阻{1}",
  "{0} waits for: {1}": "{0} 等待：{1}",
  "{0}; it waits for: {1}": "{0}；等待：{1}",
  "{0}; the claim of {1} ended": "{0}；{1} 的认领已到期",
  "{0} waits for {1}": "{0} 等待 {1}",
  "{0} is open again{1}": "{0} 已重新打开{1}",
  "{0} was closed by force{1}": "{0} 被强制关闭{1}",
  "Gate {0} is blocked{1}": "关卡 {0} 受阻{1}",
  "blocked{0}": "受阻{0}",
  "waits for: {0}": "等待：{0}",
  "waits for {0}": "等待 {0}",
  "Every task of it has ended": "其每个任务均已结束",
  "Every step is closed": "每个步骤均已关闭",
  "{0} changed by hand": "{0:names} 被手动更改",
  "A person changed {0}": "有人更改了 {0}",
  "The {0} is open, and the claim of {1} ended": "{0:kind}未完成，{1} 的认领已到期",
  "{0} is open, and the claim of {1} ended": "{0} 未完成，{1} 的认领已到期",
  "{0} is closed, and {1} not confirmed": "{0} 已关闭，但{1:words}未确认",
  "{0} waits for another actor to confirm {1}": "{0} 等待另一执行者确认{1:words}",
  "{0} is closed, and proof of {1} is missing": "{0} 已关闭，但缺少{1:words}的证明",
  "{0} has no proof of {1}, which was asked for": "{0} 缺少要求的{1:words}证明",
  "{0} has weak proof of {1}: a command or a link is missing": "{0} 的{1:words}证明不足：缺少命令或链接",
  "{0}: proof of {1} is stale: {2}": "{0}：{1:words}的证明已过时：{2}",
  "{0}: a run for {1} failed: evidence:{2}{3} ended with exit code {4}":
    "{0}：{1:words}的一次运行失败：证据 {2}{3}的退出码为 {4}",
  "The {0}: a run for {1} failed: evidence:{2}{3} ended with exit code {4}":
    "{0:kind}：{1:words}的一次运行失败：证据 {2}{3}的退出码为 {4}",
  "{0}: the newest run of the test {1} failed: evidence:{2}{3} ended with exit code {4}":
    "{0}：测试 {1} 的最新运行失败：证据 {2}{3}的退出码为 {4}",
  "Conflict on {0}: {1}{2}; write it again to resolve it": "{0:field}有冲突：{1}{2}；重新写入即可解决",
  "Conflict on {0}: {1}{2}; work on it or delete it to resolve it": "{0} 有冲突：{1}{2}；处理它或删除它即可解决",
  "{0} by {1}": "{0}（{1}）",
  "{0} by {1} (shown)": "{0}（{1}，当前显示）",
  "{0} or {1}": "{0}或 {1}",
  "; {0} is shown": "；当前显示 {0}",
  "A merge moved paths, select by id: {0}": "合并移动了路径，请按编号选择：{0}",
  "Claim the {0} when the claim of {1} ends: {2}": "在 {1} 的认领于 {2} 结束后认领{0:kind}",
  "Claim {0} when the claim of {1} ends: {2}": "在 {1} 的认领于 {2} 结束后认领 {0}",
  "Complete {0} when the claim of {1} ends: {2}": "在 {1} 的认领于 {2} 结束后完成 {0}",
  "Add steps to {0} when the claim of {1} ends: {2}": "在 {1} 的认领于 {2} 结束后为 {0} 添加步骤",
  "Take up {0}": "处理 {0}",
  "Take up {0} {1}": "处理 {0} {1}",
  "Complete {0}: every step of it is closed": "完成 {0}：每个步骤均已关闭",
  "Add steps to {0}": "为 {0} 添加步骤",
  "Wait for a claim to end: {0}": "等待认领结束：{0}",
  "See what stands in the way of {0}: {1}": "查看 {0} 的阻碍：{1}",
  "no task is ready, {0} claimed{1}, {2} blocked": "没有就绪的任务，{0} 个已认领{1}，{2} 个受阻",
  " (the first claim ends at {0})": "（第一个认领于 {0} 结束）",
  "Read {0}: a person changed it, and no change has read it into the log yet":
    "阅读 {0}：有人更改了它，还没有更改将它读入日志",
  "Read {0}: a person changed it (read in at {1})": "阅读 {0}：有人更改了它（于 {1} 读入）",
  "Take in {0} (taskfold taskdoc import): a Taskdoc of the old form, of which no agent gets the text":
    "纳入 {0}（taskfold taskdoc import）：这是旧格式的任务文档，代理读不到它的文字",

  // The next step of a packet.
  "Packet: {0}": "任务包：{0}",
  "Packet stops at {0}: {1}": "任务包停在 {0}：{1:because}",
  "Packet stops at {0}: {1} is used up": "任务包停在 {0}：{1:because}",
  "Packet stage {0} failed ({1}): {2}": "任务包阶段 {0} 失败（{1:class}）：{2:reason}",
  restore: "从归档恢复",
  archive: "归档",
  "run {0}": "运行 {0}",
  "resume interrupted {0}": "继续中断的 {0}",
  "raise paid_call_budget or stop": "提高付费调用预算（paid_call_budget），或停止",
  "wait for {0}, which {1} started, or interrupt it": "等待 {1} 开始的 {0}，或中断它",
  "wait for {0}, which process {1} runs": "等待进程 {1} 运行的 {0}",
  "wait for {0}; if its dispatcher is gone, {1}": "等待 {0}；若其调度进程已不在，则{1}",
  "retry {0}{1}": "重试 {0}{1}",
  "retry {0} with the aggressive digest{1}": "重试 {0}（使用精简摘要）{1}",
  " ({0} of {1})": "（第 {0} 次，共 {1} 次）",
  "{0}, then {1}": "{0}，再{1}",
  "reopen {0} if its work is wrong, else {1}": "若 {0} 的工作有误则重新打开它，否则{1}",
  "re-authenticate {0}": "重新认证 {0}",
  "repair the command of {0}": "修复 {0} 的命令",
  "read the reasons of the gate": "阅读关卡的理由",
  "fix the scope or take the change back": "修正范围或撤回更改",
  "{0}, or stop": "{0}，或停止",
  "split the task": "拆分任务",
  "re-authenticate and reset retry_budget": "重新认证，并重置重试预算（retry_budget）",
  "repair the tool and reset retry_budget": "修复工具，并重置重试预算（retry_budget）",
  "wait for the cause to go and reset retry_budget": "等待原因消除，并重置重试预算（retry_budget）",
  "remove the cause and reset retry_budget": "消除原因，并重置重试预算（retry_budget）",
  "fix the scope and reset retry_budget": "修正范围，并重置重试预算（retry_budget）",
  "find the cause and reset retry_budget": "查明原因，并重置重试预算（retry_budget）",

  // Of a piece of evidence, by a look at its files.
  "{0} is as it was": "{0} 没有变化",
  "{0}:{1} is as it was": "{0}:{1} 没有变化",
  "{0} has changed": "{0} 已更改",
  "{0}:{1} has changed": "{0}:{1} 已更改",
  "{0} has grown and begins as it was": "{0} 变长了，开头没有变化",
  "{0} is there": "{0} 存在",
  "{0}:{1}-{2} is there": "{0}:{1}-{2} 存在",
  "{0} is not there": "{0} 不存在",
  "{0} has only {1} line": "{0} 只有 {1} 行",
  "{0} has only {1} lines": "{0} 只有 {1} 行",
  "{0} is on the shared log and not on this machine": "{0} 在共享日志上，不在这台机器上",
  "{0} cannot be looked at: {1}": "无法查看 {0}：{1}",
  "no digest of {0}:{1} was recorded": "没有记录 {0}:{1} 的摘要",
  "commit {0} is there": "提交 {0} 存在",
  "commit {0} is not there": "提交 {0} 不存在",
  "whether commit {0} is there cannot be asked of git here": "这里无法向 git 查询提交 {0} 是否存在",
  "it says what was done and keeps nothing to compare with": "它只说明做了什么，没有可供比较的内容",
  "it proved nothing when it was captured": "捕获时它没有证明任何内容",
  "there was no time to look here": "没有时间查看",
  "{0}{1} changed while it ran ({2})": "{0:names}{1} 在运行期间已更改（{2}）",
  "{0}{1} changed since ({2})": "{0:names}{1} 此后已更改（{2}）",
  " and {0} more file": " 等另外 {0} 个文件",
  " and {0} more files": " 等另外 {0} 个文件",
  "not committed": "未提交",
  "commit {0}": "提交 {0}",
  "{0}, so the files that changed since cannot be told": "{0}，因此无法得知此后更改的文件",
  "there is no git here to compare with": "这里没有可供比较的 git",
  "it recorded no commit": "它没有记录提交",
  "the files that it left otherwise are not known": "它另外留下的文件不得而知",
  "the list of files that it saw is not there as it was": "它所见文件的清单已不是原样",
  "its commit {0} is not in this clone": "它的提交 {0} 不在此克隆中",
  "the folder {0} cannot be looked into": "无法查看文件夹 {0}",
  "git could not list the files ({0})": "git 无法列出文件（{0}）",

  // Why a gate did not let a stage pass.
  "Expected the tool to end with exit code 0; found {0}.": "工具应以退出码 0 结束，实际退出码为 {0}。",
  "Expected the tool to end with exit code 0; found that it ran out of time.": "工具应以退出码 0 结束，实际已超时。",
  "Expected the tool to end with exit code 0; found that it was stopped.": "工具应以退出码 0 结束，实际被停止。",
  "Expected the output of the tool; found no file.": "应有工具的输出，但没有文件。",
  "Expected an output of at most {0} bytes, which the gate reads; found {1}.":
    "输出最多可有 {0} 字节（关卡只读取这么多），实际有 {1} 字节。",
  'Expected whole commands below "## Verify Commands"; found {0}, where a quote, a here-document, a bracket or a block has no end or no beginning.':
    '"## Verify Commands" 下的命令应当完整，但 {0} 中有引号、here-document、括号或代码块没有开头或结尾。',
  "Expected an updated context pack of at most {0} bytes; found {1}.":
    "更新后的背景资料最多可有 {0} 字节，实际有 {1} 字节。",
  "Expected at most {0} verify commands; found {1}.": "验证命令最多可有 {0} 条，实际有 {1} 条。",
  "Expected commands of at most {0} characters; found {1}.": "每条命令最多可有 {0} 个字符，实际有 {1} 个。",
  'Expected the heading "## {0}"{1}, outside of code blocks; found {2}.':
    '{1}应有标题 "## {0}"，且不在代码块中，实际{2}。',
  " below ## Updated Context Pack": "## Updated Context Pack 之下",
  none: "没有",
  '"{0}" in line {1}': '只有第 {1} 行的 "{0}"',
  "it in a code block, in line {0}": "只有它位于第 {0} 行的代码块中",
  "Expected a unified diff (lines that begin with ---, +++ or @@); found none.":
    "应有统一格式的差异（以 ---、+++ 或 @@ 开头的行），实际没有。",
  "Expected a diff that names a file, or a change of the work tree; found neither.":
    "应有指明文件的差异，或工作树中的更改，实际两者都没有。",
  "Expected a diff that names a file; found none.": "应有指明文件的差异，实际没有。",
  "Expected ---, +++ or @@ in the block of the diff; found none.": "差异代码块中应有 ---、+++ 或 @@，实际没有。",
  "Expected a diff that git can apply; git apply --check refused it.":
    "差异应能由 git 应用，但 git apply --check 拒绝了它。",
  "{0} {1} Change the pattern, or let the stage write the files.": "{0}{1}请修改遮盖规则，或让该阶段直接写入文件。",
  "Line {0} of the output lost text to a mask: a pattern of the manifest, or a rule for known secrets.":
    "输出第 {0} 行的文字已被遮盖。",
  "Lines {0} of the output lost text to a mask: a pattern of the manifest, or a rule for known secrets.":
    "输出第 {0} 行的文字已被遮盖。",
  'Expected a {0} block below "## Unified Diff", or "No changes required."; found neither.':
    '"## Unified Diff" 之下应有 {0} 代码块，或 "No changes required."，实际两者都没有。',
  "Expected at least {0} lines of test design; found {1}.": "测试设计至少应有 {0} 行，实际有 {1} 行。",
  'Expected a result of the acceptance command "{0}"; found that it was not run.':
    '应有验收命令 "{0}" 的结果，实际没有运行。',
  'Expected the acceptance command "{0}" to end; found that it ran out of time.':
    '验收命令 "{0}" 应正常结束，实际已超时。',
  'Expected the acceptance command "{0}" to end with exit code 0; found {1}.':
    '验收命令 "{0}" 应正常结束，实际退出码为 {1}。',
  'Expected changes inside the scope; found "{0}", {1}.{2}': '更改应在范围之内，但 "{0}" 不在：{1}。{2}',
  "which scope.allow does not name": "scope.allow 未列出它",
  'which scope.deny names by "{0}"': 'scope.deny 以 "{0}" 禁止它',
  "which belongs to git and to no scope": "它属于 git，不属于任何范围",
  "which is absolute or leaves the workspace": "它是绝对路径，或位于工作区之外",
  "which lies in a Taskdoc package, and change_mind alone changes one": "它位于任务文档包中，只有 change_mind 可以更改",
  "which is a log, where tools alone write, and a packet's terms stay while it runs":
    "它是日志，只由工具写入，任务包运行时其条件不变",
  "which lies in the folder of the workspace, where tools alone write": "它位于工作区的文件夹中，那里只由工具写入",
  "whose name is masked, so that it cannot be judged": "它的名称已被遮盖，无法评判",
  ' A folder with ignore rules of its own: if a tool makes it, add "{0}" to .gitignore before the run.':
    '该文件夹有自己的忽略规则：如果它由工具创建，请在运行前将 "{0}" 加入 .gitignore。',
  "There are {0} more reasons of this kind.": "还有 {0} 条同类原因。",
};

/** A sentence of a form that is not here is one of another release, and stands in English. */
export function sentenceInChinese({ text, key, args = [] }: Sentence): string {
  if (key === undefined || !Object.hasOwn(ZH_SENTENCES, key)) return text;
  return ZH_SENTENCES[key]!.replace(/\{(\d+)(?::(\w+))?\}/g, (_place, at: string, table?: string) =>
    valueOf(args[Number(at)] ?? "", table),
  );
}

function valueOf(value: SentenceArg, table: string | undefined): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return table === undefined ? value : TABLES[table]!(value);
  if ("text" in value) return sentenceInChinese(value);
  return value.map((one) => valueOf(one, table)).join(table === undefined ? ", " : "、");
}

/** The keys that have Chinese words, with the tables that these name: a test holds them to the sentences of the engine. */
export const KEYS: Readonly<Record<string, string>> = ZH_SENTENCES;
