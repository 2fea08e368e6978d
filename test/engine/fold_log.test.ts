import { describe, expect, it } from "vitest";
import { foldLog } from "../../src/fold_log.ts";
import { Fold } from "../../src/events/fold.ts";
import { isKnownType } from "../../src/events/index.ts";
import { taskEdited } from "../../src/events/task.edited.ts";
import { undoApplied } from "../../src/events/undo.applied.ts";
import { Replay } from "../../src/log/replay.ts";
import { bytesSource } from "../../src/log/source.ts";
import { entityToJson } from "../../src/state/entity_json.ts";
import type { Entity } from "../../src/state/entity.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const message = "A sentence.";
const retitled = (title: string) => taskEdited.draft({ patch: { title }, message });

/** A change is undone on one branch while another branch changes the same field. */
function branched(): { bytes: Buffer; hashes: string[] } {
  const log = new Branches();
  const root = log.op([], "agent:a", creation(message));
  const b = log.op([root], "agent:a", retitled("B"));
  const c = log.op([b], "agent:a", retitled("C"));
  const op = b.events[0]!.hash;
  const tagged = log.op([b], "agent:b", taskEdited.draft({ patch: { tags: ["b"] }, message }));
  const undo = log.op(
    [tagged],
    "agent:b",
    undoApplied.draft({ op, fields: [{ field: "title", value: "T" }], message }),
  );
  log.op([c, undo], "agent:c", taskEdited.draft({ patch: { tags: ["joined"] }, message }));
  return { bytes: Buffer.concat(log.ops.map((one) => one.bytes)), hashes: log.ops.map((one) => one.events[0]!.hash) };
}

const jsonOf = (entity: Entity | null): string => JSON.stringify(entity && entityToJson(entity));

describe("folding a log", () => {
  it("[LOG-23] a reading that the fold asks for again gives another state than the first one, and what was gathered begins anew", () => {
    const { bytes, hashes } = branched();
    let readings = 0;
    const first = new Fold(1);
    const forgetful = new Replay(
      { reset: () => first.reset(), op: (op, place) => void first.op(op, place) },
      { isKnownType },
    );
    forgetful.load(bytesSource(bytes));
    const { entity, gathered } = foldLog(bytesSource(bytes), {
      ring: 1,
      start: (): string[] => (readings++, []),
      each: (op, _fold, told) => void told.push(op.hash),
    });
    expect(jsonOf(entity)).not.toBe(jsonOf(first.entity));
    expect(gathered.toSorted()).toEqual(hashes.toSorted());
    expect(readings).toBeGreaterThan(2);
  });

  it("[LOG-23] the state stays behind the op that `until` names, judged by those after it", () => {
    const { bytes, hashes } = branched();
    for (const hash of hashes) {
      const { last, entity } = foldLog(bytesSource(bytes), { until: (op) => op.hash === hash });
      expect(last?.hash).toBe(hash);
      expect(entity?.revision).toBe((last?.index ?? 0) + 1);
    }
    expect(foldLog(bytesSource(bytes), { until: () => false }).last).toBeUndefined();
  });
});
