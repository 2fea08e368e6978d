import type { LinePlace } from "./scan.ts";
import type { ProblemCode } from "./problem.ts";
import type { Event } from "./types.ts";

/** An event and where its line stands. */
export interface Located extends LinePlace {
  event: Event;
  /** Of its line as a writer writes it. */
  bytes: number;
}

export type ReportProblem = (code: ProblemCode, at: LinePlace, message: string) => void;

/** An op as a node of the graph. `parents` and `children` are filled in as it takes effect. */
export interface Node {
  hash: string;
  last: string;
  first: Event;
  located: Located[];
  parents: Node[];
  children: Node[];
  /** The first op of the entity it belongs to, once all its ancestors are known. */
  root: Node | null;
  /** Place in replay order, from 0. */
  index: number;
}

export interface Assembled {
  /** Complete ops by the hash of their last event. */
  ops: Map<string, Node>;
  /** Events whose op lacks one before them, each with the hash of that one. */
  fragments: Map<string, string>;
  incomplete: number;
}

/** True when `event` goes on with the op that `before` belongs to (LOG-7). */
export function continues(before: Event, event: Event): boolean {
  return (
    event.op.n === before.op.n + 1 &&
    event.prev[0] === before.hash &&
    event.op.id === before.op.id &&
    event.op.of === before.op.of &&
    event.seq === before.seq + 1
  );
}

/** Sentence about an op that lacks events; streaming and graph must say the same. */
export function incompleteText(first: Event, present: number): string {
  return `expected ${first.op.of} events of the op that begins with ${first.hash}, found ${present}`;
}

/**
 * Puts events together to ops (LOG-7, LOG-6). `events` has each event once, by hash; the ops do not
 * depend on their order, save for the order of problems.
 */
export function assemble(events: ReadonlyMap<string, Located>, problem: ReportProblem): Assembled {
  const rest = new Map<string, Located[]>();
  for (const located of events.values()) {
    const { op, prev } = located.event;
    if (op.n === 1) continue;
    const siblings = rest.get(prev[0] as string);
    if (siblings === undefined) rest.set(prev[0] as string, [located]);
    else siblings.push(located);
  }

  const ops = new Map<string, Node>();
  const placed = new Set<string>();
  const fragments = new Map<string, string>();
  let incomplete = 0;
  for (const first of events.values()) {
    if (first.event.op.n !== 1) continue;
    const located = [first];
    for (let before = first; located.length < first.event.op.of;) {
      const next = smallest(rest.get(before.event.hash)?.filter((l) => continues(before.event, l.event)));
      if (next === undefined) break;
      located.push(next);
      before = next;
    }
    for (const { event } of located) placed.add(event.hash);
    const last = (located.at(-1) as Located).event.hash;
    if (located.length === first.event.op.of) {
      ops.set(last, {
        hash: first.event.hash,
        last,
        first: first.event,
        located,
        parents: [],
        children: [],
        root: null,
        index: -1,
      });
    } else {
      incomplete++;
      problem("OP_INCOMPLETE", first, incompleteText(first.event, located.length));
    }
  }

  const starts = new Map<Located, Located | null>();
  for (const located of events.values()) {
    if (placed.has(located.event.hash)) continue;
    const start = startOf(located, events, placed, starts);
    if (start === null) {
      problem(
        "OP_STRAY",
        located,
        `expected one event ${located.event.op.n} of an op, found ${located.event.hash} beside another`,
      );
      continue;
    }
    const missing = start.event.prev[0] as string;
    fragments.set(located.event.hash, missing);
    if (start !== located) continue;
    incomplete++;
    problem(
      "OP_INCOMPLETE",
      located,
      `expected event ${located.event.op.n - 1} of an op, found only what follows it; missing ${missing}`,
    );
  }
  return { ops, fragments, incomplete };
}

/** Of two events for one place the one with the smaller hash has it (LOG-7). */
function smallest(candidates: Located[] | undefined): Located | undefined {
  return candidates?.reduce<Located | undefined>(
    (min, l) => (min === undefined || l.event.hash < min.event.hash ? l : min),
    undefined,
  );
}

/**
 * The earliest present event of the op's visible end; null when that end hangs on an op that has no place for it. `known`: what
 * was found for other events, and is found for those on the way.
 */
function startOf(
  located: Located,
  events: ReadonlyMap<string, Located>,
  placed: ReadonlySet<string>,
  known: Map<Located, Located | null>,
): Located | null {
  const way: Located[] = [];
  let start: Located | null | undefined;
  for (let at = located; start === undefined;) {
    start = known.get(at);
    if (start !== undefined) break;
    way.push(at);
    const before = at.event.prev[0] as string;
    const next = events.get(before);
    if (at.event.op.n === 1 || placed.has(before)) start = null;
    else if (next === undefined) start = at;
    else at = next;
  }
  for (const one of way) known.set(one, start);
  return start;
}
