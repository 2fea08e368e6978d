/** `taskfold search`. */
import { unwrap } from "../../engine/entity/unwrap.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { searchTool } from "../../tools/command_line/search.ts";
import { columns } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { told } from "./work.ts";
import { cutTo } from "./text/width.ts";

interface Found {
  id: string;
  title: string;
  status: string;
  deleted?: true;
  found: { where: string; text: string }[];
}

/** As with grep, nothing found is exit code 1. */
export function search(
  session: Session,
  words: readonly string[],
  { archived }: { archived?: boolean },
): Promise<CliResult> {
  return reading(session, async (call) => {
    const reply = await call(searchTool, { text: words.join(" "), ...(archived ? { archived } : {}) });
    const result = unwrap(reply);
    const tasks = result["tasks"] as unknown as Found[];
    const elsewhere = archived ? 0 : (result["archived"] as number);
    const outcome = told(session, "search", result as JsonObject, reply.warnings, () =>
      tasks.length === 0 ? session.colors.dim(nothing(elsewhere)) : textOf(tasks, session),
    );
    return { ...outcome, exit: tasks.length === 0 ? EXIT.refused : EXIT.ok };
  });
}

function nothing(archived: number): string {
  return archived === 0 ? "Nothing found.\n" : `Nothing found. ${archived} archived: --archived searches there.\n`;
}

function textOf(tasks: readonly Found[], { colors, columns: wide }: Session): string {
  const cut = (line: string): string => (wide === undefined ? line : cutTo(line, wide));
  return tasks
    .map(({ id, status, deleted, title, found }) => {
      const head = cut(safeLine(`${id}  ${deleted ? "deleted" : status}  ${title}`));
      return `${colors.bold(head)}\n${columns(
        found.map(({ where, text }) => [`  ${where}`, text]),
        wide,
      )}`;
    })
    .join("");
}
