/** The values that one op wrote. They stand as the state was right after it: later ops may have renamed them. */
import type { CapturedItem } from "../../events/evidence.captured.ts";
import { isDerivedFrom } from "../../events/evidence.captured.ts";
import { changesOf, isReversal } from "../../events/history.ts";
import type { PastOp } from "../../events/history.ts";
import type { Change, FieldChange } from "../../events/writer.ts";
import type { Event, Op } from "../../log/types.ts";
import { shorten } from "../../state/code_points.ts";
import { CHECKPOINTS } from "../../state/entity.ts";
import type { Agent, Checkpoint, Entity, Lease } from "../../state/entity.ts";
import type { EvidenceEntry } from "../../state/evidence.ts";
import type { Json } from "../../state/json.ts";
import { isObject } from "../../state/json.ts";
import { fieldLabel, partsOf } from "../../state/live.ts";
import type { Packet } from "../../state/packet.ts";
import type { Report } from "../../state/report.ts";
import { nodePath } from "../../state/task_node.ts";
import { pathOf } from "../../state/tree.ts";
import type { HistoryItem } from "./api.ts";
import { attemptLabel, packetFields } from "./packet_fields.ts";

const MAX_CHANGES = 50;
/** Code points of one text of the log in an answer. */
export const MAX_CHARACTERS = 2000;

export type Written = Pick<HistoryItem, "changes" | "changes_total" | "evidence" | "evidence_total">;

type ChangeItem = HistoryItem["changes"][number];
type Fields = [field: string, value: Json][];

export const WROTE_NOTHING: Written = { changes: [], changes_total: 0, evidence: [], evidence_total: 0 };

interface OpThen {
  op: Op;
  past: PastOp;
  /** As the op left it. */
  entity: Entity;
  /** The values of the op that this one took back or brought again. */
  reversed: Written | undefined;
}

export function writtenBy({ op, past, entity, reversed }: OpThen): Written {
  const changes = merged([
    ...(past.revision === 1 ? begunWith(entity) : []),
    ...fieldsOf(entity, past),
    ...recordedIn(entity, past.record),
    ...op.events.flatMap((event) => payloadItems(event, entity)),
    ...(reversed ? entriesReversed(past.record, reversed) : []),
  ]).filter(isOther);
  const entries = past.record.flatMap(entryIn);
  return {
    changes: changes.slice(0, MAX_CHANGES).map(bounded),
    changes_total: changes.length,
    evidence: evidenceOf(entries.slice(0, MAX_CHANGES), op.events, entity),
    evidence_total: entries.length,
  };
}

/** A field that more than one event of the op wrote stands once. */
function merged(list: readonly ChangeItem[]): ChangeItem[] {
  const fields = new Map<string, ChangeItem>();
  for (const one of list) {
    const { before } = fields.get(one.field) ?? one;
    fields.set(one.field, { ...one, before });
  }
  return [...fields.values()];
}

/** An event may write a field with the value that it has. */
function isOther({ before, after }: ChangeItem): boolean {
  if (before === after) return false;
  // Long texts are compared as they are: an undo of a few bytes may bring back megabytes.
  if (isNothing(before) || isNothing(after)) return isNothing(before) !== isNothing(after);
  if (typeof before !== "object" || typeof after !== "object") return true;
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** A field that came with nothing in it says nothing. */
function isNothing(value: Json): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The first op makes the entity whole: no field of it was there before. */
function begunWith(entity: Entity): ChangeItem[] {
  const { title, description, context, contract, contract_data, parent, children } = entity;
  const own = { title, description, context, parent: parent?.id ?? null, contract, contract_data };
  const steps = children.map((step) => came(`step.${step.id}.deleted`, step.title, pathOf(step)));
  return [...Object.entries(own).map(([field, value]) => came(field, value as Json)), ...steps];
}

function came(field: string, after: Json, label = field): ChangeItem {
  return { field, label, before: null, after };
}

function fieldsOf(entity: Entity, past: PastOp): ChangeItem[] {
  const changes = changesOf(entity, past);
  // A card that is turned is told of with the other entries.
  return (isReversal(past) ? changes.filter(({ field }) => !field.startsWith("card.")) : changes).map((change) =>
    changeItem(entity, change),
  );
}

function changeItem(entity: Entity, { field, before, after }: FieldChange): ChangeItem {
  const { label, textOf } = wordsOf(entity, field, [before, after]);
  return { field, label, before: textOf(before), after: textOf(after) };
}

interface FieldWords {
  label: string;
  textOf: (value: Json) => Json;
}

/** Hashes and ids name what has no name of its own in the log. People know it by its step and its text. */
function wordsOf(entity: Entity, field: string, values: readonly Json[]): FieldWords {
  const [kind = "", id = ""] = field.split(".", 2);
  if (kind === "note" || kind === "trace") {
    const step = values.map((value) => memberOf(value, "step")).find((one) => typeof one === "string");
    return { label: below(entity, step ?? "", kind), textOf: (value) => memberOf(value, "text") };
  }
  if (kind === "card") {
    const { title = id, text = "" } = entity.cards.get(field.slice("card.".length)) ?? {};
    const whole = text === title ? title : `${title}\n${text}`.trim();
    return { label: `card ${title}`, textOf: (value) => (memberOf(value, "gone") === true ? null : whole) };
  }
  if (kind === "gate") {
    const gate = field.slice("gate.".length);
    return { label: below(entity, gate.replace(/^gate-/, ""), "gate", `gate ${gate}`), textOf: (value) => value };
  }
  const { step, node, name } = partsOf(entity, field);
  const item = node ?? step;
  if (item && name === "deleted") {
    const path = node ? nodePath(entity, node) : pathOf(step!);
    return { label: path, textOf: (value) => (value === true ? null : item.title) };
  }
  return { label: fieldLabel(entity, field), textOf: (value) => value };
}

/** `s:0 note` where the id is that of a step. */
function below(entity: Entity, id: string, name: string, otherwise = name): string {
  const step = entity.steps.get(id);
  return step ? `${pathOf(step)} ${name}` : otherwise;
}

function memberOf(value: Json, name: string): Json {
  return isObject(value) ? (value[name] ?? null) : null;
}

/** A value that undo does not restore, as one op changed it. */
interface Recorded {
  $: string;
  key: string;
  old: unknown;
  value: unknown;
}

/** Claims, sections of the Taskdoc, files of people, the report, the packet, and agents of a folder. */
function recordedIn(entity: Entity, record: readonly Change[]): ChangeItem[] {
  const written = new Map<string, Recorded>();
  const note = (name: string, one: Recorded): void => {
    const first = written.get(name) ?? one;
    written.set(name, { ...one, old: first.old });
  };
  for (const change of record) {
    if (change.how === "put" && change.of === "agents") note(`agent.${change.key}`, { ...change, $: "", key: "agent" });
    else if (change.how === "write" || change.how === "untracked")
      note(change.node.$ + change.key, { ...change, $: change.node.$ });
  }
  return [...written.values()].flatMap((one) => compared(entity, one));
}

function compared(entity: Entity, { $, key, old, value }: Recorded): ChangeItem[] {
  const [was, is] = [new Map(valueFields(key, old, value)), new Map(valueFields(key, value, old))];
  return [...new Set([...was.keys(), ...is.keys()])].map((name) => {
    const field = $ + name;
    const label = $.startsWith("people.") ? $.slice("people.".length, -1) : fieldLabel(entity, field);
    return { field, label, before: was.get(name) ?? null, after: is.get(name) ?? null };
  });
}

/** The fields that are told of such a value. `other` is the one on the other side of the change. */
function valueFields(key: string, value: unknown, other: unknown): Fields {
  if (value === null || value === undefined) return [];
  switch (key) {
    case "lease": {
      const { by, expires_at } = value as Lease;
      return [
        ["lease.by", by],
        ["lease.expires_at", expires_at],
      ];
    }
    case "content":
    case "archived":
      return [[key, value as Json]];
    case "agent": {
      const { instance, state } = value as Agent;
      return [[`agent ${instance}`, state]];
    }
    case "report":
      return reportFields(value as Report);
    case "packet":
      return packetFields(value as Packet, other as Packet | null);
    default:
      return [];
  }
}

function reportFields({ title, summary, agents }: Report): Fields {
  return [
    ["report.title", title],
    ["report.summary", summary],
    ...agents.map(({ instance, agent: _kind, conclusions, ...rest }): Fields[number] => [
      `report ${instance}`,
      { ...rest, conclusions: conclusions.map(({ text, evidence }) => [text, ...evidence].join(" · ")) },
    ]),
  ];
}

/** Reasons and checks that an event says and no state keeps. */
function payloadItems({ type, payload }: Event, { packet }: Entity): ChangeItem[] {
  const { reason, stage, run, checks, kind, used } = payload;
  switch (type) {
    case "packet.budget_reset": {
      const reset = kind === "retry_budget" && typeof used === "number";
      const retries = { field: "retry", label: "retry", before: reset ? used : null, after: reset ? 0 : null };
      return [retries, came("reason", (reason ?? null) as Json)];
    }
    case "lease.released":
    case "stage.reopened":
      return [came("reason", (reason ?? null) as Json)];
    case "stage.passed": {
      const attempt = packet?.attempts.find((one) => one.run === run && one.stage === stage);
      const name = attempt ? `${attemptLabel(attempt)} ` : "";
      return [came(`${name}gate`, "passed"), came(`${name}checks`, checks as Json)];
    }
    default:
      return [];
  }
}

/** Notes, lines of the trace and cards that an undo took away or a redo brought again: only the first op has their texts. */
function entriesReversed(record: readonly Change[], { changes }: Written): ChangeItem[] {
  return record.flatMap((change) => {
    if (change.how !== "put" || change.of !== "gone") return [];
    const was = changes.find(({ field }) => /^(?:note|trace|card)\./.test(field) && field.endsWith(`.${change.key}`));
    if (!was) return [];
    const text = was.after ?? was.before;
    return [change.value === true ? { ...was, before: text, after: null } : { ...was, before: null, after: text }];
  });
}

function entryIn(change: Change): EvidenceEntry[] {
  return change.how === "push" && change.key === "evidence" ? [change.value as EvidenceEntry] : [];
}

/** Entries with the step and the checkpoints that they were captured for. */
function evidenceOf(entries: readonly EvidenceEntry[], events: readonly Event[], entity: Entity): Written["evidence"] {
  const captures = events.filter(({ type }) => type === "evidence.captured");
  return entries.map(({ id, kind, title, sources }) => {
    const run = sources.find((source) => source.type === "commandExecution");
    const { step_id, checkpoints } = captures.find((event) => brought(event, id))?.payload ?? {};
    const step = typeof step_id === "string" ? entity.steps.get(step_id) : undefined;
    return {
      id,
      kind,
      title: cut(title),
      command: run ? cut(run.command) : null,
      exit_code: run?.exitCode ?? null,
      step: step ? pathOf(step) : null,
      checkpoints: CHECKPOINTS.filter((one: Checkpoint) => Array.isArray(checkpoints) && checkpoints.includes(one)),
    };
  });
}

/** Whether an event brought the entry: its id is derived from the event, or was given in it. */
function brought({ hash, payload }: Event, id: string): boolean {
  if (isDerivedFrom(hash, id)) return true;
  const items = Array.isArray(payload["items"]) ? payload["items"] : [];
  return (items as (Partial<CapturedItem> | null)[]).some((item) => item?.evidence_id === id);
}

function bounded(change: ChangeItem): ChangeItem {
  return { ...change, before: boundedValue(change.before), after: boundedValue(change.after) };
}

function boundedValue(value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const short = cut(text);
  if (short === text) return value;
  // A copy: a part of a text that was made here would keep all of it in memory.
  return typeof value === "string" ? short : (JSON.parse(JSON.stringify(short)) as string);
}

function cut(text: string): string {
  return shorten(text, MAX_CHARACTERS);
}
