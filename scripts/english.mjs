// @ts-check
// `npm run english -- [PATH...]` prints each finding of the English lint. With `--list` it writes the list of files that do
// not conform yet; it raises no number unless `--raise` is there too.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findingLine } from "../test/support/english.mjs";
import {
  ENGLISH_LIST,
  englishFiles,
  findingCounts,
  listedCounts,
  projectFindings,
} from "../test/support/english_files.mjs";

const root = join(import.meta.dirname, "..");
const options = process.argv.slice(2);
const starts = options.filter((option) => !option.startsWith("--"));
const paths = englishFiles(root).filter(
  (path) => starts.length === 0 || starts.some((start) => path.startsWith(start)),
);
const found = projectFindings(root, paths);

if (options.includes("--list")) {
  const listed = listedCounts(root);
  const counts = findingCounts(projectFindings(root, englishFiles(root)));
  const raised = Object.keys(counts).filter((path) => (counts[path] ?? 0) > (listed[path] ?? 0));
  if (raised.length > 0 && !options.includes("--raise")) {
    for (const path of raised) console.error(`${path}: ${counts[path]} findings, ${listed[path] ?? 0} in the list`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, ENGLISH_LIST), `${JSON.stringify(counts, null, 2)}\n`);
  }
} else {
  for (const finding of found) console.log(findingLine(finding));
  console.log(`${found.length} findings in ${paths.length} files`);
}
