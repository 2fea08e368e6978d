// @ts-check
// Log lines, journals and keys as the engine itself would make them: an attacker computes the same digests.
import { readFileSync } from "node:fs";
import { sha256 } from "../../../dist/log/canonical.js";
import { sealOp } from "../../../dist/log/envelope.js";

export { sealOp, sha256 };

/** The actor of a line, and the log that it goes on. @typedef {{ id: string, heads?: readonly string[], seq?: number, n?: number, key?: string }} Place */

/** One note, with valid digests. @param {Place} place @param {string} text @returns {{ hash: string, bytes: Buffer }} */
export function noteLine({ id, heads = [], seq = 0, n = 0, key }, text) {
  return oneLine({ id, heads, seq, n, ...(key === undefined ? {} : { key }) }, "step.noted", {
    message: text,
    note: text,
    step_id: null,
  });
}

/** @param {Place} place @param {string} title */
export function createdLine(place, title) {
  const empty = { contract: null, contract_data: null, description: "", parent: null, topology: "squad" };
  return oneLine(place, "task.created", { ...empty, kind: "task", message: "Created.", title });
}

/** @param {Place} place @param {string} type @param {import("../../../src/log/types.ts").Payload} payload */
export function oneLine({ id, heads = [], seq = 0, n = 0, key }, type, payload) {
  const ts = new Date(Date.UTC(2026, 0, 2) + 1000 * n).toISOString();
  const opId = (0x1000000000000000n + BigInt(n)).toString(16);
  const op = sealOp({
    taskId: id,
    by: "agent:mallory",
    ts,
    tool: "tasks_note",
    opId,
    key,
    heads,
    seq,
    drafts: [{ type, payload }],
  });
  return { hash: op.events[0]?.hash ?? "", bytes: op.bytes };
}

/** The last line's hash and number. @param {string} log */
export function headOf(log) {
  const last = readFileSync(log, "utf8").trimEnd().split("\n").at(-1) ?? "{}";
  const { hash, seq } = JSON.parse(last);
  return { heads: [String(hash)], seq: Number(seq) };
}

/** A transaction under way. @param {readonly { id: string, made: boolean, prev: readonly string[], ops: readonly { hash: string, bytes: Buffer }[] }[]} parts */
export function journal(parts) {
  const body = Buffer.concat(parts.flatMap((part) => part.ops.map((op) => op.bytes)));
  const sizes = parts.map((part) => ({
    ...part,
    ops: part.ops.map(({ hash, bytes }) => ({ hash, bytes: bytes.length })),
  }));
  return Buffer.concat([Buffer.from(`${JSON.stringify({ v: 1, parts: sizes, sha256: sha256(body) })}\n`), body]);
}
