/** The source of an answer. */
import type { Binding } from "../entity/binding.ts";
import type { Entities } from "./entities.ts";
import type { GitBases } from "./git_base.ts";
import type { Listing } from "../listing/listing.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

export interface ReadModel {
  readonly context: EngineContext;
  readonly store: Store;
  readonly entities: Entities;
  readonly bases: GitBases;
  readonly listing: Listing;
}

/** Answers questions about one entity from outside of a call. */
export interface ReadAccess extends Pick<ReadModel, "context" | "entities"> {
  readonly binding: Binding | undefined;
  /** Accepted changes that are not yet in their logs count, too. */
  reading(): ReadModel;
}
