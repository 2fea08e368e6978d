/**
 * Judges a line of a client: it holds messages for the SDK, or is refused as JSON-RPC 2.0 says. The SDK says nothing to a client
 * whose request its parser refuses, so only what it takes is handed to it.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isUtf8 } from "node:buffer";
import { describeValue } from "../../engine/core/input/must_be_text.ts";
import { checkedParams, otherFault } from "./params.ts";

/** As the protocol's, but for null: JSON-RPC 2.0 answers so a request whose id it could not read. */
export type AnswerId = string | number | null;

/** A refusal of JSON-RPC, which the client reads as the answer to `id`. */
export interface Refusal {
  jsonrpc: "2.0";
  id: AnswerId;
  error: { code: number; message: string };
}

/** The verdict on a message. A message that is passed over is no request, so that its sender waits for no answer. */
export type Judged = { message: JSONRPCMessage } | { refusal: Refusal } | { passedOver: string };

type Line = Judged | { batch: Judged[] };

/** Requests whose answers are not written yet, at most. Four times what one group of writes holds. */
export const MAX_UNDER_WAY = 256;

/** The one revision whose clients may send several messages in one line. */
export const BATCH_REVISION = "2025-03-26";

export function refusalOf(id: AnswerId, code: number, message: string): Refusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Judges a whole line; undefined for a blank one. `batches`: the revision of the connection has them. */
export function judgeLine(line: Buffer, batches: boolean): Line | undefined {
  if (!isUtf8(line)) return { refusal: unreadable("bytes that are no UTF-8") };
  const text = line.toString("utf8");
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: unreadable("text that does not parse") };
  }
  if (!Array.isArray(value)) return judge(value);
  if (!batches) return invalid(null, `one message in a line (only revision ${BATCH_REVISION} has batches)`, "a list");
  if (value.length === 0) return invalid(null, "a batch with a message in it", "an empty list");
  if (value.length > MAX_UNDER_WAY)
    return invalid(null, `a batch of at most ${MAX_UNDER_WAY} messages`, `${value.length}`);
  return { batch: value.map((one) => (isInitialize(one) ? noInitialize(one) : judge(one))) };
}

function unreadable(found: string): Refusal {
  const message = `INVALID_INPUT: Expected a line of JSON in UTF-8, found ${found}; nothing was done.`;
  return refusalOf(null, ProtocolErrorCode.ParseError, message);
}

function judge(value: unknown): Judged {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid(null, "a request of JSON-RPC 2.0, which is an object", describeValue(value));
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  if (method === undefined && (result !== undefined || error !== undefined)) return answer(value);
  const isNotification = id === undefined && typeof method === "string";
  if (isNotification) return notification({ jsonrpc, method, params });
  const known = knownId(id);
  if (jsonrpc !== "2.0") return invalid(known, 'jsonrpc to be "2.0"', described(jsonrpc));
  if (typeof method !== "string") return invalid(known, "method to be a text", described(method));
  if (typeof id !== "string" && !Number.isSafeInteger(id))
    return invalid(known, "id to be a text or a whole number", described(id));
  return request({ jsonrpc, id: id as string | number, method, params });
}

function request({ id, method, params, ...rest }: Parts & { id: string | number; method: string }): Judged {
  if (params !== undefined && (typeof params !== "object" || params === null))
    return invalid(id, "params to be an object", describeValue(params));
  const checked = checkedParams(method, params);
  if ("fault" in checked) return { refusal: refusalOf(id, ProtocolErrorCode.InvalidParams, checked.fault) };
  const message = { ...rest, id, method, ...checked };
  if (isJSONRPCRequest(message)) return { message };
  return { refusal: refusalOf(id, ProtocolErrorCode.InvalidParams, otherFault(method, "params._meta")) };
}

function notification({ params, ...rest }: Parts): Judged {
  const message = { ...rest, ...(params === undefined ? {} : { params }) };
  return isJSONRPCNotification(message)
    ? { message }
    : { passedOver: "a notification that is not as the protocol has it" };
}

/** An answer is never answered, however wrong it is. */
function answer(value: unknown): Judged {
  if (isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value)) return { message: value };
  return { passedOver: "an answer that is not as the protocol has it" };
}

interface Parts {
  jsonrpc: unknown;
  method: unknown;
  params: unknown;
}

/** The id by which a client knows its request. A number that JSON does not carry exactly would name another one. */
function knownId(id: unknown): AnswerId {
  if (typeof id === "string") return id;
  return typeof id === "number" && (Number.isSafeInteger(id) || !Number.isInteger(id)) ? id : null;
}

function invalid(id: AnswerId, expected: string, found: string): { refusal: Refusal } {
  const message = `INVALID_INPUT: Expected ${expected}, found ${found}; nothing was done.`;
  return { refusal: refusalOf(id, ProtocolErrorCode.InvalidRequest, message) };
}

function described(value: unknown): string {
  return value === undefined ? "none" : describeValue(value);
}

function isInitialize(value: unknown): value is { id?: unknown } {
  return typeof value === "object" && value !== null && (value as { method?: unknown }).method === "initialize";
}

function noInitialize({ id }: { id?: unknown }): Judged {
  return invalid(knownId(id), "initialize in a line of its own", "it in a batch");
}
