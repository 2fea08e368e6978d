/** `taskfold show`: one page about a plan or task. */
import { showTool } from "../../tools/command_line/show.ts";
import type { Block } from "./text/layout.ts";
import { blocks, columns, heading, sentences, textRows } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Page, StepRow } from "./page.ts";
import { inZone, reading } from "./read.ts";
import { notesLeftOut } from "./text/notes_left_out.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { timeAndAge, timeText } from "./text/times.ts";
import { folded } from "./text/folded.ts";
import type { Session } from "./session.ts";

export function show(
  session: Session,
  id: string | undefined,
  { full = false }: { full?: boolean } = {},
): Promise<CliResult> {
  return reading(
    session,
    async (call, workspace) => {
      const reply = await call(inZone(showTool, session), id === undefined ? {} : { target: id });
      if (reply.result === null || session.quiet) return outcomeOf(session, workspace, reply);
      const page = reply.result as unknown as Page;
      const human = () => ({ out: pageText(page, session, full), err: warningsText(reply.warnings, session) });
      return { exit: exitOf(reply), json: reply, human };
    },
    showTool,
  );
}

type Evidence = Page["evidence"][number];
type Look = Pick<Session, "colors" | "columns">;

/** The open work stands before the description (CLI-115). */
function pageText(page: Page, { columns: wide, colors, program }: Session, isFull: boolean): string {
  const { target, detail, focus } = page;
  const look = { columns: wide, colors };
  const marks = [target.kind, target.status, ...(focus === target.id ? ["has the focus"] : [])].join(", ");
  const head = heading(target.id, target.title, marks, colors, wide);
  const labelled = (label: string, text: string | readonly string[] | null): Block[] =>
    text === null || text.length === 0 ? [] : [[label, text]];
  const about = (label: string, text: string | null): Block[] =>
    labelled(label, text === null || isFull ? text : folded(text, { id: target.id, program, wide }));
  const due: Block[] = [
    ...labelled("Status", detail.status_reason === null ? "" : `${target.status}: ${detail.status_reason}`),
    ...labelled("Priority", detail.priority === "MEDIUM" ? "" : detail.priority),
    ...labelled(
      "Claims",
      page.claims.flatMap((claim) => (claim.path === null ? [claimLine(claim, wide)] : [])),
    ),
    ...labelled("Next", page.radar.next),
    ...labelled("Blockers", page.radar.blockers),
  ];
  const facts: Block[] = [
    ...about("About", detail.description),
    ...about("Context", detail.context),
    ...about("Contract", detail.contract),
    ...labelled("Plan", target.parent),
    ...labelled("Tags", detail.tags.join(", ")),
    ...labelled("Depends on", detail.depends_on.join(", ")),
    ["Created", `${timeAndAge(detail.created_at, wide)} by ${detail.created_by}, revision ${target.revision}`],
  ];
  const proofs = page.step_list.map((step) => proofOf(step, page.evidence));
  const parts = [
    due.length === 0 ? "" : `\n${blocks(due, colors, wide)}`,
    section("Tasks", taskLines(page, wide), look),
    section("Steps", stepLines(page, proofs, wide), look),
    `\n${blocks(facts, colors, wide)}`,
    section(
      "Notes",
      textRows(
        page.notes.map((note) => noteRow(note, wide)),
        wide,
      ) + leftOutText(page, program, wide),
      look,
    ),
    section("Evidence", evidenceLines(page, new Set(proofs.flat()), wide), look),
  ];
  return `${head}${parts.join("")}`;
}

function section(title: string, text: string, { colors }: Look): string {
  return text === "" ? "" : `\n${colors.bold(title)}\n${text}`;
}

function claimLine({ path, by, expires_at }: Page["claims"][number], wide: number | undefined): string {
  return `${path ?? "the whole"} by ${by} until ${timeAndAge(expires_at, wide)}`;
}

function taskLines({ tasks = [] }: Page, wide: number | undefined): string {
  return columns(
    tasks.map(({ id, status, steps, title }) => [id, status, `${steps.completed}/${steps.total} steps`, title]),
    wide,
  );
}

/** A step on a line, below it who holds it, what it still asks for, and its proof. */
function stepLines(
  { step_list: steps, claims }: Page,
  proofs: readonly (readonly Evidence[])[],
  wide: number | undefined,
): string {
  const rows = steps.flatMap((step, at) => [
    [step.path, step.done ? "[x]" : step.blocked || step.blockers.length > 0 ? "[!]" : "[ ]", step.title],
    ...[
      ...claims.flatMap(({ path, by, expires_at }) =>
        path === step.path ? [`claimed by ${by} until ${timeAndAge(expires_at, wide)}`] : [],
      ),
      ...asked(step),
      ...proofs[at]!.map((entry) => proofLine(entry, step, wide)),
    ].map((line) => ["", "", `- ${line}`]),
  ]);
  return textRows(rows, wide);
}

/**
 * The newest evidence of each command on a step, at its checkpoints: of runs that Taskfold made, and of what callers reported. Older
 * evidence stands below Evidence.
 */
function proofOf({ path }: StepRow, evidence: readonly Evidence[]): Evidence[] {
  const newest = new Map<string, Evidence>();
  for (const entry of evidence.toSorted((a, b) => (a.ts < b.ts ? -1 : 1)))
    for (const link of entry.linked)
      if (link.path === path)
        newest.set(JSON.stringify([entry.kind, entry.title, link.checkpoints, entry.degree === "claimed"]), entry);
  return [...newest.values()];
}

function proofLine(entry: Evidence, { path }: StepRow, wide: number | undefined): string {
  const { sources } = entry;
  const at = entry.linked.flatMap((link) => (link.path === path ? link.checkpoints : [])).join(", ");
  const isFailed = sources.some(({ exitCode = 0 }) => exitCode !== 0);
  const what = isFailed ? "failed run for" : entry.no_proof ? "no proof of" : "proof of";
  return `${what} ${at}: ${[...sourceTexts(entry), timeAndAge(entry.ts, wide)].join(", ")}: ${titleOf(entry)} (${entry.id})`;
}

function asked(step: StepRow): string[] {
  const mark = (checkpoint: string): string => (step.confirmed.includes(checkpoint) ? "confirmed" : "to confirm");
  const waits = step.waits_for ?? [];
  return [
    ...(step.blocked ? [`blocked${step.block_reason === null ? "" : `: ${step.block_reason}`}`] : []),
    ...(waits.length > 0 ? [`waits for ${waits.join(", ")}`] : []),
    ...step.success_criteria.map((text) => `criterion (${mark("criteria")}): ${text}`),
    ...step.tests.map((text) => `test (${mark("tests")}): ${text}`),
    ...step.blockers.map((text) => `blocker: ${text}`),
    ...(step.done || step.missing_checkpoints.length === 0 ? [] : [`missing: ${step.missing_checkpoints.join(", ")}`]),
    ...(step.missing_proofs.length === 0 ? [] : [`missing proof: ${step.missing_proofs.join(", ")}`]),
  ];
}

function noteRow({ ts, by, path, text }: Page["notes"][number], wide: number | undefined): string[] {
  return [timeText(ts, wide), `${by}${path === null ? "" : ` on ${path}`}`, text];
}

function leftOutText({ notes_left_out: out }: Page, program: string, wide: number | undefined): string {
  return out === undefined ? "" : sentences(`${notesLeftOut(out, program)}\n`, wide);
}

/** All that no step above shows. */
function evidenceLines({ evidence }: Page, shown: ReadonlySet<Evidence>, wide: number | undefined): string {
  const rows = evidence.flatMap((entry) => {
    if (shown.has(entry)) return [];
    const linked = entry.linked.map(({ path, checkpoints }) => `${path} ${checkpoints.join(",")}`).join("; ");
    return [[entry.id, sourceTexts(entry).join(", "), linked, titleOf(entry)]];
  });
  return columns(rows, wide);
}

function sourceTexts({ sources, degree }: Evidence): string[] {
  const [first] = sources.map(sourceText).filter((text) => text !== "");
  return [...(first === undefined ? [] : [first]), ...(degree === "claimed" ? [] : [degree])];
}

function titleOf({ title, stale, remarks = [] }: Evidence): string {
  const marks = [...(stale === undefined ? [] : ["stale"]), ...remarks];
  return marks.length === 0 ? title : `${title} (${marks.join("; ")})`;
}

function sourceText({ exitCode, path, startLine, endLine }: Page["evidence"][number]["sources"][number]): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return path === undefined ? "" : `${path}:${startLine}-${endLine}`;
}
