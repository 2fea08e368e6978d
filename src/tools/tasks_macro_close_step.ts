import type { EvidenceInput } from "../rules/capture_evidence.ts";
import { checkpointsOf, isAllPlaceholders, placeholdersIgnored } from "../rules/capture_evidence.ts";
import { evidenceOfProof } from "../rules/proof_input.ts";
import { refusePlan, stepOf } from "../rules/step_of.ts";
import { recordCall } from "../rules/record_call.ts";
import { closingCall, supersedeCalls } from "../rules/suggest.ts";
import { weakPlaceholders } from "../rules/weak_proof.ts";
import { failedRuns, missingProofs } from "../state/checkpoint.ts";
import { hasEnded } from "../state/ended.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { Json } from "../state/json.ts";
import { either, integer, list, object, optional, orNull, text } from "../state/schema.ts";
import { dueStep } from "../state/step_waits.ts";
import { checkpoints, maxChars, preconditions, stepSelector, target, workspace } from "./common.ts";
import type { PartCall } from "./calls.ts";
import { stepsLeft } from "../views/steps_left.ts";
import { statusOf } from "../state/status.ts";
import { batchTool } from "./batch_tool.ts";
import { fitMacro, RESUME } from "./macro_room.ts";
import { evidenceFields } from "./evidence.ts";
import * as out from "./output.ts";
import { tasksResumeSuper } from "./tasks_resume_super.ts";
import * as view from "./output_views.ts";

export const tasksMacroCloseStep = batchTool({
  name: "tasks_macro_close_step",
  title: "Close the next step",
  doc: "Close a step (the first open one when none is named), with a note and proof if given. Answers with everything to go on from. With no open step left it finishes the task. All or nothing.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    checkpoints: optional(checkpoints),
    note: optional(text({ minLength: 1, description: "Progress, noted on the step before it closes." })),
    proof: optional(
      either(
        text({ description: "Receipts, one a line; CMD: or LINK: is added where it lacks." }),
        list(text(), { description: "The same as a list." }),
        object(evidenceFields, {
          description: "As tasks_evidence_capture takes it; proof of tests when it names no checkpoint.",
        }),
      ),
    ),
    resume_max_chars: maxChars,
    ...preconditions,
  }),
  output: object({
    task: text(),
    revision: integer(),
    head: text(),
    status: out.status,
    step: orNull(out.step),
    steps: out.stepsLeft,
    note_event: orNull(out.event),
    evidence_event: orNull(out.event),
    events: list(out.event),
    resume: orNull(view.resumeSuper),
  }),
  examples: [
    { workspace: "acme/repo", note: "Handles every sample.", proof: ["npm test", "https://ci.example/1"] },
    { workspace: "acme/repo", task: "TASK-001", path: "s:1", checkpoints: "all", expected_revision: 4 },
  ],
  target: "entity",
  kinds: ["task"],
  parts: (input, ctx) => {
    const subject = ctx.target();
    refusePlan(subject);
    const named = input.step_id !== undefined || input.path !== undefined;
    const step = named ? stepOf(subject, input) : dueStep(subject.entity);
    const { expected_revision, expected_head, fence } = input;
    const at = { task: subject.id, ...(step ? { step_id: step.id } : {}), fence };
    const calls: PartCall[] = [];
    if (input.note !== undefined) calls.push({ tool: "tasks_note", args: { ...at, note: input.note } });
    const evidence = input.proof === undefined ? null : evidenceOfProof(input.proof);
    if (evidence && saysSomething(evidence) && !isAllPlaceholders(evidence))
      calls.push({ tool: "tasks_evidence_capture", args: { ...at, ...(step ? evidence : unlinked(evidence)) } });
    if (step) calls.push(closing(subject, step, { ...at, checkpoints: input.checkpoints ?? "gate" }, evidence));
    else if (!hasEnded(subject.entity)) calls.push({ tool: "tasks_complete", args: { task: subject.id, fence } });
    const [first] = calls;
    if (first) Object.assign(first.args, { expected_revision, expected_head });
    return calls;
  },
  reply: (input, ctx) => {
    const { id, entity, head } = ctx.subject;
    const { parts } = ctx;
    const by = (tool: string) => parts.find((part) => part.tool === tool);
    const closed = by("tasks_close_step");
    const eventOf = (tool: string): Json => by(tool)?.events[0] ?? null;
    const again = {
      code: "ALREADY_DONE" as const,
      message: `${id} is ${entity.status} already, and has no open step.`,
    };
    const proof = input.proof === undefined ? {} : evidenceOfProof(input.proof);
    const stepId = (closed?.result["step"] as { step_id: string } | undefined)?.step_id ?? "";
    const step = entity.steps.get(stepId);
    const blank = isAllPlaceholders(proof)
      ? [placeholdersIgnored(["proof"]), ...(step ? weakPlaceholders(step, checkpointsOf(proof.checkpoint)) : [])]
      : [];
    const finished = closed !== undefined || by("tasks_complete") !== undefined;
    return fitMacro(
      (max_chars) => {
        const resume = ctx.view(tasksResumeSuper, { task: id, max_chars });
        return {
          result: {
            task: id,
            revision: entity.revision,
            head,
            status: statusOf(entity),
            step: (closed?.result["step"] as Json | undefined) ?? null,
            steps: (closed?.result["steps"] as Json | undefined) ?? stepsLeft(ctx.subject, ctx),
            note_event: shortenable(eventOf("tasks_note")),
            evidence_event: shortenable(eventOf("tasks_evidence_capture")),
            events: (closed ?? by("tasks_complete"))?.events ?? [],
            resume: resume.result,
          },
          warnings: [...(finished ? [] : [again]), ...blank, ...(resume.warnings ?? [])],
          suggestions: resume.suggestions ?? [],
        };
      },
      input.resume_max_chars,
      {
        noticed: ctx.noticed,
        view: RESUME,
        echoes: [
          { cut: "items", at: "evidence_event.items", from: "back", keep: 0 },
          { cut: "text", at: "note_event.note", keep: 200 },
          // It tells the note a second time.
          { cut: "field", at: "note_event.message" },
        ],
        spare: [
          (result) => (result["note_event"] = null),
          (result) => (result["evidence_event"] = null),
          (result) => (result["events"] = []),
        ],
      },
    );
  },
});

function closing(
  subject: Subject,
  step: Step,
  args: Record<string, unknown>,
  evidence: EvidenceInput | null,
): PartCall {
  return {
    tool: "tasks_close_step",
    args,
    suggest: (code) => {
      if (code === "PROOF_REQUIRED") return [closingCall(subject, step)];
      if (code !== "PROOF_FAILED") return [];
      const record = evidence ? [recordCall(subject, step, evidence)] : [];
      const missing = missingProofs(step);
      // Where the run of this call alone failed, the call to close would leave it out, and go through.
      const close = missing.length === 0 ? [] : [closingCall(subject, step)];
      const failed = missing.flatMap((c) => failedRuns(step.linked[c]).map((run) => run.evidence));
      return [...record, ...close, ...supersedeCalls(subject, failed, step)];
    },
  };
}

/** A copy, because the event itself is the engine's. */
function shortenable(event: Json): Json {
  return structuredClone(event);
}

/** Blank receipts are no evidence, and no caller meant to capture them. */
function saysSomething({
  items,
  artifacts,
  checks,
  attachments,
  supersedes,
}: ReturnType<typeof evidenceOfProof>): boolean {
  return [items, artifacts, checks, attachments, supersedes].some((one) => (one?.length ?? 0) > 0);
}

/** Evidence of a whole task has no checkpoint to be linked to. */
function unlinked({ checkpoint: _checkpoint, ...evidence }: ReturnType<typeof evidenceOfProof>) {
  return evidence;
}
