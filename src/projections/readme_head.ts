/** The head of README.md: how far the work is, who has it and what is next (PROJ-8). Other programs find their fields at the end. */
import { dueItem, itemsBehind } from "../state/checklist.ts";
import { isArchivedOrDeleted } from "../state/archive.ts";
import { lacksOf } from "../state/checkpoint.ts";
import { shorten } from "../state/code_points.ts";
import { heldSteps } from "../state/completion.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, Step, Subject } from "../state/entity.ts";
import { BEFORE_ALL_TIMES } from "../state/first_ready.ts";
import type { Held } from "../state/lease.ts";
import { heldIn } from "../state/lease.ts";
import { LIMITS } from "../state/limits.ts";
import { fieldLabel, liveConflicts } from "../state/live.ts";
import type { Packet } from "../state/packet.ts";
import { nextAction } from "../state/packet_next.ts";
import { statusOf } from "../state/status.ts";
import { dueStep, waitsFor } from "../state/step_waits.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { inline } from "./markdown.ts";
import { toSecond } from "../to_second.ts";

/** Claims that one line names. */
const MAX_CLAIMS = 4;

/** One list line for each fact that there is. */
export function readmeHead({ id, entity }: Subject): string {
  const isOpen = !hasEnded(entity);
  const lines: [string, string][] = [
    ["id", `\`${id}\``],
    ["status", status(id, entity)],
    ["progress", progress(entity)],
    ["ended", ended(entity)],
    ["who", isOpen ? who(entity) : ""],
    ["next", isOpen ? next(entity) : ""],
    ["parent", entity.parent === null ? "" : parentLink(entity, entity.parent.id)],
  ];
  return lines.map(([name, text]) => (text === "" ? "" : `- ${name}: ${text}\n`)).join("");
}

/** Ids that need no escape in a link. */
export const LINKED_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A plan that is open goes as its tasks go, and its own log does not tell which it has. */
function status(id: string, entity: Entity): string {
  if (entity.kind === "plan" && !hasEnded(entity)) return `open, its tasks say how far it is: \`taskfold show ${id}\``;
  const reason = entity.status_reason === null ? "" : `: ${inline(entity.status_reason)}`;
  return `\`${statusOf(entity)}\`${reason}`;
}

/** Empty before there is anything to count. */
function progress({ children, packet, checklist }: Entity): string {
  const steps = [...preOrder(children)];
  const stages = packet?.plan.stages ?? [];
  const passed = stages.filter(({ stage }) => packet !== null && Object.hasOwn(packet.done, stage));
  const items = checklist.steps.length;
  return [
    steps.length === 0 ? "" : `${steps.filter(({ done }) => done).length} of ${steps.length} steps closed`,
    stages.length === 0 ? "" : `${passed.length} of ${stages.length} stages done`,
    items === 0 ? "" : `${itemsBehind(checklist)} of ${items} items of the checklist behind`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Nothing where the log does not tell: another program ended it. */
function ended({ status, ended_at, ended_by }: Entity): string {
  if (!hasEnded({ status }) || ended_at === null || ended_by === null) return "";
  return `${toSecond(ended_at)} by ${inline(ended_by)}`;
}

/** Those who claimed it or steps of it; else the actor who wrote last. */
function who(entity: Entity): string {
  const claims = heldIn(entity, BEFORE_ALL_TIMES);
  const named = claims.slice(0, MAX_CLAIMS).map(claim);
  const left = claims.length - named.length;
  if (claims.length > 0) return [...named, ...(left > 0 ? [`${left} more`] : [])].join(", ");
  const last = [...entity.acted.keys()].at(-1) ?? entity.created_by;
  return `not claimed, last change by ${inline(last)}`;
}

function claim({ on, lease }: Held): string {
  return `${inline(lease.by)}${on === null ? "" : ` on ${pathOf(on)}`} until ${toSecond(lease.expires_at)}`;
}

/** Empty for a plan without a checklist: its own log does not tell which tasks it has. */
function next(entity: Entity): string {
  const [conflict] = liveConflicts(entity);
  if (conflict) return `resolve the conflict about ${inline(fieldLabel(entity, conflict.field))}`;
  if (entity.kind === "plan") return nextItem(entity);
  if (entity.packet) return nextStage(entity.packet);
  if (entity.children.every(({ deleted }) => deleted)) return "add steps";
  const step = dueStep(entity) ?? heldSteps(entity)[0];
  return step ? nextStep(entity, step) : "complete the task";
}

function nextItem({ checklist }: Entity): string {
  if (checklist.steps.length === 0) return "";
  const item = dueItem(checklist);
  if (item === undefined) return "complete the plan";
  return `item ${itemsBehind(checklist) + 1} ${short(item)}`;
}

function nextStage(packet: Packet): string {
  return short(nextAction(packet).action);
}

/** A step that waits says for what before it says what it lacks. */
function nextStep(entity: Entity, step: Step): string {
  const name = `${pathOf(step)} ${short(step.title)}`;
  const waits = waitsFor(entity, step);
  if (waits.length > 0) return `${name}, which waits for ${waits.map(pathOf).join(", ")}`;
  if (step.blocked) return `${name}, which is blocked`;
  const lacks = lacksOf(step);
  return lacks.length === 0 ? `${name}, which can be closed` : `${name}, which lacks ${lacks.join(", ")}`;
}

function short(text: string): string {
  return inline(shorten(text, LIMITS.excerptCodePoints));
}

/** To the plan's own README. An archived task leaves its plan's folder behind, so its parent is text. */
function parentLink(entity: Entity, id: string): string {
  return isArchivedOrDeleted(entity) || !LINKED_ID.test(id) ? inline(id) : `[${inline(id)}](../${id}/README.md)`;
}
