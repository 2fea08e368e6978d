/** Grammars of ids. Ids are refused when they do not fit, never cleaned. */
import { TaskfoldError } from "../errors.ts";
import { LIMITS } from "./limits.ts";

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
/** Names no file system or fellow program would take for a task folder. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9]|placeholder)$/i;

export const STEP_ID_PATTERN = "^STEP-[0-9A-F]{8}$";
export const NODE_ID_PATTERN = "^NODE-[0-9A-F]{8}$";
const STEP_ID = new RegExp(STEP_ID_PATTERN);

/** Why `id` cannot name a folder, or null. `longest` leaves room for the suffix that a split adds. */
export function idFault(id: string, longest: number = LIMITS.idCharacters): string | null {
  if (id.length === 0) return "an id has at least one character";
  if (id.length > longest) return `an id has at most ${longest} characters, this one has ${id.length}`;
  if (!ID.test(id)) return "an id has letters, digits, '_' and '-' only and begins with a letter or digit";
  if (RESERVED.test(id)) return "this name is reserved";
  return null;
}

/** Refuses an id that cannot name a folder. */
export function checkId(id: string): void {
  const fault = idFault(id);
  if (fault !== null) {
    throw new TaskfoldError("ID_UNSAFE", `Expected a safe id: ${fault}. Found ${JSON.stringify(id.slice(0, 80))}.`, {
      recovery: "Give an id such as TASK-001 or fix-parser, or leave it out and one is made.",
    });
  }
}

export function isStepId(text: string): boolean {
  return STEP_ID.test(text);
}

export const WORKSPACE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$";
