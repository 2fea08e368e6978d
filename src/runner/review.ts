/** A review after the implementation from beginning to end: its packet is made and run, and what it left is gathered (PACKET-212). */
import { internalsOf } from "../engine/groups/internals.ts";
import { join } from "node:path";
import type { ExportPacketReport } from "../engine/adoption/export_packet.ts";
import { prepareFolder } from "../engine/adoption/export_packet.ts";
import { unwrap } from "../engine/entity/unwrap.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { PacketRun, PacketRunOptions } from "./dispatcher.ts";
import { requireTrustForNew } from "./run_config.ts";

export interface ReviewOptions {
  /** Id that an unbound root is bound to. */
  workspace: string;
  /** Text of the context pack, and of the report on the implementation. */
  contextPack: string;
  implReport: string;
  /** Where the artifacts go. Default: `.tmp/review/<id>` below the root. */
  outDir?: string | undefined;
  /** Folder that a relative `outDir` starts at. Default: the root. */
  from?: string | undefined;
  /** Tells where the person keeps what is trusted. Default: the environment of this process. */
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Runs the packet: `runPacket`, with what the caller adds to its options. */
  run: (workspace: Workspace, options: Pick<PacketRunOptions, "task">) => Promise<PacketRun>;
}

export interface ReviewReport extends PacketRun {
  /** As the caller named it, else from the root on. */
  out_dir: string;
  files: ExportPacketReport["files"];
  missing: ExportPacketReport["missing"];
}

/** Below the root: like every folder of packets that is no task's, git need not see it. */
const OUT = join(".tmp", "review");

/** Leaves what the stages left also where the run stops or fails: the caller has paid for it. */
export async function reviewPacket(workspace: Workspace, options: ReviewOptions): Promise<ReviewReport> {
  const { contextPack, implReport, outDir, run } = options;
  const { root } = workspace;
  const { anywhere } = internalsOf(workspace).disks;
  const from = outDir === undefined ? root : (options.from ?? root);
  // Before the task is made and its stages are paid.
  requireTrustForNew(anywhere, root, internalsOf(workspace).packetConfigs, options.environment ?? process.env);
  const takeBack = prepareFolder(anywhere, join(root, ".coco"), outDir ?? OUT, from);
  const made = await workspace.call("packet_review", {
    workspace: options.workspace,
    context_pack: contextPack,
    impl_report: implReport,
  });
  if (!made.success) takeBack();
  const { task } = unwrap(made);
  const out_dir = outDir ?? join(OUT, task);
  let ran: PacketRun;
  try {
    ran = await run(workspace, { task });
  } catch (e) {
    workspace.packets.exportReview(task, out_dir, { from });
    throw e;
  }
  const { files, missing } = workspace.packets.exportReview(task, out_dir, { from });
  return { ...ran, out_dir, files, missing };
}
