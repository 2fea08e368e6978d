/** The first step of `resolve`: each log takes in what the sides of a merge, and commits of before, have of it. */
import { isTaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { isKeptFrom } from "../../files/storage_error.ts";
import { asLog } from "../../log/lines_in.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { idFault } from "../../state/ids.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import type { Finding } from "../core/finding.ts";
import { wholeFile } from "../core/finding.ts";
import { limitFindings, Limits } from "../core/git_limits.ts";
import type { GitPort } from "../core/git_port.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import type { EngineParts } from "../parts.ts";
import { entityLocations } from "./entity_locations.ts";
import type { Completion } from "./missing_lines.ts";
import { findMissing } from "./missing_lines.ts";
import type { RepairedEntity, RepairOptions, RepairResult } from "./repair_log.ts";
import { repairEntity } from "./repair_log.ts";
import type { LostLine } from "./verify_git.ts";

export interface LogsToRepair {
  id: string | undefined;
  git: GitPort | undefined;
  /** Files that a merge left open. */
  open: readonly string[];
  /** Lines that the logs are to take in. */
  lost: readonly LostLine[];
  dryRun: boolean;
  acceptGap: boolean;
}

export interface RepairedLogs {
  /** Logs that were put in order. */
  entities: RepairedEntity[];
  missing: { id: string; hashes: string[] }[];
  /** Ids of logs that stay as they are. */
  unread: Set<string>;
  /** Findings about what is more than is read, and about logs that were refused. */
  limited: Finding[];
}

/** @internal */
export async function repairLogs(
  engine: EngineParts,
  { id, git, open, lost, dryRun, acceptGap }: LogsToRepair,
  { progress }: ProgressOptions = {},
): Promise<RepairedLogs> {
  const done: RepairedLogs = { entities: [], missing: [], unread: new Set(), limited: [] };
  const places = placesWith(engine, id, open, lost);
  for (const [i, place] of places.entries()) {
    progress?.(i, places.length);
    const limits = new Limits();
    // Of both folders: the lines of an entity that one side archived may stand in the other's live log.
    const sides = limits.within(() =>
      (["tasks", "archive"] as const).flatMap(
        (part) => git?.versions(`${relativeFolder({ id: place.id, part })}/${LOG_FILE}`) ?? [],
      ),
    );
    // Without all sides the log would lose lines, and to stage it would say that none is missing.
    if (!sides) {
      done.unread.add(place.id);
      done.limited.push(...limitFindings(limits.reported.map((limit) => ({ ...limit, path: relativeFolder(place) }))));
      continue;
    }
    const { repaired, missing, refused } = await repairIfReadable(engine, place, {
      sides,
      lost: ofPlace(lost, place),
      find: (log, ends) => findMissing(engine, git, place, { log, ends }, limits),
      // A line that was not looked for everywhere may be there.
      acceptGap: () => acceptGap && limits.reported.length === 0,
      dryRun,
    });
    done.limited.push(...limitFindings(limits.reported));
    if (refused) {
      done.unread.add(place.id);
      done.limited.push(refused);
    }
    if (repaired) done.entities.push(repaired);
    if (missing.length > 0) done.missing.push({ id: place.id, hashes: missing });
  }
  return done;
}

/** A log that cannot be read stays as it is, and is a finding: the others go on. */
async function repairIfReadable(
  engine: EngineParts,
  place: EntityLocation,
  options: RepairOptions,
): Promise<RepairResult & { refused?: Finding }> {
  try {
    return await repairEntity(engine, place, options);
  } catch (e) {
    // A folder or log that this user may not read: the look at the whole names it (VERIFY-60).
    if (isKeptFrom(e)) return { repaired: null, missing: [] };
    if (!isTaskfoldError(e) || (e.code !== "LOG_UNREADABLE" && e.code !== "LOG_LFS_POINTER")) throw e;
    const refused = wholeFile(e.code, `${relativeFolder(place)}/${LOG_FILE}`, e, e);
    return { repaired: null, missing: [], refused };
  }
}

/** Lines that were lost from this log, for it to take in. */
function ofPlace(lost: readonly LostLine[], { id, part }: EntityLocation): Completion | undefined {
  const lines = lost.filter(({ place }) => place.id === id && place.part === part);
  if (lines.length === 0) return undefined;
  const found = lines.map(({ id: hash, commit, taken, from }) => ({
    hash,
    from: from ?? `${taken ? "before " : ""}commit ${commit.slice(0, 12)}`,
  }));
  // As git tells them, the last come first.
  return { bytes: asLog(lines.toReversed()), found: found.toReversed() };
}

/** Every folder of the id, or of all, and logs that only a side of a stopped merge has, or an earlier commit. */
function placesWith(
  engine: EngineParts,
  id: string | undefined,
  open: readonly string[],
  lost: readonly LostLine[],
): EntityLocation[] {
  const sides = open
    .map((path) => /^\.coco\/(tasks|archive)\/([^/]+)\/events\.jsonl$/.exec(path))
    .filter((match) => match !== null)
    .map(([, part, name]): EntityLocation => ({ part: part as EntityLocation["part"], id: name! }))
    .filter((place) => idFault(place.id, FOLDER_CHARACTERS) === null && (id === undefined || place.id === id));
  for (const { place } of lost) if (!sides.some((side) => isSame(side, place))) sides.push(place);
  const known =
    id !== undefined && sides.length > 0
      ? entityLocations(engine).filter((p) => p.id === id)
      : entityLocations(engine, id);
  const folders = known.filter(
    (place) => engine.context.disk.lstat(`${engine.context.layout.coco}/${place.part}/${place.id}`)?.kind === "folder",
  );
  const more = sides.filter((side) => !folders.some((folder) => isSame(folder, side)));
  return [...folders, ...more].toSorted((a, b) => compareIds(a.id, b.id));
}

function isSame(a: EntityLocation, b: EntityLocation): boolean {
  return a.id === b.id && a.part === b.part;
}
