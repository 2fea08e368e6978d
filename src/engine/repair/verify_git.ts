/**
 * Finds lines that the branch had in a log and has no more: by a revert, a dropped commit, a merge that kept one side.
 * Such a log is consistent in itself, so only git can tell (VERIFY-13). Asks for the differences between commits, never
 * for each version.
 */
import { namedTime, worded } from "../../message.ts";
import type { Wording } from "../../message.ts";
import { readIfThere } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { linesIn } from "../../log/lines_in.ts";
import { idFault } from "../../state/ids.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { logPath, relativeFolder } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { wholeFile } from "../core/finding.ts";
import { PARTS } from "../core/sparse_checkout.ts";
import { Limits } from "../core/git_limits.ts";
import type { GitLimit, GitPort } from "../core/git_port.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import { entityLocations } from "./entity_locations.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

/** A line that no log of the workspace has, and where the branch had it. */
export interface LostLine {
  /** As in `LineIn`. */
  id: string;
  /** Without LF. */
  bytes: Buffer;
  place: EntityLocation;
  commit: string;
  /** Whether that commit took it away, or still had it. */
  taken: boolean;
  /** Its holder, where that is no commit. */
  from?: string;
}

export interface Lost {
  lines: LostLine[];
  /** The parts that were not looked at. */
  left: GitLimit[];
}

/** Of one log; the rest is counted. */
const MAX_NAMED = 20;
/** The most lost lines that are held at once; resolve brings so many back and says that there are more. */
const MAX_LOST = { lines: 100_000, bytes: 8 * 1024 * 1024 };
const LOG = /^\.coco\/(tasks|archive)\/([^/]+)\/events\.jsonl$/;

/** Each line once, as git tells of them: the latest loss first. @internal */
export function lostLines(engine: EngineParts, git: GitPort, id?: string, base?: string): Lost {
  const left = new Limits();
  const lost = new Map<string, LostLine>();
  let present: Set<string> | undefined;
  let bytesHeld = 0;
  const isLeftOut = leftOutIn(engine);
  left.within(() => {
    for (const { path, bytes, commit, taken } of git.takenAway(base, left.tell)) {
      const place = placeOf(engine, path, id);
      if (!place || isLeftOut(place.id)) continue;
      present ??= everyLine(engine);
      for (const line of linesIn(bytes)) {
        if (present.has(line.id) || lost.has(line.id)) continue;
        if (lost.size >= MAX_LOST.lines || bytesHeld + line.bytes.length > MAX_LOST.bytes) {
          left.tell({ path: null, why: `more than ${lost.size} lines were lost; resolve brings these back first` });
          return;
        }
        bytesHeld += line.bytes.length;
        // A copy: the line is part of a whole version of the log.
        lost.set(line.id, { id: line.id, bytes: Buffer.from(line.bytes), place, commit, taken });
      }
    }
  });
  if (base !== undefined && lost.size > 0)
    left.within(() => {
      const before = git.lostBy(
        base,
        [...lost.values()].map(({ bytes }) => bytes),
        left.tell,
      );
      for (const [name, { bytes }] of lost) if (before.has(bytes.toString("latin1").trimEnd())) lost.delete(name);
    });
  return { lines: [...lost.values()], left: left.reported };
}

/** Whether a log that a sparse checkout leaves out may have the lines of this one: it is not read. */
function leftOutIn({ store }: EngineParts): (id: string) => boolean {
  const ids = PARTS.flatMap((part) => store.leftOut(part).ids);
  return (id) => ids.some((one) => one === id || one.startsWith(`${id}-`));
}

function placeOf(engine: EngineParts, path: string, id: string | undefined): EntityLocation | undefined {
  const [, part, name = ""] = LOG.exec(path) ?? [];
  if (part === undefined || idFault(name, FOLDER_CHARACTERS) !== null || (id !== undefined && id !== name))
    return undefined;
  return homeOf(engine, { part: part as EntityLocation["part"], id: name });
}

/** An entity may have been moved to the archive since, or back. */
function homeOf({ context }: EngineParts, place: EntityLocation): EntityLocation {
  const other: EntityLocation = { id: place.id, part: place.part === "tasks" ? "archive" : "tasks" };
  const there = (at: EntityLocation): boolean => context.disk.lstat(logPath(context, at))?.kind === "file";
  return !there(place) && there(other) ? other : place;
}

/** Of all logs: what moved to another folder is not lost. */
function everyLine(engine: EngineParts): Set<string> {
  const { context } = engine;
  const present = new Set<string>();
  for (const place of entityLocations(engine)) {
    const path = logPath(context, place);
    const bytes = context.disk.lstat(path)?.kind === "file" ? readIfThere(context.disk, path) : undefined;
    for (const { id } of bytes ? linesIn(bytes) : []) present.add(id);
  }
  return present;
}

/** @internal */
export function lostFindings(lost: readonly LostLine[]): Finding[] {
  const byFile = new Map<string, LostLine[]>();
  for (const line of lost) {
    const file = `${relativeFolder(line.place)}/${LOG_FILE}`;
    const lines = byFile.get(file);
    if (lines) lines.push(line);
    else byFile.set(file, [line]);
  }
  return [...byFile].flatMap(([file, lines]) => {
    const { id } = lines[0]!.place;
    const named = lines.slice(0, MAX_NAMED).map((line) => {
      const commit = line.commit.slice(0, 12);
      const where = line.taken ? `commit ${commit} took it out` : `commit ${commit} of this branch has it`;
      return wholeFile("LINE_LOST", file, worded`Expected ${nameOf(line)}: ${where}.`, bringBack(id));
    });
    const more = lines.length - named.length;
    if (more > 0)
      named.push(
        wholeFile(
          "LINE_LOST",
          file,
          `Expected ${counted(more, "more line", "more lines")} that commits had.`,
          bringBack(id),
        ),
      );
    return named;
  });
}

function nameOf({ id, bytes }: LostLine): Wording | string {
  const [{ event } = { event: undefined }] = linesIn(bytes);
  return event
    ? worded`the event ${id} (${event.type} by ${event.by}, ${namedTime(event.ts)})`
    : `the line of another program ${id}`;
}

function bringBack(id: string): Remedy {
  return remedy`${TASKFOLD} resolve ${id} --git brings it back.`;
}
