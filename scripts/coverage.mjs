// @ts-check
// The pure half of `npm run coverage:spec`: texts in, what covers what out. spec/README.md says what is read how.

/**
 * @typedef {{ path: string, text: string }} Text
 * @typedef {{ id: string, path: string, line: number, text: string, tests: string[] }} Rule
 * @typedef {{ where: string, text: string, rules: string[], line: number }} Requirement
 * @typedef {{ name: string, requirements: Requirement[] }} Table
 * @typedef {{ tables: Table[], rules: Rule[], regressions: string[], problems: string[] }} Coverage
 */

/** Files of spec/ that hold no rules of their own. */
const NO_RULES = ["spec/README.md", "spec/coverage.md"];

/** `LOG-7`. Zero-padded numbers are ids of entities (`TASK-001`), not rules. */
const RULE_ID = /[A-Z]{2,10}-[1-9]\d*/g;
/** A list item, heading, table row or bold start; a wrapped line that happens to begin with a number is no rule. */
const RULE_LINE = /^(?:(?:[-*] |#+ |\| *)[*`]*|\*\*)([A-Z]{2,10}-[1-9]\d*)\b[*`.:|]*\s*(.*)$/;
/** A string literal that begins with numbers in brackets: in a test file that is a title and nothing else. */
const TITLE =
  /(["'`])((?:\[(?:regression )?[A-Z]{2,10}-[1-9]\d*(?:, [A-Z]{2,10}-[1-9]\d*)*\] ?)+)((?:\\.|(?!\1)[^\\\n])*)\1/g;
/** The numbers of one pair of brackets. Those behind the word are faults that came once: no rule says them, and the tests keep them. */
const NUMBERS = /\[(regression )?([^\]]*)\]/g;

/**
 * The coverage of every rule and requirement, and everything that is missing.
 * @param {{ coverage: string, spec: Text[], tests: Text[] }} input
 * @returns {Coverage}
 */
export function coverage({ coverage: page, spec, tests }) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, Rule>} */
  const rules = new Map();
  for (const rule of spec.filter(({ path }) => !NO_RULES.includes(path)).flatMap(rulesOf)) {
    const first = rules.get(rule.id);
    if (first)
      problems.push(`${rule.path}:${rule.line}: ${rule.id} is given twice, first in ${first.path}:${first.line}`);
    else rules.set(rule.id, rule);
  }

  /** @type {Set<string>} */
  const regressions = new Set();
  for (const { path, text } of tests) {
    for (const [, , numbers = "", words] of text.matchAll(TITLE)) {
      const title = `${path}: ${numbers}${words}`;
      for (const [, regression, named = ""] of numbers.matchAll(NUMBERS)) {
        for (const id of named.match(RULE_ID) ?? []) {
          const rule = rules.get(id);
          if (regression && rule) problems.push(`${title}: ${id} is a rule`);
          else if (regression) regressions.add(id);
          else if (rule) rule.tests.push(title);
          else problems.push(`${title}: there is no rule ${id}`);
        }
      }
    }
  }

  const tables = tablesOf(page, problems);
  for (const { requirements } of tables) {
    for (const { rules: named, text, line } of requirements) {
      if (named.length === 0) problems.push(`spec/coverage.md:${line}: no rule answers "${text}"`);
      for (const id of named.filter((name) => !rules.has(name)))
        problems.push(`spec/coverage.md:${line}: there is no rule ${id}`);
    }
  }
  for (const rule of rules.values()) {
    if (rule.tests.length === 0) problems.push(`${rule.path}:${rule.line}: no test title quotes [${rule.id}]`);
  }
  return { tables, rules: [...rules.values()], regressions: [...regressions], problems };
}

/** @param {Text} file @returns {Rule[]} */
function rulesOf({ path, text }) {
  return text.split("\n").flatMap((line, at) => {
    const match = RULE_LINE.exec(line);
    return match ? [{ id: match[1] ?? "", path, line: at + 1, text: match[2] ?? "", tests: [] }] : [];
  });
}

/**
 * Every table whose head is `| where | requirement | rules |`, named after the heading above it.
 * @param {string} page @param {string[]} problems
 */
function tablesOf(page, problems) {
  /** @type {Table[]} */
  const tables = [];
  /** @type {Table | null} */
  let table = null;
  let heading = "";
  for (const [at, line] of page.split("\n").entries()) {
    if (line.startsWith("#")) heading = line.replace(/^#+\s*/, "");
    const cells = line.startsWith("|")
      ? line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim())
      : null;
    if (!cells) table = null;
    else if (cells.join() === "where,requirement,rules") tables.push((table = { name: heading, requirements: [] }));
    else if (table && !/^[-:]+$/.test(cells[0] ?? "")) {
      if (cells.length !== 3) problems.push(`spec/coverage.md:${at + 1}: expected 3 cells, found ${cells.length}`);
      const [where = "", text = "", named = ""] = cells;
      table.requirements.push({ where, text, rules: named.match(RULE_ID) ?? [], line: at + 1 });
    }
  }
  return tables;
}
