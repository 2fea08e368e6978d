import { randomBytes } from "node:crypto";

const ID_BYTES = 10;
const POOLED_IDS = 256;
let pool = "";
let used = 0;

/** Twenty random hexadecimal digits. From a pool: to ask for a few random bytes costs as much as to ask for thousands. */
export function newId(): string {
  if (used === pool.length) {
    pool = randomBytes(ID_BYTES * POOLED_IDS).toString("hex");
    used = 0;
  }
  const from = used;
  used += 2 * ID_BYTES;
  return pool.slice(from, used);
}
