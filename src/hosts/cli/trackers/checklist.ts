/** Checklists in Markdown. */
export interface Box {
  indent: number;
  /** The sign between the brackets. */
  mark: string;
  text: string;
}

const BOX = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+(.*))?$/u;

export function boxIn(line: string): Box | undefined {
  const [, blanks, mark, text = ""] = BOX.exec(line) ?? [];
  if (blanks === undefined) return undefined;
  return { indent: blanks.replaceAll("\t", "    ").length, mark: mark!, text: text.trim() };
}

export function isChecked({ mark }: Box): boolean {
  return mark === "x" || mark === "X";
}

/** The lines of a list without its marks; text that is no list is one entry. */
export function listItems(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const items = lines.map((line) => /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?(.*)$/u.exec(line)?.[1]?.trim());
  return items.every((item) => item !== undefined) ? (items as string[]) : text.trim() === "" ? [] : [text.trim()];
}

/** Lines with a mark that tells whether they stand in fenced code. */
export function linesOf(text: string): { line: string; code: boolean }[] {
  let fence = "";
  return text.split("\n").map((line) => {
    const [, mark = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    const opens = fence === "" && mark !== "";
    const closes = fence !== "" && mark.startsWith(fence) && line.trim() === mark;
    const code = fence !== "" || opens;
    if (opens) fence = mark;
    else if (closes) fence = "";
    return { line, code };
  });
}
