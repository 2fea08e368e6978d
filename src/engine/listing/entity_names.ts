/**
 * Which names stand in `tasks/` and `archive/`, and the largest number that an id of each kind has. Listing ten thousand names
 * takes as long as a creation, so names are kept (FRESH-2). The notification file, git's index and the times of both folders tell of changes.
 * Two changes in one tick of the file system's clock look like one. The first listing for a number keeps no name: most
 * processes create once, and many names take long to keep, and much memory.
 */
import { join } from "node:path";
import { areSettled, signOf } from "../../files/file_sign.ts";
import type { Kind } from "../../state/entity.ts";
import { KINDS } from "../../state/entity.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { Store } from "../entity/store.ts";
import type { WentAway } from "../entity/went_away.ts";
import type { EngineContext } from "../core/context.ts";
import { PARTS } from "../core/sparse_checkout.ts";
import type { LeftOut } from "../core/sparse_checkout.ts";
import type { FeedReader } from "./change_feed.ts";

const NONE: Newest = { number: 0, id: undefined };
const NUMBERED = /^(?:(PLAN)|TASK)-(\d{1,9})(?:-|$)/i;

interface Newest {
  number: number;
  /** The live id with that number or the largest below it: the one that a creation cut off by a crash may have taken. */
  id: string | undefined;
}

interface Listed {
  sign: string;
  /** A change in the same tick may be missing. */
  isYoung: boolean;
}

type Names = Pick<EngineContext, "disk" | "layout" | "sparse" | "runtime">;

interface NamesSource extends Pick<Store, "names" | "archivedNames"> {
  wentAway: Pick<WentAway, "reported">;
}

export class EntityNames {
  readonly #context: Names;
  readonly #store: NamesSource;
  readonly #feed: FeedReader;
  /** `tasks/<id>` and `archive/<id>`; null until names are kept. */
  #there: Set<string> | null = null;
  /** Ids by their lower case, once they are asked for. */
  #spelled: Map<string, readonly string[]> | null = null;
  readonly #newest: Record<Kind, Newest> = { plan: NONE, task: NONE };
  /** The numbers of their ids. */
  readonly #newestLive: Record<Kind, number> = { plan: 0, task: 0 };
  /** Names that came since the last call of `takeAdded`; null: all of them. */
  #added: Set<string> | null = null;
  /** Notified before they were made, and not seen yet. */
  readonly #awaited = new Set<string>();
  #sign: string | null = null;
  #listed: Listed | null = null;
  #left: LeftOut | null = null;

  constructor(context: Names, store: NamesSource, feed: FeedReader) {
    this.#context = context;
    this.#store = store;
    this.#feed = feed;
  }

  /**
   * Brings the names up to date; true when names came or went that this process did not make. For "numbers" what this process made
   * itself is known well enough: a new number is checked to be free. Call for "names" while holding the workspace lock.
   */
  look(need: "numbers" | "names"): boolean {
    this.#left = this.#context.sparse.look();
    const sign = this.#signature();
    const isSame = sign === this.#sign;
    if (need === "numbers" && isSame) return false;
    const changed = this.#feed.take();
    if (changed !== "all" && this.#there) {
      const isChanged = this.#takeRung(this.#there, changed);
      const isGood = need === "numbers" || this.#feed.isFresh(this.#isListed(sign));
      if (isGood && (isSame || isChanged)) {
        this.#sign = sign;
        return isChanged;
      }
    }
    // Some may have been notified before they are made. The next look sees them then.
    if (changed !== "all" && !this.#there) for (const at of changed) this.#awaited.add(at);
    this.#list({ keep: need === "names" || this.#listed !== null });
    return true;
  }

  newest(kind: Kind): Newest {
    const { number, id } = this.#newest[kind];
    let largest = number;
    const hidden = PARTS.flatMap((part) => [...this.leftOut[part].ids.keys()]);
    for (const one of [...hidden, ...this.#store.wentAway.reported()]) {
      const of = numbered(one);
      if (of.kind === kind) largest = Math.max(largest, of.number);
    }
    return { number: largest, id };
  }

  /** Ids that are written as this one is, or in another case. */
  spellingsOf(id: string): readonly string[] {
    if (!this.#spelled) {
      this.#spelled = new Map();
      for (const at of this.all) spell(this.#spelled, idIn(at));
    }
    return this.#spelled.get(id.toLowerCase()) ?? [];
  }

  /** The parts that a sparse checkout left out at the last look: those ids are taken, too. */
  get leftOut(): LeftOut {
    return (this.#left ??= this.#context.sparse.look());
  }

  /** All names, as `tasks/<id>` and `archive/<id>`. Call after a look for names. */
  get all(): ReadonlySet<string> {
    return this.#there ?? NO_NAMES;
  }

  /** Whether a folder of either part has the name. Call after a look for names. */
  has(id: string): boolean {
    return this.all.has(`tasks/${id}`) || this.all.has(`archive/${id}`);
  }

  /** Names that came since the last call, each once; all at the first call. */
  takeAdded(): Iterable<string> {
    const added = this.#added ?? this.all;
    this.#added = new Set();
    return added;
  }

  /** The next look lists the names, whatever the folders look like. */
  forget(): void {
    this.#sign = null;
    this.#feed.forget();
  }

  /** An id was given after the last look, by this process and under the same lock. */
  made(id: string): void {
    if (this.#sign === null) return;
    this.#add("tasks", id);
    this.#sign = this.#signature();
  }

  #list({ keep }: { keep: boolean }): void {
    const began = this.#context.runtime.uptime();
    const [sign, isYoung] = [this.#signature(), this.#isYoung()];
    const before = this.#there;
    this.#there = keep ? new Set() : null;
    this.#spelled = null;
    for (const kind of KINDS) [this.#newest[kind], this.#newestLive[kind]] = [NONE, 0];
    let count = 0;
    for (const [part, ids] of [
      ["tasks", this.#store.names()],
      ["archive", this.#store.archivedNames()],
    ] as const) {
      count += ids.length;
      for (const id of ids) this.#add(part, id, before);
    }
    this.#sign = sign;
    this.#listed = { sign, isYoung };
    this.#feed.looked(this.#context.runtime.uptime() - began, count);
  }

  #add(part: EntityLocation["part"], id: string, known = this.#there): void {
    this.#count(id, part === "tasks");
    if (!this.#there) return;
    const at = `${part}/${id}`;
    if (this.#added && !known?.has(at)) this.#added.add(at);
    this.#there.add(at);
    if (this.#spelled) spell(this.#spelled, id);
  }

  #count(id: string, isLive: boolean): void {
    const { kind, number } = numbered(id);
    const newest = this.#newest[kind];
    const isLatest = isLive && number > 0 && number >= this.#newestLive[kind];
    if (isLatest) this.#newestLive[kind] = number;
    if (isLatest || number > newest.number)
      this.#newest[kind] = { number: Math.max(newest.number, number), id: isLatest ? id : newest.id };
  }

  /** True when one of the names that were notified came or went. */
  #takeRung(there: Set<string>, keys: ReadonlySet<string>): boolean {
    let isChanged = false;
    for (const at of new Set([...keys, ...this.#awaited])) {
      const isThere = this.#context.disk.lstat(join(this.#context.layout.coco, at)) !== undefined;
      const wasThere = there.has(at);
      if (isThere) this.#awaited.delete(at);
      else if (!wasThere) this.#awaited.add(at);
      if (isThere === wasThere) continue;
      isChanged = true;
      if (isThere) this.#add(partOf(at), idIn(at));
      else there.delete(at);
    }
    return isChanged;
  }

  /** Whether the folders look as they did when all names were listed. */
  #isListed(sign: string): boolean {
    return sign === this.#listed?.sign && !this.#listed.isYoung;
  }

  #isYoung(): boolean {
    const { disk, layout } = this.#context;
    const stats = [layout.tasks, layout.archive].map((path) => disk.stat(path));
    return !areSettled(this.#context, stats);
  }

  #signature(): string {
    const { disk, layout } = this.#context;
    return [layout.tasks, layout.archive].map((path) => signOf(disk.stat(path))).join(",");
  }
}

/** Numbers count whatever else the name says; one without a number is a task's of number 0. */
function numbered(id: string): { kind: Kind; number: number } {
  const [, plan, digits = "0"] = NUMBERED.exec(id) ?? [];
  return { kind: plan === undefined ? "task" : "plan", number: Number(digits) };
}

const NO_NAMES: ReadonlySet<string> = new Set();

function spell(spelled: Map<string, readonly string[]>, id: string): void {
  const lower = id.toLowerCase();
  const others = spelled.get(lower) ?? [];
  if (!others.includes(id)) spelled.set(lower, [...others, id]);
}

export function idIn(at: string): string {
  return at.slice(at.indexOf("/") + 1);
}

function partOf(at: string): EntityLocation["part"] {
  return at.startsWith("tasks/") ? "tasks" : "archive";
}
