/** The page of agents with thousands of claims, hundreds of lanes, and clocks that were wrong. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentLane, AgentMark, AgentStanding, AgentSpan, MarkKind } from "../../src/views/viewer/api.ts";
import { LANES_PAGE } from "../../src/views/viewer/api.ts";
import {
  clustersOf,
  gapsOf,
  hiddenOf,
  kindsOf,
  placeOf,
  spanClustersOf,
  ticksOf,
} from "../../viewer/src/agents/lane_marks.ts";
import { pagesOf } from "../../viewer/src/agents/pages_of.ts";
import { inOrder, rateOf } from "../../viewer/src/agents/standing.ts";
import { rangeOf } from "../../viewer/src/agents/range.ts";
import { pageOf } from "../../viewer/src/page_of.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium } from "../support/chromium.ts";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";

const GAP = { one: 0.01, several: 0.02 };
const RANGE = { from: START, to: START + 1000 };

function span(from: number, to: number | null, end: AgentSpan["end"]): AgentSpan {
  const at = (ms: number): string => new Date(START + ms).toISOString();
  const common = { kind: "claim", entity: "TASK-001", of: null, title: "", expires_at: null, other: null } as const;
  return { ...common, from: at(from), to: to === null ? null : at(to), end };
}

function lane(marks: readonly (readonly [number, MarkKind])[]): AgentLane {
  const mark = ([ms, kind]: readonly [number, MarkKind]): AgentMark => {
    const ts = new Date(START + ms).toISOString();
    return { ts, kind, entity: "TASK-001", revision: 1, step: null, text: "", other: null };
  };
  const list = marks.map(mark);
  return { by: "agent:a", first: "", last: "", counts: {}, marks: list, spans: [], spans_total: 0, waits: [] };
}

describe("the table of agents", () => {
  it("[PAGE-105] the most stands first in each order", () => {
    const row = (
      by: string,
      done: number,
      failed: number,
      last_failure: string | null,
      last: string,
    ): AgentStanding => ({
      by,
      done,
      failed,
      last_failure,
      last,
      holds: [],
      waits: [],
    });
    const list = [row("cyd", 0, 0, null, "1"), row("ada", 4, 2, "5", "2"), row("bob", 0, 1, "7", "3")];
    expect(list.map(rateOf)).toEqual([null, 1 / 3, 1]);
    const order = (by: Parameters<typeof inOrder>[1]): string =>
      inOrder(list, by)
        .map((one) => one.by)
        .join(" ");
    expect(order("failed")).toBe("ada bob cyd");
    expect(order("rate")).toBe("bob ada cyd");
    expect(order("lastFailure")).toBe("bob ada cyd");
    expect(order("done"), "the answer's order where two are the same").toBe("ada cyd bob");
    expect(order("last")).toBe("bob ada cyd");
  });
});

describe("marks of a lane", () => {
  it("[regression PAGE-82] marks stand at least a mark and its number apart, on a lane of any width", () => {
    const times = fc.array(fc.nat(1000), { maxLength: 200 });
    fc.assert(
      fc.property(times, fc.integer({ min: 3, max: 200 }), (list, width) => {
        const shown = new Set<MarkKind>(["note"]);
        const of = lane(list.toSorted((a, b) => a - b).map((ms) => [ms, "note"] as const));
        const clusters = clustersOf(of, RANGE, shown, gapsOf(width).mark);
        expect(clusters.reduce((sum, { marks }) => sum + marks.length, 0)).toBe(list.length);
        for (const [index, { at }] of clusters.slice(1).entries())
          expect((at - clusters[index]!.at) * width).toBeGreaterThan(2.3);
      }),
    );
  });

  it("[regression PAGE-82] marks that no chosen kind shows are counted, and those of a range alone", () => {
    const of = lane([
      [1, "note"],
      [2, "change"],
      [500, "change"],
      [2000, "change"],
    ]);
    expect(hiddenOf([of], RANGE, new Set(["note"]))).toBe(2);
    expect(hiddenOf([of], RANGE, new Set(["note", "change"]))).toBe(0);
    expect(kindsOf(of.marks)).toEqual([
      ["note", 1],
      ["change", 3],
    ]);
  });

  it("[regression PAGE-83] the axis has both ends and as many times between them as there is room for", () => {
    expect(ticksOf(0, 16)).toEqual([0, 1]);
    expect(ticksOf(40, 16)).toEqual([0, 1 / 3, 2 / 3, 1]);
    expect(ticksOf(106, 16).length).toBeGreaterThan(7);
    expect(ticksOf(600, 16)).toHaveLength(12);
  });
});

describe("bars of a lane", () => {
  it("[regression PAGE-25] claims that begin side by side are one bar, none is lost, and a lane has room for all bars", () => {
    const given = fc.array(
      fc.record({ from: fc.integer({ min: -500, max: 1500 }), lasts: fc.option(fc.nat(800)), killed: fc.boolean() }),
      { maxLength: 400 },
    );
    fc.assert(
      fc.property(given, (list) => {
        const spans = list
          .toSorted((a, b) => a.from - b.from)
          .map(({ from, lasts, killed }) =>
            span(from, lasts === null ? null : from + lasts, killed ? "killed" : "closed"),
          );
        const bars = spanClustersOf(spans, RANGE, RANGE.to, GAP);
        const inSight = spans.filter(
          (one) => Date.parse(one.from) <= RANGE.to && (one.to === null || Date.parse(one.to) >= RANGE.from),
        );
        expect(new Set(bars.flatMap((bar) => bar.spans))).toEqual(new Set(inSight));
        expect(bars.length).toBeLessThanOrEqual(1 / GAP.one + 1);
        for (const [index, { left, width, end, spans: of }] of bars.entries()) {
          const places = of.map((one) => placeOf(one, RANGE, RANGE.to)!);
          expect(left).toBe(Math.min(...places.map((place) => place.left)));
          expect(left + width).toBeCloseTo(Math.max(...places.map((place) => place.left + place.width)));
          expect(end === "killed").toBe(of.some((one) => one.end === "killed"));
          const before = bars[index - 1];
          const gap = before ? left - before.left : Infinity;
          expect(gap).toBeGreaterThanOrEqual(before && before.spans.length > 1 ? GAP.several : GAP.one);
        }
      }),
    );
  });

  it("[regression PAGE-25] 5,000 claims at once are one bar, and claims that stand apart are a bar each", () => {
    const many = Array.from({ length: 5000 }, (_, n) => span(100 + (n % 3), 500, "closed"));
    expect(spanClustersOf(many, RANGE, RANGE.to, GAP)).toMatchObject([{ left: 0.1, width: 0.4 }]);
    const apart = [0, 15, 30, 45].map((from) => span(from, from + 5, "closed"));
    expect(spanClustersOf(apart, RANGE, RANGE.to, GAP)).toHaveLength(4);
  });
});

describe("pages of lanes", () => {
  it("[regression PAGE-26] a name is found on the page of its lane, and an address by hand leads to a page that there is", () => {
    const actors = Array.from({ length: 2 * LANES_PAGE + 1 }, (_, n) => `agent:Ada${n}`);
    const pages = (total: number, search: string): [number, number][] => [...pagesOf(actors, total, search)];
    expect(pages(actors.length, "")).toEqual([
      [0, LANES_PAGE],
      [1, LANES_PAGE],
      [2, 1],
    ]);
    expect(pages(actors.length, " ada200")).toEqual([[2, 1]]);
    expect(pages(actors.length, "ada19")).toEqual([
      [0, 1],
      [1, 10],
    ]);
    expect(pages(actors.length, "bob")).toEqual([]);
    expect(pages(actors.length + LANES_PAGE, "").length, "lanes behind the names").toBe(4);
    expect([undefined, "1", "3", "2", "0", "-1", "1.5", "x"].map((named) => pageOf(named, [0, 2]))).toEqual([
      0, 0, 2, 0, 0, 0, 0, 0,
    ]);
    expect(pageOf("1", []), "nothing is found").toBe(0);
  });

  it("[regression PAGE-27] a lane begins with the work, and the address can ask for all of the time", () => {
    const [whole, main] = [
      { from: 0, to: 1000 },
      { from: 900, to: 1000 },
    ];
    expect(rangeOf({}, whole, main)).toEqual(main);
    expect(rangeOf({ from: "all" }, whole, main)).toEqual(whole);
    expect(rangeOf({ from: "5", to: "7" }, whole, main)).toEqual({ from: 5, to: 7 });
  });
});

describe("in a browser", () => {
  it.skipIf(CHROMIUM === undefined)(
    `[regression PAGE-25, PAGE-26, PAGE-27, PAGE-28] claims as one bar with a number, pages, a search, wrong clocks by name${LACK}`,
    ROTATING,
    async () => {
      let clock = Date.parse("1970-01-01T00:00:00.000Z");
      const ws = openTemp({ now: () => (clock += 1000) });
      await ws.callTool("tasks_create", { workspace: WORKSPACE, title: "Version 2" }, { by: "agent:a7" });
      clock = START;
      await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser" });
      const as = async (by: string, tool: "tasks_claim" | "tasks_release" | "tasks_note", input: object = {}) =>
        expect(
          (await ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", ...input }, { by })).error,
        ).toBeNull();
      for (let n = 0; n <= LANES_PAGE; n++) await as(`agent:a${n}`, "tasks_note", { note: "here" });
      for (let n = 0; n < 5; n++) {
        await as("agent:a7", "tasks_claim", { ttl_s: 60 });
        await as("agent:a7", "tasks_release");
      }
      clock += 7_200_000;
      await as("agent:a7", "tasks_note", { note: "later" });
      clock = Date.parse("2099-01-01T00:00:00.000Z");
      await as("agent:a9", "tasks_note", { note: "from the future" });
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB" });
        page.setDefaultTimeout(8000);
        await page.goto(at("#/agents?lanes=1"));
        const lane = page.locator(".agent-lane").first();
        expect(await lane.innerText()).toContain("a7");
        await lane.locator(".span", { has: page.locator(".span-count", { hasText: "5" }) }).focus();
        await page.keyboard.press("Enter");
        expect(await page.locator(".mark-detail tbody tr").count()).toBe(5);
        expect(await page.locator(".axis").innerText()).not.toContain("1970");
        await page.locator(".notice", { hasText: "much older than the others" }).getByRole("button").click();
        await page.locator(".axis", { hasText: "1970" }).waitFor();
        await page.waitForURL(/from=all/);
        await page.getByRole("button", { name: "Leave them out" }).click();
        await page.locator(".axis").filter({ hasNotText: "1970" }).waitFor();
        expect(await page.locator(".agent-story").count(), "no row was opened").toBe(0);
        const cut = page.locator(".cut", { hasText: "Page 1 of 2" });
        expect(await cut.innerText()).toContain("100 of 102");
        await cut.getByRole("link", { name: "Next page" }).click();
        await page.locator(".cut", { hasText: "Page 2 of 2" }).waitFor();
        await expect.poll(() => page.locator(".agent-lane").count()).toBe(2);
        await page.goBack();
        await page.locator(".cut", { hasText: "Page 1 of 2" }).waitFor();
        await page.getByRole("searchbox").fill("a9");
        await page.getByRole("status").filter({ hasText: "11 of 102" }).waitFor();
        await page.locator(".cut", { hasText: "8 of 11" }).getByRole("button").click();
        const row = page.locator(".agent-table tbody tr", {
          has: page.getByRole("button", { name: "agent a9", exact: true }),
        });
        expect(await row.innerText()).not.toContain("2099");
        await row.getByRole("button").click();
        expect(await page.locator(".agent-story tbody tr").first().innerText()).toMatch(/2099.*ahead of this clock/);
        await page.getByRole("searchbox").fill("bob");
        await page.locator(".empty-title", { hasText: "No name contains this text" }).waitFor();
        await page.goto(at("#/task/TASK-001"));
        await page
          .locator("time", { hasText: /2099.*ahead of this clock/ })
          .first()
          .waitFor();
        expect(await page.locator("main").innerText()).not.toContain("in 7");
      } finally {
        await browser.close();
      }
    },
  );
});
