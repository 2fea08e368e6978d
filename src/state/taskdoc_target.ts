/**
 * The names of Taskdoc sections: nine reserved ones in fixed places, and one grammar for all others (TASKDOC-2 to
 * TASKDOC-7). Lexical and total: the same pair of names always has the same verdict, whatever stands on a disk. Names are
 * refused, never cleaned or trimmed.
 */
import { TaskfoldError } from "../errors.ts";
import type { ErrorCode, Suggestion } from "../errors.ts";
import { BEAR_IN_MIND, BEAR_IN_MIND_SECTIONS, TOP_LEVEL_SECTIONS } from "./taskdoc.ts";
import type { TaskdocTarget } from "./taskdoc.ts";

/** A letter, then letters, digits, `_`, `-`; dots only between two parts that are not empty. */
export const TASKDOC_NAME = /^[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
export const TASKDOC_NAME_CHARACTERS = 64;

/** Names that some file system takes for a device, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
/** Endings that would make a package in a package, or a file called `x.md.md`. */
const ENDING = /\.(?:tsk|md)$/i;

const TOP: ReadonlySet<string> = new Set(TOP_LEVEL_SECTIONS);
const BEAR: ReadonlySet<string> = new Set(BEAR_IN_MIND_SECTIONS);

export type TaskdocCode = Extract<ErrorCode, `TASKDOC_${string}`>;

/** A fault of a call about a section, in the two languages that agents are spoken to in. */
export interface TaskdocFault {
  code: TaskdocCode;
  message: string;
  zh: string;
  /** The names that would do, where there are a few. */
  allowed?: readonly string[];
}

/** The selectors that a caller gave: anything, because also what no schema takes gets a code of its own. */
export interface GivenTarget {
  selector?: unknown;
  category?: unknown;
}

/** The section that two names mean; throws the code of what is wrong with them, selector first, then category, then both. */
export function parseTaskdocTarget(given: GivenTarget): TaskdocTarget {
  const fault = targetFault(given);
  if (fault) throw taskdocError(fault, given);
  const { selector, category } = given as { selector: string; category?: string | null };
  return { selector, category: isAbsent(category) ? null : category! };
}

/** As `parseTaskdocTarget`, of a call: null says "no category" in the log and in answers, and nothing that was meant in a call. */
export function readTaskdocTarget(given: GivenTarget): TaskdocTarget {
  if (given.category === null && selectorFault(given.selector) === null)
    throw taskdocError(
      badCategory("null", {
        en: "it is no text; leave it out for a section at the top",
        zh: "不是文本；顶层章节请省略 category",
      }),
      given,
    );
  return parseTaskdocTarget(given);
}

/** Returns the fault of two names, or null. */
export function targetFault({ selector, category }: GivenTarget): TaskdocFault | null {
  return selectorFault(selector) ?? categoryFault(category) ?? pairFault(selector as string, category as string);
}

/** The error of a fault; `details` has the two names, those allowed, and the message in Chinese. */
export function taskdocError(
  { code, message, zh, allowed }: TaskdocFault,
  { selector, category }: GivenTarget,
  more: { recovery?: string; suggestions?: Suggestion[]; details?: Record<string, unknown> } = {},
): TaskfoldError {
  const named = { category: shown(category), selector: shown(selector) };
  return new TaskfoldError(code, message, {
    recovery: RECOVERY,
    ...more,
    details: { ...named, ...(allowed ? { allowed } : {}), message_zh: zh, ...more.details },
  });
}

const RECOVERY =
  `Without category: ${TOP_LEVEL_SECTIONS.join(", ")}. With category ${BEAR_IN_MIND}: ${BEAR_IN_MIND_SECTIONS.join(", ")}. ` +
  'Anything else by two names of your own: {"category":"ux","selector":"checklist"}.';

function isAbsent(category: unknown): boolean {
  return category === undefined || category === null || category === "";
}

function selectorFault(selector: unknown): TaskdocFault | null {
  if (selector === undefined || selector === null || selector === "") {
    return {
      code: "TASKDOC_SELECTOR_REQUIRED",
      message: "Expected selector to name a section, found none.",
      zh: "缺少 selector：需要指明章节。",
      allowed: TOP_LEVEL_SECTIONS,
    };
  }
  const why = nameFault(selector);
  return why === null ? null : badSelector(selector, why.en, why.zh);
}

function categoryFault(category: unknown): TaskdocFault | null {
  if (isAbsent(category) || category === BEAR_IN_MIND) return null;
  const why = nameFault(category) ?? reservedCategory(category as string);
  return why === null ? null : badCategory(category, why);
}

function badCategory(category: unknown, why: Why): TaskdocFault {
  return {
    code: "TASKDOC_CATEGORY_INVALID",
    message: `Expected category to be ${BEAR_IN_MIND} or another safe name such as ux.checklists, found ${quote(category)}: ${why.en}.`,
    zh: `category 无效（${quote(category)}）：${why.zh}。`,
  };
}

function reservedCategory(category: string): Why | null {
  const lower = category.toLowerCase();
  if (lower === BEAR_IN_MIND)
    return { en: `it differs from ${BEAR_IN_MIND} in case alone`, zh: `与 ${BEAR_IN_MIND} 仅大小写不同` };
  if (TOP.has(lower) || BEAR.has(lower)) return { en: "it is the reserved name of a section", zh: "这是保留的章节名" };
  return null;
}

function pairFault(selector: string, category: string | null | undefined): TaskdocFault | null {
  const lower = selector.toLowerCase();
  if (isAbsent(category)) {
    if (TOP.has(selector)) return null;
    if (BEAR.has(lower)) return reservedBear(selector);
    return badSelector(
      selector,
      TOP.has(lower) ? "names are compared exactly" : "without a category there are only three",
      TOP.has(lower) ? "名称区分大小写" : "没有 category 时只有三个顶层章节",
      TOP_LEVEL_SECTIONS,
    );
  }
  if (TOP.has(lower)) {
    return {
      code: "TASKDOC_SELECTOR_RESERVED_TOP_LEVEL",
      message: `Expected ${lower} without a category: it is a section at the top only; found category ${quote(category)}.`,
      zh: `${lower} 只能是顶层章节，不得放在任何 category 下。`,
      allowed: TOP_LEVEL_SECTIONS,
    };
  }
  if (category !== BEAR_IN_MIND) return BEAR.has(lower) ? reservedBear(selector) : null;
  if (BEAR.has(selector)) return null;
  return badSelector(
    selector,
    `in ${BEAR_IN_MIND} there are only six`,
    `${BEAR_IN_MIND} 下只允许六个固定名称`,
    BEAR_IN_MIND_SECTIONS,
  );
}

function reservedBear(selector: string): TaskdocFault {
  return {
    code: "TASKDOC_SELECTOR_RESERVED_BEARINMIND",
    message: `Expected ${quote(selector)} in category ${BEAR_IN_MIND} only.`,
    zh: `${quote(selector)} 只能放在 category="${BEAR_IN_MIND}" 下。`,
    allowed: BEAR_IN_MIND_SECTIONS,
  };
}

function badSelector(selector: unknown, en: string, zh: string, allowed?: readonly string[]): TaskdocFault {
  return {
    code: "TASKDOC_SELECTOR_INVALID",
    message: `Expected selector to be ${allowed ? allowed.join(", ") : "a safe name such as checklist"}, found ${quote(selector)}: ${en}.`,
    zh: `selector 无效（${quote(selector)}）：${zh}。`,
    ...(allowed ? { allowed } : {}),
  };
}

interface Why {
  en: string;
  zh: string;
}

function nameFault(name: unknown): Why | null {
  if (typeof name !== "string") return { en: "it is no text", zh: "不是文本" };
  if (name.length > TASKDOC_NAME_CHARACTERS)
    return {
      en: `a name has at most ${TASKDOC_NAME_CHARACTERS} characters, this one has ${name.length}`,
      zh: `名称最多 ${TASKDOC_NAME_CHARACTERS} 个字符`,
    };
  if (!TASKDOC_NAME.test(name))
    return {
      en: "a name begins with a letter and has letters, digits, '_' and '-', with single dots between",
      zh: "名称以字母开头，只含字母、数字、'_'、'-'，点号只能单个地出现在中间",
    };
  if (DEVICE.test(name)) return { en: "it is the name of a device", zh: "这是设备名" };
  if (ENDING.test(name)) return { en: "a name does not end in .md or .tsk", zh: "名称不得以 .md 或 .tsk 结尾" };
  return null;
}

/** A short form that is safe to print, whatever it is. */
function quote(value: unknown): string {
  const text = JSON.stringify(shown(value));
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value.slice(0, 80).toWellFormed() : typeof value;
}
