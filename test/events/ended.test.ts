/** Who ended a plan or task and when: over every way to an end and back, over merges, and in logs that turn the status alone. */
import { describe, expect, it } from "vitest";
import type { Draft } from "../../src/events/define.ts";
import { readLog } from "../../examples/independent_reader.mjs";
import { hasEnded } from "../../src/state/ended.ts";
import type { Status } from "../../src/state/entity.ts";
import { Branches } from "../support/branches.ts";
import { creation, minute } from "../support/logs.ts";
import * as t from "../support/story.ts";

const end = ({ status, ended_at, ended_by }: { status: Status; ended_at: string | null; ended_by: string | null }) => ({
  status,
  at: ended_at,
  by: ended_by,
});

/** What the engine says of a log, and that a reader of the specification alone says the same. */
function both(log: Branches, ops = log.ops): ReturnType<typeof end> {
  const bytes = Buffer.concat(ops.map((op) => op.bytes));
  const ours = end(log.fold(bytes).entity!);
  expect(end(readLog(bytes) as unknown as Parameters<typeof end>[0])).toEqual(ours);
  return ours;
}

/** A turn as programs wrote it that knew no end: it names the status and its reason. */
const turn = (type: "undo" | "redo", op: string, status: string): Draft =>
  ({
    type: `${type}.applied`,
    payload: {
      op,
      fields: [
        { field: "status", value: status },
        { field: "status_reason", value: null },
      ],
      message: "Turned",
    },
  }) as never;

const OPEN = { at: null, by: null };

describe("the end of a plan or task", () => {
  it("[EVENT-70] DONE, FAILED and CANCELED say when and by whom, and what opens the whole clears it", () => {
    const log = new Branches();
    let last = log.op([], "human:ann", creation("A sentence."));
    const next = (by: string, ...drafts: Draft[]): ReturnType<typeof end> => {
      last = log.op([last], by, ...drafts);
      return both(log);
    };
    expect(both(log)).toEqual({ status: "TODO", ...OPEN });
    expect(next("agent:a", t.complete())).toEqual({ status: "DONE", at: minute(1), by: "agent:a" });
    // One end after another is the later one.
    expect(next("agent:b", t.status("FAILED"))).toEqual({ status: "FAILED", at: minute(2), by: "agent:b" });
    expect(next("agent:b", t.status("ACTIVE"))).toEqual({ status: "ACTIVE", ...OPEN });
    expect(next("agent:c", t.status("CANCELED"))).toEqual({ status: "CANCELED", at: minute(4), by: "agent:c" });
    expect(next("agent:c", t.status("TODO"))).toEqual({ status: "TODO", ...OPEN });
    expect(next("agent:a", t.complete())).toMatchObject({ status: "DONE", by: "agent:a" });
    // Steps that are added open a DONE task, and no event sets its status.
    expect(next("agent:b", t.addSteps(0, ["a"]))).toEqual({ status: "ACTIVE", ...OPEN });
  });

  it("[EVENT-70] [EVENT-5] after a merge who ended it goes with the status that is shown, whichever line stands first", () => {
    for (const [one, other] of [
      [t.complete(), t.status("CANCELED")],
      [t.status("CANCELED"), t.complete()],
      [t.complete(), t.complete()],
      [t.complete(), t.status("ACTIVE")],
      [t.complete(), t.addSteps(0, ["a"])],
      [t.addSteps(0, ["a"]), t.complete()],
    ] as [Draft, Draft][]) {
      const log = new Branches();
      const root = log.op([], "human:ann", creation("A sentence."));
      const writers = [log.op([root], "agent:a", one), log.op([root], "agent:b", other)];
      const merged = both(log);
      expect(both(log, [root, writers[1]!, writers[0]!])).toEqual(merged);
      const ends = [one, other].map((draft, i) => ({
        status: draft.type === "task.completed" ? "DONE" : (draft.payload as { status?: string }).status,
        at: minute(i + 1),
        by: `agent:${"ab"[i]}`,
      }));
      const own = ends.find(({ by }) => by === merged.by);
      expect(merged).toEqual(hasEnded(merged) ? own : { status: merged.status, ...OPEN });
    }
  });

  it("[UNDO-30] goes with the status in logs whose undo and redo name the status alone", () => {
    const log = new Branches();
    const root = log.op([], "human:ann", creation("A sentence."));
    const done = log.op([root], "agent:a", t.complete());
    const opened = log.op([done], "agent:b", t.status("ACTIVE"));
    const back = log.op([opened], "agent:b", turn("undo", opened.events[0]!.hash, "DONE"));
    expect(both(log)).toEqual({ status: "DONE", at: minute(1), by: "agent:a" });
    const away = log.op([back], "agent:a", turn("undo", done.events[0]!.hash, "TODO"));
    expect(both(log)).toEqual({ status: "TODO", ...OPEN });
    log.op([away], "agent:a", turn("redo", done.events[0]!.hash, "DONE"));
    expect(both(log)).toEqual({ status: "DONE", at: minute(1), by: "agent:a" });
  });
});
