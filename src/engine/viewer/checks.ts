/** The check of every folder in turn, beside everything else: what verify would say of each, and when it was looked at. */
import { join } from "node:path";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { listFolder } from "../../files/folders.ts";
import { isSettled } from "../../files/file_sign.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { holdsFor } from "../../files/look_again.ts";
import type { EngineContext } from "../core/context.ts";
import { explanationOf } from "../core/findings_explained.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { folderOf, relativeFolder } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { isOverviewOn } from "../projection/overview.ts";
import { partFindings } from "../repair/entity_locations.ts";
import { FindingsAcross } from "../repair/findings_across.ts";
import { leftOutNotes, workspaceFindings } from "../repair/verify.ts";
import type { Verified } from "../repair/verify_entity.ts";
import { verifyPlace } from "../repair/verify_entity.ts";
import type { Journal } from "../commit/journal.ts";
import type { Store } from "../entity/store.ts";
import { isoTime } from "../core/context.ts";
import type { FindingItem } from "../../views/viewer/api.ts";
import { boundedLine } from "./bounded_line.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { KnownFolder } from "./known_folder.ts";
import { keyOf } from "./rows.ts";
import { Slices } from "./slices.ts";

/** A writer adds to the log first: for so long its folded files may still be on their way. */
const WRITING_MS = 2000;
/** A check is in no hurry: milliseconds of a slice, and between two of them. */
const SLOWLY = { sliceMs: 20, restMs: 60 };
/** Milliseconds until the first one begins: the first page that is asked for comes first. */
const LATER_MS = 1000;
/** A folder with more bytes beside its log takes longer than others may wait. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_FILES = 20_000;

export interface Checked {
  sign: string;
  at: number;
  /** The same by the clock that nothing sets. */
  uptime: number;
  drift: boolean;
  faults: number;
  findings: FindingItem[];
  /** Facts about its entity that other folders are compared with. */
  entity: Verified["entity"];
  /** It is too large to be looked at here. */
  isSkipped: boolean;
}

/** All that there is to check. */
export interface Checkable {
  folders: ReadonlyMap<string, KnownFolder>;
  /** Folders, links and files among them that nothing is shown of. */
  withoutRow: readonly EntityLocation[];
}

interface Workspace {
  context: EngineContext;
  journal: Journal;
  store: Store;
  id: () => string;
}

export class Checks {
  readonly #workspace: Workspace;
  readonly #known = new Map<string, Checked>();
  readonly #begun: number;
  #all: Checkable = { folders: new Map(), withoutRow: [] };
  /** Of the workspace itself, of what no row shows, and of folders beside each other. */
  #own: FindingItem[] = [];
  /** Findings that need every folder, as of the last time when each had been checked. */
  #ofWorkspace: readonly Finding[] = [];
  #ownAt = Number.NEGATIVE_INFINITY;
  /** Whether the overview stands, to which each folder gives its row. */
  #isListed: boolean | undefined;
  #running: Promise<void> | null = null;
  #failure: unknown;
  /** Files may change and no log tells: a check is made again after so long, when it is asked for. */
  #holdsMs = holdsFor("checks");
  #closed = false;
  /** Ends a pause. */
  #wake: () => void = noop;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#begun = workspace.context.now();
  }

  #version = 0;

  /** Another one after every check whose answer is another. A server that is started anew knows none of an earlier one. */
  get sign(): string {
    return `${this.#begun}:${this.#version}`;
  }

  /** Checks in the background what has changed since it was checked, and what was checked long ago. */
  begin(all: Checkable): void {
    this.#all = all;
    this.#running ??= this.#runToEnd(this.#known.size === 0 ? LATER_MS : 0);
  }

  /** Until all of these are checked. Throws what kept the last check from its end. */
  async finish(all: Checkable): Promise<void> {
    this.#all = all;
    this.#ownAt = Number.NEGATIVE_INFINITY;
    await (this.#running ??= this.#runToEnd(0));
    if (this.#failure !== undefined) throw this.#failure;
  }

  of = (key: string): Checked | undefined => this.#known.get(key);

  /** Now, whatever is known. */
  checkNow({ place, sign }: Pick<KnownFolder, "place" | "sign">): Checked {
    const checked = this.#check(place, sign);
    this.#take(keyOf(place), checked);
    return checked;
  }

  /** Of the workspace itself first. */
  get findings(): FindingItem[] {
    return [...this.#own, ...[...this.#known.values()].flatMap(({ findings }) => findings)];
  }

  get progress(): { checked: number; oldest: number | null } {
    let checked = 0;
    let oldest: number | null = null;
    for (const [key, { sign }] of this.#all.folders) {
      const known = this.#known.get(key);
      if (known?.sign !== sign) continue;
      checked++;
      oldest = Math.min(oldest ?? known.at, known.at);
    }
    return { checked, oldest };
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Never fails: who begins a check does not wait for it. */
  async #runToEnd(afterMs: number): Promise<void> {
    try {
      this.#failure = undefined;
      if (afterMs > 0) await this.#pause(afterMs, "idle");
      await this.#run();
    } catch (e) {
      this.#failure = e;
    } finally {
      this.#running = null;
    }
  }

  async #run(): Promise<void> {
    if (this.#closed) return;
    const slices = new Slices(this.#workspace.context, SLOWLY);
    const { context } = this.#workspace;
    const began = context.runtime.uptime();
    const { folders } = this.#all;
    const isListed = isOverviewOn(context);
    if (isListed !== this.#isListed) this.#known.clear();
    this.#isListed = isListed;
    for (const key of this.#known.keys()) if (!folders.has(key)) this.#known.delete(key);
    let checked = 0;
    for (const [key, { place, sign }] of folders) {
      if (this.#closed) return;
      const known = this.#known.get(key);
      if (known?.sign === sign && context.runtime.uptime() - known.uptime < this.#holdsMs) continue;
      this.#take(key, await this.#checkWritten(place, sign));
      checked++;
      await slices.pause();
    }
    if (checked > 0 || context.runtime.uptime() - this.#ownAt >= this.#holdsMs) await this.#takeOwn(slices);
    // A check of a few says nothing of how long all of them take.
    if (checked * 2 < folders.size) return;
    this.#holdsMs = holdsFor("checks", context.runtime.uptime() - began);
  }

  async #takeOwn(slices: Slices): Promise<void> {
    const { context, journal, store } = this.#workspace;
    const { folders, withoutRow } = this.#all;
    this.#ownAt = context.runtime.uptime();
    const found = [
      ...workspaceFindings({ context, journal }),
      ...partFindings({ context }),
      ...leftOutNotes({ store }),
    ];
    for (const place of withoutRow) {
      found.push(...this.#verified(place).findings);
      await slices.pause();
    }
    const across = new FindingsAcross();
    let isWhole = true;
    for (const [key, { place, sign }] of folders) {
      const known = this.#known.get(key);
      if (known?.sign !== sign || known.isSkipped) isWhole = false;
      else if (known.entity) across.saw(place, known.entity);
    }
    if (isWhole) this.#ofWorkspace = across.ofWorkspace({ context, journal, store });
    found.push(...across.sameRoots(), ...this.#ofWorkspace);
    const own = found.map((one) => itemOf(one, null));
    if (JSON.stringify(own) === JSON.stringify(this.#own)) return;
    this.#own = own;
    this.#version++;
  }

  /** Files that a writer has not folded yet are no drift: a check in the middle of a write is made again. */
  async #checkWritten(place: EntityLocation, sign: string): Promise<Checked> {
    const checked = this.#check(place, sign);
    const { context } = this.#workspace;
    if (!checked.drift || !isYoung(context, place)) return checked;
    // An export has nothing else to wait for: it would end here with half of its files.
    await this.#pause(WRITING_MS);
    return this.#check(place, sign);
  }

  /** Ends early when the viewer is closed: a person who stops it waits for no check. */
  async #pause(ms: number, idle?: "idle"): Promise<void> {
    await new Promise<void>((done) => {
      const cancel = this.#workspace.context.runtime.after(ms, done, idle);
      this.#wake = () => {
        cancel();
        done();
      };
    });
  }

  #take(key: string, checked: Checked): void {
    const before = this.#known.get(key);
    this.#known.set(key, checked);
    const same = before && JSON.stringify(before.findings) === JSON.stringify(checked.findings);
    if (!same) this.#version++;
  }

  #check(place: EntityLocation, sign: string): Checked {
    const { context } = this.#workspace;
    const [at, uptime] = [context.now(), context.runtime.uptime()];
    const isSkipped = isTooLarge(context, place);
    const { findings, entity } = isSkipped ? tooLarge(place) : this.#verified(place);
    return {
      sign,
      at,
      uptime,
      drift: findings.some(({ code, info }) => info !== true && DRIFT.has(code)),
      faults: findings.filter(({ info }) => info !== true).length,
      findings: findings.map((one) => itemOf(one, place.id)),
      entity,
      isSkipped,
    };
  }

  #verified(place: EntityLocation): Verified {
    const { context, id } = this.#workspace;
    const isListed = (this.#isListed ??= isOverviewOn(context));
    return verifyPlace({ context, workspace: id(), isListed, remote: context.remote.digests }, place);
  }
}

function tooLarge(place: EntityLocation): Verified {
  const way = remedy`${TASKFOLD} verify ${place.id} looks at all of them.`;
  return { findings: [note(wholeFile("PROBLEMS_MORE", relativeFolder(place), "Too many bytes to check here.", way))] };
}

/** A writer may be on its way to the folded files. The clock of a file server says nothing of that (FRESH-12). */
function isYoung(context: EngineContext, place: EntityLocation): boolean {
  try {
    const stat = context.disk.lstat(join(folderOf(context, place), LOG_FILE));
    return stat !== undefined && !isSettled(context, stat, WRITING_MS);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

const DRIFT: ReadonlySet<string> = new Set([
  "PROJECTION_DIFFERS",
  "PROJECTION_MISSING",
  "PACKET_FILE_DIFFERS",
  "PACKET_FILE_MISSING",
]);

function itemOf({ code, file, line, byte, message, recovery, info }: Finding, entity: string | null): FindingItem {
  return {
    code,
    entity,
    file: boundedLine(file),
    line,
    byte,
    message: boundedLine(recovery === undefined ? message : `${message} ${recovery}`),
    note: info === true,
    explained: explanationOf(code) ?? null,
  };
}

/** Its captured bytes and outputs are read whole and digested by a check. */
function isTooLarge(context: EngineContext, place: EntityLocation): boolean {
  const { disk } = context;
  let bytes = 0;
  let files = 0;
  for (const part of ["shared/evidence/blobs", "outputs", "inputs"]) {
    const folder = join(folderOf(context, place), part);
    for (const name of namesIn(context, folder)) {
      bytes += disk.lstat(join(folder, name))?.size ?? 0;
      if (++files > MAX_FILES || bytes > MAX_BYTES) return true;
    }
  }
  return false;
}

/** The check itself reports a folder that cannot be read. */
function namesIn({ disk }: EngineContext, folder: string): string[] {
  return unlessRefused(() => listFolder(disk, folder)) ?? [];
}

export function checkedAt({ at }: Pick<Checked, "at">): string {
  return isoTime(at);
}

const noop = (): void => undefined;
