// @ts-check
// A session of random messages with the real server, in a process of its own on stdin and stdout.
import { toolCall } from "./calls.mjs";
import { junk, mutated, mutatedBytes, pick, text } from "./values.mjs";
import { Server } from "../hostile/server.mjs";

/** @typedef {import("../hostile/attack.mjs").Attack} Attack */
/** @typedef {import("../../support/random_calls.mjs").Random} Random */

const MESSAGES = 40;
/** A ping that is sent last is answered within this; the machine may be busy. */
const ANSWERED_MS = 10_000;
const METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "logging/setLevel",
  "completion/complete",
  "notifications/cancelled",
  "notifications/initialized",
  "server/discover",
  "subscriptions/listen",
  "x",
];
const URIS = [
  "taskfold://tasks/TASK-001/radar",
  "taskfold://tasks/../out/x",
  "taskfold://tasks/%2e%2e%2fout/taskdoc",
  "file:///etc/passwd",
];

/** @param {Attack} attack @param {Random} random */
export async function fuzzedSession(attack, random) {
  const server = new Server(attack.root);
  try {
    if (random.chance(0.8)) await server.handshake();
    for (let id = 10; id < 10 + MESSAGES && server.alive; id++) server.write(message(id, random));
    await server.answered("last", ANSWERED_MS);
    for (const fault of server.faults()) attack.fault(...fault);
  } finally {
    await server.end();
  }
}

/** One line, mostly. @param {number} id @param {Random} random */
function message(id, random) {
  const method = pick(random, METHODS);
  const whole = { jsonrpc: "2.0", id, method, params: paramsOf(method, random) };
  const value = random.chance(0.4) ? mutated(whole, random) : whole;
  const line = Buffer.from(JSON.stringify(value));
  if (random.chance(0.1)) return Buffer.concat([mutatedBytes(line, random), Buffer.from("\n")]);
  return Buffer.concat([line, Buffer.from("\n")]);
}

/** @param {string} method @param {Random} random @returns {unknown} */
function paramsOf(method, random) {
  if (random.chance(0.1)) return junk(random);
  switch (method) {
    case "tools/call": {
      const [name, args] = toolCall(random);
      return { name: random.chance(0.95) ? name : text(random), arguments: args };
    }
    case "resources/read":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return { uri: random.chance(0.8) ? pick(random, URIS) : text(random) };
    case "prompts/get":
      return { name: "taskdoc", arguments: { task: text(random), language: text(random) } };
    case "initialize":
      return {
        protocolVersion: pick(random, ["2025-06-18", "2026-07-28", "x"]),
        capabilities: {},
        clientInfo: { name: "f", version: "1" },
      };
    default:
      return junk(random, 2);
  }
}
