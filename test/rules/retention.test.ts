import { describe, expect, it } from "vitest";
import { TaskfoldError } from "../../src/errors.ts";
import type { Retention, Wanted } from "../../src/rules/retention.ts";
import { sweep } from "../../src/rules/retention.ts";
import { momentBefore } from "../../src/rules/moment_before.ts";
import { listedOf } from "../../src/state/listed.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

/** TASK-001 goes on; TASK-002 to TASK-004 have ended, in this order; TASK-005 has ended below no plan. */
function someTasks(): Given {
  const given = givenTask("a");
  for (const title of ["b", "c", "d"]) given.call("tasks_create", { parent: "PLAN-001", title });
  given.call("tasks_create", { kind: "task", title: "e" });
  for (const task of ["TASK-002", "TASK-003", "TASK-004", "TASK-005"])
    given.call("tasks_complete", { task, status: task === "TASK-003" ? "FAILED" : "CANCELED", reason: "x" });
  return given;
}

function from(given: Given, change: Partial<Retention> = {}): Retention {
  return {
    now: given.clock,
    inSeconds: () => given.clock,
    by: "human:ada",
    rows: () => given.all().map(listedOf),
    find: ({ root }) => given.all().find(({ entity }) => entity.root === root),
    open: (id) => given.subject(id),
    dispatcher: () => undefined,
    edited: () => [],
    ...change,
  };
}

function swept(given: Given, wanted: Wanted, limit = 100, change: Partial<Retention> = {}) {
  const { chosen, skipped, left } = sweep(wanted, limit, from(given, change));
  return [chosen.map(({ id }) => id), skipped.map(({ id, code }) => `${id} ${code}`), left];
}

describe("a sweep", () => {
  it("[ARCHIVE-5] takes ended tasks, the longest untouched first, and no more than it may", () => {
    const given = someTasks();
    const all = ["TASK-002", "TASK-003", "TASK-004", "TASK-005"];
    expect(swept(given, {})).toEqual([all, [], 0]);
    expect(swept(given, {}, 4)).toEqual([all, [], 0]);
    expect(swept(given, {}, 1)).toEqual([["TASK-002"], [], 3]);
    expect(swept(given, {}, 0)).toEqual([[], [], 4]);
    const same = () =>
      given
        .all()
        .map((one) => ({ ...listedOf(one), updated_at: "t" }))
        .toReversed();
    expect(swept(given, {}, 9, { rows: same })).toEqual([all, [], 0]);
    const turned = () => given.all().map((one, i) => ({ ...listedOf(one), updated_at: `${9 - i}` }));
    expect(swept(given, {}, 9, { rows: turned })).toEqual([all.toReversed(), [], 0]);
    const deleted = () => given.all().map((one) => ({ ...listedOf(one), deleted: one.id === "TASK-003" }));
    expect(swept(given, {}, 9, { rows: deleted })[0]).toEqual(["TASK-002", "TASK-004", "TASK-005"]);
  });

  it("[ARCHIVE-5] takes those of a plan, of a status, from before a time, or named ones", () => {
    const given = someTasks();
    const plan = given.entity("PLAN-001").root;
    expect(swept(given, { plan })[0]).toEqual(["TASK-002", "TASK-003", "TASK-004"]);
    expect(swept(given, { status: "FAILED" })[0]).toEqual(["TASK-003"]);
    const before = given.entity("TASK-004").updated_at;
    expect(swept(given, { before })[0]).toEqual(["TASK-002", "TASK-003"]);
    expect(swept(given, { ids: ["TASK-004", "TASK-004", "TASK-002"] })).toEqual([["TASK-002", "TASK-004"], [], 0]);
    expect(swept(given, { ids: ["TASK-001", "TASK-002", "PLAN-001"] })).toEqual([
      ["TASK-002"],
      ["PLAN-001 TARGET_CONTRADICTION", "TASK-001 NOT_DONE"],
      0,
    ]);
    expect(() =>
      swept(given, { ids: ["TASK-009"] }, 9, {
        open: () => {
          throw new TaskfoldError("UNKNOWN_ID", "x");
        },
      }),
    ).toThrow("x");
  });

  it("[ARCHIVE-7] leaves tasks with files that were edited by hand, and those that cannot be changed", () => {
    const given = someTasks();
    const edited = (id: string) => (id === "TASK-003" ? ["a.md", "b.md"] : []);
    const { skipped } = sweep({ status: "FAILED" }, 9, from(given, { edited }));
    expect(skipped).toEqual([
      {
        id: "TASK-003",
        code: "FILES_EDITED",
        message: "Expected the files of TASK-003 as its log has them; edited by hand: a.md, b.md.",
      },
    ]);
    const locked = (id: string) => {
      if (id !== "PLAN-001") return given.subject(id);
      throw new TaskfoldError("LOCK_TIMEOUT", "x");
    };
    expect(swept(given, {}, 9, { open: locked })).toEqual([
      ["TASK-005"],
      ["TASK-002 LOCK_TIMEOUT", "TASK-003 LOCK_TIMEOUT", "TASK-004 LOCK_TIMEOUT"],
      0,
    ]);
    expect(swept(given, {}, 9, { open: locked, find: () => undefined })[1]).toEqual([]);
    const broken = () => {
      throw new TypeError("broken");
    };
    expect(() => swept(given, {}, 9, { edited: broken })).toThrow("broken");
  });

  it("[ARCHIVE-5] knows a time by how long ago it was, or by its date", () => {
    const before = (text: string) => momentBefore(text, (seconds) => `${seconds} s`);
    expect(["90s", "2m", "12h", "30d", "1w", "999999s"].map(before)).toEqual([
      "-90 s",
      "-120 s",
      "-43200 s",
      "-2592000 s",
      "-604800 s",
      "-999999 s",
    ]);
    for (const time of ["2026-01-31", "2026-01-31T10:00:00", "2026-01-31T10:00:00.5"]) expect(before(time)).toBe(time);
    expect(before("2026-01-31T10:00:00.123Z")).toBe("2026-01-31T10:00:00.123");
    for (const text of [
      "",
      "30",
      "d",
      "30y",
      "x30d",
      "30dd",
      "1000000s",
      "2026-13-31",
      "2026-1-31",
      "2026-01-31T10",
      "x2026-01-31",
      "2026-01-31x",
    ])
      expect(() => before(text), text).toThrow(`found ${JSON.stringify(text)}`);
    expect(() => before("x".repeat(50))).toThrow(`found "${"x".repeat(40)}"`);
  });
});
