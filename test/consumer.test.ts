// @module-tag rotating
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compile, makeConsumer, VERSIONS } from "./support/consumer.mjs";
import { codeBlocks, PAGES } from "./support/markdown.ts";
import { fileTempFolder } from "./support/temp.ts";

const place = fileTempFolder();
let isMade = false;

/** Packed once for all compilers, by the first test that runs: `npm test` may leave out all of them. */
function consumer(): string {
  if (!isMade) makeConsumer(place);
  isMade = true;
  return place;
}

describe.each(VERSIONS)("a strict project with the package as npm packs it, on TypeScript %s", (version) => {
  it("[TOOL-80] [TOOL-104] compiles, and its wrong calls are errors", () => {
    const { status, stdout } = compile(consumer(), version);
    expect([stdout, status]).toEqual(["", 0]);
  });

  it.each(["without_node.json", "with_dom.json"])(
    "[TOOL-104] [ENG-104] [regression GUARD-23] compiles without the types of Node, as %s has it",
    (config) => {
      const { status, stdout } = compile(consumer(), version, config);
      expect([stdout, status]).toEqual(["", 0]);
    },
  );

  it("[regression TOOL-107] compiles each program of README and docs as it stands", () => {
    const folder = consumer();
    const programs = PAGES.filter((page) => page === "README.md" || page.startsWith("docs/")).flatMap((page) =>
      codeBlocks(page)
        .filter(({ language }) => language === "js")
        .map(({ text }, n) => ({ name: `${page.replaceAll(/\W/g, "_")}_${n + 1}.ts`, text })),
    );
    expect(programs.length).toBeGreaterThan(10);
    for (const { name, text } of programs) writeFileSync(join(folder, name), text);
    const config = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8")) as { compilerOptions: object };
    // The exporters that a program of a page names have types of a browser.
    const compilerOptions = { ...config.compilerOptions, lib: ["es2023", "dom"], skipLibCheck: true };
    writeFileSync(
      join(folder, "pages.json"),
      JSON.stringify({ compilerOptions, files: programs.map(({ name }) => name) }),
    );
    const { status, stdout } = compile(folder, version, "pages.json");
    expect([stdout, status]).toEqual(["", 0]);
  });

  it("[TOOL-80] finds each wrong call by itself", () => {
    const folder = consumer();
    const marked = readFileSync(join(folder, "wrong_calls.ts"), "utf8").split("\n");
    const wrong = marked.flatMap((line, i) => (line.startsWith("// @ts-expect-error") ? [i + 2] : []));
    expect(wrong.length).toBeGreaterThanOrEqual(10);
    writeFileSync(join(folder, "unmarked.ts"), marked.join("\n").replaceAll("// @ts-expect-error", "//"));
    const config = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8")) as object;
    writeFileSync(join(folder, "unmarked.json"), JSON.stringify({ ...config, files: ["unmarked.ts"] }));
    const { stdout } = compile(folder, version, "unmarked.json");
    const found = [...stdout.matchAll(/unmarked\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect([...new Set(found)]).toEqual(wrong);
  });
});
