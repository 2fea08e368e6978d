/**
 * Everything that a process keeps of all plans and tasks: names, largest numbers, creating keys, and the rows of lists. One feed tells all of them of changes, so one rule of freshness holds (spec/freshness.md).
 */
import type { Kind } from "../../state/entity.ts";
import type { EngineContext } from "../core/context.ts";
import type { IdStyle } from "../core/id_style.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Store } from "../entity/store.ts";
import { ChangeFeed } from "./change_feed.ts";
import { CreateIndex } from "./create_index.ts";
import { EntityNames } from "./entity_names.ts";
import { newEntityId } from "./ids.ts";
import { Listing } from "./listing.ts";
import type { States } from "./listed_row_maker.ts";

/** Below so many plans and tasks a list looks at all of them each time: that costs a few milliseconds and misses no program. */
const ALWAYS_LOOKED_AT = 2000;

type FeedOptions = NonNullable<ConstructorParameters<typeof ChangeFeed>[1]>;

export interface IndexOptions extends FeedOptions {
  alwaysBelow?: number;
}

export class WorkspaceIndex {
  readonly rows: Listing;
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #names: EntityNames;
  readonly #creates: CreateIndex;

  /** The options are for tests. */
  constructor(
    context: EngineContext,
    { store, states }: { store: Store; states: States },
    { alwaysBelow = ALWAYS_LOOKED_AT, ...options }: IndexOptions = {},
  ) {
    const feed = new ChangeFeed(context, options);
    this.#context = context;
    this.#store = store;
    this.#names = new EntityNames(context, store, feed.reader());
    this.#creates = new CreateIndex(context, store, this.#names, feed);
    this.rows = new Listing(context, { store, states, feed: feed.reader({ alwaysBelow }) });
  }

  /** Looks at as many names as the id of a new entity needs; true when others changed them. */
  lookForId(wanted: string | undefined): boolean {
    return this.#names.look(wanted === undefined ? "numbers" : "names");
  }

  /** As `lookForId`, and lists the names, whatever the folders look like. */
  listForId(wanted: string | undefined): void {
    this.#names.forget();
    this.lookForId(wanted);
  }

  /** The id that a caller wants, or the next of its kind. Call after `lookForId`, while holding the workspace lock. */
  newId(kind: Kind, style: IdStyle, wanted?: string): string {
    return newEntityId(this.#context, this.#store, this.#names, kind, style, wanted);
  }

  /** The live id that a creation cut off by a crash may have taken. */
  latestId(kind: Kind): string | undefined {
    return this.#names.newest(kind).id;
  }

  /** The entity that a call with this key created, deleted ones too. Call while holding the workspace lock. */
  createdWith(key: string): LoadedEntity | undefined {
    // Its key stands in its first op.
    return this.#creates.find(key).find((loaded) => loaded.catchUp() && loaded.keys.has(key));
  }

  /** Which of these keys made what, by key. Call while holding the workspace lock. */
  createdBy(keys: ReadonlySet<string>): Map<string, string> {
    return this.#creates.madeBy(keys);
  }

  /** An entity was created, by this process and under the workspace lock. */
  created(id: string, key: string | null): void {
    this.#creates.made(id, key);
    this.#names.made(id);
    this.#store.wentAway.made();
  }
}
