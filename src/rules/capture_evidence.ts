/** Capturing evidence (EVID rules; STEP-15): records, never closes anything. */
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { CapturedItem } from "../events/evidence.captured.ts";
import { derivedId, evidenceCaptured } from "../events/evidence.captured.ts";
import type { Checkpoint, Entity, Step, Subject } from "../state/entity.ts";
import type { FileFact } from "../state/file_fact.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { EvidenceEntry } from "../state/evidence.ts";
import { isGivenEvidenceId, isOwnEvidenceId, parseReceipt } from "../state/evidence.ts";
import { LIMITS } from "../state/limits.ts";
import { scopeOf } from "../state/staleness.ts";
import type { Scope } from "../state/staleness.ts";
import { isSameCommand } from "../state/same_command.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
import type { Anchor, EvidenceItem, Found, NotProof, Piece } from "./evidence_item.ts";
import {
  folderOf,
  isPlaceholder,
  isWholeOfTask,
  pieceOfAttachment,
  pieceOfCheck,
  pieceOfItem,
  placesOf,
} from "./evidence_item.ts";
import { counted } from "../state/counted.ts";
import { listed, nameOf, oneLine, sentence } from "./phrase.ts";
import { checkOutsideTaskdoc, checkPath, pathFault, withoutDot } from "./relative_path.ts";
import { callOn } from "./suggest.ts";
import { supersededBy } from "./superseding.ts";

export interface EvidenceInput {
  /** The id of the one piece that the call captures. */
  evidence_id?: string;
  items?: readonly EvidenceItem[];
  /** Another name for `items`; giving both is refused. */
  artifacts?: readonly EvidenceItem[];
  checks?: readonly string[];
  attachments?: readonly string[];
  checkpoint?: Checkpoint | readonly Checkpoint[];
  /** Ids of entries that prove nothing more and of which no failure counts; they stay on record, with `reason`. */
  supersedes?: readonly string[];
  reason?: string;
  /** Lower the limits for this call; they never raise them. */
  max_items?: number;
  max_artifact_bytes?: number;
}

/** Paths, relative to the task folder, whose size and digest the rule wants. Unsafe ones are left for it to refuse. */
export function attachmentsOf(input: EvidenceInput): string[] {
  const paths = (input.attachments ?? []).filter((one) => !isUrl(one)).map(withoutDot);
  const events = placesIn(input).filter(isWholeOfTask);
  return [...new Set([...paths, ...events.map(({ path }) => path)])].filter(
    (path) => pathFault(path) === null && !isEncapsulatedPathLexical(path),
  );
}

/** Files, and lines of them, whose digest the rule wants. */
export function anchorsOf(input: EvidenceInput): Anchor[] {
  return placesIn(input).filter((place) => !isWholeOfTask(place));
}

/** Commits of which the rule wants to know whether they are there. */
export function commitsOf(input: EvidenceInput): string[] {
  return [...new Set(itemsOf(input).flatMap(({ commit }) => commit ?? []))];
}

/** Folders of runs, of which the rule wants the path from the root. */
export function foldersOf(input: EvidenceInput): string[] {
  return [...new Set(itemsOf(input).flatMap(folderOf))];
}

function itemsOf({ items = [], artifacts = [] }: EvidenceInput): EvidenceItem[] {
  return [...items, ...artifacts];
}

function placesIn(input: EvidenceInput): Anchor[] {
  return itemsOf(input).flatMap((item) => placesOf(item));
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
  const checkpoints = checkpointsOf(input.checkpoint);
  const aside = supersededBy(subject, step, input);
  const given = piecesOf(subject, step, input, { found, checkpoints });
  // An item that is still to be filled in was not seen by its caller (PROOF-5).
  const pieces = given.filter((p) => p.not_proof?.is !== "placeholder");
  const blanks = given.filter((p) => p.not_proof?.is === "placeholder").map((p) => p.item.title);
  if (pieces.length === 0 && !aside) throw nothingToCapture(subject, step, `only ${listed(blanks.map(quoted))}`);
  checkIds(subject, pieces);
  const on = step ? nameOf(step) : `"${subject.entity.title}"`;
  const proves = checkpoints.length === 0 ? "" : ` for ${checkpoints.join(", ")}`;
  const items = pieces.map((p) => withScope(p.item, scopeOf(subject.entity, step)));
  const ids = items.length === 0 ? {} : { long_ids: true };
  const count = counted(pieces.length, "piece");
  const put = counted(aside?.supersedes.length ?? 0, "piece");
  const message = !aside
    ? sentence(`Captured ${count} of evidence on ${on}${proves}`, outcomeOf(items))
    : pieces.length === 0
      ? sentence(`Superseded ${put} of evidence on ${on}`, aside.reason)
      : sentence(`Captured ${count} of evidence on ${on}${proves} and superseded ${put}`, aside.reason);
  const blobs = new Map(pieces.flatMap((p) => p.blobs).map((b) => [b.sha256, b]));
  return {
    drafts: [evidenceCaptured.draft({ step_id: step?.id ?? null, checkpoints, items, ...ids, ...aside, message })],
    blobs: [...blobs.values()],
    warnings: [...(blanks.length > 0 ? [placeholdersIgnored(blanks)] : []), ...warningsOf(pieces, checkpoints)],
  };
}

/** A run or signature says which files count for it: a later change of the step or the packet takes none of them out (PROOF-51). */
function withScope(item: CapturedItem, counted: Scope): CapturedItem {
  const { captured, attestation } = item;
  if (!counted || (!captured && !attestation)) return item;
  const scope = { allow: [...counted.allow], deny: [...counted.deny] };
  return {
    ...item,
    ...(captured ? { captured: { ...captured, scope } } : {}),
    ...(attestation ? { attestation: { ...attestation, scope } } : {}),
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

/** The part of an event that its entries are made of. */
export interface CapturedEvidence {
  items?: readonly CapturedItem[];
  long_ids?: boolean;
}

/** The entries that one event brought, in its order. */
export function evidenceOf(
  entity: Entity,
  { items = [], long_ids = false }: CapturedEvidence,
  eventHash: string,
): EvidenceEntry[] {
  const byId = new Map(entity.evidence.map((entry) => [entry.id, entry]));
  // An entry has the derived id, too, if another branch gave its own (EVID-56).
  return items.flatMap(
    (one, i) => byId.get(derivedId(one, eventHash, i, long_ids)) ?? byId.get(one.evidence_id ?? "") ?? [],
  );
}

/** ID_TAKEN for an id that another entry has, or another piece of the call. */
function checkIds({ id, entity }: Subject, pieces: readonly Piece[]): void {
  const taken = new Set<string>();
  const given = pieces.flatMap(({ item }) => item.evidence_id ?? []);
  if (given.length > 0) for (const entry of entity.evidence) taken.add(entry.id.toLowerCase());
  for (const one of given) {
    if (!isGivenEvidenceId(one)) {
      const found = isOwnEvidenceId(one) ? `the form that the engine derives, ${one}` : quoted(oneLine(one, 80));
      throw new TaskfoldError(
        "INVALID_INPUT",
        `Expected evidence_id in kebab-case, 1 to 64 characters; found ${found}.`,
        {
          recovery: "Choose one such as unit-tests, or leave evidence_id out: the entry then gets an id.",
        },
      );
    }
    if (taken.has(one)) {
      throw new TaskfoldError("ID_TAKEN", `Expected an id that no evidence of ${id} has, found ${one}.`, {
        recovery: "Choose another, or leave evidence_id out: the entry then gets an id. No entry is replaced.",
        details: { evidence_id: one },
      });
    }
    taken.add(one);
  }
}

interface About {
  found: Found;
  checkpoints: readonly Checkpoint[];
}

/** The same with the declared test that it is for: the one that is named, or the one that is its command (PROOF-42). */
function withTest(piece: Piece, named: EvidenceItem["test"], at: string, step: Step | null, about: About): Piece {
  const { command, exit_code } = piece.item;
  if (named !== undefined) return { ...piece, item: { ...piece.item, test: declaredTest(step, named, at) } };
  const { checkpoints } = about;
  const isForTests = checkpoints.length === 0 ? exit_code !== undefined : checkpoints.includes("tests");
  if (!step || command === undefined || !isForTests) return piece;
  const test = step.tests.find((one) => isSameCommand(one, command));
  return test === undefined ? piece : { ...piece, item: { ...piece.item, test } };
}

function declaredTest(step: Step | null, named: string | number, at: string): string {
  const tests = step?.tests ?? [];
  const found = typeof named === "number" ? tests[named] : tests.find((one) => one === named.trim());
  if (found !== undefined) return found;
  const known = tests.map((one, i) => `${i}: ${quoted(oneLine(one))}`);
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${at}.test to name a test that the step declares, found ${typeof named === "number" ? named : quoted(oneLine(named))}.`,
    {
      recovery:
        known.length === 0
          ? "Name a step that declares tests, or leave test out."
          : `Give its text or its place: ${listed(known)}.`,
    },
  );
}

function piecesOf(subject: Subject, step: Step | null, input: EvidenceInput, about: About): Piece[] {
  const { found } = about;
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
  if (count === 0 && (input.supersedes?.length ?? 0) > 0) return [];
  if (count === 0) throw nothingToCapture(subject, step, "nothing");
  checkCount(count, input.max_items);
  const maxBytes = Math.min(input.max_artifact_bytes ?? LIMITS.evidenceItemBytes, LIMITS.evidenceItemBytes);
  const pieces = [
    ...items.map((item, i) => {
      const at = `${name}[${i}]`;
      return withTest(pieceOfItem(item, at, { maxBytes, found, task: subject.id }), item.test, at, step, about);
    }),
    ...checks.map(({ line, at }) => withTest(pieceOfCheck(line, at, maxBytes), undefined, at, step, about)),
    // Clients of other programs attach addresses too; no file stands behind one.
    ...links.map((url) => pieceOfCheck(`LINK: ${url}`, "attachments", maxBytes)),
    ...attachments.map((path) => pieceOfAttachment(path, factOf(path, found.files), subject.id)),
  ];
  if (input.evidence_id === undefined) return pieces;
  const [only] = pieces;
  if (pieces.length > 1 || only!.item.evidence_id !== undefined) {
    throw new TaskfoldError("INVALID_INPUT", `Expected evidence_id for one piece, found it beside ${pieces.length}.`, {
      recovery: "Give each item an evidence_id of its own.",
    });
  }
  return [{ ...only!, item: { ...only!.item, evidence_id: input.evidence_id } }];
}

/** No path within a folder begins so. */
function isUrl(attachment: string): boolean {
  return /^https?:\/\//i.test(attachment);
}

function nothingToCapture(subject: Subject, step: Step | null, instead: string): TaskfoldError {
  const run = {
    kind: "run",
    command: "<fill: the command that was run>",
    exit_code: 0,
    stdout: "<fill: what it printed>",
  };
  const args = { ...(step ? { step_id: step.id } : {}), items: [run] };
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected items, checks or attachments that are filled in, found ${instead}.`,
    {
      recovery:
        'Give at least one, such as items: [{kind: "run", command: "npm test", exit_code: 0, stdout: "12 passed"}].',
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

function factOf(path: string, files: ReadonlyMap<string, FileFact>): FileFact {
  const fact = files.get(path);
  if (!fact) throw new TaskfoldError("INTERNAL", `Expected to be told what stands at ${path}, found nothing.`);
  return fact;
}

/** In the fixed order, each once. */
export function checkpointsOf(input: EvidenceInput["checkpoint"]): Checkpoint[] {
  const named = typeof input === "string" ? [input] : (input ?? []);
  return CHECKPOINTS.filter((c) => named.includes(c));
}

/** Words about pieces that are no proof, with a way to make them one. */
const WORDS: Partial<Record<NotProof["is"], { found: (names: string) => string; recovery: string }>> = {
  "no attachment": {
    found: (names) => `nothing stands at ${names} in the task folder`,
    recovery: "Write the file into the task folder, then capture again.",
  },
  "no events": {
    found: (names) => `the task folder has no such events: ${names}`,
    recovery: "Write the file into the task folder, and name it from there, such as agents/w1/runtime/events.jsonl.",
  },
  "no file": {
    found: (names) => `neither the repository nor the task folder has such a file with text in it: ${names}`,
    recovery: "Name a file that has text by its path from the workspace root, or from the task folder.",
  },
  "no lines": {
    found: (names) => `neither the repository nor the task folder has such lines: ${names}`,
    recovery: "Name a file by its path from the workspace root, or from the task folder, and lines that it has.",
  },
  unsafe: {
    found: (names) => `the engine does not look at ${names}`,
    recovery:
      "Name a regular file of at most 64 MiB that is checked out, no link to one, and none in a Taskdoc package.",
  },
  "no commit": {
    found: (names) => `git has no such commit here: ${names}`,
    recovery: "Fetch it, or name one that is there, then capture again.",
  },
};

/** A piece that shows nothing is told of only where it was to prove something. */
function warningsOf(pieces: readonly Piece[], checkpoints: readonly Checkpoint[]): Warning[] {
  const missing = Object.entries(WORDS).flatMap(([is, { found, recovery }]): Warning[] => {
    const names = pieces.flatMap(({ not_proof }) => (not_proof?.is === is ? nameOfAbsent(not_proof) : []));
    if (names.length === 0) return [];
    return [{ code: "ATTACHMENT_MISSING", message: `Recorded, but no proof: ${found(listed(names))}.`, recovery }];
  });
  const empty = pieces.filter(({ not_proof }) => not_proof?.is === "nothing").map(({ item }) => quoted(item.title));
  if (empty.length === 0 || checkpoints.length === 0) return missing;
  return [
    ...missing,
    {
      code: "PROOF_WEAK",
      message: `Recorded, but no proof: ${listed(empty)} names no command, link, content or file.`,
      recovery: "Capture what shows it: a run with its command, exit code and output, content, or the path of a file.",
    },
  ];
}

function nameOfAbsent(one: NotProof): string[] {
  if (!("what" in one)) return [];
  return [one.is === "unsafe" ? `${quoted(one.what)} (${one.why})` : quoted(one.what)];
}

const quoted = (title: string): string => JSON.stringify(title);
