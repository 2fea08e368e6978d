// @ts-check
/** @import { Printed } from "./program.mjs" */
/** A comment of GitHub has at most 65,536 characters. */
const MOST = 60_000;
const MAX_FINDINGS = 30;
/** By this the comment is found again. */
export const MARKER = "<!-- taskfold -->";

/**
 * The comment and the job summary. Texts of users come as code spans, from `taskfold diff --markdown` and from `code`.
 * @param {{ verified: Printed, markdown: string, pushed: boolean, proved?: import("./prove.mjs").Proved | null }} of
 */
export function report({ verified, markdown, pushed, proved = null }) {
  const findings = (verified.findings ?? []).filter(({ info }) => !info);
  const all = sections(markdown);
  // The sum of all changes stands before findings.
  const tasks = all.findIndex((one) => one.startsWith("#### "));
  const [sum, changes] = tasks < 0 ? [all, []] : [all.slice(0, tasks), all.slice(tasks)];
  const head = [
    MARKER,
    "### Taskfold",
    "",
    ...sum.flatMap((one) => [one.trim(), ""]),
    `${counted(findings.length, "finding", "findings")} of \`verify\`.`,
    ...(pushed ? ["", "Logs were joined and folded files written anew; that was pushed to this branch."] : []),
    ...(verified.error === undefined
      ? []
      : ["", `\`verify\` was refused: ${code(verified.error.message)} ${code(verified.error.recovery ?? "")}`]),
  ];
  const list = findings
    .slice(0, MAX_FINDINGS)
    .map(({ code: name, file, message }) => `- ${code(name)} ${code(file)}: ${code(message)}`);
  if (findings.length > MAX_FINDINGS)
    list.push(`- ${findings.length - MAX_FINDINGS} more; \`taskfold verify\` names them.`);
  const parts = [
    head.join("\n"),
    ...(list.length === 0 ? [] : [`#### Findings\n\n${list.join("\n")}`]),
    ...(proved === null ? [] : [`#### Declared tests\n\n${provedLines(proved).join("\n")}`]),
    ...changes,
  ];
  return fitted(parts);
}

/** @param {import("./prove.mjs").Proved} proved */
function provedLines({ commands = [], refused = [], error }) {
  const lines = commands.slice(0, MAX_FINDINGS).map(({ command, exit_code, degree, steps }) => {
    const how = exit_code === 0 ? "passed" : `failed with exit code ${exit_code}`;
    const places = steps.slice(0, 5).map(({ task, path }) => code(`${task} ${path}`));
    return `- ${code(command)} ${how} (${code(degree)}): ${places.join(", ")}`;
  });
  if (commands.length > lines.length)
    lines.push(`- ${commands.length - lines.length} more; \`taskfold prove\` names them.`);
  if (error !== undefined) lines.push(`- \`prove\` was refused: ${code(error.message)}`);
  lines.push(...refused.slice(0, MAX_FINDINGS).map((one) => `- ${code(one)}`));
  return lines.length === 0 ? ["None of the changed tasks declares a test."] : lines;
}

/** One for each task: a cut between them leaves no span open. @param {string} markdown */
function sections(markdown) {
  return markdown.trim() === "" ? [] : markdown.trim().split(/\n(?=#### )/);
}

/** A part that is too long hides no other. @param {string[]} parts */
function fitted(parts) {
  let text = "";
  let left = 0;
  for (const part of parts) {
    const next = `${text}${text === "" ? "" : "\n\n"}${part.trim()}`;
    if (next.length > MOST) left++;
    else text = next;
  }
  return left === 0
    ? text
    : `${text}\n\n${counted(left, "more section is", "more sections are")} left out; \`taskfold diff\` has all of them.`;
}

/** @param {number} n @param {string} one @param {string} many */
function counted(n, one, many) {
  return `${n} ${n === 1 ? one : many}`;
}

/** As in the command line, which the action starts and does not import. A code span holds no Markdown, HTML, mention or reference; its fence is longer than any run of backticks in it. @param {string} text */
export function code(text) {
  const line = text.replaceAll(/\s+/g, " ").trim().slice(0, 500);
  if (line === "") return "";
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
