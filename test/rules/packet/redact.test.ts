import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoted } from "../../../src/state/shell_quote.ts";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import { readManifest } from "../../../src/rules/packet/manifest.ts";
import type { Redacted } from "../../../src/rules/packet/redact.ts";
import { redactor, redactorOf } from "../../../src/rules/packet/redact.ts";
import type { Manifest } from "../../../src/state/packet.ts";
import { manifest } from "../../support/packet.ts";
import { runsOf, SWEEP, ROTATING } from "../../support/sweep.ts";

function redacted(text: string, security?: Manifest["security"]): Redacted {
  const made = redactor(security);
  if ("errors" in made) throw new Error(JSON.stringify(made.errors));
  return made.redact(text);
}

const textOf = (text: string, security?: Manifest["security"]): string => redacted(text, security).text;

/** Put together from parts: scanners of secrets read this file too. */
const key = (...parts: string[]): string => parts.join("");
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const BEGIN = key("-----BEGIN ", "PRIVATE KEY-----");
const END = key("-----END ", "PRIVATE KEY-----");
const BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7".repeat(2);

describe("known secrets", () => {
  it.each([
    ["api_key", key("sk-", LETTERS)],
    ["api_key", key("sk-ant-", LETTERS)],
    ["api_key", key("sk-proj-", LETTERS)],
    ["stripe_key", key("sk_live_", LETTERS)],
    ["github_token", key("ghp_", LETTERS)],
    ["github_token", key("gho_", LETTERS)],
    ["github_token", key("ghs_", LETTERS)],
    ["github_token", key("github_pat_", LETTERS)],
    ["gitlab_token", key("glpat-", LETTERS)],
    ["npm_token", key("npm_", LETTERS)],
    ["slack_token", key("xoxb-", "1234567890-abc")],
    ["google_key", key("AIza", LETTERS.slice(0, 35))],
    ["aws_access_key", key("AKIA", "ABCDEFGHIJKLMNOP")],
    ["json_web_token", key("eyJhbGciOiJI", ".eyJzdWIiOiIx", ".SflKxwRJSMeK")],
    ["private_key", `${BEGIN}\n${BASE64}\n${END}`],
    ...["hf_", "xai-", "hvs.", "dp.pt.", "pypi-AgE", "GOCSPX-", "shpat_", "ya29.", "ATATT3", "xapp-", "whsec_"].map(
      (begin): [string, string] => ["vendor_token", key(begin, LETTERS)],
    ),
    ["sendgrid_key", key("SG.", LETTERS.slice(0, 22), ".", LETTERS)],
    ["hexadecimal_key", key("dapi", "0123456789abcdef".repeat(2))],
    ["telegram_token", key("123456789:AA", LETTERS.slice(0, 33))],
    ["discord_token", key("MTA", LETTERS.slice(0, 23), ".abcdef.", LETTERS.slice(0, 27))],
  ])("[PACKET-26] of kind %s go, wherever they stand", (kind, secret) => {
    for (const [before, after] of [
      ["", ""],
      ["see ", " there"],
      ['"', '"'],
      ["(", ")"],
      ["x=", "\n"],
      ["\\n", "\\n"],
    ]) {
      const { text, redactions } = redacted(`${before}${secret}${after}`);
      expect(text).toBe(`${before}[REDACTED]${after}`);
      expect(redactions[kind]).toBe(1);
    }
  });

  it.each([
    ["Bearer abc.def-123", "Bearer [REDACTED]"],
    ["authorization: bearer xyz", "authorization: bearer [REDACTED]"],
    ["-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [REDACTED]'"],
    ["password=hunter2", "password=[REDACTED]"],
    ["DB_PASSWORD: hunter2 # old", "DB_PASSWORD: [REDACTED] # old"],
    ['{"password": "x", "user": "ada"}', '{"password": "[REDACTED]", "user": "ada"}'],
    ['{"a": "{\\"password\\": \\"x y\\"}"}', '{"a": "{\\"password\\": \\"[REDACTED]\\"}"}'],
    ['password = "two words"', 'password = "[REDACTED]"'],
    ["secret = 'it\\'s'", "secret = '[REDACTED]'"],
    ["api_key: abc, user: ada", "api_key: [REDACTED], user: ada"],
    ["apiKey => 'abc'", "apiKey => '[REDACTED]'"],
    ["access_token=abc;", "access_token=[REDACTED];"],
    ["AWS_SECRET_ACCESS_KEY=wJalr/XUtn+FEMI", "AWS_SECRET_ACCESS_KEY=[REDACTED]"],
    ["GITHUB_TOKEN=abc", "GITHUB_TOKEN=[REDACTED]"],
    ["password=Ab3(xyz9", "password=[REDACTED]"],
    ["password=correct.horse.battery", "password=[REDACTED]"],
    ["password=config.x!9", "password=[REDACTED]"],
    ['password = "read(this)"', 'password = "[REDACTED]"'],
    ["password=none-of-yours", "password=[REDACTED]"],
    ["password=$2b$10$abc", "password=[REDACTED]"],
    ["postgres://ada:hunter2@db/x", "postgres://ada:[REDACTED]@db/x"],
    ["curl -u ada:hunter2 https://x", "curl -u ada:[REDACTED] https://x"],
    ["tool --password hunter2 run", "tool --password [REDACTED] run"],
    ["mysql -phunter2 db", "mysql -p[REDACTED] db"],
    ["machine x login ada password hunter2", "machine x login ada password [REDACTED]"],
    ["DB_PASS=hunter2", "DB_PASS=[REDACTED]"],
    ["Set-Cookie: session=0123456789abcdef; Path=/", "Set-Cookie: session=[REDACTED]; Path=/"],
    ["a=1&password%3Dhunter2", "a=1&password%3D[REDACTED]"],
    ["x?sv=1&sig=0123456789abcdef0123456789abcdef%3D", "x?sv=1&sig=[REDACTED]"],
    ["https://hooks.slack.com/services/T0/B0/0123456789abcdef", "https://hooks.slack.com/services/[REDACTED]"],
    ["-u ada:hunter2", "-u ada:[REDACTED]"],
    ["curl -s -uada:hunter2 https://x", "curl -s -uada:[REDACTED] https://x"],
    ["curl --user 'ada:two words' https://x", "curl --user 'ada:[REDACTED]' https://x"],
    ["tool --password 'two words' run", "tool --password '[REDACTED]' run"],
    ['["tool","--password","hunter2"]', '["tool","--password","[REDACTED]"]'],
    ["[ 'curl',\n  '-u', 'ada:hunter2' ]", "[ 'curl',\n  '-u', 'ada:[REDACTED]' ]"],
    ["postgres://ada:hunt@er2@db/x", "postgres://ada:[REDACTED]@db/x"],
    ["<password>hunter2</password>", "<password>[REDACTED]</password>"],
    ["TOKEN=hunter2 npm test", "TOKEN=[REDACTED] npm test"],
    [`PASSWORD="a b"'c d' npm test`, "PASSWORD=[REDACTED] npm test"],
    [`export PASSWORD='a b'"c d"e; npm test`, "export PASSWORD=[REDACTED]; npm test"],
    [`TOKEN=ab'c d'"e f" npm test`, "TOKEN=[REDACTED] npm test"],
    [`tool --password "ab cd"'e f' run`, "tool --password [REDACTED] run"],
    [String.raw`PASSWORD='it'\''s my secret pass' npm test`, "PASSWORD=[REDACTED] npm test"],
    [String.raw`PASSWORD="a b"\ c npm test`, "PASSWORD=[REDACTED] npm test"],
    [String.raw`PASSWORD="a b"$'c\'d e' npm test`, "PASSWORD=[REDACTED] npm test"],
    [String.raw`TOKEN=ab'c d'ef\ gh npm test`, "TOKEN=[REDACTED] npm test"],
    [String.raw`TOKEN=abcd\ ef; npm test`, "TOKEN=[REDACTED]; npm test"],
    [`PASSWORD="a b"cd"e"f npm test`, "PASSWORD=[REDACTED] npm test"],
    [`PASSWORD=${quoted("a'b c'd e")} npm test`, "PASSWORD=[REDACTED] npm test"],
    [`PASSWORD='a b'${"'c d'e\\ ".repeat(40)}f g`, "PASSWORD=[REDACTED] g"],
    // What is no part of a word stays.
    [`password: "hunter2".`, `password: "[REDACTED]".`],
    [String.raw`password="hunter2"\nuser="bob"`, String.raw`password="[REDACTED]"\nuser="bob"`],
    // In quotes, the quote behind a value ends them.
    [`sh -c 'password=foo' 'x y'`, `sh -c 'password=[REDACTED]' 'x y'`],
    [`sh -c "password='x'" "y" z`, `sh -c "password='[REDACTED]'" "y" z`],
  ])("[PACKET-26] go out of %s", (text, clean) => {
    expect(textOf(text)).toBe(clean);
    expect(redacted(clean)).toEqual({ text: clean, redactions: {}, forbidden: {} });
  });

  const green = (text: string): string => `\u001b[32m${text}\u001b[39m`;
  it.each([
    [green(key("sk-", LETTERS)), green("[REDACTED]")],
    [green("Bearer abc.def-123"), green("Bearer [REDACTED]")],
    [JSON.stringify(green(key("AKIA", "ABCDEFGHIJKLMNOP"))), JSON.stringify(green("[REDACTED]"))],
    [`{ ${green("password")}: ${green("'hunter2'")} }`, `{ ${green("password")}: \u001b[32m'[REDACTED]'\u001b[39m }`],
    ["\\x1b[1mpassword:\\x1b[22m hunter2", "\\x1b[1mpassword:\\x1b[22m [REDACTED]"],
    [key("ghp_", "\u001b[1;31m\u001b[K", LETTERS, "\u001b[m."), "[REDACTED]\u001b[m."],
    [key("key\u001b[20G", "sk-", LETTERS), "key\u001b[20G[REDACTED]"],
    [`${BEGIN}\n\u001b[2m${BASE64}\u001b[0m\n${END}`, "[REDACTED]"],
    [`${key("ghp_", LETTERS.slice(0, 9), "\u200B", LETTERS.slice(9))} after`, "[REDACTED] after"],
    ...["\u034F", "\u061C", "\u200E", "\u202C", "\u2066", "\uFE0F", "\u{E0020}", "\\u200b", "\\u00AD"].map(
      (none): [string, string] => [
        `${key("ghp_", LETTERS.slice(0, 9), none, LETTERS.slice(9))} after`,
        "[REDACTED] after",
      ],
    ),
    [`password: hun\u00ADter22\uFEFF`, "password: [REDACTED]\uFEFF"],
  ])("[PACKET-28] go out of the colours of %j", (text, clean) => {
    expect(textOf(text)).toBe(clean);
    expect(textOf(clean)).toBe(clean);
  });

  it("[PACKET-28] is what a manifest names as well, and a text without a secret keeps its colours", () => {
    const security = { redaction_patterns: ["code-\\d+"], forbidden_paths: ["secrets/"] };
    expect(textOf(`${green("code-")}42 in ${green("secrets/")}a`, security)).toBe(
      "\u001b[32m[REDACTED] in \u001b[32m[FORBIDDEN_PATH]",
    );
    expect(textOf(green("ok"), security)).toBe(green("ok"));
  });

  it.each([
    "a Bearer token is needed",
    "task-2026-some-long-name-of-a-task",
    "password: string;",
    "password: string | null",
    "password = process.env.DB_PASSWORD",
    "password=${DB_PASSWORD}",
    "password: <your password>",
    "password: [REDACTED]",
    "the secretary: Jane",
    "max_token: 500",
    "https://example.org/a:b@c",
    "AKIAshort",
    "run it with --token and --password or with --secret",
    "npm test -u snapshots:all-of-them".replace(":", " "),
    "git push -u origin main",
    "xai-short",
    "shf_abcdefghijklmnopqrstuvwxyz",
    "compass: north",
    "login as ada, then type your password",
    "npm view -u https://registry.example.org",
    "the word TOKEN: an identifier",
    "const TOKEN=read(line);",
    "<password>${env.PW}</password>",
    '["--token", "--password", "-u"]',
  ])("[PACKET-26] are not seen in %s", (text) => {
    expect(redacted(text)).toEqual({ text, redactions: {}, forbidden: {} });
  });

  it.each([
    'password = os.getenv("PW")',
    "user_token = cfg.get(name)",
    "secret: hash(x)",
    "const api_key = await vault.read(path);",
    "user_token: request.headers['x']",
    "self.password = self.options.password",
    "access_token = req?.token;",
  ])("[PACKET-26] are not seen in the code of %s", (text) => {
    expect(textOf(text)).toBe(text);
  });

  it("[PACKET-26] of several lines go whole, also where the end is cut off", () => {
    const cut = `a\n${BEGIN}\n${BASE64}\n${BASE64}`;
    expect(textOf(`a\n${BEGIN}\n${BASE64}\n${END}\nb`)).toBe("a\n[REDACTED]\nb");
    expect(textOf(cut)).toBe("a\n[REDACTED]");
    expect(textOf(`${cut}\n\nprose after it`)).toBe("a\n[REDACTED]\n\nprose after it");
    expect(textOf(`"${BEGIN}\\n${BASE64}\\n${END}\\n"`)).toBe('"[REDACTED]\\n"');
    expect(redacted(`${BEGIN} ${BEGIN}\n${BASE64}\n${END}`).redactions).toEqual({ private_key: 2 });
  });

  it("[PACKET-26] are found in the worst of texts before the test runs out of time", ROTATING, () => {
    const horrors = [
      BEGIN,
      "-----BEGIN ",
      "password=",
      'password="',
      "://",
      "eyJaaaaaaaa.",
      "Bearer ",
      "sk-",
      'secret=\\"',
      "a:",
      `PASSWORD="a""b" `,
      `PASSWORD="a"'`,
      `PASSWORD='a'\\''`,
      `PASSWORD="a"$'`,
    ];
    for (const horror of horrors) {
      const text = horror.repeat(Math.ceil((256 * 1024) / horror.length));
      expect(redacted(text).text.length, horror).toBeGreaterThan(0);
    }
  });

  it("[PACKET-26] are gone, whatever stands beside them", SWEEP, () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "password",
        "=",
        ": ",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        "secret",
        BEGIN,
        END,
        "Bearer ",
        "://u:",
        "@",
        "[REDACTED]",
      ),
      fc.constantFrom(
        key(" sk-", LETTERS),
        key("\\nsk-", LETTERS),
        key("ghp_", LETTERS),
        BASE64,
        "AKIA",
        "abc",
        "true",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(textOf(pieces.join(""))).not.toMatch(/sk-[a-z0-9]{20}|ghp_[a-z0-9]{30}/);
      }),
      runsOf(2000),
    );
  });
});

describe("patterns of a manifest", () => {
  it("[PACKET-25] are expressions of RE2, flags in front included", () => {
    expect(textOf("Internal-42 internal-7", { redaction_patterns: ["(?i)internal-[0-9]+"] })).toBe(
      "[REDACTED] [REDACTED]",
    );
    expect(textOf("a\nb secret\n", { redaction_patterns: ["(?s)a.b", "(?P<word>se\\w+)"] })).toBe(
      "[REDACTED] [REDACTED]\n",
    );
    expect(textOf("é😀x", { redaction_patterns: ["😀"] })).toBe("é[REDACTED]x");
  });

  it("[PACKET-25] that match nothing take nothing out", () => {
    expect(redacted("abc", { redaction_patterns: ["x*", "", "^"] })).toEqual({
      text: "abc",
      redactions: {},
      forbidden: {},
    });
    expect(textOf("axxb", { redaction_patterns: ["x*"] })).toBe("a[REDACTED]b");
  });

  it.each(["(?=x)", "(?<!x)y", "(a)\\1", "a++", "(?>a)", "(?x)a", "a\\Z", "(", "[", "*", "a{1001}", "\\u0041"])(
    "[PACKET-25] that do not compile are faults: %s",
    (pattern) => {
      const security = { redaction_patterns: ["ok", pattern, "fine"] };
      const made = redactor(security);
      expect(made).toMatchObject({ errors: [{ field: "security.redaction_patterns[1]", reason: "pattern" }] });
      const { errors } = readManifest({ ...manifest(), security }, BUILT_IN_CONFIG);
      expect(errors).toEqual("errors" in made ? made.errors : null);
      expect(errors[0]?.message).toContain("Look-around, back-references");
    },
  );

  it("[PACKET-25] of a size that would make each character dear are faults", () => {
    const large = `(?:${"x{1000}".repeat(12)})`;
    expect(redactor({ redaction_patterns: [large] })).toMatchObject({ errors: [{ reason: "too_large" }] });
  });

  it("[PACKET-25] that are too large together are one fault, and a log that has them keeps them", () => {
    const security = { redaction_patterns: ["x{1000}", "y{1000}", "z{1000}", "u{1000}", "v{1000}"] };
    const { errors } = readManifest({ ...manifest(), security }, BUILT_IN_CONFIG);
    expect(errors).toMatchObject([{ field: "security.redaction_patterns", reason: "too_slow" }]);
    expect(redactorOf(security).redact("x".repeat(1000)).text).toBe("[REDACTED]");
    const four = { redaction_patterns: security.redaction_patterns.slice(0, 4) };
    expect(readManifest({ ...manifest(), security: four }, BUILT_IN_CONFIG).errors).toEqual([]);
  });

  it.each(["(a+)+$", "(a|a)*b", "(a*)*c", "(a|aa)+$", "(.*a){12}x"])(
    "[PACKET-25] that explode elsewhere come to an end: %s",
    (pattern) => {
      expect(textOf(`${"a".repeat(50_000)}!`, { redaction_patterns: [pattern] })).toContain("!");
    },
  );
});

describe("forbidden paths", () => {
  const security = { forbidden_paths: [".env", "secrets/", "config/prod.yaml", "/etc/passwd"] };

  it.each([
    [".env", "[FORBIDDEN_PATH]"],
    ["cat .env && ls", "cat [FORBIDDEN_PATH] && ls"],
    ["./.env", "./[FORBIDDEN_PATH]"],
    ["a/.env:3", "a/[FORBIDDEN_PATH]:3"],
    ["See `.env`.", "See `[FORBIDDEN_PATH]`."],
    [".env.local", "[FORBIDDEN_PATH].local"],
    ["secrets/prod/key.pem is", "[FORBIDDEN_PATH] is"],
    ["secrets\\prod.key", "[FORBIDDEN_PATH]"],
    ["a\\n.env b", "a\\n[FORBIDDEN_PATH] b"],
    ["+++ b/config/prod.yaml\t2026", "+++ b/[FORBIDDEN_PATH]\t2026"],
    ["file:///etc/passwd", "file://[FORBIDDEN_PATH]"],
  ])("[PACKET-27] go where they stand as paths: %s", (text, clean) => {
    expect(textOf(text, security)).toBe(clean);
  });

  it.each([
    "my.environment",
    "process.env",
    ".environment",
    "the secrets of it",
    "mysecrets/x",
    "config/prod.yaml2",
    "/srv/etc/passwd",
  ])("[PACKET-27] are not seen in %s", (text) => {
    expect(textOf(text, security)).toBe(text);
  });

  it("[PACKET-27] are literal texts", () => {
    expect(textOf("a+b(c) aab", { forbidden_paths: ["a+b(c)"] })).toBe("[FORBIDDEN_PATH] aab");
    expect(textOf("app/[id].ts", { forbidden_paths: ["./app/[id].ts"] })).toBe("[FORBIDDEN_PATH]");
    const fault = (path: string): unknown =>
      readManifest({ ...manifest(), security: { forbidden_paths: ["ok", path] } }, BUILT_IN_CONFIG).errors;
    for (const path of [".", "/", "./", "*.pem", "secrets/**"])
      expect(fault(path), path).toMatchObject([{ field: "security.forbidden_paths[1]", reason: "path" }]);
  });
});

describe("all rules together", () => {
  it("[PACKET-28] look at the text as it was given, and what overlaps is taken out once", () => {
    const token = key("ghp_", LETTERS);
    const security = { redaction_patterns: ["ghp_\\w+ ticket-\\d+", "ticket"], forbidden_paths: ["secrets/"] };
    expect(redacted(`x ${token} ticket-42 y secrets/a ticket`, security)).toEqual({
      text: "x [REDACTED] y [FORBIDDEN_PATH] [REDACTED]",
      redactions: { github_token: 1, "redaction_patterns[0]": 1, "redaction_patterns[1]": 2 },
      forbidden: { "forbidden_paths[0]": 1 },
    });
    expect(textOf(`secrets/${token}`, security)).toBe("[REDACTED]");
  });

  it("[PACKET-28] never say what they found", () => {
    const found = redacted("password=hunter2 secrets/hunter2", { forbidden_paths: ["secrets/"] });
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });
});
