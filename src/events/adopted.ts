/**
 * The parts of another program's folder that `task.adopted` and `task.readopted` take, and how they go into the state.
 */
import type { Agent, Entity, Gate } from "../state/entity.ts";
import { AGENT_WORDS, GATE_TYPES } from "../state/entity.ts";
import type { EvidenceEntry } from "../state/evidence.ts";
import { HUMAN_FILES } from "../state/human_files.ts";
import type { Infer } from "../state/schema.ts";
import { boolean, either, integer, list, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import type { Writer } from "./writer.ts";

/** Hex. */
const digest = text();

/** A file that was read for this event, by its path in the folder. */
export const readFiles = list(openObject({ path: text(), sha256: digest }));

export const config = openObject({ maxConcurrentAgents: integer(), timeoutSeconds: integer(), autoApprove: boolean() });

export const roster = list(
  openObject({
    instance: text(),
    agent: text(),
    state: oneOf(["active", "awaiting", "completed", "failed"]),
    /** The other program's word for an agent that has not ended; older logs do not have it. */
    word: optional(oneOf(AGENT_WORDS)),
    /** Id of a step, or of a milestone that is none. */
    assigned: orNull(text()),
    skills: list(text()),
  }),
);

export const gates = list(
  openObject({
    id: text(),
    type: oneOf(GATE_TYPES),
    state: oneOf(["open", "blocked", "approved", "rejected"]),
    reason: orNull(text()),
    instructions: orNull(text()),
    blocked_at: orNull(text()),
    resolved_at: orNull(text()),
    resolved_by: orNull(text()),
  }),
);

/** Coco's EvidenceEntry, as it stands in the index. */
export const evidenceEntry = openObject({
  id: text(),
  kind: oneOf(["file-anchor", "command-execution", "runtime-event-range"]),
  title: text(),
  summary: text(),
  createdAt: text(),
  sources: list(
    either(
      openObject({ type: oneOf(["fileAnchor"]), path: text(), startLine: integer(), endLine: integer() }),
      openObject({
        type: oneOf(["commandExecution"]),
        command: text(),
        cwd: text(),
        exitCode: optional(integer()),
        stdoutRef: optional(text()),
        stderrRef: optional(text()),
      }),
      openObject({
        type: oneOf(["runtimeEventRange"]),
        eventsRef: text(),
        startLine: optional(integer()),
        endLine: optional(integer()),
      }),
    ),
  ),
  artifactRefs: optional(list(text())),
});

/** People's files as they stood there: known from the start, so no caller is told that a person changed them. */
export const people = list(openObject({ file: oneOf(HUMAN_FILES), content: text(), sha256: digest }));

/** Times of other programs have up to nine digits, ours three. */
export function millis(ts: string): string {
  return ts.replace(/(\.\d{3})\d*Z$/, "$1Z");
}

/** The same moment with three, six or nine digits, as few as it takes: what another program measured stays exact. */
export function inShortest(nanos: string): string {
  return nanos.replace(/(\.\d{3}(?:\d{3})??)(?:000)+Z$/, "$1Z");
}

/** Entries of a roster. A state that a newer line told stays; name, milestone and skills only a task file tells. */
export function takeRoster(entity: Entity, entries: Infer<typeof roster>, until: string, w: Writer): void {
  for (const { instance, agent, state, word, assigned, skills } of entries) {
    const known = entity.agents.get(instance);
    const fields = { instance, agent, assigned, skills };
    const taken: Agent =
      known && isNewer(known, until)
        ? { ...known, ...fields }
        : { ...fields, state, ...(word === undefined ? {} : { word }) };
    w.put("agents", entity.agents, instance, taken);
  }
}

/** The same for gates; one of ours is opened and passed by our own events only. */
export function takeGates(entity: Entity, entries: Infer<typeof gates>, until: string, w: Writer): void {
  for (const { id, type, state, reason, instructions, blocked_at, resolved_at, resolved_by } of entries) {
    const before = entity.gates.get(id);
    if (before?.own || isNewer(before, until)) continue;
    const gate: Gate = { id, own: false, state, reason, blocked_at, resolved_at, resolved_by, type, instructions };
    w.put("gates", entity.gates, id, gate);
  }
}

export function takeEvidence(entity: Entity, entries: readonly Infer<typeof evidenceEntry>[], w: Writer): void {
  const known = new Set(entity.evidence.map((entry) => entry.id));
  for (const entry of entries) {
    if (known.has(entry.id)) continue;
    known.add(entry.id);
    w.push(entity, "evidence", entity.evidence, entry as EvidenceEntry);
  }
}

function isNewer(known: { said_at?: string } | undefined, until: string): boolean {
  return known?.said_at !== undefined && known.said_at > until;
}
