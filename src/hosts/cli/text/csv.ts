/** CSV after RFC 4180 that a spreadsheet takes as text: no cell is a formula. */
const QUOTED = /[",\r\n]/;
/** Signs that a spreadsheet takes for the beginning of a formula, also behind blanks. */
const FORMULA = /^\s*[=+\-@\t\r|%]/;

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const plain = FORMULA.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
