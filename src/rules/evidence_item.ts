/** One item, receipt or attachment of a call, as the event holds it (EVID-5, EVID-8 to EVID-15). */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../errors.ts";
import type { CapturedItem } from "../events/evidence.captured.ts";
import { parseReceipt } from "../state/evidence.ts";
import { LIMITS } from "../state/limits.ts";
import type { JsonObject } from "../state/schema.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import { firstCodePoints, oneLine } from "./phrase.ts";
import { checkOutsideTaskdoc, checkPath, pathFault, unsafePath, withoutDot } from "./relative_path.ts";
import { checkJson, checkText } from "./text.ts";

export interface EvidenceItem {
  /** The caller's name for it; kept as `label`. Which of the three kinds it becomes is decided by what it holds. */
  kind: string;
  title?: string;
  summary?: string;
  command?: string;
  cwd?: string;
  stdout?: string;
  stderr?: string;
  exit_code?: number;
  diff?: string;
  content?: string;
  url?: string;
  external_uri?: string;
  path?: string;
  start_line?: number;
  end_line?: number;
  /** Hexadecimal name of a commit. */
  commit?: string;
  meta?: JsonObject;
}

/** The event's item and two keys beside it that mean nothing to the fold. */
export type Captured = CapturedItem & { label?: string; external_uri?: string };

/** A captured piece, the bytes that stand behind it, and why it is no proof, if it is none. */
export interface Piece {
  item: Captured;
  blobs: { sha256: string; bytes: Uint8Array }[];
  not_proof: "placeholder" | "missing" | "no lines" | "failed" | null;
}

/** The file that the engine found at the path of an attachment. */
export type AttachedFile =
  | { state: "present"; size: number; sha256: string }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

/** The lines that the engine found at an anchor. */
export type AnchoredLines =
  | { state: "present"; sha256: string }
  | { state: "short"; lines: number }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

export type Anchor = { path: string; start: number; end: number };

export function anchorName({ path, start, end }: Anchor): string {
  return `${path}:${start}-${end}`;
}

/** The lines that an item names in a file; undefined where it names none or what it names is none. */
export function anchorOf({ path, start_line: start, end_line: end }: EvidenceItem): Anchor | undefined {
  if (path === undefined || start === undefined || pathFault(withoutDot(path)) !== null) return undefined;
  if (isEncapsulatedPathLexical(path)) return undefined;
  const last = end ?? start;
  return start < 1 || last < start ? undefined : { path: withoutDot(path), start, end: last };
}

const OUTPUTS = ["stdout", "stderr", "diff", "content"] as const;
const TEXTS = ["kind", "title", "summary", "command", "cwd", "url", "external_uri", "path", "commit"] as const;
/** Of an output only a text that is nothing but the placeholder is one: real output may well contain `<fill`. */
const ALL_PLACEHOLDER = /^\s*<\s*fill\b[^<>]*>\s*$/i;
const TITLE_FROM_TEXT = 80;

/** INVALID_INPUT, PATH_UNSAFE or CONTENT_TOO_LARGE (more than `maxBytes` in all its text) for what cannot be kept. */
export function pieceOfItem(
  input: EvidenceItem,
  at: string,
  maxBytes: number,
  anchors: ReadonlyMap<string, AnchoredLines>,
): Piece {
  checkSize(input, at, maxBytes);
  for (const field of TEXTS) checkText(input[field] ?? "", `${at}.${field}`);
  for (const field of OUTPUTS) checkText(input[field] ?? "", `${at}.${field}`);
  const path = input.path === undefined ? undefined : checkOutsideTaskdoc(checkPath(input.path, "the repository"));
  const range = lineRange(input, at);
  const said = sayable(input);
  if (said === undefined) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${at} to hold something besides its kind, found nothing.`, {
      recovery: "Give a command, output, path, url, content or at least a summary.",
    });
  }
  const blobs: Piece["blobs"] = [];
  const command = filled(input.command);
  const url = filled(input.url) ?? filled(input.external_uri);
  const placeholder = isPlaceholder(input);
  const named = anchorOf(input);
  const lines = named && anchors.get(anchorName(named));
  const noLines = lines?.state === "missing" || lines?.state === "short";
  const failed = (input.exit_code ?? 0) !== 0;
  const commit = filled(input.commit);
  const anchor = path !== undefined && range !== undefined ? `${path}:${range.start_line}-${range.end_line}` : path;
  const item: Captured = {
    kind: command !== undefined ? "command-execution" : range !== undefined ? "file-anchor" : "runtime-event-range",
    title: titleOf(
      filled(input.title) ??
        command ??
        anchor ??
        url ??
        (commit && `commit ${commit}`) ??
        firstCodePoints(said, TITLE_FROM_TEXT),
      input.kind,
    ),
    summary: input.summary ?? "",
    counts: !placeholder && !noLines && !failed,
    ...(filled(input.kind) === undefined ? {} : { label: input.kind }),
    ...(command === undefined ? {} : { command, cwd: filled(input.cwd) ?? "." }),
    ...(input.exit_code === undefined ? {} : { exit_code: input.exit_code }),
    ...(path === undefined ? {} : { path }),
    ...range,
    ...(lines?.state === "present" ? { lines_sha256: lines.sha256 } : {}),
    ...(commit === undefined ? {} : { commit }),
    ...(url === undefined ? {} : { url }),
    ...(input.external_uri === undefined || input.external_uri === url ? {} : { external_uri: input.external_uri }),
    ...(input.meta === undefined ? {} : { meta: checkJson(input.meta, `${at}.meta`) }),
  };
  for (const field of OUTPUTS) {
    const text = input[field];
    if (text !== undefined && text !== "") item[field] = keep(text, blobs);
  }
  return { item, blobs, not_proof: placeholder ? "placeholder" : noLines ? "no lines" : failed ? "failed" : null };
}

/** One line of `checks`: `CMD: ...`, `LINK: ...` or a plain sentence. */
export function pieceOfCheck(line: string, at: string, maxBytes: number): Piece {
  checkText(line, at);
  checkBytes(Buffer.byteLength(line), at, maxBytes);
  const receipt = parseReceipt(line);
  const base = {
    title: titleOf(receipt.text, receipt.kind ?? "check"),
    summary: line.trim(),
    counts: !receipt.placeholder,
  };
  const item: Captured =
    receipt.kind === "CMD"
      ? { kind: "command-execution", ...base, command: receipt.text, cwd: "." }
      : { kind: "runtime-event-range", ...base, ...(receipt.kind === "LINK" ? { url: receipt.text } : {}) };
  return { item, blobs: [], not_proof: receipt.placeholder ? "placeholder" : null };
}

/** A file of the task folder, named by `path` without a leading `./`. */
export function pieceOfAttachment(path: string, file: AttachedFile): Piece {
  if (file.state === "unsafe") throw unsafePath(path, "the task folder", file.why);
  const placeholder = parseReceipt(path).placeholder;
  const there = file.state === "present" && !placeholder;
  const attachment = there
    ? { path: `./${path}`, size: file.size, sha256: file.sha256 }
    : { path: `./${path}`, missing: true };
  return {
    item: { kind: "runtime-event-range", title: titleOf(path, "attachment"), summary: "", counts: there, attachment },
    blobs: [],
    not_proof: there ? null : placeholder ? "placeholder" : "missing",
  };
}

function checkSize(input: EvidenceItem, at: string, maxBytes: number): void {
  const texts = [...TEXTS, ...OUTPUTS].map((field) => input[field] ?? "");
  const meta = input.meta === undefined ? "" : JSON.stringify(input.meta);
  checkBytes(
    [...texts, meta].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    at,
    maxBytes,
  );
}

function checkBytes(bytes: number, at: string, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new TaskfoldError("CONTENT_TOO_LARGE", `Expected ${at} to hold at most ${maxBytes} bytes, found ${bytes}.`, {
    recovery: "Write the output to a file in the task folder and name it in attachments.",
    details: { allowed: maxBytes, found: bytes },
  });
}

/** Lines of a file, from 1; without an end, one line. */
function lineRange(input: EvidenceItem, at: string): { start_line: number; end_line: number } | undefined {
  const { start_line: start, end_line: end } = input;
  if (start === undefined && end === undefined) return undefined;
  const recovery = "Give path, start_line from 1, and end_line not before it.";
  if (input.path === undefined || start === undefined) {
    const without = input.path === undefined ? "path" : "start_line";
    throw new TaskfoldError("INVALID_INPUT", `Expected ${without} beside the lines of ${at}, found none.`, {
      recovery,
    });
  }
  const last = end ?? start;
  if (start < 1 || last < start) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected lines of ${at} from 1 and the end not before the start, found ${start} to ${last}.`,
      { recovery },
    );
  }
  return { start_line: start, end_line: last };
}

/** The first thing an item says in text, or undefined when it says nothing at all. */
function sayable(input: EvidenceItem): string | undefined {
  const { title, command, path, url, external_uri, commit, summary, content, stdout, diff, stderr } = input;
  const said = [title, command, path, url, external_uri, commit, summary, content, stdout, diff, stderr].find(
    (text) => filled(text) !== undefined,
  );
  return said ?? (input.meta !== undefined || input.exit_code !== undefined ? input.kind : undefined);
}

export function isPlaceholder(input: EvidenceItem): boolean {
  const { title, summary, command, url, external_uri, path } = input;
  const short = [title, summary, command, url, external_uri, path].map(filled);
  if (short.some((text) => text !== undefined && parseReceipt(text).placeholder)) return true;
  return OUTPUTS.some((field) => ALL_PLACEHOLDER.test((input[field] ?? "").slice(0, 1000)));
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** One line, never empty: readers of the index refuse an entry without a title. */
function titleOf(text: string, otherwise: string): string {
  return oneLine(text, LIMITS.titleCodePoints) || oneLine(otherwise, LIMITS.titleCodePoints) || "evidence";
}

function keep(text: string, blobs: Piece["blobs"]): { sha256: string; size: number; excerpt: string } {
  const bytes = Buffer.from(text, "utf8");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  blobs.push({ sha256, bytes });
  return { sha256, size: bytes.length, excerpt: firstCodePoints(text, LIMITS.excerptCodePoints) };
}
