// @ts-check
/**
 * What a layer may import: layers (or single files, `log/types`) and packages. A layer is a folder of src/ or a
 * file beside them; it may always import itself. `types` are for `import type` only. This table is the architecture:
 * an arrow added here is a decision. From the ground up.
 * @typedef {{ may: string[], types?: string[], packages?: string[] }} Layer
 */

const BELOW_ENGINE = [
  "errors",
  "disk",
  "rooted_disk",
  "read_only_disk",
  "state",
  "events",
  "rules",
  "views",
  "projections",
  "tools",
  "log",
  "files",
];

/** @type {Record<string, Layer>} */
export const LAYERS = {
  errors: { may: [] },
  disk_errors: { may: [] },
  disk: { may: ["disk_errors"], packages: ["node:fs", "node:module", "fs-native-extensions"] },
  read_only_disk: { may: [], types: ["disk"] },
  rooted_disk: { may: ["disk"], packages: ["node:path"] },
  log: { may: ["errors"], types: ["disk"], packages: ["node:buffer", "node:crypto", "fast-json-stable-stringify"] },
  files: { may: ["errors", "disk", "rooted_disk"], packages: ["node:path", "node:crypto", "node:os", "yaml"] },
  guard: { may: ["files", "state", "errors", "disk"], packages: ["node:path"] },
  state: { may: ["errors"] },
  events: { may: ["state", "errors"], types: ["log/types"] },
  rules: { may: ["state", "events", "errors"], packages: ["node:crypto", "node:module", "re2js"] },
  views: { may: ["state", "events", "errors"], types: ["log/types"] },
  projections: { may: ["state", "errors"], packages: ["node:zlib"] },
  tools: { may: ["rules", "views", "state", "errors"], types: ["events"] },
  engine: {
    may: BELOW_ENGINE,
    packages: [
      "node:path",
      "node:crypto",
      "node:os",
      "node:process",
      "node:module",
      "node:timers",
      "node:worker_threads",
      "ajv/dist/2020.js",
      "yaml",
      "fs-native-extensions",
      "proper-lockfile",
    ],
  },
  runner: {
    may: ["engine", "rules", "state", "files", "errors", "disk", "rooted_disk"],
    packages: [
      "node:path",
      "node:crypto",
      "node:events",
      "node:os",
      "node:net",
      "node:timers",
      "node:worker_threads",
      "node:child_process",
      "node:timers/promises",
    ],
  },
  index: { may: [...BELOW_ENGINE, "guard", "engine"] },
  hosts: {
    may: [
      "engine",
      "runner",
      "index",
      "errors",
      "tools",
      "disk",
      "files/atomic",
      "files/committed",
      "files/repository_files",
      "files/storage_error",
      "files/yaml_reader",
      "state/counted",
      "state/invisible",
      "state/safe_text",
      "state/shell_quote",
    ],
    types: ["views/viewer/api"],
    packages: [
      "node:*",
      "commander",
      "picocolors",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server/stdio",
      "@nats-io/transport-node",
      "@nats-io/jetstream",
      "@nats-io/obj",
      "@opentelemetry/api",
    ],
  },
  cli: { may: ["hosts", "errors"], packages: ["node:*"] },
};

/**
 * The rooms of `src/engine` from the ground up, and which of the others each may import. What stands in the folder itself puts
 * them together; of it, rooms may import `parts.ts` alone, which holds types.
 * @type {Record<string, string[]>}
 */
export const ROOMS = {
  core: [],
  locks: ["core"],
  entity: ["core", "locks"],
  listing: ["core", "entity"],
  entities: ["core", "entity", "listing"],
  projection: ["core", "locks", "entity", "listing", "entities"],
  commit: ["core", "entity", "listing", "entities", "projection"],
  packet: ["core", "entity", "entities", "projection"],
  archive: ["core", "entity", "entities", "projection", "commit", "packet"],
  query: ["core", "entity", "listing", "entities", "commit", "projection"],
  transaction: ["core", "entity", "listing", "entities", "projection", "commit", "archive", "query"],
  watch: ["core", "entity", "listing", "entities", "commit", "query", "transaction"],
  adoption: ["core", "entity", "entities", "commit", "projection", "packet", "parts"],
  repair: [
    "core",
    "locks",
    "entity",
    "listing",
    "entities",
    "commit",
    "projection",
    "packet",
    "archive",
    "transaction",
    "parts",
  ],
  viewer: ["core", "entity", "listing", "entities", "commit", "repair"],
  shared: [
    "core",
    "entity",
    "entities",
    "listing",
    "commit",
    "projection",
    "packet",
    "archive",
    "transaction",
    "repair",
    "parts",
  ],
};
