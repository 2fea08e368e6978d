/** Checklists in Markdown. */
export interface Box {
  indent: number;
  /** The sign between the brackets. */
  mark: string;
  text: string;
}

const BOX = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+(.*))?$/u;
/** The beginnings of lines that end a paragraph: of a list, a quotation, a heading, code, a table. */
const BLOCK = /^ {0,3}(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|>|#{1,6}(?:\s|$)|```|~~~|\||(?:[-*_][ \t]*){3,}$|<)/;

export function boxIn(line: string): Box | undefined {
  const [, blanks, mark, text = ""] = BOX.exec(line) ?? [];
  if (blanks === undefined) return undefined;
  return { indent: widthOf(blanks), mark: mark!, text: text.trim() };
}

export function isChecked({ mark }: Box): boolean {
  return mark === "x" || mark === "X";
}

/** How far a line is from the left, with tabs of four. */
export function indentOf(line: string): number {
  return widthOf(/^[ \t]*/.exec(line)![0]);
}

function widthOf(blanks: string): number {
  return blanks.replaceAll("\t", "    ").length;
}

/** The line without so many blanks of its beginning, and without those of its end. */
export function dedent(line: string, most: number): string {
  const blanks = /^[ \t]*/.exec(line)![0];
  return `${" ".repeat(Math.max(0, widthOf(blanks) - most))}${line.slice(blanks.length)}`.trimEnd();
}

/** Whether a line goes on with the paragraph above it, though it begins at the left. */
export function isLazy(line: string): boolean {
  return line.trim() !== "" && !BLOCK.test(line);
}

/** The boxes of a text, each with the lines that go on with it, and the other lines. */
export function boxesIn(text: string): { boxes: Box[]; rest: string } {
  const boxes: Box[] = [];
  const rest: string[] = [];
  let box: Box | undefined;
  let isParagraph = false;
  for (const { line, code } of linesOf(text)) {
    const next = code ? undefined : boxIn(line);
    if (next && next.text !== "") boxes.push((box = next));
    else if (box && (indentOf(line) > box.indent || (isParagraph && !code && isLazy(line))) && line.trim() !== "")
      box.text += `\n${dedent(line, box.indent + 2)}`;
    else {
      if (line.trim() !== "") box = undefined;
      if (!box) rest.push(line);
    }
    isParagraph = line.trim() !== "" && !code;
  }
  return { boxes, rest: rest.join("\n").trim() };
}

/** The lines of a list without its marks; text that is no list is one entry. */
export function listItems(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const found = lines.map((line) => /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(?:\[.\]\s+)?(.*)$/u.exec(line));
  // A number that does not count the lines says something of its own.
  const isList = found.every((item, at) => item && (item[1] === undefined || Number(item[1]) === at + 1));
  return isList ? found.map((item) => item![2]!.trim()) : trimmedText(text);
}

function trimmedText(text: string): string[] {
  return text.trim() === "" ? [] : [text.trim()];
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
