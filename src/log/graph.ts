import { aboveLimit, MAX_GAP_LINKS } from "./limits.ts";
import { assemble, type Located, type Node, type ReportProblem } from "./assemble.ts";

/** One entity: all ops that descend from one first op and have all their ancestors. */
export interface Entity {
  root: Node;
  ops: Node[];
  /** Hashes that a new op would name, sorted. */
  heads: string[];
  /** The largest `seq` among the heads. */
  seq: number;
}

export interface Graph {
  /** By (ts, hash) of the first op: the first one is the folder's own (LOG-14). */
  entities: Entity[];
  /** Ops that have no effect because something before them is missing (LOG-12). */
  held: Node[];
  /** Hashes that would free held ops, sorted. */
  missing: string[];
  incomplete: number;
  /** Hashes of lines that are missing, or stand in no complete op: should one come (again), all must be looked at anew. */
  unresolved: Set<string>;
}

/** Order of two ops that are both ready (LOG-11): the one begun earlier, by its writer's clock, then by hash. */
export function byTime(a: Node, b: Node): number {
  if (a.first.ts !== b.first.ts) return a.first.ts < b.first.ts ? -1 : 1;
  return a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0;
}

/** Puts the ops of one log into relation (LOG-6, LOG-9, LOG-7). A pure function of the set of events. */
export function buildGraph(events: ReadonlyMap<string, Located>, problem: ReportProblem): Graph {
  const { ops, fragments, incomplete } = assemble(events, problem);
  const valid = dropInvalid(ops, events, problem);
  const application = new Application(valid, fragments, problem);
  const roots = [...valid.values()].filter((op) => op.first.prev.length === 0).sort(byTime);
  for (const root of roots.slice(1))
    problem("ROOT_SECOND", at(root), `expected one first event, found a second one, ${root.hash}`);
  application.run(roots);

  const entities = roots.map((root): Entity => ({ root, ops: [], heads: [], seq: 0 }));
  const entityOf = new Map(entities.map((entity) => [entity.root, entity]));
  const held: Node[] = [];
  const missing = new Set<string>();
  for (const op of ops.values()) {
    const entity = op.root && entityOf.get(op.root);
    if (entity) {
      entity.ops.push(op);
      if (op.children.length > 0) continue;
      entity.heads.push(op.last);
      entity.seq = Math.max(entity.seq, lastSeq(op));
    } else if (valid.has(op.last) && !application.mixed.has(op)) {
      held.push(op);
      const waits = application.causes(op);
      for (const hash of waits) missing.add(hash);
      problem("OP_HELD", at(op), `the op ${op.hash} waits for ${waits[0] ?? "an op that is held itself"}`);
    }
  }
  for (const entity of entities) entity.heads.sort();
  return { entities, held, missing: [...missing].sort(), incomplete, unresolved: unresolvedIn(events, ops) };
}

function unresolvedIn(events: ReadonlyMap<string, Located>, ops: ReadonlyMap<string, Node>): Set<string> {
  const unresolved = new Set(events.keys());
  for (const op of ops.values()) for (const { event } of op.located) unresolved.delete(event.hash);
  for (const { event } of events.values()) for (const hash of event.prev) if (!events.has(hash)) unresolved.add(hash);
  return unresolved;
}

/** Leaves out ops that name an event inside another op, or whose depth is wrong: as if their lines were absent (LOG-9). */
function dropInvalid(
  ops: Map<string, Node>,
  events: ReadonlyMap<string, Located>,
  problem: ReportProblem,
): Map<string, Node> {
  const valid = new Map<string, Node>();
  for (const op of ops.values()) {
    const { prev, seq } = op.first;
    const named = prev.flatMap((hash) => events.get(hash)?.event ?? []);
    const middle = named.find((event) => event.op.n < event.op.of);
    const depth = 1 + named.reduce((deepest, event) => Math.max(deepest, event.seq), 0);
    // While a named event is missing, all that is known of the depth is a lower bound.
    const wrong = named.length === prev.length ? seq !== depth : seq < depth;
    if (middle !== undefined)
      problem("PREV_MIDDLE", at(op), `expected last events of ops in prev, found ${middle.hash}`);
    else if (wrong) problem("SEQ_WRONG", at(op), `seq: expected ${depth}, found ${seq}`);
    else valid.set(op.last, op);
  }
  return valid;
}

function at(op: Node): Located {
  return op.located[0] as Located;
}

function lastSeq(op: Node): number {
  return op.first.seq + op.first.op.of - 1;
}

/** Lets ops take effect from the roots on, then past declared gaps, until no further op can. */
class Application {
  /** Ops that descend from two roots: they have no effect, nor has what descends from them. */
  readonly mixed = new Set<Node>();
  readonly #ops: ReadonlyMap<string, Node>;
  readonly #fragments: ReadonlyMap<string, string>;
  readonly #problem: ReportProblem;
  /** How many things an op still waits for. */
  readonly #open = new Map<Node, number>();
  readonly #children = new Map<Node, Node[]>();
  /** Ops that wait for a hash that no op here ends with. */
  readonly #waiting = new Map<string, Node[]>();
  /** Declarations that took effect since the last round, and all of them by the hashes they declare lost. */
  #newGaps: Node[] = [];
  readonly #declared = new Map<string, Node[]>();
  /** Hashes that ops came to wait for since the last round. */
  #newWaits: string[] = [];
  #links = 0;

  constructor(ops: ReadonlyMap<string, Node>, fragments: ReadonlyMap<string, string>, problem: ReportProblem) {
    this.#ops = ops;
    this.#fragments = fragments;
    this.#problem = problem;
    for (const op of ops.values()) {
      this.#open.set(op, op.first.prev.length);
      for (const hash of op.first.prev) {
        const parent = ops.get(hash);
        if (parent === undefined) this.#wait(op, this.#fragments.get(hash) ?? hash);
        else push(this.#children, parent, op);
      }
    }
  }

  run(roots: readonly Node[]): void {
    let ready: Node[] = [...roots];
    while (ready.length > 0) {
      for (let op = ready.pop(); op !== undefined; op = ready.pop()) {
        const effective = this.#apply(op);
        for (const child of this.#children.get(op) ?? []) {
          if (!effective) this.#wait(child, op.last);
          else {
            child.parents.push(op);
            this.#free(child, ready);
          }
        }
      }
      ready = this.#crossGaps(roots[0] as Node);
    }
  }

  /** The hashes an op that is held waits for itself, not through another op. */
  causes(op: Node): string[] {
    return op.first.prev.flatMap((hash) => {
      const parent = this.#ops.get(hash);
      if (parent === undefined) return [this.#fragments.get(hash) ?? hash];
      return this.mixed.has(parent) ? [hash] : [];
    });
  }

  #apply(op: Node): boolean {
    const root = op.parents[0]?.root ?? op;
    if (op.parents.some((parent) => parent.root !== root)) {
      this.mixed.add(op);
      this.#problem("ROOT_MIXED", at(op), `the op ${op.hash} descends from more than one first event`);
      return false;
    }
    op.root = root;
    for (const parent of op.parents) parent.children.push(op);
    if (op.located.some(({ event }) => event.type === "log.gap")) this.#newGaps.push(op);
    return true;
  }

  #wait(op: Node, hash: string): void {
    push(this.#waiting, hash, op);
    this.#newWaits.push(hash);
  }

  #free(op: Node, ready: Node[]): void {
    const open = (this.#open.get(op) as number) - 1;
    this.#open.set(op, open);
    if (open === 0) ready.push(op);
  }

  /**
   * Hangs ops that wait for a hash declared lost below the declarations (LOG-13). Only those of the folder's own entity
   * count, and only those that took effect before this round. A later one may descend from the op it would free.
   */
  #crossGaps(own: Node): Node[] {
    const asked = new Set(this.#newWaits);
    for (const gap of this.#newGaps) {
      if (gap.root !== own) continue;
      for (const hash of voided(gap)) {
        push(this.#declared, hash, gap);
        asked.add(hash);
      }
    }
    this.#newGaps = [];
    this.#newWaits = [];
    const ready: Node[] = [];
    for (const hash of asked) {
      const gaps = this.#declared.get(hash);
      const waiting = this.#waiting.get(hash);
      if (gaps === undefined || waiting === undefined) continue;
      this.#waiting.delete(hash);
      for (const op of waiting) {
        this.#hang(op, gaps);
        this.#free(op, ready);
      }
    }
    return ready;
  }

  #hang(op: Node, gaps: readonly Node[]): void {
    this.#links += op.parents.length + gaps.length;
    if (this.#links > MAX_GAP_LINKS) throw aboveLimit("links to declarations of lost lines", MAX_GAP_LINKS);
    const parents = new Set(op.parents);
    for (const gap of gaps) if (!parents.has(gap)) op.parents.push(gap);
  }
}

function push<K>(lists: Map<K, Node[]>, key: K, op: Node): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [op]);
  else list.push(op);
}

function voided(gap: Node): Set<string> {
  const hashes = new Set<string>();
  for (const { event } of gap.located) {
    const list = event.type === "log.gap" ? event.payload["void"] : null;
    if (Array.isArray(list)) for (const hash of list) if (typeof hash === "string") hashes.add(hash);
  }
  return hashes;
}
