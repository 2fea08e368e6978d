/**
 * Reads of one workspace without the code that writes: a command that only looks loads a third of the engine. Each answer is
 * that of `Engine.call`.
 */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { JsonObject } from "../state/json.ts";
import type { Tool } from "../tools/define.ts";
import { listFolder } from "../files/folders.ts";
import { checkAccepted, RootBinding } from "./entity/binding.ts";
import { checkBy } from "./core/input/check_by.ts";
import { Entities } from "./entities/entities.ts";
import { GitBases } from "./entities/git_base.ts";
import type { Caller, CheckedCall } from "./entity/job.ts";
import { Journal } from "./commit/journal.ts";
import type { WorkspaceLocks } from "./core/lock.ts";
import { mayBeHeld } from "./query/may_be_held.ts";
import { openRoot } from "./open_root.ts";
import { isPacketLock } from "./entity/packet_holder.ts";
import { HumanFiles } from "./entity/human_files.ts";
import type { ReadModel } from "./entities/read_model.ts";
import { readTool } from "./query/read.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, okReply } from "./entity/reply.ts";
import { Store } from "./entity/store.ts";
import { validate } from "./core/input/validate.ts";
import type { MachineOptions, WorkspaceOptions } from "./workspace_options.ts";
import type { EngineContext } from "./core/context.ts";
import { observedCall } from "./core/telemetry/observed_call.ts";

/** Files by their names in the folder of a plan or task. */
export interface ChangedFiles {
  id: string;
  files: string[];
}

export class Reader {
  readonly root: string;
  readonly context: EngineContext;
  readonly #caller: Caller;
  readonly #binding: RootBinding;
  readonly #parts: ReadModel;
  readonly #people: HumanFiles;
  readonly #journal: Journal;
  readonly #release: () => void;
  #locks: WorkspaceLocks | undefined;

  constructor(
    options: Pick<WorkspaceOptions, "root" | "telemetry" | "git"> &
      Pick<MachineOptions, "disk" | "runtime"> & { by: string },
  ) {
    checkBy(options.by);
    const { root, context, release } = openRoot(options, {
      locks: () => this.#locks ?? writes(),
      packetConfigs: { given: undefined, own: writes },
    });
    const store = new Store(context);
    const entities = new Entities(context, store);
    this.root = root;
    this.context = context;
    this.#caller = { by: options.by, agentInstance: undefined, turnId: undefined };
    this.#binding = new RootBinding(context, "sequential");
    this.#parts = { context, store, entities, bases: new GitBases(context), listing: entities.listing };
    this.#people = new HumanFiles(context);
    this.#journal = new Journal(context);
    this.#release = release;
  }

  /** Id this root is bound to. */
  get id(): string | undefined {
    return this.#binding.binding?.workspace;
  }

  /** Calls a tool that only reads. Never throws: a refusal or a failure comes back as the error of the reply. */
  call(tool: Tool, input: JsonObject): Promise<Reply> {
    const { telemetry } = this.context;
    return telemetry ? observedCall(telemetry, tool.name, () => this.#answer(tool, input)) : this.#answer(tool, input);
  }

  async #answer(tool: Tool, input: JsonObject): Promise<Reply> {
    let call: CheckedCall | undefined;
    let from = this.#parts;
    try {
      this.#binding.look();
      const { accepted } = this.#binding;
      const checked = await validate(tool, input, { accepted });
      call = { tool, input: checked, workspace: checked["workspace"] as string, caller: this.#caller };
      checkAccepted(accepted, call.workspace);
      from = await this.#readable();
      if (this.#mayRunPackets()) await this.#loadLocks();
      const outcome = readTool(from, this.#people, call);
      const { result, warnings, suggestions } = outcome;
      const { workspace } = call;
      if (!suggestions.some((one) => mayBeHeld(from, workspace, one)))
        return okReply(tool.name, result, this.#withNotices(warnings), suggestions);
      const { offeredBy } = await import("./query/explained.ts");
      return okReply(tool.name, result, this.#withNotices(warnings), offeredBy(from, call, outcome));
    } catch (e) {
      if (!call) return errorReply(tool.name, e, this.#withNotices([]));
      const { explained } = await import("./query/explained.ts");
      return errorReply(tool.name, explained(from, call, e), this.#withNotices([]));
    }
  }

  /** The folded files of these live plans and tasks that were changed by hand. */
  async changedByHand(workspace: string, ids: readonly string[]): Promise<ChangedFiles[]> {
    const { context, store } = this.#parts;
    const { changedByHand } = await import("./projection/changed_by_hand.ts");
    return ids.flatMap((id) => {
      const loaded = store.find(id);
      try {
        const files = loaded ? changedByHand(context, loaded, workspace) : [];
        return files.length > 0 ? [{ id, files }] : [];
      } catch (e) {
        // A read of that entity itself tells why its log cannot be read.
        if (!isTaskfoldError(e)) throw e;
        return [];
      }
    });
  }

  /** Questions within are answered from one look at all logs, as one answer is. */
  fromOneLook<T>(ask: () => Promise<T>): Promise<T> {
    return this.#parts.listing.fromOneLook(ask);
  }

  close(): void {
    this.#parts.listing.close();
    this.#parts.store.close();
    this.#locks?.close();
    this.#release();
  }

  /** Accepted changes that are not yet in their logs count for readers, too. */
  async #readable(): Promise<ReadModel> {
    if (this.#journal.pending().length === 0) return this.#parts;
    const { withJournal } = await import("./transaction/journal_lines.ts");
    return withJournal(this.#parts, this.#journal);
  }

  /** Whether a packet was ever run here: then an answer may say which process runs one. */
  #mayRunPackets(): boolean {
    const { disk, layout } = this.context;
    return this.#locks === undefined && listFolder(disk, layout.locks).some(isPacketLock);
  }

  async #loadLocks(): Promise<void> {
    const [{ machineLocks }, { HoldableLocks }] = await Promise.all([
      import("./locks/machine_locks.ts"),
      import("./locks/holdable_locks.ts"),
    ]);
    this.#locks = new HoldableLocks(machineLocks(this.context), this.context);
  }

  #withNotices(warnings: Reply["warnings"]): Reply["warnings"] {
    return [...warnings, ...this.context.notices.splice(0)];
  }
}

function writes(): never {
  throw new TaskfoldError("INTERNAL", "Expected a reader to take no lock and to decide nothing.");
}
