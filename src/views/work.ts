/** Facts about a step that an agent needs when it takes the step up (LEASE-8). */
import type { ProofMode, Step, Subject } from "../state/entity.ts";
import { proofMode } from "../state/checkpoint.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import type { HandoffNote } from "./handoff.ts";
import { noteOf } from "./handoff.ts";

/** Only what says something. A type alias, because only those fit where JSON is asked for. */
export type Work = {
  task_title: string;
  why?: string;
  success_criteria?: string[];
  tests?: string[];
  /** The checkpoints of which proof is asked for. */
  proof?: Record<string, ProofMode>;
  /** The last ones on the step, on those around it and on the whole, oldest first. */
  notes?: HandoffNote[];
};

const NOTES = 5;

export function workOf({ entity }: Subject, step: Step): Work {
  const why = [entity.description, entity.context].find((text) => text && text.trim() !== "");
  const asked = PROOF_CHECKPOINTS.filter((c) => proofMode(step, c) !== "off");
  const around = new Set<string | null>([null]);
  for (let s: Step | null = step; s; s = s.parent) around.add(s.id);
  const notes = entity.notes.filter((note) => around.has(note.step)).slice(-NOTES);
  const { success_criteria, tests } = step;
  return {
    task_title: entity.title,
    ...(why ? { why } : {}),
    ...(success_criteria.length > 0 ? { success_criteria: [...success_criteria] } : {}),
    ...(tests.length > 0 ? { tests: [...tests] } : {}),
    ...(asked.length > 0 ? { proof: Object.fromEntries(asked.map((c) => [c, proofMode(step, c)])) } : {}),
    ...(notes.length > 0 ? { notes: notes.map((note) => noteOf(entity, note)) } : {}),
  };
}
