/**
 * The call by which the command line gets one page about a plan or task. No call of agents: they have `tasks_resume`,
 * and a tool more costs each of them room.
 */
import type { Sentence } from "../../sentence.ts";
import { runsToRepeat } from "../../state/checkpoint.ts";
import { degreeOfEntry, DEGREES } from "../../state/degree.ts";
import { CHECKPOINTS } from "../../state/entity.ts";
import type { Entity } from "../../state/entity.ts";
import type { EvidenceEntry } from "../../state/evidence.ts";
import { heldIn } from "../../state/lease.ts";
import { otherEvidence } from "../../state/other_commands.ts";
import { boolean, integer, list, object, oneOf, optional, orNull, text } from "../../state/schema.ts";
import { isSameCommand } from "../../state/same_command.ts";
import { pathOf, preOrder } from "../../state/tree.ts";
import { listedRow } from "../../views/context.ts";
import { provedBy } from "../../views/evidence_check.ts";
import { notesOf } from "../../views/handoff.ts";
import { piece } from "../../views/lines.ts";
import { radarOf } from "../../views/radar.ts";
import { staleEntries } from "../../views/stale.ts";
import { stepRows } from "../../views/step_rows.ts";
import { targetOf } from "../../views/target.ts";
import { isDone } from "../../state/depends.ts";
import { target, workspace } from "../common.ts";
import { readTool } from "../read_tool.ts";
import type { ReadContext } from "../read_tool.ts";
import * as out from "../output.ts";
import * as view from "../output_views.ts";
import { rollUp } from "../plan_tasks.ts";
import { readerOf } from "../reader.ts";

export const showTool = readTool({
  name: "show",
  title: "One page about a plan or task",
  doc: "Show what a plan or task is, its steps with checkpoints and proof, claims, notes and evidence.",
  input: object({ workspace, ...target }),
  output: object({
    workspace: text(),
    target: view.target,
    focus: orNull(text()),
    detail: object({
      description: text(),
      context: orNull(text()),
      contract: orNull(text()),
      priority: text(),
      tags: list(text()),
      depends_on: list(text()),
      status_reason: orNull(text()),
      created_at: text(),
      created_by: text(),
      updated_at: text(),
    }),
    radar: view.radar,
    step_list: view.stepList,
    tasks: optional(view.taskRows),
    repeats: list(object({ ...out.named, command: text(), checkpoints: out.checkpointList, tests: list(integer()) })),
    claims: list(object({ path: orNull(text()), by: text(), expires_at: text() })),
    notes: view.notes,
    notes_left_out: view.notesLeftOut,
    evidence: list(
      object({
        id: text(),
        kind: text(),
        title: text(),
        ts: text(),
        sources: list(view.value),
        linked: list(object({ ...out.named, checkpoints: out.checkpointList })),
        degree: oneOf(DEGREES),
        stale: optional(text()),
        remarks: optional(list(text())),
        no_proof: optional(boolean()),
      }),
    ),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  reads: ["git_tree"],
  target: "entity",
  reply: (_input, ctx) => {
    const { subject, idOf } = ctx;
    const { entity } = subject;
    const { description, context, contract, priority, tags, depends_on, status_reason } = entity;
    const { created_at, created_by, updated_at } = entity;
    const detail = { description, context, contract, priority, tags, depends_on: depends_on.map(idOf), status_reason };
    const others = otherEvidence(entity);
    const stale = ctx.beside?.staleness ? staleEntries(subject, ctx.beside.staleness) : NONE;
    const result = {
      workspace: ctx.workspace,
      target: targetOf(subject, idOf),
      focus: ctx.focus,
      detail: { ...detail, created_at, created_by, updated_at },
      radar: radarOf(subject, readerOf(ctx, { tasks: rollUp(ctx).tasks })),
      step_list: stepRows(entity),
      ...tasksOf(ctx),
      repeats: repeatsIn(entity),
      claims: claimsOf(entity, ctx.now),
      ...notesOf(subject),
      evidence: entity.evidence.map((entry) =>
        evidenceRow(entity, entry, { stale: stale.get(entry.id)?.text, isOther: others.has(entry.id) }),
      ),
    };
    return { result };
  },
});

const NONE: ReadonlyMap<string, Sentence> = new Map();

/** A plan's tasks as a list shows them. */
function tasksOf({ subject, rows, idOf, find }: ReadContext) {
  if (subject.entity.kind !== "plan") return {};
  const own = rows().filter((row) => row.kind === "task" && !row.deleted && row.parent?.root === subject.entity.root);
  const around = { idOf, isDone: (ref: Parameters<typeof find>[0]) => isDone(find(ref)) };
  return { tasks: own.map((row) => listedRow(row, around)) };
}

/** Commands of runs on record that `prove` makes again. `tests`: the places of the declared tests that are this command. */
function repeatsIn(entity: Entity) {
  return [...preOrder(entity.children)].flatMap((step) =>
    runsToRepeat(step).map(({ command, checkpoints }) => {
      const tests = step.tests.flatMap((test, place) => (isSameCommand(test, command) ? [place] : []));
      return { path: pathOf(step), step_id: step.id, command, checkpoints, tests };
    }),
  );
}

function claimsOf(entity: Entity, now: string) {
  return heldIn(entity, now).map(({ on, lease: { by, expires_at } }) => ({ path: on && pathOf(on), by, expires_at }));
}

function evidenceRow(
  entity: Entity,
  { id, kind, title, createdAt, sources }: EvidenceEntry,
  { stale, isOther }: { stale: string | undefined; isOther: boolean },
) {
  const aside = entity.facts.get(id)?.superseded;
  const remarks = [
    ...(aside ? [`superseded: ${piece(aside.reason)}`] : []),
    ...(isOther ? ["another command than the declared test"] : []),
  ];
  const linked = linkedTo(entity, id);
  return {
    id,
    kind,
    title,
    ts: createdAt,
    sources: sources.map((one) => ({ ...one })),
    linked,
    degree: degreeOfEntry(entity, id),
    ...(stale === undefined ? {} : { stale }),
    ...(remarks.length === 0 ? {} : { remarks }),
    // Where it is linked, it proves nothing: what it names is not there, or a run that counts more failed.
    ...(linked.length > 0 && provedBy(entity, id).length === 0 ? { no_proof: true as const } : {}),
  };
}

/** Steps that it is linked to, as proof or as a failed run. */
function linkedTo(entity: Entity, id: string) {
  return [...preOrder(entity.children)].flatMap((step) => {
    const checkpoints = CHECKPOINTS.filter((c) => step.linked[c].some((link) => link.evidence === id));
    return checkpoints.length === 0 ? [] : [{ path: pathOf(step), step_id: step.id, checkpoints }];
  });
}
