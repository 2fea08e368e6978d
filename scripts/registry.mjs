// @ts-check
// The registries of tools and events, made of the files of their folders: `npm run generate` writes them before it loads what they name.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const TOOL_REGISTRY = "src/tools/index.ts";
export const EVENT_REGISTRY = "src/events/index.ts";

/**
 * The text of each registry, by its path.
 * @param {string} root
 */
export function registries(root) {
  return new Map([
    [TOOL_REGISTRY, toolRegistry(root)],
    [EVENT_REGISTRY, eventRegistry(root)],
  ]);
}

/** @param {string} root */
function toolRegistry(root) {
  const tools = defined(
    join(root, "src/tools"),
    /^export const (\w+) = (?:read|change|create|batch|focus)Tool\(\{\s*name: "(\w+)"/m,
  );
  return [
    "/** Every tool by its name. Generated from the files of this folder by `npm run generate`; do not edit. */",
    'import type { Tool } from "./tool.ts";',
    ...tools.map(({ name, variable }) => `import { ${variable} } from "./${name}.ts";`),
    "",
    "/** Without a prototype, so that no name but a tool's finds anything. */",
    "export const TOOLS: Record<string, Tool> = Object.assign(Object.create(null) as object, {",
    ...tools.map(({ name, variable }) => `  ${name}: ${variable},`),
    "});",
    "",
  ].join("\n");
}

/** @param {string} root */
function eventRegistry(root) {
  const events = defined(
    join(root, "src/events"),
    /^export const (\w+) = defineEvent\(\{\s*type: "([a-z_]+\.[a-z_]+)"/m,
  );
  return [
    "/** Every event type of this version. Generated from the files of this folder by `npm run generate`; do not edit. */",
    'import type { EventType } from "./define.ts";',
    ...events.map(({ name, variable }) => `import { ${variable} } from "./${name}.ts";`),
    "",
    "/** Without a prototype, so that no name but a type's finds anything. */",
    "export const EVENTS: Record<string, EventType> = Object.assign(Object.create(null) as object, {",
    ...events.map(({ name, variable }) => `  "${name}": ${variable},`),
    "});",
    "",
    "/** Ancillary types (`x.`) mean nothing to any version and stop none from writing. */",
    "export function isKnownType(type: string): boolean {",
    '  return type in EVENTS || type.startsWith("x.");',
    "}",
    "",
  ].join("\n");
}

/**
 * The definitions in the files of a folder: a file is called like its tool or event type.
 * @param {string} folder @param {RegExp} definition the variable, then the name
 */
function defined(folder, definition) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .toSorted()
    .flatMap((stem) => {
      const [, variable, name] = definition.exec(readFileSync(join(folder, `${stem}.ts`), "utf8")) ?? [];
      if (variable === undefined || name === undefined) return [];
      if (stem !== name) throw new Error(`Expected ${join(folder, stem)}.ts to define ${stem}, found ${name}.`);
      return [{ variable, name }];
    });
}
