/**
 * Which names stand in `tasks/` and `archive/`, and the largest number that an id of each kind has. Listing ten thousand names
 * takes as long as a creation, so names are kept (ENG-80). The bell, git's index and the times of both folders tell of changes.
 * Two changes in one tick of the file system's clock look like one.
 */
import { join } from "node:path";
import type { Kind } from "../../state/entity.ts";
import { KINDS } from "../../state/entity.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";
import type { FeedReader } from "./change_feed.ts";

const PATTERN: Record<Kind, RegExp> = { plan: /^PLAN-(\d{1,9})(?:-|$)/i, task: /^TASK-(\d{1,9})(?:-|$)/i };
/** Longer than a tick of any file system's clock but the oldest ones'. */
const TICK_MS = 100;

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

type Names = Pick<EngineContext, "disk" | "layout">;

export class EntityNames {
  readonly #context: Names;
  readonly #store: Pick<Store, "names" | "archivedNames">;
  readonly #feed: FeedReader;
  /** `tasks/<id>` and `archive/<id>`. */
  #there = new Set<string>();
  /** Ids by their lower case. */
  readonly #spelled = new Map<string, Set<string>>();
  readonly #newest: Record<Kind, Newest> = { plan: { number: 0, id: undefined }, task: { number: 0, id: undefined } };
  /** Names that came since the last call of `takeAdded`. */
  readonly #added = new Set<string>();
  /** Rung before they were made, and not seen yet. */
  readonly #awaited = new Set<string>();
  #sign: string | null = null;
  #listed: Listed | null = null;

  constructor(context: Names, store: Pick<Store, "names" | "archivedNames">, feed: FeedReader) {
    this.#context = context;
    this.#store = store;
    this.#feed = feed;
  }

  /**
   * Brings the names up to date; true when names came or went that this process did not make. For "numbers" what this process made
   * itself is known well enough: a new number is checked to be free. Call for "names" while holding the workspace lock.
   */
  look(need: "numbers" | "names"): boolean {
    const sign = this.#signature();
    const isSame = sign === this.#sign;
    if (need === "numbers" && isSame) return false;
    const changed = this.#feed.take();
    if (changed !== "all") {
      const isChanged = this.#takeRung(changed);
      const isGood = need === "numbers" || this.#feed.isFresh(this.#isListed(sign));
      if (isGood && (isSame || isChanged)) {
        this.#sign = sign;
        return isChanged;
      }
    }
    this.#list();
    return true;
  }

  newest(kind: Kind): Newest {
    return this.#newest[kind];
  }

  /** Ids that are written as this one is, or in another case. */
  spellingsOf(id: string): string[] {
    return [...(this.#spelled.get(id.toLowerCase()) ?? [])];
  }

  /** All names, as `tasks/<id>` and `archive/<id>`. */
  get all(): ReadonlySet<string> {
    return this.#there;
  }

  /** Whether a folder of either part has the name. */
  has(id: string): boolean {
    return this.#there.has(`tasks/${id}`) || this.#there.has(`archive/${id}`);
  }

  /** Names that came since the last call, each once. */
  takeAdded(): string[] {
    const added = [...this.#added];
    this.#added.clear();
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
    this.#add(`tasks/${id}`);
    this.#sign = this.#signature();
  }

  #list(): void {
    const began = performance.now();
    const [sign, isYoung] = [this.#signature(), this.#isYoung()];
    const before = this.#there;
    this.#there = new Set();
    this.#spelled.clear();
    for (const kind of KINDS) this.#newest[kind] = { number: 0, id: undefined };
    for (const id of this.#store.names()) this.#add(`tasks/${id}`, before);
    for (const id of this.#store.archivedNames()) this.#add(`archive/${id}`, before);
    this.#sign = sign;
    this.#listed = { sign, isYoung };
    this.#feed.looked(performance.now() - began, this.#there.size);
  }

  #add(at: string, known: ReadonlySet<string> = this.#there): void {
    if (!known.has(at)) this.#added.add(at);
    this.#there.add(at);
    const id = at.slice(at.indexOf("/") + 1);
    const lower = id.toLowerCase();
    this.#spelled.set(lower, (this.#spelled.get(lower) ?? new Set()).add(id));
    for (const kind of KINDS) this.#count(kind, id, at.startsWith("tasks/"));
  }

  #count(kind: Kind, id: string, isLive: boolean): void {
    const number = numberOf(id, kind);
    const newest = this.#newest[kind];
    if (number === 0) return;
    const isLatest = isLive && (newest.id === undefined || number >= numberOf(newest.id, kind));
    this.#newest[kind] = { number: Math.max(newest.number, number), id: isLatest ? id : newest.id };
  }

  /** True when one of the names that were rung came or went. */
  #takeRung(keys: ReadonlySet<string>): boolean {
    let isChanged = false;
    for (const at of new Set([...keys, ...this.#awaited])) {
      const isThere = this.#context.disk.lstat(join(this.#context.layout.coco, at)) !== undefined;
      const wasThere = this.#there.has(at);
      if (isThere) this.#awaited.delete(at);
      else if (!wasThere) this.#awaited.add(at);
      if (isThere === wasThere) continue;
      isChanged = true;
      if (isThere) this.#add(at);
      else this.#there.delete(at);
    }
    return isChanged;
  }

  /** Whether the folders look as they did when all names were listed. */
  #isListed(sign: string): boolean {
    return sign === this.#listed?.sign && !this.#listed.isYoung;
  }

  #isYoung(): boolean {
    const { disk, layout } = this.#context;
    const now = Date.now();
    return [layout.tasks, layout.archive].some((path) => {
      const stat = disk.stat(path);
      return stat !== undefined && Math.abs(now - stat.mtimeMs) < TICK_MS;
    });
  }

  #signature(): string {
    const { disk, layout } = this.#context;
    const sign = (path: string): string => {
      const stat = disk.stat(path);
      return stat ? `${stat.dev} ${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}` : "none";
    };
    return `${sign(layout.tasks)} ${sign(layout.archive)}`;
  }
}

/** 12 of TASK-012 and TASK-012-k3f9; 0 of anything else. */
function numberOf(id: string, kind: Kind): number {
  return Number(PATTERN[kind].exec(id)?.[1] ?? 0);
}
