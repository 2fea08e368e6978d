/** `taskfold search`. */
import { unwrap } from "../../engine/entity/unwrap.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { searchTool } from "../../tools/command_line/search.ts";
import { columns } from "./layout.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import { safeLine } from "./safe_text.ts";
import type { Session } from "./session.ts";
import { told } from "./work.ts";
import { cutTo } from "./width.ts";

interface Found {
  id: string;
  title: string;
  status: string;
  found: { where: string; text: string }[];
}

/** What is found nowhere is exit code 1, as with grep. */
export function search(session: Session, words: readonly string[]): Promise<CliResult> {
  return reading(session, async (call) => {
    const reply = await call(searchTool, { text: words.join(" ") });
    const result = unwrap(reply);
    const tasks = result["tasks"] as unknown as Found[];
    const outcome = told(session, "search", result as JsonObject, reply.warnings, () => textOf(tasks, session));
    return { ...outcome, exit: tasks.length === 0 ? EXIT.refused : EXIT.ok };
  });
}

function textOf(tasks: readonly Found[], { colors, columns: wide }: Session): string {
  const cut = (line: string): string => (wide === undefined ? line : cutTo(line, wide));
  return tasks
    .map(({ id, status, title, found }) => {
      const head = cut(safeLine(`${id}  ${status}  ${title}`));
      return `${colors.bold(head)}\n${columns(
        found.map(({ where, text }) => [`  ${where}`, text]),
        wide,
      )}`;
    })
    .join("");
}
