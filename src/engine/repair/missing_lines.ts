/**
 * Looks for lines that others in a log build on and that are not in it. It looks in the other logs, in the files that
 * this machine keeps aside, and in git (RESOLVE-14). They go by their hash, so whatever is found is what was written.
 */
import { isTaskfoldError } from "../../errors.ts";
import { TEMP_PREFIX } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { headDigest } from "../../log/canonical.ts";
import type { LineIn } from "../../log/lines_in.ts";
import { asLog, linesIn } from "../../log/lines_in.ts";
import { idBeforeSplit, splitSuffix } from "../../log/repair.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { logPath, readEntity, relativeFolder, wholeLog } from "../entity/entity_on_disk.ts";
import type { Limits } from "../core/git_limits.ts";
import type { GitPort } from "../core/git_port.ts";
import { entityLocations } from "./entity_locations.ts";

/** A line that came back, and where it was. */
export interface FoundLine {
  hash: string;
  /** A file relative to the root, `commit <id>`, or `before commit <id>` where that commit took it out. */
  from: string;
}

export interface Completion {
  /** The found line, as a log has it. */
  bytes: Buffer;
  found: FoundLine[];
}

/** One place to look in; it is read when it is asked, and again when one of its lines is wanted. */
interface Source {
  from: string;
  read: () => Buffer | undefined;
  /** Lines that count in another entity, and belong there. */
  except: (bytes: Buffer) => ReadonlySet<string>;
}

interface Candidate extends LineIn {
  from: string;
}

const KEPT_ASIDE = ["unsynced", "journal", "quarantine"] as const;
const HASH_KEY = '"hash":"';
/** So much of a hash tells lines apart well enough: what has it is looked at. */
const KEY_LENGTH = 12;
const NOTHING: ReadonlySet<string> = new Set<string>();

/** How often git is asked anew for what was found to be missing, too. */
const MAX_ROUNDS = 20;

/** A log, and the heads of the ends that it lost. */
export interface Wanting {
  log: Buffer;
  ends: readonly string[];
}

/**
 * Lines that `log` waits for, with those that they wait for in turn. `left` gets the lines that git was not asked for.
 * @internal
 */
export function findMissing(
  engine: EngineParts,
  git: GitPort | undefined,
  place: EntityLocation,
  { log, ends }: Wanting,
  left: Limits,
): Completion {
  const { entity, report } = readEntity(log, () => false);
  const there = new Set<string>();
  const lines = linesIn(log);
  for (const { id } of lines) there.add(id);
  const wanted = [...report.missing, ...lines.flatMap(({ event }) => (event && event.op.n > 1 ? event.prev : []))];
  const named = new Ends(ends, report.heads);
  if (named.isEmpty && wanted.every((hash) => there.has(hash))) return { bytes: Buffer.alloc(0), found: [] };
  const shelves = new LineSources(sourcesFor(engine, place, entity?.root));
  const taken: Candidate[] = [];
  const nowhere = new Set<string>();
  if (!named.isEmpty) for (const line of shelves.all()) wanted.push(...named.found(line));
  const take = (line: Candidate): void => {
    there.add(line.id);
    taken.push(line);
    wanted.push(...(line.event?.prev ?? []));
  };
  const onDisk = (): void => {
    for (let hash = wanted.pop(); hash !== undefined; hash = wanted.pop()) {
      const line = there.has(hash) ? undefined : shelves.find(hash);
      if (line) take(line);
      else if (!there.has(hash)) nowhere.add(hash);
    }
  };
  onDisk();
  for (let round = 0; git && (nowhere.size > 0 || !named.isEmpty) && round < MAX_ROUNDS; round++) {
    const before = taken.length;
    const wantedEnds = named.size;
    left.within(() => {
      for (const line of inGit(git, place, left)) {
        for (const hash of named.found(line)) if (!there.has(hash)) nowhere.add(hash);
        if (!nowhere.delete(line.id)) continue;
        take(line);
        // The lines that this line builds on mostly stand before it, and are told after it.
        onDisk();
      }
    });
    if (taken.length === before && named.size === wantedEnds) break;
  }
  return { bytes: asLog(taken), found: taken.map(({ id, from }) => ({ hash: id, from })).toReversed() };
}

/** Ends of a log by the digest of their heads: which lines those were is seen when one of them comes. */
class Ends {
  readonly #digests: Set<string>;
  readonly #heads: readonly string[];

  /** `heads`: those that the log has; an end may have had one of them and one that was lost. */
  constructor(digests: readonly string[], heads: readonly string[]) {
    this.#digests = new Set(digests);
    this.#heads = heads;
  }

  get size(): number {
    return this.#digests.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Hashes of the heads of an end, where this line is one of them or names them. Each end is found once. */
  found({ event }: LineIn): readonly string[] {
    if (!event || this.isEmpty) return [];
    const { hash, op, prev } = event;
    const own = op.n === op.of ? [[hash], ...this.#heads.map((head) => [head, hash].toSorted())] : [];
    return [...own, ...(op.n === 1 ? [prev] : [])].find((heads) => this.#digests.delete(headDigest(heads))) ?? [];
  }
}

/** Every file that may hold a line. */
class LineSources {
  readonly #known = new Map<string, Candidate>();
  readonly #sources: Source[];
  /** Sources by the beginning of each hash that they have; made by reading each of them once. */
  #having: Map<string, Set<Source>> | null = null;
  readonly #taken = new Set<Source>();

  constructor(sources: Source[]) {
    this.#sources = sources;
  }

  find(hash: string): Candidate | undefined {
    if (!this.#known.has(hash)) {
      this.#having ??= indexOf(this.#sources);
      for (const source of this.#having.get(keyOf(hash)) ?? []) {
        this.#takeFrom(source);
        if (this.#known.has(hash)) break;
      }
    }
    return this.#known.get(hash);
  }

  all(): Iterable<Candidate> {
    for (const source of this.#sources) this.#takeFrom(source);
    return this.#known.values();
  }

  #takeFrom(source: Source): void {
    if (this.#taken.has(source)) return;
    this.#taken.add(source);
    const bytes = source.read();
    if (!bytes) return;
    const except = source.except(bytes);
    this.#take(
      linesIn(bytes).map((line) => ({ ...line, from: source.from })),
      except,
    );
  }

  #take(lines: readonly Candidate[], except = NOTHING): void {
    for (const line of lines)
      if (line.event && !except.has(line.id) && !this.#known.has(line.id)) this.#known.set(line.id, line);
  }
}

/** One reading of each, however many lines are missing; nothing but the hashes is kept. */
function indexOf(sources: readonly Source[]): Map<string, Set<Source>> {
  const index = new Map<string, Set<Source>>();
  for (const source of sources) {
    const bytes = source.read();
    for (let at = bytes?.indexOf(HASH_KEY) ?? -1; bytes && at >= 0; at = bytes.indexOf(HASH_KEY, at + 1)) {
      const from = at + HASH_KEY.length;
      const key = bytes.toString("latin1", from, from + KEY_LENGTH);
      index.set(key, (index.get(key) ?? new Set()).add(source));
    }
  }
  return index;
}

function keyOf(hash: string): string {
  return hash.slice(0, KEY_LENGTH);
}

function sourcesFor(engine: EngineParts, own: EntityLocation, root: string | undefined): Source[] {
  const { layout } = engine.context;
  const logs = entityLocations(engine)
    .filter((place) => place.id !== own.id || place.part !== own.part)
    .map((place): Source => ({
      from: `${relativeFolder(place)}/${LOG_FILE}`,
      read: () => readIfHeld(engine, logPath(engine.context, place)),
      except: (bytes) => countedIn(bytes, place, own, root),
    }));
  const aside = KEPT_ASIDE.flatMap((part) => {
    const folder = layout.sharedFolder(part);
    return filesBelow(engine, folder).map((name): Source => ({
      from: `.coco/registry/${part}/${name}`,
      read: () => readIfHeld(engine, `${folder}/${name}`),
      except: () => NOTHING,
    }));
  });
  return [...logs, ...aside];
}

/** A file above a limit of reading is not looked in: in a log it is a finding of its own. */
function readIfHeld({ context: { disk } }: EngineParts, path: string): Buffer | undefined {
  try {
    return disk.lstat(path)?.kind === "file" ? wholeLog(disk, path) : undefined;
  } catch (e) {
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return undefined;
  }
}

function filesBelow({ context: { disk } }: EngineParts, folder: string): string[] {
  if (disk.lstat(folder)?.kind !== "folder") return [];
  return disk
    .readdir(folder)
    .toSorted()
    .flatMap((name) => {
      const kind = disk.lstat(`${folder}/${name}`)?.kind;
      if (kind !== "folder") return kind === "file" && !name.startsWith(TEMP_PREFIX) ? [name] : [];
      return disk.readdir(`${folder}/${name}`).map((inner) => `${name}/${inner}`);
    });
}

/** Lines that count in the log of another entity; none where that entity is this one, or shared a folder with it (RESOLVE-3). */
function countedIn(
  bytes: Buffer,
  place: EntityLocation,
  own: EntityLocation,
  root: string | undefined,
): ReadonlySet<string> {
  const { entity, events } = readEntity(bytes, () => true);
  const theirs = entity?.root;
  const split = (id: string, from: string, of: string | undefined): boolean =>
    of !== undefined && id === `${from}-${splitSuffix(of)}`;
  const kin = place.id === own.id || split(place.id, own.id, theirs) || split(own.id, place.id, root);
  return kin || theirs === root ? NOTHING : new Set(events.map(({ hash }) => hash));
}

function* inGit(git: GitPort, { id }: EntityLocation, left: Limits): Generator<Candidate> {
  const ids = new Set([id, idBeforeSplit(id)]);
  const paths = [...ids].flatMap((name) => [`tasks/${name}`, `archive/${name}`]);
  const logs = paths.map((path) => `.coco/${path}/${LOG_FILE}`);
  for (const { bytes, commit } of git.everHeld(logs, left.tell)) {
    for (const line of linesIn(bytes))
      if (line.event) yield { ...line, bytes: Buffer.from(line.bytes), from: `commit ${commit.slice(0, 12)}` };
  }
}
