import { describe, expect, it } from "vitest";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import { readConfig } from "../../../src/rules/packet/read_config.ts";
import { withMember } from "../../support/packet.ts";
import { configOf, pipelineFile, servantFile } from "../../support/packet_config.ts";

const CODEX = "configs/servant/codex.yaml";
const IMPL = "configs/pipeline/impl.yaml";

/** File, field and reason of each fault. */
function faults(files: Record<string, unknown>): string[] {
  const { config, errors } = readConfig(Object.entries(files).map(([path, value]) => ({ path, value })));
  expect(config === null).toBe(errors.length > 0);
  for (const { message } of errors) expect(message).toMatch(/^Expected [^\n]*, found [^\n]*\.$/);
  return errors.map(({ file, field, reason }) => `${file} ${field} ${reason}`);
}

const servant = (path: (string | number)[], to: unknown): string[] =>
  faults({ [CODEX]: withMember(servantFile(), path, to) }).map((text) => text.replace(`${CODEX} `, ""));
const pipeline = (path: (string | number)[], to: unknown): string[] =>
  faults({ [IMPL]: withMember(pipelineFile(), path, to) }).map((text) => text.replace(`${IMPL} `, ""));

describe("configuration files", () => {
  it("[PACKET-12] of the documented form are taken", () => {
    expect(faults({ [CODEX]: servantFile(), [IMPL]: pipelineFile() })).toEqual([]);
    expect(readConfig([]).config).toEqual(BUILT_IN_CONFIG);
  });

  it("[PACKET-12] of built-in servants and groups mean the same as no files", () => {
    const { servants, groups, intents } = BUILT_IN_CONFIG;
    const files = Object.fromEntries([
      ...Object.values(servants).map((file) => [`servant/${file.tool}.yaml`, file]),
      ...Object.entries(groups).map(([group, file]) => {
        const own = Object.entries(intents).filter(([, one]) => one.group === group);
        return [
          `pipeline/${group}.yaml`,
          { group, ...file, intents: Object.fromEntries(own.map(([intent, { profile }]) => [intent, profile])) },
        ];
      }),
    ]) as Record<string, object>;
    const { origins, ...config } = configOf(files);
    const { origins: none, ...builtIn } = BUILT_IN_CONFIG;
    expect(config).toEqual(builtIn);
    expect([Object.keys(origins).length, none]).toEqual([3 + 2 + 8 + 6, {}]);
  });

  it.each(["tool", "command", "prompt", "default_model", "allowed_models"])(
    "[PACKET-12] of a servant have to say %s",
    (key) => {
      expect(servant([key], undefined)).toContain(`${key} missing`);
    },
  );

  it.each(["group", "flags", "options", "profiles", "intents"])("[PACKET-12] of a group have to say %s", (key) => {
    expect(pipeline([key], undefined)).toContain(`${key} missing`);
  });

  it("[PACKET-12] of a servant may leave out the rest", () => {
    const { tool, command, prompt, default_model, allowed_models } = servantFile() as Record<string, unknown>;
    const config = configOf({ [CODEX]: { tool, command, prompt, default_model, allowed_models } });
    expect(config.servants.codex).toMatchObject({
      purpose_models: {},
      paid: true,
      timeout_sec: 600,
      transient_exit_codes: [],
    });
  });

  it("[PACKET-12] say each of their faults with the file and the field", () => {
    expect(
      faults({
        [CODEX]: {
          ...servantFile(),
          tool: "claude",
          effort: "high",
          timeout_sec: "600",
          transient_exit_codes: [0, 13, 13],
        },
        [IMPL]: withMember(pipelineFile(), ["profiles", "safe_impl", "stages", 1], "codex_brief"),
        "configs/other/x.yaml": {},
        "configs/servant/gemini.yaml": null,
      }),
    ).toEqual([
      `${CODEX} tool enum`,
      `${CODEX} timeout_sec type`,
      `${CODEX} transient_exit_codes[0] range`,
      `${CODEX} transient_exit_codes[2] duplicate`,
      `${CODEX} effort unknown_key`,
      "configs/servant/gemini.yaml  type",
      `${IMPL} profiles.safe_impl.stages[1] enum`,
      "configs/other/x.yaml  path",
    ]);
  });

  it("[regression PACKET-286] a fault of shape hides no other fault, and none follows from it", () => {
    const broken = {
      ...withMember(pipelineFile(), ["profiles", "safe_impl", "stages", 1], "codex_brief"),
      flags: [7, "enable_foo"],
      intents: { safe_impl: "nope", dance: "safe_impl" },
      more: 1,
    };
    const whole = withMember(broken, ["profiles", "safe_impl", "flags"], { enable_x: true });
    const profile = withMember(whole, ["profiles", "safe_impl", "stage_models"], { codex_review: "gpt-1" });
    const { allowed_models, ...rest } = servantFile() as { allowed_models: string[] };
    expect(allowed_models.length).toBeGreaterThan(0);
    expect(
      faults({
        [CODEX]: { ...rest, paid: "yes", prompt: "file", purpose_models: { brief: "x", impl: "gpt-1" } },
        "configs/servant/gemini.yaml": {
          ...servantFile(),
          tool: "gemini",
          timeout_sec: "1",
          allowed_models: [],
          default_model: "x",
          purpose_models: {},
        },
        [IMPL]: profile,
      }).toSorted(),
    ).toEqual(
      [
        `${CODEX} allowed_models missing`,
        `${CODEX} paid type`,
        `${CODEX} command missing`,
        `${CODEX} purpose_models.brief role`,
        "configs/servant/gemini.yaml allowed_models empty",
        "configs/servant/gemini.yaml timeout_sec type",
        "configs/servant/gemini.yaml default_model model",
        `${IMPL} flags[0] type`,
        `${IMPL} flags[1] flag`,
        `${IMPL} profiles.safe_impl.stages[1] enum`,
        `${IMPL} profiles.safe_impl.flags.enable_x flag`,
        `${IMPL} profiles.safe_impl.stage_models.codex_review stage`,
        `${IMPL} intents.safe_impl profile`,
        `${IMPL} intents.dance unknown_key`,
        `${IMPL} more unknown_key`,
      ].toSorted(),
    );
  });

  it("[PACKET-14] of a servant name allowed models, roles of the servant and a program", () => {
    expect(servant(["default_model"], "gpt-1")).toEqual(["default_model model"]);
    expect(servant(["purpose_models"], { impl: "gpt-1", brief: "gpt-5.2-codex" })).toEqual([
      "purpose_models.impl model",
      "purpose_models.brief role",
    ]);
    expect(servant(["allowed_models"], [])).toContain("allowed_models empty");
    expect(servant(["allowed_models", 1], "--yolo")).toEqual(["allowed_models[1] pattern"]);
    expect(servant(["command"], [])).toEqual(["command empty"]);
    expect(servant(["command"], [" "])).toEqual(["command[0] empty"]);
    expect(servant(["command"], "codex exec")).toEqual(["command type"]);
    expect(servant(["paid"], "yes")).toEqual(["paid type"]);
  });

  it("[PACKET-29] of a servant that takes a file say where the file's name goes", () => {
    const file = { ...servantFile(), prompt: "file" };
    expect(faults({ [CODEX]: file })).toEqual([`${CODEX} command missing`]);
    expect(faults({ [CODEX]: { ...file, command: ["codex", "--in={prompt_file}"] } })).toEqual([]);
    expect(faults({ [CODEX]: { ...servantFile(), command: ["codex", "{other}", ""] } })).toEqual([]);
  });

  it("[PACKET-14] of a group name its flags, options, stages and models in its profiles", () => {
    expect(pipeline(["flags", 0], "enable_fun")).toEqual([
      "flags[0] flag",
      "profiles.safe_impl.flags.enable_brief flag",
    ]);
    expect(pipeline(["flags", 0], "brief")).toContain("flags[0] pattern");
    expect(pipeline(["profiles", "safe_impl", "flags"], { enable_fun: true })).toEqual([
      "profiles.safe_impl.flags.enable_fun flag",
    ]);
    expect(pipeline(["profiles", "safe_impl", "options"], { impl_mode: "fast" })).toEqual([
      "profiles.safe_impl.options.impl_mode enum",
    ]);
    expect(pipeline(["profiles", "safe_impl", "options"], { review_mode: "cross" })).toEqual([
      "profiles.safe_impl.options.review_mode option",
    ]);
    expect(
      pipeline(["profiles", "safe_impl", "stage_models"], { codex_review: "gpt-5.2-codex", codex_impl: "x" }),
    ).toEqual([
      "profiles.safe_impl.stage_models.codex_review stage",
      "profiles.safe_impl.stage_models.codex_impl model",
    ]);
    expect(pipeline(["profiles", "safe_impl", "stages"], ["codex_impl", "codex_impl"])).toEqual([
      "profiles.safe_impl.stages[1] duplicate",
    ]);
    expect(pipeline(["profiles", "Fast!"], {})).toEqual(['profiles["Fast!"] unknown_key']);
    expect(pipeline(["intents", "safe_impl"], "none")).toEqual(["intents.safe_impl profile"]);
    expect(pipeline(["intents", "fast"], "safe_impl")).toEqual(["intents.fast unknown_key"]);
    expect(pipeline(["options", "speed"], ["high"])).toEqual(["options.speed unknown_key"]);
    expect(pipeline(["group"], "plan")).toEqual(["group enum"]);
  });

  it("[PACKET-14] hold the models of a group against the servants of the same configuration", () => {
    const models = withMember(pipelineFile(), ["profiles", "safe_impl", "stage_models"], { codex_impl: "own-1" });
    expect(faults({ [IMPL]: models })).toEqual([`${IMPL} profiles.safe_impl.stage_models.codex_impl model`]);
    const own = { ...servantFile(), allowed_models: ["own-1"], default_model: "own-1", purpose_models: {} };
    expect(faults({ [IMPL]: models, [CODEX]: own })).toEqual([]);
  });

  it("[PACKET-13] replace the servant, and of a group the flags, the options and the profiles that they name", () => {
    const config = configOf({ [IMPL]: { ...pipelineFile(), flags: ["enable_brief"] }, [CODEX]: servantFile() });
    expect(config.servants.codex).toEqual(servantFile());
    expect(config.servants.gemini).toEqual(BUILT_IN_CONFIG.servants.gemini);
    expect(config.groups.impl.flags).toEqual(["enable_brief"]);
    expect(config.groups.impl.profiles["safe_impl"]?.flags).toEqual({ enable_brief: true });
    expect(config.groups.impl.profiles["design_only"]).toEqual(BUILT_IN_CONFIG.groups.impl.profiles["design_only"]);
    expect(config.groups.review).toEqual(BUILT_IN_CONFIG.groups.review);
    expect(config.intents.safe_impl).toEqual({ group: "impl", profile: "safe_impl" });
  });

  it("[PACKET-13] may give an intent to a profile of another group", () => {
    const moved = { ...pipelineFile(), intents: { review_only: "design_only" } };
    expect(configOf({ [IMPL]: moved }).intents.review_only).toEqual({ group: "impl", profile: "design_only" });
  });

  it("[PACKET-12] say nothing twice", () => {
    expect(faults({ "servant/a.yaml": servantFile(), "servant/b.yml": servantFile() })).toEqual([
      "servant/b.yml tool duplicate",
    ]);
    expect(faults({ "pipeline/a.yaml": pipelineFile(), "pipeline/b.yaml": pipelineFile() })).toEqual([
      "pipeline/b.yaml group duplicate",
      "pipeline/b.yaml intents.safe_impl duplicate",
      "pipeline/b.yaml intents.one_shot_impl duplicate",
      "pipeline/b.yaml intents.design_only duplicate",
    ]);
  });

  it("[PACKET-12] leave the built-in configuration as it is", () => {
    const before = structuredClone(BUILT_IN_CONFIG);
    configOf({ [CODEX]: servantFile(), [IMPL]: pipelineFile() });
    expect(BUILT_IN_CONFIG).toEqual(before);
  });

  it("[PACKET-12] say of each fault what was expected and what was found", async () => {
    const servantWith = (change: object): Record<string, unknown> => ({ [CODEX]: { ...servantFile(), ...change } });
    const pipelineWith = (change: object): Record<string, unknown> => ({ [IMPL]: { ...pipelineFile(), ...change } });
    const profile = (change: object): Record<string, unknown> =>
      pipelineWith({
        profiles: { safe_impl: { stages: ["codex_impl"], flags: {}, options: {}, stage_models: {}, ...change } },
      });
    const cases: Record<string, Record<string, unknown>> = {
      "a program of blanks": servantWith({ command: [" ", "x"] }),
      "a prompt in a file that no argument names": servantWith({ prompt: "file" }),
      "a default model that is not allowed": servantWith({ default_model: "other" }),
      "a purpose that is no role, and a model that is not allowed": servantWith({
        purpose_models: { brief: "x", impl: "other" },
      }),
      "allowed models that cannot be read": servantWith({ allowed_models: "x", default_model: "other" }),
      "allowed models of which one cannot be read": servantWith({ allowed_models: ["a", 1], default_model: "other" }),
      "one servant in two files": { [CODEX]: servantFile(), "configs/servant/a.yaml": servantFile() },
      "one group in two files": { [IMPL]: pipelineFile(), "configs/pipeline/a.yml": pipelineFile() },
      "files of another name": {
        "configs/x.yaml": {},
        "servant/x.yamlx": {},
        "my_servant/x.yaml": {},
        "pipeline/a/x.yaml": {},
      },
      "a flag of no role": pipelineWith({ flags: ["enable_dance", "enable_brief"] }),
      "a flag that the group has not": profile({ flags: { enable_test: true } }),
      "an option that the group has not, and a value that it has not": profile({
        options: { colour: "red", impl_mode: "fast" },
      }),
      "a model of no stage, and a model that is not allowed": profile({
        stage_models: { codex_verify: "gpt-5.2-codex", codex_impl: "other" },
      }),
      "an intent of no profile": pipelineWith({ intents: { safe_impl: "none" } }),
      "an intent in two groups": {
        [IMPL]: pipelineFile(),
        "pipeline/b.yaml": { ...pipelineFile(), group: "review", intents: { safe_impl: "safe_impl" } },
      },
      "texts in place of all": servantWith({ tool: 1, command: "x", purpose_models: [] }),
    };
    const texts = Object.entries(cases).map(([name, files]) => {
      const { errors } = readConfig(Object.entries(files).map(([path, value]) => ({ path, value })));
      const told = errors.map(({ file, field, reason, message }) => `- ${file} ${field} ${reason}: ${message}\n`);
      return `## ${name}\n\n${told.join("")}`;
    });
    await expect(texts.join("\n")).toMatchFileSnapshot("../../data/packet/config_faults.md");
  });

  it("[PACKET-12] take {task_dir} for the file of the prompt, and an option that the group leaves open", () => {
    for (const command of [
      ["codex", "{task_dir}/x"],
      ["codex", "--file={prompt_file}"],
    ])
      expect(faults({ [CODEX]: { ...servantFile(), prompt: "file", command } })).toEqual([]);
    expect(faults({ [CODEX]: { ...servantFile(), prompt: "stdin", command: ["codex"] } })).toEqual([]);
  });
});
