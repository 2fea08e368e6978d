import { createHash } from "node:crypto";
import { derivedHex, hexForms, wholeHex } from "../state/derived_hex.ts";
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
    const one = before === undefined ? entry : underOwnId(entry, createHash("sha256").update(text).digest("hex"), byId);
    if (!one) continue;
    byId.set(one.id, sortedJson(one));
    fresh.push(one);
  }
  return fresh;
}

/** By its content, as ids of our own are derived (EVID-4). Undefined where it is there under such an id. */
function underOwnId(
  entry: EvidenceEntry,
  digest: string,
  byId: ReadonlyMap<string, string>,
): EvidenceEntry | undefined {
  const named = (hex: string): EvidenceEntry => ({ ...entry, id: `${entry.id}-${hex}` });
  if (hexForms(digest).some((hex) => byId.get(named(hex).id) === sortedJson(named(hex)))) return undefined;
  const usual = named(derivedHex(digest, true));
  return byId.has(usual.id) ? named(wholeHex(digest)) : usual;
}
