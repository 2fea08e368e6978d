/** Explains each finding of `verify`: its meaning, its usual cause, and the way out. */
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remediable, Remedy } from "../../remedy.ts";

export interface Explained {
  what: string;
  why: string;
  next: string;
}

const FIX = remedy`${TASKFOLD} doctor --fix writes it anew from the log; what stands there is kept in .coco/registry/quarantine`;
const RESOLVE = remedy`${TASKFOLD} resolve puts the log in order and keeps aside what it takes out`;
const LOST = remedy`${TASKFOLD} resolve looks for the lines in other logs and in git; --accept-gap declares them lost`;
const NEWER = "install the newer release that wrote it; until then it can be read";
const NOTHING = "nothing has to be done";

/** Rows of what, why and next, by the codes that they are about. */
const TABLE: [codes: string, ...text: [what: string, why: string, next: string | Remedy]][] = [
  [
    "PROJECTION_DIFFERS PROJECTION_DRIFT PACKET_FILE_DIFFERS",
    "a file is not as its log says",
    "it was edited by hand, or a checkout brought one side of a merge",
    FIX,
  ],
  [
    "PROJECTION_MISSING SKELETON_MISSING PACKET_FILE_MISSING",
    "a file that the log folds to is not there",
    "it was deleted, or an early end kept it from being written",
    FIX,
  ],
  [
    "FILE_UNMERGED",
    "git holds a file of the workspace open",
    "a merge, a rebase or a cherry-pick stopped at it",
    remedy`${TASKFOLD} resolve --stage stages what follows from the logs; a file of people's is put right by hand, then git add`,
  ],
  [
    "OVERVIEW_STALE RENDERER_OLDER",
    "a file is as an earlier state or release wrote it",
    "no change has written it since",
    FIX,
  ],
  [
    "FILE_UNREADABLE",
    "a file beside the log cannot be read",
    "rights are missing, or the disk is damaged",
    "give the rights, or put the file back from git",
  ],
  [
    "NOTES_NOT_READ",
    "a person's file is not in the log",
    "it is not UTF-8, or too large",
    "save it as UTF-8 within the limit; the next change reads it in",
  ],
  [
    "PROJECTION_FAILED REBUILD_FAILED",
    "a file could not be written",
    "the disk is full, or rights are missing",
    remedy`make room or give the rights, then ${TASKFOLD} rebuild`,
  ],
  ["RENDERER_NEWER", "a newer release wrote the files", "somewhere a newer Taskfold is in use", NEWER],
  [
    "PACKET_FILE_ORPHAN TASKDOC_STRAY",
    "a file lies where only files of the log lie, and the log does not know it",
    "it was put there by hand, or left by a merge",
    remedy`move it elsewhere, or take it in with ${TASKFOLD} taskdoc adopt-edits or packet import`,
  ],
  [
    "TASKDOC_UNMIGRATED",
    "a Taskdoc of the old form lies beside the task",
    "an earlier program wrote it",
    remedy`${TASKFOLD} taskdoc import FILE ID takes it in`,
  ],
  [
    "LINE_BAD_HASH LINE_INVALID LINE_NOT_JSON LINE_TOO_LONG",
    "a line of the log is no event that counts",
    "it was edited by hand, cut, or written by another program",
    RESOLVE,
  ],
  [
    "LOG_LFS_POINTER LINE_LFS_POINTER",
    "a pointer of Git LFS stands in the place of a log",
    "an attribute of the repository gave the log to Git LFS, and it was not fetched, or git merged pointers",
    remedy`git lfs pull fetches it; after a merge of pointers take the merge back, and call ${TASKFOLD} doctor --fix on both branches first`,
  ],
  ["LINE_MARKER", "the log holds conflict markers of git", "a merge stopped, or its host ignores merge=union", RESOLVE],
  [
    "LINE_TORN OP_INCOMPLETE",
    "the last change in the log is not whole",
    "a process ended while it wrote",
    remedy`the next change sets it aside; ${TASKFOLD} resolve does it now`,
  ],
  [
    "LINE_BOM LINE_CRLF LINE_DUPLICATE LINE_NOT_CANONICAL",
    "a line counts, but is not written as this program writes it",
    "an editor, git or another program rewrote it",
    RESOLVE,
  ],
  [
    "LINE_LOST",
    "the branch had this line in a commit and no log has it now",
    "a revert, a dropped commit or a merge took it out",
    remedy`${TASKFOLD} resolve --git brings it back`,
  ],
  [
    "LOG_TRUNCATED",
    "the end of a log was lost, or all of it",
    "a file was restored, stashed or cleaned away, or another branch or commit was checked out",
    remedy`${TASKFOLD} resolve looks for the lines, with --git in all that git has; --accept-gap declares them lost`,
  ],
  [
    "LOG_INCOMPLETE OP_HELD",
    "changes wait for earlier lines that are not here",
    "a merge dropped lines, or took in half of a branch",
    LOST,
  ],
  [
    "OP_STRAY PREV_MIDDLE SEQ_WRONG EVENT_WITHOUT_EFFECT",
    "an event has no effect",
    "two programs wrote at once without a lock, or a line was edited",
    RESOLVE,
  ],
  ["OP_TOO_LARGE", "one change has more bytes than the format allows", "another program wrote it", RESOLVE],
  [
    "ROOT_SECOND ROOT_MIXED",
    "two plans or tasks stand in one log",
    "two branches took the same id",
    remedy`${TASKFOLD} resolve gives the later one an id of its own`,
  ],
  [
    "SAME_ROOT",
    "one plan or task lies in two folders",
    "a folder was copied, or a pick or a rebase brought it under the name that another branch gave it",
    remedy`${TASKFOLD} resolve joins them; until then a copy by hand takes no change, and of two whose names a split gave neither does`,
  ],
  [
    "FILE_TWICE",
    "two folders of one plan or task had a file with different bytes",
    "resolve joined the folders, and no log has either text",
    "put both texts together by hand, and delete the one beside",
  ],
  [
    "TYPE_UNKNOWN VERSION_NEWER LOG_NEWER_VERSION",
    "the log holds events that this release does not know",
    "somewhere a newer Taskfold is in use",
    NEWER,
  ],
  ["NO_OWN_LOG", "a folder has no log of ours", "another program made it", remedy`${TASKFOLD} adopt ID gives it one`],
  [
    "LOG_EMPTY FOLDER_WITHOUT_LOG",
    "a folder has no log of ours",
    "its log was deleted, or git took the log away and left files of people there",
    remedy`git may have the log: ${TASKFOLD} resolve --git looks in what the branch had; otherwise remove the folder`,
  ],
  [
    "LOG_UNREADABLE FOLDER_UNREADABLE",
    "a log or folder cannot be read",
    "rights are missing, it is no plain file, or a filter of git wrote it",
    "give the rights, unlock the filter, or look at what lies there",
  ],
  [
    "PATH_UNSAFE",
    "a link or another thing stands where a file or folder belongs",
    "it was made by hand, or came with a checkout",
    "take it away; nothing goes through it meanwhile",
  ],
  [
    "BYTES_REMOTE",
    "captured output, or a file of a packet, is on the shared log and not on this machine",
    "another machine made it, and no call here looked at it",
    remedy`${TASKFOLD} shared sync --blobs fetches it`,
  ],
  [
    "BLOB_MISSING BLOB_DIFFERS",
    "captured output is gone, or is not what was captured",
    "a file under shared/evidence/blobs was deleted or changed",
    "bring it back from git, or capture the evidence anew",
  ],
  [
    "ANCHOR_BEYOND_FILE CITATION_UNKNOWN",
    "evidence points at lines or entries that are not there",
    "the file became shorter, or a report names another id",
    remedy`${TASKFOLD} call tasks_evidence_verify says which proofs still hold`,
  ],
  [
    "DELETED_NOT_ARCHIVED ARCHIVED_NOT_DELETED",
    "a folder lies among the live ones and belongs into the archive, or the reverse",
    "a merge brought it back",
    RESOLVE,
  ],
  [
    "ATTRIBUTES_MISSING",
    "git may change or merge files of .coco in another way than their lines need",
    "an earlier release wrote .coco/.gitattributes, or another file of attributes counts more",
    remedy`${TASKFOLD} doctor --fix adds lines; what another file says is taken out there`,
  ],
  [
    "TXN_PENDING",
    "a change of several logs is not finished",
    "a process ended while it wrote, or git took away what the rest builds on",
    remedy`the next change finishes it once all is there; ${TASKFOLD} doctor --fix does it now`,
  ],
  [
    "UNSYNCED",
    "what a change wrote may not be on the disk",
    "the disk refused a sync; the bytes are kept in .coco/registry/unsynced",
    remedy`the next change writes them again; ${TASKFOLD} doctor --fix does it now`,
  ],
  [
    "TXN_INCOMPLETE TXN_SET_ASIDE",
    "of a change of several logs only some parts are here",
    "a merge or checkout took only some of its files",
    remedy`bring the other commit in, then ${TASKFOLD} verify`,
  ],
  [
    "SET_ASIDE NOTES_CHANGED",
    "something is kept aside, or waits to be read in",
    "an earlier change put it there",
    NOTHING,
  ],
  [
    "PACKET_INPUT_FOREIGN PACKET_MARKER_FOREIGN INPUT_FOREIGN",
    "a file of the packet is not in its log",
    "another program or a person wrote it",
    remedy`${TASKFOLD} packet import ID takes it in`,
  ],
  [
    "OBJECT_MISSING",
    "git names bytes that this clone has not",
    "a partial clone has not fetched them, or the repository is damaged",
    "the command that is named there brings them; Taskfold fetches nothing by itself",
  ],
  [
    "NOT_CHECKED_OUT",
    "plans or tasks are in git and not in this work tree",
    "a sparse checkout leaves them out",
    "nothing of them was looked at; the command that is named there brings them",
  ],
  [
    "SIGNATURE_BROKEN",
    "a signature in a log does not hold",
    "the log, the envelope or the signed history was changed after it was signed",
    remedy`bring back the log that was signed: ${TASKFOLD} verify --git names what commits took away`,
  ],
  [
    "SIGNATURE_UNTRUSTED",
    "a key that you do not trust signed a log",
    "its line is not in your file of allowed signers, has expired, or is for other uses",
    "add its line to that file if you trust the person who has the key",
  ],
  [
    "NOT_VOUCHED",
    "no key that you trust vouches for the proof of a closed step",
    "the proof was not signed, or the step, its runs or their output changed since",
    remedy`${TASKFOLD} prove ID --sign --allow-commands runs its tests at a commit and signs what they show`,
  ],
  [
    "PROBLEMS_MORE GIT_LIMIT",
    "not everything could be looked at",
    "there is more than one run looks at",
    remedy`run ${TASKFOLD} doctor with one id at a time`,
  ],
];

const BY_CODE = new Map(TABLE.flatMap(([codes, ...text]) => codes.split(" ").map((code) => [code, text])));

export function explanationOf(code: string): Explained | undefined {
  const text = BY_CODE.get(code);
  if (!text) return undefined;
  const [what, why] = text;
  return { what, why, next: wayOut(code).recovery ?? "" };
}

/** The way out of a finding, for a host that has words of its own. */
export function wayOut(code: string): Remediable {
  const next = BY_CODE.get(code)?.[2] ?? remedy`${TASKFOLD} verify shows all of it`;
  return typeof next === "string" ? { recovery: next } : next;
}
