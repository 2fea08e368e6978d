import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import { oneLine } from "./phrase.ts";

const CONTROL = /[\u0000-\u001f]/; // oxlint-disable-line no-control-regex

/**
 * Why a text is no path inside a folder, or null. Names only, separated by `/`: the same on every platform, and
 * nothing that could climb out. Links are the engine's to check; this is the grammar.
 */
export function pathFault(path: string): string | null {
  if (path === "") return "it is empty";
  if (!path.isWellFormed()) return "it has a lone surrogate";
  if (CONTROL.test(path)) return "it has a control character";
  if (path.includes("\\")) return "it has a backslash; write / instead";
  if (path.startsWith("/")) return "it is absolute";
  if (/^[A-Za-z]:/.test(path)) return "it names a drive";
  const segments = path.split("/");
  if (segments.includes("..")) return "it climbs out with '..'";
  if (segments.includes(".") || segments.includes("")) return "it has an empty or '.' segment";
  return null;
}

/** A leading `./` says nothing and is taken off. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** PATH_UNSAFE for a path that is not inside `folder`; returns it without a leading `./`. */
export function checkPath(path: string, folder: string): string {
  const plain = withoutDot(path);
  const fault = pathFault(plain);
  if (fault !== null) throw unsafePath(path, folder, fault);
  return plain;
}

/** TASKDOC_ENCAPSULATED for a path in a Taskdoc package: evidence reads nothing of one, and points into none (GUARD-22). */
export function checkOutsideTaskdoc(path: string): string {
  if (!isEncapsulatedPathLexical(path)) return path;
  throw new TaskfoldError(
    "TASKDOC_ENCAPSULATED",
    `Expected evidence outside of Taskdoc packages (*.tsk/), found ${JSON.stringify(oneLine(path))}.`,
    remedy`Read the section with ${toolName("recall_taskdoc")} and quote it in content, or name another file.`,
  );
}

export function unsafePath(path: string, folder: string, why: string): TaskfoldError {
  return new TaskfoldError(
    "PATH_UNSAFE",
    `Expected a path inside ${folder}, found ${JSON.stringify(oneLine(path))}: ${why}.`,
    {
      recovery: `Give it relative to ${folder}, with / between the names, such as agents/w1/out.log.`,
    },
  );
}
