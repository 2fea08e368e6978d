/** Ids of entries that other programs wrote, where two of them would have one. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newEvidence } from "../../src/rules/new_evidence.ts";
import type { EvidenceEntry } from "../../src/state/evidence.ts";
import { sortedJson } from "../../src/state/json.ts";

const entry = (title: string, id = "worker-w1"): EvidenceEntry => ({
  id,
  kind: "command-execution",
  title,
  summary: "",
  createdAt: "2026-01-01T00:00:00.000Z",
  sources: [{ type: "commandExecution", command: title, cwd: "." }],
});
const [first, second] = [entry("one"), entry("two")];
const digest = createHash("sha256").update(sortedJson(second)).digest("hex");
const under = (digits: number, title = "two"): EvidenceEntry => entry(title, `worker-w1-${digest.slice(0, digits)}`);

describe("ids of adopted evidence", () => {
  it("[EVID-4] have 20 digits of the content where another entry has the id", () => {
    expect(newEvidence([], [first, second])).toEqual([first, under(20)]);
    expect(newEvidence([first], [first, second])).toEqual([under(20)]);
  });

  it("[EVID-4] have all digits where an entry has these 20", () => {
    expect(newEvidence([first, under(20, "three")], [second])).toEqual([under(64)]);
  });

  it.each([8, 20, 64])("[EVID-4] stay where the entry was taken in under %i digits", (digits) => {
    const known = [first, ...(digits === 64 ? [under(20, "three")] : []), under(digits)];
    expect(newEvidence(known, [first, second])).toEqual([]);
  });

  it("[EVID-4] are no reason to leave an entry out: eight digits of another content are another entry's", () => {
    expect(newEvidence([first, under(8, "three")], [second])).toEqual([under(20)]);
  });
});
