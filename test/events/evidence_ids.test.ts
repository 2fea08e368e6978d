/** Ids that events of evidence derive, where two of them would be one. */
import { describe, expect, it } from "vitest";
import { evidenceCaptured } from "../../src/events/evidence.captured.ts";
import { Writer } from "../../src/events/writer.ts";
import { isGivenEvidenceId } from "../../src/state/evidence.ts";
import { newEntity } from "../../src/state/new_entity.ts";

const TS = "2026-01-01T00:00:00.000Z";

/** The ids and the actors of the entries, after an event of each hash. */
function entriesOf(hashes: readonly string[], long_ids?: boolean): [id: string, by: string | null][] {
  const about = { root: "r", kind: "task", created_at: TS, created_by: "agent:ada", updated_at: TS } as const;
  const entity = newEntity({ ...about, title: "T", description: "", topology: "squad" });
  for (const [index, hash] of hashes.entries()) {
    const items = [{ kind: "command-execution", title: "t", summary: "s", counts: true, command: "npm test" }];
    const payload = { step_id: null, checkpoints: [], items, message: "m", ...(long_ids ? { long_ids } : {}) };
    const fact = { hash, by: `agent:${index}`, ts: TS };
    evidenceCaptured.apply(entity, payload as never, fact as never, new Writer(), [] as never, { index } as never);
  }
  return entity.evidence.map(({ id }) => [id, entity.facts.get(id)?.by ?? null]);
}

describe("ids of evidence", () => {
  it("[EVID-4] have 20 digits of the event's hash, and eight of one that an older release wrote", () => {
    const hash = `${"A".repeat(42)}E`;
    expect(entriesOf([hash], true)).toEqual([[`cmd-${"0".repeat(20)}-1`, "agent:0"]]);
    expect(entriesOf([hash])).toEqual([["cmd-00000000-1", "agent:0"]]);
  });

  it.each([true, undefined])("[EVID-60] an entry with the id of another has all digits (long_ids: %s)", (long_ids) => {
    const [first, second] = [`${"A".repeat(42)}E`, `${"A".repeat(30)}${"B".repeat(12)}E`];
    const [one, other] = entriesOf([first, second], long_ids);
    const hex = Buffer.from(second, "base64url").toString("hex");
    expect([one![1], other]).toEqual(["agent:0", [`cmd-${hex}-1`, "agent:1"]]);
    expect(isGivenEvidenceId(other![0])).toBe(false);
  });
});
