/** A stage that its caller runs: started and ended by two processes, with the same look at the work tree as a dispatcher has. */
import { internalsOf } from "../engine/groups/internals.ts";
import { dirname, join, resolve } from "node:path";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { inputWarnings } from "../engine/packet/packet_files.ts";
import type { Reply } from "../engine/entity/reply.ts";
import type { Workspace } from "../engine/workspace.ts";
import { TaskfoldError } from "../errors.ts";
import { ensureFolderInside } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import { endedBy } from "../rules/packet/packet_of.ts";
import { attemptFile, openAttempts, partsOfStage } from "../state/packet.ts";
import type { Attempt } from "../state/packet.ts";
import { acceptanceMode, acceptanceOf } from "../state/packet_next.ts";
import type { AllowCommands } from "./stage_attempt.ts";
import { AttemptChanges } from "./attempt_changes.ts";
import { KeptLog } from "./kept_log.ts";
import { OutputFile } from "./output_file.ts";
import { redactionOf } from "./redaction.ts";
import { requireTrustForCommands } from "./run_config.ts";
import { RedactedStream } from "./redacted_stream.ts";
import { commandResults, diffFit, shownPaths } from "./stage_facts.ts";
import { OUTPUT_BYTES } from "./stage_executor.ts";

export interface StageByHand {
  task: string;
  stage: string;
}

/** The reply of `packet_stage_start`. STAGE_RUNNING while a dispatcher runs the packet. */
export async function startByHand(
  workspace: Workspace,
  { task, stage, model }: StageByHand & { model?: string },
): Promise<Reply> {
  await internalsOf(workspace).fetchPacket(task);
  const access = internalsOf(workspace).packetAccess(task);
  const { id } = access;
  const lock = access.hold();
  const log = new KeptLog(workspace, access);
  try {
    const warnings = await log.restore();
    const changes = AttemptChanges.before(access, stage);
    const reply = await workspace.call("packet_stage_start", {
      workspace: workspace.id ?? "",
      task: id,
      stage,
      work_tree: changes.seen,
      ...(model === undefined ? {} : { model }),
    });
    if (reply.success) log.keep();
    if (reply.success) changes.begin(reply.result.run);
    return { ...reply, warnings: [...warnings, ...reply.warnings, ...inputWarnings(access)] } as Reply;
  } finally {
    lock.release();
  }
}

export interface FinishByHand extends StageByHand {
  /** The attempt, as its start named it. Needed where it may be another one than the caller began (PACKET-422). */
  run?: string;
  exit_code: number;
  timed_out?: boolean;
  /** Files with what the servant printed; they are copied, without secrets. */
  out?: string;
  err?: string;
  /** Folder that relative paths of these files start at. Default: the current one. */
  from?: string;
  /** Whether the acceptance commands may run, where the stage verifies. */
  allowCommands?: AllowCommands;
  environment?: Readonly<Record<string, string>>;
}

/** The reply of `packet_stage_finish`. */
export async function finishByHand(workspace: Workspace, options: FinishByHand): Promise<Reply> {
  await internalsOf(workspace).fetchPacket(options.task);
  const access = internalsOf(workspace).packetAccess(options.task);
  const { id } = access;
  const lock = access.hold();
  const log = new KeptLog(workspace, access);
  try {
    const warnings = await log.restore();
    const attempt = endedBy(access.subject(), options, internalsOf(workspace).captureAccess.by);
    const changes = AttemptChanges.during(access, attempt);
    for (const name of ["out", "err"] as const) {
      const file = options[name];
      if (file === undefined) continue;
      await placed(access, opened(access, file, options.from), attemptFile(access.packet(), attempt, name));
    }
    const { stage, exit_code, timed_out } = options;
    const applies = diffFit(access, stage, attempt.run);
    const ran = await acceptance(access, attempt, options);
    changes?.look(handedOver(options));
    const reply = await internalsOf(workspace).finishStage({
      workspace: workspace.id ?? "",
      task: id,
      stage,
      run: attempt.run,
      exit_code,
      ...(timed_out === undefined ? {} : { timed_out }),
      ...(changes ? { changed_paths: shownPaths(changes.paths, access.packet()) } : {}),
      ...changes?.notKnown(access.packet()),
      ...(applies ? { applies } : {}),
      ...ran,
    });
    if (reply.success) changes?.end(reply.result.passed);
    if (openAttempts(access.packet()).length === 0) log.drop();
    return { ...reply, warnings: [...warnings, ...reply.warnings] } as Reply;
  } finally {
    lock.release();
  }
}

function handedOver({ out, err, from = "" }: FinishByHand): string[] {
  return [out, err].filter((file) => file !== undefined).map((file) => resolve(from, file));
}

async function acceptance(
  access: PacketAccess,
  attempt: Attempt,
  { stage, exit_code, timed_out, allowCommands = false, environment = {} }: FinishByHand,
) {
  if (!allowCommands || exit_code !== 0 || timed_out || partsOfStage(stage).role !== "verify") return {};
  requireTrustForCommands(access, environment);
  const packet = access.packet();
  const commands = allowCommands === true ? acceptanceMode(packet) : allowCommands;
  const options = { commands: acceptanceOf(packet, commands, attempt), environment };
  return { commands, acceptance: await commandResults(access, packet, options) };
}

const CHUNK = 256 * 1024;

/** Copies an open file to its place among the outputs, by pieces and without secrets, and closes it; it may be that file itself. */
async function placed(access: PacketAccess, source: number, path: string): Promise<void> {
  const { disk, disks, folder, packet } = access;
  const { anywhere } = disks;
  try {
    for (const changed of ensureFolderInside(disk, folder, dirname(path))) disk.syncFolder(changed);
    const file = new OutputFile(disk, folder, path, OUTPUT_BYTES);
    try {
      const stream = new RedactedStream(redactionOf(packet()), (bytes) => file.write(bytes));
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (let at = 0, n = anywhere.read(source, chunk, 0); n > 0; n = anywhere.read(source, chunk, at)) {
        stream.add(Buffer.from(chunk.subarray(0, n)));
        at += n;
      }
      stream.end();
      await file.sync();
      file.complete();
      disk.syncFolder(dirname(join(folder, path)));
    } finally {
      file.close();
    }
  } catch (e) {
    throw storageError(e, `keep ${path}`);
  } finally {
    anywhere.close(source);
  }
}

function opened({ disks: { anywhere } }: PacketAccess, file: string, from = ""): number {
  const path = resolve(from, file);
  if (anywhere.stat(path)?.kind === "file") return anywhere.open(anywhere.outside.realpath(path), "r");
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a file with the output of the stage, found none at ${JSON.stringify(file)}.`,
    { recovery: "Name a file that is there, from the current folder." },
  );
}
