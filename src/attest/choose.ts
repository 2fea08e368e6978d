/** Chooses the parts of a log that `attest` and `sign` put under a signature. */
import { readEnvelope } from "./envelope.ts";
import { coveredBy } from "./covered.ts";
import type { ChosenStep, LogFacts, LoggedEvidence, LoggedStep } from "./log_facts.ts";
import { readStatement } from "./statement.ts";

export interface Chosen {
  steps: ChosenStep[];
  /** Why a step has nothing that could be signed, as data. */
  left: { step: LoggedStep; why: "failed" | "broken" | "stale" | "claimed" | "none"; evidence?: LoggedEvidence }[];
}

/** The newest proof of each test and command of these steps. `claims`: also proof that Taskfold did not capture. */
export function chosenSteps(facts: LogFacts, steps: readonly LoggedStep[], claims: boolean): Chosen {
  const chosen: Chosen = { steps: [], left: [] };
  for (const step of steps) {
    const own = facts.evidence.filter(({ step_id }) => step_id === step.step_id);
    const proofs = own.filter(({ proves }) => proves.length > 0);
    const failed = own.find(({ failing }) => failing);
    const broken = proofs.find((one) => one.broken !== undefined);
    const stale = proofs.find((one) => one.stale !== undefined);
    const fit = proofs.filter((one) => claims || one.captured);
    if (failed) chosen.left.push({ step, why: "failed", evidence: failed });
    else if (broken) chosen.left.push({ step, why: "broken", evidence: broken });
    else if (stale) chosen.left.push({ step, why: "stale", evidence: stale });
    else if (fit.length > 0 || step.packet) chosen.steps.push({ step, evidence: newestOf(fit) });
    else chosen.left.push({ step, why: proofs.length > 0 ? "claimed" : "none" });
  }
  return chosen;
}

function newestOf(evidence: readonly LoggedEvidence[]): LoggedEvidence[] {
  const newest = new Map<string, LoggedEvidence>();
  for (const one of evidence) {
    const { test, command, id, proves } = one;
    newest.set(JSON.stringify([test ?? command ?? id, proves]), one);
  }
  return [...newest.values()];
}

/** Whether a signature by this key stands for all of the log but signatures. */
export function isSignedBy({ ops, signatures }: LogFacts, key: string): boolean {
  return signatures.some(({ envelope: bytes }) => {
    const envelope = typeof bytes === "string" ? bytes : readEnvelope(bytes);
    if (typeof envelope === "string" || envelope.key !== key) return false;
    const statement = readStatement(envelope.payload);
    const covered = statement && coveredBy(ops, statement.heads);
    return covered !== undefined && ops.every((_, at) => covered.has(at) || ops[at]!.signature);
  });
}
