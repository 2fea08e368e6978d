/**
 * The effective Taskdoc: what an orchestrator puts before every agent of a dialog tree (TASKDOC-21, TASKDOC-23, TASKDOC-24 and TASKDOC-26). Plain
 * concatenation in a fixed frame: text that looks like the frame stands in a fence, and what matters stands beside it too.
 */
import type { Entity } from "../state/entity.ts";
import { liveConflicts } from "../state/live.ts";
import {
  BEAR_IN_MIND,
  BEAR_IN_MIND_SECTIONS,
  sectionName,
  sectionOf,
  sectionPathOf,
  sectionsBelow,
  TASKDOC_PACKAGE,
} from "../state/taskdoc.ts";
import type { TaskdocTarget } from "../state/taskdoc.ts";
import type { Language } from "../state/taskdoc_policy.ts";
import { fitBytes } from "./budget.ts";
import type { FittedText } from "./budget.ts";
import { FENCE_BYTES, fenced, fenceOf } from "./taskdoc_fence.ts";
import type { SectionBlock } from "./taskdoc_sections.ts";
import { emptyBlock, sectionBlock } from "./taskdoc_sections.ts";

/** Something about the package that is not as it should be; it is told and never injected. */
export interface TaskdocViolation {
  kind:
    | "stray"
    | "link"
    | "not_a_file"
    | "not_a_folder"
    | "differs"
    | "missing"
    | "unreadable"
    | "scan_limit"
    | "unmigrated"
    | "conflict";
  /** From the entity's folder. */
  path: string;
  message: string;
}

export interface EffectiveOptions {
  /** Of the first heading and the words of the engine; the headings of sections are the same in both. Default `en`. */
  language?: Language;
  /** Most bytes of UTF-8 that `text` has: 102,400 when left out, never less than 4,096. */
  maxBytes?: number;
  /** The findings of a look at the package on disk. */
  violations?: readonly TaskdocViolation[];
}

/** A section that is injected. */
export type EffectiveSection = SectionBlock & {
  /** The line above it in `text`. */
  heading: string;
  /** How many bytes of it stand in `text`, line feeds at its end aside. */
  shown_bytes: number;
};

/** A section that is not: it is named, for `recall_taskdoc`. */
export type IndexedSection = Omit<SectionBlock, "content" | "conflict">;

export interface EffectiveTaskdoc {
  text: string;
  /** In the order of the text, each with its whole content as it was given. */
  sections: EffectiveSection[];
  /** Sections with text in other categories, sorted by name; all of them. */
  index: IndexedSection[];
  violations: TaskdocViolation[];
  /** Of `text`, in UTF-8. */
  bytes: number;
  /** True when a section or the index was cut. */
  truncated: boolean;
}

const DEFAULT_BYTES = 102_400;
/** The frame, every note on a cut and an index that was cut fit it. */
const LEAST_BYTES = 4_096;
const MAX_INDEXED = 64;

const COPY = {
  en: {
    heading: "# Taskdoc (Dialog Tree)",
    index: "Not injected; read one with recall_taskdoc({ category, selector }):",
    none: "(none)",
    more: (n: number) => `- and ${n} more`,
    cut: (shown: number, of: number) => `[Cut: ${shown} of ${of} bytes are shown; change_mind replaces all of them.]`,
  },
  zh: {
    heading: "# 差遣牒（对话树）",
    index: "未自动注入；用 recall_taskdoc({ category, selector }) 读取：",
    none: "（无）",
    more: (n: number) => `- 另有 ${n} 个`,
    cut: (shown: number, of: number) => `[已截断：共 ${of} 字节，此处显示 ${shown} 字节；change_mind 会替换全部内容。]`,
  },
} as const;

/** A function of the sections, the language and the limit alone: no clock, no locale, no disk. @internal */
export function effectiveTaskdoc(entity: Entity, options: EffectiveOptions = {}): EffectiveTaskdoc {
  const { language = "en", maxBytes = DEFAULT_BYTES, violations = [] } = options;
  const copy = COPY[language];
  const most = Math.max(maxBytes, LEAST_BYTES);
  const blocks = injected(entity);
  const { index, lines, cut } = indexOf(entity, copy, Math.floor(most / 4));
  const bodies = blocks.map(({ content }) => withoutFinalBreaks(content));
  const frame = (texts: readonly string[]): string => textOf(copy.heading, blocks, texts, lines);
  const room = most - Buffer.byteLength(frame(bodies.map(() => "")));
  const fitted = fitFenced(bodies, room, copy.cut);
  const text = frame(fitted.map((body) => body.text));
  const conflicts = liveConflicts(entity).flatMap(({ field }) => conflictOf(field));
  return {
    text,
    sections: blocks.map((block, i) => ({ ...block, shown_bytes: fitted[i]!.shown })),
    index,
    violations: [...conflicts, ...violations],
    bytes: Buffer.byteLength(text),
    truncated: fitted.some(({ shown, of }) => shown < of) || cut,
  };
}

/** Bodies cut to `room`, in a fence where they need one: because of what they hold, or of what a cut took from them. */
function fitFenced(bodies: readonly string[], room: number, note: (shown: number, of: number) => string): FittedText[] {
  const fences = bodies.map(fenceOf);
  for (;;) {
    const held = bodies.map((body, i) => body.slice(0, fences[i]?.holds));
    const count = fences.filter((fence) => fence !== null).length;
    const fitted = fitBytes(held, room - count * FENCE_BYTES, note).map((one, i) => ended(one, bodies[i]!, note));
    const late = fitted.map((one, i) => (fences[i] ? null : fenceOf(one.text)));
    if (late.every((fence) => fence === null))
      return fitted.map((one, i) => (fences[i] ? { ...one, text: fenced(one.text, fences[i]) } : one));
    late.forEach((fence, i) => (fences[i] ??= fence));
  }
}

/** With the note also where the rest is left out because no fence holds it. */
function ended(one: FittedText, body: string, note: (shown: number, of: number) => string): FittedText {
  const of = Buffer.byteLength(body);
  if (one.of === of) return one;
  return one.shown < one.of ? { ...one, of } : { text: `${one.text}\n${note(one.shown, of)}`, shown: one.shown, of };
}

type Injected = SectionBlock & { heading: string };

/** In the order of the text; `bearinmind` only where it says something. */
function injected(entity: Entity): Injected[] {
  const blockOf = (target: TaskdocTarget, heading: string): Injected => {
    const section = sectionOf(entity.taskdoc, target);
    return { ...(section ? sectionBlock(entity, section) : emptyBlock(target)), heading };
  };
  const top = (selector: string, heading: string): Injected => blockOf({ category: null, selector }, heading);
  const bear = BEAR_IN_MIND_SECTIONS.map((selector) =>
    blockOf({ category: BEAR_IN_MIND, selector }, `### ${selector}.md`),
  ).filter(({ content }) => content.trim() !== "");
  return [top("goals", "## Goals"), top("constraints", "## Constraints"), ...bear, top("progress", "## Progress")];
}

/** Between sections at the top stands an empty line, between those of `bearinmind` none. */
function textOf(
  heading: string,
  blocks: readonly Injected[],
  texts: readonly string[],
  index: readonly string[],
): string {
  const lines = [heading, ""];
  blocks.forEach((block, i) => {
    const isBear = block.category !== null;
    if (isBear && blocks[i - 1]?.category === null) lines.push("## Bear In Mind");
    lines.push(block.heading, texts[i]!);
    if (!isBear || blocks[i + 1]?.category === null) lines.push("");
  });
  return [...lines, "## Extra Sections", ...index].join("\n");
}

/** The index, and the lines that show as much of it as `most` bytes hold. */
function indexOf(
  entity: Entity,
  copy: (typeof COPY)[Language],
  most: number,
): { index: IndexedSection[]; lines: string[]; cut: boolean } {
  const extra = sectionsBelow(entity.taskdoc).filter((s) => s.category !== BEAR_IN_MIND && s.content.trim() !== "");
  const index = extra.map((section) => {
    const { content: _content, conflict: _conflict, ...rest } = sectionBlock(entity, section);
    return rest;
  });
  if (index.length === 0) return { index, lines: [copy.index, copy.none], cut: false };
  const shown: string[] = [];
  let room = most - Buffer.byteLength(copy.index) - Buffer.byteLength(copy.more(index.length)) - 2;
  for (const section of index.slice(0, MAX_INDEXED)) {
    const line = `- ${sectionName(section)}`;
    room -= line.length + 1;
    if (room < 0) break;
    shown.push(line);
  }
  const rest = index.length - shown.length;
  return { index, lines: [copy.index, ...shown, ...(rest > 0 ? [copy.more(rest)] : [])], cut: rest > 0 };
}

function conflictOf(field: string): TaskdocViolation[] {
  const path = sectionPathOf(field);
  if (path === undefined) return [];
  const message =
    "Written on two branches; the later text is shown, and both stand in the conflict of its section until it is written again.";
  return [{ kind: "conflict", path: `${TASKDOC_PACKAGE}/${path}`, message }];
}

/** Without the line breaks at its end: they stay in the file. By hand: a pattern would look at every break of a text. */
function withoutFinalBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}
