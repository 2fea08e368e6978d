/** Signatures as `ssh-keygen -Y sign` writes them: SSHSIG between two lines of armor. */
import { hash } from "node:crypto";

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]{1,76}\n)+)-----END SSH SIGNATURE-----\n$/;
const MAGIC = "SSHSIG";

/** Fingerprint of the key that a signature names, as `ssh-keygen -l` prints it; undefined for what is no such signature. */
export function keyOf(armored: string): string | undefined {
  const body = ARMOR.exec(armored)?.[1]?.replaceAll("\n", "");
  const bytes = body === undefined ? undefined : exactBase64(body);
  // Behind the magic word stand a version and the key, which its length precedes.
  if (!bytes || bytes.length < 14 || bytes.toString("latin1", 0, 6) !== MAGIC || bytes.readUInt32BE(6) !== 1) {
    return undefined;
  }
  const length = bytes.readUInt32BE(10);
  const key = bytes.subarray(14, 14 + length);
  return key.length === length && length > 0 ? fingerprintOf(key) : undefined;
}

/** Of a public key in the bytes that its base64 form stands for. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${hash("sha256", key, "base64").replace(/=+$/, "")}`;
}

/** Undefined for a text that is not the one base64 form of its bytes: no second text says the same. */
export function exactBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
