// @ts-check
/** `dist/THIRD_PARTY.txt`: the licences of the packages whose code the package holds. They ask to stand beside it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../dist/THIRD_PARTY.txt");
const FIRST = "Taskfold holds code of these packages, under the licences that follow.";
const BETWEEN = `\n${"=".repeat(80)}\n\n`;

/** Adds the packages of the modules that a bundle took. @param {Iterable<string>} modules paths of files */
export function addLicences(modules) {
  const texts = new Set(existsSync(FILE) ? readFileSync(FILE, "utf8").split(BETWEEN).slice(1) : []);
  for (const path of modules) {
    const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
    if (folder !== undefined) texts.add(textOf(folder));
  }
  writeFileSync(FILE, [`${FIRST}\n`, ...[...texts].toSorted()].join(BETWEEN));
}

/** Name, version and licence. @param {string} folder */
function textOf(folder) {
  /** @type {{ name: string, version: string, license?: string }} */
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`expected the licence of ${name} in its folder, found none`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
