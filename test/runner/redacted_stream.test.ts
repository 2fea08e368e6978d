import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/rules/packet/redact.ts";
import type { Redactor } from "../../src/rules/packet/redact.ts";
import { RedactedStream } from "../../src/runner/redacted_stream.ts";
import { runsOf, SWEEP, ROTATING } from "../support/sweep.ts";

const { redact } = redactor({ redaction_patterns: ["hunter2"] }) as Redactor;
const KEY = `-----BEGIN PRIVATE KEY-----\n${`${"QUJD".repeat(16)}\n`.repeat(40)}-----END PRIVATE KEY-----\n`;

/** What is kept of bytes that come in pieces of this size. */
function keptOf(bytes: Buffer, size: number): Buffer {
  const kept: Buffer[] = [];
  const stream = new RedactedStream(
    (text) => redact(text).text,
    (chunk) => kept.push(Buffer.from(chunk)),
  );
  // As a pipe is read: each piece comes in the memory of the one before.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) stream.add(memory.subarray(0, bytes.copy(memory, 0, at, at + size)));
  stream.end();
  return Buffer.concat(kept);
}

describe("output that passes the redaction", () => {
  it("[PACKET-280] has no secret wherever a block ends, and is otherwise as it came", SWEEP, () => {
    const filler = "a line that says nothing\n";
    const secret = fc.constantFrom(
      "my hunter2 here\n",
      KEY,
      "password=s3cr3t-and-long\n",
      "é".repeat(2000) + "hunter2\n",
    );
    fc.assert(
      fc.property(
        secret,
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 1000, max: 100_000 }),
        (text, back, size) => {
          // Where the first block of 256 KiB ends, 8 KiB before what came.
          const at = Math.ceil((256 * 1024) / size) * size - 8 * 1024 - back;
          const whole = filler.repeat(Math.ceil(at / filler.length)).slice(0, at) + "\n" + text + filler.repeat(4000);
          expect(keptOf(Buffer.from(whole), size).toString()).toBe(redact(whole).text);
        },
      ),
      runsOf(40),
    );
  });

  it("[PACKET-280] stays as it is without a secret: no UTF-8, no line, nothing at all", ROTATING, () => {
    const odd = Buffer.alloc(900_000, 0);
    for (let i = 0; i < odd.length; i++) odd[i] = (i * 7 + (i >> 8)) & 0xff;
    for (const bytes of [odd, Buffer.alloc(700_000, "é"), Buffer.alloc(0), Buffer.from("no end of line")])
      expect(keptOf(bytes, 65_536).equals(bytes)).toBe(true);
  });
});
