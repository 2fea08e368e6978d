/** The folder of a workspace, as its readers and its writers share it. */
import { rootAboveGit } from "./core/root_above_git.ts";
import { resolve } from "node:path";
import { TaskfoldError } from "../errors.ts";
import { Layout } from "../files/layout.ts";
import type { Disk } from "../disk.ts";
import { disksOf } from "../disks.ts";
import { nodeRuntime } from "../node_runtime.ts";
import { checkRootPath } from "./core/root_path.ts";
import { ChangeNotifications } from "./core/change_notifications.ts";
import { AcknowledgedChanges } from "./core/acknowledged_changes.ts";
import { RemoteBytes } from "./core/remote_bytes.ts";
import { SparseCheckout } from "./core/sparse_checkout.ts";
import { guardedTelemetry } from "./core/telemetry/guarded_telemetry.ts";
import { observedDisk } from "./core/telemetry/observed_disk.ts";
import { machineFolderOf } from "../files/machine_folder.ts";
import type { TestingOptions } from "./workspace_options.ts";
import type { EngineContext } from "./core/context.ts";

type Writers = Pick<EngineContext, "locks" | "packetConfigs" | "cursors">;

/** So many random digits has an id. */
const ID_DIGITS = 20;

export interface OpenRoot {
  root: string;
  context: EngineContext;
  /** Lets go of every folder, and of the notification file. */
  release: () => void;
}

/**
 * Reads nothing yet. INVALID_INPUT when the root is there and is no folder, or its path is not UTF-8. `limit`: what a reader makes of the
 * disk before anything gets it.
 */
export function openRoot(options: TestingOptions, writers: Writers, limit = (disk: Disk): Disk => disk): OpenRoot {
  const root = resolve(options.root);
  const runtime = options.runtime ?? nodeRuntime;
  const now = options.now ?? (() => runtime.now());
  const disks = disksOf(options.disk, () => runtime.uptime());
  const held = disks.below(root);
  checkRootPath(held.disk.outside, root);
  const telemetry = options.telemetry ? guardedTelemetry(options.telemetry) : undefined;
  const opened = limit(held.disk);
  const disk = telemetry ? observedDisk(opened, telemetry) : opened;
  const layout = new Layout(root, machineFolderOf({ disk, runtime }, root));
  const notifications = new ChangeNotifications(disk, layout, runtime);
  const context: EngineContext = {
    disk,
    disks,
    layout,
    notifications,
    marks: new AcknowledgedChanges(disk, layout),
    durability: options.durability ?? "fsync",
    projections: options.projections ?? "batch",
    notices: [],
    above: options.rootSearchedFrom ? rootAboveGit(disks.anywhere, root, options.rootSearchedFrom) : undefined,
    remote: new RemoteBytes(disk, layout, now),
    sparse: new SparseCheckout({ disk, runtime }, root, () => options.git?.()?.leftOut?.()),
    lockTimeoutMs: options.lockTimeoutMs ?? 10_000,
    entitiesInMemory: options.entitiesInMemory ?? 1000,
    runtime,
    now,
    newId: options.newId ?? (() => runtime.randomHex(ID_DIGITS)),
    ...(options.git ? { git: options.git } : {}),
    ...(options.signers ? { signers: options.signers } : {}),
    ...(telemetry ? { telemetry } : {}),
    ...writers,
  };
  const stat = disk.stat(root);
  if (stat && stat.kind !== "folder")
    throw new TaskfoldError("INVALID_INPUT", `Expected root to be a folder, found a ${stat.kind}.`);
  const release = (): void => {
    notifications.close();
    held.release();
  };
  return { root, context, release };
}
