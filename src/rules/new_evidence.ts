import { createHash } from "node:crypto";
import type { EvidenceEntry } from "../state/evidence.ts";
import { inCocoRange } from "../state/evidence.ts";

/** Entries that are not there yet. One that has the id of another gets an id of its own: evidence is never replaced. */
export function newEvidence(known: readonly EvidenceEntry[], found: readonly EvidenceEntry[]): EvidenceEntry[] {
  const byId = new Map(known.map((entry) => [entry.id, sorted(inCocoRange(entry))]));
  const fresh: EvidenceEntry[] = [];
  for (const entry of found.map(inCocoRange)) {
    const text = sorted(entry);
    const before = byId.get(entry.id);
    if (before === text) continue;
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
    const id = before === undefined ? entry.id : `${entry.id}-${digest}`;
    if (byId.has(id)) continue;
    const one = { ...entry, id };
    byId.set(id, sorted(one));
    fresh.push(one);
  }
  return fresh;
}

/** One text for one meaning, whatever order the keys came in. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
