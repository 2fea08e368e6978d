/** Plans and tasks that git took away whole (went_away.ts): findings about them, and their lines for `resolve`. */
import { LOG_FILE } from "../../files/layout.ts";
import { linesIn } from "../../log/lines_in.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import type { GitPort } from "../core/git_port.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import { holderText, isLoss } from "../entity/held_text.ts";
import type { Gone, WentAway } from "../entity/went_away.ts";
import { messageOf, recoveryOf } from "../entity/went_away.ts";
import type { EngineParts } from "../parts.ts";
import type { RepairedEntity } from "./repair_log.ts";
import type { LostLine } from "./verify_git.ts";

interface Asked {
  id: string | undefined;
  restore: boolean;
  acceptGap: boolean;
}

export interface BroughtBack {
  /** Lines of the logs that git has still. */
  lines: LostLine[];
  /** Nothing has them. */
  missing: Gone[];
  /** Their loss is to be accepted. */
  accepted: Gone[];
}

const NOTHING: BroughtBack = { lines: [], missing: [], accepted: [] };

/** A finding for each; a note where git has it still. `lost`: lines that are findings of their own. @internal */
export function goneFindings(gone: readonly Gone[], lost: readonly LostLine[]): Finding[] {
  const reported = new Set(lost.map(({ place }) => place.id));
  return gone.flatMap((one) => {
    // A folder without a log is told, also where a branch has the log.
    if ((!isLoss(one.held) && one.left !== "folder") || reported.has(one.id)) return [];
    const finding = wholeFile("LOG_TRUNCATED", `${relativeFolder(one)}/${LOG_FILE}`, messageOf(one), recoveryOf(one));
    return [one.held ? note(finding) : finding];
  });
}

/** Whether a finding says that a folder has no log of ours, while this machine knows better. @internal */
export function knowsBetter(gone: readonly Gone[], { code, file }: Finding): boolean {
  return (
    ["FOLDER_WITHOUT_LOG", "NO_OWN_LOG"].includes(code) &&
    gone.some((one) => one.left === "folder" && relativeFolder(one) === file)
  );
}

/**
 * Sorts those that went into what `resolve` does about them. One that it names comes back wherever it is. Without a name those come
 * back that no branch and no stash has. A person stashed on purpose, and git pops a stash over no file. @internal
 */
export function bringBack(
  { store }: EngineParts,
  git: GitPort | undefined,
  { id, restore, acceptGap }: Asked,
): BroughtBack {
  if (!git || !(restore || acceptGap)) return NOTHING;
  const gone = goneOf(store.wentAway, git, id, { unreachable: restore });
  const isWanted = ({ held }: Gone): boolean => id !== undefined || (isLoss(held) && held?.holder !== "stash");
  const held = gone.filter((some) => some.held && isWanted(some));
  const missing = gone.filter((some) => !some.held);
  return {
    lines: restore ? held.flatMap((some) => linesOf(git, some)) : [],
    missing: acceptGap ? [] : missing,
    accepted: acceptGap ? [...missing, ...(restore || id === undefined ? [] : held)] : [],
  };
}

/** Of one id, or of all. @internal */
export function goneOf(
  wentAway: WentAway,
  git: GitPort,
  id: string | undefined,
  options?: { unreachable: boolean },
): readonly Gone[] {
  if (id === undefined) return wentAway.all(git, options);
  // A short form names nothing here, as it names no folder.
  return wentAway.of(id, git, options).filter((one) => one.id === id);
}

/** The last ones first, as git tells of lost lines. */
function linesOf(git: GitPort, gone: Gone): LostLine[] {
  const place = { id: gone.id, part: gone.part };
  const { object, holder, name } = gone.held!;
  const from = holder === "commit" ? {} : { from: holder === "object" ? `object ${name}` : holderText(gone.held!) };
  const lines = linesIn(git.read(object)).map(({ id, bytes }) => ({
    id,
    bytes,
    place,
    commit: name,
    taken: false,
    ...from,
  }));
  return lines.toReversed();
}

/** As `resolve` reports that the loss of a change was accepted. @internal */
export function declaredLost({ id, mark }: Gone): RepairedEntity {
  const nothing = { markers: 0, duplicates: 0, crlf: 0 };
  return { id, dropped: nothing, quarantined: 0, split: [], restored: false, found: [], declared: [mark.hash] };
}

/** As `resolve` reports lines that are nowhere to be found. @internal */
export function nowhere({ id, mark }: Gone): { id: string; hashes: string[] } {
  return { id, hashes: [mark.hash] };
}
