/** The words about files that changed since a run. */
import { phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import type { Staleness } from "./staleness.ts";

const SHOWN = 3;

/** `src/a.ts changed since (commit 0a1b2c3d)` as a clause; undefined where nothing is to be told. */
export function staleWords(found: Staleness): Sentence | undefined {
  if (found.is === "unknown") return unknownChanges(found.why);
  if (found.is === "unasked") return unknownChanges(phrased`there is no git here to compare with`);
  if (found.is !== "stale") return undefined;
  const { paths, commit, during } = found;
  const rest = paths.length - SHOWN;
  const more = rest === 1 ? phrased` and ${rest} more file` : rest > 1 ? phrased` and ${rest} more files` : "";
  const names = paths.slice(0, SHOWN).map((path) => JSON.stringify(path.toWellFormed()));
  const last = commit === null ? phrased`not committed` : phrased`commit ${commit.slice(0, 12)}`;
  return during
    ? phrased`${names}${more} changed while it ran (${last})`
    : phrased`${names}${more} changed since (${last})`;
}

function unknownChanges(why: Sentence): Sentence {
  return phrased`${why}, so the files that changed since cannot be told`;
}
