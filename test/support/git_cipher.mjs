// @ts-check
// A filter of git that encrypts, for tests: `clean` on the way in, `smudge` on the way out. The same bytes give the same bytes.
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const MARK = Buffer.from("\0CIPHER\0");
const key = createHash("sha256").update("a key of the test").digest();
const iv = key.subarray(0, 16);

const bytes = readFileSync(0);
// An empty file stays one: git may ask no filter for it.
const isPlain = bytes.length === 0;
const isSecret = bytes.subarray(0, MARK.length).equals(MARK);
if (process.argv[2] === "clean") {
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  writeFileSync(1, isSecret || isPlain ? bytes : Buffer.concat([MARK, cipher.update(bytes), cipher.final()]));
} else {
  const decipher = createDecipheriv("aes-256-ctr", key, iv);
  const rest = bytes.subarray(MARK.length);
  writeFileSync(1, isSecret ? Buffer.concat([decipher.update(rest), decipher.final()]) : bytes);
}
