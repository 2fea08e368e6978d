// Appends to a log, as a program without the engine would, a packet.defined that allows every path: `node forge.mjs LOG after|beside`.
// It builds on the last event, or on those that the last start of a stage builds on, as one of another branch does.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";

const [log, where] = process.argv.slice(2);
const events = readFileSync(log, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const defined = events.findLast(({ type }) => type === "packet.defined");
const upon =
  where === "after"
    ? { prev: [events.at(-1).hash], seq: events.at(-1).seq + 1 }
    : (({ prev, seq }) => ({ prev, seq }))(events.findLast(({ type }) => type === "stage.started"));
const manifest = { ...defined.payload.manifest, scope: { allow: [".", ".coco/"], deny: [] } };
const event = {
  ...defined,
  ...upon,
  op: { id: "f".repeat(16), n: 1, of: 1, tool: "packet_patch" },
  payload: { ...defined.payload, manifest },
};
delete event.hash;
appendFileSync(
  log,
  `${canonical({ ...event, hash: createHash("sha256").update(canonical(event)).digest("base64url") })}\n`,
);

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
