// @ts-check
// Logs that hold what no tool of ours writes: lines with valid digests and any payload, in any order, and lines that are nearly so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, sha256 } from "../../../dist/log/canonical.js";
import { sealOp } from "../../../dist/log/envelope.js";
import { EVENTS } from "../../../dist/events/index.js";
import { fromSchema, hex, junk, mutated, mutatedBytes, pick, text } from "./values.mjs";

/** @typedef {import("../../support/random_calls.mjs").Random} Random */
/** @typedef {import("./values.mjs").Schema} Schema */

const ROOT = join(import.meta.dirname, "../../..");
const TYPES = Object.keys(EVENTS);
/** @type {Map<string, Schema>} */
const schemas = new Map();

/** @param {string} type @returns {Schema} */
function schemaOf(type) {
  const known = schemas.get(type) ?? JSON.parse(readFileSync(join(ROOT, "schemas", "events", `${type}.json`), "utf8"));
  schemas.set(type, known);
  return known;
}

/**
 * A fuzzed log that begins with these lines.
 * @param {string} before
 * @param {string} id
 * @param {Random} random
 * @returns {Buffer}
 */
export function fuzzedLog(before, id, random) {
  const lines = before.split("\n").filter((line) => line !== "");
  if (random.chance(0.1)) lines.length = random.below(lines.length + 1);
  for (let left = 1 + random.below(12); left > 0; left--) {
    const more = random.chance(0.7) ? sealed(lines, id, random) : resealed(lines, random);
    lines.splice(random.chance(0.9) ? lines.length : random.below(lines.length + 1), 0, ...more);
  }
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  return random.chance(0.15) ? mutatedBytes(bytes, random) : bytes;
}

/** An op as the engine itself would write it, but for what it says. @param {readonly string[]} lines @param {string} id @param {Random} random @returns {string[]} */
function sealed(lines, id, random) {
  const known = lines.map(headOf).filter((head) => head !== undefined);
  const last = known.at(-1);
  const from = last && random.chance(0.7) ? [last] : some(known, random);
  const drafts = Array.from({ length: 1 + random.below(3) }, () => draft(known, random));
  try {
    const { bytes } = sealOp({
      taskId: random.chance(0.95) ? id : text(random),
      by: pick(random, ["agent:mallory", "human:local", "system", "system:engine"]),
      ts: new Date(Date.UTC(2026, 0, 1 + random.below(60)) + 1000 * random.below(90_000)).toISOString(),
      tool: pick(random, ["tasks_note", "tasks_undo", "tasks_create", "resolve", "tasks_delete", "x"]),
      opId: hex(random, 16),
      key: random.chance(0.2) ? text(random) : undefined,
      req: random.chance(0.2) ? hex(random, 43) : undefined,
      txn: random.chance(0.1) ? { id: hex(random, 16), roots: [hex(random, 43)] } : undefined,
      agentInstance: random.chance(0.1) ? text(random) : undefined,
      turnId: random.chance(0.1) ? text(random) : undefined,
      heads: from.map((head) => head.hash),
      seq: Math.max(0, ...from.map((head) => head.seq)) + (random.chance(0.05) ? random.below(1000) : 0),
      drafts,
    });
    return bytes.toString("utf8").trimEnd().split("\n");
  } catch {
    // Not even the engine would write it: to no digest of it, nothing is owed.
    return [];
  }
}

/** @param {readonly { hash: string, id: string }[]} known @param {Random} random */
function draft(known, random) {
  const type = pick(random, TYPES);
  const payload = fromSchema(schemaOf(type), random);
  const changed = random.chance(0.4) ? mutated(payload, random) : payload;
  const value = /** @type {import("../../../src/log/types.ts").Payload} */ (
    typeof changed === "object" && changed !== null && !Array.isArray(changed) ? changed : {}
  );
  // Undo and redo mostly name an op that is there.
  for (const name of Object.keys(value))
    if (/^(?:op|event|undone|undo_of|of)$/.test(name) && known.length > 0 && random.chance(0.7))
      value[name] = random.chance(0.5) ? pick(random, known).id : pick(random, known).hash;
  return { type: random.chance(0.95) ? type : "new.type", payload: value };
}

/** A line that is there, with something else in it, and the digest of that. @param {readonly string[]} lines @param {Random} random @returns {string[]} */
function resealed(lines, random) {
  if (lines.length === 0) return [JSON.stringify(junk(random))];
  try {
    const { hash, ...event } = JSON.parse(pick(random, lines));
    const changed = mutated(event, random);
    if (typeof changed !== "object" || changed === null) return [JSON.stringify(changed)];
    if (random.chance(0.2)) return [canonicalJson({ ...changed, hash })];
    return [canonicalJson({ ...changed, hash: sha256(canonicalJson(changed)) })];
  } catch {
    return [text(random)];
  }
}

/** @param {string} line */
function headOf(line) {
  try {
    const { hash, seq, op } = JSON.parse(line);
    return typeof hash === "string" && hash.length === 43 && Number.isSafeInteger(seq)
      ? { hash, seq, id: String(op?.id) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** None, one or several. @template T @param {readonly T[]} from @param {Random} random @returns {T[]} */
function some(from, random) {
  const picked = new Set(Array.from({ length: random.below(3) }, () => random.below(from.length)));
  return [...picked].flatMap((i) => from[i] ?? []);
}
