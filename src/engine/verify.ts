/**
 * Reads every log and every folded file from disk, past what this process has in memory, and says what is not as it
 * should be. Changes nothing and takes no lock: what another process is writing at this moment may show.
 */
import { TaskfoldError } from "../errors.ts";
import type { Listed } from "../state/listed.ts";
import type { ProgressOptions } from "./at_once.ts";
import type { EngineParts } from "./parts.ts";
import type { Place } from "./entity_on_disk.ts";
import { relativeFolder } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";
import { sortFindings, wholeFile } from "./finding.ts";
import { limitFindings } from "./git_limits.ts";
import type { GitPort } from "./git_port.ts";
import { mustBeText } from "./must_be_text.ts";
import { isOverviewOn, overviewFindings } from "./overview.ts";
import { linkFindings, placesOf } from "./places.ts";
import { lostFindings, lostLines } from "./verify_git.ts";
import { verifyPlaces } from "./verify_places.ts";
import { TxnFindings } from "./verify_txn.ts";
import { workspaceFindings } from "./verify_workspace.ts";

export type { Finding } from "./finding.ts";

export interface VerifyReport {
  /** True when every finding is only for information. */
  ok: boolean;
  /** Folders with a log of ours that were read. */
  entities: number;
  /** Events in effect in them. */
  events: number;
  findings: Finding[];
}

export interface VerifyOptions extends ProgressOptions {
  /** Access to git: what the branch once had in its logs is looked for, too. */
  git?: GitPort;
  /** A branch, a tag or a commit: of that only what was lost in commits that it does not lead to. Goes with `git`. */
  gitBase?: string;
}

/**
 * Verifies one entity (live or archived) or, without `id`, the whole workspace. UNKNOWN_ID when there is no such folder, and
 * never was as far as git was asked.
 * @internal
 */
export function verify(
  engine: EngineParts,
  id?: string,
  { git, gitBase, ...progress }: VerifyOptions = {},
): VerifyReport {
  if (gitBase !== undefined) mustBeText("gitBase", gitBase);
  if (gitBase !== undefined && !git)
    throw new TaskfoldError("INVALID_INPUT", "Expected git beside gitBase, found none.", {
      recovery: "Give openGit(root) of taskfold/git as git.",
    });
  const { lines: lost, left } = git ? lostLines(engine, git, id, gitBase) : { lines: [], left: [] };
  const places =
    lost.length > 0 ? placesOf(engine).filter((place) => [undefined, place.id].includes(id)) : placesOf(engine, id);
  const findings: Finding[] = id === undefined ? workspaceFindings(engine) : [];
  findings.push(...linkFindings(engine), ...lostFindings(lost), ...limitFindings(left));
  const from = {
    world: engine.world,
    workspace: engine.binding?.workspace ?? "",
    isListed: id === undefined && isOverviewOn(engine.world),
  };
  const roots = new Map<string, Place[]>();
  const live: Listed[] = [];
  const txns = new TxnFindings();
  let entities = 0;
  let events = 0;
  for (const [i, { findings: found, entity }] of verifyPlaces(from, places, progress).entries()) {
    const place = places[i]!;
    findings.push(...found);
    if (!entity) continue;
    entities++;
    events += entity.events;
    txns.saw(place, entity.txns);
    if (entity.listed) live.push(entity.listed);
    const known = roots.get(entity.root);
    if (known) known.push(place);
    else roots.set(entity.root, [place]);
  }
  for (const [root, [first, ...others]] of roots) {
    for (const other of others) findings.push(sameRoot(root, first!, other));
  }
  // Of one entity alone nobody can tell what the others have.
  if (id === undefined) {
    findings.push(...txns.incomplete(engine.transactions.journal.pending()), ...overviewFindings(engine.world, live));
  }
  return { ok: findings.every((f) => f.info === true), entities, events, findings: sortFindings(findings) };
}

function sameRoot(root: string, first: Place, other: Place): Finding {
  return wholeFile(
    "SAME_ROOT",
    relativeFolder(other),
    `Expected one folder for the entity ${root}, found a second; the first is ${relativeFolder(first)}.`,
  );
}
