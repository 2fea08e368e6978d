/** What each tool does to the model: the whole surface by name. */
import { TOOLS } from "../../src/tools/index.ts";
import { isDrawnByExample } from "./calls.ts";
import { addSteps, block, capture, close, define, reopen, saysWhatWasRun, verify } from "./steps.ts";
import type { Closing, StepBody } from "./steps.ts";
import { claim, refuseHeld, release } from "./claims.ts";
import type { Asking } from "./claims.ts";
import type { Change } from "./entity.ts";
import { refuse } from "./entity.ts";
import type { Input } from "./input.ts";
import { MACROS } from "./macros.ts";
import type { Model, Turn } from "./model.ts";
import { addNode, defineNode, deleteNode } from "./nodes.ts";
import { redo, undo } from "./past.ts";
import { patch } from "./patch.ts";
import { bringBack, putAway } from "./archive.ts";
import {
  checklist,
  claimNext,
  closeTask,
  complete,
  completeWithLastStep,
  contract,
  edit,
  remove,
  say,
} from "./whole.ts";

type Run = (turn: Turn) => void;
type Make = (change: Change, turn: Turn, asking: Asking) => void;

/** A tool that makes one op of the entity it means. */
const write =
  (make: Make): Run =>
  (turn) => {
    const entity = turn.model.target(turn.input, turn.by);
    turn.model.change(turn, entity, (change, asking) => make(change, turn, asking));
  };

/** The same about a step. */
const onStep = (make: (change: Change, step: string, input: Input, model: Model) => void): Run =>
  write((change, { model, input }, asking) => {
    const step = model.stepOf(change.entity, input);
    refuseHeld(change, step, asking);
    make(change, step, input, model);
  });

/** Closes a step, and completes the task where it is to end with its last step. */
const closing = (how: (input: Input) => Closing): Run =>
  onStep((change, step, input, model) => {
    close(change, step, how(input));
    completeWithLastStep(change, model);
  });

/** About a step or the whole. */
const onPlace = (make: (change: Change, place: string, input: Input, asking: Asking) => void): Run =>
  write((change, { model, input }, asking) => make(change, model.stepOrWhole(change.entity, input), input, asking));

/** A read changes nothing; what it is about has to be there. */
const read: Run = ({ model, input, by }) => void model.shown(input, by);
const readStep: Run = ({ model, input, by }) => void model.stepOrWhole(model.shown(input, by), input);
const readAll: Run = () => undefined;

function turned(which: "undo" | "redo"): Run {
  return write((change, { input }, asking) => {
    const { entity } = change;
    const index = which === "undo" ? undo(change, asking, input.op) : redo(change, asking);
    entity.ops[index]!.undone = which === "undo";
    entity.redo = entity.redo.filter((one) => one !== index);
    if (which === "undo") entity.redo.push(index);
  });
}

const setFocus: Run = ({ model, input, by }) => {
  const entity = model.named(input) ?? refuse("TARGET_REQUIRED");
  if (entity.archived) refuse("ARCHIVED");
  model.setFocus(by, entity.id);
};

export const MODEL_TOOLS: Record<string, Run> = {
  ...MACROS,
  tasks_edit: write(edit),
  tasks_complete: write((change, { model, input }, asking) => {
    refuseHeld(change, "", asking);
    complete(change, model, input.status);
  }),
  tasks_close_task: closeTask,
  tasks_patch: write((change, { model, input }) => {
    change.idle = !patch(change, model, { ...input, ops: input.ops! });
  }),
  tasks_plan: write((change, { input }) => checklist(change, input)),
  tasks_contract: write((change, { input }) => contract(change, input)),
  tasks_archive: putAway,
  tasks_restore: bringBack,
  tasks_delete: remove,
  tasks_decompose: write((change, { model, input }) => {
    if (change.entity.kind === "plan") refuse("INVALID_INPUT");
    const { parent } = input;
    const under =
      parent === undefined
        ? ""
        : model.stepOf(change.entity, parent.startsWith("STEP-") ? { step_id: parent } : { path: parent });
    addSteps(change, under, input.steps as StepBody[]);
  }),
  tasks_define: onStep((change, step, input) => define(change, step, input as Partial<StepBody>)),
  tasks_verify: onStep((change, step, { checkpoints }) => verify(change, step, checkpoints!)),
  tasks_done: closing(() => ({})),
  tasks_close_step: closing(({ checkpoints }) => ({ checkpoints: checkpoints! })),
  tasks_progress: (turn) => {
    if (turn.input.completed === false) return onStep((change, step) => reopen(change, step))(turn);
    closing(({ force = false, reason }) => ({ force, ...(reason === undefined ? {} : { reason }) }))(turn);
  },
  tasks_block: onStep(block),
  tasks_note: onPlace((change, place, { note }) => say(change, place, note!)),
  tasks_evidence_capture: onPlace((change, place, { items = [], checks = [], checkpoint = [] }) => {
    const receipts = saysWhatWasRun(checks);
    if (!receipts && items.length === 0) refuse("INVALID_INPUT");
    capture(change, place, [checkpoint].flat(), { exits: items.map(({ exit_code }) => exit_code), receipts });
  }),
  tasks_claim: onPlace((change, place, { ttl_s = 900 }, asking) => claim(change, place, ttl_s, asking)),
  tasks_release: onPlace((change, place, how, asking) => release(change, place, how, asking)),
  tasks_claim_next: claimNext,
  tasks_task_add: write(addNode),
  tasks_task_define: write(defineNode),
  tasks_task_delete: write(deleteNode),
  tasks_undo: turned("undo"),
  tasks_redo: turned("redo"),
  tasks_think: write((change, { input }) => say(change, "", `${input.frame ?? ""}${input.decision ?? ""}`)),
  tasks_report: write((change) => {
    change.undoable = false;
    change.about("", { free: true });
  }),
  change_mind: write((change, { input }) => {
    change.undoable = false;
    change.whole[`taskdoc ${input.category ?? ""} ${input.selector}`] = input.content!;
    change.about("", { free: true });
  }),
  recall_taskdoc: ({ model, input, by }) => {
    const whole = model.shown(input, by).places[""]!;
    if (whole[`taskdoc ${input.category} ${input.selector}`] === undefined) refuse("TASKDOC_SECTION_MISSING");
  },
  tasks_focus_set: setFocus,
  tasks_focus_get: readAll,
  tasks_focus_clear: ({ model, by }) => model.clearFocus(by),
  tasks_context: readAll,
  tasks_status: readAll,
  tasks_search: readAll,
  tasks_storage: readAll,
  tasks_templates_list: readAll,
  // What was deleted is told of, too.
  tasks_delta: ({ model, input }) => {
    const { task, plan, target } = input;
    if (model.state.entities[task ?? plan ?? target ?? ""]?.deleted !== true || (task && target)) model.named(input);
  },
  tasks_evidence_verify: readStep,
  tasks_mirror: readStep,
  tasks_radar: read,
  tasks_handoff: read,
  // Without target and focus it is about the workspace.
  tasks_history: (turn) => {
    if (turn.model.named(turn.input) || turn.model.state.focus[turn.by] !== undefined) read(turn);
  },
  tasks_lint: read,
  tasks_context_pack: read,
  tasks_resume: read,
  tasks_resume_pack: read,
  tasks_resume_super: read,
  tasks_snapshot: read,
};

/** Reads and writes without a prediction of their own: inputFor makes calls of them whose answer is known all the same. */
for (const { name, effect, examples } of Object.values(TOOLS)) {
  if (!isDrawnByExample(name) || Object.hasOwn(MODEL_TOOLS, name)) continue;
  const stepped = "path" in (examples[0] as object);
  if (effect === "read") MODEL_TOOLS[name] = stepped ? readStep : read;
  else MODEL_TOOLS[name] = write(() => refuse("REVISION_MISMATCH"));
}
