import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../src/rules/packet/signature.ts";
import { retriesByItself, suggestedActions, triage, type TriageInput } from "../../../src/rules/packet/triage.ts";
import { FAILURE_CLASSES } from "../../../src/state/packet.ts";
import { ANY_CHARACTER } from "../../support/any_character.ts";

function classOf(change: Partial<TriageInput>): string {
  const gate = { judged: false, class_if_failed: null };
  return triage({ exit_code: 1, timed_out: false, stderr: "", gate, transient_exit_codes: [], ...change });
}

const normalized = (text: string): string => signatureOf("transient", "codex_impl", text).normalized;
const sig = (text: string): string => signatureOf("transient", "codex_impl", text).signature;

describe("triage", () => {
  it("[PACKET-63] the gate comes first, then time and the servant's own codes, then the known ones", () => {
    const gate = { judged: true, class_if_failed: "scope_violation" } as const;
    expect(classOf({ gate, exit_code: 0, stderr: "401 Unauthorized" })).toBe("scope_violation");
    expect(classOf({ timed_out: true, exit_code: 10, stderr: "unauthorized" })).toBe("transient");
    expect(classOf({ exit_code: 10, transient_exit_codes: [10], stderr: "unauthorized" })).toBe("transient");
    expect(classOf({ exit_code: 10, stderr: "unauthorized" })).toBe("tooling");
    const codes = [2, 10, 11, 30, 31, 126, 127, 13, 33, 124, 14].map((exit_code) => [
      exit_code,
      classOf({ exit_code }),
    ]);
    expect(Object.fromEntries(codes)).toEqual({
      2: "tooling",
      10: "tooling",
      11: "tooling",
      30: "tooling",
      31: "tooling",
      126: "tooling",
      127: "tooling",
      13: "transient",
      33: "transient",
      124: "transient",
      14: "prompt_too_large",
    });
    expect(classOf({ exit_code: 31, stderr: "prompt exceeds the size" })).toBe("prompt_too_large");
  });

  it("[PACKET-63] another code is transient, and no failure is unknown", () => {
    expect(classOf({ exit_code: 1, stderr: "segmentation fault" })).toBe("transient");
    expect(classOf({ exit_code: null })).toBe("transient");
    expect(classOf({ exit_code: 0 })).toBe("unknown");
  });

  it.each([
    ["auth", "Error: 401"],
    ["auth", "HTTP/1.1 403"],
    ["auth", "request failed with status code 401"],
    ["auth", "API error (403): no"],
    ["auth", "401 Unauthorized"],
    ["auth", "Authentication required"],
    ["auth", "You are not logged in"],
    ["auth", "invalid API key provided"],
    ["auth", "unauthorized: connection refused"],
    ["prompt_too_large", "maximum context length is 8192"],
    ["prompt_too_large", "Prompt is too long"],
    ["prompt_too_large", "token count 9 exceeds"],
    ["transient", "timeout at line 401"],
    ["transient", "connect ECONNREFUSED: connection refused"],
    ["transient", "socket hang up"],
    ["tooling", "sh: codex: command not found"],
    ["tooling", "ENOENT: x"],
  ])("[PACKET-63] %s: %s", (kind, stderr) => {
    expect(classOf({ stderr })).toBe(kind);
  });

  it("[PACKET-63] reads 100 lines of stderr", () => {
    expect(classOf({ stderr: `${"x\n".repeat(99)}not found` })).toBe("tooling");
    expect(classOf({ stderr: `${"x\n".repeat(100)}not found` })).toBe("transient");
  });

  it("[PACKET-63] two classes are retried as they are, and each says what to do", () => {
    expect(FAILURE_CLASSES.filter(retriesByItself)).toEqual(["transient", "prompt_too_large"]);
    for (const kind of FAILURE_CLASSES) {
      expect(suggestedActions(kind).length, kind).toBeGreaterThan(0);
      for (const action of suggestedActions(kind)) expect(action).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe("signature", () => {
  it("[PACKET-65] tells class, stage and text apart", () => {
    const one = signatureOf("transient", "codex_impl", "refused");
    expect(one).toEqual({ signature: expect.stringMatching(/^sig:[0-9a-f]{16}$/), normalized: "refused" });
    expect(signatureOf("transient", "codex_impl", " refused\r\n")).toEqual(one);
    const others = [
      signatureOf("auth", "codex_impl", "refused"),
      signatureOf("transient", "codex_review", "refused"),
      signatureOf("transient", "codex_impl", "reset"),
      signatureOf("transient", "codex_impl", ""),
      signatureOf("transient", "codex_review", ""),
    ].map(({ signature }) => signature);
    expect(new Set([one.signature, ...others]).size).toBe(6);
  });

  it.each([
    ["[12:00:01] failed", "[<time>] failed"],
    ["2026-02-18T12:00:00.123Z x 2026-02-18 12:00:00,5 y 9:05:06.7", "<time> x <time> y <time>"],
    ["id 123e4567-e89b-12d3-a456-426614174000.", "id <uuid>."],
    ["at /home/ada/repo/x.js:12:5 in (12,5)", "at x.js:<place> in (<place>)"],
    ["at /home/ada/a-b/x.js:12", "at x.js:<place>"],
    ["C:\\Users\\ada\\x.js:1:2 and file:///tmp/y.js", "x.js:<place> and y.js"],
    ["GET https://api.example.com/v1/chat failed", "GET https://api.example.com/v1/chat failed"],
    ["src/x.js line 12, column 5", "src/x.js line <place>, column <place>"],
    ["run 1700000000 of 20260218-001 in deadbeef0 at 0x7ffd12345678", "run <id> of <id> in <id> at <id>"],
    ["\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u0000", "red x"],
    ["key sk-abcdefghij1234 and Bearer abc.def", "key <key> and <key>"],
    ["exit code 137 after 3 tries, ORA-12154", "exit code 137 after 3 tries, ORA-12154"],
    ["~/.config/tool/a.json and /", "a.json and /"],
  ])("[PACKET-65] %j", (text, expected) => {
    expect(normalized(text)).toBe(expected);
    // What is normalised stays as it is.
    expect(normalized(expected)).toBe(expected);
  });

  it.each([
    [
      "pid 22711 and PID=3, process 40, thread #7, port 8080",
      "pid <id> and PID=<id>, process <id>, thread #<id>, port <id>",
    ],
    ["codex[22711]: no", "codex[<id>]: no"],
    ["connect ECONNREFUSED 127.0.0.1:54321", "connect ECONNREFUSED 127.0.0.1:<id>"],
    ["gave up after 1234ms, 3.5 s and 2 minutes; 12345 bytes", "gave up after <time>, <time> and <time>; <id> bytes"],
    ["/tmp/run-aB3dE9/x.js, /tmp/tmp.x7Yq2LmN0p, /var/tmp/plugin-a1b2c3.json", "x.js, tmp.<id>, plugin-<id>.json"],
    ["/tmp/tmpabcdefgh and /home/ada/a1b2c3/a1b2c3.js", "<id> and a1b2c3.js"],
    ["HTTP 503, TS2345, version 1.12345.6, 2026", "HTTP 503, TS2345, version 1.12345.6, 2026"],
  ])("[PACKET-65] %j", (text, expected) => {
    expect(normalized(text)).toBe(expected);
    expect(normalized(expected)).toBe(expected);
  });

  it("[PACKET-65] takes 500 code points after masking", () => {
    expect(Array.from(normalized("ä".repeat(600)))).toHaveLength(500);
    expect(normalized(`${"2026-02-18T12:00:00.123456Z ".repeat(30)}end`)).toContain("end");
  });

  it("[PACKET-65] does not change with what is masked", () => {
    const two = (digits: fc.Arbitrary<number>): fc.Arbitrary<string> => digits.map((n) => String(n).padStart(2, "0"));
    const time = fc.tuple(two(fc.nat(23)), two(fc.nat(59)), two(fc.nat(59))).map((parts) => parts.join(":"));
    const hex = (least: number, most: number): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(...Array.from("0123456789abcdef")), { minLength: least, maxLength: most })
        .map((all) => all.join(""));
    const folder = fc.array(fc.constantFrom("home", "a-b", "2026-01-01", "x_1", "12:00"), {
      minLength: 1,
      maxLength: 5,
    });
    const masked = fc.record({
      time,
      date: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
      uuid: fc.uuid(),
      hex: hex(8, 64),
      number: fc.bigInt(10n ** 9n, 10n ** 18n).map(String),
      folder: folder.map((parts) =>
        parts
          .filter((part) => !part.includes(":"))
          .map((part) => `/${part}`)
          .join(""),
      ),
      line: fc.integer({ min: 1, max: 99_999 }),
      column: fc.integer({ min: 1, max: 999 }),
    });
    const text = (m: typeof masked extends fc.Arbitrary<infer T> ? T : never): string =>
      `[${m.time}] ${m.date} request ${m.uuid} of ${m.hex} (${m.number})\n` +
      `  at f (${m.folder}/index.js:${m.line}:${m.column}) \u001b[3${m.line % 8}mline ${m.line}\u001b[0m`;
    fc.assert(
      fc.property(masked, masked, (a, b) => {
        expect(sig(text(a))).toBe(sig(text(b)));
      }),
    );
  });

  it("[PACKET-65] never throws, and takes time in proportion to the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(normalized(text).isWellFormed()).toBe(true);
      }),
    );
    for (const text of [
      "/",
      "a/",
      "\u001b]",
      "1:",
      "x.a1:",
      "<a",
      "0x",
      " ",
      "line ",
      "Bearer ",
      "pid ",
      "[1",
      "/tmp/a1",
      "1 ",
    ]) {
      normalized(`${text.repeat(2000)}\n`.repeat(100));
    }
  });
});
