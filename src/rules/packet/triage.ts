import type { FailureClass } from "../../state/packet.ts";
import type { GateResult } from "./gate.ts";
import { firstLines } from "./signature.ts";

export interface TriageInput {
  exit_code: number | null;
  timed_out: boolean;
  stderr: string;
  /** The verdict of the gate; not judged where the tool failed. */
  gate: Pick<GateResult, "judged" | "class_if_failed">;
  /** Of the servant that ran the stage. */
  transient_exit_codes: readonly number[];
}

/** Returns the kind of failure: the gate first, then the exit code, then what stderr says (PACKET-63). */
export function triage({ exit_code, timed_out, stderr, gate, transient_exit_codes }: TriageInput): FailureClass {
  if (gate.judged) return gate.class_if_failed ?? "unknown";
  if (timed_out) return "transient";
  if (exit_code !== null && transient_exit_codes.includes(exit_code)) return "transient";
  const text = firstLines(stderr);
  const ofCode = exit_code === null ? undefined : classOfCode(exit_code, text);
  const ofText = WORDS.find(([, pattern]) => pattern.test(text))?.[0];
  return ofCode ?? ofText ?? (exit_code === 0 ? "unknown" : "transient");
}

/** Exit codes on which the command lines of the three servants agree, and those of a shell that finds no program. */
function classOfCode(code: number, stderr: string): FailureClass | undefined {
  if (code === 31) return SIZE.test(stderr) ? "prompt_too_large" : "tooling";
  return CODES[code];
}

const CODES: Readonly<Record<number, FailureClass>> = {
  2: "tooling",
  10: "tooling",
  11: "tooling",
  30: "tooling",
  126: "tooling",
  127: "tooling",
  13: "transient",
  33: "transient",
  124: "transient",
  14: "prompt_too_large",
};

const SIZE = /too large|size|50 ?kb|limit/i;

/** In this order. A bare 401 may be the number of a line, so a status has to be near. */
const WORDS: [FailureClass, RegExp][] = [
  [
    "auth",
    new RegExp(
      [
        "\\b(?:https?(?:/\\d(?:\\.\\d)?)?|status(?: code)?|error|code|response)\\W{0,3}40[13]\\b",
        "\\b40[13]\\W{1,3}(?:unauthorized|forbidden|response|error)",
        "\\b(?:unauthorized|unauthenticated|forbidden|authentication|not logged in)\\b",
        "\\binvalid\\b.{0,40}\\b(?:token|key|credentials?)\\b",
      ].join("|"),
      "i",
    ),
  ],
  [
    "prompt_too_large",
    /\bcontext.{0,20}(?:length|window)|too (?:large|long|many)|\btokens?\b.{0,20}(?:limit|exceed)|\bprompt.{0,20}too\b/i,
  ],
  ["transient", /connection|network|timeout|timed out|socket|refused|ECONNRESET|ETIMEDOUT/i],
  ["tooling", /not found|no such file|ENOENT|binary|executable/i],
];

/** Whether a second try may help although nothing changed: the others wait for a person or another agent (PACKET-63). */
export function retriesByItself(failure: FailureClass): boolean {
  return failure === "transient" || failure === "prompt_too_large";
}

export function suggestedActions(failure: FailureClass): string[] {
  return [...ACTIONS[failure]];
}

const ACTIONS: Readonly<Record<FailureClass, readonly string[]>> = {
  auth: ["Log in to the tool again, or renew its key.", "Do not retry before that: the answer will be the same."],
  tooling: [
    "Check that the tool's program is installed and on PATH.",
    "Check the command in its servant configuration.",
  ],
  transient: ["Retry the stage.", "If it ran out of time, raise budgets.max_wallclock_sec.", "Check the network."],
  prompt_too_large: [
    "Set context.digest_policy to aggressive.",
    "Remove attachments, or shorten the context pack.",
    "Split the task.",
  ],
  contract_violation: [
    "Read the reasons and the output of the stage, then retry it.",
    "If the same reason comes back, choose another model or tool for this role.",
  ],
  scope_violation: [
    "Take back the changes outside the scope. Changes of other processes in the work tree meanwhile are among them.",
    "If they are needed, widen scope.allow in the manifest or split the task.",
  ],
  unknown: ["Read the stderr and the wrapper log of the stage.", "Retry the stage if they say nothing."],
};
