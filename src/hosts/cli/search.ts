/** `taskfold search`. */
import { unwrap } from "../../engine/entity/unwrap.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { wholeSearch } from "../../tools/tasks_search.ts";
import { counted } from "../../state/counted.ts";
import { columns } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { replyWith } from "./work.ts";
import { cutTo } from "./text/width.ts";

interface Found {
  id: string;
  title: string;
  status: string;
  deleted?: true;
  found: { where: string; text: string }[];
  more?: true;
}

/** As with grep, nothing found is exit code 1. */
export function search(
  session: Session,
  words: readonly string[],
  { archived }: { archived?: boolean },
): Promise<CliResult> {
  return reading(session, async (call) => {
    const reply = await call(wholeSearch, { text: words.join(" "), ...(archived ? { archived } : {}) });
    const result = unwrap(reply);
    const tasks = result["tasks"] as unknown as Found[];
    const elsewhere = archived ? 0 : (result["archived"] as number);
    const unsearched = session.colors.dim(notSearched(result["notes_not_searched"] as number, session));
    const outcome = replyWith(session, "search", result as JsonObject, reply.warnings, () =>
      tasks.length === 0 ? session.colors.dim(nothing(elsewhere)) + unsearched : textOf(tasks, session) + unsearched,
    );
    return { ...outcome, exit: tasks.length === 0 ? EXIT.refused : EXIT.ok };
  });
}

function nothing(archived: number): string {
  return archived === 0 ? "Nothing found.\n" : `Nothing found. ${archived} archived: --archived searches there.\n`;
}

function notSearched(notes: number, { program }: Session): string {
  return notes === 0
    ? ""
    : `Not searched: ${counted(notes, "earlier note")}; ${program} log ID --json has all of a task.\n`;
}

function textOf(tasks: readonly Found[], { colors, columns: wide, program }: Session): string {
  const cut = (line: string): string => (wide === undefined ? line : cutTo(line, wide));
  return tasks
    .map(({ id, status, deleted, title, found, more }) => {
      const head = cut(safeLine(`${id}  ${deleted ? "deleted" : status}  ${title}`));
      return `${colors.bold(head)}\n${columns(
        [
          ...found.map(({ where, text }) => [`  ${where}`, text]),
          ...(more ? [["  more", `${program} show ${id}`]] : []),
        ],
        wide,
      )}`;
    })
    .join("");
}
