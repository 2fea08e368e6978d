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

/** What was recorded beside an entry, so that it can be looked at again; Coco's schema has no room for it. */
export interface EvidenceFacts {
  /** Digest of the lines that a file anchor names. */
  lines?: string;
  /** A file of the task folder as it was. */
  file?: { path: string; size: number; sha256: string };
  commit?: string;
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
