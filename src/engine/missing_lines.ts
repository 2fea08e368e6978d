/**
 * Looks for lines that others in a log build on and that are not in it: in the other logs, in what this machine keeps
 * aside, and in git (RESOLVE-14). They go by their hash, so whatever is found is what was written.
 */
import { dirname } from "node:path";
import { readIfThere, TEMP_PREFIX } from "../files/atomic.ts";
import { LOG_FILE } from "../files/layout.ts";
import type { LineIn } from "../log/lines_in.ts";
import { asLog, linesIn } from "../log/lines_in.ts";
import { idBeforeSplit, splitSuffix } from "../log/mend.ts";
import type { Engine } from "./engine.ts";
import type { Place } from "./entity_on_disk.ts";
import { logPath, readEntity, relativeFolder } from "./entity_on_disk.ts";
import type { GitPort } from "./git_port.ts";
import { placesOf } from "./places.ts";

/** A line that came back, and where it was. */
export interface FoundLine {
  hash: string;
  /** A file relative to the root, `commit <id>`, or `before commit <id>` where that commit took it out. */
  from: string;
}

export interface Completion {
  /** What was found, as a log has it. */
  bytes: Buffer;
  found: FoundLine[];
}

/** One place to look in; its lines are read only when one of them is wanted. */
interface Source {
  from: string;
  bytes: Buffer;
  /** Lines that count in another entity, and belong there. */
  except: () => ReadonlySet<string>;
}

interface Candidate extends LineIn {
  from: string;
}

const KEPT_ASIDE = ["unsynced", "journal", "quarantine"] as const;
const NOTHING: ReadonlySet<string> = new Set<string>();

/** Lines that `log` waits for, with those that they wait for in turn. @internal */
export function findMissing(engine: Engine, git: GitPort | undefined, place: Place, log: Buffer): Completion {
  const { entity, report } = readEntity(log, () => false);
  const there = new Set<string>();
  const lines = linesIn(log);
  for (const { id } of lines) there.add(id);
  const wanted = [...report.missing, ...lines.flatMap(({ event }) => (event && event.op.n > 1 ? event.prev : []))];
  if (wanted.every((hash) => there.has(hash))) return { bytes: Buffer.alloc(0), found: [] };
  const shelves = new Shelves(sourcesFor(engine, place, entity?.root), () => inGit(git, place));
  const taken: Candidate[] = [];
  for (let hash = wanted.pop(); hash !== undefined; hash = wanted.pop()) {
    const line = there.has(hash) ? undefined : shelves.find(hash);
    if (!line) continue;
    there.add(hash);
    taken.push(line);
    wanted.push(...(line.event?.prev ?? []));
  }
  return { bytes: asLog(taken), found: taken.map(({ id, from }) => ({ hash: id, from })).toReversed() };
}

/** Everything that may hold a line: files first, and git only when they do not have it. */
class Shelves {
  readonly #known = new Map<string, Candidate>();
  #unread: Source[];
  #git: (() => Candidate[]) | undefined;

  constructor(sources: Source[], git: () => Candidate[]) {
    this.#unread = sources;
    this.#git = git;
  }

  find(hash: string): Candidate | undefined {
    for (const source of this.#known.has(hash) ? [] : this.#unread) {
      if (!source.bytes.includes(`"hash":"${hash}"`)) continue;
      this.#unread = this.#unread.filter((other) => other !== source);
      const except = source.except();
      this.#take(
        linesIn(source.bytes).map((line) => ({ ...line, from: source.from })),
        except,
      );
      if (this.#known.has(hash)) break;
    }
    if (!this.#known.has(hash) && this.#git) {
      this.#take(this.#git());
      this.#git = undefined;
    }
    return this.#known.get(hash);
  }

  #take(lines: readonly Candidate[], except = NOTHING): void {
    for (const line of lines)
      if (line.event && !except.has(line.id) && !this.#known.has(line.id)) this.#known.set(line.id, line);
  }
}

function* sourcesOnDisk(engine: Engine): Generator<{ from: string; bytes: Buffer; place?: Place }> {
  const { disk, layout } = engine.world;
  for (const place of placesOf(engine)) {
    const path = logPath(engine.world, place);
    const bytes = disk.lstat(path)?.kind === "file" ? readIfThere(disk, path) : undefined;
    if (bytes) yield { from: `${relativeFolder(place)}/${LOG_FILE}`, bytes, place };
  }
  for (const part of KEPT_ASIDE) {
    const folder = dirname(layout.registryFile(part, "x"));
    for (const name of filesBelow(engine, folder)) {
      const bytes = readIfThere(disk, `${folder}/${name}`);
      if (bytes) yield { from: `.coco/registry/${part}/${name}`, bytes };
    }
  }
}

function filesBelow({ world: { disk } }: Engine, folder: string): string[] {
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

function sourcesFor(engine: Engine, own: Place, root: string | undefined): Source[] {
  return [...sourcesOnDisk(engine)]
    .filter(({ place }) => place?.id !== own.id || place.part !== own.part)
    .map(({ from, bytes, place }) => ({
      from,
      bytes,
      except: () => (place ? countedIn(bytes, place, own, root) : NOTHING),
    }));
}

/** Lines that count in the log of another entity; none where that entity is this one, or shared a folder with it (RESOLVE-3). */
function countedIn(bytes: Buffer, place: Place, own: Place, root: string | undefined): ReadonlySet<string> {
  const { entity, events } = readEntity(bytes, () => true);
  const theirs = entity?.root;
  const split = (id: string, from: string, of: string | undefined): boolean =>
    of !== undefined && id === `${from}-${splitSuffix(of)}`;
  const kin = place.id === own.id || split(place.id, own.id, theirs) || split(own.id, place.id, root);
  return kin || theirs === root ? NOTHING : new Set(events.map(({ hash }) => hash));
}

function inGit(git: GitPort | undefined, { id }: Place): Candidate[] {
  if (!git) return [];
  const ids = new Set([id, idBeforeSplit(id)]);
  const paths = [...ids].flatMap((name) => [`tasks/${name}`, `archive/${name}`]);
  return git
    .everHeld(paths.map((path) => `.coco/${path}/${LOG_FILE}`))
    .flatMap(({ bytes, commit }) => linesIn(bytes).map((line) => ({ ...line, from: `commit ${commit.slice(0, 12)}` })));
}
