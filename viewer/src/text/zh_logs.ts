/**
 * Sentences of the log in Chinese, by their form: a log has them as texts alone. Words of users in them stay as they are, and so does a
 * sentence of a form that is not here.
 */

import { ZH_CLASSES } from "./zh_fields.ts";
import type { Form } from "./zh_forms.ts";
import { form, inChinese, plain, MAX_CHARACTERS } from "./zh_forms.ts";
import { reasonInChinese } from "./zh_reasons.ts";
import { KIND, of, STATUS, WORD, ZH_SECTIONS } from "./zh_tables.ts";

const words = (list: string): string =>
  list
    .split(", ")
    .map((one) => of(WORD, one))
    .join("、");
/** A section of the Taskdoc by its name; one of another name as it is, between blanks. */
const sectionOf = (name: string): string => (Object.hasOwn(ZH_SECTIONS, name) ? `“${ZH_SECTIONS[name]}”` : ` ${name} `);

/** How the runs of a capture ended. */
const OUTCOMES: readonly Form[] = [
  form("failed with exit code (-?\\d+)\\.?", (code) => `失败，退出码为 ${code}`),
  form("(\\d+) of (\\d+) runs passed\\.?", (passed, all) => `${all} 次运行中 ${passed} 次通过`),
];

/** The end of a sentence of the log. Where a caller said why, its sign may be the caller's own, and stays. */
const END = "(?:\\.?|: (.*))$";
function end(said: string | undefined): string {
  if (said === undefined) return "。";
  const own = inChinese(said, OUTCOMES) ?? reasonInChinese(said);
  // A sign of Chinese ends it already: the engine's full stop behind it goes.
  return `：${own === said ? said.replace(/([。！？])\.$/u, "$1") : ended(own)}`;
}

/** A sentence of the log, with what was said. */
const said = (source: string, made: (...parts: string[]) => string): Form => [
  new RegExp(`^${source}${END}`, "s"),
  made,
];

/** How long a claim is. */
const LENGTH = "(\\d+ (?:days?|h|min|s)(?: \\d+ (?:h|min|s))*)";
const lengthOf = (length: string): string =>
  length.replace(/days?/, "天").replace("h", "小时").replace("min", "分钟").replace(/s$/, "秒");

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
    (turns, rest) => turns!.replaceAll("Undid: ", "撤销：").replaceAll("Redid: ", "重做：") + loggedInChinese(rest!),
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

/** A message of several events: their sentences stand one behind the other. A page reads so many, and the rest stays as it is. */
const MAX_SENTENCES = 64;
/** Ends among which that of one sentence is looked for: a quoted text may hold full stops of its own. */
const MAX_ENDS = 8;
/** Sentences stand on the page again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 2000;

export function loggedInChinese(text: string): string {
  if (text.length > MAX_CHARACTERS) return text;
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size > MAX_KNOWN) known.clear();
  const chinese = severalOf(text) ?? inChinese(text, OF_LOGS) ?? cutOff(text) ?? text;
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
  return at === undefined ? undefined : joined(loggedInChinese(text.slice(0, at - 1)), text.slice(at));
}

function ended(text: string): string {
  return /[。！？.!?…]$/u.test(text) ? text : `${text}。`;
}

/** Behind an English sign stands a blank. */
function joined(first: string, rest: string): string {
  return /[。！？]$/u.test(first) ? first + rest : `${first} ${rest}`;
}
