/**
 * One line of the result. `better` says which way `must` and `aim` are meant; `told` is for people: what the ratio
 * was made of in this run.
 * @typedef {{ figure: number, name: string, unit: string, value: number, min: number, max: number, better: "higher" | "lower",
 *   must: number, aim: number, ok: boolean, reached_aim: boolean, told: string }} Row
 */

/** @param {Omit<Row, "ok" | "reached_aim" | "value" | "min" | "max"> & { spread: import("./measure.mjs").Spread }} row @returns {Row} */
export function row({ spread, ...rest }) {
  const [value, min, max] = [spread.median, spread.min, spread.max].map((n) => Number(n.toPrecision(3)));
  const reaches = (goal) => (rest.better === "higher" ? value >= goal : value <= goal);
  return { ...rest, value, min, max, ok: reaches(rest.must), reached_aim: reaches(rest.aim) };
}

const HEAD = ["#", "figure", "value", "range", "must", "aim", ""];

/** @param {Row} r */
function cells(r) {
  const sign = r.better === "higher" ? ">=" : "<=";
  const verdict = r.reached_aim ? "aim" : r.ok ? "ok" : "MISSED";
  return [
    `${r.figure}`,
    r.name,
    `${r.value} ${r.unit}`,
    `${r.min} to ${r.max}`,
    `${sign} ${r.must}`,
    `${sign} ${r.aim}`,
    verdict,
  ];
}

/** @param {Row[]} rows */
export function table(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join("  ")
      .trimEnd(),
  );
  return [text[0], ...rows.map((r, i) => `${text[i + 1]}\n    ${r.told}`)].join("\n");
}

/** @param {Row[]} rows */
export function markdown(rows) {
  const lines = [[...HEAD.slice(0, -1), "reached"], HEAD.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}
