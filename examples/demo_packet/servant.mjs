// @ts-check
// A program that behaves like a model's command line: the prompt comes by stdin, the answer in the role's form goes to stdout.
// Arguments: tool, role. The implementing role really changes the work tree and takes its time; once its network is down.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [tool, role = ""] = process.argv.slice(2);
const prompt = readFileSync(0, "utf8");

const PACK = [
  "Goal",
  "Non-goals",
  "Scope",
  "Acceptance",
  "Fixed",
  "Files to Read",
  "Prohibited Actions",
  "Current State",
];
const sections = (/** @type {string[]} */ titles) =>
  titles.map((title) => `## ${title}\n\nSee the request.\n`).join("\n");

const BRIEF = `${sections(["Summary", "Acceptance", "Scope", "Constraints"])}
## Verify Commands

\`\`\`sh
node test/read_once.mjs
\`\`\`

## Updated Context Pack

${sections([...PACK, "Open Questions", "Change History"].map((title, n) => `${n}. ${title}`))}`;

const BEFORE = 'export const load = () => JSON.parse(readFileSync("config.json", "utf8"));';
const AFTER = ["let kept;", 'export const load = () => (kept ??= JSON.parse(readFileSync("config.json", "utf8")));'];

async function implement() {
  await sleep(1500);
  const file = "src/load.mjs";
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(BEFORE, AFTER.join("\n")));
  const lines = ["-" + BEFORE, ...AFTER.map((line) => `+${line}`)];
  return `--- a/${file}\n+++ b/${file}\n@@ -1,2 +1,3 @@\n import { readFileSync } from "node:fs";\n${lines.join("\n")}\n`;
}

process.stderr.write(`${tool}: ${prompt.length} characters of prompt\n`);
if (role === "review" && !existsSync(".network")) {
  writeFileSync(".network", "");
  process.stderr.write("connection reset by peer\n");
  process.exitCode = 1;
} else if (role === "brief") process.stdout.write(BRIEF);
else if (role === "impl") process.stdout.write(await implement());
else if (role === "verify") process.stdout.write("The commands were read; nothing was changed.\n");
else process.stdout.write(sections(["Findings", "Test gaps", "Breaking changes", "Minimal fix"]));
