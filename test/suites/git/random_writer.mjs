// @ts-check
// Writes notes beside git and says each key that was acknowledged: node random_writer.mjs DIST ROOT TASK KEY...
const [dist = "", root = ".", task = "", ...keys] = process.argv.slice(2);
/** @type {typeof import("../../../src/index.ts")} */
const { openWorkspace } = await import(`${dist}/index.js`);
const ws = openWorkspace({
  root,
  workspace: "acme/repo",
  by: "agent:writer",
  lockTimeoutMs: 60_000,
  durability: "os",
});
for (const key of keys) {
  const input = { task, note: `beside git, ${key}`, idempotency_key: key };
  const { success } = await ws.callTool("tasks_note", input);
  if (success) process.stdout.write(`${key}\n`);
}
await ws.close();
