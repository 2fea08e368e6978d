// Prints as JSON what the calls of a large workspace take in a new process, in milliseconds, and its memory at the end: ROOT [STEP ...]
import { openWorkspace } from "../../dist/index.js";
import { call } from "./workspaces.mjs";

const [root, ...wanted] = process.argv.slice(2);
const ws = openWorkspace({ root, by: "agent:bench" });
const create = () => call(ws, "tasks_create", { kind: "task", title: "One more" });
const steps = [
  ["context, first page", () => call(ws, "tasks_context", {})],
  ["context, again", () => call(ws, "tasks_context", {})],
  ["delta, first page", () => call(ws, "tasks_delta", {})],
  ["claim_next, first", () => call(ws, "tasks_claim_next", {})],
  ["claim_next, next", () => call(ws, "tasks_claim_next", {})],
  ["create, first", create],
  ["create, next", create],
];
const took = {};
for (const [name, step] of steps) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  await step();
  took[name] = performance.now() - start;
  // From its third second on a reader relies on what writers notify.
  if (name === steps[0][0] && wanted.length === 0) await new Promise((done) => setTimeout(done, 2500));
}
const memory = process.memoryUsage.rss() / 1e6;
const start = performance.now();
await ws.close();
console.log(JSON.stringify({ took: { ...took, close: performance.now() - start }, memory }));
