/** The messages between `verify` and its threads. */
import { PART } from "../core/parts_left.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { Verified, VerifyFrom } from "./verify_entity.ts";
import { verifyPlace } from "./verify_entity.ts";

export interface VerifyWork {
  root: string;
  workspace: string;
  isListed: boolean;
  remote: ReadonlySet<string>;
  places: readonly EntityLocation[];
  /** Shared: the first place that no thread took. */
  taken: Int32Array;
}

/** The outcome of the places from `at` on. */
export interface PartVerified {
  at: number;
  results: Verified[];
}

/** Where each part begins. */
export function* allParts(places: readonly EntityLocation[]): Generator<number> {
  for (let at = 0; at < places.length; at += PART) yield at;
}

export function verifyPart(from: VerifyFrom, places: readonly EntityLocation[], at: number): PartVerified {
  return { at, results: places.slice(at, at + PART).map((place) => verifyPlace(from, place)) };
}
