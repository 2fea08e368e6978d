/** The refusal that a general file tool gives for a Taskdoc package, with the tool that is meant for it. */
import type { Suggestion } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";

/** The action that a general file tool was about to take. */
export type FileOperation = "read" | "write" | "list" | "move" | "delete" | "search";

export interface DenialOptions {
  /** Of the message and the recovery. Default: `en`. */
  language?: "en" | "zh";
  /** Id of the workspace, for the suggested calls. */
  workspace?: string;
  /** The text that was about to be written as the whole file, so that the suggested call is complete. */
  content?: string;
  /** The packages that `findPackagesUnder` found in the folder `path`, where that is the reason. */
  packages?: readonly string[];
}

interface Copy {
  message: (operation: FileOperation, path: string) => string;
  holds: (operation: FileOperation, path: string, packages: string) => string;
  recovery: Record<FileOperation, string>;
  /** Where a folder holds packages among other things. */
  beside: string;
  reason: Record<"recall_taskdoc" | "change_mind" | "clear", string>;
}

const READ_EN =
  "goals, constraints, progress and bearinmind/ are in your context already, with an index of the other sections: read one of " +
  "those with recall_taskdoc({ category, selector }).";
const READ_ZH =
  "goals、constraints、progress 与 bearinmind/ 已自动注入上下文，并附有其他章节的索引；其他章节用 recall_taskdoc({ category, selector }) 读取。";

const EN: Copy = {
  message: (operation, path) =>
    `Expected a path outside of Taskdoc packages (*.tsk/) to ${operation}, found ${path}: general file tools do not touch them.`,
  holds: (operation, path, packages) =>
    `Expected a folder without Taskdoc packages (*.tsk/) to ${operation}, found ${path} with ${packages}.`,
  recovery: {
    read: READ_EN,
    list: READ_EN,
    search: READ_EN,
    write: "Replace the whole text of one section with change_mind({ selector, content, category? }).",
    move: "A package stays with its task; replace the text of a section with change_mind({ selector, content, category? }).",
    delete:
      "A package stays with its task; empty a section on purpose with change_mind({ selector, category?, clear: true }).",
  },
  beside:
    "Packages stay with their tasks: take what is beside them path by path, and change their sections with change_mind.",
  reason: {
    recall_taskdoc: "Reads this section.",
    change_mind: "Replaces the whole text of this section.",
    clear: "Empties this section.",
  },
};

const VERB_ZH: Record<FileOperation, string> = {
  read: "读取",
  write: "写入",
  list: "列出",
  move: "移动",
  delete: "删除",
  search: "搜索",
};

const ZH: Copy = {
  message: (operation, path) =>
    `要${VERB_ZH[operation]}的路径应在差遣牒任务包（*.tsk/）之外，实际为 ${path}：通用文件工具不得访问任务包。`,
  holds: (operation, path, packages) =>
    `要${VERB_ZH[operation]}的目录不应含有差遣牒任务包（*.tsk/），实际 ${path} 中有 ${packages}。`,
  recovery: {
    read: READ_ZH,
    list: READ_ZH,
    search: READ_ZH,
    write: "用 change_mind({ selector, content, category? }) 整段替换一个章节。",
    move: "任务包随任务存放；更新章节请用 change_mind({ selector, content, category? }) 整段替换。",
    delete: "任务包随任务存放；有意清空某个章节请用 change_mind({ selector, category?, clear: true })。",
  },
  beside: "任务包随任务存放：请逐个处理它们旁边的路径；更新章节用 change_mind。",
  reason: {
    recall_taskdoc: "读取这个章节。",
    change_mind: "整段替换这个章节。",
    clear: "清空这个章节。",
  },
};

/** Names that a message spells out; the rest is counted. */
const MAX_NAMED = 3;
/** Characters of a path that a message repeats. */
const MAX_SHOWN = 200;

/**
 * The refusal to give when `isEncapsulatedPath` says true or `findPackagesUnder` found something.
 *
 * @param given the path as the agent gave it.
 * @returns a TaskfoldError TASKDOC_ENCAPSULATED, to be thrown or printed. It says what was expected and found, and the
 * recovery names the right tool (`recall_taskdoc`, `change_mind`). If the path names a section, `suggestions` holds the
 * call for it. `details` has `operation`, `path` and, where given, `packages`. Rules GUARD-17
 * (spec/guard.md).
 */
export function encapsulationError(
  operation: FileOperation,
  given: string,
  options: DenialOptions = {},
): TaskfoldError {
  const copy = options.language === "zh" ? ZH : EN;
  // The guard takes for encapsulated what is no text at all, and its refusal is this one too (GUARD-1).
  const path = typeof given === "string" ? given : `<${given === null ? "null" : typeof given}>`;
  const shown = JSON.stringify(path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path);
  const { packages } = options;
  const message = packages ? copy.holds(operation, shown, namesIn(packages)) : copy.message(operation, shown);
  return new TaskfoldError("TASKDOC_ENCAPSULATED", message, {
    recovery: packages ? copy.beside : copy.recovery[operation],
    suggestions: suggestionsFor(operation, path, copy, options),
    details: { operation, path, ...(packages ? { packages: [...packages] } : {}) },
  });
}

function namesIn(packages: readonly string[]): string {
  const more = packages.length - MAX_NAMED;
  return packages.slice(0, MAX_NAMED).join(", ") + (more > 0 ? `, +${more}` : "");
}

/** The call for the section that a path names by its letters; which sections there are, the tool itself knows. */
function suggestionsFor(
  operation: FileOperation,
  path: string,
  copy: Copy,
  { workspace, content }: DenialOptions,
): Suggestion[] {
  const section = sectionOf(path);
  if (!section) return [];
  const { target, category, selector } = section;
  const args = {
    ...(workspace === undefined ? {} : { workspace }),
    ...(target === undefined ? {} : { target }),
    ...(category === undefined ? {} : { category }),
    selector,
  };
  if (operation === "write") {
    // A caller may send a made-up text.
    if (content === undefined) return [];
    return [{ tool: "change_mind", args: { ...args, content }, reason: copy.reason.change_mind }];
  }
  if (operation === "delete") {
    return [{ tool: "change_mind", args: { ...args, clear: true }, reason: copy.reason.clear }];
  }
  // A file directly in a package is injected, and recall_taskdoc does not read it.
  if (category === undefined || operation === "move") return [];
  return [{ tool: "recall_taskdoc", args, reason: copy.reason.recall_taskdoc }];
}

/** `<selector>.md` or `<category>/<selector>.md` in a package; with the task where that is in the path. */
function sectionOf(path: string): { target?: string; category?: string; selector: string } | undefined {
  const names = path.split(/[\\/]/).filter((name) => name !== "" && name !== ".");
  const at = names.findIndex(isEncapsulatedPathLexical);
  const inside = names.slice(at + 1);
  const file = inside.pop();
  if (at === -1 || file === undefined || !file.endsWith(".md") || inside.length > 1) return undefined;
  const id = names[at - 2] === "tasks" && names[at - 3] === ".coco" ? names[at - 1] : undefined;
  return {
    ...(id === undefined ? {} : { target: id }),
    ...(inside[0] === undefined ? {} : { category: inside[0] }),
    selector: file.slice(0, -3),
  };
}
