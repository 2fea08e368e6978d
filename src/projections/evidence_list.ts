import { degreeOfEntry } from "../state/degree.ts";
import type { Entity } from "../state/entity.ts";
import type { EvidenceEntry, EvidenceSource } from "../state/evidence.ts";
import { inline } from "./markdown.ts";
import { toSecond } from "../to_second.ts";

/** One line for each entry: how a run ended, why it is no proof, and links to the output and the files that were kept (PROJ-62). */
export function evidenceList(entity: Entity): string {
  return entity.evidence.map((entry) => `- ${entryText(entity, entry)}${failingLine(entity, entry)}\n`).join("");
}

/** A review reads why a run failed, and opens no file. */
function failingLine({ facts }: Entity, { id, sources }: EvidenceEntry): string {
  const { failing_line: line, superseded } = facts.get(id) ?? {};
  const hasPassed = sources.map(exitCodeOf).includes(0);
  return line === undefined || superseded || hasPassed ? "" : `: ${inline(line)}`;
}

/**
 * Returns the mark of evidence that proves nothing, in code spans that user text cannot make; empty for proof
 * (PROJ-8).
 */
export function noProofMark({ facts }: Entity, id: string, exitCode: number | null | undefined): string {
  if (facts.get(id)?.superseded) return "`superseded`";
  if ((exitCode ?? 0) !== 0) return `\`failed\` with exit code ${exitCode}`;
  const why = facts.get(id)?.no_proof;
  return why === undefined ? "" : why === "missing" ? "`missing`" : "`no proof`";
}

/** One word for a run that Taskfold made, and for a signed entry; nothing for a claim (PROOF-52). */
export function degreeMark(entity: Entity, id: string): string {
  const degree = degreeOfEntry(entity, id);
  return degree === "claimed" ? "" : `\`${degree}\``;
}

function entryText(entity: Entity, { id, title, kind, sources, artifactRefs = [] }: EvidenceEntry): string {
  const code = sources.map(exitCodeOf).find((one) => one !== undefined);
  const name = `evidence:${id} ${inline(title)} (${kind})`;
  const aside = entity.facts.get(id)?.superseded;
  return [
    aside ? `~~${name}~~` : name,
    aside
      ? `\`superseded\` ${toSecond(aside.ts)} by ${inline(aside.by)}: ${inline(aside.reason)}`
      : noProofMark(entity, id, code),
    code === undefined || (code !== 0 && !aside) ? "" : `exit code ${code}`,
    degreeMark(entity, id),
    ...sources.flatMap(outputsOf),
    ...artifactRefs.map((ref) => link(nameOf(ref), ref)),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function exitCodeOf(source: EvidenceSource): number | undefined {
  return source.type === "commandExecution" ? source.exitCode : undefined;
}

function outputsOf(source: EvidenceSource): string[] {
  if (source.type !== "commandExecution") return [];
  return [
    ...(source.stdoutRef === undefined ? [] : [link("stdout", source.stdoutRef)]),
    ...(source.stderrRef === undefined ? [] : [link("stderr", source.stderrRef)]),
  ];
}

/** A digest says nothing to a person. */
function nameOf(ref: string): string {
  return BLOB.test(ref) ? "kept text" : ref.replace(/^\.\//, "");
}

/** Only to a file of this folder whose name needs no escape: evidence of other programs names anything. */
function link(name: string, ref: string): string {
  return LINKED.test(ref) ? `[${inline(name)}](${ref.slice(2)})` : inline(name);
}

const BLOB = /^\.\/shared\/evidence\/blobs\/[0-9a-f]{64}$/;
const LINKED = /^\.(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
