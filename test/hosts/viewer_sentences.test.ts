/** Sentences of the engine and of its log on Chinese pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentsAnswer, BoardAnswer, EntityAnswer, HistoryAnswer } from "../../src/views/viewer/api.ts";
import { sentenceInChinese } from "../../viewer/src/text/zh_sentences.ts";
import { suggestedActions } from "../../src/rules/packet/triage.ts";
import { FAILURE_CLASSES } from "../../src/state/packet.ts";
import { en } from "../../viewer/src/text/en.ts";
import { duration, relativeTime } from "../../viewer/src/text/format.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { checkInChinese, reasonInChinese } from "../../viewer/src/text/zh_reasons.ts";
import { ZH_FINDINGS } from "../../viewer/src/text/zh_findings.ts";
import { filesBelow, ROOT, sources } from "../support/source.ts";
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
    ...[...code.matchAll(/const (?:message|said|lines) =([^;]*);/g)].map(([, text]) => text!),
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

/** Functions of these names make lines of what is next. */
const SAYS = /^(?:export )?function (?:nextOf|nextOfStep|nextOfPlan|finishOf|whileHeld|dueLines)\(/;

/** The texts of those functions: all that begin with a capital letter. */
function nextIn(source: string): string[] {
  const bodies = source.split(/^(?=\/\*\*|export |function )/m).filter((body) => SAYS.test(body));
  const texts = bodies.flatMap(
    (body) => body.match(/`(?:[^`$]|\$\{(?:[^{}`]|`[^`]*`|\{[^}]*\})*\})*`|"[^"\n]*"/g) ?? [],
  );
  return texts.map((text) => text.slice(1, -1)).filter((text) => /^[A-Z][a-z]+ |^Nothing/.test(text));
}

/** Some that the functions above have to be found by. */
const FUNCTIONS_SAY = ["Finish task", "Add steps to this task", "Finish plan: every task is DONE"];

/** What stands in the places of those texts. A place that no line names takes the name of a step. */
const PLACES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^step \?/, ["s:0 Αλφα", "the task", "the plan"]],
  [/kind\}?`?$/, ["plan", "task"]],
  [/status/, ["DONE", "FAILED"]],
  [/checkpoints/, ["tests, docs"]],
  [/itemsBehind/, ["2"]],
  [/length/, ["3"]],
  [
    /nothingReady/,
    ["1", "2"].map(
      (n) =>
        `no task is ready, ${n} claimed${n === "1" ? "" : " (the first claim ends at 2026-03-01T10:00:00Z)"}, 0 blocked`,
    ),
  ],
  [/timeText/, ["2026-03-01T10:00:00Z"]],
  [/(?:lease|held)\.by/, ["agent:ada"]],
  [/task\.id/, ["TASK-001"]],
  [/nameOf/, ["TASK-001 Αλφα"]],
  [/piece|blockersText/, ["αλφα"]],
];

function examplesOf(text: string): string[] {
  const place = /\$\{((?:[^{}`]|`[^`]*`)*)\}/.exec(text);
  if (!place) return [text];
  const values = PLACES.find(([of]) => of.test(place[1]!))?.[1] ?? ["s:0 Αλφα"];
  return values.flatMap((value) => examplesOf(text.replace(place[0], () => value)));
}

/** Its sentence names a file of the server, for programs (PAGE-52). */
const NAMES_A_PLACE = "viewer/src/data/source.ts";

const GOLDEN = join(import.meta.dirname, "../golden");

/** Every sentence of these that a page shows, from what stands in a folder. */
async function sentencesIn(root: string): Promise<string[]> {
  const viewer = viewerOf(root);
  const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
  const said: string[] = [];
  for (const { id, source } of rows) {
    const { radar, steps, packet, recent } = await read<EntityAnswer>(viewer, `entities/${id}.json`);
    said.push(radar.now, ...radar.next, ...radar.verify, ...radar.blockers);
    said.push(...steps.flatMap(({ due }) => due), ...(packet ? [packet.next.action] : []));
    said.push(...recent.map(({ message }) => message));
    if (source === "coco") continue;
    const { ops } = await read<HistoryAnswer>(viewer, `entities/${id}/history/0.json`);
    said.push(...ops.map(({ message }) => message));
  }
  const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
  said.push(...lanes.flatMap(({ waits }) => waits.flatMap(({ why }) => why)));
  return [...new Set(said)].filter((one) => one !== "");
}

describe("Chinese pages", () => {
  it("[PAGE-12] sentences of radar, history, packets and lanes are Chinese", async () => {
    for (const name of readdirSync(GOLDEN)) {
      const said = await sentencesIn(join(GOLDEN, name));
      expect(said.length).toBeGreaterThan(5);
      expect(said.filter((one) => !/\p{Script=Han}/u.test(sentenceInChinese(one).replace(/"[^"]*"/g, "")))).toEqual([]);
    }
  });

  it("[PAGE-12] every sentence that radar says of what is next is Chinese", () => {
    const texts = ["src/views/radar.ts", "src/views/plan_tasks.ts"].flatMap((path) =>
      nextIn(sources().find((one) => one.path === path)!.text),
    );
    expect(texts).toEqual(expect.arrayContaining([...FUNCTIONS_SAY]));
    for (const text of texts)
      for (const example of examplesOf(text)) {
        const english = sentenceInChinese(example).replaceAll(/agent:ada|s:0|TASK-001|\S+T\S+Z/g, "");
        expect(english, example).toMatch(/\p{Script=Han}/u);
        expect(english, example).not.toMatch(/[A-Za-z]/);
      }
  });

  it("[PAGE-12] a label has the colon of its language: no page joins one itself", () => {
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

  it("[PAGE-12] what stands around Chinese words has no blanks and signs of English", () => {
    expect(sentenceInChinese("The task is open, and the claim of agent:ada ended")).toBe(
      "任务未完成，agent:ada 的认领已到期",
    );
    expect(sentenceInChinese("s:0 Αλφα is open, and the claim of agent:ada ended")).toBe(
      "s:0 Αλφα 未完成，agent:ada 的认领已到期",
    );
    expect(sentenceInChinese("s:0 Αλφα is blocked: βητα; it waits for: γαμμα; the claim of agent:ada ended")).toBe(
      "s:0 Αλφα 受阻：βητα；等待：γαμμα；agent:ada 的认领已到期",
    );
    const at = "2026-03-01T10:00:00Z";
    const now = Date.parse(at) + 5000;
    expect(relativeTime(at, now, zh.locale, zh.justNow)).toBe("刚刚");
    expect(relativeTime(at, now, en.locale, en.justNow)).toBe("just now");
  });

  it("[PAGE-12] what users wrote stays as it is, and so does a sentence of another form", () => {
    expect(sentenceInChinese('Closed s:0 "One. Two".')).toBe('关闭 s:0 "One. Two"。');
    expect(sentenceInChinese('Blocked s:1 "Two": waits for: it.')).toBe('s:1 "Two" 受阻：waits for: it.');
    expect(sentenceInChinese('Confirmed criteria, tests of s:0 "A". Closed s:0 "A".')).toBe(
      '确认 s:0 "A" 的标准、测试。关闭 s:0 "A"。',
    );
    expect(sentenceInChinese("s:1 Write: confirm criteria, tests")).toBe("s:1 Write：确认标准、测试");
    expect(sentenceInChinese("A sentence of a later release")).toBe("A sentence of a later release");
  });

  it("[PAGE-47] every sentence that a rule writes to the log is Chinese, and the words of callers stand in it with their signs", () => {
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
      const chinese = sentenceInChinese(example);
      const english = chinese.replace(
        /\b(?:TASK|PLAN)-\d+|\b[st]:\d+|inputs\/|goals|notes\.md|retry_budget|task\.yaml|\S+T\S+Z/g,
        "",
      );
      expect(english, example).not.toMatch(/[A-Za-z]/);
      expect(chinese, example).toMatch(/\p{Script=Han}/u);
      for (const own of example.match(/"[^"]*"|(?<=: )[^"A-Z]*[Ͱ-Ͽ][?!…]$/gu) ?? []) expect(chinese).toContain(own);
    }
  });

  it("[PAGE-47] signs of callers stay, and a message of many sentences is Chinese", () => {
    expect(sentenceInChinese('Noted on "A": Shall we ship?')).toBe('在 "A" 记下：Shall we ship?');
    expect(sentenceInChinese('Noted on "A": Stop! Closed s:0 "B".')).toBe('在 "A" 记下：Stop! 关闭 s:0 "B"。');
    expect(sentenceInChinese('Blocked s:0 "A": who?')).toBe('s:0 "A" 受阻：who?');
    expect(sentenceInChinese('Noted on "A": 完成了。.')).toBe('在 "A" 记下：完成了。');
    expect(sentenceInChinese('Set the contract of plan "Parser 2.0".')).toBe('设定计划 "Parser 2.0" 的合约。');
    const inputs = Array.from({ length: 30 }, (_, n) => ` Set inputs/${n}.md.`).join("");
    expect(sentenceInChinese(`Defined the packet: x, stages a, b.${inputs}`)).not.toMatch(/Set|stages|Defined/);
  });

  it("[PAGE-86] a Chinese sentence ends with a sign of Chinese, and no full stop of English stands in it", () => {
    expect(sentenceInChinese('Added 3 steps to "A".')).toBe('为 "A" 添加 3 个步骤。');
    expect(sentenceInChinese('Captured 2 pieces of evidence on s:1 "A. B".')).toBe('为 s:1 "A. B" 捕获 2 份证据。');
    expect(sentenceInChinese('Created task "A". Set inputs/a.md. Took in stage x_y, not done, as another …')).toBe(
      '创建任务 "A"。写入 inputs/a.md。Took in stage x_y, not done, as another …',
    );
    for (const example of Object.values(WRITTEN).flat())
      expect(sentenceInChinese(example).replace(/"[^"]*"/g, ""), example).not.toMatch(/\.\s*\p{Script=Han}/u);
  });

  it("[PAGE-86] reasons of gates, advice and what a check found are Chinese; a reason of a caller stays", () => {
    for (const text of FAILURE_CLASSES.flatMap(suggestedActions))
      expect(reasonInChinese(text), text).toMatch(/\p{Script=Han}.*。$/u);
    expect(reasonInChinese("Expected the tool to end with exit code 0; found that it ran out of time.")).toBe(
      "工具应以退出码 0 结束，实际已超时。",
    );
    expect(sentenceInChinese("Stage a_b was interrupted: its dispatcher is gone.")).toBe(
      "阶段 a_b 被中断：它的调度进程已不在。",
    );
    expect(reasonInChinese("waiting for Ann.")).toBe("waiting for Ann.");
    expect(checkInChinese("src/a.ts is not there")).toBe("src/a.ts 不存在");
    expect(sentenceInChinese('Conflict on s:0 title: "a" by x or "b" by y (shown); write it again to resolve it')).toBe(
      's:0 标题有冲突："a"（x）或 "b"（y，当前显示）；重新写入即可解决',
    );
  });

  it("[PAGE-86] every reason of a gate is Chinese", () => {
    const gate = readFileSync(join(import.meta.dirname, "../../src/rules/packet/gate.ts"), "utf8");
    const shape = (text: string): string =>
      text
        .replace("${title}", "Goal")
        .replace("${where}", "")
        .replace("${nearest(text, title)}", "none")
        .replace("${end}", "1")
        .replace("${said}", 'acceptance command "npm test"')
        .replace("${found}", '"a"')
        .replace("${why}", "which scope.allow does not name")
        .replace(/\$\{ignoredByItself\(path\)\}/, "")
        .replace("${path}", "a.ts")
        .replace(/\$\{[^}]*\}/g, "3");
    const reasons = [...gate.matchAll(/(?:text: |text = |refused = )(["'`])(Expected .*?)\1[,; }]/g)].map(
      ([, , text]) => shape(text!),
    );
    expect(reasons.length).toBeGreaterThan(12);
    // Pieces of a hand-off's limits stand apart from their sentence.
    expect(reasons.filter((one) => reasonInChinese(one) === one)).toEqual(["Expected 3."]);
    for (const piece of ["an updated context pack of at most 9 bytes; found 10", "at most 9 verify commands; found 10"])
      expect(reasonInChinese(`Expected ${piece}.`)).toMatch(/。$/u);
  });

  it("[PAGE-86] durations have the units of the language", () => {
    expect([4.26, 45, 303, 3900].map((n) => duration(n, zh.durations))).toEqual([
      "4.3 秒",
      "45 秒",
      "5 分 03 秒",
      "1 小时 05 分 00 秒",
    ]);
    expect([45, 303, 3900].map((n) => duration(n, en.durations))).toEqual(["45 s", "5:03 min", "1:05:00 h"]);
  });

  it("[PAGE-12] every finding that is explained is explained in Chinese", () => {
    const source = readFileSync(join(import.meta.dirname, "../../src/engine/core/findings_explained.ts"), "utf8");
    const codes = [...source.matchAll(/\[\s*"((?:[A-Z]+(?:_[A-Z]+)+ ?)+)",/g)].flatMap(([, list]) => list!.split(" "));
    expect(codes.length).toBeGreaterThan(50);
    expect(Object.keys(ZH_FINDINGS).toSorted()).toEqual(codes.toSorted());
  });
});
