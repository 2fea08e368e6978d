// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SERVANT = join(import.meta.dirname, "../servant.mjs");
const SECRET = "hunter2-of-the-demo";

const REQUEST = `The configuration file is read at each call. Read it once.

The staging password is ${SECRET}; do not share it.
`;

/** YAML as a person writes it. @param {string} budgets */
const manifest = (budgets) => `task_id: read-once
goal: Read the configuration file once
routing:
  intent: safe_impl
scope:
  allow: [src/]
  deny: [src/secrets/]
acceptance:
  commands: ["node test/read_once.mjs"]
  criteria: [the file is opened once]
budgets:
${budgets}
context:
  digest_policy: off
security:
  redaction_patterns: ["hunter2[a-z-]*"]
`;

/** @param {import("../../demo/stage.mjs").Stage} stage */
export async function aRequest(stage) {
  stage.section(
    "A request becomes a packet",
    "A repository, a request with a secret in it, and a manifest with two mistakes.",
  );
  const beside = stage.temporary;
  for (const folder of [
    stage.repo,
    join(stage.repo, "src"),
    join(stage.repo, "test"),
    join(beside, "inputs"),
    join(beside, "configs/servant"),
  ])
    mkdirSync(folder, { recursive: true });
  write(
    stage.repo,
    "src/load.mjs",
    'import { readFileSync } from "node:fs";\nexport const load = () => JSON.parse(readFileSync("config.json", "utf8"));\n',
  );
  write(stage.repo, "config.json", '{ "name": "tiny" }\n');
  write(
    stage.repo,
    "test/read_once.mjs",
    'import { load } from "../src/load.mjs";\nif (load() !== load()) throw new Error("the file is read twice");\n',
  );
  write(stage.repo, ".gitignore", ".network\n");
  stage.git("init", "--quiet", "--initial-branch", "main");
  stage.git("add", "-A");
  stage.git("commit", "--quiet", "-m", "A small package");
  stage.taskfold("init", "--workspace", "acme/tiny-config");

  for (const tool of ["gemini", "codex"]) write(beside, `configs/servant/${tool}.yaml`, servant(tool));
  write(beside, "inputs/user_request.md", REQUEST);
  write(beside, "manifest.yaml", manifest("  retry_budget: two\n  paid_call_budget: 9"));
  const wrong = stage.taskfold("packet", "validate", join(beside, "manifest.yaml"));
  stage.check(
    "both mistakes are named at once, by their fields",
    wrong.code === 1 && wrong.err.includes("budgets.retry_budget") && wrong.err.includes("budgets.max_wallclock_sec"),
    wrong.err,
  );

  write(beside, "manifest.yaml", manifest("  retry_budget: 2\n  paid_call_budget: 9\n  max_wallclock_sec: 60"));
  const config = ["--config", join(beside, "configs")];
  const created = stage.taskfold(
    "packet",
    "create",
    join(beside, "manifest.yaml"),
    "--inputs",
    join(beside, "inputs"),
    ...config,
  );
  stage.check(
    "the packet is a task of that id",
    created.code === 0 && created.out.startsWith("read-once:"),
    created.out,
  );
  const log = stage.run("grep", ["-rc", SECRET, ".coco/tasks/read-once/events.jsonl"]);
  stage.check("the secret did not reach the log", log.code === 1 && log.out.trim() === "0", log.out);
  stage.taskfold("packet", "plan", "read-once");
}

/** @param {string} tool */
function servant(tool) {
  return `tool: ${tool}
command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(SERVANT)}, ${tool}, "{role}"]
prompt: stdin
default_model: ${tool}-small
allowed_models: [${tool}-small]
transient_exit_codes: [1]
`;
}

/** @param {string} folder @param {string} name @param {string} text */
function write(folder, name, text) {
  writeFileSync(join(folder, name), text);
}
