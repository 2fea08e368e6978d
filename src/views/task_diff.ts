/**
 * The changes of one plan or task between two moments, in sentences (GIT rules). Each sentence is told in parts, so
 * that texts of users stay apart from ours: each host decides how it makes a text harmless.
 */
import { otherCommands, proofsAmong } from "../state/checkpoint.ts";
import { toSecond } from "../to_second.ts";
import { isBlocked } from "../state/blocked_step.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { isArchivedOrDeleted } from "../state/archive.ts";
import { degreeOfEntry } from "../state/degree.ts";
import type { Degree } from "../state/degree.ts";
import type { Entity, Lease, Note, Status, Step } from "../state/entity.ts";
import type { EvidenceEntry, EvidenceSource } from "../state/evidence.ts";
import type { Json } from "../state/json.ts";
import { fieldLabel, liveConflicts, liveGates } from "../state/live.ts";
import { statusOf } from "../state/status.ts";
import { sectionPath, TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import { pathOf, preOrder } from "../state/tree.ts";

/** A path from the workspace root on, or behind `./` in the folder of the plan or task. A log of another program may name anything there. */
export interface ShownFile {
  path: string;
  /** The first and the last. */
  lines?: [number, number];
}

/** Words of ours, or a text that users wrote, with the file that shows more of it. */
export type Part = string | { text: string; file?: ShownFile | undefined };
export type Sentence = Part[];

export interface TaskDiff {
  title: string;
  kind: Entity["kind"];
  change: "created" | "changed" | "archived" | "deleted" | "restored" | "removed";
  /** Where its folder belongs after it; null where it is gone. */
  place: "tasks" | "archive" | null;
  status: { before: Status | null; after: Status | null };
  sentences: Sentence[];
  evidence: { id: string; title: string; exit_code: number | null; degree: Degree }[];
  /** Steps that were closed, those of them of which Taskfold ran the declared tests, runs that failed, and steps that are blocked now. */
  sum: { done: number; proved: number; failed: number; blocked: number };
  /** Open ones after it. */
  conflicts: { label: string; values: { value: Json; by: string }[] }[];
  /** The authors of the new events, in the order of their first change. */
  by: string[];
  events: { added: number; missing: number };
}

/** One side; null where no log of it stands there. `events`: hash and writer of each event. */
export interface DiffSide {
  entity: Entity;
  events: ReadonlyMap<string, string>;
}

/** Of one kind; the rest is counted. */
const MAX_OF_A_KIND = 10;

export function taskDiff(before: DiffSide | null, after: DiffSide | null): TaskDiff | null {
  const { entity } = after ?? before ?? {};
  if (!entity) return null;
  const [was, is] = [before?.entity ?? null, after?.entity ?? null];
  const added = [...(after?.events ?? [])].filter(([hash]) => before?.events.has(hash) !== true);
  const missing = [...(before?.events.keys() ?? [])].filter((hash) => after?.events.has(hash) !== true);
  const change = changeOf(was, is);
  const entries = is ? newEvidence(was, is) : [];
  return {
    title: entity.title,
    kind: entity.kind,
    change,
    place: is && (isArchivedOrDeleted(is) ? "archive" : "tasks"),
    status: { before: was && statusOf(was), after: is && statusOf(is) },
    sentences: [
      ...(missing.length === 1 && is ? [say`1 change of before is missing.`] : []),
      ...(missing.length > 1 && is ? [say`${missing.length} changes of before are missing.`] : []),
      ...(is ? sentencesOf(was, is, entries) : [say`No event of it stands there any more.`]),
    ],
    evidence: entries.map((entry) => ({
      id: entry.id,
      title: entry.title,
      exit_code: exitOf(entry),
      degree: degreeOfEntry(is!, entry.id),
    })),
    sum: sumOf(was, is, entries),
    conflicts: is ? conflictsOf(is) : [],
    by: [...new Set(added.map(([, by]) => by))],
    events: { added: added.length, missing: missing.length },
  };
}

function sumOf(was: Entity | null, is: Entity | null, entries: readonly EvidenceEntry[]): TaskDiff["sum"] {
  const old = new Map([...preOrder(was?.children ?? [])].map((step) => [step.id, step]));
  const steps = [...preOrder(is?.children ?? [])];
  const done = is ? newlyDone(was, is) : [];
  return {
    done: done.length,
    proved: is ? done.filter((step) => isCaptured(is, step)).length : 0,
    failed: entries.filter((entry) => (exitOf(entry) ?? 0) !== 0).length,
    blocked: steps.filter((step) => waits(step) && !waits(old.get(step.id))).length,
  };
}

function waits(step: Step | undefined): boolean {
  return step !== undefined && !step.done && isBlocked(step);
}

/** Whether Taskfold ran the tests of a step: a claim, or a run of another command, says less than a review would read (PROOF-52). */
function isCaptured(entity: Entity, step: Step): boolean {
  const proofs = proofsAmong(step.linked.tests);
  return (
    otherCommands(step).length === 0 && proofs.some(({ evidence }) => degreeOfEntry(entity, evidence) !== "claimed")
  );
}

function changeOf(was: Entity | null, is: Entity | null): TaskDiff["change"] {
  if (!is) return "removed";
  if (is.deleted && was?.deleted !== true) return "deleted";
  if (is.archived && was?.archived !== true) return "archived";
  if (!was) return "created";
  return isArchivedOrDeleted(was) && !isArchivedOrDeleted(is) ? "restored" : "changed";
}

function sentencesOf(was: Entity | null, is: Entity, entries: readonly EvidenceEntry[]): Sentence[] {
  const cited = citedIn(was, is);
  return [
    ...(was ? fieldSentences(was, is) : [say`Created by ${data(is.created_by)}.`]),
    ...leaseSentence(say`The whole`, was?.lease ?? null, is.lease),
    ...stepSentences(was, is),
    ...gateSentences(was, is),
    ...taskdocSentence(was, is),
    ...packetSentences(was, is),
    ...noteSentences(was, is),
    ...upTo(
      entries.filter(({ id }) => !cited.has(id)).map((entry) => evidenceSentence(is, entry)),
      "pieces of evidence",
    ),
    ...countSentence(was?.card_order.length ?? 0, is.card_order.length, "reasoning cards were added"),
    ...conflictSentences(was, is),
  ];
}

/** The label of each field, and the way that a value of it reads. */
const FIELDS: [label: string, of: (entity: Entity) => string][] = [
  ["Priority", (e) => e.priority],
  ["Tags", (e) => e.tags.join(", ")],
  ["Parent", (e) => e.parent?.id ?? ""],
  ["Dependencies", (e) => e.depends_on.map((ref) => ref.id).join(", ")],
  ["Complete when done", ({ complete_when_done: completes }) => (completes === null ? "" : completes ? "yes" : "no")],
  ["Assignee", (e) => e.assignee ?? ""],
  ["Domain", (e) => e.domain ?? ""],
  ["Phase", (e) => e.phase ?? ""],
  ["Component", (e) => e.component ?? ""],
];
/** Long ones: that they changed is said, and not what they were. */
const TEXTS: [label: string, of: (entity: Entity) => string][] = [
  ["description", (e) => e.description],
  ["context", (e) => e.context ?? ""],
  ["contract", (e) => (e.contract ?? "") + JSON.stringify(e.contract_data)],
  ["checklist", (e) => JSON.stringify(e.checklist, (key, value: unknown) => (key === "$" ? undefined : value))],
  ["human-notes.md", (e) => e.people["shared/human-notes.md"].sha256 ?? ""],
  ["context-manifest.yaml", (e) => e.people["shared/context-manifest.yaml"].sha256 ?? ""],
];

function fieldSentences(was: Entity, is: Entity): Sentence[] {
  const [from, to] = [statusOf(was), statusOf(is)];
  const reason = is.status_reason === null ? [] : [": ", data(is.status_reason)];
  const fields = FIELDS.filter(([, of]) => of(was) !== of(is)).map(([label, of]) =>
    of(is) === "" ? say`${label}: ${data(of(was))} was taken away.` : say`${label}: ${data(of(is))}${before(of(was))}.`,
  );
  const texts = TEXTS.filter(([, of]) => of(was) !== of(is)).map(([label]) => label);
  return [
    ...(from === to ? [] : [[...say`Status: ${from} became ${to}`, ...reason, "."]]),
    ...(was.title === is.title ? [] : [say`Title: ${data(was.title)} became ${data(is.title)}.`]),
    ...fields,
    ...(texts.length === 0 ? [] : [say`Changed: ${texts.join(", ")}.`]),
  ];
}

function before(value: string): Sentence {
  return value === "" ? [] : [" (before: ", data(value), ")"];
}

function stepSentences(was: Entity | null, is: Entity): Sentence[] {
  const now = [...preOrder(is.children)];
  const old = new Map([...preOrder(was?.children ?? [])].map((step) => [step.id, step]));
  const live = new Set(now.map((step) => step.id));
  const added = now.filter((step) => !old.has(step.id));
  const gone = [...old.values()].filter((step) => !live.has(step.id));
  const lists: [Sentence[], string][] = [
    [added.map((step) => say`Step ${named(step)} was added.`), "steps were added"],
    [gone.map((step) => say`Step ${data(step.title)} was deleted.`), "steps were deleted"],
    [newlyDone(was, is).map((step) => doneSentence(is, step)), "steps were done"],
    [now.flatMap((step) => changedStep(old.get(step.id), step)), "changes of steps"],
  ];
  return lists.flatMap(([sentences, what]) => upTo(sentences, what));
}

function newlyDone(was: Entity | null, is: Entity): Step[] {
  const old = new Set([...preOrder(was?.children ?? [])].flatMap(({ id, done }) => (done ? [id] : [])));
  return [...preOrder(is.children)].filter((step) => step.done && !old.has(step.id));
}

function doneSentence(entity: Entity, step: Step): Sentence {
  const by = step.done_by === null ? [] : [" by ", data(step.done_by)];
  const forced = step.forced === null ? [] : [", by force: ", data(step.forced)];
  const others = otherCommands(step);
  const proofs = proofsOf(entity, step).map((entry) => evidenceName(entity, entry, others));
  const proof = proofs.length === 0 ? [", without proof"] : [", proof: ", ...proofs.flatMap(afterComma)];
  return [...say`Step ${named(step)} was done`, ...by, ...proof, ...forced, "."];
}

function afterComma(sentence: Sentence, n: number): Sentence {
  return n === 0 ? sentence : [", ", ...sentence];
}

function proofsOf(entity: Entity, step: Step): EvidenceEntry[] {
  const ids = new Set(CHECKPOINTS.flatMap((c) => proofsAmong(step.linked[c]).map((link) => link.evidence)));
  return entity.evidence.filter(({ id }) => ids.has(id)).slice(0, MAX_OF_A_KIND);
}

/** Evidence that the sentences about done steps name: it is said once. */
function citedIn(was: Entity | null, is: Entity): Set<string> {
  const steps = newlyDone(was, is).slice(0, MAX_OF_A_KIND);
  return new Set(steps.flatMap((step) => proofsOf(is, step)).map(({ id }) => id));
}

function changedStep(was: Step | undefined, step: Step): Sentence[] {
  const sentences: Sentence[] = [];
  if (was && was.title !== step.title) sentences.push(say`Step ${named(step)} was called ${data(was.title)} before.`);
  if (was?.done === true && !step.done)
    sentences.push([...say`Step ${named(step)} was opened again`, ...because(step.reopened), "."]);
  if (step.blocked && was?.blocked !== true)
    sentences.push([...say`Step ${named(step)} is blocked`, ...because(step.block_reason), "."]);
  if (was?.blocked === true && !step.blocked) sentences.push(say`Step ${named(step)} is no longer blocked.`);
  const [words, old] = [step.blockers, was?.blockers ?? []];
  if (words.length > 0 && JSON.stringify(words) !== JSON.stringify(old))
    sentences.push([
      ...say`Step ${named(step)} waits for: `,
      ...words.flatMap((word, n) => (n === 0 ? [data(word)] : ["; ", data(word)])),
      ".",
    ]);
  if (words.length === 0 && old.length > 0) sentences.push(say`Step ${named(step)} has no blockers any more.`);
  const asks = (one: Step): string =>
    JSON.stringify([one.success_criteria, one.tests, one.depends_on, one.files, one.confirm]);
  if (was && asks(was) !== asks(step))
    sentences.push(say`Step ${named(step)} asks for other criteria, tests, files, confirmation or steps before it.`);
  if (!step.done) sentences.push(...leaseSentence(say`Step ${named(step)}`, was?.lease ?? null, step.lease));
  return sentences;
}

function leaseSentence(what: Sentence, was: Lease | null, is: Lease | null): Sentence[] {
  if (is && is.by !== was?.by)
    return [[...what, ...say` was claimed by ${data(is.by)} until ${toSecond(is.expires_at)}.`]];
  return was && !is ? [[...what, ...say` is claimed by ${data(was.by)} no longer.`]] : [];
}

function gateSentences(was: Entity | null, is: Entity): Sentence[] {
  return liveGates(is).flatMap((gate) => {
    const state = was?.gates.get(gate.id)?.state ?? "open";
    // Whether a step is blocked is said of the step.
    return gate.state === state || gate.own
      ? []
      : [[...say`Gate ${data(gate.id)} is ${gate.state}`, ...because(gate.reason), "."]];
  });
}

function taskdocSentence(was: Entity | null, is: Entity): Sentence[] {
  const changed = [...is.taskdoc].filter(([key, section]) => was?.taskdoc.get(key)?.content !== section.content);
  if (changed.length === 0) return [];
  const files = changed.map(([, section]) => sectionPath(section));
  return [
    [
      "Taskdoc: ",
      ...files.map((path) => [data(path, { path: `./${TASKDOC_PACKAGE}/${path}` })]).flatMap(afterComma),
      " changed.",
    ],
  ];
}

function packetSentences(was: Entity | null, is: Entity): Sentence[] {
  const { packet } = is;
  if (!packet) return [];
  const stages = Object.keys(packet.done).filter((stage) => was?.packet?.done[stage] !== packet.done[stage]);
  const passed = upTo(
    stages.map((stage) => say`Stage ${data(stage)} of its packet passed.`),
    "stages passed",
  );
  return was?.packet ? passed : [say`It carries a packet.`, ...passed];
}

function noteSentences(was: Entity | null, is: Entity): Sentence[] {
  const known = new Set(was?.notes.map((note) => note.id));
  const sentences = is.notes.filter((note) => !known.has(note.id)).map((note) => noteSentence(is, note));
  return upTo(sentences, "notes");
}

function noteSentence(entity: Entity, { by, step, text }: Note): Sentence {
  const on = step === null ? undefined : entity.steps.get(step);
  return [...say`Note by ${data(by)}`, ...(on ? say` on ${named(on)}` : []), ": ", data(text)];
}

function newEvidence(was: Entity | null, is: Entity): EvidenceEntry[] {
  const known = new Set(was?.evidence.map((entry) => entry.id));
  return is.evidence.filter((entry) => !known.has(entry.id));
}

function evidenceSentence(entity: Entity, entry: EvidenceEntry): Sentence {
  return ["Evidence: ", ...evidenceName(entity, entry), "."];
}

/** `others`: commands that prove the tests of a step, and are none of its declared tests. */
function evidenceName(entity: Entity, entry: EvidenceEntry, others: readonly string[] = []): Sentence {
  const degree = degreeOfEntry(entity, entry.id);
  const run = entry.sources.find((source) => source.type === "commandExecution");
  const code = exitOf(entry);
  const about = [
    ...(degree === "claimed" ? [] : [degree]),
    ...(run && others.includes(run.command) ? ["another command than the declared test"] : []),
  ];
  const line = code === null || code === 0 ? undefined : entity.facts.get(entry.id)?.failing_line;
  return [
    data(run ? run.command : entry.title, fileOf(entry)),
    code === null ? "" : code === 0 ? " passed" : ` failed with exit code ${code}`,
    about.length === 0 ? "" : ` (${about.join(", ")})`,
    ...(line === undefined ? [] : [": ", data(line)]),
  ];
}

/** The file that shows more: the output of a run, a file or lines of it, or what was kept. */
function fileOf({ sources, artifactRefs = [] }: EvidenceEntry): ShownFile | undefined {
  const [kept] = artifactRefs;
  return sources.map(shownBy).find((file) => file !== undefined) ?? (kept === undefined ? undefined : { path: kept });
}

function shownBy(source: EvidenceSource): ShownFile | undefined {
  if (source.type === "fileAnchor") return { path: source.path, lines: [source.startLine, source.endLine] };
  const path = source.type === "commandExecution" ? (source.stdoutRef ?? source.stderrRef) : source.eventsRef;
  // Evidence without a file names the log that tells of it.
  return path === undefined || path === "./events.jsonl" ? undefined : { path };
}

function exitOf({ sources }: EvidenceEntry): number | null {
  return sources.find((source) => source.type === "commandExecution")?.exitCode ?? null;
}

function conflictSentences(was: Entity | null, is: Entity): Sentence[] {
  const open = liveConflicts(is);
  const fields = new Set(open.map(({ field }) => field));
  const resolved = was ? liveConflicts(was).filter(({ field }) => !fields.has(field)) : [];
  return [
    ...open.map(({ field, values }) => [
      ...say`Open conflict: ${data(fieldLabel(is, field))} was written as `,
      ...values.flatMap(({ value, by }, n) => [
        n === 0 ? "" : " and as ",
        data(typeof value === "string" ? value : JSON.stringify(value)),
        " by ",
        data(by),
      ]),
      ".",
    ]),
    ...resolved.map(({ field }) => say`The conflict about ${data(fieldLabel(is, field))} is resolved.`),
  ];
}

function conflictsOf(entity: Entity): TaskDiff["conflicts"] {
  return liveConflicts(entity).map(({ field, values }) => ({
    label: fieldLabel(entity, field),
    values: values.map(({ value, by }) => ({ value, by })),
  }));
}

function countSentence(was: number, is: number, what: string): Sentence[] {
  return is > was ? [say`${is - was} ${what}.`] : [];
}

function upTo(sentences: Sentence[], what: string): Sentence[] {
  if (sentences.length <= MAX_OF_A_KIND) return sentences;
  return [...sentences.slice(0, MAX_OF_A_KIND), say`${sentences.length - MAX_OF_A_KIND} more ${what}.`];
}

function because(reason: string | null): Sentence {
  return reason === null ? [] : [": ", data(reason)];
}

function named(step: Step): Sentence {
  return [`${pathOf(step)} `, data(step.title)];
}

function data(text: string, file?: ShownFile): Part {
  return { text, file };
}

function say(words: TemplateStringsArray, ...values: (Part | number | Sentence)[]): Sentence {
  return words.flatMap((word, n) => {
    const value = values[n];
    if (value === undefined) return [word];
    return [word, ...(Array.isArray(value) ? value : [typeof value === "number" ? String(value) : value])];
  });
}
