/** Does what an evidence entry points at still stand there as it did? (CHECK rules) */
import { phrased, textOf } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import type { Checkpoint, Entity, Step } from "../state/entity.ts";
import { hasProof, proofsAmong, unprovenAmong } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { EvidenceEntry, EvidenceFacts, EvidenceSource } from "../state/evidence.ts";
import { inTaskFolder } from "../state/evidence.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { stepName } from "./lines.ts";

type NotThere = { state: "missing" } | { state: "unsafe"; why: string };
/** The shared log has it for this machine. */
type Remote = { state: "remote" };
type Lines = { state: "present"; sha256: string } | { state: "short"; lines: number } | NotThere;

/** The findings of the engine's look; nothing is followed out of the folder. */
export interface Look {
  /** In the task folder; the digest is that of the first `most` bytes. `recorded`: the one that an event names. */
  file: (
    path: string,
    most?: number,
    recorded?: string,
  ) => { state: "present"; size: number; sha256: string } | NotThere | Remote;
  /** In the repository, or in the task folder. */
  lines: (where: "root" | "task", path: string, start: number, end: number) => Lines;
  /** Whether a commit is there; null where that cannot be known. */
  commit: (id: string) => boolean | null;
}

export const VERDICTS = ["holds", "broken", "unverifiable"] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Checked = { status: Verdict; why: Sentence[] };

interface Finding {
  status: Verdict;
  why: Sentence;
}

/** Broken when one thing it points at is; holds when one holds and none is broken. */
export function checkEntry(entity: Entity, entry: EvidenceEntry, look: Look): Checked {
  const facts: Partial<EvidenceFacts> = entity.facts.get(entry.id) ?? {};
  const found = [
    ...entry.sources.flatMap((source) => ofSource(source, entry, facts, look)),
    ...blobsOf(entry).map((path) => ofBlob(path, look)),
    ...(facts.file ? [ofFile(facts.file, look)] : []),
    ...(facts.commit === undefined ? [] : [ofCommit(facts.commit, look)]),
  ];
  const of = (status: Verdict): Sentence[] => found.filter((f) => f.status === status).map((f) => f.why);
  for (const status of VERDICTS.toSorted((a, b) => RANK[a] - RANK[b])) {
    const why = of(status);
    if (why.length > 0) return { status, why };
  }
  return { status: "unverifiable", why: [phrased`it says what was done and keeps nothing to compare with`] };
}

const RANK: Record<Verdict, number> = { broken: 0, holds: 1, unverifiable: 2 };

/** Evidence that is linked to a checkpoint of a live step and that the look finds broken. */
export interface BrokenEvidence {
  step: Step;
  checkpoint: Checkpoint;
  evidence: string;
  why: Sentence[];
  /** It was a proof once. */
  counts: boolean;
  /** It never was one, and something else proves the checkpoint. */
  isReplaced: boolean;
}

/** CHECK-2 leaves out a run that failed: its files are changed later to repair them. */
export function brokenEvidence(entity: Entity, look: Look): BrokenEvidence[] {
  const entries = new Map(entity.evidence.map((entry) => [entry.id, entry]));
  const checked = new Map<string, Checked>();
  const broken: BrokenEvidence[] = [];
  for (const step of preOrder(entity.children)) {
    for (const checkpoint of CHECKPOINTS) {
      const links = step.linked[checkpoint];
      for (const { evidence, counts } of [...proofsAmong(links), ...unprovenAmong(links)]) {
        const entry = entries.get(evidence);
        if (!entry) continue;
        const found = checked.get(evidence) ?? checkEntry(entity, entry, look);
        checked.set(evidence, found);
        if (found.status !== "broken") continue;
        const isReplaced = !counts && hasProof(step, checkpoint);
        broken.push({ step, checkpoint, evidence, why: found.why, counts, isReplaced });
      }
    }
  }
  return broken;
}

export function brokenLine({ step, checkpoint, evidence, why, counts }: BrokenEvidence): string {
  const fault = counts ? `proof of ${checkpoint} no longer holds` : `evidence for ${checkpoint} is no proof`;
  return `${stepName(step)}: ${fault}: evidence:${evidence}, ${why.map(textOf).join(", ")}`;
}

/** Returns the checkpoints that an entry proves, by live steps. */
export function provedBy(entity: Entity, id: string): { path: string; step_id: string; checkpoints: Checkpoint[] }[] {
  return [...preOrder(entity.children)].flatMap((step) => {
    const checkpoints = CHECKPOINTS.filter((c) => proofsAmong(step.linked[c]).some((link) => link.evidence === id));
    return checkpoints.length === 0 ? [] : [{ path: pathOf(step), step_id: step.id, checkpoints }];
  });
}

function ofSource(
  source: EvidenceSource,
  { artifactRefs = [] }: EvidenceEntry,
  facts: Partial<EvidenceFacts>,
  look: Look,
): Finding[] {
  if (source.type === "fileAnchor") {
    const { path, startLine, endLine } = source;
    // The folder of the task may have another name by now, or be in the archive; the file in it is the same one.
    const inside = inTaskFolder(path)?.inside;
    const own = inside !== undefined && artifactRefs.includes(`./${inside}`) ? `./${inside}` : undefined;
    if (own !== undefined && facts.file?.path === own) return [];
    const found =
      own === undefined ? look.lines("root", path, startLine, endLine) : look.lines("task", own, startLine, endLine);
    return [ofLines(found, own ?? path, `${startLine}-${endLine}`, facts.lines)];
  }
  if (source.type === "commandExecution") return [];
  // The log of the task itself is always there: only lines of it, or its beginning, can be compared.
  if (source.eventsRef === "./events.jsonl" && source.startLine === undefined) return [];
  const { eventsRef, startLine, endLine } = source;
  if (startLine === undefined) {
    return facts.file?.path === eventsRef ? [] : [ofPresence(look.file(eventsRef), eventsRef)];
  }
  const end = endLine ?? startLine;
  const found = look.lines("task", eventsRef, startLine, end);
  const isNoted = found.state !== "present" || facts.lines !== undefined;
  if (isNoted) return [ofLines(found, eventsRef, `${startLine}-${end}`, facts.lines)];
  return [holds(phrased`${eventsRef}:${startLine}-${end} is there`)];
}

function ofLines(found: Lines, path: string, range: string, recorded?: string): Finding {
  switch (found.state) {
    case "missing":
      return broken(phrased`${path} is not there`);
    case "unsafe":
      return { status: "unverifiable", why: phrased`${path} cannot be looked at: ${found.why}` };
    case "short":
      return broken(
        found.lines === 1
          ? phrased`${path} has only ${found.lines} line`
          : phrased`${path} has only ${found.lines} lines`,
      );
    case "present":
      if (recorded === undefined)
        return { status: "unverifiable", why: phrased`no digest of ${path}:${range} was recorded` };
      return recorded === found.sha256
        ? holds(phrased`${path}:${range} is as it was`)
        : broken(phrased`${path}:${range} has changed`);
  }
}

function ofBlob(path: string, look: Look): Finding {
  const found = look.file(path, undefined, path.slice(-64));
  if (found.state !== "present") return ofPresence(found, path);
  return found.sha256 === path.slice(-64) ? holds(phrased`${path} is as it was`) : broken(phrased`${path} has changed`);
}

/** A file that has only grown still has what was seen: logs do. */
function ofFile({ path, size, sha256 }: NonNullable<EvidenceFacts["file"]>, look: Look): Finding {
  const found = look.file(path, size, sha256);
  if (found.state !== "present") return ofPresence(found, path);
  if (found.size < size || found.sha256 !== sha256) return broken(phrased`${path} has changed`);
  return holds(found.size === size ? phrased`${path} is as it was` : phrased`${path} has grown and begins as it was`);
}

function ofPresence(found: { state: "present" } | NotThere | Remote, path: string): Finding {
  if (found.state === "present") return holds(phrased`${path} is there`);
  if (found.state === "missing") return broken(phrased`${path} is not there`);
  if (found.state === "remote")
    return { status: "unverifiable", why: phrased`${path} is on the shared log and not on this machine` };
  return { status: "unverifiable", why: phrased`${path} cannot be looked at: ${found.why}` };
}

function ofCommit(id: string, look: Look): Finding {
  const there = look.commit(id);
  if (there === null)
    return { status: "unverifiable", why: phrased`whether commit ${id} is there cannot be asked of git here` };
  return there ? holds(phrased`commit ${id} is there`) : broken(phrased`commit ${id} is not there`);
}

function blobsOf({ sources, artifactRefs = [] }: EvidenceEntry): string[] {
  const outputs = sources.flatMap((s) => (s.type === "commandExecution" ? [s.stdoutRef, s.stderrRef] : []));
  const all = [...outputs, ...artifactRefs].filter((ref) => ref !== undefined);
  return [...new Set(all)].filter((ref) => /^\.\/shared\/evidence\/blobs\/[0-9a-f]{64}$/.test(ref));
}

const holds = (why: Sentence): Finding => ({ status: "holds", why });
const broken = (why: Sentence): Finding => ({ status: "broken", why });
