/**
 * Reads every log and every folded file from disk, past what this process has in memory, and says what is not as it
 * should be. Changes nothing and takes no lock: what another process is writing at this moment may show.
 */
import { TaskfoldError } from "../../errors.ts";
import type { EntityVerdict } from "../../attest/vouched.ts";
import type { SignatureOptions } from "../attest/verify_signatures.ts";
import { verifySignatures } from "../attest/verify_signatures.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import type { EngineParts } from "../parts.ts";
import type { Finding } from "../core/finding.ts";
import { note, sortFindings, wholeFile } from "../core/finding.ts";
import { limitFindings } from "../core/git_limits.ts";
import type { GitPort } from "../core/git_port.ts";
import { mustBeText } from "../core/input/must_be_text.ts";
import { PARTS } from "../core/sparse_checkout.ts";
import { isOverviewOn } from "../projection/overview.ts";
import { goneFindings, goneOf, knowsBetter } from "./bring_back.ts";
import { entityLocations, orUnreadable, partFindings } from "./entity_locations.ts";
import { FindingsAcross } from "./findings_across.ts";
import { lostFindings, lostLines } from "./verify_git.ts";
import { attributeFindings } from "./verify_attributes.ts";
import { verifyPlaces } from "./verify_places.ts";
import { journalFindings, setAsideFindings } from "./verify_txn.ts";
import type { WithJournal } from "./verify_txn.ts";
import { join, relative, sep } from "node:path";
import { listFolder } from "../../files/folders.ts";
import type { SharedPart } from "../../files/layout.ts";
import { unsyncedFiles } from "../commit/unsynced.ts";

export type { Finding } from "../core/finding.ts";

export interface VerifyReport {
  /** True when every finding is only for information. */
  ok: boolean;
  /** Folders with a log of ours that were read. */
  entities: number;
  /** Events in effect in them. */
  events: number;
  findings: Finding[];
  /** By plan or task: who vouches for what. Only where signatures were asked for. */
  vouched?: EntityVerdict[];
}

export interface VerifyOptions extends ProgressOptions {
  /** Access to git: what the branch once had in its logs is looked for, too. */
  git?: GitPort;
  /** A branch, a tag or a commit: of that only what was lost in commits that it does not lead to. Goes with `git`. */
  gitBase?: string;
  /** Judges signatures in the logs for a reader who trusts certain keys. */
  signatures?: SignatureOptions;
}

/**
 * Verifies one entity (live or archived) or, without `id`, the whole workspace. UNKNOWN_ID when there is no such folder, and
 * never was as far as git was asked.
 * @internal
 */
export function verify(
  engine: EngineParts,
  id?: string,
  {
    git,
    gitBase,
    signatures,
    asked = git ?? engine.context.git?.(),
    ...progress
  }: VerifyOptions & { asked?: GitPort | undefined } = {},
): VerifyReport {
  if (gitBase !== undefined) mustBeText("gitBase", gitBase);
  if (gitBase !== undefined && !git)
    throw new TaskfoldError("INVALID_INPUT", "Expected git beside gitBase, found none.", {
      recovery: "Give openGit(root) of taskfold/git.",
    });
  const { lines: lost, left } = git ? lostLines(engine, git, id, gitBase) : { lines: [], left: [] };
  const places =
    lost.length > 0
      ? entityLocations(engine).filter((place) => [undefined, place.id].includes(id))
      : entityLocations(engine, id);
  const ids = [...new Set(places.map((place) => place.id))];
  const findings: Finding[] = id === undefined ? workspaceFindings(engine, asked, ids) : [];
  findings.push(...partFindings(engine), ...lostFindings(lost), ...limitFindings(left));
  const from = {
    context: engine.context,
    workspace: engine.binding?.workspace ?? "",
    isListed: id === undefined && isOverviewOn(engine.context),
    remote: engine.context.remote.digests,
    runtime: engine.context.runtime,
  };
  const gone = asked ? goneOf(engine.store.wentAway, asked, id) : [];
  const across = new FindingsAcross();
  let entities = 0;
  let events = 0;
  for (const [i, { findings: found, entity }] of verifyPlaces(from, places, progress).entries()) {
    findings.push(
      ...found
        .filter((finding) => !knowsBetter(gone, finding))
        .map((finding) => (isLeftOutFile(engine, finding) ? notLookedAt(finding) : finding)),
    );
    if (!entity) continue;
    entities++;
    events += entity.events;
    across.saw(places[i]!, entity);
  }
  findings.push(
    ...across.sameRoots(),
    // A journal that may not be read does not tell which transactions are under way.
    ...(id === undefined && !findings.some(({ file }) => file === JOURNAL) ? across.ofWorkspace(engine) : []),
    ...(id === undefined ? leftOutNotes(engine) : []),
    ...goneFindings(gone, lost),
  );
  const trust = signatures && verifySignatures(engine.context, places, from.workspace, { ...signatures, id });
  findings.push(...(trust?.findings ?? []));
  const report = { ok: findings.every((f) => f.info === true), entities, events, findings: sortFindings(findings) };
  return trust ? { ...report, vouched: trust.verdicts } : report;
}

const MISSING = new Set(["PROJECTION_MISSING", "SKELETON_MISSING", "PACKET_FILE_MISSING", "BLOB_MISSING"]);

function isLeftOutFile({ context }: Pick<EngineParts, "context">, { code, file }: Finding): boolean {
  return MISSING.has(code) && context.sparse.hides(file);
}

/** The note on a file that a sparse checkout leaves out. @internal */
export function notLookedAt({ file }: Pick<Finding, "file">): Finding {
  return note(wholeFile("NOT_CHECKED_OUT", file, "A sparse checkout leaves this file out: it was not looked at."));
}

/** Logs that a sparse checkout leaves out are not looked at. @internal */
export function leftOutNotes({ store }: Pick<EngineParts, "store">): Finding[] {
  return PARTS.flatMap((part) =>
    store.leftOutWarnings(part).map((warning) => note(wholeFile(warning.code, `.coco/${part}`, warning, warning))),
  );
}

/**
 * Returns the findings beside the folders of entities: attributes of git, and parts of the registry in doubt. `ids`: whose logs git is
 * asked for, each by itself. @internal
 */
export function workspaceFindings(
  engine: WithJournal,
  git: GitPort | undefined = engine.context.git?.(),
  ids: readonly string[] = [],
): Finding[] {
  const { disk, layout } = engine.context;
  // A link there is a finding of its own, and nothing behind it is ours.
  if (disk.lstat(layout.coco)?.kind !== "folder") return [];
  const findings = attributeFindings(engine.context, git, ids);
  findings.push(...notFolders(engine));
  findings.push(
    ...orUnreadable(".coco/registry/unsynced", () => unsyncedFindings(engine)),
    ...orUnreadable(JOURNAL, () => journalFindings(engine)),
    ...orUnreadable(".coco/registry/quarantine", () => setAsideFindings(engine)),
  );
  return findings;
}

function unsyncedFindings(engine: WithJournal): Finding[] {
  const { disk, layout } = engine.context;
  return foldersIn(engine, "unsynced").flatMap((name) => {
    const file = `.coco/registry/unsynced/${name}`;
    return orUnreadable(file, () => {
      if (unsyncedFiles(disk, join(layout.sharedFolder("unsynced"), name)).length === 0) return [];
      const message = `A failed sync left bytes of ${name} in doubt; the next write to it appends them again.`;
      return [wholeFile("UNSYNCED", file, message)];
    });
  });
}

const JOURNAL = ".coco/registry/journal";
const SHARED = ["journal", "unsynced", "quarantine"] as const;

const MADE_AGAIN = { recovery: "Remove it; the folder is made again." };

/** Parts of the registry that something else stands in the place of: what is kept there is neither read nor written. */
function notFolders({ context: { disk, layout } }: WithJournal): Finding[] {
  const places = [layout.locks, layout.registry, ...SHARED.map((part) => layout.sharedFolder(part))];
  return places.flatMap((path) => {
    const kind = disk.lstat(path)?.kind;
    if (kind === undefined || kind === "folder") return [];
    const file = relative(layout.root, path).replaceAll(sep, "/");
    return [wholeFile("PATH_UNSAFE", file, `Expected a folder, found a ${kind}.`, MADE_AGAIN)];
  });
}

function foldersIn({ context: { disk, layout } }: WithJournal, part: SharedPart): string[] {
  const folder = layout.sharedFolder(part);
  return disk.lstat(folder)?.kind === "folder" ? listFolder(disk, folder).toSorted() : [];
}
