/**
 * Plans and tasks that git took away whole, such as new ones by `git stash -u` or `git reset --hard HEAD~1`. No log is left that could
 * tell, or the log of another one has its place. The notification file alone knows that this machine acknowledged them. A writer compares its marks
 * with the logs when folders came or went, and asks git once who has what is gone (VERIFY-106 and VERIFY-108).
 */
import { dirname, join } from "node:path";
import type { FileStat } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { readCache, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { counted } from "../../state/counted.ts";
import type { MarkRead } from "../core/change_notifications.ts";
import { CHECK_MS } from "../core/change_notifications.ts";
import type { EngineContext } from "../core/context.ts";
import type { GitHeld, GitPort } from "../core/git_port.ts";
import { gitSign } from "../core/git_sign.ts";
import { isSettled, same, signOf } from "../../files/file_sign.ts";
import { holdsFor } from "../../files/look_again.ts";
import { sameIds } from "../core/input/near.ts";
import type { EntityLocation } from "./entity_on_disk.ts";
import { folderOf, wholeLog } from "./entity_on_disk.ts";
import { answersOf, holderText, isLoss, textOf } from "./held_text.ts";
import { isFolderName } from "./folder_name.ts";
import { firstEventIn } from "./two_folders.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

/** Of so many marks a comparison takes long enough to be made seldom: the first one of a process opens each log. */
const MANY = 100;
/** The most that git is asked for at once; the latest ones are. */
const MAX_ASKED = 1000;
/** Named in one warning; the rest is counted. */
const MAX_NAMED = 5;
const MAX_BYTES = 1024 * 1024;
const NONE: readonly Warning[] = [];
const NOT_GONE = { message: "", details: {} };

/** A plan or task that was acknowledged here and has no log any more. */
export interface Gone {
  id: string;
  mark: MarkRead;
  /** In its place stands no folder, a folder without a log, or the log of another plan or task. */
  left: "nothing" | "folder" | "another";
  /** Where that stands. */
  part: EntityLocation["part"];
  /** Its holder in git; undefined where nothing has it. */
  held: GitHeld | undefined;
}

/**
 * `held`: a branch has it, while the branches are the same. `quiet`: another folder has it, or git holds more than is read. `told`: a
 * writer warned. `accepted`: a person accepts the loss.
 */
const ANSWERS = ["held", "quiet", "told", "accepted"] as const;
type Answer = (typeof ANSWERS)[number];

type AwayContext = Pick<EngineContext, "disk" | "layout" | "marks" | "git" | "sparse" | "runtime" | "pendingLines">;
type Missing = Omit<Gone, "held">;

/** The folders of plans and tasks, as the store of an open workspace sees them. */
interface Folders {
  has: (id: string) => boolean;
  hasArchived: (id: string) => boolean;
  isLeftOut: (id: string) => boolean;
  names: () => string[];
  archivedNames: () => string[];
}

export class WentAway {
  readonly #context: AwayContext;
  readonly #folders: Folders;
  /** The folder of the live ones, and the sign of git, when the marks were compared last. */
  #live: FileStat | undefined;
  #git = "";
  #askedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #known: Known | undefined;
  /** Logs that have what their marks name, by path and root: none is read again while its sign is the same (FRESH-12). */
  readonly #own = new Map<string, FileStat>();

  constructor(context: AwayContext, folders: Folders) {
    this.#context = context;
    this.#folders = folders;
  }

  /** Ids of which a writer told: no new plan or task gets one of them, so that each can come back under its name. */
  reported(): string[] {
    return [...(this.#known ??= this.#read()).answers].flatMap(([key, answer]) =>
      answer === "told" ? [idOf(key)] : [],
    );
  }

  /**
   * Warns of those that went since the last call. `live`: the folder of the live ones, as the caller saw it. While that is the same, git is
   * looked at once a second, or for each creation.
   */
  look({ live, creates = false }: { live?: FileStat | undefined; creates?: boolean }): readonly Warning[] {
    const { git, layout } = this.#context;
    // Without git a branch looks like a loss.
    if (!git) return NONE;
    const isSame = live !== undefined && same(this.#live, live);
    const now = this.#context.runtime.uptime();
    if (isSame && !creates && now - this.#askedAt < CHECK_MS) return NONE;
    if (now - this.#lookedAt < this.#pauseMs) return NONE;
    this.#askedAt = now;
    const sign = gitSign(this.#context, layout.root);
    // Where there is no repository, a person took the folder away.
    if (sign === "none" || (isSame && sign !== "" && sign === this.#git)) return NONE;
    try {
      this.#known ??= this.#read();
      const isOld = live !== undefined && isSettled(this.#context, live);
      const warnings =
        sign !== "" && live && this.#known.sign === `${sign} ${signOf(live)}` ? NONE : this.#compare(git, sign);
      this.#live = isOld ? live : undefined;
      this.#git = sign;
      return warnings;
    } catch (e) {
      // A folder or a repository that cannot be read: the calls about it say so.
      if (errnoOf(e) === undefined && !isTaskfoldError(e)) throw e;
      return NONE;
    }
  }

  /** This process made a plan or task after its look, under the same lock. */
  made(): void {
    if (this.#live) this.#live = this.#context.disk.lstat(this.#context.layout.tasks);
  }

  /** Where a comparison takes long, the next process makes none while nothing came or went. */
  close(): void {
    if (!this.#known || !this.#live || this.#git === "" || this.#pauseMs === 0) return;
    this.#save({ ...this.#known, sign: `${this.#git} ${signOf(this.#live)}` });
  }

  /** Those that had an id, also as people write ids. Mostly there is one at most. */
  of(text: string, git: GitPort, options?: { unreachable?: boolean }): Gone[] {
    return this.#ask(git, this.#meant(text), options);
  }

  /** Adds to a refusal, if the id that it names is one that went. Where the host gave no git, the holder is not named. */
  refusalOf(text: string): { message: string; recovery?: string; details: Record<string, unknown> } {
    const { git, layout } = this.#context;
    const [one] = this.#meant(text);
    if (!one || gitSign(this.#context, layout.root) === "none") return NOT_GONE;
    const { id, mark } = one;
    const port = git?.();
    const known = { id, revision: mark.revision, event: mark.hash };
    if (!port) {
      const message = ` ${id} was acknowledged here with ${counted(mark.revision, "change")}, and ${LEFT[one.left]}.`;
      return {
        message,
        ...remedy`${TASKFOLD} resolve ${id} --git looks for it in git.`,
        details: { went_away: known },
      };
    }
    const [gone] = this.#ask(port, [one]);
    if (!gone) return NOT_GONE;
    const { held } = gone;
    const by = held && held.holder !== "branch" ? { [held.holder]: held.name } : {};
    return {
      message: ` ${messageOf(gone)}`,
      ...recoveryOf(gone),
      details: { went_away: { ...known, held: held?.holder ?? null, ...by } },
    };
  }

  /** All that are gone, in natural order, whatever was told before; those left out of which the loss is accepted. Asks git. */
  all(git: GitPort, options?: { unreachable?: boolean }): Gone[] {
    const { answers } = this.#read();
    const gone = this.#gone(this.#context.marks.all().keys()).filter((one) => answers.get(keyOf(one)) !== "accepted");
    return this.#ask(git, gone, options).toSorted((a, b) => compareIds(a.id, b.id));
  }

  /** Nothing tells of these any more. */
  accept(some: readonly Gone[]): void {
    const known = this.#read();
    for (const one of some) known.answers.set(keyOf(one), "accepted");
    this.#save(known);
  }

  #compare(git: () => GitPort | undefined, gitNow: string): readonly Warning[] {
    const began = this.#context.runtime.uptime();
    const marks = this.#context.marks.all();
    const gone = this.#gone(marks.keys());
    this.#lookedAt = this.#context.runtime.uptime();
    this.#pauseMs = marks.size > MANY ? holdsFor("gone", this.#lookedAt - began) : 0;
    // Another process may have told.
    const before = this.#read();
    const answers: Answers = new Map();
    const known = gone.map((one) => [keyOf(one), before.answers.get(keyOf(one))] as const);
    const isHeld = known.some(([, answer]) => answer === "held");
    // A branch may have lost since what it had, or be gone itself.
    const isSame = !isHeld || (gitNow !== "" && gitNow === before.git);
    // One look, before git is asked who has them: answers that are kept count for the same branches as new ones.
    const isAsked = !isSame || known.some(([, answer]) => answer === undefined);
    const refs = isAsked ? refsOf(git()) : before.refs;
    for (const [key, answer] of known)
      if (answer && (answer !== "held" || refs === before.refs)) answers.set(key, answer);
    const fresh = gone.filter((one) => !answers.has(keyOf(one))).slice(-MAX_ASKED);
    const port = fresh.length > 0 ? git() : undefined;
    const found = port ? this.#ask(port, fresh) : [];
    // While a rebase is under way, a branch that has it now may not have it then.
    const passing = new Set(found.flatMap((one) => (!isLoss(one.held) && one.held?.isPassing ? [keyOf(one)] : [])));
    const losses = found.filter(({ held }) => isLoss(held));
    const foundAnswers = new Map(found.map((one) => [keyOf(one), isLoss(one.held) ? "told" : "held"] as const));
    for (const key of port ? fresh.map(keyOf) : [])
      if (!passing.has(key)) answers.set(key, foundAnswers.get(key) ?? "quiet");
    this.#known = { answers, sign: "", git: gitNow, refs };
    const isNew = fresh.length > passing.size || answers.size !== before.answers.size;
    if (isNew || refs !== before.refs || (isHeld && gitNow !== before.git)) this.#save(this.#known);
    return losses.length === 0 ? NONE : warningsOf(losses);
  }

  /** None where several ids fit. */
  #meant(text: string): Missing[] {
    const marks = this.#context.marks.all();
    const ids = marks.has(text) ? [text] : sameIds(text, [...marks.keys()]);
    const { answers } = this.#read();
    const gone = this.#gone(ids).filter((one) => answers.get(keyOf(one)) !== "accepted");
    return new Set(gone.map(({ id }) => id)).size === 1 ? gone : [];
  }

  /** Those of these that have a mark and no log. Where a sparse checkout may have them, NOT_CHECKED_OUT tells. */
  #gone(ids: Iterable<string>): Missing[] {
    const missing = [...ids].filter(isFolderName).flatMap((id) => this.#missing(id));
    if (missing.length === 0) return [];
    const { tasks, archive } = this.#context.sparse.look();
    if (tasks.isWhole || archive.isWhole) return [];
    const open = new Set(missing.flatMap(({ id }) => (this.#folders.isLeftOut(id) ? [] : [id])));
    // Twice: between the looks at the two folders it may have gone from one to the other.
    return [...open].flatMap((id) => this.#missing(id));
  }

  /** Of one id. While its log is as its last change left it, that costs one look. */
  #missing(id: string): Missing[] {
    return this.#context.marks.every(id).flatMap((mark): Missing[] => {
      const live = this.#logOf({ id, part: "tasks" }, mark);
      if (live === "own") return [];
      const archived = this.#logOf({ id, part: "archive" }, mark);
      if (archived === "own") return [];
      if (live === "another") return [{ id, mark, left: "another", part: "tasks" }];
      if (archived === "another") return [{ id, mark, left: "another", part: "archive" }];
      if (this.#folders.has(id)) return [{ id, mark, left: "folder", part: "tasks" }];
      if (this.#folders.hasArchived(id)) return [{ id, mark, left: "folder", part: "archive" }];
      return [{ id, mark, left: "nothing", part: "tasks" }];
    });
  }

  /** Whose log stands there. This process reads it anew where it is another than at its last look, or too young to be relied on. */
  #logOf(place: EntityLocation, { root }: MarkRead): "own" | "another" | "none" {
    const { disk, pendingLines } = this.#context;
    const folder = folderOf(this.#context, place);
    if (pendingLines?.has(folder)) return "own";
    const path = join(folder, LOG_FILE);
    try {
      const stat = disk.lstat(path);
      if (!stat) return "none";
      if (stat.kind !== "file") return "own";
      const key = `${root} ${path}`;
      if (same(this.#own.get(key) ?? null, stat)) return "own";
      const isOld = isSettled(this.#context, stat);
      if (!this.#has(folder, root)) return "another";
      if (isOld) this.#own.set(key, stat);
      return "own";
    } catch (e) {
      // One that cannot be read: who asks for it hears why.
      if (errnoOf(e) === undefined && !isTaskfoldError(e)) throw e;
      return "own";
    }
  }

  /** Whether the log in a folder has what began with that root. A merge joins the lines of two in one log, before `resolve` parts them. */
  #has(folder: string, root: string): boolean {
    const { disk } = this.#context;
    const first = firstEventIn(disk, folder)?.hash;
    if (first === undefined || first.startsWith(root)) return true;
    return wholeLog(disk, join(folder, LOG_FILE))?.includes(`"hash":"${root}`) ?? false;
  }

  /** Those of them that stand in no other folder, with what git says; left out where git holds more than is read. */
  #ask(git: GitPort, gone: readonly Missing[], options?: { unreachable?: boolean }): Gone[] {
    if (gone.length === 0) return [];
    const held = answersOf(
      git,
      gone.map(({ id, mark }) => textOf(id, mark)),
      options,
    );
    const found = gone.flatMap((one, i): Gone[] => (held[i] === null ? [] : [{ ...one, held: held[i] }]));
    const isMoved = this.#elsewhere(found.filter((one) => isLoss(one.held)).map(({ mark }) => mark.root));
    return found.filter(({ mark }) => !isMoved.has(mark.root));
  }

  /** Which of these roots a folder of another name has: a join or a person may have moved it. Looks into each folder of which no mark says what it has. */
  #elsewhere(roots: readonly string[]): Set<string> {
    const wanted = new Set(roots);
    const there = new Set<string>();
    if (wanted.size === 0) return there;
    const { disk, layout, marks } = this.#context;
    const known = marks.all();
    const folders = [
      ...this.#folders.names().map((id) => ({ id, folder: layout.folder(id) })),
      ...this.#folders.archivedNames().map((id) => ({ id, folder: layout.archived(id) })),
    ];
    for (const { id, folder } of folders) {
      const mark = known.get(id);
      if (mark && !wanted.has(mark.root)) continue;
      const root = firstEventIn(disk, folder)?.hash;
      for (const one of wanted) if (root?.startsWith(one)) there.add(one);
    }
    return there;
  }

  #read(): Known {
    const text = readCache(this.#context.disk, this.#path, MAX_BYTES)?.toString("utf8") ?? "";
    const [sign = "", git = "", refs = "", ...lines] = text.split("\n");
    return { sign, git, refs, answers: new Map(lines.flatMap(answerIn)) };
  }

  #save({ answers, sign, git, refs }: Known): void {
    const { disk } = this.#context;
    const lines = [...answers].map(([key, answer]) => `${key} ${answer}`);
    try {
      ensureFolder(disk, dirname(this.#path));
      writeAtomic(disk, this.#path, [sign, git, refs, ...lines, ""].join("\n"));
    } catch (e) {
      // Without the file, git is asked again and the writer told again.
      if (errnoOf(e) === undefined && !isTaskfoldError(e)) throw e;
    }
  }

  get #path(): string {
    return this.#context.layout.machineFile("index", "went_away");
  }
}

function refsOf(git: GitPort | undefined): string {
  return git ? sha256(git.refs()) : "";
}

/** By id and change, as `keyOf` gives them. */
type Answers = Map<string, Answer>;

function keyOf({ id, mark }: Missing): string {
  return `${id} ${mark.hash}`;
}

function idOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}

/** As the file keeps it. It may be deleted at any moment. */
interface Known {
  answers: Answers;
  /** Of git and of the folder of the live ones, when nothing was gone but these. Empty: compare anew. */
  sign: string;
  /** The sign of git when the branches were looked at, and what they were. */
  git: string;
  refs: string;
}

/** A line that is cut, or is none of ours, says nothing. */
function answerIn(line: string): [string, Answer][] {
  const [, key, word] = /^(\S+ [\w-]{43}) ([a-z]+)$/.exec(line) ?? [];
  const answer = ANSWERS.find((one) => one === word);
  return key !== undefined && answer ? [[key, answer]] : [];
}

/** One for all that one stash or commit has. */
function warningsOf(losses: readonly Gone[]): Warning[] {
  const groups = new Map<string, Gone[]>();
  for (const one of losses) {
    const holder = one.held ? holderText(one.held) : "";
    groups.set(holder, [...(groups.get(holder) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (group.length === 1) return { code: "LOG_TRUNCATED", message: messageOf(first!), ...recoveryOf(first!) };
    const ids = [...new Set(group.map(({ id }) => id))].toSorted(compareIds);
    const named = ids.slice(0, MAX_NAMED).join(", ");
    const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
    const who = first!.held ? `${holderText(first!.held)} has them` : NOBODY;
    const message = `Expected ${named}${more}, which were acknowledged here; their logs are gone, and ${who}.`;
    return { code: "LOG_TRUNCATED", message, ...recoveryOfAll(first!) };
  });
}

const NOBODY = "no branch, no stash and no reflog has them";

/** @internal */
export function messageOf({ id, mark, left, held }: Gone): string {
  const who = held ? `${holderText(held)} has it` : "no branch, no stash and no reflog has it";
  return `Expected ${id} with ${counted(mark.revision, "change")} (event ${mark.hash}), which was acknowledged here; ${LEFT[left]}, and ${who}.`;
}

const LEFT: Record<Gone["left"], string> = {
  nothing: "its folder is gone",
  folder: "its folder has no log any more",
  another: "another plan or task has its folder",
};

/** @internal */
export function recoveryOf({ id, left, held }: Gone): Remedy {
  const resolve = remedy`${TASKFOLD} resolve ${id} --git`;
  if (!held)
    return remedy`${resolve} looks for it in all that git has, and ${TASKFOLD} resolve ${id} --accept-gap accepts the loss.`;
  if (left === "another") return remedy`${resolve} brings it back under an id of its own.`;
  if (held.holder !== "stash") return remedy`${resolve} brings it back.`;
  return remedy`git stash pop ${held.name} brings it back with the rest of the stash, and ${resolve} brings it back alone.`;
}

function recoveryOfAll({ held }: Gone): Remedy {
  if (!held)
    return remedy`${TASKFOLD} resolve ID --git looks for one of them in all that git has, and ${TASKFOLD} resolve ID --accept-gap accepts its loss.`;
  if (held.holder !== "stash") return remedy`${TASKFOLD} resolve --git brings them back.`;
  return remedy`git stash pop ${held.name} brings them back with the rest of the stash, and ${TASKFOLD} resolve ID --git brings back one of them.`;
}
