// @ts-check
// npm run new -- tool NAME [--spec PAGE]: writes a tool, its rule, its test and a line of spec/PAGE.md. Without PAGE it is spec/steps.md.
// npm run new -- event TYPE: writes an event, its test and its lines of spec/events.md. Both write everything that is generated from them.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** @typedef {{ files: string[][], values: Record<string, string> }} Unit files with their templates, and the words for those */

const root = join(import.meta.dirname, "..");
const EVENTS_PAGE = "spec/events.md";
const { positionals, values } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  strict: false,
  options: { spec: { type: "string" } },
});
const [kind, name = "", ...more] = positionals;
const unit = more.length > 0 ? undefined : kind === "tool" ? tool() : kind === "event" ? event() : undefined;
if (!unit) {
  console.error(
    "Expected: npm run new -- tool NAME [--spec PAGE], such as tasks_example --spec steps. " +
      "For an event: npm run new -- event TYPE, such as step.noted.",
  );
  process.exit(2);
}
const paths = unit.files.map(([path]) => String(path));
const taken = paths.filter((path) => existsSync(join(root, path)));
if (taken.length > 0) {
  console.error(`Expected none of these files: ${taken.join(", ")}. Choose another name.`);
  process.exit(1);
}

for (const [path, template] of unit.files) {
  const text = readFileSync(join(import.meta.dirname, "templates", String(template)), "utf8");
  writeFileSync(
    join(root, String(path)),
    text.replace(/@(\w+)@/g, (_all, key) => unit.values[String(key)] ?? ""),
  );
  console.log(`written  ${path}`);
}
run("npx", ["--no-install", "oxfmt", ...paths]);
if (kind === "event") addToPage();
else addRule(unit.values);
run(process.execPath, [join(import.meta.dirname, "generate.mjs")]);
console.log(`Change these files, then: npm run generate && npm run build && npx vitest run ${paths.at(-1)}`);

/** @returns {Unit | undefined} */
function tool() {
  const rest = /^(?:tasks|packet)_([a-z]+(?:_[a-z]+)*)$/.exec(name)?.[1];
  const page = `spec/${values.spec ?? "steps"}.md`;
  if (rest === undefined || !/^spec\/[a-z_]+\.md$/.test(page) || !existsSync(join(root, page))) return undefined;
  const rule = nextRule(page);
  if (!rule) return undefined;
  const title = rest.replaceAll("_", " ");
  return {
    files: [
      [`src/tools/${name}.ts`, "tool.ts.txt"],
      [`src/rules/${rest}.ts`, "rule.ts.txt"],
      [`test/rules/${rest}.test.ts`, "test.ts.txt"],
    ],
    values: {
      name,
      rest,
      page,
      rule,
      Pascal: pascal(rest),
      camel: name.charAt(0) + pascal(name).slice(1),
      Title: title.charAt(0).toUpperCase() + title.slice(1),
    },
  };
}

/** @returns {Unit | undefined} */
function event() {
  if (!/^[a-z]+\.[a-z]+(?:_[a-z]+)*$/.test(name)) return undefined;
  return {
    files: [
      [`src/events/${name}.ts`, "event.ts.txt"],
      [`test/events/${name}.test.ts`, "event_test.ts.txt"],
    ],
    values: { name, camel: name.charAt(0) + pascal(name.replace(".", "_")).slice(1) },
  };
}

/**
 * Returns the next free number of the rules that a page ends with, or "" if it has no rules. A regression, which only a title of a test
 * names, keeps its number, too.
 * @param {string} page
 */
function nextRule(page) {
  const prefix = readFileSync(join(root, page), "utf8")
    .match(/^- \*\*[A-Z]+(?=-\d)/gm)
    ?.at(-1)
    ?.slice("- **".length);
  if (prefix === undefined) return "";
  const text = ["spec", "test"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:md|ts)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  const taken = [...text.matchAll(new RegExp(`\\b${prefix}-(\\d+)`, "g"))].map(([, number]) => Number(number));
  return `${prefix}-${Math.max(...taken) + 1}`;
}

/** Writes the rule that the template holds behind the last rule of its page. @param {Record<string, string>} values */
function addRule({ page = "", rule = "" }) {
  const path = join(root, page);
  const lines = readFileSync(path, "utf8").split("\n");
  lines.splice(
    behindLast(lines, /^- \*\*[A-Z]+-\d/),
    0,
    `- **${rule}** \`${name}\` writes a text into the log, on a step or on the plan or task. It refuses a blank text.`,
  );
  writeFileSync(path, lines.join("\n"));
  console.log(`written  ${page}: ${rule}`);
}

/** Gives the event its row in the table of types and its line among the payloads, in the order of the types. */
function addToPage() {
  const path = join(root, EVENTS_PAGE);
  const lines = readFileSync(path, "utf8").split("\n");
  insert(lines, /^\| `([a-z_.]+)` \|/, `| \`${name}\` | text | - | Cannot be undone: it changes nothing. |`);
  insert(lines, /^([a-z_]+\.[a-z_]+) \{/, `${name} { text: text }`);
  writeFileSync(path, lines.join("\n"));
  console.log(`written  ${EVENTS_PAGE}`);
}

/** Puts a line before the first one of a later type. @param {string[]} lines @param {RegExp} typed @param {string} line */
function insert(lines, typed, line) {
  const after = lines.findIndex((one) => (typed.exec(one)?.[1] ?? "") > name);
  lines.splice(after >= 0 ? after : behindLast(lines, typed), 0, line);
}

/** Returns where the last such item ends, with its indented lines. @param {string[]} lines @param {RegExp} item */
function behindLast(lines, item) {
  let behind = lines.findLastIndex((line) => item.test(line)) + 1;
  while (lines[behind]?.startsWith("  ")) behind += 1;
  return behind;
}

/** @param {string} text */
function pascal(text) {
  return text.replace(/(?:^|_)([a-z])/g, (_all, letter) => String(letter).toUpperCase());
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
