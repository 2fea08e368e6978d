import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareIds } from "../../src/state/compare_ids.ts";
import type { Subject } from "../../src/state/entity.ts";
import { contextOf } from "../../src/views/context.ts";
import { listedOf } from "../../src/state/listed.ts";
import type { Listed } from "../../src/state/listed.ts";
import { SortedList } from "../../src/state/sorted_list.ts";
import * as t from "../support/story.ts";
import { asWritten, Story } from "../support/story.ts";

const tasks = (n: number): Subject[] => Array.from({ length: n }, (_, i) => new Story({ id: `TASK-${i + 1}` }).subject);

describe("order of ids", () => {
  it("[VIEW-11] is natural: TASK-2 before TASK-10", () => {
    const ids = ["TASK-10", "TASK-2", "PLAN-1", "TASK-002", "TASK-2-k3f9", "fix-parser"];
    expect(ids.toSorted(compareIds)).toEqual(["PLAN-1", "TASK-002", "TASK-2", "TASK-2-k3f9", "TASK-10", "fix-parser"]);
    expect(compareIds("TASK-99999999999999999998", "TASK-99999999999999999999")).toBeLessThan(0);
  });

  it("[VIEW-11] is a total order", () => {
    const id = fc.string({ unit: fc.constantFrom("0", "1", "2", "a", "-"), maxLength: 6 });
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(Math.sign(compareIds(a, b))).toBe(0 - Math.sign(compareIds(b, a)));
        expect(compareIds(a, b) === 0).toBe(a === b);
        const [low, middle, high] = [a, b, c].toSorted(compareIds) as [string, string, string];
        expect(compareIds(low, middle)).toBeLessThanOrEqual(0);
        expect(compareIds(middle, high)).toBeLessThanOrEqual(0);
        expect(compareIds(low, high)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe("context", () => {
  it("[VIEW-11] rows hold steps and progress", () => {
    const plan = new Story({ kind: "plan", id: "PLAN-001", title: "Release" });
    const task = new Story({ id: "TASK-001" }).do(t.addSteps(0, ["a", "b", "c"])).do(t.verify(0), t.close(0));
    task.entity.parent = { id: "PLAN-001", root: plan.entity.root };
    const done = new Story({ id: "TASK-002" }).do(t.complete());
    done.entity.parent = { id: "an-old-name", root: plan.entity.root };
    const { result, warnings } = contextOf([plan.subject, task.subject, done.subject].map(listedOf), asWritten);
    expect(warnings).toEqual([]);
    expect(result.tasks).toEqual([
      {
        id: "TASK-001",
        kind: "task",
        title: "Fix the parser",
        status: "ACTIVE",
        revision: 3,
        parent: "PLAN-001",
        steps: { total: 3, completed: 1 },
        progress: 33,
        updated_at: "2026-01-01T00:02:00.000Z",
      },
      expect.objectContaining({ id: "TASK-002", parent: "PLAN-001", progress: 100 }),
    ]);
    expect(result.plans).toMatchObject([{ id: "PLAN-001", progress: 50, tasks: { total: 2, done: 1 } }]);
  });

  it("[VIEW-11] rows hold priority, tags and dependencies where they say something, by present ids", () => {
    const first = new Story({ id: "TASK-001" });
    const far = { id: "TASK-777", root: "r".repeat(43) };
    const second = new Story({ id: "TASK-002" }).do(
      t.edit({ priority: "HIGH", tags: ["a"], depends_on: [{ id: "an-old-name", root: first.entity.root }, far] }),
    );
    const { tasks: rows } = contextOf(
      [first.subject, second.subject].map(listedOf),
      (ref) => `${ref.id} elsewhere`,
    ).result;
    expect(rows[0]).not.toHaveProperty("priority");
    expect(rows[0]).not.toHaveProperty("tags");
    expect(rows[0]).not.toHaveProperty("depends_on");
    expect(rows[1]).toMatchObject({
      priority: "HIGH",
      tags: ["a"],
      depends_on: ["TASK-001", "TASK-777 elsewhere"],
    });
  });

  it("[VIEW-11] counts the workspace, not the page, and nothing deleted", () => {
    const all = tasks(5);
    all[1]!.entity.status = "DONE";
    all[4]!.entity.deleted = true;
    const { result } = contextOf(all.map(listedOf), asWritten, { tasks_limit: 1 });
    expect(result.counts).toEqual({ plans: 0, tasks: 4 });
    expect(result.by_status).toEqual({ TODO: 3, ACTIVE: 0, DONE: 1, FAILED: 0, CANCELED: 0 });
    expect(result.tasks.map((r) => r.id)).toEqual(["TASK-1"]);
  });

  it("[VIEW-13] following next_cursor gives every row once", () => {
    const all = tasks(23);
    const seen: string[] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const { result } = contextOf(all.map(listedOf), asWritten, { tasks_limit: 5, tasks_cursor: cursor });
      seen.push(...result.tasks.map((r) => r.id));
      expect(result.tasks_pagination).toMatchObject({ cursor, total: 23, count: result.tasks.length, limit: 5 });
      cursor = result.tasks_pagination.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => `TASK-${i + 1}`));
  });

  it("[regression VIEW-94] rows are counted once for each state of a list, and not for each page", () => {
    let asked = 0;
    const counting = (subject: Subject) =>
      new Proxy(listedOf(subject), {
        get: (row, name) => {
          if (name === "deleted") asked++;
          return Reflect.get(row, name) as unknown;
        },
      });
    const byId = (a: { id: string }, b: { id: string }): number => compareIds(a.id, b.id);
    const sorted = new SortedList<{ id: string }, Listed>(byId, tasks(23).map(counting));
    const counts = () => contextOf(sorted.all, asWritten, { tasks_limit: 5 }).result.counts.tasks;
    for (let page = 0; page < 5; page++) {
      const { tasks: rows } = contextOf(sorted.all, asWritten, { tasks_limit: 5, tasks_cursor: 5 * page }).result;
      expect(rows.length).toBe(page === 4 ? 3 : 5);
    }
    expect(asked).toBe(23);
    const before = sorted.all;
    sorted.set(counting(new Story({ id: "TASK-24" }).subject));
    expect([counts(), before.length]).toEqual([24, 23]);
    sorted.delete({ id: "TASK-1" });
    expect([counts(), sorted.all[0]!.id]).toEqual([23, "TASK-2"]);
  });

  it("[VIEW-13] all rows in one page are those of all pages", () => {
    const all = tasks(230).map(listedOf);
    const { result, warnings } = contextOf(all, asWritten, { whole: true });
    expect(warnings).toEqual([]);
    expect(result.tasks_pagination).toEqual({ cursor: 0, next_cursor: null, total: 230, count: 230, limit: 230 });
    expect(result.tasks.slice(200)).toEqual(
      contextOf(all, asWritten, { tasks_limit: 200, tasks_cursor: 200 }).result.tasks,
    );
  });

  it("[VIEW-13] a limit above 200 is lowered, and a cursor past the end is empty", () => {
    const { result, warnings } = contextOf(tasks(1).map(listedOf), asWritten, { plans_limit: 201, tasks_cursor: 7 });
    expect(warnings.map((w) => w.code)).toEqual(["LIMIT_CLAMPED"]);
    expect(warnings[0]!.message).toContain("201");
    expect(result.plans_pagination.limit).toBe(200);
    expect(result.tasks_pagination).toEqual({ cursor: 7, next_cursor: null, total: 1, count: 0, limit: 50 });
  });
});
