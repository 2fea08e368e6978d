/** `taskfold show`: one page about a plan or task. */
import { showTool } from "../../tools/command_line/show.ts";
import type { Block } from "./text/layout.ts";
import { blocks, columns, heading, sentences, textRows } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Page, StepRow } from "./page.ts";
import { reading } from "./read.ts";
import { notesLeftOut } from "./text/notes_left_out.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";

export function show(session: Session, id: string | undefined): Promise<CliResult> {
  return reading(
    session,
    async (call, workspace) => {
      const reply = await call(showTool, id === undefined ? {} : { target: id });
      if (reply.result === null || session.quiet) return outcomeOf(session, workspace, reply);
      const page = reply.result as unknown as Page;
      const human = () => ({ out: pageText(page, session), err: warningsText(reply.warnings, session) });
      return { exit: exitOf(reply), json: reply, human };
    },
    showTool,
  );
}

type Look = Pick<Session, "colors" | "columns">;

function pageText(page: Page, look: Look): string {
  const { target, detail, focus } = page;
  const { colors, columns: wide } = look;
  const marks = [target.kind, target.status, ...(focus === target.id ? ["has the focus"] : [])].join(", ");
  const head = heading(target.id, target.title, marks, colors, wide);
  const labelled = (label: string, text: string | readonly string[] | null): Block[] =>
    text === null || text.length === 0 ? [] : [[label, text]];
  const reason = detail.status_reason === null ? "" : `: ${detail.status_reason}`;
  const facts: Block[] = [
    ...labelled("Status", reason === "" ? "" : target.status + reason),
    ...labelled("Plan", target.parent),
    ...labelled("Priority", detail.priority === "MEDIUM" ? "" : detail.priority),
    ...labelled("Tags", detail.tags.join(", ")),
    ...labelled("Depends on", detail.depends_on.join(", ")),
    ...labelled("About", detail.description),
    ...labelled("Context", detail.context),
    ...labelled("Contract", detail.contract),
    ...labelled("Claims", page.claims.map(claimLine)),
    ...labelled("Blockers", page.radar.blockers),
    ...labelled("Next", page.radar.next),
    ...labelled("Created", `${detail.created_at} by ${detail.created_by}, revision ${target.revision}`),
  ];
  const parts = [
    section("Tasks", taskLines(page, wide), look),
    section("Steps", stepLines(page.step_list, wide), look),
    section("Notes", textRows(page.notes.map(noteRow), wide) + leftOutText(page, wide), look),
    section("Evidence", evidenceLines(page, wide), look),
  ];
  return `${head}\n${blocks(facts, colors, wide)}${parts.join("")}`;
}

function section(title: string, text: string, { colors }: Look): string {
  return text === "" ? "" : `\n${colors.bold(title)}\n${text}`;
}

function claimLine({ path, by, expires_at }: Page["claims"][number]): string {
  return `${path ?? "the whole"} by ${by} until ${expires_at}`;
}

function taskLines({ tasks = [] }: Page, wide: number | undefined): string {
  return columns(
    tasks.map(({ id, status, steps, title }) => [id, status, `${steps.completed}/${steps.total} steps`, title]),
    wide,
  );
}

/** A step on a line, what it still asks for below it. */
function stepLines(steps: readonly StepRow[], wide: number | undefined): string {
  const rows = steps.flatMap((step) => [
    [step.path, step.done ? "[x]" : step.blocked ? "[!]" : "[ ]", step.title],
    ...asked(step).map((line) => ["", "", `  ${line}`]),
  ]);
  return columns(rows, wide);
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

function noteRow({ ts, by, path, text }: Page["notes"][number]): string[] {
  return [ts, `${by}${path === null ? "" : ` on ${path}`}`, text];
}

function leftOutText({ notes_left_out: out }: Page, wide: number | undefined): string {
  return out === undefined ? "" : sentences(`${notesLeftOut(out)}\n`, wide);
}

function evidenceLines({ evidence }: Page, wide: number | undefined): string {
  const rows = evidence.map(({ id, title, sources, linked, degree, stale, remarks = [] }) => {
    const said = [...(stale === undefined ? [] : ["stale"]), ...remarks];
    return [
      id,
      [
        ...sources
          .map(sourceText)
          .filter((text) => text !== "")
          .slice(0, 1),
        ...(degree === "claimed" ? [] : [degree]),
      ].join(", "),
      linked.map(({ path, checkpoints }) => `${path} ${checkpoints.join(",")}`).join("; "),
      said.length === 0 ? title : `${title} (${said.join("; ")})`,
    ];
  });
  return columns(rows, wide);
}

function sourceText({ exitCode, path, startLine, endLine }: Page["evidence"][number]["sources"][number]): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return path === undefined ? "" : `${path}:${startLine}-${endLine}`;
}
