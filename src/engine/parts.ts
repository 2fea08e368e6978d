/** The parts of one open workspace, for programs that work on more than one entity: types only, so that no file imports the engine. */
import type { Binding, RootBinding } from "./entity/binding.ts";
import type { Entities } from "./entities/entities.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import type { CheckedCall, Job, CallResult } from "./entity/job.ts";
import type { Listing } from "./listing/listing.ts";
import type { BatchTool } from "../tools/batch_tool.ts";
import type { Decider } from "../tools/tool.ts";
import type { Lock } from "./core/lock.ts";
import type { HumanFiles } from "./entity/human_files.ts";
import type { Projector } from "./projection/project.ts";
import type { ReadModel } from "./entities/read_model.ts";
import type { DirtyMarks } from "./projection/dirty.ts";
import type { Journal } from "./commit/journal.ts";
import type { LogWriter } from "./commit/log_writer.ts";
import type { Store } from "./entity/store.ts";
import type { Recovery } from "./transaction/recovery.ts";
import type { EngineContext } from "./core/context.ts";

export interface EngineParts {
  readonly context: EngineContext;
  readonly store: Store;
  readonly entities: Entities;
  readonly listing: Listing;
  readonly projector: Projector;
  readonly people: HumanFiles;
  readonly dirty: DirtyMarks;
  readonly journal: Journal;
  readonly logs: LogWriter;
  readonly recovery: Recovery;
  readonly root: RootBinding;
  readonly binding: Binding | undefined;
  /** The source of readers: accepted changes that are not yet in their logs count for them, too. */
  reading(): ReadModel;
  lockWorkspace(): Promise<Lock>;
  /** A change of one entity: it waits for its turn and its answer. */
  submit(loaded: LoadedEntity, job: Omit<Job, "done" | "fail" | "foreign">): Promise<CallResult>;
  /** A transaction that no tool of the registry makes; its input has the key. */
  transact(call: CheckedCall<BatchTool>): Promise<CallResult>;
  /** Ids of what creating calls with these keys made, deleted and archived ones too. */
  madeBy(workspace: string, keys: ReadonlySet<string>): Promise<Map<string, string>>;
  /** A creation that no tool of the registry makes. */
  make(call: CheckedCall<Decider>): Promise<CallResult>;
}
