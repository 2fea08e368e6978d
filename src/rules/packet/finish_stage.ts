/** Ending a stage: its gate is judged here, and one op says all that follows from it (PACKET-126 to PACKET-132). */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetOverrideSet } from "../../events/packet.override_set.ts";
import type { FilePayload } from "../../events/packet_parts.ts";
import { stageFailed } from "../../events/stage.failed.ts";
import { stageFinished } from "../../events/stage.finished.ts";
import { stagePassed } from "../../events/stage.passed.ts";
import type { Subject } from "../../state/entity.ts";
import { LIMITS } from "../../state/limits.ts";
import type { AcceptanceResult, Attempt, Packet, StageFile } from "../../state/packet.ts";
import { partsOfStage, STAGE_FILES, stageFile } from "../../state/packet.ts";
import { preOrder } from "../../state/tree.ts";
import { captureEvidence } from "../capture_evidence.ts";
import { sentence } from "../phrase.ts";
import { judgeGate } from "./gate.ts";
import { handOff } from "./hand_off.ts";
import { packetOf, plannedStage, running } from "./packet_of.ts";
import { redactorOf } from "./redact.ts";
import { setInput } from "./set_input.ts";
import { signatureOf } from "./signature.ts";
import { suggestedActions, triage } from "./triage.ts";

export interface RunCommand {
  command: string;
  exit_code: number;
  timed_out?: boolean;
  duration_sec?: number;
  stdout?: string;
  stderr?: string;
}

export interface FinishInput {
  stage: string;
  exit_code: number;
  timed_out?: boolean;
  start?: string;
  end?: string;
  duration_sec?: number;
  /** What the servant printed, where it is not in the task's folder yet. */
  out?: string;
  err?: string;
  acceptance?: readonly RunCommand[];
  /** What changed in the work tree while the stage ran, from the root on. */
  changed_paths?: readonly string[];
  applies?: "applies" | "applied" | "neither" | "no_git";
}

type FileOf = { state: "present"; size: number; sha256: string; lines: number } | { state: "missing" } | { state: "unsafe"; why: string };

export interface Found {
  files: ReadonlyMap<string, FileOf>;
  texts: ReadonlyMap<string, string>;
}

export interface Finished {
  drafts: Draft[];
  blobs: { sha256: string; bytes: Uint8Array }[];
  contents: { path: string; bytes: Uint8Array }[];
  warnings: Warning[];
}

const LINES = 20;

/** STAGE_NOT_RUNNING where no attempt of the stage is under way. */
export function finishStage(subject: Subject, input: FinishInput, found: Found): Finished {
  const packet = packetOf(subject);
  const { stage } = plannedStage(subject, input.stage);
  const attempt = running(subject, stage);
  const { role } = partsOfStage(stage);
  const { redact } = redactorOf(packet.manifest.security);
  const given = textsOf(stage, input, found, (text) => redact(text).text);
  const acceptance = (input.acceptance ?? []).map((one) => resultOf(one, (text) => redact(text).text));
  const finished = stageFinished.draft({
    stage,
    run: attempt.run,
    exit_code: input.exit_code,
    timed_out: input.timed_out ?? false,
    start: input.start ?? null,
    end: input.end ?? null,
    duration_sec: input.duration_sec ?? null,
    files: given.files,
    stderr: excerpt(redact(given.err).text),
    acceptance,
    message: sentence(`Stage ${stage} ended with exit code ${input.exit_code}`),
  });
  const proof = evidenceOf(subject, input.acceptance ?? [], (text) => redact(text).text);
  const verdict = judge(packet, role, input, given.out, acceptance);
  const outcome = verdict.passed
    ? passed(subject, packet, stage, attempt, verdict.checks, given.out)
    : [failed(packet, stage, attempt, input, verdict, redact(given.err).text)];
  return {
    drafts: [finished, ...proof.drafts, ...outcome],
    blobs: proof.blobs,
    contents: given.contents,
    warnings: proof.warnings,
  };
}
