/** Everything that the parts of one open workspace share: the disk, the clock, the ids, the locks and the settings. */
import type { Bytes } from "../../global_types.ts";
import type { Disk } from "../../disk.ts";
import type { Disks } from "../../disks.ts";
import type { Warning } from "../../errors.ts";
import type { Layout } from "../../files/layout.ts";
import type { Runtime } from "../../runtime.ts";
import type { PacketConfigs } from "../../state/packet_config.ts";
import type { ChangeNotifications } from "./change_notifications.ts";
import type { AcknowledgedChanges } from "./acknowledged_changes.ts";
import type { GitPort } from "./git_port.ts";
import type { WorkspaceLocks } from "./lock.ts";
import type { RemoteBytes } from "./remote_bytes.ts";
import type { SignersPort } from "./signers_port.ts";
import type { SparseCheckout } from "./sparse_checkout.ts";
import type { TelemetryPort } from "./telemetry/telemetry.ts";

/**
 * When a caller is told "done" (spec/durability.md). `fsync`: after its own bytes are synced. `group`: after they are
 * written, with one fdatasync for all within 20 ms. `os`: after they are written, and the engine never syncs them.
 */
export const DURABILITIES = ["fsync", "group", "os"] as const;
export type Durability = (typeof DURABILITIES)[number];

/** Whether projections follow every batch of changes, or only `rebuild` and `close`. */
export const PROJECTIONS = ["batch", "manual"] as const;
export type Projections = (typeof PROJECTIONS)[number];

export interface EngineContext {
  readonly disk: Disk;
  /** Of the places that a caller names, and of threads. */
  readonly disks: Disks;
  readonly layout: Layout;
  /** Notified after each change of a log or its folder. */
  readonly notifications: ChangeNotifications;
  /** The last change of each plan and task that the notification file knows. */
  readonly marks: AcknowledgedChanges;
  readonly durability: Durability;
  readonly projections: Projections;
  /** Bytes that events name and that the shared log has for this machine. */
  readonly remote: RemoteBytes;
  /** Tells which parts of `.coco` git leaves out of this work tree. */
  readonly sparse: SparseCheckout;
  readonly lockTimeoutMs: number;
  /** How many plans and tasks stay in memory between calls. */
  readonly entitiesInMemory: number;
  /** The machine as far as it is no disk: its clocks, timers, chance, threads and processes. */
  readonly runtime: Runtime;
  /** Milliseconds since 1970, for the times of events. Times of files are compared with those of `runtime`. */
  readonly now: () => number;
  /** Sixteen or more random hex digits. */
  readonly newId: () => string;
  /** Warnings that the next reply adds: things that were found and moved on the way. */
  readonly notices: Warning[];
  /** Said with the first change: where it went, if that may be elsewhere than its caller thinks. */
  readonly above?: Warning | undefined;
  /** Made at the first write: reading needs no lock. */
  readonly locks: () => WorkspaceLocks;
  /** Lines that readers count as standing behind those of a log, by the folder of the log (TXN-5). Writers have none. */
  readonly pendingLines?: ReadonlyMap<string, Bytes>;
  /** Which servants and pipelines packets have. */
  readonly packetConfigs: PacketConfigs;
  /** Cursors by their tokens, of a reader that writes no file for them. */
  readonly cursors?: Map<string, string>;
  /** Git for this root, if the host gave any; undefined outside of a work tree. Asked for anew by each call. */
  readonly git?: () => GitPort | undefined;
  /** Whom this machine trusts, if the host says it. Asked where the mode of a step wants a signed proof. */
  readonly signers?: () => SignersPort;
  /** Told of calls, waits, syncs and publishes, if the host gave any. */
  readonly telemetry?: TelemetryPort;
}

let lastMs = Number.NaN;
let lastText = "";

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. Calls of one batch fall into one millisecond: the text before is used again. @internal */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
