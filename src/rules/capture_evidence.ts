/** Capturing evidence (EVID rules; STEP-25): records, never closes anything. */
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { evidenceCaptured, shortHex } from "../events/evidence.captured.ts";
import type { Checkpoint, Entity, Step, Subject } from "../state/entity.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { EvidenceEntry } from "../state/evidence.ts";
import { parseReceipt } from "../state/evidence.ts";
import { LIMITS } from "../state/limits.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import type { Anchor, AnchoredLines, AttachedFile, EvidenceItem, Piece } from "./evidence_item.ts";
import { anchorOf, isPlaceholder, pieceOfAttachment, pieceOfCheck, pieceOfItem } from "./evidence_item.ts";
import { counted } from "../state/counted.ts";
import { listed, nameOf, sentence } from "./phrase.ts";
import { checkOutsideTaskdoc, checkPath, pathFault, withoutDot } from "./relative_path.ts";
import { callOn } from "./suggest.ts";

export interface EvidenceInput {
  items?: readonly EvidenceItem[];
  /** Another name for `items`; giving both is refused. */
  artifacts?: readonly EvidenceItem[];
  checks?: readonly string[];
  attachments?: readonly string[];
  checkpoint?: Checkpoint | readonly Checkpoint[];
  /** Lower the limits for this call; they never raise them. */
  max_items?: number;
  max_artifact_bytes?: number;
}

/** Paths, relative to the task folder, whose size and digest the rule wants. Unsafe ones are left for it to refuse. */
export function attachmentsOf(input: EvidenceInput): string[] {
  const paths = [...new Set((input.attachments ?? []).filter((one) => !isUrl(one)).map(withoutDot))];
  return paths.filter((path) => pathFault(path) === null && !isEncapsulatedPathLexical(path));
}

/** Lines in files of the repository whose digest the rule wants. */
export function anchorsOf(input: EvidenceInput): Anchor[] {
  return [...(input.items ?? []), ...(input.artifacts ?? [])].flatMap((item) => anchorOf(item) ?? []);
}

/** The files at each of `attachmentsOf(input)` and, by `anchorName`, at each of `anchorsOf(input)`. */
export interface Found {
  files: ReadonlyMap<string, AttachedFile>;
  anchors: ReadonlyMap<string, AnchoredLines>;
}

/** `passed`, or how a run failed; undefined where no item is a run. */
function outcomeOf(items: readonly { exit_code?: number }[]): string | undefined {
  const codes = items.flatMap(({ exit_code }) => (exit_code === undefined ? [] : [exit_code]));
  const passed = codes.filter((code) => code === 0).length;
  if (codes.length > 1) return `${passed} of ${codes.length} runs passed`;
  return codes[0] === undefined ? undefined : passed === 1 ? "passed" : `failed with exit code ${codes[0]}`;
}

/** `step` null: evidence on the whole. */
export function captureEvidence(
  subject: Subject,
  step: Step | null,
  input: EvidenceInput,
  found: Found,
): { drafts: Draft[]; blobs: Piece["blobs"]; warnings: Warning[] } {
  const given = piecesOf(subject, step, input, found);
  // An item that is still to be filled in was not seen by its caller (PROOF-5).
  const pieces = given.filter((p) => p.not_proof !== "placeholder");
  const blanks = given.filter((p) => p.not_proof === "placeholder").map((p) => p.item.title);
  if (pieces.length === 0) throw nothingToCapture(subject, step, `only ${listed(blanks.map(quoted))}`);
  const checkpoints = checkpointsOf(input.checkpoint);
  const on = step ? nameOf(step) : `"${subject.entity.title}"`;
  const proves = checkpoints.length === 0 ? "" : ` for ${checkpoints.join(", ")}`;
  const items = pieces.map((p) => p.item);
  const message = sentence(
    `Captured ${counted(pieces.length, "piece")} of evidence on ${on}${proves}`,
    outcomeOf(items),
  );
  const blobs = new Map(pieces.flatMap((p) => p.blobs).map((b) => [b.sha256, b]));
  return {
    drafts: [evidenceCaptured.draft({ step_id: step?.id ?? null, checkpoints, items, message })],
    blobs: [...blobs.values()],
    warnings: [...(blanks.length > 0 ? [placeholdersIgnored(blanks)] : []), ...warningsOf(pieces)],
  };
}

/** Whether something is named to be captured, and all of it is still to be filled in. */
export function isAllPlaceholders({ items, artifacts, checks = [], attachments = [] }: EvidenceInput): boolean {
  const given = items ?? artifacts ?? [];
  const receipts = [...checks.filter((line) => line.trim() !== ""), ...attachments];
  return (
    given.length + receipts.length > 0 &&
    given.every(isPlaceholder) &&
    receipts.every((line) => parseReceipt(line).placeholder)
  );
}

/** `titles`: what was left out. */
export function placeholdersIgnored(titles: readonly string[]): Warning {
  return {
    code: "PLACEHOLDER_IGNORED",
    message: `Not recorded: ${listed(titles.map(quoted))} is still to be filled in.`,
    recovery: "Capture it with the real command or link.",
  };
}

/** The entries that one event brought, in its order. */
export function evidenceOf(entity: Entity, eventHash: string): EvidenceEntry[] {
  const mark = `-${shortHex(eventHash)}-`;
  return entity.evidence.filter((entry) => entry.id.includes(mark));
}

function piecesOf(subject: Subject, step: Step | null, input: EvidenceInput, { files, anchors }: Found): Piece[] {
  if (input.items !== undefined && input.artifacts !== undefined) {
    throw new TaskfoldError("INVALID_INPUT", "Expected items or artifacts, found both names for one list.", {
      recovery: "Put all of them into items.",
    });
  }
  const name = input.items === undefined ? "artifacts" : "items";
  const items = input.items ?? input.artifacts ?? [];
  const checks = (input.checks ?? [])
    .map((line, i) => ({ line, at: `checks[${i}]` }))
    .filter(({ line }) => line.trim() !== "");
  const given = input.attachments ?? [];
  const links = [...new Set(given.filter(isUrl))];
  const paths = given.filter((one) => !isUrl(one));
  const attachments = [...new Set(paths.map((path) => checkOutsideTaskdoc(checkPath(path, "the task folder"))))];
  const count = items.length + checks.length + links.length + attachments.length;
  if (count === 0) throw nothingToCapture(subject, step, "nothing");
  checkCount(count, input.max_items);
  const bytes = Math.min(input.max_artifact_bytes ?? LIMITS.evidenceItemBytes, LIMITS.evidenceItemBytes);
  return [
    ...items.map((item, i) => pieceOfItem(item, `${name}[${i}]`, bytes, anchors)),
    ...checks.map(({ line, at }) => pieceOfCheck(line, at, bytes)),
    // Clients of other programs attach addresses too; no file stands behind one.
    ...links.map((url) => pieceOfCheck(`LINK: ${url}`, "attachments", bytes)),
    ...attachments.map((path) => pieceOfAttachment(path, factOf(path, files))),
  ];
}

/** No path within a folder begins so. */
function isUrl(attachment: string): boolean {
  return /^https?:\/\//i.test(attachment);
}

function nothingToCapture(subject: Subject, step: Step | null, instead: string): TaskfoldError {
  const args = { ...(step ? { step_id: step.id } : {}), checks: ["CMD: <fill: the command that was run>"] };
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected items, checks or attachments that are filled in, found ${instead}.`,
    {
      recovery: 'Give at least one, such as checks: ["CMD: npm test"].',
      suggestions: [callOn(subject, "tasks_evidence_capture", args, "Record what was run.")],
    },
  );
}

function checkCount(count: number, lowered: number | undefined): void {
  const most = Math.min(lowered ?? LIMITS.evidenceItems, LIMITS.evidenceItems);
  if (count > most) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected at most ${most} items, checks and attachments in all, found ${count}.`,
      {
        recovery: "Capture them in several calls.",
        details: { allowed: most, found: count },
      },
    );
  }
}

function factOf(path: string, files: ReadonlyMap<string, AttachedFile>): AttachedFile {
  const fact = files.get(path);
  if (!fact) throw new TaskfoldError("INTERNAL", `Expected to be told what stands at ${path}, found nothing.`);
  return fact;
}

/** In the fixed order, each once. */
export function checkpointsOf(input: EvidenceInput["checkpoint"]): Checkpoint[] {
  const named = typeof input === "string" ? [input] : (input ?? []);
  return CHECKPOINTS.filter((c) => named.includes(c));
}

function warningsOf(pieces: readonly Piece[]): Warning[] {
  const titles = (why: Piece["not_proof"]): string[] =>
    pieces.filter((p) => p.not_proof === why).map((p) => quoted(p.item.title));
  const missing = titles("missing");
  const warnings: Warning[] = [];
  if (missing.length > 0) {
    warnings.push({
      code: "ATTACHMENT_MISSING",
      message: `Recorded, but no proof: nothing stands at ${listed(missing)} in the task folder.`,
      recovery: "Write the file into the task folder, then capture again.",
    });
  }
  const noLines = titles("no lines");
  if (noLines.length > 0) {
    warnings.push({
      code: "ATTACHMENT_MISSING",
      message: `Recorded, but no proof: the repository has no such lines: ${listed(noLines)}.`,
      recovery: "Name a file by its path from the workspace root, and lines that it has.",
    });
  }
  return warnings;
}

const quoted = (title: string): string => JSON.stringify(title);
