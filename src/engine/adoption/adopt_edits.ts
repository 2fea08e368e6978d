/**
 * Edits that a person made in the package of a Taskdoc, taken into the log as that person's change (TASKDOC-32 to
 * TASKDOC-32). For people alone: an agent that wrote there went past the tool that is meant for it.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { inspectFile } from "../../files/inspect.ts";
import { utf8Text } from "../../files/utf8_text.ts";
import type { NewText, TextSource } from "../../rules/change_mind.ts";
import { contentFault, hashOf, sectionDraft, twinFault } from "../../rules/change_mind.ts";
import type { Entity } from "../../state/entity.ts";
import type { TaskdocTarget } from "../../state/taskdoc.ts";
import { sectionName, sectionOf, sectionText, TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import { targetFault } from "../../state/taskdoc_target.ts";
import type { TaskdocViolation } from "../../views/taskdoc.ts";
import { driftOf } from "../projection/drift.ts";
import type { EngineParts } from "../parts.ts";
import { ownTool } from "../entity/system_op.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Caller } from "../entity/job.ts";
import { hasMarkers } from "../entity/human_files.ts";
import { packageViolations } from "../projection/taskdoc_package.ts";
import { remedy, toolName } from "../../remedy.ts";

export interface AdoptEditsOptions {
  /** Tell what would be taken in, and change nothing. */
  dryRun?: boolean;
}

/** One section that a person changed in its file. */
export interface TaskdocEdit extends TaskdocTarget {
  /** From the entity's folder. */
  path: string;
  /** The text in the log, and the text in the file. */
  before: string;
  after: string;
}

export interface AdoptEditsReport {
  id: string;
  /** False when nothing was (with `dryRun`: would be) taken in. */
  changed: boolean;
  edits: TaskdocEdit[];
  /** Files of the package that differ from the log and cannot be taken in, and why. */
  left: { path: string; reason: string }[];
  revision: number;
  warnings: Warning[];
}

interface Edit extends NewText {
  source: TextSource;
  before: string;
  /** Digest of what the log had when the file was read. */
  seen: string;
}

/** INVALID_INPUT unless `by` is a person; TASKDOC_HASH_MISMATCH when a section was replaced meanwhile. @internal */
export async function adoptTaskdocEdits(
  engine: EngineParts,
  id: string,
  caller: Caller,
  { dryRun = false }: AdoptEditsOptions,
): Promise<AdoptEditsReport> {
  if (!caller.by.startsWith("human:"))
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected a person to take in what a person wrote, found ${caller.by}.`,
      remedy`A person runs it with --by human:NAME; an agent replaces a section with ${toolName("change_mind")}.`,
    );
  const workspace = engine.binding?.workspace ?? "";
  const loaded = engine.entities.forWriting(workspace, { id, from: "input" });
  loaded.catchUp();
  const { edits, left } = look(engine, loaded, workspace);
  const changed = edits.length > 0;
  const report = { id: loaded.id, changed, edits: edits.map(shownEdit), left };
  if (dryRun || !changed) return { ...report, revision: loaded.entity!.revision, warnings: [] };
  const tool = ownTool("taskdoc_adopt_edits", ({ subject }) => ({
    drafts: edits.map((edit) => {
      refuseChanged(subject.entity, edit);
      return sectionDraft(subject.entity, edit, edit.source);
    }),
  }));
  const job = { tool, input: {}, workspace, caller, targetFrom: "input", key: undefined } as const;
  const { warnings } = await engine.submit(loaded, job);
  return { ...report, revision: loaded.entity!.revision, warnings };
}

function shownEdit({ target, content, before, source }: Edit): TaskdocEdit {
  return { category: target.category, selector: target.selector, path: source.file, before, after: content };
}

function look(
  engine: EngineParts,
  loaded: LoadedEntity,
  workspace: string,
): { edits: Edit[]; left: AdoptEditsReport["left"] } {
  const { disk } = engine.context;
  const { entity } = loaded.subject(workspace);
  const edits: Edit[] = [];
  const left: AdoptEditsReport["left"] = [];
  for (const violation of packageViolations(disk, loaded.folder, entity.taskdoc)) {
    const found = editOf(engine, loaded, workspace, entity, violation);
    if (found === null) continue;
    if (typeof found === "string") left.push({ path: violation.path, reason: found });
    else edits.push(found);
  }
  return { edits, left };
}

/** Returns the edit that can be taken in, why it cannot, or null where the file was not edited. */
function editOf(
  { context: { disk } }: EngineParts,
  loaded: LoadedEntity,
  workspace: string,
  entity: Entity,
  { kind, path, message }: TaskdocViolation,
): Edit | string | null {
  if (kind === "missing") return null;
  if (kind !== "differs" && kind !== "stray") return message;
  const target = targetOf(path);
  const fault = target === null ? null : (targetFault(target) ?? (kind === "stray" ? twinFault(entity, target) : null));
  if (target === null || fault) return fault?.message ?? "It is no file of a section: <selector>.md, or in one folder.";
  if (inspectFile(disk, loaded.folder, path).state !== "present") return "It is no regular file.";
  const found = disk.readFile(join(loaded.folder, path));
  const section = sectionOf(entity.taskdoc, target);
  const before = section?.content ?? "";
  if (kind === "differs") {
    const taskYaml = readRegular(disk, join(loaded.folder, TASK_FILE))?.toString("utf8");
    const file = { name: path, found, text: sectionText(before) };
    if (driftOf(disk, loaded, workspace, [file], taskYaml).changed.length === 0)
      return "It has a text that the log had before; the next change writes the present one.";
  }
  const content = utf8Text(found);
  const why = content === undefined ? "It is not UTF-8." : (contentFault(content)?.message ?? null);
  if (why !== null) return why;
  if (hasMarkers(content!)) return "It holds conflict markers; put the text right first.";
  const source = { file: path, sha256: createHash("sha256").update(found).digest("hex") };
  return { target, content: content!, source, before, seen: hashOf(section) };
}

/** The section that a path in the package is the file of, whatever its names are. */
function targetOf(path: string): TaskdocTarget | null {
  const parts = path.slice(TASKDOC_PACKAGE.length + 1).split("/");
  const selector = /^(.+)\.md$/.exec(parts.at(-1)!)?.[1];
  if (selector === undefined || parts.length > 2) return null;
  return { category: parts.length === 2 ? parts[0]! : null, selector };
}

function refuseChanged({ taskdoc }: Entity, { target, seen }: Edit): void {
  const current = hashOf(sectionOf(taskdoc, target));
  if (current === seen) return;
  throw new TaskfoldError(
    "TASKDOC_HASH_MISMATCH",
    `Expected ${sectionName(target)} as it was when its file was read, found it replaced meanwhile.`,
    { recovery: "Look at both texts, then take the edit in again.", details: { current_content_hash: current } },
  );
}
