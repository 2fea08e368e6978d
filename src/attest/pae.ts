/** The bytes that a signature of a DSSE envelope is made over (ATTEST-3). */

/** Media type of an in-toto statement in an envelope. */
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** Lengths are those of the bytes. */
export function pae(payload: Uint8Array, payloadType = PAYLOAD_TYPE): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
