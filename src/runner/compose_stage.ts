/** Writes the prompt that a stage would start with now; starts nothing and costs nothing. */
import { internalsOf } from "../engine/groups/internals.ts";
import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { inputWarnings, remoteFileWarnings } from "../engine/packet/packet_files.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Warning } from "../errors.ts";
import { writeAtomic } from "../files/atomic.ts";
import { ensureFolderInside } from "../files/folders.ts";
import { inspectText } from "../files/inspect.ts";
import { storageError } from "../files/storage_error.ts";
import { plannedStage } from "../rules/packet/packet_of.ts";
import { promptOf } from "../rules/packet/prompt_of.ts";
import { attachmentsFor } from "../rules/packet/review_files.ts";
import { partsOfStage, promptFile } from "../state/packet.ts";

export interface ComposedPrompt {
  task: string;
  stage: string;
  /** Where it was written, from the root on. */
  path: string;
  /** `path`: from the task's folder on. */
  prompt: { path: string; size: number; sha256: string };
  /** How often each pattern, and each forbidden path, was masked. */
  redactions: Record<string, number>;
  warnings: Warning[];
}

const MAX_TEXT = 4 * 1024 * 1024;

/**
 * INVALID_INPUT for a stage that the plan has not; STAGE_RUNNING while a dispatcher runs the packet. The warning BYTES_REMOTE says that
 * the prompt lacks what only the shared log has: `shared.fetch(task)` brings it.
 */
export function composeStage(workspace: Workspace, task: string, stage: string): ComposedPrompt {
  const access = internalsOf(workspace).packetAccess(task);
  plannedStage(access.subject(), stage);
  const lock = access.hold();
  try {
    return written(access, stage);
  } catch (e) {
    throw storageError(e, `write the prompt of ${stage}`);
  } finally {
    lock.release();
  }
}

function written(access: PacketAccess, stage: string): ComposedPrompt {
  const { id, disk, folder, layout, packet } = access;
  const { role } = partsOfStage(stage);
  const more = attachmentsFor(role, (path) => inspectText(disk, folder, path, MAX_TEXT));
  const { text, redactions } = promptOf(packet(), stage, more);
  const bytes = Buffer.from(text);
  const path = promptFile(stage);
  ensureFolderInside(disk, folder, "inputs/prompt");
  writeAtomic(disk, join(folder, path), bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    task: id,
    stage,
    path: relative(layout.root, join(folder, path)),
    prompt: { path, size: bytes.length, sha256 },
    redactions,
    warnings: [...inputWarnings(access), ...remoteFileWarnings(access)],
  };
}
