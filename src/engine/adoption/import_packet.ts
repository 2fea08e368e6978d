/** Takes in a packet's folder that another program made or changed: one op, on request, and nothing is believed before (PACKET-190). */
import { join, relative, resolve, sep } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { createEntity } from "../../rules/create_entity.ts";
import type { DefineSubject } from "../../rules/packet/define_packet.ts";
import type { ForeignPacket, Import } from "../../rules/packet/import_packet.ts";
import { importPacket as decideImport } from "../../rules/packet/import_packet.ts";
import { maskManifest } from "../../rules/packet/mask_manifest.ts";
import { withoutOlder } from "../../rules/packet/older_files.ts";
import { configForDefine, configForPatch } from "../../rules/packet/config_for.ts";
import type { PlanConfig } from "../../state/packet_config.ts";
import type { Attempt } from "../../state/packet.ts";
import type { NotTaken, Taken } from "../../state/packet_taken.ts";
import { withReopenings } from "../../rules/packet/reopened_steps.ts";
import { oneLine } from "../../rules/phrase.ts";
import type { EngineParts } from "../parts.ts";
import { maskAhead } from "../commit/mask_ahead.ts";
import { ownTool } from "../entity/system_op.ts";
import type { Caller } from "../entity/job.ts";
import type { FileFault, ReadPacket } from "./read_packet_folder.ts";
import { readPacketFolder } from "./read_packet_folder.ts";
import { packetStates } from "../entity/state_at.ts";

export interface ImportPacketReport {
  task: string;
  /** Whether the task was made for it. */
  created: boolean;
  /** False where the log says all of it already. */
  changed: boolean;
  took: Taken;
  /** The parts that stay outside, and why. */
  left: NotTaken[];
  revision: number;
  warnings: Warning[];
}

const TITLE = 200;

/** A folder as a caller names it; a relative one starts at `from`. */
interface NamedFolder {
  dir: string;
  from: string;
}

/**
 * INVALID_INPUT with every fault in `details.errors`; ID_TAKEN where the task has a packet that lies elsewhere. `unbound`: the
 * workspace where the root is bound to none. @internal
 */
export async function importPacket(
  engine: EngineParts,
  named: NamedFolder,
  caller: Caller,
  unbound = "",
): Promise<ImportPacketReport> {
  const workspace = engine.binding?.workspace ?? unbound;
  const read = await readFolder(engine, named, workspace);
  const { own } = read;
  const id = read.packet.manifest.task_id;
  const { config } = read;
  if (own !== null && own !== id) throw otherId(own, id);
  const { packet, left } = own === null ? read : ownChanges(engine, read, { workspace, id });
  const unread = new Set(left.map(({ path }) => path));
  const behind = own !== null && engine.dirty.mayBeBehind(id);
  const decide = (subject: DefineSubject, now: string): Import => {
    if (own === null && subject.entity.packet) throw hasPacket(id);
    return decideImport(subject, packet, { config, now, own: own !== null, unread, behind });
  };
  let done: Import | undefined;
  const decided = (subject: DefineSubject, now: string): Import => (done = decide(subject, now));
  const reportOf = ({ took, left: more }: Import, warnings: readonly Warning[] = []) => {
    const all = [...left, ...more];
    return { task: id, took, left: all, warnings: [...warnings, ...leftOut(all)] };
  };
  const taken = async (): Promise<ImportPacketReport> => {
    if (own === null && !engine.store.has(id)) {
      const made = await make(engine, { packet, workspace, caller }, decided);
      if (made) {
        const { revision } = engine.entities.find(workspace, { id, from: "input" }).subject.entity;
        return { ...reportOf(done!, made.warnings), created: true, changed: true, revision };
      }
    }
    const loaded = engine.entities.forWriting(workspace, { id, from: "input", kind: "task" });
    loaded.catchUp();
    const guess = decide(loaded.subject(workspace), "");
    if (guess.drafts.length === 0)
      return { ...reportOf(guess), created: false, changed: false, revision: loaded.entity!.revision };
    const tool = ownTool("packet_import", (ctx) => {
      const { drafts, contents, warnings } = decided(ctx.subject, ctx.now);
      return { drafts: withReopenings(ctx.subject, drafts, ctx), contents, warnings };
    });
    const { warnings } = await engine.submit(loaded, {
      tool,
      input: {},
      workspace,
      caller,
      targetFrom: "input",
      key: undefined,
    });
    return { ...reportOf(done!, warnings), created: false, changed: true, revision: loaded.entity!.revision };
  };
  // The texts are masked before any lock.
  const release = await maskAhead(engine.context, () => {
    const isHere = own !== null || engine.store.has(id);
    decide(
      isHere ? engine.entities.find(workspace, { id, from: "input" }).subject : { id, workspace, entity: NEW },
      "",
    );
  });
  try {
    return await taken();
  } finally {
    release();
  }
}

/** A task before its first event. */
const NEW = { kind: "task", packet: null } as const;

/**
 * Returns the changes that were made in the folder by hand. Texts that the log had before, and those that it names, are
 * no changes.
 */
function ownChanges(
  engine: EngineParts,
  { packet: from, left }: ReadFolder,
  { workspace, id }: { workspace: string; id: string },
): Pick<ReadFolder, "packet" | "left"> {
  const loaded = engine.entities.forWriting(workspace, { id, from: "input", kind: "task" });
  const states = packetStates(loaded);
  const named = new Set(states.at(-1)?.attempts.flatMap(filesOf));
  const { packet, left: older } = withoutOlder(from, states);
  return { packet, left: [...left.filter(({ path }) => !named.has(path)), ...older] };
}

/** Of an attempt: those that its event names, and the one with the results of its commands. */
function filesOf({ stage, ended }: Attempt): string[] {
  return [...Object.values(ended?.files ?? {}).map(({ path }) => path), `outputs/${stage}.artifact.md`];
}

/** The task and its packet are one op, so that no crash leaves a task without its packet. Undefined where the task is there meanwhile. */
async function make(
  engine: EngineParts,
  { packet, workspace, caller }: { packet: ForeignPacket; workspace: string; caller: Caller },
  decide: (subject: DefineSubject, now: string) => Import,
): Promise<{ warnings: Warning[] } | undefined> {
  const { task_id: id, goal } = maskManifest(packet.manifest).manifest;
  const input = { workspace, kind: "task" as const, id, title: oneLine(goal, TITLE) };
  const tool = ownTool("packet_import", ({ now, newStepId }) => {
    const { drafts, contents, warnings } = decide({ id, workspace, entity: NEW }, now);
    return { drafts: [...createEntity(input, new Map(), newStepId), ...drafts], contents, warnings };
  });
  try {
    return await engine.make({ tool, input, workspace, caller });
  } catch (e) {
    // Another process imports the same folder: then the packet it made is in the way, and is told.
    if (!isTaskfoldError(e) || e.code !== "ID_TAKEN" || !engine.store.has(id)) throw e;
    return undefined;
  }
}

function leftOut(left: readonly NotTaken[]): Warning[] {
  if (left.length === 0) return [];
  const [{ path, reason }] = left as [NotTaken];
  const more = left.length === 1 ? "" : `, and ${left.length - 1} more`;
  return [
    {
      code: "LEFT_OUT",
      message: `The import left out ${path} (${reason})${more}.`,
      recovery: "The reply lists each with its reason under left; the folder still has them.",
    },
  ];
}

interface ReadFolder {
  packet: ForeignPacket;
  left: ReadPacket["left"];
  /** Id of the task whose own folder it is. */
  own: string | null;
  config: PlanConfig;
}

async function readFolder(engine: EngineParts, named: NamedFolder, workspace: string): Promise<ReadFolder> {
  const { context } = engine;
  const yaml = await import("yaml");
  const dir = resolve(named.from, named.dir);
  const own = ownFolder(engine, dir);
  const config = configFor(engine, own, workspace);
  const held = own === null ? context.disks.below(dir) : undefined;
  const disk = held?.disk ?? context.disk;
  try {
    if (disk.stat(dir)?.kind !== "folder") throw noFolder(named.dir);
    const { packet, faults, left } = readPacketFolder(disk, dir, { config, yaml });
    if (!packet) throw faulty(faults);
    if (held && disk.lstat(join(dir, LOG_FILE)))
      left.push({ path: LOG_FILE, reason: "a log of another workspace is not taken in; the files count as they are" });
    return { packet, left, own, config };
  } finally {
    held?.release();
  }
}

/** A change by hand keeps what the packet was planned with; a packet from elsewhere is new here. */
function configFor({ context, entities }: EngineParts, own: string | null, workspace: string): PlanConfig {
  const { packetConfigs } = context;
  const packet = own === null ? null : entities.find(workspace, { id: own, from: "input" }).subject.entity.packet;
  if (!packet) return configForDefine(own ?? "", null, packetConfigs);
  return packetConfigs.given ?? configForPatch(own!, packet, packetConfigs);
}

/** The folder of a live task of this workspace, with a log of ours in it. */
function ownFolder({ context: { disk, layout } }: EngineParts, dir: string): string | null {
  const id = relative(layout.tasks, dir);
  if (id === "" || id.startsWith("..") || id.includes(sep)) return null;
  return disk.lstat(join(dir, LOG_FILE))?.kind === "file" ? id : null;
}

function faulty(faults: readonly FileFault[]): TaskfoldError {
  const lines = faults
    .slice(0, 3)
    .map(({ file, field, message }) => `${field === "" ? file : `${file} ${field}`}: ${message}`);
  const more = faults.length > lines.length ? ` and ${faults.length - lines.length} more` : "";
  return new TaskfoldError("INVALID_INPUT", `Expected a packet's folder without faults; ${lines.join(" ")}${more}`, {
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
