/** What an answer is read from. */
import type { Binding } from "../entity/binding.ts";
import type { Entities } from "./entities.ts";
import type { GitBases } from "./git_base.ts";
import type { Listing } from "../listing/listing.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

export interface Readable {
  readonly world: EngineContext;
  readonly store: Store;
  readonly entities: Entities;
  readonly bases: GitBases;
  readonly listing: Listing;
}

/** What answers questions about one entity from outside of a call. */
export interface ReadAccess extends Pick<Readable, "world" | "entities"> {
  readonly binding: Binding | undefined;
  /** What is accepted and not yet in its logs counts, too. */
  reading(): Readable;
}
