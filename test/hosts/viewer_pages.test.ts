import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromium } from "playwright-core";
import type {
  AgentLane,
  AgentMark,
  AgentSpan,
  BoardRow,
  GraphEdge,
  GraphNode,
  HistoryItem,
  MarkKind,
  Status,
} from "../../src/views/viewer/api.ts";
import type { Line } from "../../viewer/src/board/select.ts";
import { clustersOf, placeOf } from "../../viewer/src/agents/lane_marks.ts";
import { rangeOf } from "../../viewer/src/agents/range.ts";
import { hrefOf, PAGES, parseAddress } from "../../viewer/src/address_text.ts";
import { choiceOf, GROUPS, groupsOf, isChosen, lanesOf, linesOf, STATUSES } from "../../viewer/src/board/select.ts";
import { attemptTimes } from "../../viewer/src/entity/attempt_times.ts";
import { tabStop } from "../../viewer/src/board/tab_stop.ts";
import { isLayered, layeredLayout } from "../../viewer/src/graph/layered_layout.ts";
import { lateWrite } from "../../viewer/src/late_write.ts";
import { ansiPieces, blocksOf, placesOf, withMatches } from "../../viewer/src/parts/ansi.ts";
import { withGaps } from "../../viewer/src/parts/with_gaps.ts";
import { passesFilter } from "../../viewer/src/time/passes_filter.ts";
import { withoutDirections } from "../../viewer/src/text/directions.ts";
import { en } from "../../viewer/src/text/en.ts";
import { dayOf, LAST, shortDay, shortMoment, shortTime } from "../../viewer/src/text/format.ts";
import { fieldName } from "../../viewer/src/text/field_name.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";

const CHROMIUM = [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium"].find((path) => path !== "" && existsSync(path));
/** Named in the title, so that a run without a browser says what it lacks. */
const LACK = CHROMIUM ? "" : " (lacks Chromium, Debian's package chromium)";
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

  it("[PAGE-2] [PAGE-3] captured output keeps every character, with and without a search", () => {
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

  it("[PAGE-3] blocks of a long text end with their lines, and hold all of it", () => {
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

  it("[PAGE-4] each row that is chosen stands once in each of its groups, under its status", () => {
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

  it("[PAGE-5] marks that lie on each other are one mark, and none is lost", () => {
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

  it("[PAGE-9] names of fields stand in the reader's language, and what no table has stays", () => {
    expect(fieldName("s:1.s:0 confirmed.tests", en)).toBe("s:1.s:0 confirmed · Tests");
    expect(fieldName("criteria.proof_state", zh)).toBe("标准 · 证明的状态");
    expect(fieldName("title", zh)).toBe("标题");
    for (const label of [
      "taskdoc.tsk/goals.md",
      "card An else belongs to the nearest if",
      "constructor",
      "s:0 later.field",
    ])
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

  it("[PAGE-11] bars stand at equal times: what the list leaves out is an empty one", () => {
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

  it("[PAGE-13] an attempt whose start is no time has no bar, and one whose end is none is a moment", () => {
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

  it("[PAGE-13] a bar that began at no time has no place, and every other one lies in the range", () => {
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

  it("[PAGE-13] an end of an axis that no date can stand for is the last one that one can", () => {
    expect(shortMoment(LAST + 1, "en-GB")).toBe(shortMoment(LAST, "en-GB"));
    expect(shortMoment(-1e20, "en-GB")).toBe(shortMoment(-LAST, "en-GB"));
    expect(shortMoment(NOW, "en-GB")).toBe(shortTime(new Date(NOW).toISOString(), "en-GB"));
  });

  it("[PAGE-22] a time of another year is written with its year", () => {
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

  it("[PAGE-13] every range of an address is one of dates", () => {
    const whole = { from: NOW, to: NOW + 1000 };
    expect(rangeOf({ from: "1e20", to: "2e20" }, whole)).toEqual(whole);
    expect(rangeOf({ to: "5" }, whole)).toEqual(whole);
    expect(rangeOf({ from: "2", to: "5" }, whole)).toEqual({ from: 2, to: 5 });
    fc.assert(
      fc.property(fc.oneof(fc.double().map(String), texts), fc.oneof(fc.double().map(String), texts), (from, to) => {
        const range = rangeOf({ from, to }, whole);
        expect(range.to).toBeGreaterThan(range.from);
        expect(new Date(range.from).toISOString() + new Date(range.to).toISOString()).toMatch(/Z$/);
      }),
    );
  });

  it("[PAGE-14] a dense graph is laid out in columns, and one of single dependencies is not", () => {
    const nodes = Array.from({ length: 150 }, (_, rank) => ({ id: `TASK-${rank}`, rank }) as GraphNode);
    const edge = (from: number, to: number) => ({ from: `TASK-${from}`, to: `TASK-${to}` }) as GraphEdge;
    const chain = nodes.slice(1).map((_, at) => edge(at, at + 1));
    const dense = nodes.flatMap((_, to) => nodes.slice(0, to).map((_one, from) => edge(from, to)));
    expect(isLayered({ nodes, edges: chain, circle: [] })).toBe(false);
    expect(isLayered({ nodes, edges: dense, circle: [] })).toBe(true);
    const layout = layeredLayout(nodes, dense);
    expect([layout.nodes.size, layout.edges.length]).toEqual([150, dense.length]);
  });

  it("[PAGE-15] Tab comes to a card that is on the page, whichever had the focus before", () => {
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

  it("[PAGE-18] a day of the log is the same day in every zone", () => {
    const zone = process.env["TZ"];
    try {
      for (const one of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]) {
        process.env["TZ"] = one;
        expect(dayOf("2026-11-23", "en-GB-u-nu-latn-x-" + one.slice(-4).toLowerCase()), one).toBe("23 Nov 2026");
      }
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("[PAGE-17] the filter of the history finds the sentence that is shown, and what the log says", () => {
    const op = {
      message: 'Closed s:0 "One".',
      by: "agent:ada",
      tool: "tasks_done",
      events: ["step_completed"],
      changes: [{ label: "status", before: null, after: null }],
    } as unknown as HistoryItem;
    const shown = zh.sentence(op.message);
    expect(shown).not.toBe(op.message);
    expect(passesFilter(op, ` ${shown} `, zh)).toBe(true);
    expect(passesFilter(op, zh.fields.status, zh)).toBe(true);
    expect(passesFilter(op, shown, en)).toBe(false);
    for (const text of ["", "CLOSED", "agent:ada", "tasks_done", "completed"])
      expect(passesFilter(op, text, zh), text).toBe(true);
    expect(passesFilter(op, "nothing of this", zh)).toBe(false);
  });

  it("[PAGE-6] both languages have every word, and Chinese has no English sentence", () => {
    // Those are no words of the page: viewer_sentences.test.ts has them.
    const own = { sentence: "", findings: "" };
    const [english, chinese] = [wordsOf({ ...en, ...own }), wordsOf({ ...zh, ...own, sentence: " ", findings: " " })];
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
    else if (typeof value === "function") found.set(at, String((value as (...args: number[]) => unknown)(2, 3)));
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
    expect(readdirSync(folder).toSorted()).toEqual(["app.css", "app.js", "graph.js", "index.html", "markdown.js"]);
    const first = ["index.html", "app.css", "app.js", "markdown.js"].reduce(
      (sum, name) => sum + gzipSync(text(name)).length,
      0,
    );
    expect(first).toBeLessThan(200_000);
    const page = text("index.html");
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|https?:|<script(?![^>]*\ssrc="\.\/)/);
    expect(text("app.css")).not.toMatch(/url\(|@import/);
  });

  it.skipIf(CHROMIUM === undefined)(`[PAGE-8] a page without its data says so${LACK}`, ROTATING, async () => {
    const browser = await chromium.launch({
      executablePath: CHROMIUM!,
      args: ["--headless", "--no-sandbox", "--disable-gpu"],
    });
    try {
      for (const [locale, words] of [["en-GB", en] as const, ["zh-CN", zh] as const]) {
        const page = await browser.newPage({ locale });
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.goto(`${pathToFileURL(join(folder, "index.html")).href}#/task/TASK-001`);
        await page.waitForSelector(".failure");
        expect(await page.locator(".failure").textContent()).toContain(words.state.failed);
        expect(await page.locator("nav").textContent()).toContain(words.pages.board);
        expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });

  const RULES = "[PAGE-19] [PAGE-20] [PAGE-21] [PAGE-23]";
  it.skipIf(CHROMIUM === undefined)(
    `${RULES} an export shows the rest of a list, claims by keys, the rows in sight, and short lines on a wide screen${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { title: "A plan", contract: "A long line of text. ".repeat(60) });
      for (let n = 0; n < 60; n++) await ok(ws, "tasks_create", { parent: "PLAN-001", title: `Task ${n}` });
      for (let n = 0; n < 12; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
      await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 600 });
      const dir = tempFolder();
      const program = join(ROOT, "dist/cli.cjs");
      execFileSync(process.execPath, [program, "view", "--export", join(dir, "out")], {
        cwd: ws.root,
        stdio: "ignore",
      });
      const at = (hash: string): string => `${pathToFileURL(join(dir, "out/index.html")).href}${hash}`;
      const browser = await chromium.launch({
        executablePath: CHROMIUM!,
        args: ["--headless", "--no-sandbox", "--disable-gpu"],
      });
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 500 } });
        await page.goto(at("#/task/TASK-001?tab=notes"));
        await page.locator(".cut", { hasText: "10 of 12" }).getByRole("button").click();
        await page.locator(".note", { hasText: "note 0" }).waitFor();
        expect([await page.locator(".note").count(), await page.locator(".cut").count()]).toEqual([12, 0]);
        await page.goto(at("#/agents"));
        await page.locator('.agent-lane [tabindex="0"]').focus();
        await page.keyboard.press("End");
        const focused = (): Promise<string> => page.evaluate("document.activeElement.className") as Promise<string>;
        for (let n = 0; n < 5 && !(await focused()).includes("span"); n++) await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("Enter");
        expect(await page.locator(".mark-detail tbody").innerText()).toMatch(/Claim\s+TASK-001/);
        await page.goto(at("#/plan/PLAN-001"));
        await page.locator('.tall table[aria-rowcount="61"]').waitFor();
        expect(await page.locator(".tall tr").count()).toBeLessThan(50);
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
