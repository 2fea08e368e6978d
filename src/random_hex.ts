/** Random digits of the system. */
import { randomBytes } from "node:crypto";

const POOL_BYTES = 2560;
let pool = "";
let used = 0;

/** Hexadecimal digits in lower case. From a pool: to ask for a few random bytes costs as much as to ask for thousands. */
export function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, digits)).toString("hex");
    used = 0;
  }
  const from = used;
  used += digits;
  return pool.slice(from, used);
}
