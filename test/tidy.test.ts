import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import { ENTRIES } from "../scripts/entries.mjs";
import { GENERATED_FOLDERS, generatedFiles } from "../scripts/generated.mjs";
import { generatedTypes, TYPES_FOLDERS } from "../scripts/generated_types.mjs";
import { EVENT_REGISTRY, registries, TOOL_REGISTRY } from "../scripts/registry.mjs";
import { PACKET_SCHEMAS } from "../src/state/packet_schema.ts";
import { replyOf, wholeOutput } from "../src/tools/output.ts";
import { ROOT, filesBelow, sources } from "./support/source.ts";
import { ROTATING } from "./support/sweep.ts";

interface Tool {
  name: string;
  doc: string;
  input: object;
  output: object;
  examples: readonly unknown[];
}

interface EventType {
  printed: string;
  type: string;
  doc: string;
  payload: object;
  undo: string;
}

async function registry<T>(path: string, name: string): Promise<Record<string, T>> {
  if (!existsSync(join(ROOT, path))) return {};
  const module = (await import(pathToFileURL(join(ROOT, path)).href)) as Record<string, Record<string, T>>;
  return module[name] ?? {};
}

const TOOLS = await registry<Tool>(TOOL_REGISTRY, "TOOLS");
const EVENTS = await registry<EventType>(EVENT_REGISTRY, "EVENTS");

function stems(folder: string): string[] {
  return filesBelow(folder, ".ts").map((path) => basename(path, ".ts"));
}

function isSentence(text: string): boolean {
  return /^[A-Z`].*\.$/s.test(text);
}

describe("registries and folders", () => {
  it("every event file is named after its type, and stands in the registry in that order", () => {
    // A type has a dot in it, a helper of the folder has none.
    const files = stems("src/events").filter((stem) => stem.includes("."));
    expect(Object.keys(EVENTS)).toEqual(files);
    expect(Object.entries(EVENTS).filter(([key, event]) => event.type !== key)).toEqual([]);
  });

  it("every tool file is named after its tool, and stands in the registry in that order", () => {
    const defining = sources("src/tools").filter((file) =>
      /= (?:read|change|create|batch|focus)Tool\(\{/.test(file.code),
    );
    // Those of the command line alone have a folder of their own.
    const registered = defining.filter(({ path }) => !path.startsWith("src/tools/command_line/"));
    expect(Object.keys(TOOLS)).toEqual(registered.map(({ path }) => basename(path, ".ts")));
    expect(Object.entries(TOOLS).filter(([key, tool]) => tool.name !== key)).toEqual([]);
  });

  it("every event says in a sentence what happened and what undo does", () => {
    const dumb = Object.values(EVENTS).filter((event) => !isSentence(event.doc) || !isSentence(event.undo));
    expect(dumb.map((event) => event.type)).toEqual([]);
  });

  it("every tool says in a sentence what it does, and shows a call", () => {
    const dumb = Object.values(TOOLS).filter((tool) => !isSentence(tool.doc) || tool.examples.length === 0);
    expect(dumb.map((tool) => tool.name)).toEqual([]);
  });
});

describe("generated files", () => {
  const files = new Map([
    ...registries(ROOT),
    ...generatedFiles({ tools: TOOLS, events: EVENTS, packet: PACKET_SCHEMAS, replyOf }),
    ...generatedTypes({ tools: TOOLS, events: EVENTS, wholeOutput }),
  ]);

  it("are as `npm run generate` writes them", () => {
    const stale = [...files].filter(([path, text]) => {
      const full = join(ROOT, path);
      return !existsSync(full) || readFileSync(full, "utf8").replaceAll("\r\n", "\n") !== text;
    });
    expect(stale.map(([path]) => path)).toEqual([]);
  });

  it("have their folders for themselves", () => {
    const present = [...GENERATED_FOLDERS, ...TYPES_FOLDERS].flatMap((folder) => filesBelow(folder));
    expect(present.filter((path) => !files.has(path))).toEqual([]);
  });
});

describe("files", () => {
  it("are named by a word of the wire or in snake_case", () => {
    // A .d.ts file describes an untyped package and is called like it.
    const ours = filesBelow("src").filter((path) => !path.endsWith(".d.ts"));
    const odd = ours.filter((path) => !/^[a-z][a-z0-9_]*(\.[a-z_]+)?\.ts$/.test(basename(path)));
    expect(odd).toEqual([]);
  });

  it("have one word for one meaning: a word that was given up stays so", ROTATING, () => {
    const givenUp =
      /\b(?:MOST_[A-Z]\w*|[bB]ell|Turns|twins|stir|KeptAnswers|afterWrite|isAway|isTurn|Intake|TakingIn|LogEnds|outOfStep|readConfirmed|LOG_SHORTER|People|(?:set|put)Aside|putBack|defineTool|ClaimTurns|(?:function|interface|type) (?:[tT]old|[sS]aid|[tT]urn\w*))\b/;
    const found = sources("src").filter(({ code }) => givenUp.test(code));
    expect(found.map(({ path, code }) => `${path}: ${givenUp.exec(code)![0]}`)).toEqual([]);
  });

  it("name what a thing holds: nothing is called told, said or standing but fields of --json", ROTATING, () => {
    const named = ["src", "viewer/src"]
      .flatMap((folder) => [...filesBelow(folder, ".ts"), ...filesBelow(folder, ".tsx")])
      // The Chinese sentences are one table, and each of its rows calls `said`: this test does not look at them.
      .filter((path) => !path.startsWith("viewer/src/text/zh_"))
      .flatMap((path) => emptyNamesOf(path).map((name) => `${path}: ${name}`));
    expect([...new Set(named)].toSorted()).toEqual([
      "src/hosts/cli/git/driver.ts: field said",
      "src/hosts/cli/import_tracker.ts: field said",
    ]);
  });

  it("catch no error to forget it", () => {
    const patterns = [
      /\bcatch\s*(\([^)]*\))?\s*\{\s*\}/,
      /\.catch\(\s*\(\s*\w*\s*\)\s*=>\s*(\{\s*\}|undefined|null)\s*\)/,
    ];
    const swallowing = sources().filter((file) => patterns.some((pattern) => pattern.test(file.code)));
    expect(swallowing.map((file) => file.path)).toEqual([]);
  });
});

/** Words that say of each thing the same: that it was told. A reader would have to look up what the thing holds. */
const EMPTY_NAMES: ReadonlySet<string> = new Set(["told", "said", "standing"]);

/** Those of them that a source declares or uses, each as often as it stands there; `field` stands before a key of an object. */
function emptyNamesOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  // Most files have none of the words, also not in a comment, and parsing all of them would take seconds.
  if (![...EMPTY_NAMES].some((name) => text.includes(name))) return [];
  const { program, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  const names: string[] = [];
  const walk = (node: unknown, isKey = false): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name, shorthand } = node as { type?: unknown; name?: unknown; shorthand?: unknown };
    if (String(type).endsWith("Identifier") && EMPTY_NAMES.has(String(name)))
      names.push(isKey ? `field ${String(name)}` : String(name));
    for (const [member, inner] of Object.entries(node))
      walk(inner, type === "Property" && member === "key" && shorthand === false);
  };
  walk(program);
  return names;
}

describe("public names", () => {
  it("are a decision: a new one is added to test/public_names.txt by `npx vitest run -u`", ROTATING, async () => {
    const names = Object.entries(ENTRIES).flatMap(([entry, path]) => {
      const code = sources().find((file) => file.path === path)?.code ?? "";
      return namesExported(code).map((name) => (entry === "index" ? name : `${entry}: ${name}`));
    });
    await expect(`${names.toSorted().join("\n")}\n`).toMatchFileSnapshot("./public_names.txt");
  });
});

/** The names that a source exports, by lists and where it declares them; `type` stands before those of types. */
function namesExported(code: string): string[] {
  const lists = [...code.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)].flatMap(([, type, list]) =>
    (list ?? "")
      .split(",")
      .map((name) => name.trim().replace(/^.*\sas\s+/, ""))
      .filter((name) => name !== "")
      .map((name) => (type ? `type ${name}` : name)),
  );
  const declared = [...code.matchAll(/^export\s+(?:async\s+)?(type|interface|function|const|class)\s+(\w+)/gm)];
  return [...lists, ...declared.map(([, word, name]) => (/type|interface/.test(word!) ? `type ${name}` : name!))];
}

/** The names that a module of the build exports. Running it would take as long as all other tests of this file. */
function exportsOf(path: string): Set<string | null> {
  const { staticExports } = parseSync(path, readFileSync(path, "utf8")).module;
  return new Set(staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name)));
}

describe("benches and scripts", () => {
  // No compiler checks most of them, and a name that is gone shows only when one runs.
  it("import names that the build has", () => {
    const missing: string[] = [];
    const exports = new Map<string, Set<string | null>>();
    for (const file of ["bench", "scripts", "test/suites", "test/support", "examples"].flatMap((folder) =>
      filesBelow(folder, ".mjs"),
    )) {
      for (const [, names, from] of readFileSync(join(ROOT, file), "utf8").matchAll(
        /^import \{([^}]*)\} from "(\.[^"]*dist\/[^"]*)";/gm,
      )) {
        const built = join(ROOT, dirname(file), from!);
        let exported = exports.get(built);
        if (!exported) exports.set(built, (exported = exportsOf(built)));
        const wanted = names!.split(",").map((name) => name.trim().split(" as ")[0]!);
        missing.push(...wanted.filter((name) => name !== "" && !exported.has(name)).map((name) => `${file}: ${name}`));
      }
    }
    expect(missing).toEqual([]);
  });
});

describe("scripts", () => {
  it("are at most 30, and CONTRIBUTING says of each what it is for", () => {
    const names = readdirSync(join(ROOT, "scripts"));
    const text = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(30);
  });

  it("and every suite is named by a script of package.json", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const commands = Object.values(scripts).join("\n");
    const suites = readdirSync(join(ROOT, "test/suites"));
    expect(suites.filter((name) => !commands.includes(`test/suites/${name}/run.mjs`))).toEqual([]);
  });
});
