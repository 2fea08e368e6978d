/**
 * The parts that a dispatcher of a packet needs beside calls: the packet as it is now, its folder, and the right to run
 * it.
 */
import { namedTime, worded } from "../../message.ts";
import type { Disk } from "../../disk.ts";
import type { Disks } from "../../disks.ts";
import type { Layout } from "../../files/layout.ts";
import type { Runtime } from "../../runtime.ts";
import { packetHeld, packetOf } from "../../rules/packet/packet_of.ts";
import type { Subject } from "../../state/entity.ts";
import type { Packet } from "../../state/packet.ts";
import type { PacketConfigs } from "../../state/packet_config.ts";
import type { ReadAccess } from "../entities/read_model.ts";
import { foreignFolder } from "../entities/entities.ts";
import type { GitPort } from "../core/git_port.ts";
import type { Lock } from "../core/lock.ts";
import { packetLock } from "../core/lock.ts";
import { refuseTwoFolders } from "../entity/two_folders.ts";
import { refuseAway } from "../entity/writable.ts";
import { isoTime } from "../core/context.ts";
import { ExplainedFiles } from "./explained_files.ts";
import type { LogEnd } from "./log_ends.ts";

export interface PacketAccess {
  readonly id: string;
  readonly disk: Disk;
  readonly disks: Disks;
  readonly layout: Layout;
  /** Of the task. */
  readonly folder: string;
  readonly configs: PacketConfigs;
  readonly git: GitPort | undefined;
  readonly now: () => number;
  readonly runtime: Runtime;
  /** Whether the shared log has the bytes of this digest, and this machine fetched them never. */
  readonly isRemote: (sha256: string) => boolean;
  /** Tells which changes below the workspace's own folder the logs explain. `before`: how far they went. */
  readonly explained: (before: ReadonlyMap<string, LogEnd>) => ExplainedFiles;
  /** The task as its log says now. */
  readonly subject: () => Subject;
  readonly packet: () => Packet;
  /** The right to run the packet, until it is released or this process ends. STAGE_RUNNING names the process that has it. */
  readonly hold: () => Lock;
}

/** UNKNOWN_ID, LOG_FOREIGN where another program keeps the task's files, or NO_PACKET. */
export function packetAccess(engine: ReadAccess, id: string): PacketAccess {
  const workspace = engine.binding?.workspace ?? "";
  const find = () => {
    const found = engine.reading().entities.find(workspace, { id, from: "input" });
    if (found.foreign) throw foreignFolder(found.loaded.id);
    return found.loaded;
  };
  const subject = (): Subject => find().subject(workspace);
  const packet = (): Packet => packetOf(subject());
  packet();
  const { context } = engine;
  const { folder } = find();
  return {
    id,
    disk: context.disk,
    disks: context.disks,
    layout: context.layout,
    folder,
    configs: context.packetConfigs,
    git: context.git?.(),
    now: context.now,
    runtime: context.runtime,
    isRemote: (sha256) => context.remote.has(sha256),
    explained: (before) => new ExplainedFiles(engine, before, id),
    subject,
    packet,
    hold: () => hold(engine, id),
  };
}

function hold(engine: ReadAccess, id: string): Lock {
  const { context } = engine;
  const { loaded, subject } = engine.entities.find(engine.binding?.workspace ?? "", { id, from: "input" });
  refuseAway(subject.entity, id, engine.binding?.workspace ?? "");
  refuseTwoFolders(loaded);
  const locks = context.locks();
  const name = packetLock(id);
  // A process that looks for the holder takes the lock for a moment.
  const lock = locks.tryAcquire(name) ?? (locks.holder(name) ? null : locks.tryAcquire(name));
  if (lock) return lock;
  const holder = locks.holder(name);
  throw packetHeld(id, holder, holder?.since === undefined ? "" : worded` since ${namedTime(isoTime(holder.since))}`);
}
