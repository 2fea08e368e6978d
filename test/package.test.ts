/** The package as npm packs it: what it holds, how large it is, and what it brings along. Looks at dist/. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { packed } from "./support/consumer.mjs";
import { ENTRIES } from "../scripts/entries.mjs";
import { GENERATED_FOLDERS } from "../scripts/generated.mjs";
import { resolved, schemasIn, together } from "../scripts/schemas.mjs";
import * as library from "../src/index.ts";
import type * as runner from "../src/runner/index.ts";
import { filesNamedBy, pageText, picturesOf } from "./support/markdown.ts";
import { ROOT } from "./support/source.ts";
import { ROTATING } from "./support/sweep.ts";

const { size, unpackedSize, files } = packed("--dry-run");
const paths = files.map(({ path }) => path);
const pages = paths.filter((path) => path.endsWith(".md"));
const MB = 1_000_000;

interface Manifest {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}
const manifest = JSON.parse(pageText("package.json")) as Manifest;
const installable = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
});

/** Bytes of all files below a folder, without the packages inside of it. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === "node_modules") return sum;
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesBelow(path) : readFileSync(path).length);
  }, 0);
}

/** The packages that npm installs with this one, as paths from the root. */
function installedWith(): string[] {
  interface Locked {
    dev?: boolean;
    devOptional?: boolean;
    peer?: boolean;
    link?: boolean;
  }
  const { packages } = JSON.parse(pageText("package-lock.json")) as { packages: Record<string, Locked> };
  const needed = Object.entries(packages).filter(
    ([path, { dev, devOptional, peer, link }]) =>
      path.startsWith("node_modules/") && !(dev || devOptional || peer || link),
  );
  return needed.map(([path]) => path);
}

describe("the package", () => {
  it("[TOOL-104] has at most 1.2 MB packed, 4 MB unpacked and 150 files", () => {
    expect(size).toBeLessThanOrEqual(1.2 * MB);
    expect(unpackedSize).toBeLessThanOrEqual(4 * MB);
    expect(paths.length).toBeLessThanOrEqual(150);
  });

  it("[TOOL-104] takes at most 12 MB with all that npm installs with it", ROTATING, () => {
    const others = installedWith();
    expect(others).toContain("node_modules/yaml");
    expect(
      others.filter((path) => /modelcontextprotocol|zod|nats|opentelemetry|node_modules\/ajv$/.test(path)),
    ).toEqual([]);
    const bytes = others.reduce((sum, path) => sum + bytesBelow(join(ROOT, path)), unpackedSize);
    expect(bytes).toBeLessThanOrEqual(12 * MB);
  });

  it("[TOOL-104] [regression CLI-230, VIEWER-134] holds what its users read and run: no map, picture, test or compiled code", () => {
    const odd = paths.filter((path) => /\.(map|png|svg|bin|tgz)$|(^|\/)(test|src|compiled)\/|coverage\.md$/.test(path));
    expect(odd).toEqual([]);
    expect(paths.filter((path) => path.endsWith(".ts") && !path.startsWith("dist/types/"))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(["README.md", "LICENSE", "dist/cli.cjs", "docs/tools.md"]));
    expect(readdirSync(join(ROOT, "dist/compiled"))).toHaveLength(1);
  });

  it("[TOOL-104] has each file that a link of its pages leads to", () => {
    const missing = pages.flatMap((page) => {
      const pictures = new Set(picturesOf(page));
      const links = filesNamedBy(page).filter((path) => !pictures.has(path));
      return links.filter((path) => !paths.includes(path)).map((path) => `${page}: ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it("[regression VIEWER-134] shows pictures that the repository has", () => {
    const pictures = pages.flatMap((page) => picturesOf(page));
    expect(pictures).toContain("docs/view_task.png");
    expect(pictures.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("[TOOL-104] asks npm to run nothing when it is installed", () => {
    const scripts = ["preinstall", "install", "postinstall", "prepare"];
    expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
  });

  it("[TOOL-104] names the packages whose code it holds, with their licences", () => {
    expect(paths).toContain("dist/THIRD_PARTY.txt");
    const text = pageText("dist/THIRD_PARTY.txt");
    for (const name of ["@modelcontextprotocol/server", "zod", "ajv", "preact", "markdown-it"])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|Apache-2\\.0)\\)$`, "m"));
    expect(text).toContain("Permission is hereby granted");
  });
});

describe("the built library", () => {
  it("[TOOL-80] gives refusals that are instances of one class, whichever copy made them", ROTATING, async () => {
    const built = (name: string) =>
      import(pathToFileURL(join(ROOT, "dist", name)).href) as Promise<Record<string, unknown>>;
    const { TaskfoldError: TheirError, openWorkspace } = (await built("index.js")) as unknown as typeof library;
    const { readPacketConfig } = (await built("runner.js")) as unknown as typeof runner;
    expect(TheirError).not.toBe(library.TaskfoldError);
    const errors = [() => readPacketConfig(ROOT), () => openWorkspace({ root: ROOT, by: "" })].map((call) => {
      try {
        call();
      } catch (e) {
        return e;
      }
      throw new Error("expected a refusal");
    });
    for (const e of errors) {
      expect(e instanceof TheirError).toBe(true);
      expect(e instanceof library.TaskfoldError).toBe(true);
    }
    expect(new Error("no") instanceof TheirError).toBe(false);
    class OfProgram extends TheirError {}
    expect(errors[0] instanceof OfProgram).toBe(false);
    expect(new OfProgram("CLOSED", "x") instanceof OfProgram).toBe(true);
  });

  it("[TOOL-80] takes nothing of the command line", () => {
    const entries = Object.keys(ENTRIES).filter((name) => paths.includes(`dist/cli/${name}.cjs`));
    expect(entries).toContain("index");
    for (const name of entries) {
      const seen = new Set([`${name}.cjs`]);
      for (const file of seen)
        for (const [, part] of pageText(`dist/cli/${file}`).matchAll(/(?:^|[,;=])\s*\w+=require\("\.\/([^"]+)"\)/gm))
          seen.add(part!);
      expect(
        [...seen].filter((file) => /^(main|parsed|commands|looks)-/.test(file)),
        name,
      ).toEqual([]);
    }
  });
});

describe("the published declarations", () => {
  const declarations = paths.filter((path) => path.endsWith(".d.ts"));

  it("[TOOL-104] are one file for each entry point, and what several share", () => {
    const entries = Object.keys(ENTRIES).map((name) => `dist/types/${name}.d.ts`);
    expect(declarations.filter((path) => !path.startsWith("dist/types/shared/")).toSorted()).toEqual(
      entries.toSorted(),
    );
    expect(declarations.length).toBeLessThanOrEqual(2 * entries.length + 2);
  });

  it("[TOOL-104] import no module of Node, and packages that this one names", () => {
    const imported = declarations.flatMap((path) =>
      [
        ...pageText(path).matchAll(
          /^(?:import|export) .*from ["']([^"'.][^"']*)["'];$|\bimport\(["']([^"'.][^"']*)["']\)/gm,
        ),
      ].map(([, from, asked]) => from ?? asked!),
    );
    const odd = imported.filter((id) => !installable.some((name) => id === name || id.startsWith(`${name}/`)));
    expect(odd).toEqual([]);
    expect(imported).toContain("@opentelemetry/api");
  });

  it("[TOOL-104] keep their doc comments", () => {
    const text = declarations.map((path) => pageText(path)).join("\n");
    expect(text).toContain("/** At most 40 characters, for tool lists. */");
    expect(text.match(/\/\*\*/g)!.length).toBeGreaterThan(1000);
  });
});

describe("the published schemas", () => {
  it.each(GENERATED_FOLDERS)("[TOOL-25] %s.json has each schema of the folder by its name", (folder) => {
    expect(paths).toContain(`${folder}.json`);
    const all = JSON.parse(pageText(`${folder}.json`)) as Record<string, unknown>;
    const schemas = schemasIn(join(ROOT, folder));
    expect(schemas.size).toBeGreaterThan(2);
    for (const [name, schema] of schemas) expect(resolved(all, name), name).toEqual(schema);
  });

  it("[TOOL-25] a validator takes a tool's input by its name", () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(JSON.parse(pageText("schemas/tools.json")) as object, "tools.json");
    const [example] = library.TOOLS["tasks_done"]!.examples;
    const judge = ajv.compile({ $ref: "tools.json#/$defs/tasks_done" });
    expect(judge(example)).toBe(true);
    expect(judge({ ...(example as object), colour: "red" })).toBe(false);
  });

  it("[TOOL-25] a part that stands in several schemas stands once, also inside of another", () => {
    const inner = { type: "object", properties: { enum: { type: "string", description: "x".repeat(200) } } };
    const outer = { type: "object", properties: { inner }, enum: [inner] };
    const schema = { $schema: "s", properties: { outer, other: { items: inner } } };
    const schemas = new Map<string, Record<string, unknown>>([
      ["a", schema],
      ["outer", { ...schema, title: "second" }],
    ]);
    const all = together(schemas);
    expect(JSON.stringify(all).match(/x{200}/g)).toHaveLength(2);
    expect(Object.keys(all["$defs"] as object)).toEqual(expect.arrayContaining(["a", "outer", "outer.2", "inner"]));
    for (const [name, one] of schemas) expect(resolved(all, name)).toEqual(one);
  });
});
