/** The values of one log for the code that makes statements and judges them, gathered from a sound reading of it. */
import type { Checkpoint, Kind, ProofCheckpoint, ProofMode } from "../state/entity.ts";

/** One op in effect, in replay order. */
export interface LoggedOp {
  /** Hash of its last event, which later ops name. */
  last: string;
  /** The ops that its writer had seen last. One that is not in the list was lost. */
  prev: readonly string[];
  /** It says something of a packet. */
  packet?: true;
  /** It keeps signatures and does nothing else. */
  signature?: true;
}

/** One item of an `evidence.captured` event. An id can be taken again; the hash of an event and a place in it cannot. */
export interface LoggedEvidence {
  event: string;
  /** Place in the event, from 0. */
  item: number;
  /** The id that the event derives, or that its caller gave. */
  id: string;
  /** Place of its op in the list of ops. */
  op: number;
  by: string;
  ts: string;
  step_id: string | null;
  /** Checkpoints that it is linked to. */
  checkpoints: readonly Checkpoint[];
  counts: boolean;
  degree: string;
  command?: string;
  /** Where it ran, from the root. */
  cwd?: string;
  test?: string;
  exit_code?: number;
  captured?: { argv: readonly string[]; git_commit?: string; tree?: string; changes?: string; checkout?: string };
  /** SHA-256 of kept output, as hexadecimal digits. */
  kept: readonly string[];
  /** Checkpoints that it proves now: no newer run of its command failed, and nothing put it aside. */
  proves: readonly Checkpoint[];
  /** An attestation in the log names it. */
  signed: boolean;
  /** It is the newest run of its command, and failed. */
  failing: boolean;
  /** Ops that put it aside. */
  aside: readonly number[];
  /** Why what it keeps no longer holds. */
  broken?: string;
  /** Changes in the scope of its step since it was captured. */
  stale?: string;
}

/** One item that says that a head was signed. */
export interface LoggedSignature {
  /** The id of its evidence. */
  id: string;
  /** Place of its op; -1 for one that the reader kept elsewhere. */
  op: number;
  /** Its envelope; a text says why there is none. */
  envelope: Uint8Array | string;
}

export interface LoggedConfirmation {
  checkpoint: Checkpoint;
  by: string;
  ts: string;
}

/** A live step as it is now. */
export interface LoggedStep {
  step_id: string;
  path: string;
  /** Titles from the top step down to its own. */
  titles: readonly string[];
  success_criteria: readonly string[];
  tests: readonly string[];
  /** Modes that are not off. */
  proof: { readonly [C in ProofCheckpoint]?: ProofMode };
  /** While its mode was `attested`: places of the ops that began and ended that. The last has no end if the mode is so now. */
  attested: readonly { checkpoint: ProofCheckpoint; from: number; to?: number }[];
  done: boolean;
  done_by: string | null;
  /** Whether the packet proves its tests now; left out for a step that does not name the packet. */
  packet?: boolean;
  confirmed: readonly LoggedConfirmation[];
}

export interface LogFacts {
  workspace: string;
  id: string;
  kind: Kind;
  title: string;
  plan: { id: string; root: string } | null;
  /** Hash of the first event. */
  root: string;
  /** Last events that no op names. */
  heads: readonly string[];
  /** Digest of the heads, as answers show it. */
  head: string;
  ops: readonly LoggedOp[];
  steps: readonly LoggedStep[];
  evidence: readonly LoggedEvidence[];
  signatures: readonly LoggedSignature[];
  /** Why files in its scope are not as this commit has them; undefined where they are. Only where freshness is asked for. */
  since?: (commit: string) => string | undefined;
}

/** A step with what of its evidence is signed. */
export interface ChosenStep {
  step: LoggedStep;
  evidence: readonly LoggedEvidence[];
}
