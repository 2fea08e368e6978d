/**
 * Plans and tasks that git took away whole, such as new ones by `git stash -u` or `git reset --hard HEAD~1`. No log is left that could
 * tell, and no call names them. The bell alone knows that this machine acknowledged them. A writer compares its marks with the folders
 * when these came or went, and asks git once who has what is gone (VERIFY-106 to VERIFY-111).
 */
import { dirname } from "node:path";
import type { FileStat } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { readCache, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { counted } from "../../state/counted.ts";
import type { BellMark } from "../core/bell.ts";
import { CHECK_MS } from "../core/bell.ts";
import type { EngineContext } from "../core/context.ts";
import type { GitHeld, GitPort, HeldText } from "../core/git_port.ts";
import { gitSign } from "../core/git_sign.ts";
import { hasSettled } from "../core/settled.ts";
import { sameIds } from "../core/input/near.ts";
import { holderText, textOf } from "./held_text.ts";
import { isFolderName } from "./folder_name.ts";
import { firstEventIn } from "./two_folders.ts";

/** Of so many marks a comparison takes long enough to be made seldom: for at most a twentieth of the time. */
const MANY = 500;
const SHARE = 20;
/** The most that git is asked for at once; the latest ones are. */
const MOST_ASKED = 1000;
/** Named in one warning; the rest is counted. */
const MOST_NAMED = 5;
const MOST_BYTES = 1024 * 1024;
const NONE: readonly Warning[] = [];
const NOT_GONE = { message: "", details: {} };

/** A plan or task that was acknowledged here and has no folder any more. */
export interface Gone {
  id: string;
  mark: BellMark;
  /** Its holder in git; undefined where nothing has it. */
  held: GitHeld | undefined;
}

/**
 * `held`: a branch has it, while the branches are the same. `quiet`: another folder has it, or git holds more than is read. `told`: a
 * writer warned. `accepted`: a person accepts the loss.
 */
const ANSWERS = ["held", "quiet", "told", "accepted"] as const;
type Answer = (typeof ANSWERS)[number];

type AwayContext = Pick<EngineContext, "disk" | "layout" | "marks" | "git" | "sparse" | "runtime">;

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

  constructor(context: AwayContext, folders: Folders) {
    this.#context = context;
    this.#folders = folders;
  }

  /** Ids of which a writer told: no new plan or task gets one of them, so that each can come back under its name. */
  told(): string[] {
    return [...(this.#known ??= this.#read()).answers].flatMap(([id, { answer }]) => (answer === "told" ? [id] : []));
  }

  /**
   * Warns of those that went since the last call. `live`: the folder of the live ones, as the caller saw it. While that is the same, git is
   * looked at once a second, or for each creation.
   */
  look({ live, creates = false }: { live?: FileStat | undefined; creates?: boolean }): readonly Warning[] {
    const { git, layout } = this.#context;
    // Without git a branch looks like a loss.
    if (!git) return NONE;
    const isSame = live !== undefined && isSameFolder(this.#live, live);
    const now = this.#context.runtime.uptime();
    if (isSame && !creates && now - this.#askedAt < CHECK_MS) return NONE;
    if (now - this.#lookedAt < this.#pauseMs) return NONE;
    this.#askedAt = now;
    const sign = gitSign(this.#context, layout.root);
    // Where there is no repository, a person took the folder away.
    if (sign === "none" || (isSame && sign !== "" && sign === this.#git)) return NONE;
    try {
      this.#known ??= this.#read();
      const isOld = live !== undefined && hasSettled(this.#context, live);
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

  /** The one that an id means which no folder has, also as people write ids. */
  of(text: string, git: GitPort, options?: { unreachable?: boolean }): Gone | undefined {
    const [one] = this.#meant(text);
    return one && this.#ask(git, [one], options)[0];
  }

  /** Adds to a refusal, if the id that it names is one that went. Where the host gave no git, the holder is not named. */
  refusalOf(text: string): { message: string; recovery?: string; details: Record<string, unknown> } {
    const { git, layout } = this.#context;
    const [one] = this.#meant(text);
    if (!one || gitSign(this.#context, layout.root) === "none") return NOT_GONE;
    const [id, mark] = one;
    const port = git?.();
    const known = { id, revision: mark.revision, event: mark.hash };
    if (!port) {
      const message = ` ${id} was acknowledged here with ${counted(mark.revision, "change")}, and its folder is gone.`;
      return { message, recovery: `taskfold resolve ${id} --git looks for it in git.`, details: { went_away: known } };
    }
    const [gone] = this.#ask(port, [one]);
    if (!gone) return NOT_GONE;
    const { held } = gone;
    const by = held && held.holder !== "branch" ? { [held.holder]: held.name } : {};
    return {
      message: ` ${messageOf(gone)}`,
      recovery: recoveryOf(gone),
      details: { went_away: { ...known, held: held?.holder ?? null, ...by } },
    };
  }

  /** All that are gone, in natural order, whatever was told before; those left out of which the loss is accepted. Asks git. */
  all(git: GitPort, options?: { unreachable?: boolean }): Gone[] {
    const marks = this.#context.marks.all();
    const { answers } = this.#read();
    const gone = this.#gone(marks, marks.keys()).filter(([id, { hash }]) => answerOf(answers, id, hash) !== "accepted");
    return this.#ask(git, gone, options).toSorted((a, b) => compareIds(a.id, b.id));
  }

  /** Nothing tells of these any more. */
  accept(some: readonly Gone[]): void {
    const known = this.#read();
    for (const { id, mark } of some) known.answers.set(id, { hash: mark.hash, answer: "accepted" });
    this.#save(known);
  }

  #compare(git: () => GitPort | undefined, gitNow: string): readonly Warning[] {
    const began = this.#context.runtime.uptime();
    const marks = this.#context.marks.all();
    const gone = this.#gone(marks, marks.keys());
    this.#lookedAt = this.#context.runtime.uptime();
    this.#pauseMs = marks.size > MANY ? SHARE * (this.#lookedAt - began) : 0;
    // Another process may have told.
    const before = this.#read();
    const answers: Answers = new Map();
    const known = gone.map(([id, { hash }]) => ({ id, hash, answer: answerOf(before.answers, id, hash) }));
    const isHeld = known.some(({ answer }) => answer === "held");
    // A branch may have lost since what it had, or be gone itself.
    const isSame = !isHeld || (gitNow !== "" && gitNow === before.git);
    let refs = isSame ? before.refs : refsOf(git());
    for (const { id, hash, answer } of known)
      if (answer && (answer !== "held" || refs === before.refs)) answers.set(id, { hash, answer });
    const fresh = gone.filter(([id]) => !answers.has(id)).slice(-MOST_ASKED);
    const port = fresh.length > 0 ? git() : undefined;
    const found = port ? this.#ask(port, fresh) : [];
    // While a rebase is under way, a branch that has it now may not have it then.
    const passing = new Set(found.flatMap(({ id, held }) => (held?.holder === "branch" && held.isPassing ? [id] : [])));
    const told = found.filter(({ held }) => held?.holder !== "branch");
    const said = new Map(found.map(({ id, held }) => [id, held?.holder === "branch" ? "held" : "told"] as const));
    for (const [id, { hash }] of port ? fresh : [])
      if (!passing.has(id)) answers.set(id, { hash, answer: said.get(id) ?? "quiet" });
    if (port && [...said.values()].includes("held") && isSame) refs = refsOf(port);
    this.#known = { answers, sign: "", git: gitNow, refs };
    const isNew = fresh.length > passing.size || answers.size !== before.answers.size;
    if (isNew || refs !== before.refs || (isHeld && gitNow !== before.git)) this.#save(this.#known);
    return told.length === 0 ? NONE : warningsOf(told);
  }

  /** None where several fit. */
  #meant(text: string): [string, BellMark][] {
    const marks = this.#context.marks.all();
    const ids = marks.has(text) ? [text] : sameIds(text, [...marks.keys()]);
    const { answers } = this.#read();
    const gone = this.#gone(marks, ids).filter(([id, { hash }]) => answerOf(answers, id, hash) !== "accepted");
    return gone.length === 1 ? gone : [];
  }

  /** Those of these that have a mark and stand nowhere. Where a sparse checkout may have them, NOT_CHECKED_OUT tells. */
  #gone(marks: ReadonlyMap<string, BellMark>, ids: Iterable<string>): [string, BellMark][] {
    const isThere = (id: string): boolean => this.#folders.has(id) || this.#folders.hasArchived(id);
    const missing = [...ids].filter((id) => isFolderName(id) && !isThere(id));
    if (missing.length === 0) return [];
    const { tasks, archive } = this.#context.sparse.look();
    if (tasks.isWhole || archive.isWhole) return [];
    // Twice: between the looks at the two folders it may have gone from one to the other.
    return missing.filter((id) => !isThere(id) && !this.#folders.isLeftOut(id)).map((id) => [id, marks.get(id)!]);
  }

  /** Those of them that stand in no other folder, with what git says; left out where git holds more than is read. */
  #ask(git: GitPort, gone: readonly [string, BellMark][], options?: { unreachable?: boolean }): Gone[] {
    if (gone.length === 0) return [];
    const held = answersOf(
      git,
      gone.map(([id, mark]) => textOf(id, mark)),
      options,
    );
    const found = gone.flatMap(([id, mark], i): Gone[] => (held[i] === null ? [] : [{ id, mark, held: held[i] }]));
    const isMoved = this.#elsewhere(found.filter((one) => one.held?.holder !== "branch").map(({ mark }) => mark.root));
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
    const text = readCache(this.#context.disk, this.#path, MOST_BYTES)?.toString("utf8") ?? "";
    const [sign = "", git = "", refs = "", ...lines] = text.split("\n");
    return { sign, git, refs, answers: new Map(lines.flatMap(answerIn)) };
  }

  #save({ answers, sign, git, refs }: Known): void {
    const { disk } = this.#context;
    const lines = [...answers].map(([id, { hash, answer }]) => `${id} ${hash} ${answer}`);
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

/** Null for each where the repository is out of order, or too large to be asked. */
function answersOf(git: GitPort, texts: readonly HeldText[], options?: { unreachable?: boolean }) {
  try {
    return git.heldBy(texts, options);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return texts.map(() => null);
  }
}

function refsOf(git: GitPort | undefined): string {
  return git ? sha256(git.refs()) : "";
}

/** The answer about a change, by id. */
type Answers = Map<string, { hash: string; answer: Answer }>;

/** As the file keeps it. It may be deleted at any moment. */
interface Known {
  answers: Answers;
  /** Of git and of the folder of the live ones, when nothing was gone but these. Empty: compare anew. */
  sign: string;
  /** The sign of git when the branches were looked at, and what they were. */
  git: string;
  refs: string;
}

/** Undefined where the answer is about another change, or there is none. */
function answerOf(answers: Answers, id: string, hash: string): Answer | undefined {
  const known = answers.get(id);
  return known?.hash === hash ? known.answer : undefined;
}

/** A line that is cut, or is none of ours, says nothing. */
function answerIn(line: string): [string, { hash: string; answer: Answer }][] {
  const [, id, hash, said] = /^(\S+) ([\w-]{43}) ([a-z]+)$/.exec(line) ?? [];
  const answer = ANSWERS.find((one) => one === said);
  return id !== undefined && answer ? [[id, { hash: hash!, answer }]] : [];
}

function isSameFolder(a: FileStat | undefined, b: FileStat): boolean {
  return a?.ino === b.ino && a.dev === b.dev && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

function signOf({ dev, ino, mtimeMs, ctimeMs }: FileStat): string {
  return `${dev} ${ino} ${mtimeMs} ${ctimeMs}`;
}

/** One for all that one stash or commit has. */
function warningsOf(told: readonly Gone[]): Warning[] {
  const groups = new Map<string, Gone[]>();
  for (const one of told) {
    const holder = one.held ? holderText(one.held) : "";
    groups.set(holder, [...(groups.get(holder) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (group.length === 1) return { code: "LOG_SHORTER", message: messageOf(first!), recovery: recoveryOf(first!) };
    const ids = group.map(({ id }) => id).toSorted(compareIds);
    const named = ids.slice(0, MOST_NAMED).join(", ");
    const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
    const who = first!.held ? `${holderText(first!.held)} has them` : NOBODY;
    const message = `Expected ${named}${more}, which were acknowledged here; their folders are gone, and ${who}.`;
    return { code: "LOG_SHORTER", message, recovery: recoveryOfAll(first!) };
  });
}

const NOBODY = "no branch, no stash and no reflog has them";

/** @internal */
export function messageOf({ id, mark, held }: Gone): string {
  const who = held ? `${holderText(held)} has it` : "no branch, no stash and no reflog has it";
  return `Expected ${id} with ${counted(mark.revision, "change")} (event ${mark.hash}), which was acknowledged here; its folder is gone, and ${who}.`;
}

/** @internal */
export function recoveryOf({ id, held }: Gone): string {
  const resolve = `taskfold resolve ${id} --git`;
  if (!held)
    return `${resolve} looks for it in all that git has, and taskfold resolve ${id} --accept-gap accepts the loss.`;
  if (held.holder !== "stash") return `${resolve} brings it back.`;
  return `git stash pop ${held.name} brings it back with the rest of the stash, and ${resolve} brings it back alone.`;
}

function recoveryOfAll({ held }: Gone): string {
  if (!held)
    return "taskfold resolve ID --git looks for one of them in all that git has, and taskfold resolve ID --accept-gap accepts its loss.";
  if (held.holder !== "stash") return "taskfold resolve --git brings them back.";
  return `git stash pop ${held.name} brings them back with the rest of the stash, and taskfold resolve ID --git brings back one of them.`;
}
