/** `taskfold export`: every plan and task, or one plan with its tasks, for people, programs and spreadsheets. */
import { counted } from "../../state/counted.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { unwrap } from "../../engine/entity/unwrap.ts";
import type { Warning } from "../../errors.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { OF_MACHINE } from "../onboard/start_command.ts";
import { notesLeftOut } from "./text/notes_left_out.ts";
import { warningsText } from "./text/reply_text.ts";
import type { JsonObject } from "../../index.ts";
import { showTool } from "../../tools/command_line/show.ts";
import { csvLine } from "./text/csv.ts";
import { wholeContext } from "../../tools/tasks_context.ts";
import type { CliResult } from "./cli_result.ts";
import { newFile, writeNew } from "./new_file.ts";
import type { Page } from "./page.ts";
import { withProgress } from "./progress.ts";
import { reading } from "./read.ts";
import { safeJson, safeLine, safeText } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import { timeText } from "./text/times.ts";

export type ExportForm = "markdown" | "json" | "csv";

interface Options {
  plan: string | undefined;
  out: string | undefined;
}

type Entry = Pick<Page, "detail" | "notes" | "notes_left_out" | "claims"> & {
  target: Page["target"];
  steps: Page["step_list"];
};

export async function exportTasks(session: Session, form: ExportForm, { plan, out }: Options): Promise<CliResult> {
  const path = out === undefined ? undefined : newFile(session, out);
  const { workspace, entries, warnings } = await entriesOf(session, plan);
  const text = FORMS[form](workspace, entries);
  if (path !== undefined) {
    writeNew(path, text);
    session.changed();
  }
  const where = path === undefined ? {} : { file: out! };
  return {
    exit: EXIT.ok,
    json: okReply("export", { workspace, form, entries: entries as unknown as JsonObject[], ...where }, warnings, []),
    human: () => {
      const warningLines = warningsText(warnings, session);
      return path === undefined
        ? { out: text, err: warningLines }
        : { out: "", err: warningLines + writtenText(session, entries.length, out!) };
    },
  };
}

interface Exported {
  workspace: string;
  entries: Entry[];
  /** Of what is missing in it. */
  warnings: Warning[];
}

const FORMS: Record<ExportForm, (workspace: string, entries: readonly Entry[]) => string> = {
  markdown: (workspace, entries) => `# ${line(workspace)}\n${entries.map(markdownOf).join("")}`,
  json: (workspace, entries) => `${safeJson({ workspace, entries }, 2)}\n`,
  csv: (_workspace, entries) => csvLine(COLUMNS) + entries.map((entry) => csvLine(cellsOf(entry))).join(""),
};

/** Plans, each with its tasks behind it, then the tasks of no plan. */
async function entriesOf(session: Session, plan: string | undefined): Promise<Exported> {
  return reading(session, (call, reader) =>
    reader.fromOneLook(async () => {
      const whole = await call(wholeContext, {});
      const list = unwrap(whole) as unknown as {
        workspace: string;
        plans: Listed[];
        tasks: Listed[];
      };
      const under = (id: string): Listed[] => list.tasks.filter(({ parent }) => parent === id);
      const shown = new Set(list.plans.map(({ id }) => id));
      const free = list.tasks.filter(({ parent }) => parent === null || !shown.has(parent));
      const rows =
        plan === undefined
          ? [...byPlan(list.plans, list.tasks), ...free]
          : [{ id: plan, parent: null }, ...under(plan)];
      const entries = await withProgress(session, "export", async (progress) => {
        const collected: Entry[] = [];
        for (const [at, { id }] of rows.entries()) {
          progress(at, rows.length);
          const page = unwrap(await call(showTool, { target: id })) as unknown as Page;
          if (id === plan && page.target.kind !== "plan") throw notAPlan(id);
          collected.push(entryOf(page));
        }
        return collected;
      });
      // Others are about single logs, which the entries say themselves.
      const warnings = whole.warnings.filter(({ code }) => code === "NOT_CHECKED_OUT");
      return { workspace: list.workspace, entries, warnings };
    }),
  );
}

interface Listed {
  id: string;
  parent: string | null;
}

function byPlan(plans: readonly Listed[], tasks: readonly Listed[]): Listed[] {
  const below = new Map<string, Listed[]>(plans.map(({ id }) => [id, []]));
  for (const task of tasks) if (task.parent !== null) below.get(task.parent)?.push(task);
  return plans.flatMap((plan) => [plan, ...below.get(plan.id)!]);
}

function notAPlan(id: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected --plan to name a plan; ${id} is a task.`,
    remedy`${TASKFOLD} show ${id} prints one task.`,
  );
}

function entryOf({ target, detail, notes, notes_left_out: out, claims, step_list: steps }: Page): Entry {
  return { target, detail, notes, ...(out === undefined ? {} : { notes_left_out: out }), claims, steps };
}

function line(text: string): string {
  return safeLine(text).replace(/([\\`*_[\]<>#|])/g, "\\$1");
}

function markdownOf({ target, detail, notes, notes_left_out: out, steps, claims }: Entry): string {
  const level = target.kind === "plan" ? "##" : "###";
  const facts = [
    `Status: ${target.status}${detail.status_reason === null ? "" : ` (${line(detail.status_reason)})`}`,
    ...(target.parent === null ? [] : [`Plan: ${target.parent}`]),
    `Priority: ${line(detail.priority)}`,
    ...(detail.tags.length === 0 ? [] : [`Tags: ${detail.tags.map(line).join(", ")}`]),
    ...(detail.depends_on.length === 0 ? [] : [`Depends on: ${detail.depends_on.join(", ")}`]),
    ...claims.map(({ by, path }) => `Claimed by ${line(by)}${path === null ? "" : `: ${path}`}`),
  ];
  const depth = (path: string): string => "  ".repeat(path.split(".").length - 1);
  const parts = [
    facts.map((fact) => `- ${fact}`).join("\n"),
    quoted(detail.description),
    steps.map(({ path, title, done }) => `${depth(path)}- [${done ? "x" : " "}] ${line(title)}`).join("\n"),
    notes.map(({ ts, by, text }) => `${line(`${timeText(ts, undefined)} ${by}`)}:\n\n${quoted(text)}`).join("\n\n"),
    out === undefined ? "" : line(notesLeftOut(out, OF_MACHINE)),
  ];
  return `\n${level} ${target.id}: ${line(target.title)}\n\n${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Its own headings and lists are not those of the page. */
function quoted(text: string): string {
  if (text.trim() === "") return "";
  return safeText(text)
    .trimEnd()
    .split("\n")
    .map((one) => (one === "" ? ">" : `> ${one}`))
    .join("\n");
}

const COLUMNS = [
  "id",
  "kind",
  "plan",
  "title",
  "status",
  "priority",
  "tags",
  "depends_on",
  "steps",
  "steps_done",
  "claimed_by",
  "created_at",
  "created_by",
  "updated_at",
  "description",
];

function cellsOf({ target, detail, steps, claims }: Entry): string[] {
  return [
    target.id,
    target.kind,
    target.parent ?? "",
    safeLine(target.title),
    target.status,
    safeLine(detail.priority),
    safeLine(detail.tags.join("; ")),
    detail.depends_on.join("; "),
    String(steps.length),
    String(steps.filter(({ done }) => done).length),
    [...new Set(claims.map(({ by }) => by))].join("; "),
    detail.created_at,
    detail.created_by,
    detail.updated_at,
    safeText(detail.description),
  ];
}

function writtenText({ quiet }: Session, count: number, out: string): string {
  return quiet ? "" : `${safeLine(`${counted(count, "entry", "entries")} in ${out}.`)}\n`;
}
