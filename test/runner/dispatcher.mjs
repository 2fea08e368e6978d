// @ts-check
// A dispatcher for tests: runs one stage on the built package and says when it has ended. Arguments: root, script of the servant.
import { join } from "node:path";
import { nodeRuntime } from "../../dist/node_runtime.js";
import { RootedDisk } from "../../dist/rooted_disk.js";
import { ServantProcess } from "../../dist/runner/servant_process.js";

const [root = "", script = ""] = process.argv.slice(2);
const task_dir = join(root, ".coco/tasks/TASK-001");
/** @param {string} ending */
const file = (ending) => `outputs/codex_impl.codex.${ending}`;
const run = await new ServantProcess({ disk: new RootedDisk(root), runtime: nodeRuntime }).run({
  stage: "codex_impl",
  role: "impl",
  model: "m",
  command: ["sh", "-c", script],
  prompt: { text: "x", mode: "stdin", path: "inputs/prompt/codex.impl.md" },
  task_dir,
  cwd: root,
  environment: { PATH: process.env["PATH"] ?? "" },
  limits: { wallclock_sec: 600 },
  files: { out: file("out"), err: file("err"), "compose.log": file("compose.log"), "wrapper.log": file("wrapper.log") },
  compose_log: "",
});
process.stdout.write(`${JSON.stringify({ run, rss_kib: process.resourceUsage().maxRSS })}\n`);
