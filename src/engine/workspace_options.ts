/** Options with which a workspace is opened, and those of each call. */
import type { Disk } from "../disk.ts";
import type { Runtime } from "../runtime.ts";
import type { JsonObject } from "../state/json.ts";
import type { PacketConfig } from "../state/packet_config.ts";
import type { ToolInputs, ToolName } from "../tools/generated/tool_types.ts";
import type { IdStyle } from "./core/id_style.ts";
import type { GitPort } from "./core/git_port.ts";
import type { LockProvider } from "./core/lock.ts";
import type { SignersPort } from "./core/signers_port.ts";
import type { SharedLogPort } from "./core/shared_log.ts";
import type { TelemetryPort } from "./core/telemetry/telemetry.ts";
import type { LockKind } from "./locks/machine_locks.ts";
import type { Durability, Projections, EngineContext } from "./core/context.ts";

export interface WorkspaceOptions {
  /** The folder that holds `.coco`, or will after the first write. */
  root: string;
  /**
   * Id of the workspace. Calls may leave it out; those that name another one are refused, and so is a root that is bound to
   * another one.
   */
  workspace?: string;
  /** The folder from which `root` was found upwards, if it was: the first change says so if a repository of git ends between them (DIR-1). */
  rootSearchedFrom?: string;
  /** The actor, when a call names none: `human:NAME`, `agent:NAME` or `system`. Default `human:local`. */
  by?: string;
  durability?: Durability;
  projections?: Projections;
  /** How long a write waits for another process, in milliseconds. Default 10,000. */
  lockTimeoutMs?: number;
  /**
   * How many plans and tasks stay in memory between calls; those that were not used for longest are read again when they are
   * asked for. Default 1,000.
   */
  entitiesInMemory?: number;
  /**
   * Which kind of lock this machine uses for this root, when none was chosen before; `.coco/locks/kind` keeps it. Default: `os`
   * where such locks exist, else `lockfile`.
   */
  lock?: LockKind;
  /** How ids are made in a root that the first write binds. Default `sequential`. */
  ids?: IdStyle;
  /**
   * Git for this root, for what compares with the base branch; undefined outside of a work tree. Left out, those parts of
   * an answer say that they are not available.
   */
  git?: () => GitPort | undefined;
  /**
   * Whom this machine trusts, such as `() => openSigners(root)` of `taskfold/signers`: asked when a step of proof mode `attested` closes. Left
   * out, no key is trusted.
   */
  signers?: () => SignersPort;
  /**
   * Which servants and pipelines packets have. Left out, those of the folder `configs` below the root, else those that are built in
   * (PACKET-383).
   */
  packet?: PacketConfig;
  /**
   * The log that this workspace shares with other machines, such as `jetstream({ servers })` of `taskfold/jetstream`. Left out, this
   * machine alone writes.
   */
  shared?: SharedLogPort;
  /** Metrics and traces of this workspace, such as `otel()` of `taskfold/otel`. Left out, the engine measures nothing. */
  telemetry?: TelemetryPort;
}

/**
 * The machine under a workspace, which a test or a simulation gives by `taskfold/testing`. The default of each part is that of Node and
 * of the system.
 */
export interface MachineOptions {
  /** The machine as far as it is no disk: clocks, timers, chance, threads, processes. Left out, `nodeRuntime`. */
  runtime?: Runtime;
  /** Milliseconds since 1970, for the times of events alone. */
  now?: () => number;
  /** Sixteen or more hexadecimal digits, never the same twice. */
  newId?: () => string;
  /** The engine, its files and the runner of packets read and write nothing beside it. */
  disk?: Disk;
  /** Gives the locks, in place of those of the kind that `lock` names. */
  lockProvider?: (context: EngineContext) => LockProvider;
}

/** Options of the `openWorkspace` of `taskfold/testing`. */
export interface TestingOptions extends WorkspaceOptions, MachineOptions {}

/** Options of `openReader`: those of `openWorkspace` that mean something to a program that only looks. */
export interface ReaderOptions extends Pick<
  WorkspaceOptions,
  "root" | "workspace" | "by" | "entitiesInMemory" | "git" | "packet" | "telemetry"
> {}

/** Options of the `openReader` of `taskfold/testing`. */
export interface ReaderTestingOptions extends ReaderOptions, Pick<MachineOptions, "runtime" | "now" | "disk"> {}

/** Inputs of calls that may leave out the workspace, because its opening named it. */
export type ImpliedInputs = { [T in ToolName]: Omit<ToolInputs[T], "workspace"> & { workspace?: string } };

/** An input without a budget, so that nothing is left out of the answer. */
export type Unbudgeted<Input> = Input & { max_chars?: never };

/** The actor of one call, where it is not the workspace's own `by`. */
export interface CallOptions {
  by?: string;
  /** Which agent instance, and which of its turns, for other programs that read the log. */
  agentInstance?: string;
  turnId?: string;
  /** The input has to name the workspace although the opening did, as the rules of a host may ask for. */
  workspaceRequired?: boolean;
  /**
   * Makes an operation that names another workspace than its batch, where there are several roots.
   * @internal
   */
  elsewhere?: ((name: string, input: JsonObject) => Promise<object>) | undefined;
}
