/** Replacing one section of the Taskdoc, whole, and nothing else (TASKDOC-8). */
import { hash } from "node:crypto";
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { taskdocChanged } from "../events/taskdoc.changed.ts";
import { shorten } from "../state/code_points.ts";
import type { Entity, Subject } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import type { JsonObject } from "../state/schema.ts";
import {
  EMPTY_SHA256,
  sectionField,
  sectionName,
  sectionOf,
  sectionPath,
  spelledCategory,
  TASKDOC_PACKAGE,
} from "../state/taskdoc.ts";
import type { TaskdocSection, TaskdocTarget } from "../state/taskdoc.ts";
import type { GivenTarget, TaskdocFault } from "../state/taskdoc_target.ts";
import { parseTaskdocTarget, readTaskdocTarget, taskdocError } from "../state/taskdoc_target.ts";
import { counted } from "../state/counted.ts";
import { listed, sentence } from "./phrase.ts";
import { callOn } from "./suggest.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

export interface ChangeMindInput extends GivenTarget {
  content?: unknown;
  clear?: unknown;
  previous_content_hash?: string;
}

/** A section and its text as they are to be; empty text clears it. */
export interface NewText {
  target: TaskdocTarget;
  content: string;
}

/** Where a text came from, when it was a file. */
export interface TextSource {
  file: string;
  /** Hex digest of the file's bytes. */
  sha256: string;
}

/** The state of a path of the task folder, as far as it is in the way (`inspectFile`). */
export type PathFact = { state: "present" } | { state: "missing" } | { state: "unsafe"; why: string };

/** The paths that have to be free of anything but folders and a file, the section's own last. */
export function sectionPaths(input: GivenTarget): string[] {
  const target = parseTaskdocTarget(input);
  const above = target.category === null ? [] : [`${TASKDOC_PACKAGE}/${target.category}`];
  return [TASKDOC_PACKAGE, ...above, `${TASKDOC_PACKAGE}/${sectionPath(target)}`];
}

/** Arguments in a fixed order: selector, category, both, content; the same ill call has the same code every time. */
export function readMind(input: ChangeMindInput): NewText {
  const target = readTaskdocTarget(input);
  if (typeof (input.clear ?? false) !== "boolean")
    throw new TaskfoldError("INVALID_INPUT", `Expected clear to be true or false, found a ${typeof input.clear}.`);
  if (input.clear !== true) return { target, content: checkContent(target, input.content) };
  if (input.content === undefined) return { target, content: "" };
  throw new TaskfoldError("INVALID_INPUT", "Expected either content or clear: true, found both.", {
    recovery: "Leave content out to clear the section, or clear to replace it.",
  });
}

/** The replacement as an op of one event. */
export function changeMind(subject: Subject, input: ChangeMindInput, files: ReadonlyMap<string, PathFact>): Draft[] {
  const { target, content } = readMind(input);
  refuseTwin(subject.entity, target);
  refuseObstacle(input, files);
  const section = sectionOf(subject.entity.taskdoc, target);
  if (content === "") refuseNothingToClear(subject, target, section);
  const expected = input.previous_content_hash;
  if (expected !== undefined && expected !== hashOf(section)) throw hashMismatch(subject, target, section, expected);
  return [sectionDraft(subject.entity, { target, content })];
}

/** The event that replaces a section; every check has been made. */
export function sectionDraft(entity: Entity, { target, content }: NewText, source?: TextSource): Draft {
  const name = sectionName(target);
  const bytes = Buffer.byteLength(content);
  const message =
    content === "" ? `Cleared ${name} of the Taskdoc` : `Replaced ${name} of the Taskdoc (${counted(bytes, "byte")})`;
  return taskdocChanged.draft({
    ...target,
    content,
    sha256: sha256Of(content),
    previous_sha256: hashOf(sectionOf(entity.taskdoc, target)),
    ...(source === undefined ? {} : { source }),
    message: sentence(source === undefined ? message : `${message} from ${source.file}`),
  });
}

/** Text that is kept exactly: no NUL, no lone surrogate, not blank, at most 256 KiB of UTF-8 (TASKDOC-9). */
export function checkContent(target: TaskdocTarget, content: unknown): string {
  const fault = contentFault(content);
  if (fault === null) return content as string;
  throw taskdocError(fault, target, {
    recovery: `An input that works: ${JSON.stringify({ ...given(target), content: "- first item\n- second item\n" })}`,
  });
}

/** Returns the fault of a text, or null. */
export function contentFault(content: unknown): TaskdocFault | null {
  if (typeof content !== "string") {
    return {
      code: "TASKDOC_CONTENT_REQUIRED",
      message: `Expected content to be the whole text of the section, found ${content === undefined || content === null ? "none" : `no text (${typeof content})`}.`,
      zh: "缺少 content：需要给出整段正文。",
    };
  }
  if (!content.isWellFormed() || content.includes("\0")) {
    return {
      code: "TASKDOC_CONTENT_NOT_TEXT",
      message: "Expected content that can be written as text, found a NUL or a lone surrogate in it.",
      zh: "content 含有 NUL 或无法编码的字符。",
    };
  }
  if (content.trim() === "") {
    return {
      code: "TASKDOC_CONTENT_EMPTY",
      message:
        "Expected content that says something, found only blanks; to empty a section on purpose give clear: true.",
      zh: "content 为空；若确实要清空该章节，请改用 clear: true。",
    };
  }
  const bytes = Buffer.byteLength(content);
  if (bytes <= LIMITS.textBytes) return null;
  return {
    code: "TASKDOC_CONTENT_TOO_LARGE",
    message: `Expected content of at most ${LIMITS.textBytes} bytes, found ${bytes}.`,
    zh: `content 过大：最多 ${LIMITS.textBytes} 字节，实际 ${bytes} 字节。`,
  };
}

/** A name that differs in case alone from one that is there would be the same file on some disks. */
export function refuseTwin(entity: Entity, target: TaskdocTarget): void {
  const fault = twinFault(entity, target);
  if (fault) throw taskdocError(fault, target);
}

export function twinFault({ taskdoc }: Entity, target: TaskdocTarget): TaskdocFault | null {
  const category = spelledCategory(taskdoc, target.category);
  if (category !== target.category) return twin("TASKDOC_CATEGORY_INVALID", "category", category!, target.category!);
  const section = sectionOf(taskdoc, target);
  if (!section || section.selector === target.selector) return null;
  return twin("TASKDOC_SELECTOR_INVALID", "selector", section.selector, target.selector);
}

function twin(code: TaskdocFault["code"], field: string, known: string, found: string): TaskdocFault {
  return {
    code,
    message: `Expected ${field} ${known}, which is there already; found ${found}, which differs in case alone.`,
    zh: `${field} 与已有的 ${known} 仅大小写不同：${found}。`,
    allowed: [known],
  };
}

function refuseObstacle(input: ChangeMindInput, files: ReadonlyMap<string, PathFact>): void {
  const paths = sectionPaths(input);
  for (const path of paths) {
    const fact = files.get(path);
    const own = path === paths.at(-1);
    // A folder where one belongs is "no regular file", and what a link on the way is, the last path tells.
    const why = own && fact?.state === "unsafe" ? fact.why : !own && fact?.state === "present" ? "it is a file" : null;
    if (why === null) continue;
    throw taskdocError(
      {
        code: "TASKDOC_PATH_INVALID",
        message: `Expected ${path} to be a ${own ? "file" : "folder"} of this Taskdoc: ${why}. Nothing was changed.`,
        zh: `${path} 处不是任务包自己的${own ? "文件" : "目录"}，未作任何更改。`,
      },
      input,
      remedy`A person has to take it away; then ${TASKFOLD} rebuild puts the package in order.`,
    );
  }
}

/** An empty section is cleared again only where two branches disagree about it. */
function refuseNothingToClear(subject: Subject, target: TaskdocTarget, section: TaskdocSection | undefined): void {
  if (section && (section.content !== "" || subject.entity.conflicts.has(sectionField(section)))) return;
  if (!section && target.category !== null) throw sectionMissing(subject, target);
  throw new TaskfoldError("ALREADY_DONE", `Expected ${sectionName(target)} to hold text, found it empty already.`, {
    recovery: "There is nothing to clear.",
  });
}

/** TASKDOC_SECTION_MISSING: the section was never written; `details.sections` has those that are there. */
export function sectionMissing({ entity }: Subject, target: TaskdocTarget): TaskfoldError {
  const sections = [...entity.taskdoc.values()].filter(({ category }) => category !== null).map(sectionName);
  return taskdocError(
    {
      code: "TASKDOC_SECTION_MISSING",
      message: `Expected a section ${sectionName(target)}, found none.`,
      zh: `没有章节 ${sectionName(target)}。`,
    },
    target,
    {
      recovery:
        sections.length === 0
          ? "There is no section in any category yet; change_mind makes one."
          : `There are ${listed(sections, 10)}; change_mind makes others.`,
      details: { sections: sections.slice(0, LIMITS.listPage) },
    },
  );
}

function hashMismatch(
  subject: Subject,
  target: TaskdocTarget,
  section: TaskdocSection | undefined,
  expected: string,
): TaskfoldError {
  const { sha256, by, ts, revision } = section?.last ?? { sha256: EMPTY_SHA256, by: null, ts: null, revision: null };
  const whose = by === null ? "it was never written" : `${by} wrote it at revision ${revision}`;
  return taskdocError(
    {
      code: "TASKDOC_HASH_MISMATCH",
      message: `Expected ${sectionName(target)} with the hash ${expected.slice(0, 64)}, found ${sha256}: ${whose}.`,
      zh: `章节 ${sectionName(target)} 已被他人更改，当前哈希为 ${sha256}。`,
    },
    target,
    {
      ...remedy`Put your text and the present text together (current_content of these details, or ${TASKFOLD} taskdoc show). Then call again with the hash that was found.`,
      suggestions:
        target.category === null
          ? []
          : [callOn(subject, "recall_taskdoc", { ...given(target) }, "See what stands there now.")],
      details: {
        expected: expected.slice(0, 64),
        ...presentText(section),
        updated_by: by,
        updated_at: ts,
        updated_revision: revision,
      },
    },
  );
}

/** Characters of the present text that a refusal carries. */
const SHOWN = 8_000;

/**
 * Returns the present text of a section, for a caller that is refused. An agent has no other way to read a section at
 * the top anew.
 */
export function presentText(section: TaskdocSection | undefined): JsonObject {
  const content = section?.content ?? "";
  const shown = shorten(content, SHOWN);
  return {
    current_content_hash: hashOf(section),
    current_content: shown,
    // A caller who put a text together with a part of this one would lose the rest.
    ...(shown === content ? {} : { current_content_cut: true, current_bytes: Buffer.byteLength(content) }),
  };
}

/** Returns the hash of a section's present text; of nothing where it was never written. */
export function hashOf(section: TaskdocSection | undefined): string {
  return section?.last.sha256 ?? EMPTY_SHA256;
}

function sha256Of(text: string): string {
  return hash("sha256", text, "hex");
}

/** The two names as a call has them. */
function given({ category, selector }: TaskdocTarget): GivenTarget {
  return category === null ? { selector } : { category, selector };
}
