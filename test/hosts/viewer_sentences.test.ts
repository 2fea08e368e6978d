/** Sentences of the engine and of its log on Chinese pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type {
  AgentsAnswer,
  BoardAnswer,
  EntityAnswer,
  HistoryAnswer,
  StatusAnswer,
} from "../../src/views/viewer/api.ts";
import { asIs, keptSentence, phrased } from "../../src/sentence.ts";
import type { Sentence } from "../../src/sentence.ts";
import { loggedInChinese } from "../../viewer/src/text/zh_logs.ts";
import { KEYS, sentenceInChinese } from "../../viewer/src/text/zh_sentences.ts";
import { judgeGate } from "../../src/rules/packet/gate.ts";
import { suggestedActions } from "../../src/rules/packet/triage.ts";
import { FAILURE_CLASSES } from "../../src/state/packet.ts";
import { en } from "../../viewer/src/text/en.ts";
import { duration, relativeTime } from "../../viewer/src/text/format.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { reasonInChinese } from "../../viewer/src/text/zh_reasons.ts";
import { ZH_FINDINGS } from "../../viewer/src/text/zh_findings.ts";
import { filesBelow, ROOT, sources } from "../support/source.ts";
import { sentenceKeys } from "../support/sentence_keys.ts";
import { read, viewerOf } from "./view_support.ts";

/** By file, one sentence of the log for each form that it writes. Words of callers are Greek. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  "src/engine/commit/system_ops.ts": [
    "Placed 1 line written by another program.",
    "Placed 2 lines written by another program.",
  ],
  "src/engine/entity/log_truncated.ts": ["The end of the log that task.yaml or this machine knew is missing."],
  "src/engine/entity/human_files.ts": ["A person changed notes.md."],
  "src/engine/repair/repair_log.ts": [
    "Moved from TASK-001, which another entity had first.",
    "The end of the log that was missing is accepted as lost.",
    "A line is lost; what waited for it goes on from here.",
    "2 lines are lost; what waited for it goes on from here.",
  ],
  "src/rules/add_steps.ts": ['Added 2 steps to "Αλφα?".', 'Added 1 step under s:0 "Αλφα".'],
  "src/rules/adopt_task.ts": ["Adopted from another program: 3 steps, 2 agents, 5 evidence entries."],
  "src/rules/archive_task.ts": [
    'Archived task "Αλφα!".',
    'Restored task "Αλφα" from the archive.',
    "Archived 2 tasks: TASK-001, TASK-002.",
    "Restored 1 task: TASK-001.",
  ],
  "src/rules/block_step.ts": ['Blocked s:1 "Αλφα": ποιος?', 'Blocked s:1 "Αλφα".', 'Unblocked s:1 "Αλφα": βητα!'],
  "src/rules/capture_evidence.ts": [
    'Captured 1 piece of evidence on "Αλφα".',
    'Captured 1 piece of evidence on "Αλφα": passed.',
    'Captured 2 pieces of evidence on s:0 "Αλφα" for tests: 1 of 2 runs passed.',
    'Captured 1 piece of evidence on s:0 "Αλφα" for tests: failed with exit code 1.',
    'Captured 2 pieces of evidence on s:0 "Αλφα" for criteria, tests, security, perf, docs.',
    'Superseded 1 piece of evidence on s:0 "Αλφα": ω.',
    'Captured 1 piece of evidence on s:0 "Αλφα" for tests and superseded 2 pieces: ω.',
    'Captured 1 piece of evidence on "Αλφα" and superseded 1 piece: ω.',
  ],
  "src/rules/change_mind.ts": [
    "Cleared goals of the Taskdoc.",
    "Replaced goals of the Taskdoc (12 bytes).",
    "Replaced goals of the Taskdoc (1 byte) from αλφα.μδ.",
  ],
  "src/rules/close_step.ts": ['Closed s:0.s:1 "Αλφα?".', 'Closed s:0 "Αλφα" by force: βητα!'],
  "src/rules/complete_entity.ts": [
    'Set task "Αλφα" to ACTIVE.',
    'Set plan "Αλφα" to FAILED: βητα?',
    'Completed task "Αλφα".',
    'Completed plan "Αλφα": βητα…',
  ],
  "src/rules/create_entity.ts": [
    'Created plan "Αλφα".',
    'Created task "Αλφα?" under PLAN-001.',
    'Set priority, tags, depends_on of task "Αλφα".',
  ],
  "src/rules/define_step.ts": [
    'Defined title, success_criteria, tests, blockers, depends_on, packet, proof, confirm, files of s:0 "Αλφα".',
  ],
  "src/rules/delete.ts": [
    'Deleted s:0 "Αλφα".',
    'Deleted s:0 "Αλφα" and 2 steps below it.',
    'Deleted s:0 "Αλφα" and 1 step below it.',
    'Deleted task "Αλφα".',
  ],
  "src/rules/edit_entity.ts": [
    'Edited title, description, context, priority, tags, depends_on, domain of task "Αλφα".',
    'Edited contract, contract_data of plan "Αλφα".',
  ],
  "src/rules/generate_report.ts": ["Reported on 2 agents: αλφα?", "Reported on 1 agent."],
  "src/rules/lease.ts": [
    'Claimed task "Αλφα" until 2026-11-23T10:00:00.000Z.',
    'Renewed the claim on s:0 "Αλφα" until 2026-11-23T10:00:00.000Z.',
    'Claimed task "Αλφα" for 1 h 30 min.',
    'Renewed the claim on s:0 "Αλφα" for 2 days 1 s.',
    'Released the claim on task "Αλφα".',
    'Released the claim of αλφα on s:0 "Αλφα": βητα!',
  ],
  "src/rules/note_step.ts": [
    'Noted on "Αλφα": βητα γαμμα?',
    'Noted on s:0 "Αλφα": στοπ!',
    'Noted on "Αλφα: βητα": γαμμα.',
  ],
  "src/rules/packet/archive_packet.ts": [
    "Archived the packet.",
    "Archived the packet without 3 outputs.",
    "Restored the packet from the archive.",
  ],
  "src/rules/packet/define_packet.ts": ["Defined the packet: αλφα, stages α_1, α_2."],
  "src/rules/packet/finish_stage.ts": [
    "Stage α_1 ended with exit code 1.",
    "Stage α_1 passed its gate.",
    "The brief named the commands that verify the work.",
    "The brief named no commands: those of the manifest count.",
    "Stage α_1 failed (scope_violation): αλφα?",
  ],
  "src/rules/packet/import_packet.ts": [
    "Took in stage α_1, done, as another program left it.",
    "Took in stage α_1, not done, as another program left it.",
    "Took in what another program counted: 3 paid calls.",
    "Took in the commands that verify the work.",
    "Reopened stage α_1: its marker was deleted.",
    "The commands of the brief were deleted: those of the manifest count.",
  ],
  "src/rules/packet/set_input.ts": ["Took inputs/α.δ away.", "Set inputs/α β.δ."],
  "src/rules/packet/start_stage.ts": ["Started stage α_1, attempt 2."],
  "src/rules/packet/stop_stage.ts": [
    "Stage α_1 was interrupted: αλφα!",
    "Reopened stage α_1: αλφα?",
    "Reset retry_budget, of which 3 were used: αλφα.",
  ],
  "src/rules/readopt_task.ts": ["Took in what another program changed: title, status."],
  "src/rules/reopen_step.ts": [
    'Reopened s:0 "Αλφα": βητα?',
    'Reopened s:0 "Αλφα": a step below it is open again.',
    'Reopened s:0 "Αλφα": steps were added.',
    'Reopened s:0 "Αλφα": not all of its checkpoints are confirmed any more.',
    'Reopened s:0 "Αλφα": what it has to fulfil was changed.',
    'Task "Αλφα" is ACTIVE again: there is an open step in it.',
  ],
  "src/rules/scaffold.ts": ['Set the checklist of plan "Αλφα" to 3 items.'],
  "src/rules/set_contract.ts": ['Set the contract of plan "Αλφα 2.0".', 'Cleared the contract of plan "Αλφα".'],
  "src/rules/task_node.ts": [
    'Added task node s:0.t:0 "Αλφα".',
    'Defined title, status, priority, description, context, success_criteria, next_steps, blockers, dependencies, problems, risks of task node s:0.t:0 "Αλφα".',
    'Deleted task node s:0.t:0 "Αλφα".',
  ],
  "src/rules/think.ts": [
    "Framed the question: αλφα?",
    "Supposed: αλφα.",
    "Set a test: αλφα!",
    "Saw: αλφα…",
    "Decided: αλφα.",
    "Noted the decision: αλφα?",
    "Thought: αλφα.",
  ],
  "src/rules/undo.ts": ['Undid: Closed s:0 "Αλφα".', 'Redid: Noted on "Αλφα": βητα?'],
  "src/rules/update_plan.ts": [
    'Set the checklist of plan "Αλφα" to 1 item.',
    'Named the document of plan "Αλφα" δ/αλφα.μδ.',
    'Plan "Αλφα" is at 1 of 3.',
  ],
  "src/rules/verify_step.ts": [
    'Confirmed criteria, tests of s:0 "Αλφα".',
    'Took back docs of s:0 "Αλφα".',
    'Confirmed criteria and took back perf of s:0 "Αλφα".',
  ],
};

/** The arguments of each call of this name, as they stand in the source. */
function argumentsOf(code: string, call: RegExp): string[] {
  return [...code.matchAll(call)].map((found) => {
    const begin = found.index + found[0].length;
    let depth = 1;
    let at = begin;
    for (; depth > 0; at++) depth += code[at] === "(" ? 1 : code[at] === ")" ? -1 : 0;
    return code.slice(begin, at - 1);
  });
}

/** The texts that a source gives its events to say, each as what an example has to look like. */
function formsIn(code: string): RegExp[] {
  const said = [
    ...argumentsOf(code, /\bsentence\(/g),
    ...argumentsOf(code, /\w\.draft\(/g).flatMap((body) => /\bmessage: (?=[`"])[^\n]*/.exec(body)?.[0] ?? []),
    ...[...code.matchAll(/\b(?:const message|message): (?:= )?((?:`Took |"Took )[^\n]*)/g)].map(([, text]) => text!),
    ...[...code.matchAll(/const (?:message|lines) =([^;]*);/g)].map(([, text]) => text!),
  ];
  const texts = said.flatMap((text) => text.match(/`[^`]*`|"[^"\n]*"/g) ?? []).map((text) => text.slice(1, -1));
  return texts
    .filter((text) => /^[A-Z]/.test(text) && !text.startsWith("Expected"))
    .map(
      (text) =>
        new RegExp(
          `^${text
            .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "\0")
            .replace(/[.*+?^()|[\]\\]/g, "\\$&")
            .replaceAll("\0", ".*")}`,
        ),
    );
}

/** Its sentence names a file of the server, for programs (PAGE-52). */
const NAMES_A_PLACE = "viewer/src/data/source.ts";

const GOLDEN = join(import.meta.dirname, "../golden");

interface Shown {
  sentences: Sentence[];
  logged: string[];
}

/** Every sentence of these that a page shows, from what stands in a folder. */
async function shownIn(root: string): Promise<Shown> {
  const viewer = viewerOf(root);
  const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
  const sentences: Sentence[] = [];
  const logged: string[] = [];
  for (const { id, source } of rows) {
    const { radar, steps, packet, recent } = await read<EntityAnswer>(viewer, `entities/${id}.json`);
    sentences.push(radar.now, ...radar.next, ...radar.verify, ...radar.blockers);
    sentences.push(...steps.flatMap(({ due }) => due), ...(packet ? [packet.next.action] : []));
    logged.push(...recent.map(({ message }) => message));
    if (source === "coco") continue;
    const { ops } = await read<HistoryAnswer>(viewer, `entities/${id}/history/0.json`);
    logged.push(...ops.map(({ message }) => message));
  }
  const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
  sentences.push(...lanes.flatMap(({ waits }) => waits.flatMap(({ why }) => why)));
  const { needs_you } = await read<StatusAnswer>(viewer, "status.json");
  sentences.push(...needs_you.map(({ why }) => why));
  return { sentences, logged: [...new Set(logged)].filter((one) => one !== "") };
}

describe("Chinese pages", () => {
  it("[PAGE-6] sentences of radar, history, packets and lanes are Chinese", async () => {
    const isEnglish = (chinese: string): boolean => !/\p{Script=Han}/u.test(chinese.replace(/"[^"]*"/g, ""));
    for (const name of readdirSync(GOLDEN)) {
      const { sentences, logged } = await shownIn(join(GOLDEN, name));
      expect(sentences.length).toBeGreaterThan(5);
      expect(sentences.map(sentenceInChinese).filter(isEnglish)).toEqual([]);
      expect(logged.filter((one) => isEnglish(loggedInChinese(one)))).toEqual([]);
    }
  });

  it("[VIEWER-156] every form of a sentence of the engine has Chinese words, and no Chinese words are of another form", () => {
    const keys = sentenceKeys();
    expect(keys.size).toBeGreaterThan(100);
    expect(Object.keys(KEYS).filter((key) => !keys.has(key))).toEqual([]);
    expect([...keys].filter(([key]) => !Object.hasOwn(KEYS, key))).toEqual([]);
    const placesOf = (text: string): string[] => [...text.matchAll(/\{(\d+)/g)].map(([, at]) => at!).toSorted();
    for (const [key, chinese] of Object.entries(KEYS)) expect(placesOf(chinese), key).toEqual(placesOf(key));
    // A form of signs and values alone has the signs of Chinese.
    const isEnglish = ([key, chinese]: [string, string]): boolean =>
      /[a-z]/i.test(key) && !/\p{Script=Han}/u.test(chinese);
    expect(Object.entries(KEYS).filter(isEnglish)).toEqual([["{0} by {1}", "{0}（{1}）"]]);
  });

  it("[VIEWER-156] a key is the constant words of a sentence, whatever stands in its values", () => {
    const waits = phrased`Waits for ${"TASK-1 {1}"} (${["a", phrased`and ${2} more`]})`;
    expect([waits.text, waits.key]).toEqual(["Waits for TASK-1 {1} (a, and 2 more)", "Waits for {0} ({1})"]);
    expect(sentenceInChinese(waits)).toBe("等待 TASK-1 {1}（a、以及另外 2 项）");
    expect(JSON.parse(JSON.stringify(phrased`Finish task`))).toEqual({ text: "Finish task", key: "Finish task" });
    expect(sentenceInChinese({ text: "A later form of X", key: "A later form of {0}", args: ["X"] })).toBe(
      "A later form of X",
    );
    expect(sentenceInChinese(asIs("Finish task"))).toBe("Finish task");
  });

  it("[VIEWER-156] demands on a step have the same words as before, alone, behind it, and with it", () => {
    const step = "s:0 Αλφα";
    const list = ["criteria", "tests"];
    const chinese = [
      phrased`${step}: ${phrased`confirm ${list}`}`,
      phrased`Confirm ${list} for ${step}`,
      phrased`Attach proof of ${list} for ${step}`,
      phrased`Run again what failed for ${list} for ${step}`,
      phrased`Nothing: the ${"task"} is ${"FAILED"}`,
      phrased`Claim the ${"plan"} when the claim of ${"agent:ada"} ends: ${"2026-03-01T10:00:00Z"}`,
      phrased`Wait for a claim to end: ${phrased`no task is ready, ${1} claimed${phrased` (the first claim ends at ${"T"})`}, ${0} blocked`}`,
      phrased`${phrased`repair the command of ${"codex"}`}, then ${phrased`retry ${"codex_impl"}${phrased` (${1} of ${2})`}`}`,
      phrased`${phrased`fix the scope and reset retry_budget`}, or stop`,
      phrased`${['"a.ts"', '"b.ts"']}${phrased` and ${2} more files`} changed since (${phrased`commit ${"0a1b"}`})`,
    ].map(sentenceInChinese);
    expect(chinese).toEqual([
      "s:0 Αλφα：确认标准、测试",
      "确认 s:0 Αλφα 的标准、测试",
      "为 s:0 Αλφα 附上标准、测试的证明",
      "重新运行 s:0 Αλφα 的标准、测试中失败的命令",
      "无需再做什么：任务已失败",
      "在 agent:ada 的认领于 2026-03-01T10:00:00Z 结束后认领计划",
      "等待认领结束：没有就绪的任务，1 个已认领（第一个认领于 T 结束），0 个受阻",
      "修复 codex 的命令，再重试 codex_impl（第 1 次，共 2 次）",
      "修正范围，并重置重试预算（retry_budget），或停止",
      '"a.ts"、"b.ts" 等另外 2 个文件 此后已更改（提交 0a1b）',
    ]);
  });

  it("[PAGE-6] a label has the colon of its language: no page joins one itself", () => {
    const joins = /[^\s]\}:(?: |[^\S\n]*[<{$`])|": "/;
    // What it has to find: in a template, between two elements, behind one, and in a sum.
    for (const bad of ["`${a}: ${b}`", "{a}: {b}", "<b>{a}:</b> {c}", 'a + ": " + b']) expect(bad).toMatch(joins);
    const pages = filesBelow("viewer/src", ".ts").concat(filesBelow("viewer/src", ".tsx"));
    const found = pages
      .filter((path) => !path.startsWith("viewer/src/text/") && path !== NAMES_A_PLACE)
      .flatMap((path) => {
        const lines = readFileSync(join(ROOT, path), "utf8").split("\n");
        return lines
          .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && joins.test(line))
          .map((line) => `${path}: ${line}`);
      });
    expect(pages.length).toBeGreaterThan(80);
    expect(found).toEqual([]);
  });

  it("[PAGE-6] what stands around Chinese words has no blanks and signs of English", () => {
    expect(sentenceInChinese(phrased`The ${"task"} is open, and the claim of ${"agent:ada"} ended`)).toBe(
      "任务未完成，agent:ada 的认领已到期",
    );
    expect(sentenceInChinese(phrased`${"s:0 Αλφα"} is open, and the claim of ${"agent:ada"} ended`)).toBe(
      "s:0 Αλφα 未完成，agent:ada 的认领已到期",
    );
    expect(
      sentenceInChinese(
        phrased`${phrased`${phrased`${"s:0 Αλφα"} is blocked${phrased`: ${"βητα"}`}`}; it waits for: ${"γαμμα"}`}; the claim of ${["agent:ada"]} ended`,
      ),
    ).toBe("s:0 Αλφα 受阻：βητα；等待：γαμμα；agent:ada 的认领已到期");
    const at = "2026-03-01T10:00:00Z";
    const now = Date.parse(at) + 5000;
    expect(relativeTime(at, now, zh.locale, zh.justNow)).toBe("刚刚");
    expect(relativeTime(at, now, en.locale, en.justNow)).toBe("just now");
  });

  it("[PAGE-6] what users wrote stays as it is, and so does a sentence of another form", () => {
    expect(loggedInChinese('Closed s:0 "One. Two".')).toBe('关闭 s:0 "One. Two"。');
    expect(loggedInChinese('Blocked s:1 "Two": waits for: it.')).toBe('s:1 "Two" 受阻：waits for: it.');
    expect(loggedInChinese('Confirmed criteria, tests of s:0 "A". Closed s:0 "A".')).toBe(
      '确认 s:0 "A" 的标准、测试。关闭 s:0 "A"。',
    );
    expect(sentenceInChinese(phrased`${"s:1 Write"} is blocked${phrased`: ${"waits for: it"}`}`)).toBe(
      "s:1 Write 受阻：waits for: it",
    );
    expect(loggedInChinese("A sentence of a later release")).toBe("A sentence of a later release");
  });

  it("[PAGE-6] every sentence that a rule writes to the log is Chinese, and the words of callers stand in it with their signs", () => {
    const writers = sources().filter(({ path, code }) => !path.startsWith("src/events/") && /\w\.draft\(/.test(code));
    for (const { path, text } of writers) {
      const forms = formsIn(text);
      const examples = WRITTEN[path] ?? [];
      for (const one of forms)
        expect(
          examples.some((example) => one.test(example)),
          `${path}: ${one.source}`,
        ).toBe(true);
    }
    expect(writers.flatMap(({ text }) => formsIn(text)).length).toBeGreaterThan(50);
    expect(Object.keys(WRITTEN).filter((path) => !writers.some((one) => one.path === path))).toEqual([]);
    expect(writers.filter(({ path }) => !(path in WRITTEN)).map(({ path }) => path)).toEqual([]);
    for (const example of Object.values(WRITTEN).flat()) {
      const chinese = loggedInChinese(example);
      const english = chinese.replace(
        /\b(?:TASK|PLAN)-\d+|\b[st]:\d+|inputs\/|goals|notes\.md|retry_budget|task\.yaml|\S+T\S+Z/g,
        "",
      );
      expect(english, example).not.toMatch(/[A-Za-z]/);
      expect(chinese, example).toMatch(/\p{Script=Han}/u);
      for (const own of example.match(/"[^"]*"|(?<=: )[^"A-Z]*[Ͱ-Ͽ][?!…]$/gu) ?? []) expect(chinese).toContain(own);
    }
  });

  it("[PAGE-6] signs of callers stay, and a message of many sentences is Chinese", () => {
    expect(loggedInChinese('Noted on "A": Shall we ship?')).toBe('在 "A" 记下：Shall we ship?');
    expect(loggedInChinese('Noted on "A": Stop! Closed s:0 "B".')).toBe('在 "A" 记下：Stop! 关闭 s:0 "B"。');
    expect(loggedInChinese('Blocked s:0 "A": who?')).toBe('s:0 "A" 受阻：who?');
    expect(loggedInChinese('Noted on "A": 完成了。.')).toBe('在 "A" 记下：完成了。');
    expect(loggedInChinese('Set the contract of plan "Parser 2.0".')).toBe('设定计划 "Parser 2.0" 的合约。');
    const inputs = Array.from({ length: 30 }, (_, n) => ` Set inputs/${n}.md.`).join("");
    expect(loggedInChinese(`Defined the packet: x, stages a, b.${inputs}`)).not.toMatch(/Set|stages|Defined/);
  });

  it("[PAGE-6] a Chinese sentence ends with a sign of Chinese, and no full stop of English stands in it", () => {
    expect(loggedInChinese('Added 3 steps to "A".')).toBe('为 "A" 添加 3 个步骤。');
    expect(loggedInChinese('Captured 2 pieces of evidence on s:1 "A. B".')).toBe('为 s:1 "A. B" 捕获 2 份证据。');
    expect(loggedInChinese('Created task "A". Set inputs/a.md. Took in stage x_y, not done, as another …')).toBe(
      '创建任务 "A"。写入 inputs/a.md。Took in stage x_y, not done, as another …',
    );
    for (const example of Object.values(WRITTEN).flat())
      expect(loggedInChinese(example).replace(/"[^"]*"/g, ""), example).not.toMatch(/\.\s*\p{Script=Han}/u);
  });

  it("[PAGE-6] reasons of gates, advice and what a check found are Chinese; a reason of a caller stays", () => {
    for (const text of FAILURE_CLASSES.flatMap(suggestedActions))
      expect(reasonInChinese(text), text).toMatch(/\p{Script=Han}.*。$/u);
    expect(zh.reason(phrased`Expected the tool to end with exit code 0; found that it ran out of time.`)).toBe(
      "工具应以退出码 0 结束，实际已超时。",
    );
    expect(loggedInChinese("Stage a_b was interrupted: its dispatcher is gone.")).toBe(
      "阶段 a_b 被中断：它的调度进程已不在。",
    );
    expect(reasonInChinese("waiting for Ann.")).toBe("waiting for Ann.");
    expect(sentenceInChinese(phrased`${"src/a.ts"} is not there`)).toBe("src/a.ts 不存在");
    const sides = phrased`${phrased`${'"a"'} by ${"x"}`} or ${phrased`${'"b"'} by ${"y"} (shown)`}`;
    expect(sentenceInChinese(phrased`Conflict on ${"s:0 title"}: ${sides}${""}; write it again to resolve it`)).toBe(
      's:0 标题有冲突："a"（x）或 "b"（y，当前显示）；重新写入即可解决',
    );
  });

  it("[PAGE-6] a reason of a gate is Chinese by the form that the log keeps, and a form that does not make its text is none", () => {
    const given = (change: object) => ({
      out: "x",
      exit_code: 0,
      scope: { allow: ["src"], deny: [] },
      changed_paths: ["docs/a.md", "tmp/.gitignore"],
      applies: null,
      acceptance: null,
      commands: ["npm test"],
      ...change,
    });
    const reasonsOf = (role: string, change: object): string[] => {
      const { reasons, forms } = judgeGate(role, given(change));
      const kept = JSON.parse(JSON.stringify(forms)) as typeof forms;
      expect(kept.every((form) => form !== null)).toBe(true);
      return reasons.map((reason, i) => zh.reason(keptSentence(reason, kept[i])));
    };
    expect(reasonsOf("verify", {})).toEqual([
      '应有验收命令 "npm test" 的结果，实际没有运行。',
      '更改应在范围之内，但 "docs/a.md" 不在：scope.allow 未列出它。',
      '更改应在范围之内，但 "tmp/.gitignore" 不在：scope.allow 未列出它。该文件夹有自己的忽略规则：如果它由工具创建，请在运行前将 "tmp/" 加入 .gitignore。',
    ]);
    expect(reasonsOf("impl", { exit_code: 3 })).toEqual(["工具应以退出码 0 结束，实际退出码为 3。"]);
    expect(reasonsOf("test_design", { changed_paths: [] })).toEqual(["测试设计至少应有 10 行，实际有 1 行。"]);
    for (const reason of reasonsOf("brief", { out: "# Goal\n\n```\n## Plan\n```", changed_paths: [] }))
      expect(reason).toMatch(/\p{Script=Han}.*。$/u);
    const form = { key: "Expected at least {0} lines of test design; found {1}.", args: ["10", "2"] };
    expect(zh.reason(keptSentence("Another text.", form))).toBe("Another text.");
    expect(keptSentence("Another text.", null)).toEqual({ text: "Another text." });
  });

  it("[PAGE-6] durations have the units of the language", () => {
    expect([4.26, 45, 303, 3900].map((n) => duration(n, zh.durations))).toEqual([
      "4.3 秒",
      "45 秒",
      "5 分 03 秒",
      "1 小时 05 分 00 秒",
    ]);
    expect([45, 303, 3900].map((n) => duration(n, en.durations))).toEqual(["45 s", "5:03 min", "1:05:00 h"]);
  });

  it("[PAGE-6] every finding that is explained is explained in Chinese", () => {
    const source = readFileSync(join(import.meta.dirname, "../../src/engine/core/findings_explained.ts"), "utf8");
    const codes = [...source.matchAll(/\[\s*"((?:[A-Z]+(?:_[A-Z]+)+ ?)+)",/g)].flatMap(([, list]) => list!.split(" "));
    expect(codes.length).toBeGreaterThan(50);
    expect(Object.keys(ZH_FINDINGS).toSorted()).toEqual(codes.toSorted());
  });
});
