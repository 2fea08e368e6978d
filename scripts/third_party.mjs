// @ts-check
/** `dist/THIRD_PARTY.txt`: the licences of the packages whose code the package holds. They ask to stand beside it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../dist/THIRD_PARTY.txt");
const FIRST = "Taskfold holds code of these packages, under the licences that follow.";
const BETWEEN = `\n${"=".repeat(80)}\n\n`;

/** Adds the packages of the modules that a bundle took. Packages with one text share it. @param {Iterable<string>} modules paths of files */
export function addLicences(modules) {
  /** @type {Map<string, Set<string>>} */
  const names = new Map();
  const kept = existsSync(FILE) ? readFileSync(FILE, "utf8").split(BETWEEN).slice(1) : [];
  for (const entry of kept) {
    const [heads = "", ...texts] = entry.split("\n\n");
    names.set(texts.join("\n\n"), new Set(heads.split("\n")));
  }
  for (const path of modules) {
    const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
    if (folder === undefined) continue;
    const { head, text } = licenceIn(folder);
    names.set(text, (names.get(text) ?? new Set()).add(head));
  }
  const entries = [...names].map(([text, heads]) => `${[...heads].toSorted().join("\n")}\n\n${text}`);
  writeFileSync(FILE, [`${FIRST}\n`, ...entries.toSorted()].join(BETWEEN));
}

/** `head`: name, version and licence. @param {string} folder */
function licenceIn(folder) {
  /** @type {{ name: string, version: string, license?: string }} */
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`expected the licence of ${name} in its folder, found none`);
  return { head: `${name} ${version} (${license})`, text: `${readFileSync(join(folder, file), "utf8").trim()}\n` };
}
