/** Chooses the parts of a log that `attest` and `sign` put under a signature. */
import { readEnvelope } from "./envelope.ts";
import { coveredBy } from "./covered.ts";
import type { ChosenStep, LogFacts, LoggedEvidence, LoggedStep } from "./log_facts.ts";
import { readStatement } from "./statement.ts";

export interface Chosen {
  steps: ChosenStep[];
  /** Why a step has nothing that could be signed, as data. */
  left: { step: LoggedStep; why: Left; evidence?: LoggedEvidence }[];
}

/** `others`: the caller asked for other entries than this. */
export type Left = "failed" | "broken" | "stale" | "others" | "claimed" | "none";

export interface Choice {
  /** Whether the caller asks for this entry. */
  fits: (one: LoggedEvidence) => boolean;
  /** Also proof that Taskfold did not capture. */
  claims?: boolean;
  /** Also what the packet proves. */
  packet?: boolean;
}

/** The newest proof of each command of these steps. */
export function chosenSteps(
  facts: LogFacts,
  steps: readonly LoggedStep[],
  { fits, claims = false, packet = false }: Choice,
): Chosen {
  const chosen: Chosen = { steps: [], left: [] };
  for (const step of steps) {
    const own = facts.evidence.filter(({ step_id }) => step_id === step.step_id);
    const proofs = own.filter(({ proves }) => proves.length > 0);
    const failed = own.find(({ failing }) => failing);
    const known = proofs.filter((one) => claims || one.captured);
    const fit = known.filter(fits);
    const broken = fit.find((one) => one.broken !== undefined);
    const stale = fit.find((one) => one.stale !== undefined);
    const isPacket = packet && step.packet === true;
    if (failed) chosen.left.push({ step, why: "failed", evidence: failed });
    else if (broken) chosen.left.push({ step, why: "broken", evidence: broken });
    else if (stale) chosen.left.push({ step, why: "stale", evidence: stale });
    else if (fit.length > 0 || isPacket)
      chosen.steps.push({ step: packet ? step : withoutPacket(step), evidence: newestOf(fit) });
    else if (known.length === 0) chosen.left.push({ step, why: proofs.length > 0 ? "claimed" : "none" });
    const same = new Set(fit.map(keyOf));
    for (const evidence of newestOf(known.filter((one) => !same.has(keyOf(one)))))
      if (fit.length === 0 || !evidence.signed) chosen.left.push({ step, why: "others", evidence });
  }
  return chosen;
}

/** A statement that says nothing of the packet. */
function withoutPacket({ packet: _packet, ...step }: LoggedStep): LoggedStep {
  return step;
}

function newestOf(evidence: readonly LoggedEvidence[]): LoggedEvidence[] {
  return [...new Map(evidence.map((one) => [keyOf(one), one])).values()];
}

function keyOf({ command, id, proves }: LoggedEvidence): string {
  return JSON.stringify([command ?? id, proves]);
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
