import { timeInLog } from "../state/checkpoint.ts";
import { derivedHex, hexForms, wholeHex } from "../state/derived_hex.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { EvidenceEntry, EvidenceFacts, EvidenceSource, ReceiptKind, Superseded } from "../state/evidence.ts";
import { isGivenEvidenceId } from "../state/evidence.ts";
import { timeOfRun } from "../state/recorded_runs.ts";
import type { Infer } from "../state/schema.ts";
import { boolean, integer, jsonObject, list, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import type { Entity, Link } from "../state/entity.ts";
import type { Fact } from "./define.ts";
import { defineEvent } from "./define.ts";
import { message, stepId } from "./parts.ts";
import type { Writer } from "./writer.ts";

/** Output that was kept as a blob: its name is its digest. */
const blob = openObject({ sha256: text(), size: integer(), excerpt: text() });

/** Bytes that were kept as a blob and are nothing to read. */
const kept = openObject({ sha256: text(), size: integer() });

/** That of the task's packet when the entry was recorded; left out where there was none (PROOF-51). */
const scope = optional(openObject({ allow: list(text()), deny: list(text()) }));

/** A run that Taskfold started itself, and what the repository was then (PROOF-46). */
const capturedRun = openObject({
  argv: list(text()),
  /** Names of the variables that it got. */
  env: list(text()),
  started_at: text(),
  ended_at: text(),
  /** The commit that was checked out when it started. */
  git_commit: optional(text()),
  /** Digest of the work tree by content, without the workspace's own folder (PROOF-47). */
  tree: optional(text()),
  /** SHA-256 over the ignore rules that no commit held. */
  ignores: optional(text()),
  /** SHA-256 over the rules by which git converts content and that no commit held. */
  attributes: optional(text()),
  /** Files that differed from the commit when it started, and those that it left otherwise. */
  changes: optional(kept),
  wrote: optional(kept),
  /** The files that it left otherwise could not be listed, or are more than are kept. */
  left: optional(oneOf(["unknown"])),
  lock: optional(openObject({ path: text(), sha256: text() })),
  platform: text(),
  /** Taskfold made the work tree from the commit, and nothing in it differed. */
  checkout: optional(oneOf(["clean"])),
  scope,
});

/** A signature over evidence that is there (ATTEST-3). */
const attestation = openObject({
  envelope: kept,
  of: list(text()),
  /** Of the entity when it was signed. */
  head: text(),
  revision: integer(),
  git_commit: text(),
  /** Fingerprint of the key. */
  key: text(),
  scope,
});

export type CapturedRun = Infer<typeof capturedRun>;
export type Attestation = Infer<typeof attestation>;

const item = openObject({
  kind: oneOf(["file-anchor", "command-execution", "runtime-event-range"]),
  title: text(),
  summary: text(),
  /** False for placeholders, failed runs, what is not there and what shows nothing: recorded, never proof. */
  counts: boolean(),
  command: optional(text()),
  cwd: optional(text()),
  exit_code: optional(integer()),
  stdout: optional(blob),
  stderr: optional(blob),
  path: optional(text()),
  start_line: optional(integer()),
  end_line: optional(integer()),
  /** The id that the caller gave the entry. */
  evidence_id: optional(text()),
  /** File of events in the task folder that the entry stands on. */
  events_ref: optional(text()),
  url: optional(text()),
  /** A second address, and what the caller called this kind of item. */
  external_uri: optional(text()),
  label: optional(text()),
  /** Digest of the lines that a file anchor names, as they were. */
  lines_sha256: optional(text()),
  commit: optional(text()),
  attachment: optional(
    openObject({ path: text(), size: optional(integer()), sha256: optional(text()), missing: optional(boolean()) }),
  ),
  diff: optional(blob),
  content: optional(blob),
  meta: optional(jsonObject()),
  /** The declared test of the step that it is for, in the words of the step. */
  test: optional(text()),
  /** The line of the output that first tells of a failure. */
  failing_line: optional(text()),
  captured: optional(capturedRun),
  attestation: optional(attestation),
});

export type CapturedItem = Infer<typeof item>;

export const evidenceCaptured = defineEvent({
  type: "evidence.captured",
  doc: "Evidence was attached to a step or to the whole, and linked to checkpoints where some were named.",
  payload: openObject({
    step_id: orNull(stepId),
    checkpoints: list(oneOf(CHECKPOINTS)),
    items: list(item),
    /** Ids that the event derives have 20 hex digits of its hash; left out by older releases, whose ids have 8. */
    long_ids: optional(boolean()),
    /** Ids that their events derive, or those of adopted entries. */
    supersedes: optional(list(text())),
    reason: optional(text()),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: evidence is a record of what was seen.",
  apply: (entity, p, fact, w, _foreign, at) => {
    // A deleted one, too: what was seen of it is there, whichever branch deleted it (EVENT-50).
    const step = p.step_id === null ? null : entity.steps.get(p.step_id);
    if (step === undefined) return;
    if (step) w.touch(step);
    const superseded = { by: fact.by, ts: fact.ts, reason: p.reason ?? "" };
    for (const id of p.supersedes ?? []) supersede(entity, id, superseded, w);
    p.items.forEach((one, index) => {
      const usual = derivedId(one, fact.hash, index, p.long_ids === true);
      const free = freeId(entity, one, { usual, hash: fact.hash, index });
      const id = idOf(entity, one, free);
      // Where an adopted entry alone has the usual id, other events name this one by it all the same (EVID-58).
      const derived = free !== usual && isNamed(entity, usual) ? free : usual;
      const entry = entryOf(one, id, fact.ts);
      const ran_at = timeOfRun(entity, entry, at.saw);
      w.push(entity, "evidence", entity.evidence, entry);
      const whole = step || p.checkpoints.length === 0 ? {} : { whole: p.checkpoints };
      w.put("facts", entity.facts, id, {
        ...factsOf(one, fact, id, derived),
        ...whole,
        ...(one.exit_code === undefined ? {} : { op: at.index }),
        ...(ran_at === fact.ts ? {} : { ran_at }),
      });
      for (const ref of one.attestation?.of ?? []) vouchFor(entity, ref, id, w);
      if (!step) return;
      const link = linkOf(one, id, at.index, fact);
      // A run for a declared test is linked to tests, whichever checkpoints its caller named (PROOF-42).
      const about = one.test === undefined ? p.checkpoints : [...p.checkpoints, "tests" as const];
      for (const c of new Set(about)) {
        const links = step.linked[c];
        const time = timeInLog(link, links, at.saw, entity.updated_at);
        w.push(step.linked, c, links, { ...link, time, ...(ran_at > time ? { ran_at } : {}) });
      }
    });
  },
});

/** The id that an entry has if its caller gave none, or one that an entry before it has. `isLong`: `long_ids` of its event. */
export function derivedId(
  { kind }: Pick<CapturedItem, "kind">,
  eventHash: string,
  index: number,
  isLong: boolean,
): string {
  return idWith(kind, derivedHex(eventHash, isLong), index);
}

/** The entry that is replayed later has all digits, and no entry gets the facts of another (EVID-4). */
function freeId(
  entity: Entity,
  { kind }: CapturedItem,
  { usual, hash, index }: { usual: string; hash: string; index: number },
): string {
  let id = usual;
  // An index that was taken in may name its entries by any id.
  for (let n = index; hasEntry(entity, id); n++) id = idWith(kind, wholeHex(hash), n);
  return id;
}

function hasEntry({ evidence, facts }: Entity, id: string): boolean {
  // An adopted entry alone has no facts; without any there is nothing to search.
  return facts.has(id) || (evidence.length > facts.size && evidence.some((one) => one.id === id));
}

/** Whether events name an entry of ours by that id. Costs a look at all entries, where two of them would have one id. */
function isNamed({ facts }: Entity, id: string): boolean {
  return [...facts].some(([own, { by, derived }]) => by !== null && (derived ?? own) === id);
}

/** Whether an event of this hash derives the id, with as many digits as it may have. */
export function isDerivedFrom(eventHash: string, id: string): boolean {
  return hexForms(eventHash).some((hex) => id.includes(`-${hex}-`));
}

function idWith(kind: CapturedItem["kind"], hex: string, index: number): string {
  return `${evidencePrefix(kind)}-${hex}-${index + 1}`;
}

/** Of two branches that give one id, the entry that is replayed first has it: no entry is replaced, and none is lost (EVID-56). */
function idOf({ evidence }: Entity, { evidence_id: given }: CapturedItem, derived: string): string {
  const isFree = given !== undefined && isGivenEvidenceId(given) && !evidence.some(({ id }) => id === given);
  return isFree ? given : derived;
}

/** The first that is replayed says why; an id that no entry has is passed over (EVID-58). */
function supersede(entity: Entity, ref: string, superseded: Superseded, w: Writer): void {
  const id = entryNamed(entity, ref);
  const facts = id === undefined ? undefined : entity.facts.get(id);
  if (id === undefined || facts?.superseded) return;
  w.put("facts", entity.facts, id, { by: null, ...facts, superseded });
  markLinks(entity, id, { superseded: true }, w);
}

/** An id that no entry has is passed over, as in `supersede`. */
function vouchFor(entity: Entity, ref: string, attestation: string, w: Writer): void {
  const id = entryNamed(entity, ref);
  const facts = id === undefined ? undefined : entity.facts.get(id);
  if (id === undefined || id === attestation) return;
  w.put("facts", entity.facts, id, {
    by: null,
    ...facts,
    attested_in: [...(facts?.attested_in ?? []), attestation],
  });
  markLinks(entity, id, { signed: true }, w);
}

function markLinks(entity: Entity, id: string, mark: Pick<Link, "superseded" | "signed">, w: Writer): void {
  for (const { linked } of entity.steps.values()) {
    for (const c of CHECKPOINTS) {
      if (!linked[c].some(({ evidence }) => evidence === id)) continue;
      const links = linked[c].map((link) => (link.evidence === id ? { ...link, ...mark } : link));
      w.writeUntracked(linked, c, links);
    }
  }
}

/** A merge may give an entry another id than its caller did, and never another than its event derives. */
function entryNamed({ evidence, facts }: Entity, ref: string): string | undefined {
  const isDerived = ({ id }: EvidenceEntry): boolean => facts.get(id)?.derived === ref;
  return (evidence.find(isDerived) ?? evidence.find(({ id }) => id === ref))?.id;
}

/** Returns the facts that the index has no room for. */
function factsOf(one: CapturedItem, { by }: Fact, id: string, derived: string): EvidenceFacts {
  const { lines_sha256: lines, commit, attachment, attestation: signed, test, failing_line } = one;
  const { path, size, sha256 } = attachment ?? {};
  const file = path === undefined || size === undefined || sha256 === undefined ? null : { path, size, sha256 };
  const no_proof = whyNoProof(one);
  const named = one.evidence_id === id ? undefined : one.evidence_id;
  return {
    by,
    ...(named === undefined ? {} : { named }),
    ...(derived === id ? {} : { derived }),
    ...(test === undefined ? {} : { test }),
    ...(failing_line === undefined ? {} : { failing_line }),
    ...(lines === undefined ? {} : { lines }),
    ...(commit === undefined ? {} : { commit }),
    ...(file ? { file } : {}),
    ...(one.captured ? { captured: withoutStart(one.captured) } : {}),
    ...(signed ? { attestation: signed } : {}),
    ...(no_proof ? { no_proof } : {}),
  };
}

/** The log keeps what it was started with; the state has what a reader compares. */
function withoutStart({
  git_commit,
  tree,
  ignores,
  attributes,
  changes,
  wrote,
  left,
  started_at,
  ended_at,
  lock,
  platform,
  checkout,
  scope: counted,
}: CapturedRun) {
  return {
    started_at,
    ended_at,
    platform,
    ...(git_commit === undefined ? {} : { git_commit }),
    ...(tree === undefined ? {} : { tree }),
    ...(ignores === undefined ? {} : { ignores }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(changes ? { changes } : {}),
    ...(wrote ? { wrote } : {}),
    ...(left ? { left } : {}),
    ...(lock ? { lock } : {}),
    ...(checkout === undefined ? {} : { checkout }),
    ...(counted ? { scope: counted } : {}),
  };
}

/** Of a run that failed its exit code tells. */
function whyNoProof({ counts, attachment, exit_code }: CapturedItem): EvidenceFacts["no_proof"] {
  if (counts || (exit_code ?? 0) !== 0) return undefined;
  return attachment?.missing ? "missing" : "open";
}

function linkOf(one: CapturedItem, evidence: string, op: number, { by, ts: time }: Fact): Link {
  const { counts, command, cwd, exit_code, stdout, stderr, diff, content, lines_sha256, commit, attachment } = one;
  const isKept = [stdout, stderr, diff, content, lines_sha256, commit, attachment?.sha256].some((k) => k !== undefined);
  return {
    evidence,
    counts,
    receipt: receiptOf(one),
    command: command ?? null,
    cwd: cwd ?? null,
    exit_code: exit_code ?? null,
    op,
    time,
    backed: counts && (isKept || exit_code === 0),
    ...(one.test === undefined ? {} : { test: one.test }),
    ...degreeOf(one, by),
  };
}

/** Without an exit code nothing ran. */
function degreeOf({ captured, exit_code }: CapturedItem, by: string): Pick<Link, "degree" | "by"> {
  if (!captured || exit_code === undefined) return {};
  return { degree: captured.checkout === "clean" ? "repeated" : "captured", by };
}

function receiptOf(one: CapturedItem): ReceiptKind | null {
  return one.command !== undefined ? "CMD" : one.url !== undefined ? "LINK" : null;
}

function evidencePrefix(kind: CapturedItem["kind"]): string {
  return kind === "command-execution" ? "cmd" : kind === "file-anchor" ? "file" : "log";
}

export function blobRef(sha256: string): string {
  return `./shared/evidence/blobs/${sha256}`;
}

function entryOf(one: CapturedItem, id: string, createdAt: string): EvidenceEntry {
  const refs = [
    one.attachment && !one.attachment.missing ? one.attachment.path : undefined,
    one.diff && blobRef(one.diff.sha256),
    one.content && blobRef(one.content.sha256),
  ];
  const artifactRefs = refs.filter((r) => r !== undefined);
  const entry: EvidenceEntry = {
    id,
    kind: one.kind,
    title: one.title,
    summary: one.summary,
    createdAt,
    sources: [sourceOf(one)],
  };
  return artifactRefs.length > 0 ? { ...entry, artifactRefs } : entry;
}

function sourceOf(one: CapturedItem): EvidenceSource {
  if (one.kind === "file-anchor") {
    return {
      type: "fileAnchor",
      path: one.path ?? "",
      startLine: one.start_line ?? 1,
      endLine: one.end_line ?? one.start_line ?? 1,
    };
  }
  if (one.kind === "command-execution") {
    return {
      type: "commandExecution",
      command: one.command ?? "",
      cwd: one.cwd ?? ".",
      ...(one.exit_code === undefined ? {} : { exitCode: one.exit_code }),
      ...(one.stdout ? { stdoutRef: blobRef(one.stdout.sha256) } : {}),
      ...(one.stderr ? { stderrRef: blobRef(one.stderr.sha256) } : {}),
    };
  }
  if (one.events_ref === undefined) return { type: "runtimeEventRange", eventsRef: "./events.jsonl" };
  return {
    type: "runtimeEventRange",
    eventsRef: one.events_ref,
    ...(one.start_line === undefined ? {} : { startLine: one.start_line, endLine: one.end_line ?? one.start_line }),
  };
}
