/**
 * Reads of one workspace without the code that writes: a command that only looks loads a third of the engine. Each answer is
 * that of `Engine.call`.
 */
import { TaskfoldError } from "../errors.ts";
import type { JsonObject } from "../state/json.ts";
import type { ReadTool } from "../tools/read_tool.ts";
import { listFolder } from "../files/folders.ts";
import { checkBy } from "./core/input/check_by.ts";
import type { Caller, CallResult, CheckedCall } from "./entity/job.ts";
import type { WorkspaceLocks } from "./core/lock.ts";
import { openRoot } from "./open_root.ts";
import { isPacketLock } from "./entity/packet_holder.ts";
import { readAnswer } from "./query/read.ts";
import type { Reply } from "./entity/reply.ts";
import type { MachineOptions, WorkspaceOptions } from "./workspace_options.ts";
import type { EngineContext } from "./core/context.ts";
import { answerCall } from "./answer_call.ts";
import { OpenReadModel } from "./open_read_model.ts";

export class Reader {
  readonly root: string;
  readonly context: EngineContext;
  readonly #caller: Caller;
  readonly #model: OpenReadModel;
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
    this.root = root;
    this.context = context;
    this.#caller = { by: options.by, agentInstance: undefined, turnId: undefined };
    this.#model = new OpenReadModel(context);
    this.#release = release;
  }

  /** Id this root is bound to. */
  get id(): string | undefined {
    return this.#model.binding?.workspace;
  }

  /** Calls a tool that only reads. Never throws: a refusal or a failure comes back as the error of the reply. */
  call(tool: ReadTool, input: JsonObject): Promise<Reply> {
    const { name } = tool;
    const asked = { name, tool: () => tool, input, caller: this.#caller, workspaceRequired: true };
    return answerCall(this.#model, asked, {
      run: (one) => this.#run(one),
      explain: () => import("./query/explained.ts"),
    });
  }

  async #run(call: CheckedCall<ReadTool>): Promise<CallResult> {
    if (this.#mayRunPackets()) await this.#loadLocks();
    const files = call.tool.reads?.includes("folded_files")
      ? await import("./projection/changed_by_hand.ts")
      : undefined;
    return readAnswer(this.#model.reading(), this.#model.people, call, files?.changedByHand);
  }

  /** Questions within are answered from one look at all logs, as one answer is. */
  fromOneLook<T>(ask: () => Promise<T>): Promise<T> {
    return this.#model.listing.fromOneLook(ask);
  }

  close(): void {
    this.#model.closeLogs();
    this.#locks?.close();
    this.#release();
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
}

function writes(): never {
  throw new TaskfoldError("INTERNAL", "Expected a reader to take no lock and to decide nothing.");
}
