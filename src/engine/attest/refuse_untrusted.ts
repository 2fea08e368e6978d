/** A step of mode `attested` closes only if the host trusts the key that signed its proof (ATTEST-20). */
import { vouched } from "../../attest/vouched.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { PROOF_CHECKPOINTS } from "../../state/entity.ts";
import type { Step, Subject } from "../../state/entity.ts";
import { pathOf } from "../../state/tree.ts";
import type { EngineContext } from "../core/context.ts";
import { logFacts } from "./log_facts.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Events that may close a step. */
const CLOSES = new Set(["step.done", "undo.applied", "redo.applied"]);

/** Open steps that want a signed proof, if the drafts may close one. @internal */
export function attestedOpen(before: Subject | undefined, drafts: readonly Draft[]): Step[] {
  if (!before || !drafts.some(({ type }) => CLOSES.has(type))) return [];
  return [...before.entity.steps.values()].filter((step) => !step.done && !step.deleted && isAttested(step));
}

function isAttested({ proof }: Step): boolean {
  return PROOF_CHECKPOINTS.some((c) => proof[c] === "attested");
}

/** PROOF_UNTRUSTED for the first of the steps that was closed, and of whose proof no trusted key vouches. @internal */
export function refuseUntrusted(context: EngineContext, { id, workspace }: Subject, open: readonly Step[]): void {
  const closed = open.filter(({ done }) => done);
  if (closed.length === 0) return;
  const port = context.signers?.();
  if (!port) throw refusal(id, closed[0]!, ["this program was opened without signers, so it trusts no key"]);
  try {
    // As it is on disk: what this call adds is no signature.
    const facts = logFacts(context, { id, part: "tasks" }, workspace);
    const git = context.git?.();
    const isInHistory = (commit: string): boolean | null => git?.leadsTo(commit) ?? null;
    const verdict = facts && vouched(facts, { judge: port.judge, isInHistory });
    for (const step of closed) {
      const found = verdict?.steps.find(({ step_id }) => step_id === step.id);
      if (!found?.vouched) throw refusal(id, step, found?.why ?? ["its log has no such step"]);
    }
  } finally {
    port.end();
  }
}

function refusal(id: string, step: Step, why: readonly string[]): TaskfoldError {
  const path = pathOf(step);
  return new TaskfoldError(
    "PROOF_UNTRUSTED",
    `Expected proof of ${path} ${JSON.stringify(step.title)} that a trusted key signed, but ${why.join("; ")}.`,
    {
      ...remedy`A person with a key in git's gpg.ssh.allowedSignersFile signs it: ${TASKFOLD} attest ${id} ${path}. ${TASKFOLD} verify ${id} --signers shows who vouches for what.`,
      details: { task: id, path, why: [...why] },
    },
  );
}
