/** The words about files that changed since a run. */
import { counted } from "./counted.ts";
import type { Staleness } from "./staleness.ts";

const SHOWN = 3;

/** `src/a.ts changed since (commit 0a1b2c3d)` as a clause; undefined where nothing is to be told. */
export function staleWords(found: Staleness): string | undefined {
  if (found.is === "unknown") return cannotBeTold(found.why);
  if (found.is === "unasked") return cannotBeTold("there is no git here to compare with");
  if (found.is !== "stale") return undefined;
  const { paths, commit, during } = found;
  const when = during ? "while it ran" : "since";
  const more = paths.length > SHOWN ? ` and ${counted(paths.length - SHOWN, "more file")}` : "";
  const names = paths.slice(0, SHOWN).map((path) => JSON.stringify(path.toWellFormed()));
  return `${names.join(", ")}${more} changed ${when} (${commit === null ? "not committed" : `commit ${commit.slice(0, 12)}`})`;
}

function cannotBeTold(why: string): string {
  return `${why}, so the files that changed since cannot be told`;
}
