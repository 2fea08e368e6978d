/**
 * The source of every answer about an open workspace: its logs in memory, its lists, its binding and its journal. The engine is such a
 * source that writes as well. The reader and the viewer have one each.
 */
import { Journal } from "./commit/journal.ts";
import type { EngineContext } from "./core/context.ts";
import { Entities } from "./entities/entities.ts";
import { GitBases } from "./entities/git_base.ts";
import type { ReadModel } from "./entities/read_model.ts";
import type { Binding } from "./entity/binding.ts";
import { defaultsIn, RootBinding } from "./entity/binding.ts";
import { HumanFiles } from "./entity/human_files.ts";
import { Store } from "./entity/store.ts";
import type { Listing } from "./listing/listing.ts";
import { withJournal } from "./transaction/journal_lines.ts";

export class OpenReadModel implements ReadModel {
  readonly context: EngineContext;
  readonly root: RootBinding;
  readonly store: Store;
  readonly entities: Entities;
  readonly listing: Listing;
  readonly bases: GitBases;
  readonly people: HumanFiles;
  readonly journal: Journal;

  constructor(context: EngineContext, root = new RootBinding(context, "sequential")) {
    this.context = context;
    this.root = root;
    this.store = new Store(context);
    this.entities = new Entities(context, this.store, { stepDefaults: () => defaultsIn(this.root.binding) });
    this.listing = this.entities.listing;
    this.bases = new GitBases(context);
    this.people = new HumanFiles(context);
    this.journal = new Journal(context);
  }

  get binding(): Binding | undefined {
    return this.root.binding;
  }

  /** The source of readers: accepted changes that are not yet in their logs count for them, too. */
  reading(): ReadModel {
    return this.journal.pending().length === 0 ? this : withJournal<ReadModel>(this, this.journal);
  }

  /** Leaves an index of the lists behind where that is worth it, and lets go of every log. */
  closeLogs(): void {
    this.listing.close();
    this.store.close();
  }
}
