import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import type { FieldFault } from "../../../src/rules/packet/field_fault.ts";
import { readManifest } from "../../../src/rules/packet/manifest.ts";
import { attachmentFault, inputFault, scopeFault } from "../../../src/rules/packet/packet_path.ts";
import { fullManifest, manifest, withMember } from "../../support/packet.ts";
import { runsOf, SWEEP } from "../../support/sweep.ts";

const REQUIRED = [
  "task_id",
  "goal",
  "routing.intent",
  "scope.allow",
  "scope.deny",
  "acceptance.commands",
  "acceptance.criteria",
  "budgets.retry_budget",
  "budgets.paid_call_budget",
  "budgets.max_wallclock_sec",
  "context.digest_policy",
];

function faultsOf(value: unknown): FieldFault[] {
  return readManifest(value, BUILT_IN_CONFIG).errors;
}

/** Fields and reasons of the faults after one member is changed. */
function after(path: readonly (string | number)[], to: unknown, start: object = fullManifest()): string[] {
  return faultsOf(withMember(start, path, to)).map(({ field, reason }) => `${field} ${reason}`);
}

function messageAfter(path: readonly (string | number)[], to: unknown): string {
  return faultsOf(withMember(fullManifest(), path, to))[0]?.message ?? "";
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe("a manifest", () => {
  it("[PACKET-1] is taken with all fields, and with the required ones alone", () => {
    expect(readManifest(fullManifest(), BUILT_IN_CONFIG)).toEqual({ manifest: fullManifest(), errors: [] });
    expect(readManifest(manifest(), BUILT_IN_CONFIG)).toEqual({ manifest: manifest(), errors: [] });
  });

  it("[PACKET-1] is a copy in the order of the schema", () => {
    const given = Object.fromEntries(Object.entries(fullManifest()).toReversed());
    const read = readManifest(given, BUILT_IN_CONFIG).manifest;
    expect(JSON.stringify(read)).toBe(JSON.stringify(fullManifest()));
    expect(read?.scope).not.toBe(given["scope"]);
  });

  it.each(["routing", "routing.pipeline", "scope", "acceptance", "budgets", "context", "security", "routing.model"])(
    "[PACKET-1] has no unknown key below '%s'",
    (block) => {
      const path = [...block.split("."), "extra"];
      expect(after(path, 1)).toEqual([`${path.join(".")} unknown_key`]);
      expect(messageAfter(path, 1)).toMatch(/^Expected .*extra to be one of .*, found an unknown key\.$/);
    },
  );

  it("[PACKET-2] with nothing in it has one fault for each required field", () => {
    expect(faultsOf({}).map(({ field, reason }) => [field, reason])).toEqual(
      REQUIRED.map((field) => [field, "missing"]),
    );
  });

  it.each(["routing", "scope", "acceptance", "budgets", "context"])(
    "[PACKET-2] without %s, or with an empty one, has one fault for each required field below it",
    (block) => {
      const below = REQUIRED.filter((field) => field.startsWith(`${block}.`)).map((field) => `${field} missing`);
      for (const empty of [undefined, null, {}]) expect(after([block], empty, manifest())).toEqual(below);
      expect(after([block], "text")).toEqual([`${block} type`]);
    },
  );

  it.each(REQUIRED)("[PACKET-2] without %s, or with nothing after it, lacks that field alone", (field) => {
    expect(after(field.split("."), undefined)).toEqual([`${field} missing`]);
    expect(after(field.split("."), null)).toEqual([`${field} missing`]);
  });

  it("[PACKET-2] has all its faults at once, each with what was expected and what was found", () => {
    const value = {
      task_id: "a/b",
      goal: " ",
      routing: {
        intent: "fast",
        model: { codex: "gpt-1", claude: "x" },
        pipeline: { profile: "none", flags: { enable_brief: "no", enable_fun: true }, options: { impl_mode: "quick" } },
      },
      scope: { allow: ["../up", 3], deny: "src" },
      acceptance: { commands: [""], criteria: [null] },
      budgets: { retry_budget: 1.5, paid_call_budget: "used[$(touch x)0]+9", max_wallclock_sec: 0 },
      context: { digest_policy: "never" },
      security: { redaction_patterns: ["ok", "(?=x)"], forbidden_paths: ["*.pem"] },
      more: 1.5,
    };
    const faults = faultsOf(value);
    expect(faults.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      "task_id pattern",
      "goal empty",
      "routing.intent enum",
      "routing.model.claude unknown_key",
      "routing.pipeline.flags.enable_brief type",
      "scope.allow[1] type",
      "scope.deny type",
      "acceptance.commands[0] empty",
      "acceptance.criteria[0] type",
      "budgets.retry_budget type",
      "budgets.paid_call_budget type",
      "budgets.max_wallclock_sec range",
      "context.digest_policy enum",
      "more type",
      "routing.model.codex model",
      "routing.pipeline.profile profile",
      "routing.pipeline.flags.enable_fun flag",
      "routing.pipeline.options.impl_mode option",
      "scope.allow[0] path",
      "security.redaction_patterns[1] pattern",
      "security.forbidden_paths[0] path",
    ]);
    for (const { field, message } of faults) expect(message.startsWith(`Expected ${field} to be `), message).toBe(true);
    expect(faults.find(({ field }) => field === "routing.intent")?.message).toBe(
      'Expected routing.intent to be one of safe_impl, one_shot_impl, design_only, review_only, review_cross, post_impl_review, found "fast".',
    );
  });

  it("[PACKET-2] names a key that is no plain name in brackets, and of many unknown keys the first hundred", () => {
    expect(after(["budgets", "a b"], 1)).toEqual(['budgets["a b"] unknown_key']);
    expect(after(["budgets", "__proto__ "], 1)).toEqual(['budgets["__proto__ "] unknown_key']);
    const extra = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, i]));
    const many = faultsOf(withMember(manifest(), ["budgets"], { ...manifest()["budgets"], ...extra }));
    expect(many).toHaveLength(101);
    expect(many.at(-1)?.message).toContain("50 more unknown keys");
  });

  it("[PACKET-1] keeps keys at its top that it does not know, behind its own and by code unit", () => {
    const more = { zeta: [1, { deep: [null, true, "x"] }], Alpha: { "a b": "", b: {} }, when: "2026-02-18" };
    const read = readManifest({ ...more, ...fullManifest() }, BUILT_IN_CONFIG);
    expect(read.errors).toEqual([]);
    expect(JSON.stringify(read.manifest)).toBe(
      JSON.stringify({ ...fullManifest(), Alpha: more.Alpha, when: more.when, zeta: more.zeta }),
    );
  });

  it.each([
    ["<<", {}, '["<<"] unknown_key'],
    ["__proto__", 1, "__proto__ unknown_key"],
    ["a", JSON.parse('{"__proto__": 1}'), "a.__proto__ unknown_key"],
    ["a", [1.5], "a[0] type"],
    ["a", -0, "a type"],
    ["a", 2 ** 53, "a type"],
    ["a", "\0", "a type"],
    ["a", { b: "\ud800" }, "a.b type"],
    ["a", nested(60), `a${"[0]".repeat(50)} too_large`],
  ])("[PACKET-1] has a fault where the log cannot hold a value exactly: %j %j", (key, value, fault) => {
    const given = Object.fromEntries([...Object.entries(manifest()), [key, value]]);
    expect(faultsOf(given).map(({ field, reason }) => `${field} ${reason}`)).toEqual([fault]);
  });

  it("[PACKET-1] knows at most a hundred keys that are none of its own", () => {
    const extra = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    expect(faultsOf({ ...manifest(), ...extra(100) })).toEqual([]);
    expect(faultsOf({ ...manifest(), ...extra(101) })).toMatchObject([{ field: "", reason: "unknown_key" }]);
  });

  it("[PACKET-2] takes no member of a prototype for a field, a flag or a profile", () => {
    expect(faultsOf(JSON.parse('{"__proto__": {"task_id": "x"}}'))).toHaveLength(REQUIRED.length + 1);
    expect(after(["routing", "pipeline", "flags"], { constructor: true })).toEqual([
      "routing.pipeline.flags.constructor unknown_key",
    ]);
    expect(after(["routing", "pipeline", "profile"], "constructor")).toEqual(["routing.pipeline.profile profile"]);
    expect(after(["routing", "pipeline", "options"], { toString: "x" })).toEqual([
      "routing.pipeline.options.toString option",
    ]);
  });

  it("[PACKET-2] that is no map is one fault of the document", () => {
    for (const value of [null, undefined, 3, "text", [], true])
      expect(faultsOf(value).map(({ field, reason }) => [field, reason])).toEqual([["", "type"]]);
  });

  it("[PACKET-3] has texts that say something, of limited length, without NUL and half characters", () => {
    expect(after(["goal"], "")).toEqual(["goal empty"]);
    expect(after(["goal"], "x".repeat(10_001))).toEqual(["goal too_large"]);
    expect(after(["goal"], "\u{1F600}".repeat(10_000))).toEqual([]);
    expect(after(["acceptance", "commands", 0], "npm\0test")).toEqual(["acceptance.commands[0] type"]);
    expect(after(["acceptance", "criteria", 0], "half \ud800")).toEqual(["acceptance.criteria[0] type"]);
    expect(after(["acceptance", "commands", 0], "npm ci\nnpm test")).toEqual([]);
    expect(after(["acceptance", "commands"], [])).toEqual([]);
    expect(after(["acceptance", "commands"], Array(1001).fill("true"))).toEqual(["acceptance.commands too_large"]);
    expect(after(["acceptance", "criteria"], Array(1000).fill("x".repeat(300)))).toEqual([" too_large"]);
  });

  it("[PACKET-3] has budgets that are whole numbers, and evaluates nothing", () => {
    expect(after(["budgets", "paid_call_budget"], "used[$(touch x)0]+9")).toEqual(["budgets.paid_call_budget type"]);
    for (const wrong of ["3", 1.5, -0.5, true, [], {}, 1e300, Number.NaN])
      expect(after(["budgets", "retry_budget"], wrong), JSON.stringify(wrong)).toEqual(["budgets.retry_budget type"]);
    expect(after(["budgets", "retry_budget"], -1)).toEqual(["budgets.retry_budget range"]);
    expect(after(["acceptance", "commands"], Array(101).fill("x"))).toEqual(["acceptance.commands too_large"]);
    expect(after(["acceptance", "commands"], Array(100).fill("x"))).toEqual([]);
    expect(after(["budgets", "paid_call_budget"], 1_000_001)).toEqual(["budgets.paid_call_budget range"]);
    expect(after(["budgets", "max_wallclock_sec"], 0)).toEqual(["budgets.max_wallclock_sec range"]);
    expect(after(["budgets", "max_wallclock_sec"], 2_000_001)).toEqual(["budgets.max_wallclock_sec range"]);
    expect(after(["budgets", "retry_budget"], 0)).toEqual([]);
    expect(messageAfter(["budgets", "retry_budget"], "03")).toBe(
      'Expected budgets.retry_budget to be a whole number from 0 to 1000000, found "03". Write the number 3, without quotes and leading zeros.',
    );
  });

  it("[PACKET-5] has the id of an entity", () => {
    for (const id of ["TASK-001", "20260218-001", "a", "x".repeat(64)]) expect(after(["task_id"], id)).toEqual([]);
    for (const id of ["a/b", "../a", "-a", ".a", "a b", "x".repeat(65), "CON", "com1", "tâche"])
      expect(after(["task_id"], id), id).toHaveLength(1);
    expect(after(["task_id"], "")).toEqual(["task_id empty"]);
    expect(messageAfter(["task_id"], 20260218)).toContain('Write it in quotes: "20260218".');
  });

  it("[PACKET-6] has a scope of files and folders below the root", () => {
    for (const path of ["src", "src/", "./src/a.ts", ".", "./", "app/[id]/page.ts", ".github/", "a b/c", "über.ts"])
      expect(scopeFault(path), path).toBeNull();
    for (const path of [
      "/",
      "/etc",
      "../x",
      "src/../x",
      "..",
      "C:/x",
      "a\\b",
      "src/**",
      "*.ts",
      "a//b",
      "a\nb",
      "src/./a",
    ])
      expect(scopeFault(path), path).not.toBeNull();
    expect(after(["scope", "deny"], ["ok", "/etc/passwd"])).toEqual(["scope.deny[1] path"]);
    expect(messageAfter(["scope", "allow", 0], "src/**")).toBe(
      'Expected scope.allow[0] to be a path below the root: patterns are not expanded; name the folder, such as src/, found "src/**".',
    );
  });

  it("[PACKET-14] names models, profiles, flags and options that the configuration knows", () => {
    expect(messageAfter(["routing", "model", "codex"], "gpt-1")).toBe(
      'Expected routing.model.codex to be one of the allowed models of codex (gpt-5.3-codex, gpt-5.2-codex, gpt-5-codex, gpt-5.3-codex-spark), found "gpt-1".',
    );
    expect(after(["routing", "pipeline", "profile"], "review_cross")).toEqual(["routing.pipeline.profile profile"]);
    expect(messageAfter(["routing", "pipeline", "profile"], "review_cross")).toContain(
      "(safe_impl, one_shot_impl, design_only)",
    );
    expect(after(["routing", "pipeline", "options"], { review_mode: "cross" })).toEqual([
      "routing.pipeline.options.review_mode option",
    ]);
    expect(after(["routing", "pipeline", "options"], { timeout_mode: "kill" })).toEqual([
      "routing.pipeline.options.timeout_mode option",
    ]);
    const review = withMember(manifest(), ["routing"], {
      intent: "review_only",
      pipeline: { flags: { enable_brief: false } },
    });
    expect(faultsOf(review).map(({ field }) => field)).toEqual(["routing.pipeline.flags.enable_brief"]);
  });

  it("[PACKET-14] holds names against all groups while the intent is unknown", () => {
    const value = withMember(fullManifest(), ["routing"], {
      intent: "?",
      pipeline: { profile: "strict_review", flags: { enable_brief: true }, options: { review_mode: "cross" } },
    });
    expect(faultsOf(value).map(({ field }) => field)).toEqual(["routing.intent"]);
  });

  it("[PACKET-17] leaves at least one stage", () => {
    const value = withMember(manifest(), ["routing"], {
      intent: "review_only",
      pipeline: { flags: { enable_review: false } },
    });
    expect(faultsOf(value).map(({ field, reason }) => `${field} ${reason}`)).toEqual(["routing.pipeline.flags empty"]);
  });

  it(
    "[PACKET-2] of any kind is read without an exception, and each fault names a field that is there or required",
    SWEEP,
    () => {
      const members = (value: unknown, field: string): string[] => {
        if (typeof value !== "object" || value === null) return [field];
        const below = Object.entries(value).flatMap(([key, member]) => {
          const plain = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key);
          const inMap = plain ? (field === "" ? key : `${field}.${key}`) : `${field}[${JSON.stringify(key)}]`;
          return members(member, Array.isArray(value) ? `${field}[${key}]` : inMap);
        });
        return [field, ...below];
      };
      const anyKey = fc.oneof(
        fc.constantFrom(...REQUIRED.flatMap((field) => field.split(".")), "model", "flags"),
        fc.stringMatching(/^[a-z ]{1,8}$/),
      );
      const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 4 },
          fc.jsonValue({ maxDepth: 1 }),
          fc.array(tie("tree"), { maxLength: 3 }),
          fc.dictionary(anyKey, tie("tree"), { maxKeys: 6 }),
        ),
      }));
      const paths = members(fullManifest(), "").map((path) => path.split(/[.[\]]+/).filter((key) => key !== ""));
      const changed = fc
        .tuple(fc.constantFrom(...paths.filter((path) => path.length > 0)), tree)
        .map(([path, to]) => withMember(fullManifest(), path, to));
      fc.assert(
        fc.property(fc.oneof(tree, changed), (value) => {
          const { manifest: read, errors } = readManifest(value, BUILT_IN_CONFIG);
          expect(read === null).toBe(errors.length > 0);
          const known = new Set([...members(value, ""), ...REQUIRED]);
          // Long keys are shortened in a path.
          expect(errors.filter(({ field }) => !field.includes("…") && !known.has(field))).toEqual([]);
          for (const { message } of errors) expect(message).toMatch(/^Expected [^\n]*\.$/);
        }),
        runsOf(500),
      );
    },
  );
});

describe("names of inputs", () => {
  it("[PACKET-121] are the two of the seed, and attachments that every checkout can hold", () => {
    for (const path of ["user_request.md", "context_pack.md", "attachments/git.diff", "attachments/ü (1).txt"])
      expect(inputFault(path), path).toBeNull();
    for (const path of [
      "prompt/x.md",
      "attachments/",
      "attachments/../x",
      "attachments/a/b",
      "x.md",
      "manifest.yaml",
      "",
    ])
      expect(inputFault(path), path).not.toBeNull();
    for (const name of [
      "a:b",
      "../x",
      "..",
      ".",
      "CON",
      "nul.txt",
      "a.",
      "a ",
      " a",
      "a*b",
      "a\u200bb",
      "a\\b",
      "\ud800",
      "x".repeat(201),
      "a\tb",
    ])
      expect(attachmentFault(name), name).not.toBeNull();
  });
});
