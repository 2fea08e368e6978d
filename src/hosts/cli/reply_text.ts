/** A reply for people: what happened on stdout, what to mind and what failed on stderr. */
import type { Reply } from "../../engine/entity/reply.ts";
import type { Suggestion, Warning } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { everydayCommand, withCommands } from "./everyday_command.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import { idsText, resultText } from "./result_text.ts";
import { safeJson, safeLine, safeText } from "./safe_text.ts";
import { shellQuote } from "../../engine/core/shell_quote.ts";
import { shellForm } from "./shell_form.ts";
import type { Look } from "./look.ts";
import type { Colors, Session } from "./session.ts";

/** The reply of a call as what its command answers. */
export function outcomeOf(session: Session, { id }: { id: string | undefined }, reply: Reply): CliResult {
  return { exit: exitOf(reply), json: reply, human: () => replyText(reply, session, id) };
}

/** `bound` is the id this root is bound to: a suggested command need not repeat it. */
export function replyText(reply: Reply, look: Look, bound?: string): Human {
  if (reply.error) return { out: "", err: errorText(reply, look, bound) };
  if (look.quiet) return { out: idsText(reply), err: "" };
  return { out: resultText(reply, look), err: warningsText(reply.warnings, look.colors) };
}

/** `CODE: message`, what to do about it, and commands that would work. */
export function errorText(reply: Reply, look: Look, bound?: string): string {
  const { error, warnings, suggestions } = reply;
  if (!error) return "";
  const { colors } = look;
  return [
    `${colors.red(error.code)}: ${safeText(error.message)}\n`,
    error.recovery === undefined ? "" : `  ${safeText(look.calls ? error.recovery : withCommands(error.recovery))}\n`,
    ...suggestions.map((s) => `  ${colors.dim("try:")} ${command(s, look, bound, reply.intent)}\n`),
    warningsText(warnings, colors),
  ].join("");
}

export function warningsText(warnings: readonly Warning[], colors: Colors): string {
  return warnings
    .map(({ code, message, recovery }) => {
      const more = recovery === undefined ? "" : `\n  ${safeText(recovery)}`;
      return `${colors.yellow(`warning ${code}`)}: ${safeText(message)}${more}\n`;
    })
    .join("");
}

/** A call as a command for the shell. */
export function command({ tool, args }: Suggestion, { program, calls }: Look, bound?: string, intent = ""): string {
  const form = shellForm({ tool, args });
  if (form !== undefined) return safeLine(`${program} ${form}`);
  const { workspace, ...rest } = args;
  const shown = workspace === bound ? rest : args;
  const everyday = calls ? undefined : everydayCommand(tool, rest as JsonObject, intent);
  if (everyday !== undefined) return safeLine(`${program} ${everyday}`);
  return safeLine(`${program} call ${tool} ${shellQuote(safeJson(shown))}`);
}
