/** A thing that waits for an actor: its kind, its place, whom it is about, and since when (STATUS rules). */
import type { Sentence } from "../sentence.ts";
import type { Checkpoint, Step } from "./entity.ts";

/** In the order in which a status tells them. */
export const NEED_KINDS = ["complete", "conflict", "proof", "claim_over", "blocked", "gate", "drift", "note"] as const;

/** The facts that the call which ends it is made of. */
export type NeedFacts =
  | { kind: "complete" | "claim_over" | "drift" | "note" }
  | { kind: "blocked"; step: Step }
  | { kind: "conflict"; field: string | null }
  | { kind: "proof"; checkpoints: readonly Checkpoint[] }
  | {
      kind: "gate";
      waits: "confirm" | "retry_budget" | "paid_call_budget" | "other_program";
      checkpoints: readonly Checkpoint[];
    };

export type Need = NeedFacts & {
  /** Null: the plan or task as a whole. */
  step: Step | null;
  why: Sentence;
  /** Actors that it is about: who closed, wrote, claimed or blocked. */
  who: readonly string[];
  since: string | null;
};
