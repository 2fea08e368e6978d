// @ts-check
// `npm run new -- tool NAME`: writes a tool, its rule and its test from templates, and everything that is generated from them.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [kind, name = "", ...more] = process.argv.slice(2);
const rest = /^(?:tasks|packet)_([a-z]+(?:_[a-z]+)*)$/.exec(name)?.[1];
if (kind !== "tool" || rest === undefined || more.length > 0) {
  console.error("Expected: npm run new -- tool NAME, with a name such as tasks_example or packet_example.");
  process.exit(2);
}

/** The three files that people write, with their templates. */
const FILES = [
  [`src/tools/${name}.ts`, "tool.ts.txt"],
  [`src/rules/${rest}.ts`, "rule.ts.txt"],
  [`test/rules/${rest}.test.ts`, "test.ts.txt"],
];
const taken = FILES.filter(([path]) => existsSync(join(root, String(path))));
if (taken.length > 0) {
  console.error(`Expected none of these files: ${taken.map(([path]) => path).join(", ")}. Choose another name.`);
  process.exit(1);
}

/** @param {string} text */
const pascal = (text) => text.replace(/(?:^|_)([a-z])/g, (_all, letter) => String(letter).toUpperCase());
const title = rest.replaceAll("_", " ");
/** @type {Record<string, string>} */
const values = {
  name,
  rest,
  Pascal: pascal(rest),
  camel: name.charAt(0) + pascal(name).slice(1),
  Title: title.charAt(0).toUpperCase() + title.slice(1),
};

for (const [path, template] of FILES) {
  const text = readFileSync(join(import.meta.dirname, "templates", String(template)), "utf8");
  writeFileSync(
    join(root, String(path)),
    text.replace(/@(\w+)@/g, (_all, key) => values[String(key)] ?? ""),
  );
  console.log(`written  ${path}`);
}
const paths = FILES.map(([path]) => String(path));
run("npx", ["--no-install", "oxfmt", ...paths]);
run(process.execPath, [join(import.meta.dirname, "generate.mjs"), "--sources"]);
console.log(`Change the three files, then: npm run generate && npm run build && npx vitest run ${paths[2]}`);

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
