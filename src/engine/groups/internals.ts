/** Methods of an open workspace for the hosts and the runner of this package: no workspace has them itself. */
import type { Disks } from "../../disks.ts";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import type { EvidenceItem } from "../../rules/evidence_item.ts";
import { redactorOf } from "../../rules/packet/redact.ts";
import type { Runtime } from "../../runtime.ts";
import type { Checkpoint } from "../../state/entity.ts";
import type { JsonObject } from "../../state/json.ts";
import type { PacketConfigs } from "../../state/packet_config.ts";
import type { ForeignItem } from "../adoption/import_items.ts";
import { importItem, importedBefore } from "../adoption/import_items.ts";
import type { ChangeTool } from "../../tools/change_tool.ts";
import { hostEvidence } from "../../tools/host_evidence.ts";
import { hostStageFinish } from "../../tools/host_stage_finish.ts";
import type { ToolResults } from "../../tools/generated/tool_types.ts";
import type { GitPort } from "../core/git_port.ts";
import { checkBy } from "../core/input/check_by.ts";
import type { LogFacts } from "../../attest/log_facts.ts";
import { logFacts } from "../attest/log_facts.ts";
import { TreeLook } from "../core/tree_look.ts";
import type { WorkspaceHold } from "../core/lock.ts";
import { notBound, readBinding } from "../entity/binding.ts";
import type { Reply } from "../entity/reply.ts";
import type { PacketAccess } from "../packet/packet_access.ts";
import { packetAccess } from "../packet/packet_access.ts";
import { entityLocations } from "../repair/entity_locations.ts";
import { restoreLines } from "../repair/restore_lines.ts";
import { keepChanged } from "./has_changed.ts";
import type { OpenWorkspace } from "./open.ts";
import { coded, codedLater } from "./open.ts";

const INTERNALS = new WeakMap<object, WorkspaceInternals>();

export function keepInternals(workspace: object, open: OpenWorkspace): void {
  INTERNALS.set(workspace, new WorkspaceInternals(open));
  keepChanged(workspace, () => open.engine.context.notifications.changes > 0);
}

/** INVALID_INPUT for a workspace of another copy of this package. */
export function internalsOf(workspace: object): WorkspaceInternals {
  const found = INTERNALS.get(workspace);
  if (found) return found;
  throw new TaskfoldError(
    "INVALID_INPUT",
    "Expected a workspace that this copy of the package opened, found another object.",
    {
      recovery: "Import openWorkspace and the runner from one installation of the package.",
    },
  );
}

/** The machine and the repository as a captured run sees them. */
export interface CaptureAccess {
  readonly root: string;
  readonly by: string;
  readonly disks: Disks;
  readonly git: () => GitPort | undefined;
  readonly now: () => number;
  readonly runtime: Runtime;
  /** Takes secrets out of a text: those that are built in, and those of the packet if the task of this id has one. */
  readonly redactorOf: (task: string) => (text: string) => string;
}

/** Input of `tasks_evidence_capture`, with items that its callers cannot give. */
export interface HostEvidence {
  workspace?: string;
  task?: string;
  plan?: string;
  path?: string;
  step_id?: string;
  items: readonly EvidenceItem[];
  checkpoint?: readonly Checkpoint[];
}

export class WorkspaceInternals {
  readonly #open: OpenWorkspace;

  constructor(open: OpenWorkspace) {
    this.#open = open;
  }

  /**
   * Makes a plan or task that came from another tracker, with all that is to be said of it: one transaction. A key that made one before
   * makes none. ID_TAKEN where the id is another's.
   */
  async importItem(item: ForeignItem): Promise<readonly Warning[]> {
    this.#open.check();
    const work = () => importItem(this.#open.engine, item, { by: this.#open.by });
    return codedLater("take in an item", this.#open.called(work));
  }

  /** Ids of what these keys of imports made before, by key. */
  importedBefore(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    this.#open.check();
    return codedLater("look for earlier imports", importedBefore(this.#open.engine, keys));
  }

  /** The logs of all plans and tasks that are not in the archive, as they are on disk, for what is signed. */
  logFacts(): LogFacts[] {
    this.#open.check();
    const { engine, id = "" } = this.#open;
    return coded("read the logs", () => {
      const live = entityLocations(engine).filter(({ part }) => part === "tasks");
      const tree = new TreeLook(engine.context);
      return live.flatMap((place) => logFacts(engine.context, place, id, tree) ?? []);
    });
  }

  /** The packet of a task as values, and what a dispatcher needs to run it. */
  packetAccess(id: string): PacketAccess {
    this.#open.check(id);
    return coded("read the packet", () => packetAccess(this.#open.engine, id));
  }

  /** The configurations of packets here. */
  get packetConfigs(): PacketConfigs {
    this.#open.check();
    return this.#open.engine.context.packetConfigs;
  }

  /** The parts by which a run is captured (PROOF-46). */
  get captureAccess(): CaptureAccess {
    this.#open.check();
    const { disks, git, now, runtime } = this.#open.engine.context;
    const { root, by } = this.#open;
    return { root, by, disks, git: () => git?.(), now, runtime, redactorOf: (task) => this.#redactorOf(task) };
  }

  /** A task that is not there is refused when the run is recorded. */
  #redactorOf(task: string): (text: string) => string {
    const loaded = this.#open.engine.reading().store.find(task);
    const isRead = loaded?.catchUp() === true;
    const { redact } = redactorOf(isRead ? loaded.entity?.packet?.manifest.security : undefined);
    return (text) => redact(text).text;
  }

  /** The only way in for items that say that Taskfold made a run or signed evidence (PROOF-46). Never throws, as `call`. */
  captureEvidence(input: HostEvidence, by = this.#open.by): Promise<Reply> {
    this.#open.check();
    if (by !== this.#open.by) checkBy(by);
    const tool = (): ChangeTool => hostEvidence;
    return this.#open.engine.call(hostEvidence.name, input, { by }, { tool });
  }

  /** `tasks_claim_next` that passes over steps of these ids (LEASE-56). Never throws, as `call`. */
  claimNext(input: JsonObject, lost: ReadonlySet<string>, by = this.#open.by): Promise<Reply> {
    this.#open.check();
    if (by !== this.#open.by) checkBy(by);
    return this.#open.engine.call("tasks_claim_next", input, { by, passedOver: lost });
  }

  /** NO_WORKSPACE where no file binds the root, or none does any more. */
  mustBeBound(): void {
    this.#open.check();
    if (readBinding(this.#open.engine.context) === undefined) throw notBound();
  }

  /** `packet_stage_finish`, with results that say that Taskfold started the command (PROOF-46). Never throws, as `call`. */
  finishStage(input: Record<string, unknown>): Promise<Reply<ToolResults["packet_stage_finish"]>> {
    this.#open.check();
    const tool = (): ChangeTool => hostStageFinish;
    const reply = this.#open.engine.call(hostStageFinish.name, input, { by: this.#open.by }, { tool });
    return reply as Promise<Reply<ToolResults["packet_stage_finish"]>>;
  }

  /** The runner of packets reads and writes outside of the root by these. */
  get disks(): Disks {
    this.#open.check();
    return this.#open.engine.context.disks;
  }

  /** Fetches what other machines left of a packet, where this machine lacks it. SHARED_UNAVAILABLE where no server gives it. */
  async fetchPacket(id: string): Promise<void> {
    this.#open.check(id);
    await this.#open.engine.machine?.fetchPacket(this.#open.id ?? "", id);
  }

  /** Brings back what a log has lost of `kept`, which was its text; how many lines were gone. */
  async restoreLines(id: string, kept: Buffer): Promise<number> {
    this.#open.check(id);
    return codedLater("put the log back", restoreLines(this.#open.engine, id, kept));
  }

  /**
   * Holds the locks of all writers in all processes, while the caller lets git change the work tree. LOCK_TIMEOUT where a writer does not end
   * in time: then none is held. `token`: random; programs whose environment has it as TASKFOLD_GIT_RUN write all the same.
   */
  hold(command: string, token: string): Promise<WorkspaceHold> {
    this.#open.check();
    return codedLater("hold the workspace", this.#open.engine.hold(command, token));
  }
}
