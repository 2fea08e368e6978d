/** Laying text out for people: labelled blocks and columns. Everything that goes in is made safe here. */
import { safeLine, safeText } from "./safe_text.ts";
import type { Colors } from "../session.ts";
import { cutTo, padTo, widthOf, wrapTo } from "./width.ts";

/** A label and its lines; a label without lines says `none`. */
export type Block = readonly [label: string, lines: string | readonly string[]];

/**
 * Labels on the left, text beside them, further lines below it; several lines of one label are a list. On a terminal of `wide` cells lines
 * wrap.
 */
export function blocks(list: readonly Block[], colors: Colors, wide?: number): string {
  const width = Math.max(...list.map(([label]) => label.length)) + 2;
  const indent = " ".repeat(width);
  const show = ([label, content]: Block): string => {
    const items = typeof content === "string" ? [content] : content;
    const bullet = typeof content === "string" ? "" : "- ";
    const body =
      items.length === 0 || content === ""
        ? [colors.dim("none")]
        : items.map((item) => itemText(item, bullet, indent, wide));
    return `${colors.bold(label.padEnd(width))}${body.join(`\n${indent}`)}\n`;
  };
  return list.map(show).join("");
}

function itemText(text: string, bullet: string, indent: string, wide: number | undefined): string {
  const under = `\n${indent}${" ".repeat(bullet.length)}`;
  const lines = safeText(text).trimEnd().split("\n");
  const room = wide === undefined ? undefined : Math.max(wide - indent.length - bullet.length, LEAST);
  return bullet + (room === undefined ? lines : lines.flatMap((line) => wrapTo(line, room))).join(under);
}

/** The first line of a page. On a terminal where it does not fit, its title wraps and the marks stand below. */
export function heading(id: string, title: string, marks: string, colors: Colors, wide?: number): string {
  const [name, text, suffix] = [safeLine(id), safeLine(title), `(${safeLine(marks)})`];
  if (wide === undefined || widthOf(`${name}  ${text}  ${suffix}`) <= wide)
    return `${colors.bold(name)}  ${text}  ${colors.dim(suffix)}\n`;
  const indent = " ".repeat(widthOf(name) + 2);
  const lines = wrapTo(text, Math.max(wide - indent.length, LEAST)).join(`\n${indent}`);
  return `${colors.bold(name)}  ${lines}\n${indent}${colors.dim(suffix)}\n`;
}

/** A narrower terminal is not worth a column beside the labels. */
const LEAST = 20;

/** Rows of cells under each other. The last cell of a row may be of any length. A terminal of `wide` cells cuts it. */
export function columns(rows: readonly (readonly string[])[], wide?: number): string {
  const safe = rows.map((row) => row.map(safeLine));
  const widths: number[] = [];
  for (const row of safe)
    for (let i = 0; i < row.length - 1; i++) widths[i] = Math.max(widths[i] ?? 0, widthOf(row[i]!));
  return safe.map((row) => `${wide === undefined ? line(row, widths) : cutTo(line(row, widths), wide)}\n`).join("");
}

/**
 * Rows whose last cell is a sentence, which is never cut. On a terminal of `wide` cells it wraps in its column, or below its
 * row where the column would be narrow.
 */
export function textRows(rows: readonly (readonly string[])[], wide?: number): string {
  if (wide === undefined) return columns(rows);
  const heads = columns(rows.map((row) => [...row.slice(0, -1), "|"])).split("\n");
  const before = Math.max(0, ...heads.map((head) => widthOf(head) - 1));
  return rows
    .map((row, i) => {
      const head = heads[i]!.slice(0, -1);
      const isBeside = wide - before >= SENTENCE;
      const indent = isBeside ? before : INDENT;
      const lines = wrapTo(safeLine(row.at(-1) ?? ""), Math.max(wide - indent, LEAST));
      const wrapped = lines.join(`\n${" ".repeat(indent)}`);
      return isBeside ? `${head}${wrapped}\n` : `${cutTo(head.trimEnd(), wide)}\n${" ".repeat(INDENT)}${wrapped}\n`;
    })
    .join("");
}

/**
 * Wraps each line on a terminal of `wide` cells, and indents what goes on below its beginning. Commands to copy do not come here: a shell
 * would run a wrapped one by its lines.
 */
export function sentences(text: string, wide?: number): string {
  if (wide === undefined) return text;
  return text
    .split("\n")
    .map((line) => wrapped(line, wide))
    .join("\n");
}

function wrapped(line: string, wide: number): string {
  if (widthOf(line) <= wide) return line;
  const trimmed = line.trimStart();
  const indent = line.length - trimmed.length;
  const [first = "", ...words] = wrapTo(trimmed, Math.max(wide - indent, LEAST));
  if (words.length === 0) return line;
  const rest = wrapTo(words.join(" "), Math.max(wide - indent - HANGING, LEAST));
  const below = `\n${" ".repeat(indent + HANGING)}`;
  return [" ".repeat(indent) + first, ...rest].join(below);
}

/** The same without an indent. */
export function paragraph(text: string, wide?: number): string {
  return wide === undefined ? text : wrapTo(text, Math.max(wide, LEAST)).join("\n");
}

const HANGING = 4;

/** Narrower than this no sentence is read well. */
const SENTENCE = 40;
const INDENT = 2;

function line(row: readonly string[], widths: readonly number[]): string {
  let text = "";
  for (let i = 0; i < row.length - 1; i++) text += `${padTo(row[i]!, widths[i]!)}  `;
  return (text + (row.at(-1) ?? "")).trimEnd();
}
