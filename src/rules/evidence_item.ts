/** One item, receipt or attachment of a call, as the event holds it (EVID-3, EVID-8 and EVID-14). */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../errors.ts";
import type { Attestation, CapturedItem, CapturedRun } from "../events/evidence.captured.ts";
import { inTaskFolder, parseReceipt, pathInTask } from "../state/evidence.ts";
import type { FileFact } from "../state/file_fact.ts";
import { LIMITS } from "../state/limits.ts";
import type { Blob } from "../state/named_bytes.ts";
import type { JsonObject } from "../state/schema.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import { failingLine } from "./failing_line.ts";
import { firstCodePoints, oneLine } from "./phrase.ts";
import { checkOutsideTaskdoc, checkPath, pathFault, unsafePath, withoutDot } from "./relative_path.ts";
import { checkJson, checkText } from "./text.ts";

export interface EvidenceItem {
  /** The id that the entry gets; without it the event gives one. */
  evidence_id?: string;
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
  /** The declared test of the step that it is for: its text, or its place from 0. */
  test?: string | number;
  /** A run that Taskfold started. No tool takes this or the next: they come from the host (PROOF-46). */
  captured?: StartedRun;
  attestation?: SignedEnvelope;
}

/** The bytes of `changes` and `wrote` in base64: names of files need not be UTF-8. */
export type StartedRun = Omit<CapturedRun, "changes" | "wrote"> & { changes?: string; wrote?: string };

/** The envelope as the text that it is. */
export type SignedEnvelope = Omit<Attestation, "envelope"> & { envelope: string };

/** The event's item and two keys beside it that mean nothing to the fold. */
export type Captured = CapturedItem & { label?: string; external_uri?: string };

/** Why a piece is no proof. `what` is not there, or `why` it cannot be looked at. */
export type NotProof =
  | { is: "placeholder" | "failed" | "nothing" }
  | { is: "no attachment" | "no file" | "no lines" | "no events" | "no commit"; what: string }
  | { is: "unsafe"; what: string; why: string };

/** A captured piece, the bytes that stand behind it, and why it is no proof, if it is none. */
export interface Piece {
  item: Captured;
  blobs: Blob[];
  not_proof: NotProof | null;
}

/** The lines that the engine found at an anchor; `end` is the last of them. `short`: the file ends before that. */
export type AnchoredLines =
  | { state: "present"; sha256: string; end: number }
  | { state: "short"; lines: number }
  | { state: "missing" }
  | { state: "unsafe"; why: string };

/** Lines of a file, counted from 1, or all of them. `folder`: the repository's, or the task's. */
export interface Anchor {
  folder: "repository" | "task";
  path: string;
  lines?: { start: number; end: number };
}

/** The things that a call names, as the engine found them: files of the task folder, lines by `anchorName`, commits (null: git cannot be asked). `folders`: the path from the root by what a caller wrote. */
export interface Found {
  files: ReadonlyMap<string, FileFact>;
  anchors: ReadonlyMap<string, AnchoredLines>;
  commits: ReadonlyMap<string, boolean | null>;
  folders: ReadonlyMap<string, string>;
}

export function anchorName({ folder, path, lines }: Anchor): string {
  return `${folder === "task" ? "./" : ""}${path}${lines ? `:${lines.start}-${lines.end}` : ""}`;
}

/** Kinds of which a caller means events, as Coco's schema names them too. */
const EVENT_KINDS: ReadonlySet<string> = new Set(["events", "runtime-event-range", "runtimeEventRange"]);
const EVENT_FILE = ".jsonl";

/**
 * Where the file of an item may stand, the likeliest first. One in the task folder is named from there or from the workspace root.
 * `task` is the task's id; left out, each place is given that some task would look at.
 */
export function placesOf({ kind, path, start_line: start, end_line: end }: EvidenceItem, task?: string): Anchor[] {
  if (path === undefined || pathFault(withoutDot(path)) !== null || isEncapsulatedPathLexical(path)) return [];
  const last = end ?? start;
  if (start === undefined ? last !== undefined : start < 1 || last! < start) return [];
  const lines = start === undefined ? {} : { lines: { start, end: last! } };
  const plain = withoutDot(path);
  const repository: Anchor = { folder: "repository", path: plain, ...lines };
  const { id, inside } = inTaskFolder(plain) ?? { id: undefined, inside: plain };
  if (id !== undefined && task !== undefined && id !== task) return [repository];
  const own: Anchor = { folder: "task", path: inside, ...lines };
  const meansEvents = EVENT_KINDS.has(kind) && isEvents(plain);
  return meansEvents || id !== undefined ? [own, repository] : [repository, own];
}

function isEvents(path: string): boolean {
  return path.endsWith(EVENT_FILE);
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
  { maxBytes, found, task }: { maxBytes: number; found: Found; task: string },
): Piece {
  checkSize(input, at, maxBytes);
  for (const field of TEXTS) checkText(input[field] ?? "", `${at}.${field}`);
  for (const field of OUTPUTS) checkText(input[field] ?? "", `${at}.${field}`);
  const path = input.path === undefined ? undefined : checkOutsideTaskdoc(checkPath(input.path, "the repository"));
  const range = lineRange(input, at);
  const firstWords = firstText(input);
  if (firstWords === undefined) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${at} to hold something besides its kind, found nothing.`, {
      recovery: "Give a command, output, path, url, content or at least a summary.",
    });
  }
  const blobs: Piece["blobs"] = [];
  const command = filled(input.command);
  const url = filled(input.url) ?? filled(input.external_uri);
  const commit = filled(input.commit);
  const place = placeOf(placesOf(input, task), found);
  const file = place && command === undefined ? fileOf(place, task) : undefined;
  const not_proof = notProof(input, { place, commit, found });
  const named = path !== undefined && range !== undefined ? `${path}:${range.start_line}-${range.end_line}` : path;
  const item: Captured = {
    kind: command === undefined ? (file?.kind ?? "runtime-event-range") : "command-execution",
    title: titleOf(
      filled(input.title) ??
        command ??
        named ??
        url ??
        (commit && `commit ${commit}`) ??
        firstCodePoints(firstWords, TITLE_FROM_TEXT),
      input.kind,
    ),
    summary: input.summary ?? "",
    counts: not_proof === null,
    ...(input.evidence_id === undefined ? {} : { evidence_id: input.evidence_id }),
    ...(filled(input.kind) === undefined ? {} : { label: input.kind }),
    ...(command === undefined ? {} : { command, cwd: found.folders.get(input.cwd ?? "") ?? filled(input.cwd) ?? "." }),
    ...(input.exit_code === undefined ? {} : { exit_code: input.exit_code }),
    ...failureOf(input),
    ...(path === undefined ? {} : { path }),
    ...range,
    ...file,
    ...(place?.anchor.lines && place.lines.state === "present" ? { lines_sha256: place.lines.sha256 } : {}),
    ...(commit === undefined ? {} : { commit }),
    ...(url === undefined ? {} : { url }),
    ...(input.external_uri === undefined || input.external_uri === url ? {} : { external_uri: input.external_uri }),
    ...(input.meta === undefined ? {} : { meta: checkJson(input.meta, `${at}.meta`) }),
  };
  for (const field of OUTPUTS) {
    const text = input[field];
    if (text !== undefined && text !== "") item[field] = keep(text, blobs);
  }
  if (input.captured) item.captured = startedRun(input.captured, blobs);
  if (input.attestation) {
    const { envelope, ...fields } = input.attestation;
    item.attestation = { ...fields, envelope: keepBytes(Buffer.from(envelope, "utf8"), blobs) };
  }
  return { item, blobs, not_proof };
}

function startedRun({ changes, wrote, ...fields }: StartedRun, blobs: Piece["blobs"]): CapturedRun {
  return {
    ...fields,
    ...(changes === undefined ? {} : { changes: keepBytes(Buffer.from(changes, "base64"), blobs) }),
    ...(wrote === undefined ? {} : { wrote: keepBytes(Buffer.from(wrote, "base64"), blobs) }),
  };
}

function failureOf({ exit_code = 0, stdout = "", stderr = "" }: EvidenceItem): { failing_line?: string } {
  const line = exit_code === 0 ? undefined : failingLine([stdout, stderr]);
  return line === undefined ? {} : { failing_line: line };
}

/** A place where an item's file may stand, and what stands there. */
interface Place {
  anchor: Anchor;
  lines: AnchoredLines;
  /** The whole file, where it is one of the task folder. */
  whole: FileFact | undefined;
}

/** The first place where the file is; else one where there is something, else the likeliest. */
function placeOf(anchors: readonly Anchor[], { files, anchors: lines }: Found): Place | undefined {
  const places = anchors.map((anchor): Place => {
    const whole = isWholeOfTask(anchor) ? (files.get(anchor.path) ?? MISSING) : undefined;
    const found = whole?.state === "present" ? { ...whole, end: whole.lines } : whole;
    return { anchor, lines: found ?? lines.get(anchorName(anchor)) ?? MISSING, whole };
  });
  const first = (is: (state: AnchoredLines["state"]) => boolean): Place | undefined =>
    places.find((place) => is(place.lines.state));
  return first((state) => state === "present") ?? first((state) => state !== "missing") ?? places[0];
}

const MISSING = { state: "missing" } as const;

/** Whether an anchor is looked at as a whole file of the task folder. */
export function isWholeOfTask({ folder, lines }: Anchor): boolean {
  return folder === "task" && lines === undefined;
}

/** The part of an item that says which file it stands on. A file that is not there, or is empty, is anchored at line 1. */
function fileOf({ anchor, lines, whole }: Place, task: string): Pick<Captured, "kind"> & Partial<Captured> {
  if (anchor.folder === "repository") {
    if (anchor.lines) return { kind: "file-anchor" };
    const found = lines.state === "present" ? lines : undefined;
    return { kind: "file-anchor", ...allLines(found?.end), ...(found ? { lines_sha256: found.sha256 } : {}) };
  }
  const path = `./${anchor.path}`;
  const attachment = whole?.state === "present" ? { path, size: whole.size, sha256: whole.sha256 } : { path };
  return {
    ...standsOn(anchor.path, task, anchor.lines ? undefined : allLines(lines.state === "present" ? lines.end : 0)),
    attachment: lines.state === "present" ? attachment : { path, missing: true },
  };
}

/** For a file of the task folder: events are named from there, and any other file from the workspace root (EVID-8). */
function standsOn(
  path: string,
  task: string,
  all: ReturnType<typeof allLines> | undefined,
): Pick<Captured, "kind"> & Partial<Captured> {
  if (isEvents(path)) return { kind: "runtime-event-range", events_ref: `./${path}` };
  return { kind: "file-anchor", path: pathInTask(task, path), ...all };
}

function allLines(count = 0): { start_line: number; end_line: number } {
  return { start_line: 1, end_line: Math.max(count, 1) };
}

type Named = { place: Place | undefined; commit: string | undefined; found: Found };

/** Proof shows something, and everything that it names is there (PROOF-34). */
function notProof(input: EvidenceItem, { place, commit, found }: Named): NotProof | null {
  if (isPlaceholder(input)) return { is: "placeholder" };
  const absent = place && absentAt(place);
  if (absent) return absent;
  if (commit !== undefined && found.commits.get(commit) === false) return { is: "no commit", what: commit };
  if ((input.exit_code ?? 0) !== 0) return { is: "failed" };
  const { command, url, external_uri, stdout, stderr, diff, content } = input;
  const shows = [command, url, external_uri, stdout, stderr, diff, content, commit].some(
    (text) => filled(text) !== undefined,
  );
  return shows || place ? null : { is: "nothing" };
}

function absentAt({ anchor, lines, whole }: Place): NotProof | null {
  const what = anchorName({ ...anchor, folder: "repository" });
  if (lines.state === "unsafe") return { is: "unsafe", what, why: lines.why };
  const isEmpty =
    lines.state === "present" && !anchor.lines && (whole?.state === "present" ? whole.size : lines.end) === 0;
  if (lines.state === "present" && !isEmpty) return null;
  if (anchor.folder === "task" && isEvents(anchor.path)) return { is: "no events", what };
  return { is: anchor.lines ? "no lines" : "no file", what };
}

/** One line of `checks`: `CMD: ...`, `LINK: ...` or a plain sentence. */
export function pieceOfCheck(line: string, at: string, maxBytes: number): Piece {
  checkText(line, at);
  checkBytes(Buffer.byteLength(line), at, maxBytes);
  const receipt = parseReceipt(line);
  const base = {
    title: titleOf(receipt.text, receipt.kind ?? "check"),
    summary: line.trim(),
    counts: !receipt.placeholder && receipt.kind !== null,
  };
  const item: Captured =
    receipt.kind === "CMD"
      ? { kind: "command-execution", ...base, command: receipt.text, cwd: "." }
      : { kind: "runtime-event-range", ...base, ...(receipt.kind === "LINK" ? { url: receipt.text } : {}) };
  const is = receipt.placeholder ? "placeholder" : receipt.kind === null ? "nothing" : null;
  return { item, blobs: [], not_proof: is && { is } };
}

/** A file of the folder of `task`, named by `path` without a leading `./`. */
export function pieceOfAttachment(path: string, file: FileFact, task: string): Piece {
  if (file.state === "unsafe") throw unsafePath(path, "the task folder", file.why);
  const placeholder = parseReceipt(path).placeholder;
  const there = file.state === "present" && !placeholder;
  const attachment = there
    ? { path: `./${path}`, size: file.size, sha256: file.sha256 }
    : { path: `./${path}`, missing: true };
  const item: Captured = {
    ...standsOn(path, task, allLines(file.state === "present" ? file.lines : 0)),
    title: titleOf(path, "attachment"),
    summary: "",
    counts: there,
    attachment,
  };
  const not_proof: NotProof = placeholder ? { is: "placeholder" } : { is: "no attachment", what: path };
  return { item, blobs: [], not_proof: there ? null : not_proof };
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
function firstText(input: EvidenceItem): string | undefined {
  const { title, command, path, url, external_uri, commit, summary, content, stdout, diff, stderr } = input;
  const filledText = [title, command, path, url, external_uri, commit, summary, content, stdout, diff, stderr].find(
    (text) => filled(text) !== undefined,
  );
  return filledText ?? (input.meta !== undefined || input.exit_code !== undefined ? input.kind : undefined);
}

/** A run that Taskfold made is evidence, whatever its words are. */
export function isPlaceholder(input: EvidenceItem): boolean {
  if (input.captured) return false;
  const { title, summary, command, url, external_uri, path } = input;
  const short = [title, summary, command, url, external_uri, path].map(filled);
  if (short.some((text) => text !== undefined && parseReceipt(text).placeholder)) return true;
  return OUTPUTS.some((field) => ALL_PLACEHOLDER.test((input[field] ?? "").slice(0, 1000)));
}

/** The folder of a reported run, if its caller names one: Taskfold may record a run there by another name. */
export function folderOf({ cwd }: EvidenceItem): string[] {
  const plain = filled(cwd);
  return plain === undefined || plain === "." ? [] : [plain];
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** One line, never empty: readers of the index refuse an entry without a title. */
function titleOf(text: string, otherwise: string): string {
  return oneLine(text, LIMITS.titleCodePoints) || oneLine(otherwise, LIMITS.titleCodePoints) || "evidence";
}

function keep(text: string, blobs: Piece["blobs"]): { sha256: string; size: number; excerpt: string } {
  const kept = keepBytes(Buffer.from(text, "utf8"), blobs);
  return { ...kept, excerpt: firstCodePoints(text, LIMITS.excerptCodePoints) };
}

function keepBytes(bytes: Buffer, blobs: Piece["blobs"]): { sha256: string; size: number } {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  blobs.push({ sha256, bytes });
  return { sha256, size: bytes.length };
}
