/**
 * Sentences of the engine and of its log in Chinese, by their form. Words of users in them stay as they are, and so does a sentence
 * of a form that is not here.
 */

import { fieldName } from "./field_name.ts";
import { ZH_CLASSES, ZH_FIELDS } from "./zh_fields.ts";
import type { Form } from "./zh_forms.ts";
import { form, inChinese, plain, MAX_CHARACTERS } from "./zh_forms.ts";
import { reasonInChinese } from "./zh_reasons.ts";
import { ZH_BECAUSE, ZH_SECTIONS } from "./zh_tables.ts";

const KIND: Readonly<Record<string, string>> = {
  plan: "计划",
  task: "任务",
  Plan: "计划",
  Task: "任务",
  "task node": "任务节点",
};
const STATUS: Readonly<Record<string, string>> = {
  TODO: "待办",
  ACTIVE: "进行中",
  DONE: "完成",
  FAILED: "失败",
  CANCELED: "已取消",
  deleted: "已删除",
  "not here": "不在此处",
};
/** Names of fields and of checkpoints. */
const WORD: Readonly<Record<string, string>> = {
  ...ZH_FIELDS,
  success_criteria: "标准",
  criteria: "标准",
  tests: "测试",
  security: "安全",
  perf: "性能",
  docs: "文档",
};
const ENDED: Readonly<Record<string, string>> = { DONE: "已完成", FAILED: "已失败", CANCELED: "已取消" };

const of = (table: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(table, word) ? table[word]! : word;
const words = (list: string): string =>
  list
    .split(", ")
    .map((one) => of(WORD, one))
    .join("、");
/** A section of the Taskdoc by its name; one of another name as it is, between blanks. */
const sectionOf = (name: string): string => (Object.hasOwn(ZH_SECTIONS, name) ? `“${ZH_SECTIONS[name]}”` : ` ${name} `);
const NAMES = { fields: ZH_FIELDS, steps: { names: WORD }, taskdoc: { sections: ZH_SECTIONS } };
/** A field in front of a word: a name that no table has stands apart from it. */
function fieldOf(label: string): string {
  const section = /^taskdoc\.tsk\/(.+)\.md$/.exec(label)?.[1];
  if (section !== undefined) return `任务文档的${sectionOf(section)}`;
  const name = fieldName(label, NAMES);
  return /\p{Script=Han}$/u.test(name) ? name : `${name} `;
}
/** `: reason`, or nothing. */
const why = (reason: string | undefined): string => (reason === undefined ? "" : `：${reasonInChinese(reason)}`);

/** The end of a sentence of the log. Where a caller said why, its sign may be the caller's own, and stays. */
const END = "(?:\\.?|: (.*))$";
function end(said: string | undefined): string {
  if (said === undefined) return "。";
  const own = reasonInChinese(said);
  // A sign of Chinese ends it already: the engine's full stop behind it goes.
  return `：${own === said ? said.replace(/([。！？])\.$/u, "$1") : ended(own)}`;
}

/** A sentence of the log, with what was said. */
const said = (source: string, made: (...parts: string[]) => string): Form => [
  new RegExp(`^${source}${END}`, "s"),
  made,
];

const OF_WAITS: readonly Form[] = [
  form("blocked(?:: (.*))?", (reason) => `受阻${why(reason)}`),
  form("waits for: (.*)", (what) => `等待：${what}`),
  form("waits for (.*)", (what) => `等待 ${what}`),
];

/** How long a claim is. */
const LENGTH = "(\\d+ (?:days?|h|min|s)(?: \\d+ (?:h|min|s))*)";
const lengthOf = (length: string): string =>
  length.replace(/days?/, "天").replace("h", "小时").replace("min", "分钟").replace(/s$/, "秒");

/** A step stays, and the whole has its Chinese word. */
const wholeOr = (what: string): string => of(KIND, what.replace(/^The (plan|task)$/, "$1"));

/** Of radar, of what is due, and of what an agent waits for. */
const OF_VIEWS: readonly Form[] = [
  // Any row about a step may end so: it comes before their forms.
  form(
    "(s:\\S+ .*); the claim of (\\S+) ended",
    (row, by) => `${inChinese(row!, OF_VIEWS) ?? row}；${by} 的认领已到期`,
  ),
  form(
    "(Plan|Task) (\\S+): (.*) \\((DONE|FAILED|CANCELED)\\)",
    (kind, id, title, status) => `${of(KIND, kind!)} ${id}：${title}（${of(STATUS, status!)}）`,
  ),
  form("(Plan|Task) (\\S+): (.*)", (kind, id, title) => `${of(KIND, kind!)} ${id}：${title}`),
  form("Nothing: the (plan|task) is (\\w+)", (kind, status) => `无需再做什么：${of(KIND, kind!)}${of(ENDED, status!)}`),
  plain("Add steps to this task", "为此任务添加步骤"),
  plain("Finish task", "完成任务"),
  plain("Finish plan: every item of its checklist is behind", "完成计划：清单的各项均已完成"),
  plain("Finish plan: every task has ended", "完成计划：每个任务均已结束"),
  plain("Finish plan: every task is DONE", "完成计划：每个任务均已完成"),
  plain("Add tasks to this plan", "为此计划添加任务"),
  plain("Add tasks to this plan, or finish it: no task is open", "为此计划添加任务，或完成它：没有未完成的任务"),
  plain(
    "Work on the tasks of this plan or add some, finish it when they are done",
    "处理此计划的任务或添加任务，全部完成后完成计划",
  ),
  form("Next item (\\d+)/(\\d+): (.*)", (n, all, text) => `下一项 ${n}/${all}：${text}`),
  form("Close first what (.*?) waits for: (.*)", (step, list) => `先关闭 ${step} 所等待的：${list}`),
  form("Unblock (s:\\S+ .*)", (step) => `解除 ${step} 的阻碍`),
  form("Clear the blockers of (s:\\S+ .*?): (.*)", (step, what) => `清除 ${step} 的阻碍：${what}`),
  form("Close next step (.*)", (step) => `关闭下一步骤 ${step}`),
  form("[Cc]onfirm ([a-z, ]+) for (.*)", (list, step) => `确认 ${step} 的${words(list!)}`),
  form("[Aa]ttach proof of ([a-z, ]+) for (.*)", (list, step) => `为 ${step} 附上${words(list!)}的证明`),
  form("confirm ([a-z, ]+)", (list) => `确认${words(list!)}`),
  form(
    "Run again what failed for ([a-z, ]+?) for the (plan|task): (.*)",
    (list, kind, command) => `重新运行${of(KIND, kind!)}的${words(list!)}中失败的命令：${command}`,
  ),
  form(
    "[Rr]un again what failed for ([a-z, ]+?)(?: for (.*))?",
    (list, step) => `重新运行${step ? ` ${step} 的` : ""}${words(list!)}中失败的命令`,
  ),
  form(
    "(s:\\S+ .*?): run again what failed for ([a-z, ]+)",
    (step, list) => `${step}：重新运行${words(list!)}中失败的命令`,
  ),
  form(
    "(s:\\S+ .*?): tests are proved by another command than the declared test: (.*)",
    (step, ran) => `${step}：证明测试的命令与声明的测试不同：${ran}`,
  ),
  form("(s:\\S+ .*?): no run of the declared test: (.*)", (step, tests) => `${step}：声明的测试没有运行过：${tests}`),
  form("attach proof of ([a-z, ]+)", (list) => `附上${words(list!)}的证明`),
  form(
    "[Ll]et a stage of the packet prove tests \\(packet run --allow-commands\\)(?: for (.*))?",
    (step) => `让任务包的一个阶段证明${step ? ` ${step} 的` : ""}测试（packet run --allow-commands）`,
  ),
  form(
    "(s:\\S+ .*?): (confirm|attach proof of) ([a-z, ]+)",
    (step, how, list) => `${step}：${how === "confirm" ? `确认${words(list!)}` : `附上${words(list!)}的证明`}`,
  ),
  form(
    "(s:\\S+ .*?): let a stage of the packet prove tests \\(packet run --allow-commands\\)",
    (step) => `${step}：让任务包的一个阶段证明测试（packet run --allow-commands）`,
  ),
  form("(\\S+) is not there", (path) => `${path} 不存在`),
  form("(\\S+) has changed", (path) => `${path} 已更改`),
  form("(\\S+) has only (\\d+) lines?", (path, n) => `${path} 只有 ${n} 行`),
  form("criterion: (.*)", (text) => `标准：${text}`),
  form("test: (.*)", (text) => `测试：${text}`),
  form("and (\\d+) more", (n) => `以及另外 ${n} 项`),
  form(
    "Waits for (\\S+) \\((TODO|ACTIVE|DONE|FAILED|CANCELED): (.*)\\)",
    (id, status, title) => `等待 ${id}（${of(STATUS, status!)}：${title}）`,
  ),
  form("Waits for (\\S+) \\((deleted|not here)\\)", (id, status) => `等待 ${id}（${of(STATUS, status!)}）`),
  form(
    "The (plan|task) is claimed by (\\S+) until (\\S+)",
    (kind, by, until) => `${of(KIND, kind!)}由 ${by} 认领，至 ${until}`,
  ),
  form("(s:\\S+ .*) is claimed by (\\S+) until (\\S+)", (step, by, until) => `${step} 由 ${by} 认领，至 ${until}`),
  form(
    "(s:\\S+ .*? is blocked(?:: .*)?); it waits for: (.*)",
    (row, what) => `${inChinese(row!, OF_VIEWS) ?? row}；等待：${what}`,
  ),
  form("(s:\\S+ .*?) is blocked(?:: (.*))?", (step, reason) => `${step} 受阻${why(reason)}`),
  form("(s:\\S+ .*?) waits for: (.*)", (step, what) => `${step} 等待：${what}`),
  form("(s:\\S+ .*?) waits for (s:.*)", (step, what) => `${step} 等待 ${what}`),
  form("(s:\\S+ .*?) is open again(?:: (.*))?", (step, reason) => `${step} 已重新打开${why(reason)}`),
  plain("Every task of it has ended", "其每个任务均已结束"),
  plain("Every step is closed", "每个步骤均已关闭"),
  form("(.*) changed by hand", (files) => `${files!.replaceAll(", ", "、")} 被手动更改`),
  form(
    "(s:\\S+ .*|The (?:plan|task)) is open, and the claim of (\\S+) ended",
    (what, by) => `${what!.startsWith("The ") ? wholeOr(what!) : `${what} `}未完成，${by} 的认领已到期`,
  ),
  form(
    "(s:\\S+ .*) is closed, and ([a-z, ]+) not confirmed",
    (step, list) => `${step} 已关闭，但${words(list!)}未确认`,
  ),
  form(
    "(s:\\S+ .*) waits for another actor to confirm ([a-z, ]+)",
    (step, list) => `${step} 等待另一执行者确认${words(list!)}`,
  ),
  form(
    "(s:\\S+ .*) is closed, and proof of ([a-z, ]+) is missing",
    (step, list) => `${step} 已关闭，但缺少${words(list!)}的证明`,
  ),
  form(
    "(s:\\S+ .*) has no proof of ([a-z, ]+), which was asked for",
    (step, list) => `${step} 缺少要求的${words(list!)}证明`,
  ),
  form(
    "(s:\\S+ .*) has weak proof of ([a-z, ]+): a command or a link is missing",
    (step, list) => `${step} 的${words(list!)}证明不足：缺少命令或链接`,
  ),
  form(
    "(s:\\S+ .*): proof of ([a-z, ]+) is stale: (.*)",
    (step, list, why) => `${step}：${words(list!)}的证明已过时：${why}`,
  ),
  form(
    "(s:\\S+ .*|The (?:plan|task)): (?:a run for ([a-z, ]+)|the newest run of the test (.*)) failed: evidence:(\\S+)(?: \\((.*)\\))? ended with exit code (-?\\d+|null)",
    (what, list, test, evidence, command, code) =>
      `${wholeOr(what!)}：${list ? `${words(list)}的一次运行` : `测试 ${test} 的最新运行`}失败：证据 ${evidence}${command ? `（${command}）` : ""}的退出码为 ${code}`,
  ),
  form("Gate (.*?) is blocked(?:: (.*))?", (gate, reason) => `关卡 ${gate} 受阻${why(reason)}`),
  form(
    // A look ahead for the end: without it, each sign of two dots is tried as that of the field.
    "Conflict on (?=.*; write it again to (?:resolve it|settle)$)(.*?): (.*); write it again to (?:resolve it|settle)",
    (field, values) => `${fieldOf(field!)}有冲突：${sides(values!)}；重新写入即可解决`,
  ),
  form(
    "Conflict on (?=.*; work on it or delete it to (?:resolve it|settle)$)(.*?): (.*); work on it or delete it to (?:resolve it|settle)",
    (field, values) => `${field} 有冲突：${sides(values!)}；处理它或删除它即可解决`,
  ),
  form("A merge moved paths, select by id: (.*)", (list) => `合并移动了路径，请按编号选择：${list}`),
  form(
    "((?!s:)\\S+): ((?:Waits for|Conflict on|A merge moved|s:\\S+ |Gate |The task ).*)",
    (id, rest) => `${id}：${inChinese(rest!, OF_VIEWS) ?? rest}`,
  ),
  form("(s:\\S+ .*?): ((?:blocked|waits for).*)", (step, rest) => `${step}：${inChinese(rest!, OF_WAITS) ?? rest}`),
  ...OF_WAITS,
  form(
    "Claim (s:\\S+ .*|the (?:plan|task)) when the claim of (\\S+) ends: (\\S+)",
    (what, by, at) => `在 ${by} 的认领于 ${at} 结束后认领${KIND[what!.replace("the ", "")] ?? ` ${what}`}`,
  ),
  form("Take up (\\S+) (.*)", (id, step) => `处理 ${id} ${step}`),
  form(
    "Complete (.*) when the claim of (\\S+) ends: (\\S+)",
    (task, by, at) => `在 ${by} 的认领于 ${at} 结束后完成 ${task}`,
  ),
  form(
    "Add steps to (.*) when the claim of (\\S+) ends: (\\S+)",
    (task, by, at) => `在 ${by} 的认领于 ${at} 结束后为 ${task} 添加步骤`,
  ),
  form("Complete (.*): every step of it is closed", (task) => `完成 ${task}：每个步骤均已关闭`),
  form("Add steps to (.*)", (task) => `为 ${task} 添加步骤`),
  form(
    "Wait for a claim to end: no task is ready, (\\d+) claimed(?: \\(the first claim ends at (\\S+)\\))?, (\\d+) blocked",
    (n, at, m) => `等待认领结束：没有就绪的任务，${n} 个已认领${at ? `（第一个认领于 ${at} 结束）` : ""}，${m} 个受阻`,
  ),
  form(
    "See what stands in the way of (\\S+): no task is ready, (\\d+) claimed(?: \\(the first claim ends at (\\S+)\\))?, (\\d+) blocked",
    (id, n, at, m) =>
      `查看 ${id} 的阻碍：没有就绪的任务，${n} 个已认领${at ? `（第一个认领于 ${at} 结束）` : ""}，${m} 个受阻`,
  ),
  form("Packet: (.*)", (action) => `任务包：${inChinese(action!, OF_PACKETS) ?? action}`),
  form("Packet stops at (\\S+): (.*)", (stage, reason) => `任务包停在 ${stage}：${of(ZH_BECAUSE, reason!)}`),
  form(
    "Packet stage (\\S+) failed \\((\\w+)\\): (.*)",
    (stage, kind, reason) => `任务包阶段 ${stage} 失败（${of(ZH_CLASSES, kind!)}）：${reasonInChinese(reason!)}`,
  ),
  form("Read (\\S+): (.*)", (file, text) => `阅读 ${file}：${text}`),
];

/** The next step of a packet. */
const OF_PACKETS: readonly Form[] = [
  plain("restore", "从归档恢复"),
  plain("archive", "归档"),
  form("run (\\S+)", (stage) => `运行 ${stage}`),
  form("resume interrupted (\\S+)", (stage) => `继续中断的 ${stage}`),
  plain("raise paid_call_budget or stop", "提高付费调用预算（paid_call_budget），或停止"),
  form("wait for (\\S+), which (.*) started, or interrupt it", (stage, by) => `等待 ${by} 开始的 ${stage}，或中断它`),
  form("wait for (\\S+), which process (\\d+) runs", (stage, pid) => `等待进程 ${pid} 运行的 ${stage}`),
  form(
    "wait for (\\S+); if its dispatcher is gone, ((?!wait for ).*)",
    (stage, rest) => `等待 ${stage}；若其调度进程已不在，则${inChinese(rest!, OF_PACKETS) ?? rest}`,
  ),
  form(
    "(.*), (?:then|else) retry (\\S+)( with the aggressive digest)?(?: \\((\\d+) of (\\d+)\\))?",
    (before, stage, digest, n, most) =>
      `${beforeRetry(before!)}，再重试 ${stage}${digest ? "（使用精简摘要）" : ""}${n ? `（第 ${n} 次，共 ${most} 次）` : ""}`,
  ),
  form(
    "retry (\\S+)( with the aggressive digest)?(?: \\((\\d+) of (\\d+)\\))?",
    (stage, digest, n, most) =>
      `重试 ${stage}${digest ? "（使用精简摘要）" : ""}${n ? `（第 ${n} 次，共 ${most} 次）` : ""}`,
  ),
  form(
    "(.*) and reset retry_budget, or stop",
    (cause) => `${beforeRetry(cause!)}，并重置重试预算（retry_budget），或停止`,
  ),
  plain("split the task, or stop", "拆分任务，或停止"),
];

const BEFORE: readonly Form[] = [
  form("re-authenticate (\\S+)", (tool) => `重新认证 ${tool}`),
  plain("re-authenticate", "重新认证"),
  form("repair the command of (\\S+)", (tool) => `修复 ${tool} 的命令`),
  plain("repair the tool", "修复工具"),
  plain("read the reasons of the gate", "阅读关卡的理由"),
  plain("fix the scope or take the change back", "修正范围或撤回更改"),
  plain("fix the scope", "修正范围"),
  plain("wait for the cause to go", "等待原因消除"),
  plain("remove the cause", "消除原因"),
  plain("find the cause", "查明原因"),
  form("reopen (\\S+) if its work is wrong", (stage) => `若 ${stage} 的工作有误则重新打开它，否则`),
];

/** Of the history: what each change said of itself. */
const OF_LOGS: readonly Form[] = [
  said(
    'Created (plan|task) (".*?")(?: under (.*?))?',
    (kind, title, under) => `创建${of(KIND, kind!)} ${title}${under ? `，属于 ${under}` : ""}。`,
  ),
  said('Deleted (plan|task) (".*?")', (kind, title) => `删除${of(KIND, kind!)} ${title}。`),
  said('Deleted task node (\\S+ ".*")', (node) => `删除任务节点 ${node}。`),
  said(
    'Deleted (s:\\S+ ".*?")(?: and (\\d+) steps? below it)?',
    (step, n) => `删除 ${step}${n ? ` 及其下的 ${n} 个步骤` : ""}。`,
  ),
  said(
    '(?:Set|Edited) ([a-z_]+(?:, [a-z_]+)*) of (plan|task) (".*")',
    (fields, kind, title) => `编辑${of(KIND, kind!)} ${title} 的${words(fields!)}。`,
  ),
  said(
    'Set (plan|task) (".*?") to (\\w+)',
    (kind, title, status, reason) => `将${of(KIND, kind!)} ${title} 设为${of(STATUS, status!)}${end(reason)}`,
  ),
  said('Set the checklist of plan (".*?") to (\\d+) items?', (title, n) => `将计划 ${title} 的清单设为 ${n} 项。`),
  form('Named the document of plan (".*?") (.*?)\\.?', (title, doc) => ended(`为计划 ${title} 指定文档 ${doc}`)),
  said(
    '(Set|Cleared) the contract of plan (".*")',
    (how, title) => `${how === "Set" ? "设定" : "清除"}计划 ${title} 的合约。`,
  ),
  said(
    'Plan (".*?") is at (\\d+) of (\\d+)',
    (title, n, all) => `计划 ${title} 的清单进行到第 ${n} 项，共 ${all} 项。`,
  ),
  said('Added (\\d+) steps? (?:to|under|below) ((?:s:\\S+ )?".*")', (n, where) => `为 ${where} 添加 ${n} 个步骤。`),
  said('Added task node (\\S+ ".*")', (node) => `添加任务节点 ${node}。`),
  said('Defined ([a-z_, ]+) of task node (\\S+ ".*")', (fields, node) => `设定任务节点 ${node} 的${words(fields!)}。`),
  said('Defined ([a-z_, ]+) of (s:\\S+ ".*")', (fields, step) => `设定 ${step} 的${words(fields!)}。`),
  said(
    'Confirmed ([a-z, ]+) and took back ([a-z, ]+) of (s:\\S+ ".*?")',
    (list, back, step) => `确认 ${step} 的${words(list!)}，并收回其${words(back!)}。`,
  ),
  said('Confirmed ([a-z, ]+) of (s:\\S+ ".*?")', (list, step) => `确认 ${step} 的${words(list!)}。`),
  said('Took back ([a-z, ]+) of (s:\\S+ ".*?")', (list, step) => `收回 ${step} 的${words(list!)}。`),
  said('Closed (s:\\S+ ".*?") by force', (step, reason) => `强制关闭 ${step}${end(reason)}`),
  said('Closed (s:\\S+ ".*?")', (step) => `关闭 ${step}。`),
  said('Reopened (s:\\S+ ".*?")', (step, reason) => `重新打开 ${step}${end(reason)}`),
  said('Task (".*?") is ACTIVE again', (title, reason) => `任务 ${title} 重新进行${end(reason)}`),
  said('Completed (plan|task) (".*?")', (kind, title, reason) => `完成${of(KIND, kind!)} ${title}${end(reason)}`),
  said('Blocked (s:\\S+ ".*?")', (step, reason) => `${step} 受阻${end(reason)}`),
  said('Unblocked (s:\\S+ ".*?")', (step, reason) => `${step} 不再受阻${end(reason)}`),
  said(
    'Superseded (\\d+) pieces? of evidence on ((?:s:\\S+ )?".*?")',
    (n, on, reason) => `取代 ${on} 的 ${n} 份证据${end(reason)}`,
  ),
  said(
    'Captured (\\d+) pieces? of evidence on ((?:s:\\S+ )?".*?")(?: for ([a-z, ]+))? and superseded (\\d+) pieces?',
    (n, on, list, put, reason) =>
      `为 ${on}${list ? ` 的${words(list)}` : ""}捕获 ${n} 份证据，并取代 ${put} 份${end(reason)}`,
  ),
  said(
    "Captured (\\d+) pieces? of evidence on (.*?) for ([a-z, ]+)",
    (n, on, list, outcome) => `为 ${on} 的${words(list!)}捕获 ${n} 份证据${end(outcome)}`,
  ),
  said(
    'Captured (\\d+) pieces? of evidence on ((?:s:\\S+ )?".*")',
    (n, on, outcome) => `为 ${on} 捕获 ${n} 份证据${end(outcome)}`,
  ),
  said(
    "Claimed (?:(plan|task) )?(.*) until (\\S+?)",
    (kind, on, until) => `认领${kind ? of(KIND, kind) : ""} ${on}，至 ${until}。`,
  ),
  said(
    `Claimed (?:(plan|task) )?(.*) for ${LENGTH}`,
    (kind, on, length) => `认领${kind ? of(KIND, kind) : ""} ${on}，为期 ${lengthOf(length!)}。`,
  ),
  said(
    `Renewed the claim on (?:(plan|task) )?(.*) for ${LENGTH}`,
    (kind, on, length) => `续期对${kind ? of(KIND, kind) : ""} ${on} 的认领，为期 ${lengthOf(length!)}。`,
  ),
  said(
    "Renewed the claim on (?:(plan|task) )?(.*) until (\\S+?)",
    (kind, on, until) => `续期对${kind ? of(KIND, kind) : ""} ${on} 的认领，至 ${until}。`,
  ),
  said(
    "Released the claim(?: of (\\S+))? on (?:(plan|task) )?(.*?)",
    (by, kind, on, reason) => `释放${by ? ` ${by} ` : ""}对${kind ? of(KIND, kind) : ""} ${on} 的认领${end(reason)}`,
  ),
  said("Noted the decision", (text) => `记下决定${end(text)}`),
  said('Noted on ((?:s:\\S+ )?".*?"|\\S+)', (on, text) => `在 ${on} 记下${end(text)}`),
  said("Framed the question", (text) => `提出问题${end(text)}`),
  said("Supposed", (text) => `假设${end(text)}`),
  said("Set a test", (text) => `设定检验${end(text)}`),
  said("Saw", (text) => `观察到${end(text)}`),
  said("Decided", (text) => `决定${end(text)}`),
  said("Thought", (text) => `思考${end(text)}`),
  form(
    "((?:Undid: |Redid: )+)(.*)",
    (turns, rest) => turns!.replaceAll("Undid: ", "撤销：").replaceAll("Redid: ", "重做：") + sentenceInChinese(rest!),
  ),
  said(
    "Cleared (\\S+) of the Taskdoc(?: from (.*?))?",
    (name, from) => `清空任务文档的${sectionOf(name!)}${from ? `（来自 ${from}）` : ""}。`,
  ),
  said(
    "Replaced (\\S+) of the Taskdoc \\((\\S+) bytes?\\)(?: from (.*?))?",
    (name, n, from) => `替换任务文档的${sectionOf(name!)}（${n} 字节${from ? `，来自 ${from}` : ""}）。`,
  ),
  said("Reported on (\\d+) agents?", (n, title) => `对 ${n} 个代理的报告${end(title)}`),
  said('Archived (task|plan) (".*")', (kind, title) => `归档${of(KIND, kind!)} ${title}。`),
  said('Restored (task|plan) (".*") from the archive', (kind, title) => `从归档恢复${of(KIND, kind!)} ${title}。`),
  said(
    "(Archived|Restored) (\\d+) tasks?",
    (how, n, ids) => `${how === "Archived" ? "归档" : "恢复"} ${n} 个任务${end(ids)}`,
  ),
  plain("Archived the packet.", "归档任务包。"),
  said("Archived the packet without (\\d+) outputs?", (n) => `归档任务包，不含其中 ${n} 个输出。`),
  plain("Restored the packet from the archive.", "从归档恢复任务包。"),
  said(
    "Reset (\\w+), of which (\\d+) were used",
    (budget, n, reason) => `重置${of(WORD, budget!)}（此前已用 ${n} 次）${end(reason)}`,
  ),
  form(
    "Defined the packet: (.*?), stages (.*?)\\.?",
    (intent, stages) => `定义任务包：${intent}，阶段 ${stages!.replaceAll(", ", "、")}。`,
  ),
  said("Took in what another program counted: (\\d+) paid calls?", (n) => `纳入其他程序的计数：${n} 次付费调用。`),
  form("Took in what another program changed: (.*?)\\.", (list) => `纳入其他程序的更改：${words(list!)}。`),
  said("Set (inputs/(?:(?!\\. [A-Z]).)*?)", (path) => `写入 ${path}。`),
  said("Took (inputs/.*) away", (path) => `移除 ${path}。`),
  plain("Took in the commands that verify the work.", "纳入验证工作的命令。"),
  plain("The brief named the commands that verify the work.", "简报指定了验证工作的命令。"),
  plain("The commands of the brief were deleted: those of the manifest count.", "简报的命令已被删除：以清单中的为准。"),
  plain("The brief named no commands: those of the manifest count.", "简报未指定命令：以清单中的为准。"),
  said("Stage (\\S+) ended with exit code (-?\\d+)", (stage, code) => `阶段 ${stage} 结束，退出码 ${code}。`),
  said("Stage (\\S+) passed its gate", (stage) => `阶段 ${stage} 通过关卡。`),
  said(
    "Stage (\\S+) failed \\((\\w+)\\)",
    (stage, kind, reason) => `阶段 ${stage} 失败（${of(ZH_CLASSES, kind!)}）${end(reason)}`,
  ),
  said("Stage (\\S+) was interrupted", (stage, reason) => `阶段 ${stage} 被中断${end(reason)}`),
  said("Started stage (\\S+), attempt (\\d+)", (stage, n) => `开始阶段 ${stage}，第 ${n} 次尝试。`),
  said("Reopened stage (\\S+?)", (stage, reason) => `重新打开阶段 ${stage}${end(reason)}`),
  said(
    "Took in stage (\\S+), (not done|done), as another program left it",
    (stage, how) => `纳入其他程序留下的阶段 ${stage}（${how === "done" ? "已完成" : "未完成"}）。`,
  ),
  form(
    "Adopted from another program: (\\d+) steps, (\\d+) agents, (\\d+) evidence entries\\.",
    (steps, agents, entries) => `从其他程序接管：${steps} 个步骤、${agents} 个代理、${entries} 条证据。`,
  ),
  said("Placed (\\d+) lines? written by another program", (n) => `放入其他程序写的 ${n} 行。`),
  said("A person changed (\\S+?)", (file) => `有人更改了 ${file}。`),
  said("Moved from (\\S+), which another entity had first", (id) => `自 ${id} 移来，该编号已被占用。`),
  said(
    "(?:A line is|One line is|(\\d+) lines are) lost(; what waited for it goes on from here)?",
    (n = "1", goesOn) => `${n} 行丢失${goesOn ? "；等待它的内容由此继续" : ""}。`,
  ),
  plain("The end of the log that task.yaml named is missing.", "缺少 task.yaml 所指的日志末尾。"),
  plain("The end of the log that task.yaml or this machine knew is missing.", "缺少 task.yaml 或本机记录的日志末尾。"),
  plain("The end of the log that was missing is accepted as lost.", "缺失的日志末尾已被视为丢失。"),
];

const FORMS: readonly Form[] = [...OF_VIEWS, ...OF_PACKETS, ...OF_LOGS];
/** A message of several events: their sentences stand one behind the other. A page reads so many, and the rest stays as it is. */
const MAX_SENTENCES = 64;
/** Ends among which that of one sentence is looked for: a quoted text may hold full stops of its own. */
const MAX_ENDS = 8;
/** Sentences stand on the page again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 2000;

export function sentenceInChinese(text: string): string {
  if (text.length > MAX_CHARACTERS) return text;
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size > MAX_KNOWN) known.clear();
  const chinese = severalOf(text) ?? inChinese(text, FORMS) ?? cutOff(text) ?? text;
  known.set(text, chinese);
  return chinese;
}

/** Undefined unless each part is a sentence: a quoted text may hold a full stop of its own. */
function severalOf(text: string): string | undefined {
  const ends = [...text.matchAll(/[.!?…] (?=[A-Z])/g)].map(({ index }) => index + 2);
  if (ends.length === 0) return undefined;
  const rest = ends.splice(MAX_SENTENCES)[0];
  const last = rest ?? text.length;
  const from = new Map<number, string>([[last, text.slice(last)]]);
  const begins = [0, ...ends].filter((begin) => begin < last);
  for (const begin of begins.toReversed()) {
    for (const until of [...ends, last].filter((one) => one > begin).slice(0, MAX_ENDS)) {
      const behind = from.get(until);
      const first = behind === undefined ? undefined : inChinese(text.slice(begin, until).trimEnd(), OF_LOGS);
      if (first === undefined) continue;
      from.set(begin, behind === "" ? first : joined(ended(first), behind!));
      break;
    }
  }
  return from.get(0);
}

/** Of a message that the engine cut, all but its last piece. */
function cutOff(text: string): string | undefined {
  const at = /^.*[.!?] (?=[A-Z][^"]*…$)/s.exec(text)?.[0].length;
  return at === undefined ? undefined : joined(sentenceInChinese(text.slice(0, at - 1)), text.slice(at));
}

function ended(text: string): string {
  return /[。！？.!?…]$/u.test(text) ? text : `${text}。`;
}

/** Behind an English sign stands a blank. */
function joined(first: string, rest: string): string {
  return /[。！？]$/u.test(first) ? first + rest : `${first} ${rest}`;
}

function beforeRetry(text: string): string {
  return inChinese(text, BEFORE) ?? text;
}

/** Values of a conflict, with who wrote each. */
function sides(values: string): string {
  return values
    .replaceAll(
      / by (\S+?)( \(shown\))?(?= or |$)/g,
      (_all, by: string, shown?: string) => `（${by}${shown ? "，当前显示" : ""}）`,
    )
    .replaceAll("） or ", "）或 ");
}
