/** Proof as macros take it: one receipt, several, or the body of an evidence call (PROOF-1). */
import { parseReceipt } from "../state/evidence.ts";
import type { EvidenceInput } from "./capture_evidence.ts";

export type ProofInput = string | readonly string[] | EvidenceInput;

/** Returns the evidence to capture; without a checkpoint of its own it proves the tests. */
export function evidenceOfProof(proof: ProofInput): EvidenceInput {
  const body: EvidenceInput =
    typeof proof === "string" ? { checks: proof.split("\n") } : isList(proof) ? { checks: proof } : proof;
  const { checks, checkpoint = "tests", ...more } = body;
  if (checks === undefined) return { ...more, checkpoint };
  return { ...more, checks: checks.map(receiptOf).filter((line) => line !== ""), checkpoint };
}

/** `LINK: ...` for a bare address, `CMD: ...` for anything else that is not tagged; list marks of Markdown say nothing. */
function receiptOf(line: string): string {
  const plain = line.replace(/^\s*[-*+]\s+/, "").trim();
  if (plain === "") return "";
  const { kind, text } = parseReceipt(plain);
  return `${kind ?? (/^(?:https?|file):\/\//i.test(text) ? "LINK" : "CMD")}: ${text}`;
}

function isList(proof: ProofInput): proof is readonly string[] {
  return Array.isArray(proof);
}
