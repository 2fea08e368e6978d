// @ts-check
/**
 * The lint of the project's English: words, openings and lengths of sentences that a reader has to read twice.
 * It reads Markdown pages, and the comments and texts of TypeScript files.
 * @typedef {"word" | "coined" | "clause" | "long" | "comment"} Kind
 * @typedef {{ path: string, line: number, kind: Kind, sentence: string, start: number, end: number }} Finding
 * @typedef {{ start: number, end: number, masked: string, text?: boolean }} Block a run of prose; `masked` has the length of the text,
 *   and `text` marks a text of a program
 * What the lint reads of a syntax tree:
 * @typedef {{ type: string, start: number, end: number, value?: unknown, operator?: string, source?: unknown, left?: Node, right?: Node,
 *   quasis?: Node[] }} Node
 */
import { parseSync } from "rolldown/utils";

/** Words that a sentence may have. */
const MAX_WORDS = 25;

/** Lines of prose that a comment may have, unless it is a doc comment. */
const MAX_LINES = 2;

/** Pronouns that stand where a noun belongs: caller, process, writer, reader, agent. */
const PRONOUNS = /\b(somebody|nobody|anybody|everybody|whoever)\b/i;

/** Words of this project alone, each with the word of the field that the glossary has for it. */
const COINED = /\b(settl(e|es|ed|ing)|mend(s|ed|ing)?|heal(s|ed|ing)?|misfits?|robbed)\b/i;

/** A clause that stands where the subject of a sentence belongs. Questions, headings, cells and labels may begin so. */
const CLAUSE =
  /^(?:(?:What|Who|Whoever|Whatever|Whichever)\b(?![^.!]*\?$)|(?:what|who|whoever|whatever|whichever)\b.*[.!]$)/;

/** A name in lower case, such as git, may begin a sentence. */
const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?][)"'”]*(?=\s|$)/g;

/** A word of prose; code such as `step_id:STEP` and `items*` is none. */
const PROSE_WORD = /^["'“‘([]*[\p{L}\p{N}][\p{L}\p{N}'’-]*["'”’)\]]*[.,;:!?…]*["'”’)]*$/u;

/** Words of a label. */
const MAX_LABEL = 6;

/** Options that a sentence may name; a text with more of them is a command. */
const MAX_OPTIONS = 4;

/** Comments that speak to a program. */
const DIRECTIVE = /^(@ts-|oxlint-|eslint-|<reference|#__|prettier-|v8 ignore|istanbul)/;

/** The same length of another text, so that places in it stay. @param {string} text @param {string} filler */
const fill = (text, filler) => text.replace(/[^\n]/g, filler);

/** What is wrong with the prose of a file. @param {string} path @param {string} text @returns {Finding[]} */
export function englishFindings(path, text) {
  const { blocks, found } = path.endsWith(".md") ? { blocks: pageBlocks(text), found: [] } : sourceBlocks(path, text);
  for (const block of blocks) found.push(...blockFindings(path, text, block));
  return found.toSorted((a, b) => a.start - b.start);
}

/** The number of the line that holds a place of the text. @param {string} text @param {number} place */
function lineAt(text, place) {
  return text.slice(0, place).split("\n").length;
}

/** One finding, as a person reads it. @param {Finding} finding */
export function findingLine({ path, line, kind, sentence }) {
  return `${path}:${line}: ${kind}: ${sentence}`;
}

/** @param {string} path @param {string} text @param {Block} block @returns {Finding[]} */
function blockFindings(path, text, block) {
  const heading = text.startsWith("#", block.start) || isLabel(block);
  return sentences(block).flatMap(({ start, end, masked }) => {
    const found = kinds(masked, heading);
    if (found.length === 0) return [];
    const sentence = text.slice(start, end).replace(/\s+/g, " ");
    const line = lineAt(text, start);
    return found.map((kind) => ({ path, line, kind, sentence, start, end }));
  });
}

/** Whether a text is a label, such as "What it did": a few words without an end. @param {Block} block */
function isLabel({ text, masked }) {
  return text === true && !/[.!?:;]/.test(masked) && wordsOf(masked) <= MAX_LABEL;
}

/** @param {string} masked @param {boolean} heading @returns {Kind[]} */
function kinds(masked, heading) {
  const flat = masked.replace(/\s+/g, " ");
  /** @type {Kind[]} */
  const found = [];
  if (PRONOUNS.test(flat)) found.push("word");
  if (COINED.test(flat)) found.push("coined");
  if (!heading && flat.split("; ").some((part) => CLAUSE.test(part))) found.push("clause");
  if (wordsOf(flat) > MAX_WORDS) found.push("long");
  return found;
}

/** Words of a sentence. References in brackets, such as (LOG-7) and (ARCHIVED), are none. @param {string} flat */
function wordsOf(flat) {
  const bare = flat.replace(/\([A-Z][A-Z_]+(?:-\d+)?(?:(?:,| and| or| to) [A-Z][A-Z_]+(?:-\d+)?)*\)/g, " ");
  return bare.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** @param {Block} block @returns {Block[]} */
function sentences({ start, masked }) {
  /** @type {Block[]} */
  const found = [];
  let from = 0;
  const take = (/** @type {number} */ to) => {
    const piece = masked.slice(from, to);
    const trimmed = piece.trim();
    const at = start + from + piece.indexOf(trimmed);
    if (/\p{L}/u.test(trimmed)) found.push({ start: at, end: at + trimmed.length, masked: trimmed });
    from = to;
  };
  for (const match of masked.matchAll(SENTENCE_END)) take(match.index + match[0].length);
  take(masked.length);
  return found;
}

/** The prose of a Markdown page: paragraphs, list items, headings and cells; no code. @param {string} text @returns {Block[]} */
function pageBlocks(text) {
  const bare = text
    .replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, (code) => fill(code, " "))
    .replace(/<!--[\s\S]*?-->/g, (comment) => fill(comment, " "))
    .replace(/^\|[ :|-]+$/gm, (rule) => fill(rule, " "));
  const masked = maskInline(bare)
    .replace(/^[ \t]*(?:[-*+]|\d+\.) +/gm, (label) => fill(label, " "))
    .replace(/^> ?/gm, (mark) => fill(mark, " "));
  /** @type {Block[]} */
  const blocks = [];
  // A block ends at an empty line, before a list item, a heading or a row, and between cells.
  const borders = /\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+]|\d+\.) )|\n(?=#)|(?<=^#[^\n]*)\n|\||\n(?=\|)/gm;
  let from = 0;
  const take = (/** @type {number} */ to) => {
    const piece = masked.slice(from, to).replace(/^#+/, (mark) => fill(mark, " "));
    if (piece.trim() !== "") blocks.push({ start: from, end: to, masked: piece });
  };
  // Borders are looked for in the text with its markers, blocks are cut from the text without them.
  for (const match of maskInline(bare).matchAll(borders)) {
    take(match.index);
    from = match.index + match[0].length;
  }
  take(masked.length);
  return blocks;
}

/** Code, links and emphasis, each as long as before; a code span is one word. @param {string} text */
function maskInline(text) {
  return text
    .replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, (code) => (code.includes("\n\n") ? code : code.replace(/[^\n]|\n/g, "X")))
    .replace(/\]\([^)\s]*\)/g, (link) => fill(link, " "))
    .replace(/[\w./-]+\.(?:md|mjs|ts|json|yaml|sh)\b/g, (name) => fill(name, "X"))
    .replace(/!?\[/g, (mark) => fill(mark, " "))
    .replace(/<\/?[a-z][^>]*>/g, (tag) => fill(tag, " "))
    .replace(/\*\*([A-Z]+-\d+)\*\*/g, (label) => fill(label, " "))
    .replace(/\*+/g, (mark) => fill(mark, " "));
}

/** Comments and texts of a TypeScript file. @param {string} path @param {string} text @returns {{ blocks: Block[], found: Finding[] }} */
function sourceBlocks(path, text) {
  const { program, comments, errors } = parseSync(path, text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" });
  if (errors[0]) throw new Error(`expected TypeScript in ${path}, found: ${errors[0].message}`);
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Finding[]} */
  const found = [];
  for (const comment of commentsOf(comments, text)) {
    blocks.push(...commentBlocks(comment));
    if (comment.doc || comment.lines <= MAX_LINES) continue;
    const line = lineAt(text, comment.start);
    const sentence = text.slice(comment.start, comment.end).replace(/\s+/g, " ");
    found.push({ path, line, kind: "comment", sentence, start: comment.start, end: comment.end });
  }
  const visit = (/** @type {unknown} */ value) => {
    if (!isNode(value) || isModuleName(value)) return;
    const pieces = textPieces(value);
    if (pieces !== undefined) blocks.push(...textBlocks(text, value, pieces));
    else Object.values(value).flat().forEach(visit);
  };
  visit(program);
  return { blocks, found };
}

/** @param {unknown} value @returns {value is Node} */
function isNode(value) {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Whether it names another module and has no text of its own. @param {Node} node */
function isModuleName({ type, source }) {
  return type === "ImportDeclaration" || type === "ExportAllDeclaration" || isNode(source);
}

/**
 * Runs of comment lines, in the order of the file.
 * @param {readonly { start: number, end: number }[]} ranges @param {string} text
 * @returns {{ start: number, end: number, doc: boolean, lines: number, masked: string }[]}
 */
function commentsOf(ranges, text) {
  /** @type {{ start: number, end: number, doc: boolean, lines: number, masked: string }[]} */
  const runs = [];
  for (const { start, end } of ranges) {
    const raw = text.slice(start, end);
    const doc = raw.startsWith("/**");
    const bare = raw.replace(/^\/\/+|^\/\*+|\*\/$|^[ \t]*\*(?!\/)/gm, (mark) => fill(mark, " "));
    if (DIRECTIVE.test(bare.trim())) continue;
    const last = runs.at(-1);
    const between = last ? text.slice(last.end, start) : "";
    // A comment behind code is one of its own.
    const alone = last !== undefined && /(^|\n)[ \t]*$/.test(text.slice(0, last.start));
    if (last && alone && raw.startsWith("//") && text.startsWith("//", last.start) && /^\n[ \t]*$/.test(between)) {
      last.masked += fill(between, " ") + bare;
      last.end = end;
      last.lines += 1;
      continue;
    }
    runs.push({ start, end, doc, lines: bare.split("\n").filter((line) => line.trim() !== "").length, masked: bare });
  }
  return runs;
}

/** The paragraphs, list items and tags of a comment. @param {{ start: number, masked: string }} comment @returns {Block[]} */
function commentBlocks({ start, masked }) {
  const prose = masked.replace(/\{@\w+ |\}|(?<=@\w+ )\{[^}]*\}/g, (mark) => fill(mark, " "));
  const bare = maskInline(prose.replace(/(?<=@property +)\w+/g, (name) => fill(name, "X")));
  return cut(bare, /\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+]|\d+\.|@\w+) )|(?=@\w+ )/g, start).map((block) => ({
    ...block,
    masked: block.masked.replace(/^\s*(@\w+|[-*+]|\d+\.) /, (mark) => fill(mark, " ")),
  }));
}

/** @param {string} masked @param {RegExp} borders @param {number} start @returns {Block[]} */
function cut(masked, borders, start) {
  /** @type {Block[]} */
  const blocks = [];
  let from = 0;
  const take = (/** @type {number} */ to) => {
    if (masked.slice(from, to).trim() === "") return;
    blocks.push({ start: start + from, end: start + to, masked: masked.slice(from, to) });
  };
  for (const match of masked.matchAll(borders)) {
    take(match.index);
    from = match.index + match[0].length;
  }
  take(masked.length);
  return blocks;
}

/** The pieces of a text that the source writes as one, in quotes or joined by `+`. @param {Node} node @returns {Node[] | undefined} */
function textPieces(node) {
  if (node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string")) return [node];
  if (node.type !== "BinaryExpression" || node.operator !== "+" || !node.left || !node.right) return undefined;
  const left = textPieces(node.left);
  const right = textPieces(node.right);
  return left && right ? [...left, ...right] : undefined;
}

/** @param {string} text @param {Node} node @param {Node[]} pieces @returns {Block[]} */
function textBlocks(text, { start, end }, pieces) {
  const chars = Array.from({ length: end - start }, () => " ");
  for (const piece of pieces) {
    const inner = maskTemplate(text, piece).replace(/\\n/g, "\n\n").replace(/\\\\/g, "XX").replace(/\\./g, " '");
    for (let at = 1; at < inner.length - 1; at += 1) chars[piece.start - start + at] = inner[at] ?? " ";
  }
  const masked = maskInline(chars.join(""));
  // A text of few words is a name, a pattern or a label, and the lint reads no Chinese.
  if (masked.trim().split(/\s+/).length < 3 || /\p{Script=Han}/u.test(masked)) return [];
  // Each key of YAML begins a block.
  const borders = /\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+]|\d+\.|[\w.-]+:) )|\n(?=[ \t]*[\w.-]+:[ \t]*\n)/g;
  return cut(masked, borders, start)
    .filter((block) => !isCode(block.masked))
    .map((block) => ({ ...block, text: true }));
}

/** Whether more than a third of the words in a text are no words of prose, or it is a command with many options. @param {string} masked */
function isCode(masked) {
  const words = masked.trim().split(/\s+/);
  if (words.filter((word) => /^--[a-z]/.test(word)).length > MAX_OPTIONS) return true;
  return words.filter((word) => !PROSE_WORD.test(word)).length * 3 > words.length;
}

/** The source of a text whose `${...}` are one word each. @param {string} text @param {Node} piece */
function maskTemplate(text, { start, end, quasis = [] }) {
  let raw = text.slice(start, end);
  // A quasi has its delimiters: "}" before it, "${" behind it.
  for (const [at, quasi] of quasis.slice(1).entries()) {
    const from = (quasis[at]?.end ?? start) - 2 - start;
    const to = quasi.start + 1 - start;
    raw = raw.slice(0, from) + "X".repeat(to - from) + raw.slice(to);
  }
  return raw;
}
