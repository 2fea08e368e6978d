import { createHash } from "node:crypto";
import type { EvidenceEntry } from "../state/evidence.ts";
import { inCocoRange } from "../state/evidence.ts";
import { sortedJson } from "../state/json.ts";

/** Entries that are not there yet. One that has the id of another gets an id of its own: evidence is never replaced. */
export function newEvidence(known: readonly EvidenceEntry[], found: readonly EvidenceEntry[]): EvidenceEntry[] {
  const byId = new Map(known.map((entry) => [entry.id, sortedJson(inCocoRange(entry))]));
  const fresh: EvidenceEntry[] = [];
  for (const entry of found.map(inCocoRange)) {
    const text = sortedJson(entry);
    const before = byId.get(entry.id);
    if (before === text) continue;
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
    const id = before === undefined ? entry.id : `${entry.id}-${digest}`;
    if (byId.has(id)) continue;
    const one = { ...entry, id };
    byId.set(id, sortedJson(one));
    fresh.push(one);
  }
  return fresh;
}
