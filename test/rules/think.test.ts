import { describe, expect, it } from "vitest";
import type { Card } from "../../src/state/reasoning.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

const cardsOf = (given: Given): Card[] => [...given.entity().cards.values()];
const edges = (given: Given): string[] => cardsOf(given).map((c) => `${c.stage} -> ${c.supports.join()}`);

describe("tasks_think", () => {
  it("[REASON-1] a card has id, stage, title, text, status, tags and what it supports", () => {
    const given = givenTask("a");
    given.call("tasks_think", {
      frame: { title: "Slow start", text: "Why?", tags: ["speed", " speed ", "none"] },
      status: { frame: "settled" },
    });
    expect(cardsOf(given)).toMatchObject([
      {
        id: "CARD-00000001",
        stage: "frame",
        title: "Slow start",
        text: "Why?",
        status: "settled",
        tags: ["speed"],
        supports: [],
        by: "human:ada",
        gone: false,
      },
    ]);
    given.call("tasks_think", { test: "time it" });
    expect(cardsOf(given)[1]).toMatchObject({ stage: "test", status: "open", tags: [] });
  });

  it("[REASON-2] a text is a card whose title is its beginning, on one line", () => {
    const given = givenTask("a");
    const long = `First line\nof ${"many ".repeat(80)}`;
    given.call("tasks_think", { hypothesis: long, test: { text: "only text" }, evidence: { title: "only title" } });
    const [one, two, three] = cardsOf(given);
    expect(one!.text).toBe(long);
    expect(one!.title).toMatch(/^First line of many .*…$/);
    expect(Array.from(one!.title).length).toBeLessThanOrEqual(200);
    expect(two).toMatchObject({ title: "only text", text: "only text" });
    expect(three).toMatchObject({ title: "only title", text: "" });
  });

  it("[REASON-3] cards are laid down by stage, each supporting the one before it, whatever order they are given in", () => {
    const given = givenTask("a");
    given.call("tasks_think", { decision: "d", frame: "f", evidence: "e" });
    expect(edges(given)).toEqual(["frame -> ", "evidence -> CARD-00000001", "decision -> CARD-00000002"]);
    given.call("tasks_think", { test: { text: "t", supports: ["CARD-00000003", "CARD-00000001", "CARD-00000001"] } });
    expect(edges(given).at(-1)).toBe("test -> CARD-00000003,CARD-00000001");
    given.call("tasks_think", { frame: "g", hypothesis: { text: "h", supports: [] } });
    expect(edges(given).at(-1)).toBe("hypothesis -> ");
  });

  it("[REASON-3] a support has to be there", () => {
    const given = givenTask("a");
    const refused = given.refusal("tasks_think", { frame: { text: "f", supports: ["CARD-0000000A"] } });
    expect(refused.code).toBe("UNKNOWN_ID");
    given.call("tasks_think", { frame: "f" });
    given.call("tasks_undo", {});
    expect(given.refusal("tasks_think", { test: { text: "t", supports: ["CARD-00000002"] } }).code).toBe("UNKNOWN_ID");
  });

  it("[REASON-3] a decision is noted, unless that is not wanted", () => {
    const given = givenTask("a");
    given.call("tasks_think", { decision: { title: "Use inodes", text: "Names move." } });
    given.call("tasks_think", {
      decision: "Ship it",
      note_title: "Agreed",
      note_format: "markdown",
    });
    given.call("tasks_think", { decision: "Quietly", note_decision: false });
    expect(given.entity().notes.map((n) => [n.step, n.text])).toEqual([
      [null, "Decision: Use inodes\n\nNames move."],
      [null, "## Agreed\n\nShip it"],
    ]);
  });

  it.each([
    ["nothing", {}],
    ["only what goes with cards", { note_title: "x" }],
    ["an unknown member", { branch: "other" }],
    ["a blank card", { frame: " \n" }],
    ["a card without anything", { frame: {} }],
    ["an unknown member of a card", { frame: { text: "x", color: "red" } }],
    ["a card of another type", { frame: 7 }],
    ["a status for no card", { frame: "f", status: { test: "done" } }],
    ["a status for no stage", { frame: "f", status: { guess: "done" } }],
    ["a blank status", { frame: "f", status: { frame: " " } }],
    ["a title of two lines", { frame: { title: "a\nb" } }],
    ["a lone surrogate", { frame: "\ud800" }],
    ["a note format that is none", { decision: "d", note_format: "html" }],
    ["a blank trace", { trace: " " }],
  ])("[REASON-2] %s is refused and changes nothing", (_name, input) => {
    const given = givenTask("a");
    expect(given.refusal("tasks_think", input as { frame: string }).code).toBe("INVALID_INPUT");
    expect(given.entity().cards.size).toBe(0);
  });

  it("[REASON-3] all of it is one op, and the reply says what became of it", () => {
    const given = givenTask("a");
    const told = given.call("tasks_think", { frame: "f", decision: "d", trace: "so it went" });
    expect(types(told)).toEqual(["card_added", "card_added", "step_noted", "trace_added"]);
    expect(told.result["think_pipeline"]).toEqual({
      branch: "main",
      docs: { notes: "notes", graph: "graph", trace: "trace" },
      cards: [
        { stage: "frame", card_id: "CARD-00000001", title: "f", supports: [] },
        { stage: "decision", card_id: "CARD-00000002", title: "d", supports: ["CARD-00000001"] },
      ],
      decision_note: told.events[2]!.event_id,
    });
    const quiet = given.call("tasks_think", { decision: "d", note_decision: false });
    expect(quiet.result["think_pipeline"]).toMatchObject({ decision_note: null });
  });

  it("[REASON-1] the trace has a line for each card and each step of thought", () => {
    const given = givenTask("a");
    given.call("tasks_think", { frame: "f", test: "t", trace: "looked around" });
    given.call("tasks_think", { trace: "gave up", decision: "d" });
    expect(given.entity().trace.map((line) => [line.kind, line.text])).toEqual([
      ["frame", "f"],
      ["test", "t"],
      ["thought", "looked around"],
      ["decision", "d"],
      ["thought", "gave up"],
    ]);
    expect(given.entity().trace_count).toBe(5);
  });

  it("[REASON-1] undo takes cards, their lines, thoughts and the note out; redo brings them back in their places", () => {
    const given = givenTask("a");
    given.call("tasks_think", { frame: "f", trace: "first" });
    given.call("tasks_think", { hypothesis: { text: "h", supports: ["CARD-00000001"] }, decision: "d" });
    given.call("tasks_think", { test: { text: "t", supports: ["CARD-00000003"] } });
    const memory = (): unknown => given.call("tasks_resume_super", {}).result["memory"];
    const before = memory();
    const op = given.past().ops.at(-2)!.op;
    given.call("tasks_undo", { op });
    const { cards, notes, trace, stats } = memory() as {
      cards: { entries: { card_id: string; supports: string[] }[] };
      notes: { entries: unknown[] };
      trace: { entries: { text: string }[] };
      stats: unknown;
    };
    expect(cards.entries.map((c) => [c.card_id, c.supports])).toEqual([
      ["CARD-00000001", []],
      ["CARD-00000004", []],
    ]);
    expect(notes.entries).toEqual([]);
    expect(trace.entries.map((line) => line.text)).toEqual(["f", "first", "t"]);
    expect(stats).toMatchObject({ notes: 0, trace: 3, cards: 2, by_stage: { decision: 0, hypothesis: 0, test: 1 } });
    given.call("tasks_redo", {});
    expect(memory()).toEqual(before);
  });

  it.each([-1, -10, -20, -25])(
    "[REASON-1] [regression REASON-9] the last few stay without a gap, pages give all (undo of %i)",
    (at) => {
      const given = givenTask("a");
      for (let i = 0; i < 30; i++) given.call("tasks_think", { trace: `thought ${i}` });
      const op = given.past().ops.at(at)!.op;
      given.call("tasks_undo", { op });
      given.call("tasks_redo", {});
      const all = given
        .past()
        .everything()
        .trace.map((line) => line.text);
      expect(all).toEqual(Array.from({ length: 30 }, (_, i) => `thought ${i}`));
      const last = given.entity().trace.map((line) => line.text);
      expect(last).toEqual(all.slice(-last.length));
      expect(last.length).toBeGreaterThanOrEqual(19);
      const paged: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const input = { trace_limit: 7, ...(cursor === undefined ? {} : { trace_cursor: cursor }) };
        const { trace } = given.call("tasks_resume_super", input).result["memory"] as {
          trace: { entries: { text: string }[]; pagination: { next_cursor: string | null } };
        };
        paged.unshift(...trace.entries.map((line) => line.text));
        cursor = trace.pagination.next_cursor;
      }
      expect(paged).toEqual(all);
    },
  );
});
