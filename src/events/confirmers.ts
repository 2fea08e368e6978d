/** The actors that stand for the confirmations of a step. Where other eyes are to confirm, the last of them counts (PROOF-55). */
import type { Checkpoint, Confirmer, Step } from "../state/entity.ts";
import type { Writer } from "./writer.ts";

/** So many are kept of one checkpoint: undos of so many find the one before them. */
const MOST = 256;

/** A confirmation. One that takes it back needs no mark: the next that counts stands behind all of these. */
export function noteConfirmer(step: Step, c: Checkpoint, one: Confirmer, w: Writer): void {
  setConfirmers(step, c, [...confirmersOf(step, c), one], w);
}

/**
 * An undo or redo of an op. `to`: what the checkpoint is then; undefined where a later op keeps it. An undo takes out the confirmation of its op, so that the
 * one before counts again. An actor that brings a confirmation back stands for it.
 */
export function restoreConfirmers(
  step: Step,
  c: Checkpoint,
  { to, confirmed, undo, one }: { to: boolean | undefined; confirmed: boolean; undo: boolean; one: Confirmer },
  w: Writer,
): void {
  // Where the confirmation is away, who brought it back stands for nothing. An earlier one may come back.
  const others = confirmersOf(step, c).filter(({ op, brought }) => op !== one.op && !(brought && to === false));
  const counts = undo ? to === true && !step.confirmed[c] : confirmed && to !== false;
  setConfirmers(step, c, counts ? [...others, undo ? { ...one, brought: true } : one] : others, w);
}

function confirmersOf({ confirmed_by }: Step, c: Checkpoint): readonly Confirmer[] {
  return confirmed_by?.[c] ?? [];
}

/** In replay order of their ops. */
function setConfirmers(step: Step, c: Checkpoint, all: readonly Confirmer[], w: Writer): void {
  if (all.length === 0 && confirmersOf(step, c).length === 0) return;
  const list = all.toSorted((a, b) => a.op - b.op).slice(-MOST);
  w.writeUntracked(step, "confirmed_by", { ...step.confirmed_by, [c]: list });
}
