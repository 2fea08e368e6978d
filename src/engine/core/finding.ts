import { messageOf } from "../../message.ts";
import type { MESSAGE_PARTS, MessagePart, Wording } from "../../message.ts";
import { remedyOf } from "../../remedy.ts";
import type { REMEDY_PARTS, Remediable, RemedyPart } from "../../remedy.ts";

/** One thing that `verify`, `rebuild` or `resolve` found not to be as it should. */
export interface Finding {
  /** A code of the log (spec/log.md) or of spec/repair.md. */
  code: string;
  /** Relative to the workspace root, with `/`. */
  file: string;
  /** From 1; null where a line makes no sense. */
  line: number | null;
  /** From 0; null where a byte makes no sense. */
  byte: number | null;
  /** Says what was expected and found. */
  message: string;
  /** @internal */
  [MESSAGE_PARTS]?: readonly MessagePart[] | undefined;
  /** Says what to do about this finding. */
  recovery?: string;
  /** @internal */
  [REMEDY_PARTS]?: readonly RemedyPart[];
  /** Good to know and no fault: does not make a report not ok. */
  info?: true;
}

/** A finding about a file as a whole. `way`: its remedy, or an error or warning that has it. @internal */
export function wholeFile(code: string, file: string, message: Wording | string, way: Remediable = {}): Finding {
  return { code, file, line: null, byte: null, ...messageOf(message), ...remedyOf(way) };
}

/** @internal */
export function note(finding: Finding): Finding {
  return { ...finding, info: true };
}

/** Bytes that the shared log has for this machine: nothing is lost. @internal */
export function remoteFinding(file: string): Finding {
  return note(
    wholeFile("BYTES_REMOTE", file, "Bytes that an event names are on the shared log and not on this machine."),
  );
}

/** By file, then place, then code, faults before notes, so that two runs print the same. @internal */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) =>
      compare(a.file, b.file) ||
      (a.byte ?? -1) - (b.byte ?? -1) ||
      compare(a.code, b.code) ||
      Number(a.info ?? false) - Number(b.info ?? false) ||
      compare(a.message, b.message),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
