/**
 * Compares two states of a plan or task (`Difference`). A function of two answers and of nothing else:
 * server, export and page share it.
 */
import type { CardItem, Difference, EntityAnswer, Json, StepDifference, StepItem } from "./api.ts";

const FIELDS = [
  "title",
  "description",
  "context",
  "status",
  "status_reason",
  "priority",
  "tags",
  "domain",
  "phase",
  "component",
  "assignee",
  "topology",
  "deleted",
  "archived",
] as const satisfies readonly (keyof EntityAnswer)[];

const STEP_FIELDS = [
  "path",
  "title",
  "state",
  "done",
  "done_by",
  "forced",
  "reopened",
  "blocked",
  "block_reason",
  "blockers",
  "success_criteria",
  "tests",
] as const satisfies readonly (keyof StepItem)[];

export function differenceOf(from: EntityAnswer, to: EntityAnswer): Difference {
  const evidence = newIn(from.evidence, to.evidence).map(({ id }) => id);
  const notes = newIn(from.notes, to.notes);
  return {
    from: from.revision,
    to: to.revision,
    fields: fieldsOf(from, to),
    steps: stepsOf(from, to),
    evidence,
    evidence_total: Math.max(evidence.length, to.evidence_total - from.evidence_total),
    notes,
    notes_total: Math.max(notes.length, to.notes_total - from.notes_total),
    cards: cardsOf(from.cards, to.cards),
    taskdoc: changesOf(
      from.taskdoc,
      to.taskdoc,
      ({ name }) => name,
      ({ content }) => content,
    ).map(({ key, before, after }) => ({ name: key, before, after })),
    stages: changesOf(
      from.packet?.stages ?? [],
      to.packet?.stages ?? [],
      ({ stage }) => stage,
      ({ state }) => state,
    ).map(({ key, before, after }) => ({ stage: key, before, after })),
    conflicts: changesOf(
      from.conflicts,
      to.conflicts,
      ({ label }) => label,
      () => true,
    ).map(({ key, after }) => ({ label: key, how: after === null ? "settled" : "came" })),
  };
}

interface Change<V> {
  key: string;
  before: V | null;
  after: V | null;
}

/** Entries of two lists by their keys, where what stands there is another, or only on one side. */
function changesOf<T, V>(
  from: readonly T[],
  to: readonly T[],
  keyOf: (one: T) => string,
  valueOf: (one: T) => V,
): Change<V>[] {
  const before = new Map(from.map((one) => [keyOf(one), valueOf(one)]));
  const after = new Map(to.map((one) => [keyOf(one), valueOf(one)]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, before: before.get(key) ?? null, after: after.get(key) ?? null }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(from: EntityAnswer, to: EntityAnswer): Difference["fields"] {
  const parts: [field: string, of: (entity: EntityAnswer) => Json][] = [
    ...FIELDS.map((field): [string, (entity: EntityAnswer) => Json] => [field, (entity) => entity[field]]),
    ["parent", ({ parent }) => parent?.id ?? null],
    ["depends_on", ({ depends_on }) => depends_on.map(({ id }) => id)],
    ["claimed_by", ({ claims }) => claims.find(({ step }) => step === null)?.by ?? null],
    ["contract", ({ plan }) => plan?.contract ?? null],
    ["contract_data", ({ plan }) => plan?.contract_data ?? null],
    ["checklist", ({ plan }) => (plan ? plan.checklist.items.map(({ text, state }) => `${state}: ${text}`) : null)],
    ...["shared/human-notes.md", "shared/context-manifest.yaml"].map(
      (file): [string, (entity: EntityAnswer) => Json] => [
        file,
        ({ people }) => people.find((one) => one.file === file)?.text ?? null,
      ],
    ),
  ];
  return parts.flatMap(([field, of]) => changed(field, of(from), of(to)));
}

function stepsOf(from: EntityAnswer, to: EntityAnswer): StepDifference[] {
  const before = new Map(from.steps.map((step) => [step.id, step]));
  const after = new Map(to.steps.map((step) => [step.id, step]));
  const named = ({ id, path, title }: StepItem): Pick<StepDifference, "id" | "path" | "title"> => ({ id, path, title });
  const removed = from.steps.filter(({ id }) => !after.has(id));
  return [
    ...to.steps.flatMap((step): StepDifference[] => {
      const was = before.get(step.id);
      if (!was) return [{ ...named(step), how: "added", fields: [] }];
      const fields = stepFields(was, step);
      return fields.length === 0 ? [] : [{ ...named(step), how: "changed", fields }];
    }),
    ...removed.map((step): StepDifference => ({ ...named(step), how: "removed", fields: [] })),
  ];
}

function stepFields(was: StepItem, is: StepItem): StepDifference["fields"] {
  const ids = (list: StepItem["depends_on"]): string[] => list.map(({ id }) => id);
  return [
    ...STEP_FIELDS.flatMap((field) => changed(field, was[field], is[field])),
    ...changed("claimed_by", was.claim?.by ?? null, is.claim?.by ?? null),
    ...changed("depends_on", ids(was.depends_on), ids(is.depends_on)),
    ...is.checkpoints.flatMap((checkpoint, i) => {
      const before = was.checkpoints[i]!;
      return [
        ...changed(`${checkpoint.name}.confirmed`, before.confirmed, checkpoint.confirmed),
        ...changed(`${checkpoint.name}.proof`, before.proof, checkpoint.proof),
        ...changed(`${checkpoint.name}.proof_state`, before.proof_state, checkpoint.proof_state),
      ];
    }),
    ...changed("nodes", nodesOf(was), nodesOf(is)),
  ];
}

function nodesOf({ nodes }: StepItem): Json {
  return nodes.map(({ path, title, status }) => `${path} ${title} (${status})`);
}

function cardsOf(from: readonly CardItem[], to: readonly CardItem[]): Difference["cards"] {
  const named = ({ id, title }: CardItem): { id: string; title: string } => ({ id, title });
  return [
    ...newIn(from, to).map((card) => ({ ...named(card), how: "added" as const })),
    ...newIn(to, from).map((card) => ({ ...named(card), how: "removed" as const })),
  ];
}

function newIn<T extends { id: string }>(from: readonly T[], to: readonly T[]): T[] {
  const known = new Set(from.map(({ id }) => id));
  return to.filter(({ id }) => !known.has(id));
}

function changed(field: string, before: Json, after: Json): { field: string; before: Json; after: Json }[] {
  const same = before === after || JSON.stringify(before) === JSON.stringify(after);
  return same ? [] : [{ field, before, after }];
}
