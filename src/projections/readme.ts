import { DEFAULT_PLAN_DOC, itemsBehind } from "../state/checklist.ts";
import { archivedTasks } from "../state/archive.ts";
import { shorten } from "../state/code_points.ts";
import type { Conflict, Entity, Note, Subject } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import { sortedJson } from "../state/json.ts";
import { fieldLabel, isLive, liveConflicts, liveGates } from "../state/live.ts";
import { pathOf } from "../state/tree.ts";
import { cocoState } from "./coco_state.ts";
import { decisionPath } from "./decision.ts";
import { evidenceList } from "./evidence_list.ts";
import { heading, inline, quote } from "./markdown.ts";
import { LINKED_ID, readmeHead } from "./readme_head.ts";
import { stepsChecklist } from "./steps_checklist.ts";
import { toSecond } from "../to_second.ts";
import { sectionOf, sectionPath, sectionsBelow, TOP_LEVEL_SECTIONS } from "../state/taskdoc.ts";
import type { Packet } from "../state/packet.ts";
import { attemptsOf, stageState } from "../state/packet.ts";
import { currentFailure } from "../state/packet_next.ts";

/** The entity for a person who reviews it: Markdown, in which user text can forge no structure (DIR-7, PROJ-8). */
export function readme(subject: Subject): string {
  const { entity } = subject;
  // Well-formed, so that the text in memory is the text that comes back from the file.
  return [
    `# ${heading(entity.title)}\n\n${readmeHead(subject)}`,
    section("Description", quote(entity.description)),
    section("Context", quote(entity.context ?? "")),
    section("Contract", quote(entity.contract ?? "")),
    section("Details", details(entity)),
    section(
      "Conflicts",
      liveConflicts(entity)
        .map((c) => conflict(entity, c))
        .join(""),
    ),
    section("Checklist", checklist(entity)),
    section("Archived tasks", archivedList(entity)),
    section("Steps", stepsChecklist(entity)),
    section("Packet", packetSection(entity)),
    section("Taskdoc", taskdocSummary(entity)),
    section("Gates of other programs", foreignGates(entity)),
    section("Decisions", decisions(entity)),
    section("Evidence", evidenceList(entity)),
    section(notesTitle(entity), entity.notes.map((n) => note(entity, n)).join("\n")),
    section(
      "Last changes",
      entity.recent.map((op) => `- ${toSecond(op.ts)} ${inline(op.by)}: ${inline(op.message)}\n`).join(""),
    ),
    section("Fields", fields(subject)),
  ]
    .join("")
    .toWellFormed();
}

/** Nothing for a section that has nothing in it. */
function section(title: string, body: string): string {
  return body === "" ? "" : `\n## ${title}\n\n${body}`;
}

/** Programs look for these fields. The revision tells of which moment of the log the file is (PROJ-13). */
function fields({ entity }: Subject): string {
  return (
    `- topology: \`${entity.topology}\`\n- state: \`${cocoState(entity)}\`\n- kind: \`${entity.kind}\`\n` +
    `- revision: \`${entity.revision}\`\n`
  );
}

const MAX_ARCHIVED = 50;

/** A plan's checklist; its document is named where it is not the usual one. */
function checklist({ checklist: list }: Entity): string {
  const behind = itemsBehind(list);
  const items = list.steps.map((item, i) => `- ${i < behind ? "[x]" : "[ ]"} ${inline(item)}\n`).join("");
  return list.doc === DEFAULT_PLAN_DOC ? items : `- document: ${inline(list.doc)}\n${items}`;
}

/** Of a plan's archived tasks the last to go, each with its README: a long list is read by tasks_context. */
function archivedList(entity: Entity): string {
  const all = archivedTasks(entity);
  const left = all.length - MAX_ARCHIVED;
  const rows = all.slice(-MAX_ARCHIVED).map(([, { id, title, status }]) => {
    const name = LINKED_ID.test(id) ? `[${inline(id)}](../../archive/${id}/README.md)` : inline(id);
    return `- ${name} ${inline(shorten(title, LIMITS.excerptCodePoints))}: \`${status}\`\n`;
  });
  return rows.join("") + (left > 0 ? `- ${left} more before these\n` : "");
}

/** Returns fields that `tasks_edit` sets and no other section shows, where they have a value. */
function details(entity: Entity): string {
  const { priority, tags, depends_on, complete_when_done: completes, domain, contract_data } = entity;
  const lines: [string, string][] = [
    ["priority", priority === DEFAULT_PRIORITY ? "" : priority],
    ["tags", tags.join(", ")],
    ["depends on", depends_on.map((ref) => ref.id).join(", ")],
    ["complete when done", completes === null ? "" : completes ? "yes" : "no"],
    ["domain", domain ?? ""],
    ["contract data", contract_data === null ? "" : sortedJson(contract_data)],
  ];
  return lines.map(([name, text]) => (text === "" ? "" : `- ${name}: ${inline(text)}\n`)).join("");
}

function conflict(entity: Entity, { field, values }: Conflict): string {
  const last = values.length - 1;
  return (
    `- ${inline(fieldLabel(entity, field))} was written on two branches\n` +
    values
      .map(({ value, by }, i) => {
        const text = typeof value === "string" ? value : sortedJson(value);
        return `  - by ${inline(by)}${i === last ? " (shown)" : ""}: ${inline(shorten(text, LIMITS.excerptCodePoints))}\n`;
      })
      .join("")
  );
}

function foreignGates(entity: Entity): string {
  return liveGates(entity)
    .filter((gate) => !gate.own)
    .map((gate) => `- ${inline(gate.id)}: ${gate.state}${gate.reason === null ? "" : `, ${inline(gate.reason)}`}\n`)
    .join("");
}

/** Those that hold, each with its file, which says what it rests on. */
function decisions({ decisions: ids, cards }: Entity): string {
  const held = ids.map((id) => cards.get(id)!).filter((card) => !card.gone);
  return held.map((card) => `- [${inline(card.title)}](${decisionPath(card)}) (${inline(card.status)})\n`).join("");
}

function notesTitle(entity: Entity): string {
  return entity.note_count > entity.notes.length
    ? `Last ${entity.notes.length} of ${entity.note_count} notes`
    : "Notes";
}

/** The last notes stand in every rendering, and each may have 256 KiB to escape. */
const quotedNotes = new WeakMap<Note, string>();

function quotedNote(one: Note): string {
  let quoted = quotedNotes.get(one);
  if (quoted === undefined) quotedNotes.set(one, (quoted = quote(one.text, "  ")));
  return quoted;
}

function note(entity: Entity, one: Note): string {
  const { ts, by, step } = one;
  const on = step === null ? undefined : entity.steps.get(step);
  const where = on && isLive(on) ? ` on ${pathOf(on)}` : "";
  return `- ${toSecond(ts)} ${inline(by)}${where}\n\n${quotedNote(one)}`;
}

/** One line for each section: when, by whom and at which revision it was written last; empty while no actor has (TASKDOC-28). */
function taskdocSummary({ taskdoc }: Entity): string {
  if (taskdoc.size === 0) return "";
  const top = TOP_LEVEL_SECTIONS.map((selector) => ({ category: null, selector }));
  return [...top, ...sectionsBelow(taskdoc)]
    .map((target) => {
      const section = sectionOf(taskdoc, target);
      if (!section) return line(sectionPath(target), "empty");
      const { ts, by, revision } = section.last;
      const verb = section.content === "" ? "cleared" : "updated";
      const often = section.changes === 1 ? "" : `, ${section.changes} changes`;
      return line(sectionPath(target), `${verb} ${toSecond(ts)} by \`${by}\` at revision ${revision}${often}`);
    })
    .join("");
}

/** Paths are of letters, digits and a few marks, and actors too: in a code span nothing of them is markup. */
function line(path: string, text: string): string {
  return `- \`${path}\`: ${text}\n`;
}

/**
 * The packet in README.md: its stages, and what they used up.
 * Nothing where the task carries no packet.
 */
function packetSection({ packet }: Entity): string {
  if (!packet) return "";
  const { manifest, plan, paid_calls_used: used } = packet;
  const failure = currentFailure(packet);
  const { paid_call_budget, retry_budget } = manifest.budgets;
  return [
    `- goal: ${inline(shorten(manifest.goal, 400))}\n`,
    `- intent: \`${manifest.routing.intent}\`, profile ${inline(plan.profile)}\n`,
    `- paid calls: ${used} of ${paid_call_budget}, retries of one failure: at most ${retry_budget}\n`,
    failure === null
      ? ""
      : `- last failure: ${failure.stage}, ${failure.class}: ${inline(shorten(failure.reasons[0] ?? failure.signature, 400))}\n`,
    packet.archived ? "- archived\n" : "",
    `- what a caller reads: [outputs/_summary.md](outputs/_summary.md)\n`,
    "\n| stage | model | state | attempts | exit code | done |\n| --- | --- | --- | --- | --- | --- |\n",
    ...plan.stages.map(({ stage, model }) => row(packet, stage, model)),
  ].join("");
}

function row(packet: Packet, stage: string, model: string): string {
  const attempts = attemptsOf(packet, stage);
  const code = attempts.at(-1)?.ended?.exit_code ?? null;
  const done = packet.done[stage];
  const cells = [
    stage,
    inline(model),
    stageState(packet, stage),
    String(attempts.length),
    code === null ? "" : String(code),
    done === undefined ? "" : toSecond(done),
  ];
  return `| ${cells.join(" | ")} |\n`;
}
