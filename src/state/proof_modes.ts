/** Proof modes by checkpoint, in the short form that people write: `tests`, `tests=warn,security=require`. */
import { PROOF_CHECKPOINTS, PROOF_MODES } from "./entity.ts";
import type { ProofCheckpoint, ProofMode } from "./entity.ts";

/** The modes as a sentence lists them. */
export const MODES_LISTED = `${PROOF_MODES.slice(0, -1).join(", ")} or ${PROOF_MODES.at(-1)!}`;

export type ProofModes = { [C in ProofCheckpoint]?: ProofMode };

/** A checkpoint without a mode is required, and a mode alone is that of tests; undefined for a text that says neither. */
export function parseProofModes(text: string): ProofModes | undefined {
  const modes: ProofModes = {};
  for (const part of text.split(",")) {
    const [name = "", mode, ...rest] = part.split("=").map((word) => word.trim());
    if (rest.length > 0) return undefined;
    const [checkpoint, asked] = mode === undefined && isMode(name) ? ["tests", name] : [name, mode ?? "require"];
    if (!isCheckpoint(checkpoint) || !isMode(asked)) return undefined;
    modes[checkpoint] = asked;
  }
  return modes;
}

export function printProofModes(modes: ProofModes): string {
  return PROOF_CHECKPOINTS.flatMap((c) => (modes[c] === undefined ? [] : [`${c}=${modes[c]}`])).join(",");
}

function isCheckpoint(text: string): text is ProofCheckpoint {
  return (PROOF_CHECKPOINTS as readonly string[]).includes(text);
}

function isMode(text: string): text is ProofMode {
  return (PROOF_MODES as readonly string[]).includes(text);
}
