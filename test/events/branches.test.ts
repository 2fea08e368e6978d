/** What branches disagree about: moved paths, undo and redo beside a write, claims, and the reasons that a step gives for being open. */
import { beforeEach, describe, expect, it } from "vitest";
import { readLog } from "../../examples/independent_reader.mjs";
import type { Draft } from "../../src/events/define.ts";
import { canonicalJson, sha256 } from "../../src/log/canonical.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { liveConflicts } from "../../src/state/live.ts";
import { selectNode } from "../../src/state/select_node.ts";
import { selectStep } from "../../src/state/tree.ts";
import { conflicts as conflictLines } from "../../src/views/lines.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";
import { foldWhole } from "../support/task_work.ts";

const message = "A sentence.";
const ONE = "STEP-00000001";
const said = (type: string, payload: object): Draft => ({ type, payload: { ...payload, message } });
const stepId = (n: number) => `STEP-0000000${n}`;
const nodeId = (n: number) => `NODE-0000000${n}`;
const added = (n: number, parent: string | null = null) =>
  said("steps.added", {
    parent,
    steps: [{ id: stepId(n), title: `${n}`, success_criteria: ["c"], tests: [], blockers: [] }],
  });
const noted = (n: number) => said("step.noted", { step_id: stepId(n), note: "n" });
const nodeAdded = (n: number) => said("task.node_added", { step_id: ONE, node_id: nodeId(n), title: `${n}` });
const retitled = (title: string) => said("task.edited", { patch: { title } });
const closed = (n = 1) => [
  said("step.verified", { step_id: stepId(n), checkpoints: { criteria: true, tests: true } }),
  said("step.done", { step_id: stepId(n) }),
];
const reopened = said("step.reopened", { step_id: ONE, reason: "again" });
const blocked = said("step.blocked", { step_id: ONE, reason: "wait" });
const claimed = (fence: number, step_id: string | null = ONE) =>
  said("lease.claimed", { step_id, ttl_s: 60, expires_at: "2026-01-01T00:00:00.000Z", fence });
type Field = [field: string, value: unknown];
const turn = (type: string, op: SealedOp, fields: Field[]) =>
  said(type, { op: op.events[0]!.hash, fields: fields.map(([field, value]) => ({ field, value })) });
const undone = (op: SealedOp, ...fields: Field[]) => turn("undo.applied", op, fields);
const redone = (op: SealedOp, ...fields: Field[]) => turn("redo.applied", op, fields);

let log: Branches;
let root: SealedOp;

function begin(): void {
  log = new Branches();
  root = log.op([], "agent:a", creation(message), added(1));
}

beforeEach(begin);

const valuesOf = (field: string) =>
  log
    .entity()
    .conflicts.get(field)
    ?.values.map(({ value, by }) => `${JSON.stringify(value)} ${by}`);

describe("paths that a merge moved", () => {
  it.each([
    ["a note", noted(2)],
    ["a closing", closed(2)[0]!],
    ["evidence", said("evidence.captured", { step_id: stepId(2), checkpoints: [], items: [] })],
    ["a step below", added(5, stepId(2))],
    ["another step", added(5)],
  ])("[EVENT-7] stay moved when an op that saw one side works there: %s", (_what, work) => {
    for (const first of ["a", "b"]) {
      begin();
      const tips: Record<string, SealedOp> = {};
      const sides: Record<string, () => void> = {
        a: () => (tips["a"] = log.op([log.op([root], "agent:a", added(2))], "agent:a", work)),
        b: () => (tips["b"] = log.op([root], "agent:b", added(3))),
      };
      for (const side of [first, first === "a" ? "b" : "a"]) sides[side]!();
      const { moved, children } = log.entity();
      expect(moved.get("children")).toEqual(children.slice(1).map(({ id }) => id));
      for (const path of ["s:1", "s:2"])
        expect(() => selectStep(log.entity(), { path }, "write")).toThrowError(
          expect.objectContaining({ code: "PATH_MOVED" }),
        );
      expect(selectStep(log.entity(), { path: "s:0" }, "write").id).toBe(ONE);
      const both = log.op([tips["a"]!, tips["b"]!], "agent:c", retitled("seen"));
      expect(log.entity().moved.size).toBe(1);
      log.op([both], "agent:c", noted(3));
      expect(log.entity().moved.size).toBe(0);
    }
  });

  it("[EVENT-7] [NODES-5] task nodes as steps", () => {
    const a = log.op(
      [log.op([root], "agent:a", nodeAdded(1))],
      "agent:a",
      said("task.node_defined", { step_id: ONE, node_id: nodeId(1), title: "x" }),
    );
    const b = log.op([root], "agent:b", nodeAdded(2));
    const list = `step.${ONE}.nodes`;
    expect([...log.entity().moved]).toEqual([[list, [nodeId(1), nodeId(2)]]]);
    expect(() => selectNode(log.entity(), { path: "s:0.t:0" })).toThrowError(
      expect.objectContaining({ code: "PATH_MOVED" }),
    );
    log.op([a, b], "agent:c", said("task.node_deleted", { step_id: ONE, node_id: nodeId(2) }));
    expect(log.entity().moved.size).toBe(0);
  });

  it("[EVENT-7] of three branches an op that saw two ends nothing", () => {
    const [a, b, c] = [2, 3, 4].map((n) => log.op([root], "agent:a", added(n))) as [SealedOp, SealedOp, SealedOp];
    const two = log.op([a, b], "agent:b", noted(2));
    expect(log.entity().moved.get("children")).toEqual([2, 3, 4].map(stepId));
    log.op([two, c], "agent:c", noted(1));
    expect(log.entity().moved.size).toBe(0);
  });

  it("[EVENT-7] begin with the first one that a last addition had not seen, also where all of them had seen a later one", () => {
    // One branch saw 3 alone, the other 2 and 3: to the first the path s:1 is 3, to the other 2.
    const two = log.op([root], "agent:a", added(2));
    const three = log.op([root], "agent:b", added(3));
    log.op([three], "agent:b", added(4));
    log.op([two, three], "agent:a", added(5));
    const { moved, children } = log.entity();
    expect(moved.get("children")).toEqual(children.slice(1).map(({ id }) => id));
    expect(children.map(({ id }) => id).slice(0, 2)).toEqual([ONE, stepId(2)]);
  });

  it("[EVENT-7] every addition of a branch is moved, and what all have seen is not", () => {
    const own = log.op([log.op([root], "agent:a", added(2))], "agent:a", added(3));
    const other = log.op([root], "agent:b", added(4));
    expect(log.entity().moved.get("children")).toEqual([2, 3, 4].map(stepId));
    const both = log.op([own, other], "agent:a", added(5));
    expect(log.entity().moved.size).toBe(0);
    log.op([both], "agent:a", added(6));
    log.op([both], "agent:b", added(7));
    expect(log.entity().moved.get("children")).toEqual([6, 7].map(stepId));
  });

  it("[EVENT-55] an event of which every step is passed over adds nothing and works in no list", () => {
    const a = log.op([root], "agent:a", added(2));
    const b = log.op([root], "agent:b", added(3));
    log.op([a, b], "agent:c", added(2));
    expect(log.entity().moved.get("children")).toEqual([2, 3].map(stepId));
  });
});

describe("an undo or redo beside a write of another branch", () => {
  const verified = (criteria: boolean) => said("step.verified", { step_id: ONE, checkpoints: { criteria } });
  const depends = (depends_on: string[]) => said("step.defined", { step_id: ONE, depends_on });
  const waits = [{ id: "TASK-002", root: "r" }];
  const cases: [string, Draft, Draft, Field, unknown][] = [
    ["a title", retitled("mine"), retitled("theirs"), ["title", "T"], "theirs"],
    ["a confirmation", verified(true), verified(true), [`step.${ONE}.confirmed.criteria`, false], true],
    ["a block", blocked, said("step.blocked", { step_id: ONE, reason: "x" }), [`step.${ONE}.blocked`, false], true],
    ["steps waited for", depends([stepId(8)]), depends([stepId(9)]), [`step.${ONE}.depends_on`, []], [stepId(9)]],
    [
      "tasks waited for",
      said("task.edited", { patch: { depends_on: [] } }),
      said("task.edited", { patch: { depends_on: waits } }),
      ["depends_on", []],
      waits,
    ],
    ["a closing", closed()[1]!, closed()[1]!, [`step.${ONE}.done`, false], true],
  ];

  it.each(cases)(
    "[UNDO-31] [EVENT-61] is a conflict whichever branch was earlier: %s",
    (_what, mine, theirs, before, shown) => {
      const [field, value] = before;
      const other = { value: shown, by: "agent:b" };
      const expected = JSON.stringify(value) === JSON.stringify(shown) ? undefined : [{ value, by: "agent:a" }, other];
      for (const undoFirst of [true, false]) {
        begin();
        const up = log.op([root], "agent:a", ...closed().slice(0, 1));
        const tips: SealedOp[] = [];
        const undo = () => {
          const op = log.op([up], "agent:a", mine);
          tips.push(log.op([op], "agent:a", undone(op, before)));
        };
        const write = () => tips.push(log.op([up], "agent:b", theirs));
        for (const one of undoFirst ? [undo, write] : [write, undo]) one();
        const { conflicts } = log.entity();
        expect(conflicts.get(field)?.values.map(({ value: v, by }) => ({ value: v, by }))).toEqual(expected);
        // A caller who saw both takes the other's change back as well: nothing is open.
        const write2 = log.ops.find((op) => op.events[0]!.by === "agent:b")!;
        log.op(tips, "agent:c", undone(write2, before));
        expect(log.entity().conflicts.get(field)).toBeUndefined();
      }
    },
  );

  it("[UNDO-31] an undo by a caller who saw both sides ends the conflict, also where a later write keeps the field", () => {
    const b = log.op([root], "agent:a", retitled("B"));
    const c = log.op([b], "agent:a", retitled("C"));
    const undo = log.op([b], "agent:b", undone(b, ["title", "T"]));
    expect(valuesOf("title")).toEqual(['"T" agent:b', '"C" agent:a']);
    const redo = log.op([c, undo], "agent:c", redone(b, ["title", "C"]));
    expect(log.entity()).toMatchObject({ title: "C", conflicts: new Map() });
    log.op([redo], "agent:c", undone(b, ["title", "C"]));
    expect(log.entity()).toMatchObject({ title: "C", conflicts: new Map() });
  });

  it("[UNDO-31] a redo is a write too, in either order", () => {
    for (const redoFirst of [true, false]) {
      begin();
      const b = log.op([root], "agent:a", retitled("B"));
      const undo = log.op([b], "agent:a", undone(b, ["title", "T"]));
      const redo = () => log.op([undo], "agent:a", redone(b, ["title", "B"]));
      const edit = () => log.op([undo], "agent:b", retitled("C"));
      for (const one of redoFirst ? [redo, edit] : [edit, redo]) one();
      expect([log.entity().title, valuesOf("title")]).toEqual(["C", ['"B" agent:a', '"C" agent:b']]);
    }
  });

  it("[EVENT-61] the value that is shown stands last, and a line says so where none of them is", () => {
    log.op([root], "agent:a", retitled("A"));
    log.op([root], "agent:b", retitled("B"));
    log.op([root], "agent:c", retitled("A"));
    expect([log.entity().title, valuesOf("title")]).toEqual(["A", ['"B" agent:b', '"A" agent:a']]);
    begin();
    // Each of the two undos leaves what the other takes back.
    const x = log.op([root], "agent:a", retitled("X"));
    const z = log.op([root], "agent:b", retitled("Z"));
    const y = log.op([x], "agent:a", retitled("Y"));
    log.op([y, z], "agent:c", undone(y, ["title", "Z"]));
    log.op([z], "agent:b", undone(z, ["title", "T"]));
    expect([log.entity().title, valuesOf("title")]).toEqual(["X", ['"T" agent:b', '"Z" agent:c'].toReversed()]);
    expect([...conflictLines(log.entity())][0]?.text).toBe(
      'Conflict on title: "Z" by agent:c or "T" by agent:b; "X" is shown; write it again to resolve it',
    );
  });

  it("[EVENT-61] the order of keys makes no difference", () => {
    const data = (contract_data: object) => said("contract.updated", { contract_data });
    log.op([root], "agent:a", data({ a: 1, b: 2 }));
    log.op([root], "agent:b", data({ b: 2, a: 1 }));
    expect(log.entity().conflicts.size).toBe(0);
  });

  it("[UNDO-40] a deletion beside work and an undo is no conflict, whichever came first", () => {
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    for (const order of orders) {
      begin();
      const up = log.op([root], "agent:a", added(2));
      const field = `step.${stepId(2)}.deleted`;
      const sides = [
        () => log.op([up], "agent:a", noted(2)),
        () => log.op([up], "agent:b", said("step.deleted", { step_id: stepId(2) })),
        () => log.op([up], "agent:c", undone(up, [field, true])),
      ];
      for (const side of order) sides[side]!();
      const { steps, conflicts } = log.entity();
      expect([order, steps.get(stepId(2))!.deleted, conflicts.get(field)]).toEqual([order, true, undefined]);
    }
  });

  it("[UNDO-38] what one branch brought back and another took away is there, whichever came first", () => {
    const field = `step.${stepId(2)}.deleted`;
    for (const redoFirst of [true, false]) {
      begin();
      const up = log.op([root], "agent:a", added(2));
      const redo = () => {
        const undo = log.op([up], "agent:a", undone(up, [field, true]));
        log.op([undo], "agent:a", redone(up, [field, false]));
      };
      const undo = () => log.op([up], "agent:b", undone(up, [field, true]));
      for (const one of redoFirst ? [redo, undo] : [undo, redo]) one();
      expect([log.entity().steps.get(stepId(2))!.deleted, valuesOf(field)]).toEqual([
        false,
        ["true agent:b", "false agent:a"],
      ]);
    }
  });

  it("[UNDO-40] an id that is not known yet names nothing, and work that was undone counts", () => {
    const field = `step.${stepId(2)}.deleted`;
    log.op([root], "agent:b", noted(2));
    const there = log.op([root], "agent:a", added(2));
    log.op([there], "agent:a", undone(there, [field, true]));
    expect(log.entity().steps.get(stepId(2))!.deleted).toBe(true);
    const work = log.op([there], "agent:b", noted(2));
    log.op([work], "agent:b", undone(work, [`note.${work.events[0]!.hash}`, { step: stepId(2), gone: true }]));
    expect([log.entity().steps.get(stepId(2))!.deleted, log.entity().note_count]).toEqual([false, 0]);
  });

  it("[UNDO-32] the engine's own op is one by exactly system", () => {
    const field: Field = ["title", "T"];
    const own = log.op([root], "system", retitled("own"));
    const first = log.op([own], "agent:a", undone(own, field));
    expect(log.entity().title).toBe("own");
    const bot = log.op([first], "system:ci", retitled("bot"));
    log.op([bot], "agent:a", undone(bot, field));
    expect(log.entity().title).toBe("own");
  });
});

describe("why a step is open after an undo or redo", () => {
  const done = `step.${ONE}.done`;
  const why = () => log.entity().steps.get(ONE)!.reopened;

  it("[UNDO-39] a redo that blocks a step which another branch closed says so, as an undo does", () => {
    for (const verb of ["a redo", "an undo"]) {
      begin();
      const block = log.op([root], "agent:a", blocked);
      const free = log.op(
        [block],
        "agent:a",
        ...(verb === "a redo"
          ? [undone(block, [`step.${ONE}.blocked`, false])]
          : [said("step.unblocked", { step_id: ONE })]),
      );
      log.op([free], "agent:b", ...closed());
      const again: Field = [`step.${ONE}.blocked`, true];
      log.op([free], "agent:a", verb === "a redo" ? redone(block, again) : undone(free, again));
      expect([why(), log.entity().steps.get(ONE)!.done]).toEqual([
        `${verb} blocked it again, but on another branch it was closed`,
        false,
      ]);
    }
  });

  it.each<[string, Draft]>([
    ["it was blocked", blocked],
    ["there is work left in it", added(2, ONE)],
    ["not all of its checkpoints and proofs were there", said("step.defined", { step_id: ONE, tests: ["new"] })],
  ])("[UNDO-39] an undo or redo that would close it again: %s", (reason, other) => {
    for (const redo of [false, true]) {
      begin();
      const shut = log.op([root], "agent:a", ...closed());
      const open = log.op([shut], "agent:a", redo ? undone(shut, [done, false]) : reopened);
      log.op([open], "agent:b", other);
      log.op([open], "agent:a", redo ? redone(shut, [done, true]) : undone(open, [done, true]));
      expect(why()).toBe(`${redo ? "a redo" : "an undo"} closed it again, but on another branch ${reason}`);
    }
  });

  it("[UNDO-39] an undo or redo that changes what a closed step rests on, or leaves one open below", () => {
    const sure = `step.${ONE}.confirmed.criteria`;
    const confirmed = log.op([root], "agent:a", closed()[0]!);
    log.op([confirmed], "agent:b", closed()[1]!);
    log.op([confirmed], "agent:a", undone(confirmed, [sure, false]));
    expect(why()).toBe("an undo on another branch changed what it rests on");
    begin();
    const below = log.op([log.op([root], "agent:a", added(2, ONE))], "agent:a", ...closed(2));
    log.op([below], "agent:b", ...closed(), said("task.completed", {}));
    log.op([below], "agent:a", undone(below, [`step.${stepId(2)}.done`, false]));
    const reason = "an undo on another branch left a step below it open";
    expect([why(), log.entity().status_reason]).toEqual([reason, reason]);
  });

  it("[UNDO-39] [EVENT-48] the reason of a task that was DONE", () => {
    const shut = log.op([root], "agent:a", ...closed());
    const whole = log.op([shut], "agent:a", said("task.completed", {}));
    const open = log.op([whole], "agent:a", said("task.reopened", { reason: "again" }));
    log.op([open], "agent:b", added(2));
    log.op([open], "agent:a", undone(open, ["status", "DONE"]));
    expect(log.entity()).toMatchObject({
      status: "ACTIVE",
      status_reason: "an undo completed it again, but on another branch there is work left",
    });
    begin();
    const closing = log.op([root], "agent:a", ...closed());
    log.op([closing], "agent:b", said("task.completed", {}));
    log.op([closing], "agent:a", undone(closing, [done, false]));
    expect(log.entity()).toMatchObject({
      status: "ACTIVE",
      status_reason: "an undo on another branch left a step open",
    });
    begin();
    log.op(
      [root],
      "agent:a",
      ...closed(),
      said("task.completed", {}),
      said("step.verified", { step_id: ONE, checkpoints: { tests: false } }),
    );
    expect(log.entity().status_reason).toBe("a step below it is open again: a confirmation was taken back");
    begin();
    log.op([root], "agent:a", ...closed(), said("task.completed", {}), added(2));
    expect(log.entity().status_reason).toBe("steps were added");
  });

  it("[EVENT-48] the reason of a task completed over open steps", () => {
    log.op([root], "agent:a", said("task.completed", { reason: "all done" }));
    expect(log.entity().status_reason).toBe("completed on one branch while steps were open on another");
  });
});

describe("claims of two branches", () => {
  const lease = `step.${ONE}.lease`;

  it("[EVENT-63] [LEASE-9] a conflict of claims ends with the closing, and does not come back when the step opens", () => {
    for (const first of ["a", "b"]) {
      begin();
      const tips: SealedOp[] = [];
      const sides: Record<string, () => void> = {
        a: () => tips.push(log.op([root], "agent:a", claimed(2), ...closed())),
        b: () => tips.push(log.op([root], "agent:b", claimed(3))),
      };
      for (const side of [first, first === "a" ? "b" : "a"]) sides[side]!();
      expect([log.entity().steps.get(ONE)!.lease, liveConflicts(log.entity())]).toEqual([null, []]);
      log.op(tips, "agent:c", reopened);
      expect([log.entity().steps.get(ONE)!.lease, log.entity().conflicts.size]).toEqual([null, 0]);
    }
  });

  it("[EVENT-63] a closing ends the conflict where no claim stands any more", () => {
    const a = log.op([log.op([root], "agent:a", claimed(2))], "agent:a", said("lease.released", { step_id: ONE }));
    const b = log.op([root], "agent:b", claimed(3));
    expect(log.entity().conflicts.has(lease)).toBe(true);
    const freed = log.op([a], "agent:a", said("lease.released", { step_id: ONE }));
    log.op([freed, b], "agent:c", ...closed());
    expect(log.entity().conflicts.size).toBe(0);
  });

  it("[LEASE-9] [EVENT-53] a release ends the claim that it names, and one without a name any", () => {
    const releases = (fence: number, by = "agent:a") =>
      said("lease.released", { step_id: ONE, claim: { by, fence }, message: "x" });
    const holder = () => log.entity().steps.get(ONE)!.lease?.by ?? null;
    const first = log.op([root], "agent:a", claimed(2));
    log.op([first], "agent:b", claimed(3));
    log.op([first], "agent:a", releases(2));
    expect([holder(), log.entity().conflicts.has(lease)]).toEqual(["agent:b", true]);
    // The claim that stands is the value that is shown, though the release was replayed after it (EVENT-61).
    expect(log.entity().conflicts.get(lease)!.values.at(-1)!.value).toMatchObject({ by: "agent:b", fence: 3 });
    for (const [release, left] of [
      [releases(2), null],
      [releases(2, "agent:b"), "agent:a"],
      [said("lease.released", { step_id: ONE, claim: null }), "agent:a"],
      [said("lease.released", { step_id: ONE }), null],
    ] as const) {
      begin();
      log.op([log.op([root], "agent:a", claimed(2))], "agent:c", release);
      expect([holder(), log.entity().conflicts.size]).toEqual([left, 0]);
    }
  });

  it("[EVENT-63] the claim on the whole as that on a step, also by undo", () => {
    const shut = log.op([root], "agent:a", ...closed());
    const own = log.op([shut], "agent:a", claimed(2, null), said("task.completed", {}));
    const other = log.op([shut], "agent:b", claimed(3, null));
    expect(liveConflicts(log.entity())).toEqual([]);
    log.op([own, other], "agent:c", said("status.changed", { status: "ACTIVE" }));
    expect([log.entity().lease, log.entity().conflicts.size]).toEqual([null, 0]);
    begin();
    const ends = log.op(
      [log.op([root], "agent:a", claimed(2, null))],
      "agent:a",
      said("status.changed", { status: "FAILED" }),
    );
    const on = log.op([ends], "agent:a", said("task.reopened", { reason: "again" }));
    const late = log.op([on], "agent:b", claimed(4, null));
    log.op([late], "agent:a", undone(on, ["status", "FAILED"]));
    expect(log.entity()).toMatchObject({ status: "FAILED", lease: null });
  });

  it("[EVENT-63] a claim outlives a reopening of a step that is open", () => {
    const shut = log.op([root], "agent:a", ...closed());
    const open = log.op([shut], "agent:b", reopened);
    log.op([open], "agent:b", claimed(5));
    log.op([shut], "agent:a", reopened);
    expect(log.entity().steps.get(ONE)!.lease).toMatchObject({ by: "agent:b" });
    expect(log.entity().conflicts.has(lease)).toBe(false);
  });
});

describe("an event of a newer release", () => {
  it("[LOG-15] has its place and counts as a revision, without an effect, and cannot be undone", () => {
    const title = log.op([root], "agent:a", retitled("mine"));
    const { hash: _, ...rest } = { ...log.op([title], "agent:b", retitled("theirs")).events[0]!, v: 2 };
    const newer = { ...rest, hash: sha256(canonicalJson(rest)) };
    log.ops.pop();
    const seen = { events: [newer as never], bytes: Buffer.from(`${canonicalJson(newer)}\n`) };
    log.ops.push(seen);
    const { entity, noEffect, history } = foldWhole(Buffer.concat(log.ops.map(({ bytes }) => bytes)));
    expect([entity!.title, entity!.revision, noEffect.map(({ reason }) => reason)]).toEqual([
      "mine",
      3,
      ["newer version"],
    ]);
    expect(history.ops.at(-1)).toMatchObject({ undoable: false });
    log.op([seen], "agent:a", undone(seen, ["title", "T"]));
    expect(log.entity()).toMatchObject({ title: "mine", revision: 4 });
    // Nor is it work on what it names.
    begin();
    const up = log.op([root], "agent:a", added(2));
    const { hash: __, ...work } = { ...log.op([up], "agent:b", noted(2)).events[0]!, v: 2 };
    log.ops.pop();
    const line = { ...work, hash: sha256(canonicalJson(work)) };
    log.ops.push({ events: [line as never], bytes: Buffer.from(`${canonicalJson(line)}\n`) });
    log.op([up], "agent:a", undone(up, [`step.${stepId(2)}.deleted`, true]));
    expect(log.entity().steps.get(stepId(2))!.deleted).toBe(true);
    expect(readLog(Buffer.concat(log.ops.map(({ bytes }) => bytes)))).toMatchObject({ revision: 4, note_count: 0 });
  });
});
