/** The schemas of what people write for a packet: its manifest, and the two kinds of configuration file. */
import { DIGEST_POLICIES, STAGES } from "./packet.ts";
import {
  ACCEPTANCE_MODES,
  INTENTS,
  SERVANTS,
  TIMEOUT_MODES,
  COMMAND_PLACEHOLDERS,
  GROUPS,
  MODE_PROFILES,
  PROMPT_CHANNELS,
} from "./packet_config.ts";
import { LIMITS } from "./limits.ts";
import { boolean, integer, list, object, oneOf, openObject, optional, record, text } from "./schema.ts";

/** Limits of a manifest and of a configuration file, in code points and items. */
export const PACKET_LIMITS = {
  /** Bytes of a manifest as JSON. */
  manifestBytes: LIMITS.textBytes,
  goal: 10_000,
  text: 32_768,
  path: 4_096,
  items: 1_000,
  /** Acceptance commands: one event holds their results. */
  commands: 100,
  patterns: 100,
  pattern: 2_000,
  budget: 1_000_000,
  /** The most that a timer of 32 bits can count in milliseconds. */
  seconds: 2_000_000,
} as const;

/** Names of profiles and of flags. */
export const PROFILE_PATTERN = "^[a-z][a-z0-9_]{0,63}$";
export const FLAG_PATTERN = "^enable_[a-z][a-z0-9_]{0,63}$";
const MODEL_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$";

const filled = (most: number, more: object = {}): ReturnType<typeof text> =>
  text({ title: "text that is not blank", minLength: 1, maxLength: most, pattern: "\\S", ...more });
const texts = (
  most: number,
  description: string,
  maxItems: number = PACKET_LIMITS.items,
): ReturnType<typeof list<ReturnType<typeof text>>> => list(filled(most), { maxItems, description });
const model = (more: object = {}): ReturnType<typeof text> =>
  text({ title: "the name of a model", pattern: MODEL_PATTERN, ...more });
const count = (minimum: number, maximum: number, description: string): ReturnType<typeof integer> =>
  integer({ minimum, maximum, description });
const flags = { propertyNames: { title: "the name of a flag, such as enable_review", pattern: FLAG_PATTERN } };

/** Open at the top alone: other programs may keep more there (PACKET-1). */
export const MANIFEST_SCHEMA = openObject({
  task_id: text({
    title: "an id of letters, digits, '_' and '-'",
    minLength: 1,
    maxLength: LIMITS.idCharacters,
    pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$",
    description: "Id of the plan or task that carries the packet.",
  }),
  goal: filled(PACKET_LIMITS.goal, { description: "The task in one sentence." }),
  routing: object({
    intent: oneOf(INTENTS, { description: "The kind of work: it chooses the profile." }),
    model: optional(
      object(
        { gemini: optional(model()), codex: optional(model()), copilot: optional(model()) },
        {
          description: "Model of each servant; one that the configuration allows.",
        },
      ),
    ),
    pipeline: optional(
      object({
        profile: optional(
          text({
            title: "the name of a profile",
            pattern: PROFILE_PATTERN,
            description: "Another profile of the intent's group.",
          }),
        ),
        flags: optional({
          ...record(boolean()),
          ...flags,
          description: "Flags of the group; false removes the stages that the flag names.",
        }),
        options: optional({
          ...record(text()),
          description: "Options of the group, each with one of its values.",
        }),
      }),
    ),
  }),
  scope: object({
    allow: texts(
      PACKET_LIMITS.path,
      "Files and folders that may be changed, relative to the root; '.' is all of them.",
    ),
    deny: texts(PACKET_LIMITS.path, "Files and folders that must not be changed, relative to the root."),
  }),
  acceptance: object({
    commands: texts(PACKET_LIMITS.text, "Shell commands that verify the work, each by itself.", PACKET_LIMITS.commands),
    criteria: texts(PACKET_LIMITS.text, "Statements that have to be true at the end, for people."),
  }),
  budgets: object({
    retry_budget: count(0, PACKET_LIMITS.budget, "Retries for one error signature at most."),
    paid_call_budget: count(0, PACKET_LIMITS.budget, "Paid calls of all stages at most."),
    max_wallclock_sec: count(1, PACKET_LIMITS.seconds, "Seconds that one run of a servant may take."),
  }),
  context: object({
    digest_policy: oneOf(DIGEST_POLICIES, { description: "Whether prompts hold a digest of the context pack." }),
  }),
  security: optional(
    object({
      redaction_patterns: optional(
        list(filled(PACKET_LIMITS.pattern), {
          maxItems: PACKET_LIMITS.patterns,
          description: "Regular expressions (RE2) of what is redacted.",
        }),
      ),
      forbidden_paths: optional(texts(PACKET_LIMITS.path, "Paths that no input, prompt or output may name.")),
    }),
  ),
});

export const SERVANT_SCHEMA = object({
  tool: oneOf(SERVANTS),
  command: list(text({ maxLength: PACKET_LIMITS.text }), {
    minItems: 1,
    maxItems: PACKET_LIMITS.items,
    description: `Program and arguments; ${COMMAND_PLACEHOLDERS.map((name) => `{${name}}`).join(", ")} are filled in.`,
  }),
  prompt: oneOf(PROMPT_CHANNELS, { description: "How the prompt reaches the program; an argument is the last one." }),
  default_model: model(),
  allowed_models: list(model(), { minItems: 1, maxItems: PACKET_LIMITS.items, uniqueItems: true }),
  purpose_models: optional({ ...record(model()), description: "Models by role." }),
  paid: optional(boolean({ default: true, description: "Whether a run counts against paid_call_budget." })),
  timeout_sec: optional({
    ...count(1, PACKET_LIMITS.seconds, "Seconds of one run with timeout_mode enforce."),
    default: 600,
  }),
  transient_exit_codes: optional(
    list(integer({ minimum: 1, maximum: 255 }), {
      maxItems: 255,
      uniqueItems: true,
      default: [],
      description: "Exit codes after which a second try may succeed.",
    }),
  ),
});

const mode = (name: string): ReturnType<typeof oneOf<string[]>> => oneOf(Object.keys(MODE_PROFILES[name] ?? {}));
const values = <T extends ReturnType<typeof text> | ReturnType<typeof oneOf<readonly string[]>>>(
  one: T,
): ReturnType<typeof list<T>> => list(one, { minItems: 1, uniqueItems: true });

const OPTION_VALUES = {
  impl_mode: mode("impl_mode"),
  review_mode: mode("review_mode"),
  timeout_mode: oneOf(TIMEOUT_MODES),
};

const PROFILE_SCHEMA = object({
  stages: list(oneOf(STAGES), { minItems: 1, uniqueItems: true }),
  flags: optional({ ...record(boolean()), ...flags }),
  options: optional(
    object({
      impl_mode: optional(OPTION_VALUES.impl_mode),
      review_mode: optional(OPTION_VALUES.review_mode),
      timeout_mode: optional(OPTION_VALUES.timeout_mode),
    }),
  ),
  stage_models: optional({ ...record(model()), description: "Models by stage." }),
});

export const PIPELINE_SCHEMA = object({
  group: oneOf(GROUPS),
  flags: list(text({ title: "the name of a flag, such as enable_review", pattern: FLAG_PATTERN }), {
    maxItems: PACKET_LIMITS.items,
    uniqueItems: true,
    description: "Flags that a manifest may set.",
  }),
  options: object(
    {
      impl_mode: optional(values(OPTION_VALUES.impl_mode)),
      review_mode: optional(values(OPTION_VALUES.review_mode)),
      timeout_mode: optional(values(OPTION_VALUES.timeout_mode)),
    },
    { description: "Options that a manifest may set, with their values." },
  ),
  profiles: {
    ...record(PROFILE_SCHEMA),
    propertyNames: { title: "the name of a profile", pattern: PROFILE_PATTERN },
    description: "Profiles by name; one of a built-in name replaces it.",
  },
  intents: {
    ...record(text({ title: "the name of a profile", pattern: PROFILE_PATTERN })),
    propertyNames: { enum: INTENTS },
    description: "The profile of each intent.",
  },
  acceptance: optional(
    oneOf(ACCEPTANCE_MODES, { description: "Which acceptance commands run if a caller allows them and does not say." }),
  ),
});

/** The schemas of `schemas/packet/`, by name of the file. */
export const PACKET_SCHEMAS = {
  manifest: { doc: "manifest.yaml of a Task Packet.", schema: MANIFEST_SCHEMA },
  servant: { doc: "A file of configs/servant/: how the program of a servant is run.", schema: SERVANT_SCHEMA },
  pipeline: { doc: "A file of configs/pipeline/: the profiles of a group.", schema: PIPELINE_SCHEMA },
} as const;

interface Ordered {
  properties?: Record<string, object>;
  additionalProperties?: unknown;
}

/** A copy of a manifest whose keys stand in the order of the schema; other names that it may have follow, by code unit. */
export function inOrder(value: unknown, schema: Ordered = MANIFEST_SCHEMA): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, {}));
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const known = Object.keys(schema.properties ?? {});
  const others = Object.keys(members).filter((key) => !known.includes(key));
  const names = [...known, ...(schema.additionalProperties === false ? [] : others.toSorted())];
  const keys = names.filter((key) => Object.hasOwn(members, key) && members[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, inOrder(members[key], schema.properties?.[key] ?? {})]));
}
