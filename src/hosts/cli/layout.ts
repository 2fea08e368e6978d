/** Laying text out for people: labelled blocks and columns. Everything that goes in is made safe here. */
import { safeLine, safeText } from "./safe_text.ts";
import type { Colors } from "./session.ts";

/** A label and its lines; a label without lines says `none`. */
export type Block = readonly [label: string, lines: string | readonly string[]];

/** Labels on the left, text beside them, further lines below it; several lines of one label are a list. */
export function blocks(list: readonly Block[], colors: Colors): string {
  const width = Math.max(...list.map(([label]) => label.length)) + 2;
  const indent = " ".repeat(width);
  const show = ([label, said]: Block): string => {
    const items = typeof said === "string" ? [said] : said;
    const bullet = typeof said === "string" ? "" : "- ";
    const body =
      items.length === 0 || said === "" ? [colors.dim("none")] : items.map((item) => itemText(item, bullet, indent));
    return `${colors.bold(label.padEnd(width))}${body.join(`\n${indent}`)}\n`;
  };
  return list.map(show).join("");
}

function itemText(text: string, bullet: string, indent: string): string {
  const under = `\n${indent}${" ".repeat(bullet.length)}`;
  return bullet + safeText(text).trimEnd().split("\n").join(under);
}

/** Rows of cells under each other; the last cell of a row may be of any length. */
export function columns(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(safeLine));
  const widths: number[] = [];
  for (const row of safe) for (let i = 0; i < row.length - 1; i++) widths[i] = Math.max(widths[i] ?? 0, row[i]!.length);
  return safe.map((row) => `${line(row, widths)}\n`).join("");
}

function line(row: readonly string[], widths: readonly number[]): string {
  let text = "";
  for (let i = 0; i < row.length - 1; i++) text += `${row[i]!.padEnd(widths[i]!)}  `;
  return (text + (row.at(-1) ?? "")).trimEnd();
}
