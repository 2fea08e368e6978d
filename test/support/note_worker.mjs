// @ts-check
// A process that writes notes: node note_worker.mjs ROOT NAME TIMES TASK...
import { openWorkspace } from "../../dist/index.js";

const [root = ".", name = "w", times = "1", ...tasks] = process.argv.slice(2);
const ws = openWorkspace({ root, by: `agent:${name}`, lockTimeoutMs: 60_000 });
for (let i = 0; i < Number(times); i++) {
  const task = tasks[i % tasks.length] ?? "";
  const { error } = await ws.call("tasks_note", { workspace: "acme/repo", task, note: `${name} ${i}` });
  if (error) throw new Error(`${error.code}: ${error.message}`);
}
await ws.close();
