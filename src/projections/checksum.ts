import { crc32 } from "node:zlib";

/** Tells what a mishap or a hand changed, and no forger: 8 hex digits. Text counts as UTF-8. */
export function checksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, "0");
}
