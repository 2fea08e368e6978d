/** Folders that would freeze the viewer: short texts that make long pages, and logs that make long answers. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentsAnswer, EntityAnswer, HealthAnswer, HistoryAnswer } from "../../src/views/viewer/api.ts";
import { markdownHtml } from "../../viewer/src/lazy/markdown_html.ts";
import { inTurn } from "../../viewer/src/parts/in_turn.ts";
import { splitTimes } from "../../viewer/src/parts/split_times.ts";
import { withGaps } from "../../viewer/src/parts/with_gaps.ts";
import { phrased } from "../../src/sentence.ts";
import { loggedInChinese } from "../../viewer/src/text/zh_logs.ts";
import { sentenceInChinese } from "../../viewer/src/text/zh_sentences.ts";
import type { OpSpec } from "../support/logs.ts";
import { buildLog, creation } from "../support/logs.ts";
import { logPath, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

const DAY = 86_400_000;

/** A viewer of one task whose log was written by hand. */
function viewerOfLog(specs: OpSpec[]): ReturnType<typeof viewerOf> {
  const { root } = openTemp();
  const path = logPath(root, "TASK-001");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, buildLog([{ events: [creation("Created.") as never] }, ...specs]).bytes);
  return viewerOf(root);
}

/** Counts looks into maps, from the call of it to that of its result. */
function looksAtMaps(): () => number {
  let count = 0;
  const own = Object.getOwnPropertyDescriptor(Map.prototype, "get")!;
  const look = own.value as (this: Map<unknown, unknown>, key: unknown) => unknown;
  const counting = function (this: Map<unknown, unknown>, key: unknown): unknown {
    count++;
    return look.call(this, key);
  };
  Object.defineProperty(Map.prototype, "get", { ...own, value: counting });
  return () => {
    Object.defineProperty(Map.prototype, "get", own);
    return count;
  };
}

function edit(message: string, title: string): OpSpec {
  return { events: [{ type: "task.edited", payload: { message, patch: { title } } }] };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("Markdown of a folder", () => {
  const table = (columns: number, rows: number): string =>
    `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n${"|a\n".repeat(rows)}\n`;
  const HOSTILE = {
    "one table": table(255, 255),
    tables: table(255, 255).repeat(50),
    "a quoted table": table(255, 255).replace(/^(?=.)/gm, "> "),
    "lines that end with CR": table(255, 255).replaceAll("\n", "\r"),
    "a line of other spaces": table(255, 128).replaceAll("|a\n|a\n", "|a\n\u00A0\n"),
    "one long address": `[a]: http://${"x".repeat(50_000)}\n\n${"[a]".repeat(10_000)}`,
  };

  it("[regression PAGE-100] a text whose HTML would have more elements than there is room for is no HTML", () => {
    for (const [name, text] of Object.entries(HOSTILE)) {
      expect(text.length, name).toBeLessThan(100_000);
      expect(markdownHtml(text, 10_000), name).toBeUndefined();
    }
    expect(markdownHtml("a ".repeat(50_001), 10_000)).toBeUndefined();
    expect(markdownHtml("- a\n".repeat(3000), 2000)).toBeUndefined();
  });

  it("[regression PAGE-100] a text that has room is HTML, and its elements are counted", () => {
    for (const text of ["", "A *b* `c`.", `# A\n\n- b\n- [c](/d)\n\n${table(3, 20)}`, table(100, 90)]) {
      const { html, elements } = markdownHtml(text, 10_000)!;
      expect(elements).toBe(html.match(/<[a-z]/g)?.length ?? 0);
    }
  });

  it("[regression PAGE-100] texts are drawn in slices, in their order, and one that left the page is not drawn", () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const drawn: number[] = [];
    const takeBack = Array.from({ length: 6 }, (_, n) =>
      inTurn(() => {
        drawn.push(n);
        now += 30;
      }),
    );
    expect(drawn).toEqual([0, 1]);
    takeBack[3]!();
    vi.runAllTimers();
    expect(drawn).toEqual([0, 1, 2, 4, 5]);
  });
});

describe("bars of a folder", () => {
  const days = Array.from({ length: 1000 }, (_, n) => new Date(Date.UTC(2026, 0, 1) + (n - 1000) * 400 * DAY));

  it("[regression PAGE-101] gaps add at most 400 bars, those of the latest days", () => {
    const times = withGaps(
      days.map((day) => day.toISOString()),
      DAY,
      (time) => time,
      (time) => time,
    );
    expect(times).toHaveLength(days.length + 400);
    expect(times).toEqual(times.toSorted());
    const latest = times.slice(-400).map((time) => Date.parse(time));
    for (const [n, time] of latest.slice(1).entries()) expect(time - latest[n]!).toBe(DAY);
  });

  it("[regression VIEWER-141] bars of throughput and growth are of the latest 366 days, and the others are counted", async () => {
    const viewer = viewerOfLog(days.map((day, n) => ({ ...edit("Edited.", `T${n}`), ts: day.toISOString() })));
    const { throughput } = await read<AgentsAnswer>(viewer, "agents.json");
    expect(throughput.buckets).toHaveLength(366);
    expect(throughput.early + throughput.buckets.reduce((sum, { changes }) => sum + changes, 0)).toBe(1001);
    const { logs } = await read<HealthAnswer>(viewer, "health.json");
    expect(logs.growth).toHaveLength(366);
    expect(logs.early + logs.growth.reduce((sum, { events }) => sum + events, 0)).toBe(1001);
  });
});

describe("sentences of a folder", () => {
  it("[regression PAGE-102] a text that is longer than any sentence of a rule stays as it is", () => {
    const long = `Blocked s:0 "A": ${"x".repeat(2000)}.`;
    expect(loggedInChinese(long)).toBe(long);
    expect(loggedInChinese(`Blocked s:0 "A": ${"x".repeat(1900)}.`)).toMatch(/受阻/);
  });

  it("[regression PAGE-102] a sentence in a sentence in a sentence is Chinese as far as rules write it, and has no limit of depth", () => {
    for (const piece of ["Undid: ", "Redid: "])
      for (const times of [200, 20_000]) expect(loggedInChinese(piece.repeat(times)).length).toBeGreaterThan(times);
    expect(loggedInChinese('Undid: Redid: Undid: Closed s:0 "A".')).toBe('撤销：重做：撤销：关闭 s:0 "A"。');
    expect(
      sentenceInChinese(phrased`${"TASK-001"}: ${phrased`${"s:0 A"}: ${phrased`blocked${phrased`: ${"why"}`}`}`}`),
    ).toBe("TASK-001：s:0 A：受阻：why");
    const resume = phrased`wait for ${"a"}; if its dispatcher is gone, ${phrased`resume interrupted ${"a"}`}`;
    expect(sentenceInChinese(phrased`Packet: ${resume}`)).toBe("任务包：等待 a；若其调度进程已不在，则继续中断的 a");
    expect(sentenceInChinese(phrased`${"s:0 A"}: ${phrased`blocked${phrased`: ${"s:1 B: blocked"}`}`}`)).toBe(
      "s:0 A：受阻：s:1 B: blocked",
    );
    const sides = phrased`${phrased`${'"a: b"'} by ${"x"}`} or ${phrased`${'"c"'} by ${"y"} (shown)`}`;
    expect(sentenceInChinese(phrased`Conflict on ${"title"}: ${sides}${""}; write it again to resolve it`)).toBe(
      '标题有冲突："a: b"（x）或 "c"（y，当前显示）；重新写入即可解决',
    );
  });

  it("[regression PAGE-103] of a text with thousands of times, the first twenty are told in the reader's zone", () => {
    const time = "2026-11-23T09:00:00.000Z";
    const text = `until ${time}, `.repeat(5000);
    const parts = splitTimes(text);
    expect(parts.join("")).toBe(text);
    expect(parts.filter((part) => part === time)).toHaveLength(20);
    expect(splitTimes(`until ${time}.`)).toEqual(["until ", time, "."]);
    expect(splitTimes("")).toEqual([""]);
  });
});

describe("answers about a hostile log", () => {
  it("[VIEWER-14] a message of the log is cut to 2000 characters in the history and on the page of its entity", async () => {
    const viewer = viewerOfLog([edit("x".repeat(100_000), "A"), edit("Edited.", "B")]);
    const { ops } = await read<HistoryAnswer>(viewer, "entities/TASK-001/history/0.json");
    const { recent } = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    for (const messages of [ops.map(({ message }) => message), recent.map(({ message }) => message).toReversed()])
      expect(messages).toEqual(["Created.", `${"x".repeat(1999)}…`, "Edited."]);
  });

  it(
    "[regression VIEWER-142] claims that are handed over cost a look each, and not one at every other",
    ROTATING,
    async () => {
      const counted = async (steps: number): Promise<number> => {
        const ws = openTemp();
        const titles = Array.from({ length: steps }, (_, n) => ({ title: `S ${n}`, success_criteria: [], tests: [] }));
        await ok(ws, "tasks_create", { kind: "task", title: "Many", steps: titles });
        for (const [by, tool] of [
          ["agent:a", "tasks_claim"],
          ["agent:a", "tasks_release"],
          ["agent:b", "tasks_claim"],
        ] as const)
          for (let n = 0; n < steps; n++) {
            const call = await ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", path: `s:${n}` }, { by });
            expect(call.error).toBeNull();
          }
        const viewer = viewerOf(ws.root);
        const looks = looksAtMaps();
        const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
        const count = looks();
        const spans = lanes.find(({ by }) => by === "agent:a")!.spans;
        expect(spans.filter(({ end, other }) => end === "released" && other === "agent:b")).toHaveLength(steps);
        return count;
      };
      // Twice as many claims: twice the looks, and four times as many if each looked at all others.
      expect((await counted(80)) / (await counted(40))).toBeLessThan(2.6);
    },
  );
});
