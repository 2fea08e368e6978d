/**
 * A Taskdoc of the old form, one Markdown file, taken into the log section by section (IMPORT-8, IMPORT-9 and IMPORT-13). It only fills
 * what is empty, so nothing can be lost on either side.
 */
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { utf8Text } from "../../files/utf8_text.ts";
import type { NewText, TextSource } from "../../rules/change_mind.ts";
import { contentFault, sectionDraft } from "../../rules/change_mind.ts";
import type { MarkdownTaskdoc } from "../../rules/markdown_taskdoc.ts";
import { readMarkdownTaskdoc } from "../../rules/markdown_taskdoc.ts";
import type { Entity } from "../../state/entity.ts";
import { sectionName, sectionOf, sectionPath, TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import { taskdocError } from "../../state/taskdoc_target.ts";
import type { EngineParts } from "../parts.ts";
import { ownTool } from "../entity/system_op.ts";
import type { Caller } from "../entity/job.ts";
import { digestOf, MAX_BYTES, takenFrom } from "../projection/unmigrated_taskdoc.ts";
import { remedy, toolName } from "../../remedy.ts";

export interface ImportTaskdocOptions {
  /** Tell what would be taken in, and change nothing. */
  dryRun?: boolean;
}

/** One section that a file fills. */
export interface ImportedSection {
  selector: MarkdownTaskdoc["sections"][number]["selector"];
  /** From the entity's folder. */
  path: string;
  content: string;
  bytes: number;
}

export interface ImportTaskdocReport {
  id: string;
  /** False when nothing was (with `dryRun`: would be) taken in: the file says nothing, or is in the log already. */
  changed: boolean;
  /** True when this very file was taken in before. */
  already: boolean;
  /** From the workspace's root; its name alone when it lies elsewhere. */
  file: string;
  /** Hex digest of the file's bytes, which the events name too. */
  sha256: string;
  sections: ImportedSection[];
  /** Lines with text that no heading of a section stood above; they are in `progress`. */
  unplaced: number;
  revision: number;
  warnings: Warning[];
}

/** INVALID_INPUT for what is no such file, TASKDOC_CONTENT_* for its text, TASKDOC_NOT_EMPTY when a section has text already. @internal */
export async function importMarkdownTaskdoc(
  engine: EngineParts,
  id: string,
  file: string,
  caller: Caller,
  { dryRun = false }: ImportTaskdocOptions,
): Promise<ImportTaskdocReport> {
  const { bytes, source } = readSource(engine, file);
  const { sections, unplaced } = readMarkdownTaskdoc(checkedText(bytes, source.file));
  const texts = sections.map(({ selector, content }): NewText => ({ target: { category: null, selector }, content }));
  for (const { target, content } of texts) {
    const fault = contentFault(content);
    if (fault)
      throw taskdocError(fault, target, { recovery: `Make ${sectionName(target)} of ${source.file} shorter.` });
  }
  const workspace = engine.binding?.workspace ?? "";
  const loaded = engine.entities.forWriting(workspace, { id, from: "input" });
  loaded.catchUp();
  const entity = loaded.entity!;
  const taken = takenFrom(entity.taskdoc, source.sha256) && filled(entity, texts).length > 0;
  if (!taken) refuseFilled(entity, texts, source.file);
  const changed = texts.length > 0 && !taken;
  const imported = taken ? [] : texts.map(({ target, content }) => importedSection(target.selector, content));
  const report = { id: loaded.id, changed, already: taken, ...source, sections: imported, unplaced };
  if (dryRun || !changed) return { ...report, revision: entity.revision, warnings: [] };
  const tool = ownTool("taskdoc_import", ({ subject }) => {
    // Another caller may have written while this call waited for its turn.
    refuseFilled(subject.entity, texts, source.file);
    return { drafts: texts.map((text) => sectionDraft(subject.entity, text, source)) };
  });
  const job = { tool, input: {}, workspace, caller, targetFrom: "input", key: undefined } as const;
  const { warnings } = await engine.submit(loaded, job);
  return { ...report, revision: loaded.entity!.revision, warnings };
}

function importedSection(selector: string, content: string): ImportedSection {
  const path = `${TASKDOC_PACKAGE}/${sectionPath({ category: null, selector })}`;
  return { selector: selector as ImportedSection["selector"], path, content, bytes: Buffer.byteLength(content) };
}

/** Names of the sections that have text already. */
function filled({ taskdoc }: Entity, texts: readonly NewText[]): string[] {
  return texts
    .filter(({ target }) => (sectionOf(taskdoc, target)?.content ?? "") !== "")
    .map(({ target }) => sectionName(target));
}

function refuseFilled(entity: Entity, texts: readonly NewText[], file: string): void {
  const sections = filled(entity, texts);
  if (sections.length === 0) return;
  throw new TaskfoldError(
    "TASKDOC_NOT_EMPTY",
    `Expected the sections that ${file} would fill to be empty, found text in ${sections.join(", ")}.`,
    {
      ...remedy`Nothing was changed. Put both texts together with ${toolName("change_mind")}, then take the file away.`,
      details: { file, sections },
    },
  );
}

function readSource({ context: { disk, layout } }: EngineParts, file: string): { bytes: Buffer; source: TextSource } {
  const path = resolve(layout.root, file);
  const inside = relative(layout.root, path);
  const name = inside.startsWith("..") || isAbsolute(inside) ? basename(path) : inside.replaceAll(sep, "/");
  const refuse = (found: string, cause?: unknown): TaskfoldError =>
    new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${name} to be a Markdown file of at most ${MAX_BYTES} bytes, found ${found}.`,
      {
        recovery: "Give the path of the file, from the workspace's root or absolute.",
        ...(cause === undefined ? {} : { cause }),
      },
    );
  try {
    const stat = disk.outside.stat(path);
    if (!stat) throw refuse("nothing of that name");
    if (stat.kind !== "file") throw refuse(`a ${stat.kind}`);
    if (stat.size > MAX_BYTES) throw refuse(`${stat.size} bytes`);
    const bytes = disk.outside.readFile(path, MAX_BYTES);
    return { bytes, source: { file: name, sha256: digestOf(bytes) } };
  } catch (e) {
    const errno = errnoOf(e);
    if (e instanceof TaskfoldError || errno === undefined) throw e;
    throw refuse(`one that cannot be read (${errno})`, e);
  }
}

function checkedText(bytes: Buffer, file: string): string {
  const text = utf8Text(bytes);
  if (text !== undefined) return text;
  throw new TaskfoldError("TASKDOC_CONTENT_NOT_TEXT", `Expected ${file} to be UTF-8, found other bytes.`, {
    recovery: "Save it as UTF-8.",
  });
}
