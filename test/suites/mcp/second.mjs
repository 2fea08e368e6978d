// @ts-check
// The second agent of `npm run e2e:mcp`, a process of its own: it reads `{root, capsule}` from stdin and knows nothing else. It
// follows the capsule until nothing is left to do, and prints its observations as JSON.
import { text } from "node:stream/consumers";
import { Agent } from "./agent.mjs";

/** The value that a finished agent puts in place of what it was to fill in. @param {unknown} value @returns {unknown} */
function filledIn(value) {
  if (typeof value === "string")
    return value.replace(/^<fill: the command.*$/, "npm test").replace(/^<fill: what it printed.*$/, "12 passed");
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filledIn(member)]));
}

const { root, capsule } = JSON.parse(await text(process.stdin));
const bob = await Agent.start(root, "bob", { toolset: "full", era: { mode: { pin: "2026-07-28" } } });
const uri = `taskfold://tasks/${capsule.target.id}/radar`;
/** @type {Promise<string>} */
const told = new Promise((done) => {
  bob.client.setNotificationHandler("notifications/resources/updated", ({ params }) => done(params.uri));
});
await bob.client.listen({ resourceSubscriptions: [uri] });
const before = await bob.read(uri);

/** @type {string[]} */
const calls = [];
let next = capsule;
while (next.action !== null && calls.length < 10) {
  const { tool, args, args_hint } = next.action;
  // Only macros are named there; those that go on answer with a resume.
  const result = /** @type {import("./agent.mjs").Reply<"tasks_macro_close_step">["result"]} */ (
    await bob.must(tool, /** @type {object} */ (args ?? filledIn(args_hint)))
  );
  calls.push(`${tool}${args ? "" : " (filled in)"}`);
  next = (result.resume ?? (await bob.must("tasks_snapshot", { task: capsule.target.id }))).capsule;
}
const heard = await told;
const after = await bob.read(uri);
await bob.client.close();
console.log(JSON.stringify({ listed: bob.listed.length, before, calls, last: next, heard: heard === uri, after }));
