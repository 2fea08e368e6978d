/** Takes in a packet's folder that another program made or changed: one op, on request, and nothing is believed before (PACKET-190). */
import { join, relative, sep } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { LOG_FILE } from "../files/layout.ts";
import { RootedDisk } from "../rooted_disk.ts";
import type { ForeignPacket } from "../rules/packet/import_packet.ts";
import { importPacket as decideImport } from "../rules/packet/import_packet.ts";
import { maskManifest } from "../rules/packet/mask_manifest.ts";
import type { NotTaken, Taken } from "../state/packet_taken.ts";
import { oneLine } from "../rules/phrase.ts";
import type { Engine } from "./engine.ts";
import { ownTool } from "./engine_job.ts";
import type { Caller } from "./job.ts";
import type { FileFault, ReadPacket } from "./read_packet_folder.ts";
import { readPacketFolder } from "./read_packet_folder.ts";
import { unwrap } from "./unwrap.ts";

export interface ImportPacketReport {
  task: string;
  /** Whether the task was made for it. */
  created: boolean;
  /** False where the log says all of it already. */
  changed: boolean;
  took: Taken;
  /** What stays outside, and why. */
  left: NotTaken[];
  revision: number;
  warnings: Warning[];
}

const TITLE = 200;

/** INVALID_INPUT with every fault in `details.errors`; ID_TAKEN where the task has a packet that lies elsewhere. @internal */
export async function importPacket(engine: Engine, dir: string, caller: Caller): Promise<ImportPacketReport> {
  const workspace = engine.binding?.workspace ?? "";
  const { packet, left, own } = await readFolder(engine, dir);
  const id = packet.manifest.task_id;
  if (own !== null && own !== id) throw otherId(own, id);
  const created = own === null && !engine.store.has(id);
  if (created) await create(engine, packet, workspace, caller);
  const handle = engine.entities.forWriting(workspace, { id, from: "input", kind: "task" });
  handle.catchUp();
  if (own === null && handle.entity?.packet) throw hasPacket(id);
  const config = engine.world.packetConfig();
  const unread = new Set(left.map(({ path }) => path));
  const decide = (subject: Parameters<typeof decideImport>[0], now: string) => {
    if (own === null && subject.entity.packet) throw hasPacket(id);
    return decideImport(subject, packet, { config, now, own: own !== null, unread });
  };
  const guess = decide(handle.subject(workspace), "");
  const report = { task: id, created, took: guess.took, left: [...left, ...guess.left] };
  if (guess.drafts.length === 0) return { ...report, changed: false, revision: handle.entity!.revision, warnings: [] };
  let done = guess;
  const tool = ownTool("packet_import", ({ subject, now }) => {
    done = decide(subject, now);
    return { drafts: done.drafts, contents: done.contents, warnings: done.warnings };
  });
  const { warnings } = await engine.submit(handle, {
    tool,
    input: {},
    workspace,
    caller,
    targetFrom: "input",
    key: undefined,
  });
  const { took } = done;
  return { ...report, took, left: [...left, ...done.left], changed: true, revision: handle.entity!.revision, warnings };
}

interface ReadFolder {
  packet: ForeignPacket;
  left: ReadPacket["left"];
  /** Id of the task whose own folder it is. */
  own: string | null;
}

async function readFolder(engine: Engine, dir: string): Promise<ReadFolder> {
  const { world } = engine;
  const yaml = await import("yaml");
  const config = world.packetConfig();
  const own = ownFolder(engine, dir);
  const disk = own === null ? new RootedDisk(dir) : undefined;
  try {
    if ((disk ?? world.disk).stat(dir)?.kind !== "folder") throw noFolder(dir);
    const { packet, faults, left } = readPacketFolder(disk ?? world.disk, dir, { config, yaml });
    if (!packet) throw faulty(faults);
    return { packet, left, own };
  } finally {
    disk?.release();
  }
}

/** The folder of a live task of this workspace, with a log of ours in it. */
function ownFolder({ world: { disk, layout } }: Engine, dir: string): string | null {
  const id = relative(layout.tasks, dir);
  if (id === "" || id.startsWith("..") || id.includes(sep)) return null;
  return disk.lstat(join(dir, LOG_FILE))?.kind === "file" ? id : null;
}

async function create(engine: Engine, { manifest }: ForeignPacket, workspace: string, caller: Caller): Promise<void> {
  const { task_id: id, goal } = maskManifest(manifest).manifest;
  const input = { workspace, kind: "task", id, title: oneLine(goal, TITLE) };
  try {
    unwrap(await engine.call("tasks_create", input, caller));
  } catch (e) {
    // Another process imports the same folder: then the packet it made is in the way, and is told.
    if (!isTaskfoldError(e) || e.code !== "ID_TAKEN" || !engine.store.has(id)) throw e;
  }
}

function faulty(faults: readonly FileFault[]): TaskfoldError {
  const told = faults
    .slice(0, 3)
    .map(({ file, field, message }) => `${field === "" ? file : `${file} ${field}`}: ${message}`);
  const more = faults.length > told.length ? ` and ${faults.length - told.length} more` : "";
  return new TaskfoldError("INVALID_INPUT", `Expected a packet's folder without faults; ${told.join(" ")}${more}`, {
    recovery: "Put each file right that details.errors names; nothing was taken in.",
    details: { errors: faults.map((fault) => ({ ...fault })) },
  });
}

function noFolder(dir: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected the folder of a packet, found none at ${JSON.stringify(dir)}.`, {
    recovery: "Name a folder that holds manifest.yaml, such as .tmp/task/20260218-001.",
  });
}

function otherId(own: string, id: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected task_id ${own} in the folder of ${own}, found ${id}.`, {
    recovery: "Put task_id back to the id of the task.",
  });
}

function hasPacket(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected a task without a packet; ${id} carries one.`, {
    recovery: `Give the folder another task_id, or take in what changed in .coco/tasks/${id} itself.`,
    details: { id },
  });
}
