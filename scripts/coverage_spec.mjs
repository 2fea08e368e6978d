// @ts-check
// `npm run coverage:spec`: which rule answers which requirement, which test title quotes which rule. Fails on a gap.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { coverage } from "./coverage.mjs";

const root = join(import.meta.dirname, "..");

/** @param {string} folder @param {string} suffix @param {boolean} recursive */
function texts(folder, suffix, recursive) {
  return readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({
      path: path.slice(root.length + 1).replaceAll("\\", "/"),
      text: readFileSync(path, "utf8").replaceAll("\r\n", "\n"),
    }));
}

const report = coverage({
  coverage: readFileSync(join(root, "spec/coverage.md"), "utf8").replaceAll("\r\n", "\n"),
  spec: texts("spec", ".md", false),
  tests: texts("test", ".ts", true),
});

if (process.argv.includes("--json")) {
  console.log(JSON.stringify(report, null, 2));
} else {
  for (const { name, requirements } of report.tables) {
    const answered = requirements.filter(({ rules }) => rules.length > 0).length;
    console.log(`${name}: ${answered} of ${requirements.length} requirements have a rule`);
  }
  const held = report.rules.filter(({ tests }) => tests.length > 0).length;
  console.log(`${held} of ${report.rules.length} rules are quoted by a test title`);
  console.log(`${report.regressions.length} numbers of regressions are quoted by a test title`);
  for (const problem of report.problems) console.log(`- ${problem}`);
}
process.exitCode = report.problems.length > 0 ? 1 : 0;
