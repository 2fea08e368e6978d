/** `taskfold taskdoc`: the Taskdoc as agents get it, every text it ever had, and edits that a person made in its files. */
import type { AdoptEditsReport } from "../../engine/adoption/adopt_edits.ts";
import { okReply } from "../../engine/entity/reply.ts";
import type { EffectiveTaskdocOf, TaskdocHistoryPage } from "../../engine/query/taskdoc.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { focused } from "./log.ts";
import type { CliResult } from "./cli_result.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { safeLine, safeText } from "./text/safe_text.ts";
import type { Colors, Session } from "./session.ts";
import { changedLines } from "./text/text_diff.ts";
import { timeText } from "./text/times.ts";
import { counted } from "../../state/counted.ts";

interface ShowOptions {
  lang?: "en" | "zh";
  maxBytes?: number;
  at?: string;
}

export function show(
  session: Session,
  id: string | undefined,
  { lang, maxBytes, at }: ShowOptions,
): Promise<CliResult> {
  return onEntity(session, "taskdoc show", id, (workspace, named) => {
    const effective = workspace.taskdoc.render(named, {
      ...(lang === undefined ? {} : { language: lang }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(at === undefined ? {} : { at: /^[0-9]{1,15}$/.test(at) ? Number(at) : at }),
    });
    return { answer: effective, out: () => `${safeText(effective.text)}\n`, err: violationsText(effective) };
  });
}

interface HistoryOptions {
  section?: string;
  limit?: number;
  before?: number;
}

export function history(session: Session, id: string | undefined, options: HistoryOptions): Promise<CliResult> {
  const { section, ...paging } = options;
  return onEntity(session, "taskdoc history", id, (workspace, named) => {
    const page = workspace.taskdoc.history(named, { ...namesOf(section), ...paging });
    return { answer: page, out: () => historyText(page, session), err: "" };
  });
}

export function adoptEdits(session: Session, id: string, options: { dryRun?: boolean }): Promise<CliResult> {
  return session.within(async (workspace) => {
    const { warnings, ...report } = await workspace.taskdoc.adoptEdits(id, options);
    return {
      exit: EXIT.ok,
      json: okReply("taskdoc adopt-edits", plain(report), warnings, []),
      human: () => ({
        out: editsText(report, options.dryRun === true, session),
        err: warningsText(warnings, session),
      }),
    };
  });
}

interface Warned {
  warnings: Warning[];
}

function onEntity(
  session: Session,
  intent: string,
  id: string | undefined,
  look: (workspace: Workspace, id: string) => { answer: Warned; out: () => string; err: string },
): Promise<CliResult> {
  return session.within(async (workspace) => {
    const named = id ?? (await focused(session, workspace));
    if (typeof named !== "string") return outcomeOf(session, workspace, named);
    const { answer, out, err } = look(workspace, named);
    const { warnings, ...result } = answer;
    return {
      exit: EXIT.ok,
      json: okReply(intent, plain(result), warnings, []),
      human: () => ({ out: out(), err: `${warningsText(warnings, session)}${err}` }),
    };
  });
}

/** `ux/checklist` and `goals`, as messages name sections. */
function namesOf(section: string | undefined): { selector?: string; category?: string } {
  if (section === undefined) return {};
  const slash = section.indexOf("/");
  return slash < 0 ? { selector: section } : { category: section.slice(0, slash), selector: section.slice(slash + 1) };
}

function violationsText({ violations }: EffectiveTaskdocOf): string {
  return violations.map(({ kind, path, message }) => `${safeLine(`${kind} ${path}: ${message}`)}\n`).join("");
}

function historyText(
  { id, changes, next_before: next }: TaskdocHistoryPage,
  { colors, program, columns: wide }: Session,
): string {
  const texts = changes.map((change) => {
    const { revision, ts, by, path, bytes, sha256, current, content } = change;
    const extent = content === "" ? "cleared" : `${counted(bytes, "byte")}, sha256 ${sha256}`;
    const head = `revision ${revision}  ${timeText(ts, wide)}  ${by}  ${path}: ${extent}${current ? " (in effect)" : ""}`;
    return `${colors.bold(safeLine(head))}\n${indented(content)}`;
  });
  const rest = next === null ? "" : colors.dim(`earlier: ${program} taskdoc history ${id} --before ${next}\n`);
  return `${texts.join("\n")}${rest}`;
}

function editsText(
  { id, changed, edits, left }: Omit<AdoptEditsReport, "warnings">,
  dryRun: boolean,
  { colors }: Session,
): string {
  const shown = edits.map(
    ({ path, before, after }) => `${colors.bold(safeLine(path))}\n${diffText(before, after, colors)}`,
  );
  const rest = left.map(({ path, reason }) => `${safeLine(`left ${path}: ${reason}`)}\n`);
  const sum = changed
    ? `${id}: ${counted(edits.length, "edit")} ${dryRun ? "would be taken in" : "taken in"}.\n`
    : `${id}: no edit to take in.\n`;
  return [...shown, ...rest, sum].join("");
}

function diffText(before: string, after: string, colors: Colors): string {
  const { at, removed, added } = changedLines(before, after);
  return [
    colors.dim(`@@ line ${at} @@\n`),
    ...removed.map((line) => colors.red(`-${safeLine(line)}`) + "\n"),
    ...added.map((line) => colors.green(`+${safeLine(line)}`) + "\n"),
  ].join("");
}

export function indented(text: string): string {
  if (text === "") return "";
  return safeText(text)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("");
}

/** Plain JSON, for types that lack the signature which says so. */
export function plain(value: object): JsonObject {
  return { ...value } as JsonObject;
}
