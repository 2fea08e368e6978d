/** The parts of one open workspace, for programs that work on more than one entity: types only, so that no file imports the engine. */
import type { Binding, RootBinding } from "./binding.ts";
import type { Entities } from "./entities.ts";
import type { Handle } from "./handle.ts";
import type { CheckedCall, Job, Outcome } from "./job.ts";
import type { Listing } from "./listing.ts";
import type { Lock } from "./lock.ts";
import type { People } from "./people.ts";
import type { Projector } from "./project.ts";
import type { Readable } from "./readable.ts";
import type { Restoring } from "./restore.ts";
import type { Store } from "./store.ts";
import type { Transactions } from "./transactions.ts";
import type { World } from "./world.ts";

export interface EngineParts {
  readonly world: World;
  readonly store: Store;
  readonly entities: Entities;
  readonly listing: Listing;
  readonly projector: Projector;
  readonly people: People;
  readonly transactions: Transactions;
  readonly root: RootBinding;
  readonly binding: Binding | undefined;
  /** What readers read from: what is accepted and not yet in its logs counts for them, too. */
  reading(): Readable;
  /** What moving a folder back needs. */
  restoring(): Restoring;
  /** Notes that an entity is about to be written past its committer. */
  writing(id: string): void;
  /** Whether a process that is gone may have left the files of this entity behind its log. */
  mayBeBehind(id: string): boolean;
  lockWorkspace(): Promise<Lock>;
  /** A change of one entity: it waits for its turn and its answer. */
  submit(handle: Handle, job: Omit<Job, "done" | "fail" | "foreign">): Promise<Outcome>;
  /** A creation that no tool of the registry makes. */
  make(call: CheckedCall): Promise<Outcome>;
}
