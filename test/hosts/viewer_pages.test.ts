// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Locator } from "playwright-core";
import type {
  AgentLane,
  AgentMark,
  AgentSpan,
  BoardRow,
  GraphAnswer,
  GraphEdge,
  GraphNode,
  HistoryAnswer,
  HistoryItem,
  MarkKind,
  Quarter,
  Status,
} from "../../src/views/viewer/api.ts";
import type { PastOp } from "../../src/events/history.ts";
import { quartersOf } from "../../src/views/viewer/history_items.ts";
import type { Line } from "../../viewer/src/board/select.ts";
import { clustersOf, placeOf } from "../../viewer/src/agents/lane_marks.ts";
import { rangeOf } from "../../viewer/src/agents/range.ts";
import { hrefOf, PAGES, parseAddress } from "../../viewer/src/address_text.ts";
import { cardSize } from "../../viewer/src/board/card_size.ts";
import { countSignals } from "../../viewer/src/parts/count_signals.ts";
import { columnWidth } from "../../viewer/src/board/column_width.ts";
import { STATUSES } from "../../src/state/entity.ts";
import {
  agentsOf,
  byLastChange,
  choiceOf,
  compareGroups,
  countMarks,
  GROUPS,
  groupsOf,
  isChosen,
  lanesOf,
  linesOf,
  MARKS,
  marksByPlan,
} from "../../viewer/src/board/select.ts";
import { around, wantedFirst } from "../../viewer/src/graph/first_view.ts";
import { howManyFit } from "../../viewer/src/parts/fitting.ts";
import { placeSignals, textOf } from "../../viewer/src/parts/place_signals.ts";
import { attemptTimes } from "../../viewer/src/entity/attempt_times.ts";
import { tabStop } from "../../viewer/src/board/tab_stop.ts";
import { isLayered, layeredLayout } from "../../viewer/src/graph/layered_layout.ts";
import { lateWrite } from "../../viewer/src/late_write.ts";
import { ansiPieces, blocksOf, placesOf, withMatches } from "../../viewer/src/parts/ansi.ts";
import { withGaps } from "../../viewer/src/parts/with_gaps.ts";
import { passesFilter } from "../../viewer/src/time/passes_filter.ts";
import type { HistorySearch } from "../../viewer/src/time/search_history.ts";
import { searchHistory } from "../../viewer/src/time/search_history.ts";
import { withoutDirections } from "../../viewer/src/text/directions.ts";
import { en } from "../../viewer/src/text/en.ts";
import { dayOf, LAST, localDay, relativeTime, shortDay, axisMoment, shortTime } from "../../viewer/src/text/format.ts";
import { beginOf, daysOf, endOf, pageOfBegin } from "../../viewer/src/time/days.ts";
import { fieldName } from "../../viewer/src/text/field_name.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium, SOON } from "../support/chromium.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp } from "../support/workspace.ts";

const NOW = Date.parse("2026-11-23T09:00:00.000Z");

const texts = fc.string({ unit: ANY_CHARACTER, maxLength: 40 });
const output = fc
  .array(fc.oneof(texts, fc.constantFrom("\u001b[31m", "\u001b[0m", "\u001b[1;92m", "\u001b[38;5;9m", "\u001b[2K")), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

const row = fc
  .record({
    status: fc.constantFrom<Status>("TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"),
    plan: fc.constantFrom(null, "PLAN-001", "PLAN-002"),
    tags: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
    priority: fc.constantFrom("LOW", "HIGH"),
    assignee: fc.constantFrom(null, "ann"),
    title: fc.constantFrom("Write", "Read"),
    claimed: fc.boolean(),
    blocked: fc.boolean(),
  })
  .map(({ claimed, blocked, ...some }) => ({ ...some, claimed, why: blocked ? ["waits"] : [] }));

const TASK = {
  claimed: false,
  why: [],
  status: "TODO" as const,
  plan: "PLAN-001",
  tags: ["docs"],
  priority: "LOW",
  assignee: "ann",
  title: "Write the grammar",
};

function quarter(ts: string, first: number, changes: number): Quarter {
  return [Date.parse(ts) / 900_000, first, changes];
}

function rowsOf(
  some: {
    claimed: boolean;
    why: string[];
    status: Status;
    plan: string | null;
    tags: string[];
    priority: string;
    assignee: string | null;
    title: string;
  }[],
): BoardRow[] {
  return some.map(({ claimed, why, ...fields }, index) => ({
    ...fields,
    id: `TASK-${index}`,
    kind: "task",
    depends_on: [],
    source: "log",
    claims: claimed
      ? [{ by: "agent:ada", claimed_at: "", expires_at: "2026-11-23T10:00:00.000Z", step: null, holds: true }]
      : [],
    ready: null,
    needs_steps: false,
    to_complete: false,
    workable: false,
    waits_for: [],
    blocked: why,
    conflicts: 0,
    failed_proof: 0,
    drift: null,
    faults: null,
    progress: { done: 0, total: 0 },
    packet: null,
    created_at: "",
    updated_at: "",
    updated_by: null,
    revision: 1,
    head: "",
    warnings: [],
  }));
}

describe("the parts of the viewer's pages that no browser is needed for", () => {
  it("[PAGE-1] an address brings back page, id and every choice", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PAGES),
        fc.string({ unit: "grapheme", maxLength: 12 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })),
        (page, id, query) => {
          const found = parseAddress(hrefOf(page, id, query));
          expect(found).toEqual({ page, id, query: { ...query } });
        },
      ),
    );
  });

  it("[PAGE-10] [regression PAGE-3] captured output keeps every character, with and without a search", () => {
    fc.assert(
      fc.property(output, fc.string({ maxLength: 3 }), (text, search) => {
        // eslint-disable-next-line no-control-regex -- terminal codes begin with this character
        const plain = text.replace(/\u001b\[[\d;:]*[A-Za-z]/g, "");
        const pieces = ansiPieces(text);
        expect(pieces.map((piece) => piece.text).join("")).toBe(plain);
        const places = placesOf(plain, search);
        const hits = places.begins.length;
        const blocks = blocksOf(pieces);
        const marked = blocks.flatMap((block) => withMatches(block, places, 0, hits));
        expect(marked.map((piece) => piece.text).join("")).toBe(plain);
        const [from, to] = [Math.floor(hits / 3), Math.ceil(hits / 2)];
        const near = blocks.flatMap((block) => withMatches(block, places, from, to));
        expect(near.map((piece) => piece.text).join("")).toBe(plain);
        expect(new Set(near.flatMap(({ hit }) => hit ?? []))).toEqual(
          new Set(marked.flatMap(({ hit }) => (hit !== undefined && hit >= from && hit < to ? [hit] : []))),
        );
        const found = new Map<number, string>();
        for (const { hit, text: part } of marked)
          if (hit !== undefined) found.set(hit, (found.get(hit) ?? "") + part.toLowerCase());
        expect([...found.values()]).toEqual([...found].map(() => search.toLowerCase()));
        const isPlain = plain.toLowerCase().length === plain.length && search.toLowerCase().length === search.length;
        const count = search === "" ? 0 : plain.toLowerCase().split(search.toLowerCase()).length - 1;
        expect(isPlain ? found.size : hits).toBe(isPlain ? count : hits);
        expect(found.size).toBe(hits);
      }),
    );
    expect(ansiPieces("\u001b[1;31mno\u001b[0m yes")).toEqual([
      { text: "no", look: "ansi-red ansi-bold" },
      { text: " yes", look: "" },
    ]);
    expect(placesOf("one two One", "one").begins).toEqual([0, 8]);
    const [block] = blocksOf(ansiPieces("\u001b[31mFA\u001b[0mIL one FAIL"));
    const cut = withMatches(block!, placesOf("FAIL one FAIL", "fail"), 0, 2);
    expect(cut.filter((piece) => piece.hit !== undefined).map(({ text, hit }) => [text, hit])).toEqual([
      ["FA", 0],
      ["IL", 0],
      ["FAIL", 1],
    ]);
  });

  it("[regression PAGE-3] blocks of a long text end with their lines, and hold all of it", () => {
    const line = fc.array(fc.constantFrom("word ", "\u001b[32m", "\u001b[0m", "x".repeat(900)), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const text = lines.map((parts) => `${parts.join("")}\n`).join("");
        const pieces = ansiPieces(text);
        const plain = pieces.map((piece) => piece.text).join("");
        const blocks = blocksOf(pieces);
        const texts = blocks.map((block) => block.pieces.map((piece) => piece.text).join(""));
        expect(texts.join("")).toBe(plain);
        expect(texts.every((one) => one.endsWith("\n"))).toBe(true);
        expect(texts.every((one) => one.length < 4096 + 12 * 900)).toBe(true);
        expect(blocks.map(({ begin, end }) => plain.slice(begin, end))).toEqual(texts);
      }),
    );
  });

  it("[regression PAGE-35] a line without an end is several blocks, and a storm of colours is shown without them", () => {
    const part = fc.constantFrom(
      "x".repeat(3000),
      "\u{1F600}".repeat(1500),
      "\u001b[31m",
      "\u001b[0m",
      "e\u0301\u200b",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const pieces = ansiPieces(parts.join(""));
        const plain = pieces.map((piece) => piece.text).join("");
        const texts = blocksOf(pieces).map((block) => block.pieces.map((piece) => piece.text).join(""));
        expect(texts.join("")).toBe(plain);
        expect(texts.every((one) => one.length <= 20_481 && one.isWellFormed())).toBe(true);
      }),
    );
    const storm = blocksOf(ansiPieces("\u001b[31me\u001b[32mf".repeat(8000)));
    expect(storm.map(({ begin, end, pieces }) => [begin, end, pieces.length])).toEqual([[0, 16_000, 1]]);
    expect(storm[0]!.pieces[0]).toEqual({ text: "ef".repeat(8000), look: "" });
    expect(blocksOf(ansiPieces("\u001b[31me\u001b[32mf".repeat(500)))[0]!.pieces).toHaveLength(1000);
  });

  it("[PAGE-105] each row that is chosen stands once in each of its groups, under its status", () => {
    const query = fc.record(
      {
        q: fc.constantFrom("write", "ann"),
        is: fc.constantFrom("claimed", "blocked", "claimed,blocked"),
        plan: fc.constantFrom("PLAN-001", "-"),
        tag: fc.constant("a"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }).map(rowsOf),
        query,
        fc.constantFrom(...GROUPS),
        (rows, wanted, group) => {
          const asked = Object.fromEntries(Object.entries(wanted).filter((pair) => pair[1] !== undefined));
          const choice = choiceOf(asked);
          const chosen = rows.filter((one) => isChosen(one, choice));
          const unblocked = chosen.filter((one) => one.blocked.length === 0);
          expect(wanted.is?.includes("blocked") ? unblocked : []).toEqual([]);
          expect(chosen.filter((one) => wanted.plan === "-" && one.plan !== null)).toEqual([]);
          const lanes = lanesOf(chosen, group, STATUSES);
          const placed = lanes.flatMap((lane) =>
            lane.columns.flatMap((column, at) => column.map((one) => `${lane.key} ${STATUSES[at]} ${one.id}`)),
          );
          const expected = chosen.flatMap((one) => groupsOf(one, group).map((key) => `${key} ${one.status} ${one.id}`));
          expect(placed.toSorted()).toEqual(expected.toSorted());
          const lines = linesOf(lanes, true).filter((line) => "head" in line);
          expect(lines).toHaveLength(lanes.length);
        },
      ),
    );
  });

  it("[regression PAGE-5] marks that lie on each other are one mark, and none is lost", () => {
    const kinds: MarkKind[] = ["close", "note", "failure"];
    const marks = fc.array(fc.record({ at: fc.nat(1000), kind: fc.constantFrom(...kinds) }), { maxLength: 40 });
    fc.assert(
      fc.property(marks, (given) => {
        const list = given
          .toSorted((a, b) => a.at - b.at)
          .map(({ at, kind }, index): AgentMark => {
            return {
              ts: new Date(NOW + at).toISOString(),
              kind,
              entity: "TASK-001",
              revision: index,
              step: null,
              text: "",
              other: null,
            };
          });
        const lane: AgentLane = {
          by: "agent:ada",
          first: "",
          last: "",
          counts: {},
          marks: list,
          spans: [],
          spans_total: 0,
          waits: [],
        };
        const clusters = clustersOf(lane, { from: NOW, to: NOW + 1000 }, new Set(kinds), 0.05);
        expect(clusters.flatMap((cluster) => cluster.marks)).toEqual(list);
        const close = clusters.filter(({ at }, index) => index > 0 && at - clusters[index - 1]!.at < 0.05);
        expect(close).toEqual([]);
        const failed = clusters.filter((one) => one.marks.some((mark) => mark.kind === "failure"));
        expect(failed.filter(({ kind }) => kind !== "failure")).toEqual([]);
      }),
    );
  });

  it("[PAGE-6] names of fields stand in the reader's language, and what no table has stays", () => {
    expect(fieldName("s:1.s:0 confirmed.tests", en)).toBe("s:1.s:0 confirmed · Tests");
    expect(fieldName("criteria.proof_state", zh)).toBe("标准 · 证明的状态");
    expect(fieldName("title", zh)).toBe("标题");
    expect(fieldName("taskdoc.tsk/goals.md", zh)).toBe("目标");
    expect(fieldName("card An else belongs to the nearest if", zh)).toBe("卡片 An else belongs to the nearest if");
    expect(fieldName("codex_impl 2 exit_code", zh)).toBe("codex_impl 2 退出码");
    expect(fieldName("lease.expires_at", zh)).toBe("认领 · 有效期至");
    for (const label of ["taskdoc.tsk/later.md", "constructor", "s:0 later.field"])
      expect(fieldName(label, zh)).toBe(label);
    const names = fc.string({ unit: "grapheme", maxLength: 20 });
    fc.assert(
      fc.property(names, (label) => {
        expect(fieldName(label, zh) === "").toBe(label === "");
      }),
    );
  });

  it("[PAGE-10] characters that turn directions are marks, and no other character is another", () => {
    expect(withoutDirections("safe \u202e)ENOD( \u2066x\u2069")).toBe("safe \ufffd)ENOD( \ufffdx\ufffd");
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const shown = withoutDirections(text);
        expect(shown.length).toBe(text.length);
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it("[regression PAGE-11] bars stand at equal times: what the list leaves out is an empty one", () => {
    const times = (...list: string[]): string[] =>
      withGaps(
        list.map((start) => ({ start })),
        3_600_000,
        ({ start }) => start,
        (start) => ({ start }),
      ).map(({ start }) => start.slice(11, 13));
    expect(times("2026-11-23T08:00:00Z", "2026-11-23T09:00:00Z", "2026-11-23T12:00:00Z")).toEqual([
      "08",
      "09",
      "10",
      "11",
      "12",
    ]);
    expect(times("2026-11-23T08:00:00Z")).toEqual(["08"]);
    expect(times("2016-11-23T08:00:00Z", "2026-11-23T08:00:00Z").length).toBeLessThan(500);
  });

  it("[regression PAGE-13] an attempt whose start is no time has no bar, and one whose end is none is a moment", () => {
    const attempt = (started_at: string, ended_at: string | null) => ({ started_at, ended_at, lost: false });
    const start = new Date(NOW).toISOString();
    const list = [attempt("soon", null), attempt(start, "later"), attempt(start, null), attempt("", start)];
    const times = attemptTimes(list, NOW + 1000, NOW);
    expect(list.map((one) => times.get(one))).toEqual([
      undefined,
      { from: NOW, to: NOW },
      { from: NOW, to: NOW + 1000 },
      undefined,
    ]);
    expect(attemptTimes(list, Number.NaN, Number.NaN).get(list[2]!)).toEqual({ from: NOW, to: NOW });
  });

  it("[regression PAGE-13] a bar that began at no time has no place, and every other one lies in the range", () => {
    const span = (from: string, to: string | null): AgentSpan => ({
      kind: "stage",
      entity: "TASK-001",
      of: "build",
      title: "",
      from,
      to,
      expires_at: null,
      end: "open",
      other: null,
    });
    const range = { from: NOW, to: NOW + 1000 };
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    expect(placeOf(span("soon", null), range, NOW), "no begin").toBe(undefined);
    expect(placeOf(span(at(500), "later"), range, NOW), "no end").toEqual({ left: 0.5, width: 0 });
    expect(placeOf(span(at(500), at(100)), range, NOW), "an end before the begin").toEqual({ left: 0.5, width: 0 });
    expect(placeOf(span(at(500), null), range, NOW + 750), "it lasts").toEqual({ left: 0.5, width: 0.25 });
    expect(placeOf(span(at(-9e12), at(9e12)), range, NOW), "huge").toEqual({ left: 0, width: 1 });
  });

  it("[regression PAGE-13] an end of an axis that no date can stand for is the last one that one can", () => {
    const at = (ms: number): string => axisMoment(ms, 1e9, "en-GB");
    expect(at(LAST + 1)).toBe(at(LAST));
    expect(at(-1e20)).toBe(at(-LAST));
    expect(at(NOW)).toBe(shortTime(new Date(NOW).toISOString(), "en-GB"));
  });

  it("[regression PAGE-56] the ends of an axis of a minute are told apart by their seconds", () => {
    const labels = [0, 20_000, 40_000].map((ms) => axisMoment(NOW + ms, 40_000, "en-GB"));
    expect(new Set(labels).size).toBe(3);
  });

  it("[regression PAGE-22] a time of another year is written with its year", () => {
    vi.useFakeTimers({ now: NOW });
    try {
      expect(shortTime("2026-03-01T12:00:00Z", "en-GB")).not.toContain("2026");
      expect(shortTime("2025-12-01T12:00:00Z", "en-GB")).toContain("2025");
      expect(shortDay("2025-12-01T12:00:00Z", "zh")).toContain("2025年");
      expect(shortDay("2026-12-01T12:00:00Z", "zh")).not.toContain("2026");
      expect(shortTime("soon", "en-GB")).toBe("soon");
    } finally {
      vi.useRealTimers();
    }
  });

  it("[regression PAGE-13] every range of an address is one of dates", () => {
    const whole = { from: NOW, to: NOW + 1000 };
    expect(rangeOf({ from: "1e20", to: "2e20" }, whole, whole)).toEqual(whole);
    expect(rangeOf({ to: "5" }, whole, whole)).toEqual(whole);
    expect(rangeOf({ from: "2", to: "5" }, whole, whole)).toEqual({ from: 2, to: 5 });
    fc.assert(
      fc.property(fc.oneof(fc.double().map(String), texts), fc.oneof(fc.double().map(String), texts), (from, to) => {
        const range = rangeOf({ from, to }, whole, whole);
        expect(range.to).toBeGreaterThan(range.from);
        expect(new Date(range.from).toISOString() + new Date(range.to).toISOString()).toMatch(/Z$/);
      }),
    );
  });

  it("[regression PAGE-14] a dense graph is laid out in columns, and one of single dependencies is not", () => {
    const nodes = Array.from({ length: 150 }, (_, rank) => ({ id: `TASK-${rank}`, rank }) as GraphNode);
    const edge = (from: number, to: number) => ({ from: `TASK-${from}`, to: `TASK-${to}` }) as GraphEdge;
    const chain = nodes.slice(1).map((_, at) => edge(at, at + 1));
    const dense = nodes.flatMap((_, to) => nodes.slice(0, to).map((_one, from) => edge(from, to)));
    expect(isLayered({ nodes, edges: chain, circle: [] })).toBe(false);
    expect(isLayered({ nodes, edges: dense, circle: [] })).toBe(true);
    const layout = layeredLayout(nodes, dense);
    expect([layout.nodes.size, layout.edges.length]).toEqual([150, dense.length]);
  });

  it("[regression PAGE-15] Tab comes to a card that is on the page, whichever had the focus before", () => {
    const columns = (...counts: number[]) => counts.map((n) => Array.from({ length: n }, () => ({}) as BoardRow));
    const lines = (...counts: number[]): Line[] => linesOf([{ key: "", total: 0, columns: columns(...counts) }], false);
    const all = { first: 0, top: 0, end: 2 };
    expect(tabStop(lines(0, 2), all)).toBe("0.1");
    expect(tabStop(lines(0, 2), all, "1.1")).toBe("1.1");
    expect(tabStop(lines(0, 2), all, "1.0"), "no card there").toBe("0.1");
    expect(tabStop(lines(0, 2), all, "12.1"), "filtered").toBe("0.1");
    expect(tabStop(lines(90, 2), { first: 20, top: 26, end: 50 }, "1.1"), "scrolled").toBe("26.0");
    expect(tabStop([], { first: 0, top: 0, end: 0 }, "1.1")).toBe(undefined);
  });

  it("[PAGE-1] many choices in a row are one write of the address, and a navigation is not overwritten", () => {
    vi.useFakeTimers();
    try {
      const texts: string[] = [];
      const late = lateWrite((text) => texts.push(text), 150);
      for (let n = 0; n < 300; n++) late.later(`at=${n}`);
      expect(texts).toEqual([]);
      vi.advanceTimersByTime(150);
      expect(texts).toEqual(["at=299"]);
      late.later("dropped");
      late.drop();
      late.later("at once");
      late.flush();
      vi.advanceTimersByTime(1000);
      expect(texts).toEqual(["at=299", "at once"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("[PAGE-6] a day has one name in every zone", () => {
    for (const one of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]) {
      vi.stubEnv("TZ", one);
      expect(dayOf("2026-11-23", "en-GB-u-nu-latn-x-" + one.slice(-4).toLowerCase()), one).toBe("23 Nov 2026");
    }
    expect(localDay("0999-06-05T12:00:00Z")).toBe("0999-06-05");
  });

  it("[PAGE-6] the scale of days is of the reader's days, in zones that are a quarter of an hour from a whole one, too", () => {
    // 18:15 in UTC is midnight in Kathmandu.
    const quarters = [
      quarter("2026-11-24T10:00:00Z", 1, 2),
      quarter("2026-11-24T18:00:00Z", 3, 1),
      quarter("2026-11-24T18:15:00Z", 4, 3),
      quarter("2026-11-25T09:00:00Z", 7, 1),
    ];
    const told = { quarters, total: 7 };
    vi.stubEnv("TZ", "Asia/Kathmandu");
    expect(daysOf(told)).toEqual([
      { day: "2026-11-24", changes: 3, begin: 0 },
      { day: "2026-11-25", changes: 4, begin: 3 },
    ]);
    vi.stubEnv("TZ", "Pacific/Pago_Pago");
    expect(daysOf(told)).toEqual([
      { day: "2026-11-23", changes: 2, begin: 0 },
      { day: "2026-11-24", changes: 5, begin: 2 },
    ]);
  });

  it("[PAGE-105] a day ends before the first change of a later day, also if a change of its own comes after that", () => {
    vi.stubEnv("TZ", "UTC");
    const at = (day: number, first: number): Quarter => quarter(`2026-11-${day}T08:00:00Z`, first, 1);
    // Revision 5 is of the 25th, after revision 3 of the 27th.
    const days = daysOf({ quarters: [at(24, 1), at(25, 5), at(27, 3), at(28, 7)], total: 4 });
    expect(days.map(({ begin }) => begin)).toEqual([0, 2, 2, 6]);
    expect(
      ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27"].map((day) => endOf(days, day)),
    ).toEqual([0, 2, 2, 2, 6]);
    expect([endOf(days, "2026-11-28"), beginOf(days, "2026-11-29")]).toEqual([undefined, undefined]);
    expect([beginOf(days, "2026-11-26"), beginOf(days, "2026-11-28")]).toEqual([2, 6]);
  });

  it("[VIEWER-9] of a log that changes in every quarter of an hour, days of a year are right, and no day before is told", () => {
    vi.stubEnv("TZ", "Asia/Kathmandu");
    const [start, perDay, length] = [Date.parse("2025-06-01T18:15:00Z"), 96, 400];
    // The first day of the reader is the 2nd of June; each has 96 changes.
    const ops = Array.from({ length: length * perDay }, (_, n) => ({
      ts: new Date(start + n * 900_000 + 1).toISOString(),
      revision: n + 1,
    }));
    const quarters = quartersOf(ops as PastOp[]);
    expect(JSON.stringify(quarters).length).toBeLessThan(700_000);
    const days = daysOf({ quarters, total: ops.length });
    const nameOf = (n: number): string =>
      new Date(Date.parse("2025-06-02") + n * 86_400_000).toISOString().slice(0, 10);
    for (const n of [length - 1, length - 21, length - 30, length - 366])
      expect([n, beginOf(days, nameOf(n)), endOf(days, nameOf(n))]).toEqual([
        n,
        n * perDay,
        n === length - 1 ? undefined : (n + 1) * perDay,
      ]);
    expect([length - 367, length - 368, 0].map((n) => beginOf(days, nameOf(n)))).toEqual([null, null, null]);
    expect([length - 367, length - 368].map((n) => endOf(days, nameOf(n)))).toEqual([(length - 366) * perDay, null]);
    // A page that stands for the begin of a day, or none: an export may hold the last pages alone.
    const pageOf = (n: number, from: number): number | null => pageOfBegin(days, nameOf(n), from, ops.length);
    expect([pageOf(length - 367, 1), pageOf(length - 2, 1), pageOf(length, 1)]).toEqual([
      null,
      (length - 2) * perDay,
      ops.length,
    ]);
    expect([pageOf(length - 2, (length - 1) * perDay), pageOf(length - 1, (length - 1) * perDay)]).toEqual([
      null,
      (length - 1) * perDay,
    ]);
    const whole = ops.slice(0, 300 * perDay);
    const all = daysOf({ quarters: quartersOf(whole as PastOp[]), total: whole.length });
    expect([beginOf(all, "2025-01-01"), beginOf(all, nameOf(0)), beginOf(all, nameOf(1))]).toEqual([0, 0, perDay]);
    expect(pageOfBegin(all, nameOf(0), 1, whole.length)).toBe(1);
  });

  it("[regression PAGE-45] how long ago counts days, months and years of the reader's calendar", () => {
    vi.stubEnv("TZ", "America/Los_Angeles");
    const now = Date.parse("2026-11-24T16:30:00-08:00");
    const ago = (ts: string, locale = "en"): string => relativeTime(ts, now, locale);
    expect(ago("2026-11-22T18:44:00-08:00")).toBe("2 days ago");
    expect(ago("2026-11-22T18:44:00-08:00", "zh-CN")).toBe("前天");
    expect(ago("2026-11-23T16:29:00-08:00")).toBe("yesterday");
    expect(ago("2026-11-21T23:00:00-08:00", "zh-CN")).toBe("3天前");
    expect(ago("2026-11-23T18:00:00-08:00")).toBe("22 hr. ago");
    expect(ago("2026-11-26T10:00:00-08:00")).toBe("in 2 days");
    expect(ago("2026-09-28T10:00:00-08:00")).toBe("2 mo. ago");
    expect(ago("2026-10-20T10:00:00-08:00")).toBe("last mo.");
    expect(ago("2024-12-20T10:00:00-08:00")).toBe("2 yr. ago");
    // Neither month nor day is another one: the day of 25 hours.
    expect(relativeTime("2026-10-01T00:00:00-07:00", Date.parse("2026-10-31T12:00:00-07:00"), "en")).toBe(
      "30 days ago",
    );
    expect(relativeTime("2026-11-01T00:10:00-07:00", Date.parse("2026-11-01T23:50:00-08:00"), "en")).toBe("24 hr. ago");
    expect(ago("soon")).toBe("soon");
  });

  it("[PAGE-105] each count is what the filter shows, in all and of one plan, and blocked in part is blocked", () => {
    const standing = fc.record({
      ready: fc.constantFrom(null, { id: "s", path: "s:0", title: "One" }),
      workable: fc.boolean(),
      waits_for: fc.array(fc.constant("TASK-9"), { maxLength: 1 }),
      conflicts: fc.nat(2),
      failed_proof: fc.nat(1),
      drift: fc.constantFrom(null, true, false),
      archived: fc.constantFrom(undefined, true as const),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(row, standing), { maxLength: 20 }), (given) => {
        const made = rowsOf(given.map(([fields]) => fields));
        const rows = made.map((one, at) => {
          const { archived, ...facts } = given[at]![1];
          return { ...one, ...facts, ...(archived ? { archived } : {}) };
        });
        const shown = (query: Record<string, string>): BoardRow[] =>
          rows.filter((one) => isChosen(one, choiceOf(query)));
        const all = countMarks(rows.filter((one) => !one.archived));
        const plans = marksByPlan(rows);
        for (const is of MARKS) {
          expect(all[is], is).toBe(shown({ is }).length);
          for (const plan of ["PLAN-001", "PLAN-002"])
            expect(plans.get(plan)?.[is] ?? 0, is).toBe(shown({ is, plan }).length);
        }
        expect(shown({ is: "blocked" })).toEqual(shown({}).filter(({ blocked }) => blocked.length > 0));
        expect(shown({ is: "waiting" })).toEqual(shown({}).filter(({ waits_for }) => waits_for.length > 0));
      }),
    );
    expect(MARKS).toEqual(["failed", "conflicts", "blocked", "drift", "claimed", "complete", "waiting", "ready"]);
  });

  it("[PAGE-105] [regression PAGE-110] the row that changed last comes first, and a card has room for the text that it has", () => {
    const made = rowsOf([TASK, TASK, TASK]);
    for (const [index, row] of made.entries()) row.updated_at = ["b", "c", "a"][index]!;
    expect(made.toSorted(byLastChange).map(({ updated_at }) => updated_at)).toEqual(["c", "b", "a"]);
    const [bare] = rowsOf([{ ...TASK, tags: [] }]);
    const heightOf = (more: Partial<BoardRow>): number => cardSize({ ...bare!, ...more }, 18).height;
    const least = heightOf({});
    expect(cardSize(bare!, 18)).toMatchObject({ title: 1, hasSignals: false, hasFoot: false });
    expect(heightOf({ title: "x".repeat(60) })).toBeGreaterThan(least);
    const linesOf = (title: string): number => cardSize({ ...bare!, title }, 18).title;
    expect(
      ["word ".repeat(6), "word ".repeat(14), "word ".repeat(28), "字".repeat(80), "x".repeat(200)].map(linesOf),
    ).toEqual([1, 3, 5, 4, 6]);
    expect(linesOf("W".repeat(60))).toBeGreaterThan(linesOf("i".repeat(60)));
    expect(heightOf({ conflicts: 1 })).toBeGreaterThan(least);
    expect(heightOf({ tags: ["web"] })).toBe(heightOf({ progress: { done: 0, total: 1 } }));
    expect(heightOf({ conflicts: 1, failed_proof: 1 })).toBe(heightOf({ conflicts: 1, tags: ["web"] }));
    expect(countSignals({ ...bare!, failed_proof: 1, blocked: ["x"], drift: true, faults: 1, to_complete: true })).toBe(
      5,
    );
  });

  it("[regression PAGE-72] what has no room is said in fewer letters, then below, and the least grave is left out and counted", () => {
    const all = [
      { children: "Failed proof" },
      { children: "bob", tail: "until 27 Nov", brief: "bob" },
      { children: "Waits: TASK-003", brief: "Waits 1" },
    ];
    const texts = (rooms: number[]): string[][] => {
      const { lines, hidden } = placeSignals(all, rooms);
      return [...lines, hidden].map((line) => line.map(textOf));
    };
    expect(texts([40, 10])).toEqual([["Failed proof", "bob until 27 Nov", "Waits: TASK-003"], []]);
    expect(texts([18, 10])).toEqual([["Failed proof", "bob", "Waits 1"], [], []]);
    expect(texts([12, 10])).toEqual([["Failed proof", "bob"], ["Waits 1"], []]);
    expect(texts([8, 6])).toEqual([["Failed proof"], ["bob"], ["Waits 1"]]);
    expect(texts([1, 0])).toEqual([["Failed proof"], [], ["bob", "Waits 1"]]);
    expect(howManyFit([3, 3, 3], 9, true)).toBe(3);
    expect(howManyFit([3, 3, 3], 8.5, true), "room for the number").toBe(2);
    expect(howManyFit([3, 3, 3], 8, true)).toBe(1);
  });

  it("[regression PAGE-73] the agents of a task hold it, are assigned to it, or changed it last", () => {
    const [one] = rowsOf([{ ...TASK, claimed: true }]);
    const changed = { ...one!, updated_by: "agent:codex" };
    expect(agentsOf(changed)).toEqual(["ada", "ann", "codex"]);
    expect(agentsOf({ ...changed, assignee: "codex" })).toEqual(["ada", "codex"]);
    for (const agent of ["codex", "agent:codex", "ann", "ada"])
      expect(isChosen(changed, choiceOf({ agent })), agent).toBe(true);
    expect(isChosen(changed, choiceOf({ agent: "bob" }))).toBe(false);
    expect(groupsOf(changed, "agent")).toEqual(["ada", "ann", "codex"]);
  });

  it("[regression PAGE-74] priorities stand by weight, and Chinese pages have words for the usual ones", () => {
    const given = ["LOW", "soon", "HIGH", "MEDIUM", "CRITICAL", ""];
    expect(given.toSorted(compareGroups("priority"))).toEqual(["CRITICAL", "HIGH", "MEDIUM", "LOW", "soon", ""]);
    const lanes = ["high", "HIGH", "soon"].map((priority) => groupsOf({ priority } as BoardRow, "priority"));
    expect(lanes).toEqual([["HIGH"], ["HIGH"], ["soon"]]);
    expect(["CRITICAL", "HIGH", "MEDIUM", "LOW"].map((one) => zh.priorities[one])).toEqual(["紧急", "高", "中", "低"]);
  });

  it("[regression PAGE-75] a large graph opens at the begin of the critical path, with what has room beside it", () => {
    const places = { A: [0, 0], B: [300, 0], C: [2000, 0], R: [0, 100], S: [0, 900] };
    const nodes = new Map(Object.entries(places).map(([id, [x = 0, y = 0]]) => [id, { x, y }]));
    const graph = { nodes: [], critical_path: ["A", "B", "C"], ready: ["R", "S"] } as unknown as GraphAnswer;
    const wanted = wantedFirst(graph, { nodes, edges: [], width: 0, height: 0 });
    const [width, height] = [208, 80];
    expect(around(wanted, { width: 800, height: 400 })).toEqual({
      x: -104,
      y: -40,
      width: 300 + width,
      height: 100 + height,
    });
    expect(around(wanted, { width: 100, height: 50 })).toEqual({ x: -104, y: -40, width, height });
    expect(around([], { width: 100, height: 50 })).toBe(undefined);
  });

  it("[regression PAGE-77] columns that have no room together leave a part of the next one in sight", () => {
    const cases = Array.from({ length: 300 }, (_, at) => ({ box: 47 + at / 2, columns: 3 + (at % 3) }));
    const wrong = cases.filter(({ box, columns }) => {
      const width = columnWidth(box, columns);
      const isWhole = 3 + columns * width + columns - 1 <= box + 0.01;
      const part = ((box - 1.5) % (width + 1)) / width;
      return width < 13 || (!isWhole && part < 0.1);
    });
    expect(wrong).toEqual([]);
  });

  it("[regression PAGE-46] a search of the board finds rows that have each of its words, in any order and any case", () => {
    const [one] = rowsOf([TASK]);
    const finds = (q: string): boolean => isChosen(one!, choiceOf({ q }));
    for (const q of ["grammar write", "WRITE  docs ann", " grammar ", "", "rite gram"]) expect(finds(q), q).toBe(true);
    for (const q of ["grammar read", "writethe"]) expect(finds(q), q).toBe(false);
  });

  it("[regression PAGE-17] the filter of the history finds the sentence that is shown, and what the log says", () => {
    const op = {
      ts: "2026-11-24T08:30:00.000Z",
      message: 'Closed s:0 "One".',
      by: "agent:ada",
      tool: "tasks_done",
      events: ["step_completed"],
      changes: [{ label: "status", before: null, after: null }],
    } as unknown as HistoryItem;
    const shown = zh.logged(op.message);
    expect(shown).not.toBe(op.message);
    expect(passesFilter(op, ` ${shown} `, zh)).toBe(true);
    expect(passesFilter(op, zh.fields.status, zh)).toBe(true);
    expect(passesFilter(op, shown, en)).toBe(false);
    for (const text of ["", "CLOSED", "agent:ada", "tasks_done", "completed"])
      expect(passesFilter(op, text, zh), text).toBe(true);
    expect(passesFilter(op, "nothing of this", zh)).toBe(false);
  });

  it("[regression PAGE-17] the filter of the history finds a date as people write it, and no other day", () => {
    const op = { ts: "2026-11-24T08:30:00.000Z", message: "", by: "", tool: "", events: [], changes: [] };
    const finds = (text: string, words: typeof en): boolean => passesFilter(op as unknown as HistoryItem, text, words);
    for (const text of ["24 Nov", "24 november", "Nov 24", "tuesday", "Tuesday 24", "2026-11-24"])
      expect(finds(text, { ...en, locale: "en-US" }), text).toBe(true);
    expect(finds("11月24日", zh)).toBe(true);
    for (const text of ["4 Nov", "Nov 3", "Monday", "2026-11-2", "25 Nov"])
      expect(finds(text, en), text).toBe(text === "2026-11-2");
  });

  it("[regression PAGE-17] the filter looks through every page of the history, the newest first, and stops where it is given up", async () => {
    const pages = [0, 1, 2].map((page) =>
      Array.from({ length: page === 2 ? 7 : 200 }, (_, n) => ({ revision: page * 200 + n + 1, by: "agent:ada" })),
    );
    const read = (page: number): Promise<HistoryAnswer> =>
      Promise.resolve({ ops: pages[page], total: 407 } as unknown as HistoryAnswer);
    const passes = ({ revision }: HistoryItem): boolean => [3, 4, 250, 407].includes(revision);
    const told: HistorySearch[] = [];
    const tell = (search: HistorySearch): void => void told.push(search);
    await searchHistory({ pages: 3, read, passes, tell, signal: new AbortController().signal });
    expect(told.map(({ looked, total, found }) => [looked, total, found.map(({ revision }) => revision)])).toEqual([
      [7, 407, [407]],
      [207, 407, [407, 250]],
      [407, 407, [407, 250, 4, 3]],
    ]);
    const given = new AbortController();
    const asked: number[] = [];
    const readAndLeave = (page: number): Promise<HistoryAnswer> => {
      if (asked.push(page) === 2) given.abort();
      return read(page);
    };
    told.length = 0;
    await searchHistory({ pages: 3, read: readAndLeave, passes, tell, signal: given.signal });
    expect([asked, told.length]).toEqual([[2, 1], 1]);
  });

  it("[PAGE-6] both languages have every word, and Chinese has no English sentence", () => {
    // Those are no words of the page: viewer_sentences.test.ts has them.
    const own = { sentence: " ", logged: " ", reason: " ", findings: " " };
    const [english, chinese] = [wordsOf({ ...en, ...own }), wordsOf({ ...zh, ...own })];
    expect([...chinese.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    expect(
      [...chinese].filter(
        ([, text]) => text === "" || /[A-Za-z]{3,} [A-Za-z]{3,} [A-Za-z]{3,}/.test(text.replace(/`[^`]*`/g, "")),
      ),
    ).toEqual([]);
  });
});

/** Every text by its place; one that is made of values is made of the number 2. */
function wordsOf(table: object, place = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(table) as [string, unknown][]) {
    const at = `${place}${key}`;
    if (typeof value === "string") found.set(at, value);
    else if (typeof value === "function") found.set(at, String((value as (...args: number[]) => unknown)(2, 3, 4)));
    else for (const [below, text] of wordsOf(value as object, `${at}.`)) found.set(below, text);
  }
  return found;
}

describe("the built pages", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "taskfold-pages-"));
    execFileSync(process.execPath, [join(ROOT, "viewer/build.mjs"), folder], { stdio: "pipe" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("[PAGE-7] the first load is small, and names nothing outside of its folder", () => {
    const text = (name: string): string => readFileSync(join(folder, name), "utf8");
    expect(readdirSync(folder).toSorted()).toEqual([
      "agents.js",
      "app.css",
      "app.js",
      "chinese.js",
      "graph.js",
      "health.js",
      "index.html",
      "markdown.js",
      "shared.js",
      "time.js",
    ]);
    const first = ["index.html", "app.css", "shared.js", "app.js"].reduce(
      (sum, name) => sum + gzipSync(text(name)).length,
      0,
    );
    expect(first).toBeLessThan(75_000);
    const page = text("index.html");
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|https?:|<script(?![^>]*\ssrc="\.\/)/);
    expect(text("app.css")).not.toMatch(/url\(|@import/);
  });

  it.skipIf(CHROMIUM === undefined)(`[PAGE-7] a page without its data says so${LACK}`, ROTATING, async () => {
    const browser = await launchChromium();
    try {
      for (const [locale, words] of [["en-GB", en] as const, ["zh-CN", zh] as const]) {
        const page = await browser.newPage({ locale });
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.goto(`${pathToFileURL(join(folder, "index.html")).href}#/task/TASK-001`);
        await page.waitForSelector(".failure");
        await expect.poll(() => page.locator(".failure").textContent(), SOON).toContain(words.state.failed);
        await expect.poll(() => page.locator("nav").textContent(), SOON).toContain(words.pages.board);
        expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });

  it.skipIf(CHROMIUM === undefined)(
    `[regression PAGE-36] of many plans the cards in sight are on the page, and each is found${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp();
      for (let n = 1; n <= 120; n++) await ok(ws, "tasks_create", { title: `Version ${n}` });
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 700 } });
        await page.goto(at("#/plans"));
        const card = (title: string): Locator =>
          page.locator(".plan-card", { has: page.getByRole("link", { name: title, exact: true }) });
        await card("Version 1").waitFor();
        const shown = page.locator("[role=search] [role=status]");
        await expect.poll(() => shown.innerText(), SOON).toBe("120 plans");
        await expect.poll(() => page.locator(".plan-card").count(), SOON).toBeLessThan(40);
        await page.locator(".plan-box").focus();
        for (let n = 0; n < 40; n++) await page.keyboard.press("Tab");
        await expect.poll(() => page.locator(":focus").innerText(), SOON).toBe("Version 40");
        await page.locator(".plan-box").focus();
        await page.keyboard.press("End");
        await card("Version 120").waitFor();
        await page.getByRole("searchbox").fill("version 2");
        await expect.poll(() => shown.innerText(), SOON).toBe("11 of 120 are shown.");
        await card("Version 2").waitFor();
        await page.waitForURL(/q=version.2$/);
      } finally {
        await browser.close();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[regression PAGE-55] a proof whose file was changed is named above the tabs, and its checkpoint is not called proved${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp();
      const source = join(ws.root, "grammar.ts");
      const task = "TASK-001";
      const steps = ["s:0", "s:1"].map((title) => ({ title, success_criteria: ["it parses"], tests: ["npm test"] }));
      await ok(ws, "tasks_create", { kind: "task", title: "A parser", steps });
      writeFileSync(source, "one\ntwo\n");
      for (const path of ["s:0", "s:1"]) {
        const items = [{ kind: "code", title: "The grammar", path: "grammar.ts", start_line: 1, end_line: 2 }];
        await ok(ws, "tasks_evidence_capture", { task, path, checkpoint: "tests", items });
        // The second entry is of the bytes that stay.
        writeFileSync(source, "one\ntwo and a half\n");
      }
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB" });
        for (const [path, proof] of [
          ["s:0", en.steps.proof.broken],
          ["s:1", en.steps.proof.proved],
        ] as const) {
          await page.goto(at(`#/task/TASK-001?step=${path}`));
          await page.locator(`[id="step-${path}"] .checkpoints`).getByText(proof, { exact: true }).waitFor();
          const named = page.locator(".entity-main > .notice.red", { hasText: en.evidence.brokenProof });
          await expect.poll(() => named.getByRole("link").count(), SOON).toBe(1);
        }
      } finally {
        await browser.close();
      }
    },
  );

  const RULES = "[PAGE-19] [PAGE-20] [regression PAGE-21, PAGE-23]";
  it.skipIf(CHROMIUM === undefined)(
    `${RULES} an export shows the rest of a list, claims by keys, the rows in sight, and short lines on a wide screen${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { title: "A plan", contract: "A long line of text. ".repeat(60) });
      for (let n = 0; n < 60; n++) await ok(ws, "tasks_create", { parent: "PLAN-001", title: `Task ${n}` });
      for (let n = 0; n < 12; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
      await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 600 });
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 500 } });
        await page.goto(at("#/task/TASK-001?tab=notes"));
        await page.locator(".cut", { hasText: "10 of 12" }).getByRole("button").click();
        await page.locator(".note", { hasText: "note 0" }).waitFor();
        await expect
          .poll(async () => [await page.locator(".note").count(), await page.locator(".cut").count()], SOON)
          .toEqual([12, 0]);
        await page.goto(at("#/agents?lanes=1"));
        await page.locator('.agent-lane [tabindex="0"]').focus();
        await page.keyboard.press("End");
        const focused = (): Promise<string> => page.evaluate("document.activeElement.className") as Promise<string>;
        for (let n = 0; n < 5 && !(await focused()).includes("span"); n++) await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("Enter");
        await expect.poll(() => page.locator(".mark-detail tbody").innerText(), SOON).toMatch(/Claim\s+TASK-001/);
        await page.goto(at("#/plan/PLAN-001"));
        await page.locator('.tall table[aria-rowcount="61"]').waitFor();
        await expect.poll(() => page.locator(".tall tr").count(), SOON).toBeLessThan(50);
        await page.setViewportSize({ width: 3840, height: 2160 });
        await page.goto(at("#/plan/PLAN-001?tab=contract"));
        await page.locator(".markdown p").waitFor();
        const line = (await page.evaluate(
          `(() => { const p = document.querySelector(".markdown p"); return p.clientWidth / parseFloat(getComputedStyle(p).fontSize); })()`,
        )) as number;
        expect(line).toBeLessThan(61);
      } finally {
        await browser.close();
      }
    },
  );
});
