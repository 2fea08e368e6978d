// @ts-check
// The site: README, the guides, the specification and an API reference of the doc comments. Every warning is an error.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Converter } from "typedoc";
import { ENTRIES } from "../scripts/entries.mjs";

const root = join(import.meta.dirname, "..");

/** Guides in the order of README's table; a test holds the table to the folder. */
const GUIDES = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^\| \[[^\]]+\]\((docs\/.+?\.md)\)/gm)].map(
  ([, path]) => path ?? "",
);

/** @param {string} folder @param {string[]} [without] */
const pagesOf = (folder, without = []) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md") && !without.includes(name))
    .map((name) => join(root, folder, name));

/** The names that a program imports, by the module names that typedoc gives. */
const IMPORTS = Object.fromEntries(
  Object.entries(ENTRIES).map(([name, source]) => [
    source.replace(/^src\/|(\/index)?\.ts$/g, ""),
    name === "index" ? "taskfold" : `taskfold/${name}`,
  ]),
);

/** The group of a page in the navigation, by its folder. */
const GROUPS = /** @type {Record<string, string>} */ ({
  ".": "Project",
  docs: "Guides",
  spec: "Specification",
  "spec/decisions": "Decisions",
});

/** Pages are called as their first heading says and grouped by folder, modules as they are imported. @param {import("typedoc").Application} app */
function nameAndGroup(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, page) => {
    const text = page.content.map((part) => part.text).join("");
    page.name = /^# (.+)$/m.exec(text)?.[1] ?? page.name;
    const folder = dirname(relative(root, app.files.getReflectionPath(page) ?? "")).replaceAll("\\", "/");
    page.frontmatter["group"] = GROUPS[folder] ?? folder;
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = IMPORTS[module.name] ?? module.name;
  });
}

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "Taskfold",
  entryPoints: Object.values(ENTRIES).map((source) => join(root, source)),
  tsconfig: join(root, "tsconfig.build.json"),
  out: join(root, "site"),
  readme: join(root, "README.md"),
  projectDocuments: [
    // The site alone has the page of commands: the program prints it.
    ...[...GUIDES, "docs/commands.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map((path) =>
      join(root, path),
    ),
    // It quotes other documents word for word, with links that lead nowhere here.
    ...pagesOf("spec", ["coverage.md"]),
    ...pagesOf("spec/decisions"),
  ],
  plugin: [nameAndGroup],
  // `npm run check` checks the types; checking them once more takes most of a build.
  skipErrorChecking: true,
  sort: ["source-order"],
  groupOrder: ["Guides", "Modules", "Project", "Specification", "Decisions"],
  navigation: { includeGroups: true },
  // "Backlog.md" is a name here, no address.
  markdownItOptions: { html: true, linkify: false },
  // The parts of a tool's types have no name of their own in the package; the reference shows them in place.
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
  disableSources: true,
  hideGenerator: true,
};
