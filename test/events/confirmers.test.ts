/** Who stands for a confirmation after undo and redo, over logs with branches. */
import { beforeEach, describe, expect, it } from "vitest";
import { readLog } from "../../examples/independent_reader.mjs";
import { redoApplied } from "../../src/events/redo.applied.ts";
import { stepDefined } from "../../src/events/step.defined.ts";
import { stepDone } from "../../src/events/step.done.ts";
import { stepVerified } from "../../src/events/step.verified.ts";
import { stepsAdded } from "../../src/events/steps.added.ts";
import { undoApplied } from "../../src/events/undo.applied.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const ONE = "STEP-00000001";
const message = "A sentence.";
const TESTS = `step.${ONE}.confirmed.tests`;

const verified = (tests: boolean) => stepVerified.draft({ step_id: ONE, checkpoints: { tests }, message });
const reversal = (op: SealedOp, value: boolean) => ({
  op: op.events[0]!.hash,
  fields: [{ field: TESTS, value }],
  message,
});
const undone = (op: SealedOp, value: boolean) => undoApplied.draft(reversal(op, value));
const redone = (op: SealedOp, value: boolean) => redoApplied.draft(reversal(op, value));

describe("who stands for a confirmation", () => {
  let log: Branches;
  let ada: SealedOp;

  beforeEach(() => {
    log = new Branches();
    const steps = [{ id: ONE, title: "s", success_criteria: ["c"], tests: [], blockers: [] }];
    const root = log.op([], "agent:a", creation(message), stepsAdded.draft({ parent: null, steps, message }));
    ada = log.op([root], "agent:ada", verified(true));
  });

  /** The one of these actors who may not close the step then, by the engine and by the reader. */
  function standing(after: SealedOp[]): string[] {
    const confirm = stepDefined.draft({ step_id: ONE, confirm: { tests: "other" }, message });
    const confirmed = stepVerified.draft({ step_id: ONE, checkpoints: { criteria: true }, message });
    const asked = log.op(after, "agent:zed", confirm, confirmed);
    const own = ["ada", "cy", "dee", "eve", "fay"].filter((name) => {
      log.op([asked], `agent:${name}`, stepDone.draft({ step_id: ONE, message }));
      const bytes = Buffer.concat(log.ops.map((op) => op.bytes));
      log.ops.pop();
      const closed = log.fold(bytes).entity!.steps.get(ONE)!.done;
      const read = readLog(bytes) as unknown as { steps: { done: boolean }[] };
      expect(read.steps[0]!.done).toBe(closed);
      return !closed;
    });
    log.ops.pop();
    return own;
  }

  it("[PROOF-55] the confirmation before counts again after undos of those between, by each actor that undid", () => {
    const cy = log.op([ada], "agent:cy", verified(false));
    const dee = log.op([cy], "agent:dee", verified(true));
    const eve = log.op([cy, dee], "agent:eve", undone(cy, true));
    const fay = log.op([eve], "agent:fay", undone(dee, true));
    expect(standing([fay])).toEqual(["ada"]);
  });

  it("[PROOF-55] who brought a confirmation back stands for it until it is taken back", () => {
    const cy = log.op([ada], "agent:cy", verified(false));
    const eve = log.op([cy], "agent:eve", undone(cy, true));
    expect(standing([eve])).toEqual(["eve"]);
    const dee = log.op([eve], "agent:dee", verified(true));
    expect(standing([dee])).toEqual(["dee"]);
    const out = log.op([dee], "agent:fay", undone(dee, true));
    expect(standing([out])).toEqual(["eve"]);
    const away = log.op([out], "agent:dee", undone(ada, false));
    const again = log.op([away], "agent:fay", redone(ada, true));
    expect(standing([again])).toEqual(["fay"]);
  });
});
