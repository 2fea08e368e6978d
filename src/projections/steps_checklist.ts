import type { Checkpoint, Entity, Link, NodeList, Step } from "../state/entity.ts";
import { hasProof, isOfPacket, isProvedByPacket, isOtherCommand, requiredCheckpoints } from "../state/checkpoint.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "../state/entity.ts";
import { isLive } from "../state/live.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import { liveNodes } from "../state/task_node.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { degreeMark, noProofMark } from "./evidence_list.ts";
import { inline } from "./markdown.ts";
import { toSecond } from "../to_second.ts";

/** The live steps as a nested checklist, each with its checkpoints, proofs, blockers and marks; empty without steps. */
export function stepsChecklist(entity: Entity): string {
  let text = "";
  // Paths and depths are carried along: asking each step for its own would walk to the root every time.
  const places = new Map<Step, { path: string; indent: string }>();
  for (const step of preOrder(entity.children)) {
    const above = step.parent ? places.get(step.parent)! : { path: "", indent: "" };
    const path = above.path === "" ? `s:${step.ordinal}` : `${above.path}.s:${step.ordinal}`;
    places.set(step, { path, indent: `${above.indent}  ` });
    text += `${above.indent}- ${box(step.done)} ${path} ${inline(step.title)} (\`${step.id}\`)${marks(step)}\n`;
    text += details(entity, step, `${above.indent}  - `) + nodes(entity, step, path, `${above.indent}  `);
  }
  return text;
}

function box(checked: boolean): string {
  return checked ? "[x]" : "[ ]";
}

/** In code spans, which user text cannot make: a title that says it is blocked looks different. */
function marks(step: Step): string {
  let text = "";
  if (step.blocked) text += ` \`blocked\`${reason(step.block_reason)}`;
  if (step.lease) text += ` \`claimed\` by ${inline(step.lease.by)} until ${toSecond(step.lease.expires_at)}`;
  if (step.reopened !== null) text += ` \`open again\`${reason(step.reopened)}`;
  return text + closed(step);
}

/** A step that another program closed may not say when, or by whom. */
function closed({ done, done_at, done_by, forced }: Step): string {
  if (!done) return "";
  const at = done_at === null ? "" : ` ${toSecond(done_at)}`;
  const by = done_by === null ? "" : ` by ${inline(done_by)}`;
  return ` \`${forced === null ? "closed" : "closed by force"}\`${at}${by}${reason(forced)}`;
}

function reason(text: string | null): string {
  return text === null || text.trim() === "" ? "" : `: ${inline(text)}`;
}

function details(entity: Entity, step: Step, bullet: string): string {
  let text = "";
  for (const c of requiredCheckpoints(step))
    text += `${bullet}${box(step.confirmed[c])} ${c}${asked(entity, step, c)}\n`;
  if (step.packet)
    text += `${bullet}${box(isProvedByPacket(step))} tests, by the packet${asked(entity, step, "tests")}\n`;
  for (const c of PROOF_CHECKPOINTS) {
    const mode = step.proof[c];
    if (mode === "off" || isOfPacket(step, c)) continue;
    const there = hasProof(step, c);
    text += `${bullet}${box(there)} proof of ${c}${mode === "warn" ? " (not required)" : there ? "" : " `missing`"}\n`;
  }
  for (const id of step.depends_on) {
    const other = entity.steps.get(id);
    if (other && isLive(other)) text += `${bullet}${box(other.done)} after ${pathOf(other)} ${inline(other.title)}\n`;
  }
  if (step.files.length > 0) text += `${bullet}files: ${step.files.map(inline).join(", ")}\n`;
  const others = CHECKPOINTS.filter((c) => step.confirm[c]);
  if (others.length > 0) text += `${bullet}another actor confirms ${others.join(", ")}\n`;
  for (const blocker of step.blockers) text += `${bullet}waits for: ${inline(blocker)}\n`;
  return text;
}

/** The step's task nodes with everything that was said of them. */
function nodes(entity: Entity, step: Step, path: string, indent: string): string {
  let text = "";
  for (const node of liveNodes(entity, step)) {
    const priority = node.priority === DEFAULT_PRIORITY ? "" : `, priority ${inline(node.priority)}`;
    text += `${indent}- task ${path}.t:${node.ordinal} ${inline(node.title)} (\`${node.id}\`) \`${node.status}\`${priority}\n`;
    for (const paragraph of [node.description, node.context ?? ""])
      if (paragraph.trim() !== "") text += `${indent}  - ${inline(paragraph)}\n`;
    for (const [word, list] of WORDS) for (const line of node[list]) text += `${indent}  - ${word}: ${inline(line)}\n`;
  }
  return text;
}

const WORDS: readonly [string, NodeList][] = [
  ["criterion", "success_criteria"],
  ["next", "next_steps"],
  ["waits for", "blockers"],
  ["builds on", "dependencies"],
  ["problem", "problems"],
  ["risk", "risks"],
];

const OTHER = " `another command than the declared test`";

function cited(entity: Entity, { evidence, exit_code }: Link): string {
  const degree = degreeMark(entity, evidence);
  // That a run passed is said where Taskfold made it: the exit code of a claim is a claim, too.
  const isOwn = entity.facts.get(evidence)?.captured !== undefined;
  const outcome = noProofMark(entity, evidence, exit_code) || (exit_code === 0 && isOwn ? "`passed`" : "");
  const mark = [outcome, degree].filter(Boolean).join(" ");
  const id = `evidence:${evidence}`;
  return `${entity.facts.get(evidence)?.superseded ? `~~${id}~~` : id}${mark === "" ? "" : ` ${mark}`}`;
}

function asked(entity: Entity, step: Step, checkpoint: Checkpoint): string {
  const list = checkpoint === "criteria" ? step.success_criteria : checkpoint === "tests" ? step.tests : [];
  const linked = step.linked[checkpoint]
    .map((one) => cited(entity, one) + (checkpoint === "tests" && isOtherCommand(step, one) ? OTHER : ""))
    .join(", ");
  return (list.length > 0 ? `: ${list.map(inline).join("; ")}` : "") + (linked === "" ? "" : ` (${linked})`);
}
