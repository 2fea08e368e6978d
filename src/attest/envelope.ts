/** A statement with its signature: one DSSE envelope, in one text (ATTEST-3). */
import { canonicalJson } from "../log/canonical.ts";
import { pae, PAYLOAD_TYPE } from "./pae.ts";
import { exactBase64, keyOf } from "./ssh_signature.ts";

/** The limit of bytes is checked before anything is parsed. */
export const MAX_ENVELOPE = 4 * 1024 * 1024;

export interface Envelope {
  /** The canonical bytes of the statement. */
  payload: Buffer;
  /** The bytes that were signed. */
  signed: Buffer;
  /** Armored, as `ssh-keygen -Y verify -s` takes it. */
  signature: string;
  /** Fingerprint of the key that the signature itself names. */
  key: string;
}

/** The text of an envelope, with a line feed at its end. `signature`: armored. Undefined where it is no signature of SSH. */
export function envelopeText(payload: Uint8Array, signature: string): string | undefined {
  const keyid = keyOf(signature);
  if (keyid === undefined) return undefined;
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  const signatures = [{ keyid, sig: base64(Buffer.from(signature)) }];
  return `${canonicalJson({ payload: base64(payload), payloadType: PAYLOAD_TYPE, signatures })}\n`;
}

/** Reads the one text that says it: a key twice, a blank or a second signature is no envelope. A text says what is wrong. */
export function readEnvelope(bytes: Uint8Array): Envelope | string {
  if (bytes.length > MAX_ENVELOPE) return `it has ${bytes.length} bytes, and at most ${MAX_ENVELOPE} are read`;
  const parsed = parsedExactly(bytes, "\n");
  if (parsed === undefined) return "it is not the canonical JSON of an envelope with a line feed";
  const { payload, payloadType, signatures, ...more } = parsed;
  if (Object.keys(more).length > 0) return "it has other members than payload, payloadType and signatures";
  if (payloadType !== PAYLOAD_TYPE) return `its payload is no ${PAYLOAD_TYPE}`;
  const statement = typeof payload === "string" ? exactBase64(payload) : undefined;
  if (!statement || statement.length === 0) return "its payload is no base64";
  const [one, ...others] = Array.isArray(signatures) ? (signatures as unknown[]) : [];
  if (!isObject(one) || others.length > 0) return "it has not exactly one signature";
  const { keyid, sig } = one;
  const signature = typeof sig === "string" ? exactBase64(sig)?.toString("latin1") : undefined;
  const key = signature === undefined ? undefined : keyOf(signature);
  if (signature === undefined || key === undefined) return "its signature is none of SSH";
  if (keyid !== key || Object.keys(one).length !== 2) return "it names another key than its signature";
  return { payload: statement, signed: pae(statement), signature, key };
}

/** The object of which these bytes are the canonical JSON; undefined where a second text could say the same. */
export function parsedExactly(bytes: Uint8Array, end = ""): Record<string, unknown> | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Buffer.from(canonicalJson(value) + end).equals(bytes) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
