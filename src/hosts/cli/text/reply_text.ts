/** A reply for people: what happened on stdout, what to mind and what failed on stderr. */
import type { Reply } from "../../../engine/entity/reply.ts";
import type { Suggestion, Warning } from "../../../errors.ts";
import { LOST_WORK } from "../../../errors.ts";
import { messageParts } from "../../../message.ts";
import type { Wording } from "../../../message.ts";
import { remedy, toolName } from "../../../remedy.ts";
import type { Remediable } from "../../../remedy.ts";
import type { JsonObject } from "../../../index.ts";
import { everydayCommand, withCommands } from "../everyday_command.ts";
import type { Human, CliResult } from "../cli_result.ts";
import { exitOf } from "../cli_result.ts";
import { idsText, resultText } from "./result_text.ts";
import { sentences } from "./layout.ts";
import { timeAndAge } from "./times.ts";
import { safeJson, safeLine, safeText } from "./safe_text.ts";
import { shellQuote } from "../../../state/shell_quote.ts";
import type { Look } from "./look.ts";
import type { Session } from "../session.ts";

/** The reply of a call as what its command answers. */
export function outcomeOf(session: Session, { id }: { id: string | undefined }, reply: Reply): CliResult {
  return { exit: exitOf(reply), json: reply, human: () => replyText(reply, session, id) };
}

/** `bound` is the id this root is bound to: a suggested command need not repeat it. */
export function replyText(reply: Reply, look: Look, bound?: string): Human {
  if (reply.error) return { out: "", err: errorText(reply, look, bound) };
  const err = warningsText(warningsOf(reply), look);
  if (look.quiet) return { out: idsText(reply), err };
  return { out: resultText(reply, look) + nextText(reply, look, bound), err };
}

/** After the last step, the command by which a person says that the task is DONE. */
function nextText({ suggestions, intent }: Reply, look: Look, bound?: string): string {
  const completing = look.calls ? undefined : suggestions.find(({ tool }) => tool === "tasks_complete");
  return completing === undefined ? "" : `  ${look.colors.dim("next:")} ${command(completing, look, bound, intent)}\n`;
}

/** `CODE: message`, what to do about it, and commands that would work. */
export function errorText(reply: Reply, look: Look, bound?: string): string {
  const { error, warnings, suggestions } = reply;
  if (!error) return "";
  const { colors } = look;
  return [
    coded(error.code, colors.red, error, remedyText(error, look, reply.intent), look),
    ...suggestions.map((s) => `  ${colors.dim("try:")} ${command(s, look, bound, reply.intent)}\n`),
    warningsText(warnings, { ...look, quiet: false }),
  ].join("");
}

/** The warnings, and for a page that a person reads that it goes by the focus of another: beside JSON `target_from` says so (CLI-118). */
function warningsOf({ result, warnings }: Pick<Reply, "result" | "warnings">): readonly Warning[] {
  const isOwn = result?.["target_from"] !== "workspace_focus";
  return isOwn || warnings.some(({ code }) => code === "FOCUS_OF_OTHER") ? warnings : [...warnings, BY_OTHER];
}

const BY_OTHER: Warning = {
  code: "FOCUS_OF_OTHER",
  message: "The command names no plan or task, so it went by the focus that another actor set.",
  ...remedy`Name it, or set a focus of your own: ${toolName("tasks_focus_set")}.`,
};

/** Those that tell of lost work, where the look is quiet. */
export function warningsText(
  warnings: readonly Warning[],
  look: Pick<Look, "colors" | "errColumns" | "calls" | "quiet" | "commands" | "program" | "programIn">,
): string {
  return warnings
    .filter(({ code }) => !look.quiet || LOST_WORK.has(code))
    .map((one) => coded(`warning ${one.code}`, look.colors.yellow, one, remedyText(one, look), look))
    .join("");
}

function remedyText(
  from: Remediable,
  look: Pick<Look, "calls" | "commands" | "program" | "programIn">,
  intent = "",
): string | undefined {
  if (!from.recovery || look.calls) return from.recovery;
  return withCommands(look, from, intent);
}

/** `CODE: message`, and below it what to do; wrapped on a terminal, where the code has its colour. */
function coded(
  code: string,
  color: (text: string) => string,
  found: Wording,
  recovery: string | undefined,
  { errColumns }: Pick<Look, "errColumns">,
): string {
  const text = sentences(`${code}: ${safeText(messageText(found, errColumns))}\n`, errColumns);
  const more = recovery === undefined ? "" : sentences(`  ${safeText(recovery)}\n`, errColumns);
  return color(code) + text.slice(code.length) + more;
}

/** A message with its times as people read them here (CLI-271). */
export function messageText(from: Wording, wide: number | undefined): string {
  return messageParts(from)
    .map((part) => (typeof part === "string" ? part : timeAndAge(part.time, wide)))
    .join("");
}

/** A call as a command for the shell. */
export function command(
  { tool, args }: Suggestion,
  { program, calls, commands }: Look,
  bound?: string,
  intent = "",
): string {
  const { workspace, ...rest } = args;
  const shown = workspace === bound ? rest : args;
  const everyday = calls ? undefined : everydayCommand(commands(), tool, rest as JsonObject, intent);
  if (everyday !== undefined) return safeLine(`${program} ${everyday}`);
  return safeLine(`${program} call ${tool} ${shellQuote(safeJson(shown))}`);
}
