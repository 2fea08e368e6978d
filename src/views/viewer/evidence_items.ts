/** Evidence as the viewer shows it: what was run and where the output is, which lines of files, which addresses. */
import { degreeOfEntry } from "../../state/degree.ts";
import { CHECKPOINTS } from "../../state/entity.ts";
import type { Entity } from "../../state/entity.ts";
import type { EvidenceEntry, EvidenceFacts } from "../../state/evidence.ts";
import { otherEvidence } from "../../state/other_commands.ts";
import { preOrder } from "../../state/tree.ts";
import type { BlobRef, EvidenceItem, EvidenceRun, StepRef } from "./api.ts";
import { stepRef } from "./refs.ts";

/** A reference to kept bytes as a page follows it; null where it names none of ours. */
export type BlobOf = (ref: string) => BlobRef | null;

/** Addresses that entries were captured with, by their ids: only the log has them. */
export type Addresses = ReadonlyMap<string, readonly string[]>;

const NO_ADDRESSES: Addresses = new Map();
const ADDRESS = /https?:\/\/[^\s<>"'`]+/g;
const MAX_LINKS = 20;

export function evidenceItems(
  entity: Entity,
  entries: readonly EvidenceEntry[],
  blobOf: BlobOf,
  addresses: Addresses = NO_ADDRESSES,
): EvidenceItem[] {
  const linked = linksByEvidence(entity);
  const others = otherEvidence(entity);
  return entries.map((entry) => ({
    ...evidenceItem(entity, entry, linked.get(entry.id) ?? [], blobOf, addresses),
    other_command: others.has(entry.id),
    degree: degreeOfEntry(entity, entry.id),
  }));
}

function evidenceItem(
  entity: Entity,
  entry: EvidenceEntry,
  linked: EvidenceItem["linked"],
  blobOf: BlobOf,
  addresses: Addresses,
): Omit<EvidenceItem, "other_command" | "degree"> {
  const facts = entity.facts.get(entry.id);
  const refs = entry.artifactRefs ?? [];
  const others = entry.sources.flatMap((source) =>
    source.type === "runtimeEventRange" && source.eventsRef !== "./events.jsonl" ? [source.eventsRef] : [],
  );
  const named = `${entry.title}\n${entry.summary}`.slice(0, 4000).match(ADDRESS) ?? [];
  const links = [...(addresses.get(entry.id) ?? []), ...named, ...others, ...refs.filter((ref) => !blobOf(ref))];
  return {
    id: entry.id,
    kind: entry.kind,
    title: entry.title,
    summary: entry.summary,
    created_at: entry.createdAt,
    by: facts?.by ?? null,
    linked,
    anchors: entry.sources.flatMap((source) => {
      if (source.type === "commandExecution") return [];
      const { startLine: start, endLine: end = start } = source;
      if (start === undefined || end === undefined) return [];
      return [
        { path: source.type === "fileAnchor" ? source.path : source.eventsRef, start_line: start, end_line: end },
      ];
    }),
    runs: entry.sources.flatMap((source): EvidenceRun[] =>
      source.type === "commandExecution"
        ? [
            {
              command: source.command,
              cwd: source.cwd,
              exit_code: source.exitCode ?? null,
              stdout: source.stdoutRef === undefined ? null : blobOf(source.stdoutRef),
              stderr: source.stderrRef === undefined ? null : blobOf(source.stderrRef),
            },
          ]
        : [],
    ),
    links: [...new Set(links)].slice(0, MAX_LINKS),
    artifacts: refs.flatMap((ref) => blobOf(ref) ?? []),
    commit: facts?.commit ?? facts?.captured?.git_commit ?? null,
    no_proof: whyNoProof(entry, facts),
    failing_line: facts?.failing_line ?? null,
    superseded: facts?.superseded ?? null,
  };
}

/** Where lines of a file prove nothing and have no digest, they were not there. */
function whyNoProof({ kind }: EvidenceEntry, facts: EvidenceFacts | undefined): EvidenceItem["no_proof"] {
  const isOfLines = kind === "file-anchor" && facts?.lines === undefined;
  return facts?.no_proof === "open" && isOfLines ? "missing" : (facts?.no_proof ?? null);
}

function linksByEvidence(entity: Entity): Map<string, EvidenceItem["linked"]> {
  const linked = new Map<string, EvidenceItem["linked"]>();
  for (const step of preOrder(entity.children)) {
    for (const checkpoint of CHECKPOINTS) {
      for (const { evidence, counts, superseded } of step.linked[checkpoint]) {
        const known = linked.get(evidence) ?? [];
        known.push({ step: stepRef(step), checkpoint, counts: counts && !superseded });
        linked.set(evidence, known);
      }
    }
  }
  return linked;
}

/** The steps that count an entry as proof, each once. */
export function stepsBackedBy(entity: Entity): Map<string, StepRef[]> {
  const backed = new Map<string, StepRef[]>();
  for (const [id, links] of linksByEvidence(entity)) {
    const steps = new Map(links.filter(({ counts }) => counts).map(({ step }) => [step.id, step]));
    backed.set(id, [...steps.values()]);
  }
  return backed;
}
