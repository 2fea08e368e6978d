/**
 * Compares two states of a plan or task (`Difference`). A function of two answers and of nothing else:
 * server, export and page share it. All members are compared but those that are left out by name, so that a new one is never forgotten.
 */
import type {
  AttemptItem,
  CheckpointItem,
  ConflictItem,
  Difference,
  EntityAnswer,
  EvidenceItem,
  FieldDifference,
  ItemDifference,
  Json,
  PacketItem,
  PartDifference,
  PartName,
  ReportItem,
  StageItem,
  StepItem,
} from "./api.ts";

/** The beginning of a list: an answer may leave out its end. */
interface Front<T> {
  list: readonly T[];
  total: number;
  /** A new entry stands before those that were there. */
  newestFirst?: true;
}

/** An entry in both states. Undefined: that state certainly has none. */
type Pair<T> = [before: T | undefined, after: T | undefined];

interface Compared<T> {
  pairs: Pair<T>[];
  /** How many more entries there are after than before. */
  more: number;
  /** A list was not whole. */
  cut: boolean;
}

type Fields = readonly [field: string, value: Json][];

/** How entries of a part are named, and what of them is compared. */
interface Form<T> {
  id: (one: T) => string;
  name: (one: T) => string;
  by?: (one: T) => string | null;
  fields: (one: T) => Fields;
  /** Fields that are told of an entry that came or went, where its name does not say enough. */
  always?: readonly string[];
}

export function differenceOf(from: EntityAnswer, to: EntityAnswer): Difference {
  return from.revision > to.revision ? swapped(forward(to, from)) : forward(from, to);
}

/** From an earlier state to a later one: only then a new entry is known by its place in a list. */
function forward(from: EntityAnswer, to: EntityAnswer): Difference {
  const both = <T>(front: (entity: EntityAnswer) => Front<T>, { id }: Pick<Form<T>, "id">): Compared<T> =>
    compare(front(from), front(to), id);
  const steps = both(({ steps: list, steps_total: total }) => ({ list, total }), STEPS);
  const stages = both(({ packet }) => whole(packet?.stages), STAGES);
  const parts = [
    part("steps", STEPS, steps),
    part(
      "nodes",
      NODES,
      inside(steps, ({ nodes }) => whole(nodes), NODES),
    ),
    part(
      "claims",
      CLAIMS,
      both(({ claims }) => whole(claims), CLAIMS),
    ),
    part(
      "gates",
      GATES,
      both(({ gates }) => whole(gates), GATES),
    ),
    part(
      "conflicts",
      CONFLICTS,
      both(({ conflicts }) => whole(conflicts), CONFLICTS),
    ),
    part(
      "evidence",
      EVIDENCE,
      both((one) => newest(one.evidence, one.evidence_total), EVIDENCE),
    ),
    part(
      "notes",
      NOTES,
      both(({ notes: list, notes_total: total }) => ({ list, total, newestFirst: true }), NOTES),
    ),
    part(
      "cards",
      CARDS,
      both((one) => newest(one.cards, one.cards_total), CARDS),
    ),
    part(
      "trace",
      TRACE,
      both(({ trace: list, trace_total: total }) => ({ list, total, newestFirst: true }), TRACE),
    ),
    part(
      "report",
      REPORT,
      both(({ report }) => whole(report ? [report] : []), REPORT),
    ),
    part(
      "report_agents",
      REPORT_AGENTS,
      both(({ report }) => whole(report?.agents), REPORT_AGENTS),
    ),
    part(
      "agents",
      AGENTS,
      both(({ agents }) => whole(agents), AGENTS),
    ),
    part(
      "people",
      PEOPLE,
      both(({ people }) => whole(people), PEOPLE),
    ),
    part(
      "taskdoc",
      SECTIONS,
      both(({ taskdoc }) => whole(taskdoc), SECTIONS),
    ),
    part(
      "packet",
      PACKET,
      both(({ packet }) => whole(packet ? [packet] : []), PACKET),
    ),
    part("stages", STAGES, stages),
    part("attempts", ATTEMPTS, inside(stages, attemptsOf, ATTEMPTS)),
  ];
  return {
    from: from.revision,
    to: to.revision,
    fields: changed(fieldsOf(from), fieldsOf(to)),
    parts: parts.flatMap(({ difference }) =>
      difference.items.length + difference.added + difference.removed > 0 ? [difference] : [],
    ),
    cut: parts.flatMap(({ difference, cut }) => (cut ? [difference.part] : [])),
  };
}

const OTHER_WAY = { added: "removed", removed: "added", changed: "changed" } as const;

function swapped({ from, to, fields, parts, cut }: Difference): Difference {
  const back = (list: FieldDifference[]): FieldDifference[] =>
    list.map(({ field, before, after }) => ({ field, before: after, after: before }));
  return {
    from: to,
    to: from,
    fields: back(fields),
    parts: parts.map(({ part: name, items, added, removed }) => ({
      part: name,
      items: items.map((item) => ({ ...item, how: OTHER_WAY[item.how], fields: back(item.fields) })),
      added: removed,
      removed: added,
    })),
    cut,
  };
}

function whole<T>(list: readonly T[] = []): Front<T> {
  return { list, total: list.length };
}

/** Of a list that has its newest entries last. */
function newest<T>(list: readonly T[], total: number): Front<T> {
  return { list: list.toReversed(), total, newestFirst: true };
}

/**
 * Entries by their ids. Where a list is not whole, one that may stand behind its end is not taken for
 * one that came or went.
 */
function compare<T>(from: Front<T>, to: Front<T>, idOf: (one: T) => string): Compared<T> {
  const before = new Map(from.list.map((one) => [idOf(one), one]));
  const after = new Map(to.list.map((one) => [idOf(one), one]));
  const came = new Set(onlyIn(to, from, (one) => before.has(idOf(one)), to.newestFirst ? to.total - from.total : 0));
  const went = onlyIn(from, to, (one) => after.has(idOf(one)));
  return {
    pairs: [
      ...to.list.flatMap((one): Pair<T>[] => {
        const was = before.get(idOf(one));
        return was !== undefined || came.has(one) ? [[was, one]] : [];
      }),
      ...went.map((one): Pair<T> => [one, undefined]),
    ],
    more: to.total - from.total,
    cut: isCut(from) || isCut(to),
  };
}

/** Entries that the other list certainly lacks: those before the last entry of both, and a number of the first ones that are new. */
function onlyIn<T>(one: Front<T>, other: Front<T>, isInOther: (entry: T) => boolean, fresh = 0): T[] {
  const end = Math.max(one.list.findLastIndex(isInOther), fresh, 0);
  return (isCut(other) ? one.list.slice(0, end) : one.list).filter((entry) => !isInOther(entry));
}

function isCut({ list, total }: Front<unknown>): boolean {
  return list.length < total;
}

/** Entries of entries: the nodes of steps. */
function inside<T, U>(outer: Compared<T>, of: (one: T) => Front<U>, { id }: Pick<Form<U>, "id">): Compared<U> {
  const inner = outer.pairs.map(([before, after]) =>
    compare(before ? of(before) : whole<U>(), after ? of(after) : whole<U>(), id),
  );
  return {
    pairs: inner.flatMap(({ pairs }) => pairs),
    more: inner.reduce((sum, { more }) => sum + more, 0),
    cut: outer.cut || inner.some(({ cut }) => cut),
  };
}

function part<T>(
  name: PartName,
  form: Form<T>,
  { pairs, more, cut }: Compared<T>,
): { difference: PartDifference; cut: boolean } {
  const items = pairs.flatMap((pair) => itemOf(pair, form));
  const count = (wanted: ItemDifference["how"]): number => items.filter(({ how }) => how === wanted).length;
  const removed = Math.max(count("removed"), count("added") - more);
  return { difference: { part: name, items, added: removed + more, removed }, cut };
}

function itemOf<T>([before, after]: Pair<T>, form: Form<T>): ItemDifference[] {
  const one = (after ?? before)!;
  const how = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const sideFields = (side: T | undefined): Fields => (side === undefined ? [] : form.fields(side));
  const all = changed(sideFields(before), sideFields(after));
  const fields = how === "changed" ? all : all.filter(({ field }) => form.always?.includes(field));
  if (how === "changed" && fields.length === 0) return [];
  return [{ id: form.id(one), name: form.name(one), by: form.by?.(one) ?? null, how, fields }];
}

function changed(before: Fields, after: Fields): FieldDifference[] {
  const [was, is] = [new Map(before), new Map(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((field) => {
    const [one, other] = [was.get(field), is.get(field)];
    const isSame = textOf(one) === textOf(other);
    return isSame ? [] : [{ field, before: one ?? null, after: other ?? null }];
  });
}

/** No value is told apart from an empty one: an entry that came tells of what it has. */
function textOf(value: Json | undefined): string {
  const isEmpty =
    value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);
  return JSON.stringify(isEmpty ? null : value);
}

/** The members of an entry but those: they follow from others, or are compared elsewhere. */
function membersOf<T extends object>(one: T, ...except: (keyof T & string)[]): Fields {
  const names = new Set<string>(except);
  return Object.entries(one).filter(([name]) => !names.has(name)) as [string, Json][];
}

function idsOf(list: readonly { id: string }[]): string[] {
  return list.map(({ id }) => id);
}

function fieldsOf(entity: EntityAnswer): Fields {
  const { parent, depends_on, plan } = entity;
  return [
    ...membersOf(
      entity,
      ...(["api", "id", "revision", "head", "latest", "op", "available", "warnings"] as const),
      ...([
        "updated_at",
        "needed_by",
        "ready",
        "waits_for",
        "needs_steps",
        "to_complete",
        "workable",
        "progress",
        "radar",
        "recent",
        "actors",
      ] as const),
      ...(["steps", "steps_total", "claims", "gates", "agents", "conflicts", "people", "taskdoc"] as const),
      ...(["notes", "notes_total", "decisions", "cards", "cards_total", "trace", "trace_total"] as const),
      ...(["evidence", "evidence_total", "parent", "depends_on", "plan", "report", "packet"] as const),
    ),
    ["parent", parent?.id ?? null],
    ["depends_on", idsOf(depends_on)],
    ["contract", plan?.contract ?? null],
    ["contract_data", plan?.contract_data ?? null],
    ["checklist.doc", plan?.checklist.doc ?? null],
    ["checklist.steps", plan?.checklist.items.map(({ text, state }) => `${state}: ${text}`) ?? null],
  ];
}

const byId = ({ id }: { id: string }): string => id;

const STEPS: Form<StepItem> = {
  id: byId,
  name: ({ path, title }) => `${path} ${title}`,
  fields: (step) => [
    ...membersOf(
      step,
      "id",
      "parent",
      "depth",
      "state",
      "due",
      "waits_for",
      "notes",
      "claim",
      "nodes",
      "depends_on",
      "checkpoints",
    ),
    ["depends_on", idsOf(step.depends_on)],
    ...step.checkpoints.flatMap((one) =>
      checkpointFields(one).map(([field, value]): Fields[number] => [`${one.name}.${field}`, value]),
    ),
  ],
};

/** `required` follows from the texts of the step and from `proof`. Evidence says which checkpoints it is linked to. */
function checkpointFields(checkpoint: CheckpointItem): Fields {
  return [
    ...membersOf(checkpoint, "name", "required", "by_packet", "links", "links_total"),
    ["packet", checkpoint.by_packet],
    ["links", checkpoint.links_total],
  ];
}

const NODES: Form<StepItem["nodes"][number]> = {
  id: byId,
  name: ({ path, title }) => `${path} ${title}`,
  fields: (node) => membersOf(node, "id"),
};

const CLAIMS: Form<EntityAnswer["claims"][number]> = {
  id: ({ step }) => step?.id ?? "",
  name: ({ step }) => (step ? `${step.path} ${step.title}` : ""),
  // Whether it holds depends on the moment of the answer.
  fields: (claim) => membersOf(claim, "step", "holds"),
  always: ["by", "expires_at"],
};

const GATES: Form<EntityAnswer["gates"][number]> = {
  id: byId,
  name: byId,
  fields: (gate) => membersOf(gate, "id", "own"),
  always: ["state", "reason"],
};

const CONFLICTS: Form<ConflictItem> = {
  id: ({ field }) => field,
  name: ({ label }) => label,
  fields: ({ values }) => [
    ["values", values.map(({ value, by }) => `${by}: ${typeof value === "string" ? value : JSON.stringify(value)}`)],
  ],
  always: ["values"],
};

const EVIDENCE: Form<EvidenceItem> = {
  id: byId,
  name: ({ id, title }) => `${id} ${title}`,
  fields: (entry) => [
    ...membersOf(entry, "id", "linked"),
    ["linked", entry.linked.map(({ step, checkpoint }) => `${step.title}: ${checkpoint}`)],
  ],
};

const NOTES: Form<EntityAnswer["notes"][number]> = {
  id: byId,
  name: ({ text }) => text,
  by: ({ by }) => by,
  fields: ({ text }) => [["text", text]],
};

const CARDS: Form<EntityAnswer["cards"][number]> = {
  id: byId,
  name: ({ title, text }) => title || text,
  by: ({ by }) => by,
  fields: (card) => membersOf(card, "id"),
};

const TRACE: Form<EntityAnswer["trace"][number]> = {
  id: byId,
  name: ({ kind, text }) => `${kind}: ${text}`,
  by: ({ by }) => by,
  fields: (line) => membersOf(line, "id"),
};

const REPORT: Form<ReportItem> = {
  id: () => "",
  name: ({ title }) => title,
  by: ({ by }) => by,
  fields: (report) => membersOf(report, "agents"),
  always: ["summary"],
};

const REPORT_AGENTS: Form<ReportItem["agents"][number]> = {
  id: ({ instance }) => instance,
  name: ({ instance, agent }) => `${instance} ${agent}`,
  fields: (one) => [
    ...membersOf(one, "instance", "agent", "conclusions"),
    ["conclusions", one.conclusions.map(({ text, evidence }) => [text, ...evidence].join(" · "))],
  ],
  always: ["status", "summary"],
};

const AGENTS: Form<EntityAnswer["agents"][number]> = {
  id: ({ instance }) => instance,
  name: ({ instance, agent }) => `${instance} ${agent}`,
  fields: ({ state }) => [["state", state]],
  always: ["state"],
};

const PEOPLE: Form<EntityAnswer["people"][number]> = {
  id: ({ file }) => file,
  name: ({ file }) => file,
  fields: ({ text }) => [["text", text]],
  always: ["text"],
};

/** Conflicts of a section stand among the conflicts. */
const SECTIONS: Form<EntityAnswer["taskdoc"][number]> = {
  id: ({ name }) => name,
  name: ({ name }) => name,
  fields: ({ content, bytes, cut }) => [["content", content], ...(cut ? [["bytes", bytes] as Fields[number]] : [])],
  always: ["content"],
};

const PACKET: Form<PacketItem> = {
  id: () => "",
  name: ({ goal }) => goal,
  fields: (packet) => [
    ...membersOf(packet, "next", "budgets", "scope", "acceptance", "settings", "inputs", "stages", "updated_at"),
    ...Object.entries(packet.budgets).map(([name, { used, budget }]): Fields[number] => [name, `${used} / ${budget}`]),
    ...membersOf(packet.scope),
    ...membersOf(packet.acceptance),
    ...membersOf(packet.settings),
    ["inputs", packet.inputs.map(({ path, bytes, sha256 }) => `${path} (${bytes}, ${sha256.slice(0, 12)})`)],
  ],
};

const STAGES: Form<StageItem> = {
  id: ({ stage }) => stage,
  name: ({ stage }) => stage,
  fields: ({ failure, ...stage }) => [
    ...membersOf(stage, "stage", "attempts", "attempts_total"),
    ["failure", failure && [`${failure.class} (${failure.attempt})`, ...failure.reasons.map(({ text }) => text)]],
  ],
};

/** Newest first, with their stage: attempts of two stages have the same number. */
function attemptsOf({ stage, attempts, attempts_total }: StageItem): Front<AttemptItem & { stage: string }> {
  return newest(
    attempts.map((one) => ({ ...one, stage })),
    attempts_total,
  );
}

const ATTEMPTS: Form<AttemptItem & { stage: string }> = {
  id: ({ run, attempt }) => `${run} ${attempt}`,
  name: ({ stage, attempt }) => `${stage} ${attempt}`,
  by: ({ by }) => by,
  fields: (one) => [
    ...membersOf(one, "stage", "attempt", "by", "lost", "reason", "acceptance", "stderr", "files"),
    ["reason", one.reason && one.reason.text],
    ["acceptance", one.acceptance.map(({ command, exit_code }) => `${command}: ${exit_code}`)],
    ["stderr", [...one.stderr.head, ...one.stderr.tail]],
    // The next attempt of the stage moves them to other paths.
    ["files", one.files.map(({ kind, size, sha256 }) => `${kind} (${size}, ${sha256.slice(0, 12)})`)],
  ],
  always: ["how", "reason"],
};
