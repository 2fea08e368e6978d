import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outline } from "../../src/state/outline.ts";
import { digest } from "../../src/state/packet_digest.ts";

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");

const PACK = `# Pack

## 0. Goal
A parser.

\`\`\`sh
# no heading
## neither
\`\`\`

## 4. Fixed Decisions
${lines(45, "decision")}
## 7. Current State
${lines(500, "state")}
# Scope of it
Only src.

### Below
Still scope.
`;

describe("digest", () => {
  it("[PACKET-46] follows the policy", () => {
    expect(digest(PACK, "off")).toBeNull();
    expect(digest(PACK, "auto")).toBeNull();
    expect(digest(PACK, "aggressive")).not.toBeNull();
    expect(digest(`${PACK}${"ä".repeat(4000)}`, "auto")).not.toBeNull();
    expect(digest("x".repeat(8000), "auto")).toBeNull();
    expect(digest("x".repeat(8001), "auto")).not.toBeNull();
    expect(digest(" \n", "aggressive")).toBeNull();
  });

  it("[PACKET-46] keeps what says goal, scope and decisions, 40 lines of each", () => {
    expect(digest(PACK, "aggressive")).toBe(`# Context Pack Digest

## 0. Goal
A parser.

\`\`\`sh
# no heading
## neither
\`\`\`

## 4. Fixed Decisions
${lines(40, "decision")}
... [5 lines left out]

# Scope of it
Only src.

### Below
Still scope.
`);
  });

  it("[PACKET-46] keeps the beginning where no section is one of those", () => {
    const text = digest(`## Notes\n${lines(150, "note")}`, "aggressive");
    expect(text).toBe(`# Context Pack Digest\n\n## Notes\n${lines(99, "note")}\n... [51 lines left out]\n`);
  });

  it("[PACKET-46] closes a block of code that it cuts", () => {
    const text = digest(`## Goal\n~~~~sh\n${lines(60, "echo")}~~~~\n## Scope\nsrc\n`, "aggressive")!;
    expect(text).toContain("echo 38\n~~~~\n\n... [22 lines left out]\n\n## Scope\nsrc\n");
    expect(outline(text).map(({ title }) => title)).toEqual(["Context Pack Digest", "Goal", "Scope"]);
    const last = digest(`## Goal\n~~~~sh\n${lines(39, "echo")}~~~~\n## Scope\nsrc\n`, "aggressive")!;
    expect(last).toContain("echo 38\n~~~~\n\n... [1 lines left out]\n\n## Scope\n");
    const whole = digest(`## Goal\n~~~~sh\n${lines(38, "echo")}~~~~\n${lines(9, "more")}`, "aggressive")!;
    expect(whole).toContain("echo 37\n~~~~\n\n... [9 lines left out]\n");
  });

  it("[PACKET-46] cuts lines that no one can read", () => {
    expect(digest(`## Goal\n${"x".repeat(100_000)}\n`, "aggressive")!.length).toBeLessThan(2100);
  });

  it("[PACKET-46] says the same of LF and CRLF, and never throws", () => {
    expect(digest(PACK.replaceAll("\n", "\r\n"), "aggressive")).toBe(digest(PACK, "aggressive"));
    const part = fc.constantFrom("## Goal", "# x", "```", "~~~sh", "text", "", "- a", "<!--");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 120 }), (parts) => {
        const text = digest(parts.join("\n"), "aggressive");
        expect(digest(parts.join("\r\n"), "aggressive")).toBe(text);
        expect(text?.split("\n").length ?? 0).toBeLessThan(parts.length + 200);
      }),
    );
  });
});
