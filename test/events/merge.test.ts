import { beforeEach, describe, expect, it } from "vitest";
import { evidenceCaptured } from "../../src/events/evidence.captured.ts";
import type { CapturedRun } from "../../src/events/evidence.captured.ts";
import { foreignAdopted } from "../../src/events/foreign.adopted.ts";
import { stepDefined } from "../../src/events/step.defined.ts";
import { stepDeleted } from "../../src/events/step.deleted.ts";
import { stepDone } from "../../src/events/step.done.ts";
import { stepNoted } from "../../src/events/step.noted.ts";
import { stepReopened } from "../../src/events/step.reopened.ts";
import { stepVerified } from "../../src/events/step.verified.ts";
import { stepsAdded } from "../../src/events/steps.added.ts";
import { taskCompleted } from "../../src/events/task.completed.ts";
import { taskCreated } from "../../src/events/task.created.ts";
import { taskEdited } from "../../src/events/task.edited.ts";
import { redoApplied } from "../../src/events/redo.applied.ts";
import { taskNodeAdded } from "../../src/events/task.node_added.ts";
import { taskNodeDefined } from "../../src/events/task.node_defined.ts";
import { conflicts as conflictLines } from "../../src/views/lines.ts";
import { traceAdded } from "../../src/events/trace.added.ts";
import { sha256 } from "../../src/log/canonical.ts";
import { undoApplied } from "../../src/events/undo.applied.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { missingProofs } from "../../src/state/checkpoint.ts";
import { seenFailures } from "../../src/state/recorded_runs.ts";
import { pathOf, selectStep } from "../../src/state/tree.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const ONE = "STEP-00000001";
const TWO = "STEP-00000002";
const THREE = "STEP-00000003";
const message = "A sentence.";

const created = creation(message);
const added = (parent: string | null, ...ids: string[]) =>
  stepsAdded.draft({
    parent,
    steps: ids.map((id) => ({ id, title: id, success_criteria: ["c"], tests: [], blockers: [] })),
    message,
  });
const closed = (id: string) => [
  stepVerified.draft({ step_id: id, checkpoints: { criteria: true, tests: true }, message }),
  stepDone.draft({ step_id: id, message }),
];
const ran = (
  exit_code: number,
  counts = exit_code === 0,
  more: { captured?: CapturedRun; command?: string; cwd?: string; test?: string } = {},
) =>
  evidenceCaptured.draft({
    step_id: ONE,
    checkpoints: ["tests"],
    items: [{ kind: "command-execution", title: "t", summary: "", counts, command: "npm test", exit_code, ...more }],
    message,
  });
const SOME_TIME = "2026-01-01T00:00:00.000Z";
const CAPTURED = {
  argv: ["npm", "test"],
  env: [],
  started_at: SOME_TIME,
  ended_at: SOME_TIME,
  platform: "linux-x64 node-22",
};
const proofOfTests = () => stepDefined.draft({ step_id: ONE, proof: { tests: "require" }, message });
const retitled = (title: string) => taskEdited.draft({ patch: { title }, message });

describe("merging branches", () => {
  let log: Branches;
  let root: SealedOp;

  beforeEach(() => {
    log = new Branches();
    root = log.op([], "agent:a", created, added(null, ONE));
  });

  it("[EVENT-5] different values written on two branches are a conflict; the later in order is shown", () => {
    log.op([root], "agent:a", retitled("from a"));
    log.op([root], "agent:b", retitled("from b"));
    const entity = log.entity();
    expect(entity.title).toBe("from b");
    expect(entity.conflicts.get("title")?.values.map((v) => [v.value, v.by])).toEqual([
      ["from a", "agent:a"],
      ["from b", "agent:b"],
    ]);
  });

  it("[EVENT-5] a conflict stands until an op that saw both writes the field", () => {
    const a = log.op([root], "agent:a", retitled("from a"));
    const b = log.op([root], "agent:b", retitled("from b"));
    const aside = log.op([a, b], "agent:a", stepNoted.draft({ step_id: ONE, note: "n", message }));
    expect([...log.entity().conflicts.keys()]).toEqual(["title"]);
    log.op([aside], "agent:a", retitled("from b"));
    expect(log.entity().conflicts.size).toBe(0);
  });

  it("[EVENT-5] a conflict is settled the same way by an op that is decided here", () => {
    const a = log.op([root], "agent:a", retitled("from a"));
    const b = log.op([root], "agent:b", retitled("from b"));
    const fold = log.fold();
    const { events } = log.op([a, b], "agent:c", retitled("agreed"));
    const undo = fold.attempt({ hash: events[0]!.hash, last: events[0]!.hash, events, index: 3, offset: 0 });
    expect(fold.entity?.conflicts.size).toBe(0);
    undo();
    expect([...fold.entity!.conflicts.keys()]).toEqual(["title"]);
    expect(fold.entity?.title).toBe("from b");
  });

  it("[EVENT-5] equal values and additions are no conflict", () => {
    log.op(
      [root],
      "agent:a",
      retitled("same"),
      stepNoted.draft({ step_id: ONE, note: "of a", message }),
      ...closed(ONE),
    );
    log.op(
      [root],
      "agent:b",
      retitled("same"),
      stepNoted.draft({ step_id: ONE, note: "of b", message }),
      ...closed(ONE),
    );
    const entity = log.entity();
    expect(entity.conflicts.size).toBe(0);
    expect(entity.notes.map((n) => n.text).toSorted()).toEqual(["of a", "of b"]);
    expect(entity.steps.get(ONE)?.notes).toBe(2);
    expect(entity.steps.get(ONE)?.done).toBe(true);
  });

  it("[EVENT-7] steps added to one list on two branches have moved paths until somebody who saw both works there", () => {
    const a = log.op([root], "agent:a", added(null, TWO));
    const b = log.op([root], "agent:b", added(null, THREE));
    const merged = log.entity();
    expect([...merged.steps.values()].map((s) => [s.id, pathOf(s)])).toEqual([
      [ONE, "s:0"],
      [TWO, "s:1"],
      [THREE, "s:2"],
    ]);
    expect([...merged.moved.values()].flat().toSorted()).toEqual([TWO, THREE]);
    expect(selectStep(merged, { path: "s:0" }, "write").id).toBe(ONE);
    expect(selectStep(merged, { path: "s:1" }, "read").id).toBe(TWO);
    expect(() => selectStep(merged, { path: "s:1" }, "write")).toThrowError(
      expect.objectContaining({ code: "PATH_MOVED" }),
    );
    expect(selectStep(merged, { path: "s:1", step_id: TWO }, "write").id).toBe(TWO);
    log.op([a, b], "agent:a", stepNoted.draft({ step_id: THREE, note: "seen", message }));
    expect(log.entity().moved.size).toBe(0);
    expect(selectStep(log.entity(), { path: "s:1" }, "write").id).toBe(TWO);
  });

  it("[EVENT-8] a step closed on one branch stays open when another took its gate away before it in the order", () => {
    log.op([root], "agent:b", stepDefined.draft({ step_id: ONE, success_criteria: ["harder"], message }));
    log.op([root], "agent:a", stepDone.draft({ step_id: ONE, message }));
    const step = log.entity().steps.get(ONE);
    expect(step?.done).toBe(false);
    expect(step?.reopened).toContain("checkpoints");
  });

  it("[EVENT-41] a closed step is open again when another branch changed what it has to fulfil", () => {
    const up = log.op([root], "agent:a", added(ONE, TWO));
    log.op([up], "agent:a", ...closed(TWO), ...closed(ONE), taskCompleted.draft({ message }));
    log.op([up], "agent:b", stepDefined.draft({ step_id: TWO, tests: ["new test"], message }));
    const entity = log.entity();
    expect(entity.steps.get(TWO)?.done).toBe(false);
    expect(entity.steps.get(TWO)?.reopened).toContain("fulfil");
    expect(entity.steps.get(ONE)?.done).toBe(false);
    expect(entity.status).toBe("ACTIVE");
  });

  it("[EVENT-41] a closed step that evidence asks more of stays closed when another branch names it anew", () => {
    const shut = log.op([root], "agent:a", ...closed(ONE));
    const asks = evidenceCaptured.draft({
      step_id: ONE,
      checkpoints: ["docs"],
      items: [{ kind: "command-execution", title: "t", summary: "", counts: true, command: "npm test" }],
      message,
    });
    log.op([shut], "agent:a", asks);
    const said = [
      stepDefined.draft({ step_id: ONE, title: "b", blockers: ["x"], message }),
      stepVerified.draft({ step_id: ONE, checkpoints: { tests: true, security: false }, message }),
    ];
    const named = log.op([shut], "agent:b", ...said);
    expect(log.entity().steps.get(ONE)).toMatchObject({ done: true, title: "b" });
    log.op([named], "agent:b", stepVerified.draft({ step_id: ONE, checkpoints: { tests: false }, message }));
    expect(log.entity().steps.get(ONE)?.done).toBe(false);
  });

  it("[PROOF-39] [PROOF-33] of runs on two branches the later decides, whichever branch is replayed last", () => {
    const asked = log.op([root], "agent:a", proofOfTests());
    const a = log.op([asked], "agent:a", retitled("a"));
    const b = log.op([asked], "agent:b", ran(0));
    const failed = log.op([a], "agent:a", ran(1));
    expect(
      log
        .entity()
        .steps.get(ONE)!
        .linked.tests.map((link) => link.exit_code),
    ).toEqual([1, 0]);
    expect(missingProofs(log.entity().steps.get(ONE)!)).toEqual(["tests"]);
    const shut = log.op([failed, b], "agent:a", ...closed(ONE));
    expect(log.entity().steps.get(ONE)).toMatchObject({ done: false });
    log.op([shut], "agent:a", ran(0), ...closed(ONE));
    expect(log.entity().steps.get(ONE)).toMatchObject({ done: true });
  });

  it("[PROOF-108] [PROOF-41] a closing on a claim after a run of Taskfold failed stands in a log, and the proof is missing", () => {
    const failed = log.op([root], "agent:a", proofOfTests(), ran(1, false, { captured: CAPTURED }));
    log.op([failed], "agent:a", ran(0), ...closed(ONE));
    const step = log.entity().steps.get(ONE)!;
    expect(step.done).toBe(true);
    expect(missingProofs(step)).toEqual(["tests"]);
  });

  it("[PROOF-33] a run that has seen an earlier one is newer than that, whatever its clock says", () => {
    const asked = log.op([root], "agent:a", proofOfTests());
    log.minute = 100;
    const a = log.op([asked], "agent:a", ran(1));
    const b = log.op([asked], "agent:b", retitled("b"));
    log.minute = 50;
    const passed = log.op([a, b], "agent:b", ran(0));
    const times = log
      .entity()
      .steps.get(ONE)!
      .linked.tests.map((link) => link.time);
    expect(times[0]).toBe(times[1]);
    expect(missingProofs(log.entity().steps.get(ONE)!)).toEqual([]);
    log.minute = 20;
    log.op([passed], "agent:b", ran(2));
    expect(missingProofs(log.entity().steps.get(ONE)!)).toEqual(["tests"]);
    log.op([passed], "agent:a", ran(0));
    expect(missingProofs(log.entity().steps.get(ONE)!)).toEqual([]);
  });

  it.each([
    ["npm  test", "npm test"],
    [`sh -c 'npm test && npm run "lint"'`, "npm test && npm run lint"],
    [`sh -c "echo \\"a b\\" '&&' *.ts"`, "echo 'a b' \\&\\& *.ts"],
  ])("[PROOF-33] [PROOF-42] so is a run that has seen one of another spelling: %s, %s", (one, other) => {
    const asked = log.op([root], "agent:a", proofOfTests());
    log.minute = 100;
    const failed = log.op([asked], "agent:a", ran(1, false, { command: one }));
    log.minute = 50;
    log.op([failed], "agent:b", ran(0, true, { command: other }), ran(0, true, { command: "npm run lint" }));
    const { tests } = log.entity().steps.get(ONE)!.linked;
    expect(tests.map(({ time, ran_at = time }) => ran_at === tests[0]!.time)).toEqual([true, true, false]);
    expect(missingProofs(log.entity().steps.get(ONE)!)).toEqual([]);
  });

  it("[PROOF-33] [PROOF-41] a closing in a log goes by runs of the same text, so a step that an older release closed stays closed", () => {
    const asked = log.op([root], "agent:a", stepDefined.draft({ step_id: ONE, proof: { tests: "captured" }, message }));
    const tested = log.op([asked], "agent:a", stepDefined.draft({ step_id: ONE, tests: ["npm test"], message }));
    const more = { captured: CAPTURED, test: "npm test" };
    log.minute = 100;
    const x1 = log.op([tested], "agent:a", ran(0, true, { command: "npm  test" }));
    log.minute = 50;
    const x2 = log.op([x1], "agent:a", ran(1, false, more));
    log.minute = 70;
    const y1 = log.op([tested], "agent:b", ran(0, true, more));
    log.op([x2, y1], "agent:a", ...closed(ONE));
    const step = log.entity().steps.get(ONE)!;
    expect(step.done).toBe(true);
    // An answer says that a newer run failed.
    expect(missingProofs(step)).toEqual(["tests"]);
  });

  it.each([
    [1, 0, []],
    [0, 1, [1]],
  ])(
    "[PROOF-33] [PROOF-109] a failure that Taskfold saw goes by that time, too: %d, then %d",
    (first, second, expected) => {
      log.minute = 100;
      const before = log.op([root], "agent:a", ran(first, first === 0, { captured: CAPTURED, command: "npm  test" }));
      log.minute = 50;
      log.op([before], "agent:b", ran(second, second === 0, { captured: CAPTURED }));
      expect(seenFailures(log.entity()).map(({ exit_code }) => exit_code)).toEqual(expected);
    },
  );

  it("[EVENT-41] open work added on another branch opens what is above it", () => {
    log.op([root], "agent:a", ...closed(ONE), taskCompleted.draft({ message }));
    log.op([root], "agent:b", added(ONE, TWO));
    const entity = log.entity();
    expect(entity.steps.get(ONE)?.done).toBe(false);
    expect(entity.status).toBe("ACTIVE");
  });

  it("[EVENT-41] a step reopened below opens its closed ancestors and the task", () => {
    const up = log.op(
      [root],
      "agent:a",
      added(ONE, TWO),
      ...closed(TWO),
      ...closed(ONE),
      taskCompleted.draft({ message }),
    );
    log.op([up], "agent:a", stepReopened.draft({ step_id: TWO, reason: "it broke", message }));
    const entity = log.entity();
    expect([entity.steps.get(TWO)?.done, entity.steps.get(ONE)?.done, entity.status]).toEqual([false, false, "ACTIVE"]);
    expect(entity.steps.get(TWO)?.confirmed.criteria).toBe(true);
  });

  it("[UNDO-31] an undo that meets a concurrent write is a conflict, and brings back no step whose gate does not hold", () => {
    const done = log.op([root], "agent:a", ...closed(ONE));
    const open = log.op(
      [done],
      "agent:a",
      stepReopened.draft({ step_id: ONE, reason: "again", message }),
      retitled("x"),
    );
    const back = [
      { field: `step.${ONE}.done`, value: true },
      { field: "title", value: "T" },
    ];
    log.op([open], "agent:b", stepDefined.draft({ step_id: ONE, tests: ["new"], message }), retitled("y"));
    log.op([open], "agent:a", undoApplied.draft({ op: open.events[0]!.hash, fields: back, message }));
    const entity = log.entity();
    expect(entity.steps.get(ONE)?.done).toBe(false);
    expect([...entity.conflicts.keys()]).toContain("title");
  });

  describe("an undo beside a write that it had not seen", () => {
    const undone = (op: SealedOp, value: string) =>
      undoApplied.draft({ op: op.events[0]!.hash, fields: [{ field: "title", value }], message });
    const redone = (op: SealedOp, value: string) =>
      redoApplied.draft({ op: op.events[0]!.hash, fields: [{ field: "title", value }], message });

    it.each(["edit", "undo"])("[UNDO-30] [UNDO-31] keeps what the write says; the %s comes first", (first) => {
      const b = log.op([root], "agent:a", retitled("B"));
      const edit = () => log.op([b], "agent:a", retitled("C"));
      const undo = () => log.op([b], "agent:b", undone(b, "T"));
      const [one, other] = first === "edit" ? [edit(), undo()] : [undo(), edit()];
      expect(log.entity().title).toBe("C");
      expect(
        log
          .entity()
          .conflicts.get("title")
          ?.values.map((v) => v.value),
      ).toEqual(["T", "C"]);
      const c = first === "edit" ? one : other;
      const back = log.op([one, other], "agent:b", undone(c, first === "edit" ? "B" : "T"));
      expect(log.entity()).toMatchObject({ title: "T", conflicts: new Map() });
      const again = log.op([back], "agent:b", redone(b, "B"));
      expect(log.entity().title).toBe("B");
      log.op([again], "agent:b", redone(c, "C"));
      expect(log.entity().title).toBe("C");
    });

    it("[UNDO-30] gives back what another branch wrote before the op that is undone", () => {
      log.op([root], "agent:a", retitled("C"));
      const b = log.op([root], "agent:b", retitled("B"));
      log.op([b], "agent:b", undone(b, "T"));
      expect(log.entity().title).toBe("C");
    });

    it("[UNDO-30] restores where the write was undone itself", () => {
      const b = log.op([root], "agent:a", retitled("B"));
      const c = log.op([b], "agent:a", retitled("C"));
      log.op([c], "agent:a", undone(c, "B"));
      log.op([b], "agent:b", undone(b, "T"));
      expect(log.entity().title).toBe("T");
    });

    it("[UNDO-31] keeps what was written since, also when so much was written and undone that the op's own write is forgotten", () => {
      const a = log.op([root], "agent:a", retitled("A"));
      const back = log.op([a], "agent:a", undone(a, "T"), redone(a, "A"));
      let tip = log.op([back], "agent:a", retitled("B"));
      const titles = Array.from({ length: 64 }, (_, i) => `C${i}`);
      const later = titles.map((title) => (tip = log.op([tip], "agent:a", retitled(title))));
      for (const [i, op] of [...later.entries()].toReversed())
        tip = log.op([tip], "agent:a", undone(op, titles[i - 1] ?? "B"));
      const undo = log.op([back], "agent:b", undone(a, "T"));
      const { title, conflicts } = log.entity();
      expect([title, conflicts.get("title")?.values.map(({ value }) => value)]).toEqual(["B", ["T", "B"]]);
      log.op([tip, undo], "agent:a", redone(later.at(-1)!, titles.at(-1)!));
      expect(log.entity().title).toBe(titles.at(-1));
    });
  });

  describe("an undo that says what is not so", () => {
    const reasons = () => log.fold().noEffect.map(({ reason }) => reason);
    const turn = (op: string, ...fields: { field: string; value: never }[]) => ({
      type: "undo.applied",
      payload: { op, fields, message },
    });

    it("[UNDO-32] has no effect where it names no op, one that cannot be undone, or one of another branch", () => {
      const b = log.op([root], "agent:a", retitled("B"));
      const title = { field: "title", value: "HACK" as never };
      log.op([b], "agent:b", turn("zzz", title), turn(root.events[0]!.hash, title));
      expect(log.entity()).toMatchObject({ title: "B", status: "TODO" });
      expect(reasons()).toEqual(Array(2).fill("undo or redo: it names no op before it that can be undone"));
      log.op([root], "agent:c", turn(b.events[0]!.hash, title));
      expect(log.entity().title).toBe("B");
      expect(reasons()).toContain("undo or redo: it names an op that it had not seen");
      expect(log.fold().history.redo).toEqual([]);
    });

    it("[UNDO-32] changes no field that its op did not write, and believes no value", () => {
      const b = log.op([root], "agent:a", retitled("B"));
      const fields = [
        { field: "status", value: "BOGUS" as never },
        { field: "depends_on", value: [null] as never },
        { field: "phase", value: "late" as never },
        { field: "title", value: "HACK" as never },
      ];
      log.op([b], "agent:b", turn(b.events[0]!.hash, ...fields));
      expect(log.entity()).toMatchObject({ title: "T", status: "TODO", depends_on: [], phase: null });
      expect(reasons()).toEqual([
        "undo or redo: no value of a field: status; no value of a field: depends_on; its op did not write phase",
      ]);
    });
  });

  it("[UNDO-31] [UNDO-33] an undo that opens a step opens what another branch closed above it, in either order", () => {
    for (const first of ["undo", "close"]) {
      log = new Branches();
      root = log.op([], "agent:a", created, added(null, ONE));
      const below = log.op([log.op([root], "agent:a", added(ONE, TWO))], "agent:a", ...closed(TWO));
      const undo = () =>
        log.op(
          [below],
          "agent:a",
          undoApplied.draft({
            op: below.events[0]!.hash,
            fields: [{ field: `step.${TWO}.done`, value: false }],
            message,
          }),
        );
      const close = () => log.op([below], "agent:b", ...closed(ONE), taskCompleted.draft({ message }));
      if (first === "undo") undo();
      close();
      if (first === "close") undo();
      const entity = log.entity();
      expect([first, entity.steps.get(TWO)?.done, entity.steps.get(ONE)?.done, entity.status]).toEqual([
        first,
        false,
        false,
        "ACTIVE",
      ]);
    }
  });

  it("[UNDO-31] [UNDO-33] an undo that closes a step or the task again leaves them open when another branch left work below", () => {
    log.op([root], "agent:a", added(ONE, TWO));
    const shut = log.op([root], "agent:b", ...closed(ONE), taskCompleted.draft({ message }));
    const back = [
      { field: `step.${ONE}.done`, value: true },
      { field: "status", value: "DONE" },
    ];
    const open = log.op([shut], "agent:b", stepReopened.draft({ step_id: ONE, reason: "again", message }));
    log.op([open], "agent:b", undoApplied.draft({ op: open.events[0]!.hash, fields: back, message }));
    const entity = log.entity();
    expect([entity.steps.get(ONE)?.done, entity.status]).toEqual([false, "ACTIVE"]);
  });

  it("[EVENT-50] a note and evidence need a step that is there, or that was deleted", () => {
    const about = (step_id: string) => [
      stepNoted.draft({ step_id, note: "n", message }),
      evidenceCaptured.draft({
        step_id,
        checkpoints: ["tests"],
        items: [{ kind: "command-execution", title: "t", summary: "", counts: true, command: "npm test" }],
        message,
      }),
    ];
    const counts = () => {
      const { note_count, notes, evidence } = log.entity();
      return [note_count, notes.length, evidence.length];
    };
    const up = log.op([root], "agent:a", added(null, TWO), ...about(THREE));
    expect(counts()).toEqual([0, 0, 0]);
    log.op([up], "agent:a", stepDeleted.draft({ step_id: TWO, message }));
    log.op([up], "agent:b", ...about(TWO));
    expect(counts()).toEqual([1, 1, 1]);
    expect(log.fold().noEffect).toEqual([]);
  });

  const deletes = (op: SealedOp, field: string) =>
    undoApplied.draft({ op: op.events[0]!.hash, fields: [{ field, value: true }], message });
  const noted = (id: string) => stepNoted.draft({ step_id: id, note: "n", message });
  const NODE = "NODE-00000001";
  const node = taskNodeAdded.draft({ step_id: ONE, node_id: NODE, title: "n", message });
  const renamed = taskNodeDefined.draft({ step_id: ONE, node_id: NODE, title: "m", message });

  it.each([
    ["a note", TWO, added(null, TWO), noted(TWO)],
    ["a change", TWO, added(null, TWO), stepDefined.draft({ step_id: TWO, title: "worked on", message })],
    ["a closing", TWO, added(null, TWO), stepDone.draft({ step_id: TWO, message })],
    ["a step below", TWO, added(null, TWO), added(TWO, THREE)],
    ["a node", TWO, added(null, TWO), taskNodeAdded.draft({ step_id: TWO, node_id: NODE, title: "n", message })],
    ["a node's title", NODE, node, renamed],
  ] as const)("[UNDO-38] an undone addition in which another branch did work stays: %s", (_what, id, adds, work) => {
    for (const undoFirst of [true, false]) {
      log = new Branches();
      root = log.op([], "agent:a", created, added(null, ONE));
      const up = log.op([root], "agent:a", adds);
      const field = `${id === NODE ? "node" : "step"}.${id}.deleted`;
      const works = () => log.op([up], "agent:a", work);
      const undoes = () => log.op([up], "agent:b", deletes(up, field));
      const [one, other] = (undoFirst ? [undoes, works] : [works, undoes]).map((make) => make());
      const { entity, noEffect } = log.fold();
      const there = id === NODE ? entity!.nodes.get(id)! : entity!.steps.get(id)!;
      expect([there.deleted, noEffect]).toEqual([false, []]);
      expect(entity!.conflicts.get(field)?.values.map(({ value, by }) => [value, by])).toEqual([
        [true, "agent:b"],
        [false, "agent:a"],
      ]);
      expect(there.title).toBe(work === renamed ? "m" : there.title);
      const [line] = [...conflictLines(entity!)];
      expect(line?.text).toMatch(
        / deleted: true by agent:b or false by agent:a \(shown\); work on it or delete it to resolve it$/,
      );
      // Work of those who saw both settles it, however the log is read.
      const fold = log.fold();
      const { events } = log.op([one!, other!], "agent:c", work);
      fold.attempt({ hash: events[0]!.hash, last: events[0]!.hash, events, index: 4, offset: 0 });
      expect([fold.entity!.conflicts.size, log.entity().conflicts.size]).toEqual([0, 0]);
      expect(log.entity()).toEqual(fold.entity);
    }
  });

  it.each([
    ["an undo of a step's title", TWO, undoApplied],
    ["a redo of a step's title", TWO, redoApplied],
    ["an undo of a node's title", NODE, undoApplied],
    ["a redo of a node's title", NODE, redoApplied],
  ] as const)("[UNDO-38] %s on another branch is work on it", (_what, id, turn) => {
    const field = id === NODE ? `node.${id}` : `step.${id}`;
    const up = log.op([root], "agent:a", id === NODE ? node : added(null, TWO));
    const title = id === NODE ? renamed : stepDefined.draft({ step_id: TWO, title: "m", message });
    const change = log.op([up], "agent:a", title);
    const first = id === NODE ? "n" : TWO;
    const turned = (value: string) => ({
      op: change.events[0]!.hash,
      fields: [{ field: `${field}.title`, value }],
      message,
    });
    const undo = undoApplied.draft(turned(first));
    const before = turn === undoApplied ? change : log.op([change], "agent:a", undo);
    log.op([before], "agent:a", turn === undoApplied ? undo : redoApplied.draft(turned("m")));
    log.op([before], "agent:b", deletes(up, `${field}.deleted`));
    const entity = log.entity();
    const there = id === NODE ? entity.nodes.get(id)! : entity.steps.get(id)!;
    expect([there.title, there.deleted]).toEqual([turn === undoApplied ? first : "m", false]);
  });

  it.each(["undo", "delete", "work"])(
    "[UNDO-38] an undo of both, a deletion and work far away leave nothing: %s",
    (what) => {
      const up = log.op([root], "agent:a", added(null, TWO), added(TWO, THREE));
      const undo = deletes(up, `step.${TWO}.deleted`);
      const other = {
        undo: [undo],
        delete: [stepDeleted.draft({ step_id: THREE, message })],
        work: [noted(ONE), retitled("x")],
      }[what]!;
      log.op([up], "agent:a", undo);
      log.op([up], "agent:b", ...other);
      const entity = log.entity();
      expect([entity.steps.get(TWO)!.deleted, entity.conflicts.size]).toEqual([true, 0]);
    },
  );

  it("[UNDO-38] what is left goes with a deletion, and with an undo after a redo", () => {
    const up = log.op([root], "agent:a", added(null, TWO));
    const field = `step.${TWO}.deleted`;
    const undo = log.op([up], "agent:b", deletes(up, field));
    const worked = log.op([up], "agent:a", noted(TWO));
    const back = redoApplied.draft({ op: up.events[0]!.hash, fields: [{ field, value: false }], message });
    const redo = log.op([undo, worked], "agent:a", back);
    expect([log.entity().steps.get(TWO)!.deleted, log.entity().conflicts.size]).toEqual([false, 0]);
    log.op([redo], "agent:a", deletes(up, field));
    expect([log.entity().steps.get(TWO)!.deleted, log.entity().conflicts.size]).toEqual([true, 0]);
  });

  it("[UNDO-38] a redo brings a step back in which another branch worked while it was gone", () => {
    const up = log.op([root], "agent:a", added(null, TWO));
    const field = `step.${TWO}.deleted`;
    const undo = log.op([up], "agent:a", deletes(up, field));
    const back = redoApplied.draft({ op: up.events[0]!.hash, fields: [{ field, value: false }], message });
    log.op([undo], "agent:b", noted(TWO));
    log.op([undo], "agent:a", back);
    expect([log.entity().steps.get(TWO)!.deleted, log.entity().conflicts.size]).toEqual([false, 0]);
  });

  it("[UNDO-38] a deletion on a third branch decides over an undone addition in which another branch did work", () => {
    const up = log.op([root], "agent:a", added(null, TWO));
    const field = `step.${TWO}.deleted`;
    log.op([up], "agent:a", noted(TWO));
    log.op([up], "agent:b", stepDeleted.draft({ step_id: TWO, message }));
    log.op([up], "agent:c", deletes(up, field));
    const { steps, conflicts } = log.entity();
    expect([steps.get(TWO)!.deleted, conflicts.get(field)]).toEqual([true, undefined]);
  });

  it("[EVENT-48] a task completed on one branch is ACTIVE when another had added a step", () => {
    const up = log.op([root], "agent:a", ...closed(ONE));
    log.op([up], "agent:b", added(null, TWO));
    log.op([up], "agent:a", taskCompleted.draft({ message }));
    const entity = log.entity();
    expect(entity.status).toBe("ACTIVE");
    expect(entity.status_reason).toContain("open");
  });

  it("[EVENT-1] an unknown type, a wrong shape and a step that is not there have no effect and do not throw", () => {
    log.op(
      [root],
      "agent:a",
      { type: "step.sung", payload: { message } },
      { type: "x.note", payload: {} },
      { type: "step.done", payload: { step_id: 7 } },
      stepDone.draft({ step_id: THREE, message }),
      retitled("after"),
    );
    const fold = log.fold();
    expect(fold.entity?.title).toBe("after");
    expect(fold.noEffect.map((n) => n.reason)).toEqual(["unknown type", "payload of the wrong shape"]);
  });

  it("[EVENT-2] a second task.created makes no second entity", () => {
    log.op([root], "agent:a", taskCreated.draft({ ...created.payload, title: "other" } as never));
    const fold = log.fold();
    expect(fold.entity?.title).toBe("T");
    expect(fold.entity?.root).toBe(root.events[0]?.hash);
    expect(fold.noEffect.map((n) => n.reason)).toEqual(["an event that only begins a log"]);
  });

  it.each([0, 30])(
    "[UNDO-35] what two branches took back is one note and one thought less, and one more when redone on both; %i came after",
    (later) => {
      let tip = root;
      const noted = log.op(
        [tip],
        "agent:a",
        stepNoted.draft({ step_id: ONE, note: "n", message }),
        traceAdded.draft({ text: "t", message }),
      );
      tip = noted;
      for (let i = 0; i < later; i++)
        tip = log.op(
          [tip],
          "agent:a",
          stepNoted.draft({ step_id: ONE, note: `${i}`, message }),
          traceAdded.draft({ text: `${i}`, message }),
        );
      const { hash: op, ts, by } = noted.events[0]!;
      const line = noted.events[1]!.hash;
      const counts = () => {
        const { note_count, trace_count, notes, trace, steps } = log.entity();
        return [
          note_count,
          steps.get(ONE)!.notes,
          trace_count,
          notes.some((n) => n.id === op),
          trace.some((t) => t.id === line),
        ];
      };
      const shown = later === 0;
      expect(counts()).toEqual([later + 1, later + 1, later + 1, shown, shown]);
      const gone = [
        { field: `note.${op}`, value: { step: ONE, gone: true } },
        { field: `trace.${line}`, value: { gone: true } },
      ];
      const back = [
        { field: `note.${op}`, value: { id: op, ts, by, step: ONE, text: "n" } },
        { field: `trace.${line}`, value: { id: line, ts, by, text: "t" } },
      ];
      const undone = ["agent:a", "agent:b"].map((who) =>
        log.op([tip], who, undoApplied.draft({ op, fields: gone, message })),
      );
      expect(counts()).toEqual([later, later, later, false, false]);
      const both = log.op(undone, "agent:a", stepNoted.draft({ step_id: null, note: "saw both", message }));
      for (const who of ["agent:a", "agent:b"]) log.op([both], who, redoApplied.draft({ op, fields: back, message }));
      expect(counts()).toEqual([later + 2, later + 1, later + 1, shown, shown]);
    },
  );

  it("[EVENT-11] lines of other programs change roster and foreign gates, never ours", () => {
    const foreign = (type: string, payload: object) =>
      Buffer.from(`${JSON.stringify({ ts: "2026-01-02T00:00:00Z", type, taskId: "TASK-001", payload })}\n`);
    const lines = [
      foreign("agent.started", { agentInstance: "w1" }),
      foreign("gate.blocked", { gateId: "gate-w1", reason: "which?" }),
      foreign("gate.blocked", { gateId: `gate-${ONE}` }),
      foreign("step.done", { step_id: ONE }),
    ];
    const before = log.fold(Buffer.concat([root.bytes, ...lines])).entity!;
    expect([before.agents.size, before.gates.size]).toEqual([0, 0]);
    const hashes = lines.map((l) => sha(l));
    const own = log.op([root], "agent:a", {
      type: "gate.blocked",
      payload: { gateId: `gate-${ONE}`, reason: "ours", message },
    });
    const adopting = log.op([own], "system", foreignAdopted.draft({ hashes, message }));
    const after = log.fold(Buffer.concat([root.bytes, ...lines, own.bytes, adopting.bytes])).entity!;
    expect(after.agents.get("w1")?.state).toBe("active");
    expect(after.gates.get("gate-w1")).toMatchObject({ own: false, state: "blocked", reason: "which?" });
    expect(after.gates.get(`gate-${ONE}`)).toMatchObject({ own: true, reason: "ours" });
    expect(after.steps.get(ONE)?.done).toBe(false);
  });
});

function sha(line: Buffer): string {
  return sha256(line.subarray(0, -1));
}
