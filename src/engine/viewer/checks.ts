/** The check of every folder in turn, beside everything else: what verify would say of each, and when it was looked at. */
import { join } from "node:path";
import { errnoOf } from "../../files/storage_error.ts";
import { listFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { EngineContext } from "../core/context.ts";
import { explanationOf } from "../core/findings_explained.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { folderOf, relativeFolder } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { linkFindings } from "../repair/entity_locations.ts";
import { workspaceFindings } from "../repair/verify.ts";
import { verifyPlace } from "../repair/verify_entity.ts";
import type { Journal } from "../commit/journal.ts";
import { isoTime } from "../core/context.ts";
import type { FindingItem } from "../../views/viewer/api.ts";
import { boundedLine } from "./bounded_line.ts";
import type { KnownFolder } from "./rows.ts";
import { keyOf } from "./rows.ts";
import { Slices } from "./slices.ts";

/** Files may change and no log tells: a check is made again after so long, when it is asked for. With many folders it holds longer. */
const HOLDS_MS = { least: 10_000, most: 60_000 };
/** A check of all takes at most so small a part of the time. */
const SHARE = 10;
/** A writer adds to the log first: for so long its folded files may still be on their way. */
const WRITING_MS = 2000;
/** A check is in no hurry: milliseconds of a slice, and between two of them. */
const SLOWLY = { sliceMs: 20, restMs: 60 };
/** Milliseconds until the first one begins: the first page that is asked for comes first. */
const LATER_MS = 1000;
/** A folder with more bytes beside its log takes longer than others may wait. */
const MOST_BYTES = 128 * 1024 * 1024;
const MOST_FILES = 20_000;

export interface Checked {
  sign: string;
  at: number;
  drift: boolean;
  faults: number;
  findings: FindingItem[];
}

interface Workspace {
  context: EngineContext;
  journal: Journal;
  id: () => string;
}

export class Checks {
  readonly #workspace: Workspace;
  readonly #known = new Map<string, Checked>();
  #folders: ReadonlyMap<string, KnownFolder> = new Map();
  #own: FindingItem[] = [];
  #running: Promise<void> | null = null;
  #failure: unknown;
  #holdsMs = HOLDS_MS.least;
  #closed = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Goes up with every check whose answer is another. */
  version = 0;

  /** Checks in the background what has changed since it was checked, and what was checked long ago. */
  begin(folders: ReadonlyMap<string, KnownFolder>): void {
    this.#folders = folders;
    this.#running ??= this.#runToEnd(this.#known.size === 0 ? LATER_MS : 0);
  }

  /** Until all of these are checked. Throws what kept the last check from its end. */
  async finish(folders: ReadonlyMap<string, KnownFolder>): Promise<void> {
    this.#folders = folders;
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
    for (const [key, { sign }] of this.#folders) {
      const known = this.#known.get(key);
      if (known?.sign !== sign) continue;
      checked++;
      oldest = Math.min(oldest ?? known.at, known.at);
    }
    return { checked, oldest };
  }

  close(): void {
    this.#closed = true;
  }

  /** Never fails: who begins a check does not wait for it. */
  async #runToEnd(afterMs: number): Promise<void> {
    try {
      this.#failure = undefined;
      if (afterMs > 0) await new Promise((done) => setTimeout(done, afterMs).unref());
      await this.#run();
    } catch (e) {
      this.#failure = e;
    } finally {
      this.#running = null;
    }
  }

  async #run(): Promise<void> {
    const slices = new Slices(SLOWLY);
    const began = performance.now();
    const { context, journal } = this.#workspace;
    this.#own = [...workspaceFindings({ context, journal }), ...linkFindings({ context })].map((one) =>
      itemOf(one, null),
    );
    for (const key of this.#known.keys()) if (!this.#folders.has(key)) this.#known.delete(key);
    for (const [key, { place, sign }] of this.#folders) {
      if (this.#closed) return;
      const known = this.#known.get(key);
      if (known?.sign === sign && context.now() - known.at < this.#holdsMs) continue;
      this.#take(key, await this.#checkWritten(place, sign));
      await slices.pause();
    }
    this.#holdsMs = Math.min(HOLDS_MS.most, Math.max(HOLDS_MS.least, SHARE * (performance.now() - began)));
  }

  /** Files that a writer has not folded yet are no drift: a check in the middle of a write is made again. */
  async #checkWritten(place: EntityLocation, sign: string): Promise<Checked> {
    const checked = this.#check(place, sign);
    const { context } = this.#workspace;
    if (!checked.drift || !isYoung(context, place)) return checked;
    await new Promise((done) => setTimeout(done, WRITING_MS).unref());
    return this.#check(place, sign);
  }

  #take(key: string, checked: Checked): void {
    const before = this.#known.get(key);
    this.#known.set(key, checked);
    const same = before && JSON.stringify(before.findings) === JSON.stringify(checked.findings);
    if (!same) this.version++;
  }

  #check(place: EntityLocation, sign: string): Checked {
    const { context, id } = this.#workspace;
    const at = context.now();
    const findings = isTooLarge(context, place)
      ? [
          note(
            wholeFile(
              "PROBLEMS_MORE",
              relativeFolder(place),
              `Too many bytes to check here: taskfold verify ${place.id}.`,
            ),
          ),
        ]
      : verifyPlace({ context, workspace: id(), isListed: false, remote: context.remote.digests }, place).findings;
    return {
      sign,
      at,
      drift: findings.some(({ code, info }) => info !== true && DRIFT.has(code)),
      faults: findings.filter(({ info }) => info !== true).length,
      findings: findings.map((one) => itemOf(one, place.id)),
    };
  }
}

function isYoung(context: EngineContext, place: EntityLocation): boolean {
  try {
    const stat = context.disk.lstat(join(folderOf(context, place), LOG_FILE));
    return stat !== undefined && Math.abs(context.now() - stat.mtimeMs) < WRITING_MS;
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

function itemOf({ code, file, line, byte, message, info }: Finding, entity: string | null): FindingItem {
  return {
    code,
    entity,
    file: boundedLine(file),
    line,
    byte,
    message: boundedLine(message),
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
      if (++files > MOST_FILES || bytes > MOST_BYTES) return true;
    }
  }
  return false;
}

/** The check itself reports a folder that cannot be read. */
function namesIn({ disk }: EngineContext, folder: string): string[] {
  try {
    return listFolder(disk, folder);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return [];
  }
}

export function checkedAt({ at }: Pick<Checked, "at">): string {
  return isoTime(at);
}
