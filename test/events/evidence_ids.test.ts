/** Ids that events of evidence derive, where two of them would be one. */
import { describe, expect, it } from "vitest";
import { evidenceCaptured } from "../../src/events/evidence.captured.ts";
import { takeEvidence } from "../../src/events/adopted.ts";
import { Writer } from "../../src/events/writer.ts";
import type { Entity } from "../../src/state/entity.ts";
import { isGivenEvidenceId } from "../../src/state/evidence.ts";
import { newEntity } from "../../src/state/new_entity.ts";

const TS = "2026-01-01T00:00:00.000Z";

interface Given {
  long_ids?: boolean | undefined;
  /** Ids of entries that an index had, which was taken in before. */
  adopted?: readonly string[];
  /** Those that an event at the end supersedes. */
  supersedes?: readonly string[];
}

/** The entity after an event of each hash. */
function entityAfter(hashes: readonly string[], { long_ids, adopted = [], supersedes = [] }: Given): Entity {
  const about = { root: "r", kind: "task", created_at: TS, created_by: "agent:ada", updated_at: TS } as const;
  const entity = newEntity({ ...about, title: "T", description: "", topology: "squad" });
  const taken = adopted.map((id) => ({
    id,
    kind: "command-execution" as const,
    title: "t",
    summary: "s",
    createdAt: TS,
    sources: [],
  }));
  takeEvidence(entity, taken, new Writer());
  const long = long_ids ? { long_ids } : {};
  const about_all = { step_id: null, checkpoints: [], message: "m" };
  const apply = (payload: object, hash: string, index: number): void => {
    const fact = { hash, by: `agent:${index}`, ts: TS };
    evidenceCaptured.apply(entity, payload as never, fact as never, new Writer(), [] as never, { index } as never);
  };
  for (const [index, hash] of hashes.entries()) {
    const items = [{ kind: "command-execution", title: "t", summary: "s", counts: true, command: "npm test" }];
    apply({ ...about_all, ...long, items }, hash, index);
  }
  if (supersedes.length > 0) apply({ ...about_all, items: [], supersedes, reason: "r" }, "C", hashes.length);
  return entity;
}

/** The ids and the actors of its entries. */
function entriesOf(hashes: readonly string[], given: Given = {}): [id: string, by: string | null][] {
  const { evidence, facts } = entityAfter(hashes, given);
  return evidence.map(({ id }) => [id, facts.get(id)?.by ?? null]);
}

describe("ids of evidence", () => {
  it("[EVID-4] have 20 digits of the event's hash, and eight of one that an older release wrote", () => {
    const hash = `${"A".repeat(42)}E`;
    expect(entriesOf([hash], { long_ids: true })).toEqual([[`cmd-${"0".repeat(20)}-1`, "agent:0"]]);
    expect(entriesOf([hash])).toEqual([["cmd-00000000-1", "agent:0"]]);
  });

  it.each([true, undefined])("[EVID-4] an entry with the id of another has all digits (long_ids: %s)", (long_ids) => {
    const [first, second] = [`${"A".repeat(42)}E`, `${"A".repeat(30)}${"B".repeat(12)}E`];
    const [one, other] = entriesOf([first, second], { long_ids });
    const hex = Buffer.from(second, "base64url").toString("hex");
    expect([one![1], other]).toEqual(["agent:0", [`cmd-${hex}-1`, "agent:1"]]);
    expect(isGivenEvidenceId(other![0])).toBe(false);
  });

  it.each([true, undefined])("[EVID-4] so has one whose id an index had (long_ids: %s)", (long_ids) => {
    const hash = `${"A".repeat(42)}E`;
    const hex = Buffer.from(hash, "base64url").toString("hex");
    const usual = `cmd-${hex.slice(0, long_ids ? 20 : 8)}-1`;
    const whole = (n: number): string => `cmd-${hex}-${n}`;
    expect(entriesOf([hash], { long_ids, adopted: [usual] })).toEqual([
      [usual, null],
      [whole(1), "agent:0"],
    ]);
    expect(entriesOf([hash], { long_ids, adopted: [usual, whole(1), whole(2)] }).at(-1)).toEqual([whole(3), "agent:0"]);
  });

  it("[EVID-58] an entry that has all digits, because an index had its id, is named by that id", () => {
    const hash = `${"A".repeat(42)}E`;
    const usual = `cmd-${"0".repeat(20)}-1`;
    const { evidence, facts } = entityAfter([hash], { long_ids: true, adopted: [usual], supersedes: [usual] });
    const superseded = evidence.filter(({ id }) => facts.get(id)?.superseded).map(({ id }) => id);
    expect(superseded).toEqual([evidence[1]!.id]);
    const twin = `${"A".repeat(30)}${"B".repeat(12)}E`;
    const both = entityAfter([hash, twin], { adopted: ["cmd-00000000-1"], supersedes: ["cmd-00000000-1"] });
    expect(both.evidence.map(({ id }) => both.facts.get(id)?.superseded !== undefined)).toEqual([false, true, false]);
    expect(both.evidence.map(({ id }) => both.facts.get(id)?.derived)).toEqual([
      undefined,
      "cmd-00000000-1",
      undefined,
    ]);
  });
});
