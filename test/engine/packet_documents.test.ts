import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { parseConfig, parseManifest } from "../../src/engine/projection/packet_documents.ts";
import { manifestYaml } from "../../src/projections/packet/index.ts";
import { BUILT_IN_CONFIG } from "../../src/rules/packet/built_in_config.ts";
import { manifest } from "../support/packet.ts";
import { pipelineFile, servantFile } from "../support/packet_config.ts";

const TEXT = `task_id: TASK-001
goal: Parse every sample
routing:
  intent: safe_impl
scope:
  allow: [src/, test/]
  deny: [src/generated/]
acceptance:
  commands: [npm test]
  criteria:
    - every sample parses
budgets:
  retry_budget: 2
  paid_call_budget: 10
  max_wallclock_sec: 900
context:
  digest_policy: auto
`;

const parse = (text: string) => parseManifest(text, BUILT_IN_CONFIG, yaml);
const faults = (text: string): string[] => parse(text).errors.map(({ field, reason }) => `${field} ${reason}`);
const messages = (text: string): string =>
  parse(text)
    .errors.map(({ message }) => message)
    .join("\n");

describe("a manifest as text", () => {
  it("[PACKET-8] is read as YAML 1.2, with CRLF and a byte order mark too", () => {
    expect(parse(TEXT)).toEqual({ manifest: manifest(), errors: [], warnings: [] });
    expect(parse(`\uFEFF---\n${TEXT}`.replaceAll("\n", "\r\n")).manifest).toEqual(manifest());
    expect(parse(JSON.stringify(manifest())).manifest).toEqual(manifest());
    expect(parse(manifestYaml(manifest())).manifest).toEqual(manifest());
  });

  it("[PACKET-8] may say digest_policy: off without quotes", () => {
    const off = TEXT.replace("digest_policy: auto", "digest_policy: off");
    expect(parse(off).manifest?.context.digest_policy).toBe("off");
    expect(messages(TEXT.replace("digest_policy: auto", "digest_policy: false"))).toBe(
      'Expected context.digest_policy to be one of off, auto, aggressive, found false. Write "off" in quotes.',
    );
  });

  it.each([
    ["no", "false"],
    ["off", "false"],
    ["Yes", "true"],
    ["on", "true"],
    ["n", "false"],
  ])("[PACKET-8] with a flag of %s is refused with a hint", (word, meant) => {
    const text = TEXT.replace(
      "  intent: safe_impl\n",
      `  intent: safe_impl\n  pipeline: {flags: {enable_brief: ${word}}}\n`,
    );
    expect(messages(text)).toBe(
      `Expected routing.pipeline.flags.enable_brief to be true or false, found "${word}". ${word} is text in YAML 1.2: write ${meant}.`,
    );
  });

  it.each(["010", "0o17", "0x1F", "1e3", "+2"])(
    "[PACKET-8] with a number %s that readers take differently is refused",
    (number) => {
      const text = TEXT.replace("retry_budget: 2", `retry_budget: ${number}`);
      expect(faults(text)).toEqual(["budgets.retry_budget type"]);
      expect(messages(text)).toContain(`found ${number}`);
    },
  );

  it("[PACKET-8] with texts that are numbers or maps says how to write them", () => {
    expect(messages(TEXT.replace("TASK-001", "20260218"))).toContain('Write it in quotes: "20260218".');
    expect(faults(TEXT.replace("commands: [npm test]", "commands: [001, 1.5]"))).toEqual([
      "acceptance.commands[0] type",
      "acceptance.commands[1] type",
    ]);
    expect(messages(TEXT.replace("- every sample parses", "- every sample: parses"))).toContain("stands in quotes");
    expect(faults(TEXT.replace("[npm test]", "npm test"))).toEqual(["acceptance.commands type"]);
  });

  it("[PACKET-1] may have keys that are no field: they are kept, and one warning names them", () => {
    const { manifest: read, errors, warnings } = parse(`${TEXT}owner: ada\nsecurty:\n  forbidden_paths: [.env]\n`);
    expect(errors).toEqual([]);
    expect(read).toEqual({ ...manifest(), owner: "ada", securty: { forbidden_paths: [".env"] } });
    expect(warnings).toEqual([
      {
        code: "MANIFEST_KEY_UNKNOWN",
        message: '"owner", "securty" are no fields of a manifest: kept for other programs, without effect here.',
        recovery:
          "Fields are task_id, goal, routing, scope, acceptance, budgets, context, security. If one of these was meant, correct the name.",
      },
    ]);
    expect(parse(manifestYaml(read!)).manifest).toEqual(read);
  });

  it("[PACKET-3] evaluates no expression", () => {
    expect(faults(TEXT.replace("paid_call_budget: 10", "paid_call_budget: 'used[$(touch x)0]+9'"))).toEqual([
      "budgets.paid_call_budget type",
    ]);
  });

  it.each([
    ["no YAML", "a: [1", /line 1/],
    ["several documents", `${TEXT}---\n${TEXT}`, /documents/],
    ["conflict markers", TEXT.replace("goal:", "<<<<<<< HEAD\ngoal:"), /conflict marker of git in line 2/],
    ["conflict markers after CRLF", TEXT.replace("goal:", "<<<<<<< HEAD\ngoal:").replaceAll("\n", "\r\n"), /line 2/],
    ["half of a conflict", TEXT.replace("scope:", "=======\nscope:"), /line 5/],
    ["an alias of nothing", TEXT.replace("Parse every sample", "*nothing"), /alias/i],
    ["an alias of itself", TEXT.replace("allow: [src/, test/]", "allow: &a [*a]"), /inside of itself/],
    ["aliases that explode", bomb(), /aliases written out, found more/],
    ["a tag", TEXT.replace("Parse every sample", "!!js/function x"), /tag/i],
    ["more than a mebibyte", `# ${"x".repeat(1024 * 1024)}\n${TEXT}`, /1048576 bytes/],
    ["too deep", `a: ${"[".repeat(100)}${"]".repeat(100)}`, /64 levels/],
    ["a tab", TEXT.replace("  intent", "\tintent"), /line/],
  ])("[PACKET-8] of %s is one fault of the document", (_what, text, message) => {
    const { manifest: read, errors } = parse(text);
    expect(read).toBeNull();
    expect(errors).toMatchObject([{ field: "", reason: "yaml" }]);
    expect(errors[0]?.message).toMatch(message);
    expect(errors[0]?.message).toMatch(/^Expected the document to [^\n]*\.$/);
  });

  it.each([
    ["of the document", `${TEXT}goal: Another\n`, "goal"],
    ["of a block", TEXT.replace("  intent:", "  intent: safe_impl\n  intent:"), "routing.intent"],
    ["that is no plain name", TEXT.replace("  intent:", '  "a b": 1\n  "a b": 1\n  intent:'), 'routing["a b"]'],
    ["of an item of a list", `${TEXT}more: [1, {of: 1, of: 1}]\n`, "more[1].of"],
  ])("[PACKET-8] a key %s that stands twice is the field of its fault", (_what, text, field) => {
    const { manifest: read, errors } = parse(text);
    expect(read).toBeNull();
    expect(errors).toMatchObject([{ field, reason: "duplicate" }]);
    expect(errors[0]?.message).toMatch(/keys that are unique, found "(?:goal|intent|a b|of)" twice\.$/);
  });

  it("[PACKET-8] without content is a fault of the document, and a few aliases are none", () => {
    for (const text of ["", "# nothing\n", "---\n", "null"]) expect(faults(text)).toEqual([" type"]);
    const aliased = TEXT.replace("allow: [src/, test/]", "allow: &own [src/]").replace("[src/generated/]", "*own");
    expect(parse(aliased).manifest?.scope).toEqual({ allow: ["src/"], deny: ["src/"] });
    expect(faults(TEXT.replace("scope:\n", "scope:\n  <<: {}\n"))).toEqual(['scope["<<"] unknown_key']);
  });
});

describe("configuration as texts", () => {
  const files = [
    { path: "servant/codex.yaml", text: yaml.stringify(servantFile()) },
    { path: "pipeline/impl.yaml", text: yaml.stringify(pipelineFile()) },
  ];

  it("[PACKET-12] is read from all files", () => {
    const { config, errors } = parseConfig(files, yaml);
    expect(errors).toEqual([]);
    expect(config?.origins["servant codex"]).toBe("servant/codex.yaml");
  });

  it("[PACKET-12] has the faults of texts and of fields together, with their files", () => {
    const broken = [
      { path: "servant/codex.yaml", text: files[0]!.text.replace("600", "0600").replace("stdin", "pipe") },
      { path: "pipeline/impl.yaml", text: "group: [" },
    ];
    const { config, errors } = parseConfig(broken, yaml);
    expect(config).toBeNull();
    expect(errors.map(({ file, field, reason }) => `${file} ${field} ${reason}`)).toEqual([
      "pipeline/impl.yaml  yaml",
      "servant/codex.yaml prompt enum",
      "servant/codex.yaml timeout_sec type",
    ]);
  });
});

/** Nine anchors, each of ten of the one before. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, i) => {
    const item = i === 0 ? "xxxxxxxxxx" : `*a${i - 1}`;
    return `a${i}: &a${i} [${Array(10).fill(item).join(", ")}]`;
  });
  return `${lines.join("\n")}\n`;
}
