/** Which calls chose an entity themselves: a repeated one goes where the first went (`chosen_by` of a list's row). */
import { sha256 } from "../log/canonical.ts";
import type { Op } from "../log/types.ts";
import type { KeyUse } from "./handle.ts";

/** Tools whose calls choose entities themselves. Named, so that a reader loads no other tool. */
export const CHOOSERS: ReadonlySet<string> = new Set(["tasks_archive", "tasks_claim_next"]);

/** As `chosen_by` has a key. */
export function keyDigest(key: string): string {
  return sha256(key).slice(0, 8);
}

/** Digests of the keys of such calls. */
export function chosenBy(keys: ReadonlyMap<string, KeyUse>): string[] {
  return [...keys].flatMap(([key, { tool }]) => (CHOOSERS.has(tool) ? [keyDigest(key)] : []));
}

export function noteKey(keys: Map<string, KeyUse>, op: Op): void {
  const { key, req, tool } = op.events[0]!.op;
  if (key !== undefined && req !== undefined && !keys.has(key)) keys.set(key, { op: op.hash, tool, req });
}
