import type { Bytes } from "../global_types.ts";
import type { Located } from "./assemble.ts";
import { sha256 } from "./canonical.ts";
import { buildGraph, type Entity } from "./graph.ts";
import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import { bytesSource } from "./source.ts";
import type { Event } from "./types.ts";

/** An entity that does not own the folder, cut out of its log (LOG-14). */
export interface SplitEntity {
  /** Hash of its first event. */
  root: string;
  /** First six hex digits of that hash: it goes to `<id>-<suffix>`, the same on every clone. */
  suffix: string;
  lines: Bytes;
  /** Its events in effect, in no order. */
  events: Event[];
  /** The largest `ts` among its lines. */
  maxTs: string;
  heads: string[];
  seq: number;
}

/**
 * The parts of a repaired log. Every line given is in exactly one of `bytes`, `split`, `quarantine`, or is counted in
 * `dropped`.
 */
export interface RepairedLog {
  bytes: Bytes;
  split: SplitEntity[];
  /** Unreadable lines, each once, without LF. */
  quarantine: Bytes[];
  /** True when `bytes` differs from the first version, or something was split off. */
  changed: boolean;
  dropped: { markers: number; duplicates: number; crlf: number };
  /** Hashes that would free ops which wait (LOG-12). */
  missing: string[];
  /** Ops of which only some events are there (LOG-7). */
  incomplete: number;
}

interface Kept {
  bytes: Buffer;
  /** The event's hash where the line is one of ours. */
  hash: string | null;
}

/**
 * Joins versions of one log: stages of a git index, the file of the work tree, copies of other clones (LOG-24). Lines
 * stay in the order of the first version, then those only in the second, and so on. They are never sorted, so a diff
 * against the first version shows additions only. A second repair changes nothing. Of several entities the earlier one keeps the log,
 * unless a later one alone says by its events that it `owns` it.
 */
export function repairLog(
  versions: readonly Buffer[],
  owns: (events: readonly Event[]) => boolean = () => false,
): RepairedLog {
  const kept = new Map<string, Kept>();
  const bad = new Map<string, Buffer>();
  const events = new Map<string, Located>();
  const dropped = { markers: 0, duplicates: 0, crlf: 0 };
  for (const version of versions) {
    const seen = new Set<string>();
    const keep = (id: string, bytes: Buffer, hash: string | null): void => {
      // A line in several versions is no duplicate; twice in one version it is.
      if (seen.has(id)) dropped.duplicates++;
      seen.add(id);
      if (!kept.has(id)) kept.set(id, { bytes, hash });
    };
    scan(bytesSource(version), { offset: 0, line: 1 }, (view) => {
      const line = readLine(view);
      if (view.crlf) dropped.crlf++;
      // Cut out of the version itself: a view has no bytes of a line that is too long.
      const from = view.offset + (view.bom ? 3 : 0);
      const to = view.tooLong ? lineEnd(version, from) : from + view.end - view.start;
      const bytes = version.subarray(from, to);
      if (line.kind === "own") {
        const { event } = line;
        keep(event.hash, bytes, event.hash);
        if (!events.has(event.hash))
          events.set(event.hash, { event, offset: view.offset, line: view.line, bytes: bytes.length + 1 });
      } else if (line.kind === "foreign") keep(line.foreign.hash, bytes, null);
      else if (line.kind === "newer") keep(line.hash, bytes, null);
      else if (line.kind === "marker") dropped.markers++;
      else if (line.kind === "bad" || line.kind === "pointer") bad.set(sha256(bytes), bytes);
      return true;
    });
  }

  const { entities, missing, incomplete } = buildGraph(events, ignore);
  const keeper = entities.length < 2 ? undefined : (entities.find((entity) => owns(eventsOf(entity))) ?? entities[0]);
  const others = keeper === undefined ? [] : entities.filter((entity) => entity !== keeper);
  const ownerOf = new Map<string, Entity>();
  for (const entity of others)
    for (const op of entity.ops) for (const { event } of op.located) ownerOf.set(event.hash, entity);
  const linesOf = new Map<Entity | undefined, Kept[]>([undefined, ...others].map((entity) => [entity, []]));
  for (const line of kept.values()) linesOf.get(line.hash === null ? undefined : ownerOf.get(line.hash))!.push(line);
  const owned = (entity: Entity | undefined): Buffer => joinLines(linesOf.get(entity)!);
  const bytes = owned(undefined);
  const split = others.map((entity): SplitEntity => {
    const { root, heads, seq } = entity;
    const events = eventsOf(entity);
    const times = events.map(({ ts }) => ts);
    return {
      root: root.hash,
      suffix: splitSuffix(root.hash),
      lines: owned(entity),
      events,
      maxTs: times.reduce((a, b) => (a > b ? a : b)),
      heads,
      seq,
    };
  });
  const [first] = versions;
  const changed = split.length > 0 || first === undefined || !bytes.equals(first);
  return { bytes, split, quarantine: [...bad.values()], changed, dropped, missing, incomplete };
}

/** Returns the suffix that a split adds to the id, from the root (LOG-14). */
export function splitSuffix(root: string): string {
  return Buffer.from(root, "base64url").toString("hex", 0, 3);
}

/** Names that the folder of an entity may have: this one, the one that a split gives it, and the one before that split (RESOLVE-3). */
export function namesOf({ id, root }: { id: string; root: string }): string[] {
  const suffix = `-${splitSuffix(root)}`;
  return [id, `${id}${suffix}`, ...(id.endsWith(suffix) ? [id.slice(0, -suffix.length)] : [])];
}

/** The id that an entity may have had before it was split off; the same id where it looks like none. */
export function idBeforeSplit(id: string): string {
  return id.replace(/-[0-9a-f]{6}$/, "");
}

function eventsOf({ ops }: Entity): Event[] {
  return ops.flatMap(({ located }) => located.map(({ event }) => event));
}

function joinLines(lines: readonly Kept[]): Buffer {
  const lf = Buffer.from("\n");
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, lf]));
}

function lineEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf(0x0a, from);
  return lf < 0 ? bytes.length : lf;
}

function ignore(): void {
  // Faults of the graph are the reader's to report; a repair only sorts out lines.
}
