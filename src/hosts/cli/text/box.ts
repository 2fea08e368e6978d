/** Sentences in a box, as people see at a glance what was done. */
import { safeLine } from "./safe_text.ts";
import { padTo, widthOf, wrapTo } from "./width.ts";

/** At most `wide` cells; ends with a line feed. */
export function box(lines: readonly string[], wide: number): string {
  const room = Math.max(wide - 4, 16);
  const rows = lines.flatMap((line) => wrapTo(safeLine(line), room));
  const cells = Math.max(...rows.map(widthOf));
  const edge = "─".repeat(cells + 2);
  return [`╭${edge}╮`, ...rows.map((row) => `│ ${padTo(row, cells)} │`), `╰${edge}╯`, ""].join("\n");
}
