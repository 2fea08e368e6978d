import { phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import type { AcceptanceResult, Attempt, Failure, FailureClass, Packet, PlannedStage } from "./packet.ts";
import { openAttempts } from "./packet.ts";
import type { AcceptanceMode, Group } from "./packet_config.ts";

/** Looks whether a process holds the lock of the packet now, which no log knows. */
export type LookForDispatcher = () => { pid: number } | undefined;

export type NextAction = {
  /** Null: no stage is left to run. */
  stage: string | null;
  action: string;
  /** Whether the stage may start now: the budgets let it, and it does not run. */
  allowed: boolean;
  because: null | "retry_budget" | "paid_call_budget" | "gate" | "interrupted" | "done";
};

/** The same with the form of the sentence. */
export type NextStep = Omit<NextAction, "action"> & { action: Sentence };

export function nextAction(packet: Packet, dispatcher?: LookForDispatcher): NextAction {
  const { stage, action, allowed, because } = nextStep(packet, dispatcher);
  return { stage, action: action.text, allowed, because };
}

/**
 * Returns the next action, from the state and from what is known of the dispatcher (PACKET-69,
 * PACKET-260).
 */
export function nextStep(packet: Packet, dispatcher?: LookForDispatcher): NextStep {
  if (packet.archived) return { stage: null, action: phrased`restore`, allowed: false, because: "done" };
  const open = openAttempts(packet).at(-1);
  if (open && !open.dispatched)
    return waitFor(open, phrased`wait for ${open.stage}, which ${open.by} started, or interrupt it`);
  if (open && !dispatcher) return waitOrResume(packet, open);
  const holder = open && dispatcher?.();
  if (open && holder) return waitFor(open, phrased`wait for ${open.stage}, which process ${holder.pid} runs`);
  if (open && isPlanned(packet, open)) return resume(packet, open);
  const next = packet.plan.stages.find(({ stage }) => !Object.hasOwn(packet.done, stage));
  if (!next) return { stage: null, action: phrased`archive`, allowed: false, because: "done" };
  const last = packet.attempts.findLast(({ stage }) => stage === next.stage);
  if (last?.ended?.how === "interrupted") return resume(packet, last);
  const failure = Object.hasOwn(packet.failures, next.stage) ? packet.failures[next.stage] : undefined;
  if (failure) return retry(packet, next, failure);
  if (next.paid && isSpent(packet)) return spent(next.stage);
  return { stage: next.stage, action: phrased`run ${next.stage}`, allowed: true, because: null };
}

/** The newest failure of a stage that is not done since (PACKET-85). */
export function currentFailure({ failures, done }: Packet): Failure | null {
  const open = Object.values(failures).filter(({ stage }) => !Object.hasOwn(done, stage));
  return open.reduce<Failure | null>((newest, one) => (newest && newest.ts > one.ts ? newest : one), null);
}

/** A command that failed in the attempt that a failure tells of, and the stage whose work it judges; null where there is none. */
interface FailedCommand {
  result: AcceptanceResult;
  /** The newest stage before that implements; null where the plan has none that is done. */
  judges: string | null;
}

/** The first command of a verifying stage that ended badly: with the work as it is, it fails again (PACKET-356). */
export function failedCommand(packet: Packet, { stage, attempt }: Failure): FailedCommand | null {
  const run = packet.attempts.findLast((one) => one.stage === stage && one.attempt === attempt);
  const result = run?.ended?.acceptance.find(({ exit_code, timed_out }) => exit_code !== 0 || timed_out);
  if (!result) return null;
  const { stages } = packet.plan;
  const before = stages.slice(
    0,
    stages.findIndex((one) => one.stage === stage),
  );
  const judges = before.findLast(({ role, stage: name }) => role === "impl" && Object.hasOwn(packet.done, name));
  return { result, judges: judges?.stage ?? null };
}

/** How often a failure has been seen, and how many retries it has in all (PACKET-67). */
export function retriesOf(packet: Packet, failure: Failure): { count: number; most: number } {
  const signature = Object.hasOwn(packet.signatures, failure.signature) ? packet.signatures[failure.signature] : null;
  const { retry_budget } = packet.manifest.budgets;
  // The aggressive digest makes a prompt smaller once.
  const most = failure.class === "prompt_too_large" ? Math.min(1, retry_budget) : retry_budget;
  return { count: signature?.count ?? 0, most };
}

/** Whether a budget keeps the packet from going on. */
export function isStopped({ because }: Pick<NextAction, "because">): boolean {
  return because === "retry_budget" || because === "paid_call_budget";
}

function isPlanned({ plan }: Packet, { stage }: Attempt): boolean {
  return plan.stages.some((one) => one.stage === stage);
}

function waitFor({ stage }: Attempt, action: Sentence): NextStep {
  return { stage, action, allowed: false, because: null };
}

/** For a file that is read whenever: a run is refused while the dispatcher is there. */
function waitOrResume(packet: Packet, open: Attempt): NextStep {
  return waitFor(open, phrased`wait for ${open.stage}; if its dispatcher is gone, ${resume(packet, open).action}`);
}

function resume(packet: Packet, { stage, paid }: Attempt): NextStep {
  if (paid && isSpent(packet)) return spent(stage);
  return { stage, action: phrased`resume interrupted ${stage}`, allowed: true, because: "interrupted" };
}

function retry(packet: Packet, { stage, tool, paid }: PlannedStage, failure: Failure): NextStep {
  const { count, most } = retriesOf(packet, failure);
  if (count > most) {
    return { stage, action: phrased`${GIVE_UP[failure.class]}, or stop`, allowed: false, because: "retry_budget" };
  }
  if (paid && isSpent(packet)) return spent(stage);
  // After a reset of the budget nothing is counted yet.
  const number = count > 0 ? phrased` (${count} of ${most})` : "";
  const judges = failedCommand(packet, failure)?.judges;
  const before = BEFORE_RETRY[failure.class]?.(tool);
  const again =
    failure.class === "prompt_too_large"
      ? phrased`retry ${stage} with the aggressive digest${number}`
      : phrased`retry ${stage}${number}`;
  return {
    stage,
    action: judges
      ? phrased`reopen ${judges} if its work is wrong, else ${again}`
      : before
        ? phrased`${before}, then ${again}`
        : again,
    allowed: true,
    because: failure.gate === "failed" ? "gate" : null,
  };
}

const BEFORE_RETRY: Readonly<Partial<Record<FailureClass, (tool: string) => Sentence>>> = {
  auth: (tool) => phrased`re-authenticate ${tool}`,
  tooling: (tool) => phrased`repair the command of ${tool}`,
  contract_violation: () => phrased`read the reasons of the gate`,
  scope_violation: () => phrased`fix the scope or take the change back`,
};

const GIVE_UP: Readonly<Record<FailureClass, Sentence>> = {
  auth: phrased`re-authenticate and reset retry_budget`,
  tooling: phrased`repair the tool and reset retry_budget`,
  transient: phrased`wait for the cause to go and reset retry_budget`,
  prompt_too_large: phrased`split the task`,
  contract_violation: phrased`remove the cause and reset retry_budget`,
  scope_violation: phrased`fix the scope and reset retry_budget`,
  unknown: phrased`find the cause and reset retry_budget`,
};

function isSpent({ paid_calls_used, manifest }: Packet): boolean {
  return paid_calls_used >= manifest.budgets.paid_call_budget;
}

function spent(stage: string): NextStep {
  return { stage, action: phrased`raise paid_call_budget or stop`, allowed: false, because: "paid_call_budget" };
}

export interface AcceptanceCommand {
  command: string;
  /** Its source. */
  from: "brief" | "manifest";
}

/** Which commands run where a caller allows them and does not say which (PACKET-79). */
export function acceptanceMode({ configs, plan }: Packet): AcceptanceMode {
  const group = configs?.[plan.config_sha256]?.groups[plan.group as Group];
  return group?.acceptance ?? "brief";
}

/**
 * Returns the commands that a verifying stage has to pass, in the order in which they run (PACKET-79). `attempt`: they are those that it began
 * with, whatever became of the packet.
 */
export function acceptanceOf(packet: Packet, mode = acceptanceMode(packet), attempt?: Attempt): AcceptanceCommand[] {
  const now = { manifest: packet.manifest.acceptance.commands, brief: packet.override };
  const { manifest, brief } = attempt?.commands ?? now;
  const named = (from: AcceptanceCommand["from"], commands: readonly string[]): AcceptanceCommand[] =>
    commands.map((command) => ({ command, from }));
  if (brief === null || mode === "manifest") return named("manifest", manifest);
  return mode === "both" ? [...named("brief", brief), ...named("manifest", manifest)] : named("brief", brief);
}

/** The same as texts, for a caller that does not say which. */
export function acceptanceCommands(packet: Packet): string[] {
  return acceptanceOf(packet).map(({ command }) => command);
}
