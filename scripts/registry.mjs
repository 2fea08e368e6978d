// @ts-check
// The registry of tools, made of the files of src/tools: `npm run generate` writes it before it loads the tools.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const REGISTRY = "src/tools/index.ts";

const DEFINITION = /^export const (\w+) = defineTool\(\{\s*name: "(\w+)"/m;

/**
 * The text of the registry. A file of src/tools that defines a tool is called like the tool.
 * @param {string} root
 */
export function toolRegistry(root) {
  const folder = join(root, "src/tools");
  const tools = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .toSorted()
    .flatMap((stem) => {
      const text = readFileSync(join(folder, `${stem}.ts`), "utf8");
      const [, variable, name] = DEFINITION.exec(text) ?? [];
      return variable === undefined || name === undefined ? [] : [{ stem, variable, name }];
    });
  const misnamed = tools.find(({ stem, name }) => stem !== name);
  if (misnamed)
    throw new Error(`Expected src/tools/${misnamed.stem}.ts to define ${misnamed.stem}, found ${misnamed.name}.`);
  return [
    "/** Every tool by its name. Generated from the files of this folder by `npm run generate`; do not edit. */",
    'import type { Tool } from "./define.ts";',
    ...tools.map(({ stem, variable }) => `import { ${variable} } from "./${stem}.ts";`),
    "",
    "/** Without a prototype, so that no name but a tool's finds anything. */",
    "export const TOOLS: Record<string, Tool> = Object.assign(Object.create(null) as object, {",
    ...tools.map(({ name, variable }) => `  ${name}: ${variable},`),
    "});",
    "",
  ].join("\n");
}
