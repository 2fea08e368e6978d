/** Evidence: Coco's EvidenceEntry (seed task-directory, "Evidence Entry Format"), and receipts. */

export type EvidenceSource =
  | { type: "fileAnchor"; path: string; startLine: number; endLine: number }
  | {
      type: "commandExecution";
      command: string;
      cwd: string;
      exitCode?: number;
      stdoutRef?: string;
      stderrRef?: string;
    }
  | { type: "runtimeEventRange"; eventsRef: string; startLine?: number; endLine?: number };

export type EvidenceKind = "file-anchor" | "command-execution" | "runtime-event-range";

/** Exactly the keys of Coco's closed schema, in its order. */
export interface EvidenceEntry {
  id: string;
  kind: EvidenceKind;
  title: string;
  summary: string;
  createdAt: string;
  sources: EvidenceSource[];
  artifactRefs?: string[];
}

/** Facts that were recorded beside an entry, so that it can be looked at again; Coco's schema has no room for them. */
export interface EvidenceFacts {
  /** Actor who captured it; null where another program did. */
  by: string | null;
  /** Digest of the lines that a file anchor names. */
  lines?: string;
  /** A file of the task folder as it was. */
  file?: { path: string; size: number; sha256: string };
  commit?: string;
  /** The id that its caller gave it, where another entry has that one (EVID-56). */
  named?: string;
  /** The id that its event derives, where the entry has the one that its caller gave. */
  derived?: string;
  /** The declared test of the step that it is for. */
  test?: string;
  /** The checkpoints that it was captured for, on the plan or task as a whole. */
  whole?: readonly string[];
  /** The line of the output that first tells of the failure. */
  failing_line?: string;
  /** Of a run that Taskfold started: what the repository was then. */
  captured?: CapturedFacts;
  /** Of a run: the place of its op in replay order, and when it ran, where that is not the time of its event (PROOF-33). */
  op?: number;
  ran_at?: string;
  /** The words of an attestation, and by id those that name this entry. */
  attestation?: AttestationFacts;
  attested_in?: string[];
  /** It proves nothing more, and no failure of it counts. */
  superseded?: Superseded;
  /** Recorded, and no proof: an attachment was not there, or nothing that stands behind it was. */
  no_proof?: "missing" | "open";
}

/** A blob that is nothing to read. */
export interface KeptBytes {
  sha256: string;
  size: number;
}

/** PROOF-46 has the words. */
export interface CapturedFacts {
  started_at: string;
  ended_at: string;
  platform: string;
  git_commit?: string;
  tree?: string;
  ignores?: string;
  attributes?: string;
  changes?: KeptBytes;
  wrote?: KeptBytes;
  left?: "unknown";
  lock?: { path: string; sha256: string };
  checkout?: "clean";
  scope?: ScopeThen;
}

/** That of the task's packet when the run was recorded; left out where there was none. */
interface ScopeThen {
  allow: string[];
  deny: string[];
}

export interface AttestationFacts {
  envelope: KeptBytes;
  of: string[];
  head: string;
  revision: number;
  git_commit: string;
  key: string;
  scope?: ScopeThen;
}

/** The actor, time and reason of an entry that was put aside (EVID-58). */
export interface Superseded {
  by: string;
  ts: string;
  reason: string;
}

export type ReceiptKind = "CMD" | "LINK";

export interface Receipt {
  kind: ReceiptKind | null;
  text: string;
  /** A receipt that is still to be filled in: recorded, never proof (EVID rules). */
  placeholder: boolean;
}

/** Reads one line of `checks`: `CMD: npm test`, `LINK: https://...`, or a plain sentence. */
export function parseReceipt(line: string): Receipt {
  const match = /^\s*(CMD|LINK)\s*:\s*/i.exec(line);
  const kind = match ? (match[1]!.toUpperCase() as ReceiptKind) : null;
  const text = (match ? line.slice(match[0].length) : line).trim();
  return { kind, text, placeholder: text === "" || /<\s*fill\b/i.test(text) };
}

/** Whether an event of ours gave the id: no other program writes one of this form (EVID-4). */
export function isOwnEvidenceId(id: string): boolean {
  return /^(?:cmd|file|log)-(?:[0-9a-f]{8}|[0-9a-f]{20}|[0-9a-f]{64})-\d+$/.test(id);
}

/** Whether a caller may give the id: kebab-case of at most 64 characters that no event derives (EVID-4). */
export function isGivenEvidenceId(id: string): boolean {
  return id.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && !isOwnEvidenceId(id);
}

/** The numbers that Coco's reader takes: an exit code is an i32, a line number a u32. */
export const EXIT_CODE = { minimum: -2_147_483_648, maximum: 2_147_483_647 };
export const LINE_NUMBER = { minimum: 1, maximum: 4_294_967_295 };

/** Returns the entry without numbers that Coco's reader refuses; lines that have to be there take the nearest (EVID-40). */
export function inCocoRange(entry: EvidenceEntry): EvidenceEntry {
  return entry.sources.every(fits) ? entry : { ...entry, sources: entry.sources.map(fitted) };
}

type Range = { minimum: number; maximum: number };

function isIn(value: number | undefined, { minimum, maximum }: Range): boolean {
  return value === undefined || (value >= minimum && value <= maximum);
}

function fits(source: EvidenceSource): boolean {
  if (source.type === "commandExecution") return isIn(source.exitCode, EXIT_CODE);
  return isIn(source.startLine, LINE_NUMBER) && isIn(source.endLine, LINE_NUMBER);
}

function fitted(source: EvidenceSource): EvidenceSource {
  if (fits(source)) return source;
  if (source.type === "fileAnchor") {
    const line = (n: number): number => Math.min(Math.max(n, LINE_NUMBER.minimum), LINE_NUMBER.maximum);
    return { ...source, startLine: line(source.startLine), endLine: line(source.endLine) };
  }
  if (source.type === "commandExecution") {
    const { exitCode: _code, ...rest } = source;
    return rest;
  }
  const { startLine: _start, endLine: _end, ...rest } = source;
  return rest;
}

const TASK_FOLDER = ".coco/tasks";
const IN_TASK_FOLDER = /^\.coco\/tasks\/([^/]+)\/(.+)$/;

/** A path from the workspace root on, as the id of a plan or task and a path in its folder; undefined for any other. */
export function inTaskFolder(path: string): { id: string; inside: string } | undefined {
  const [, id, inside] = IN_TASK_FOLDER.exec(path) ?? [];
  return id === undefined || inside === undefined ? undefined : { id, inside };
}

/** The reverse: from the workspace root on. */
export function pathInTask(id: string, inside: string): string {
  return `${TASK_FOLDER}/${id}/${inside}`;
}
