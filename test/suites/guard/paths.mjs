// @ts-check
// The grammar of paths to attack with: where to, by which way, in which spelling.
import { pick } from "./world.mjs";

/** @typedef {import("../../support/random_calls.mjs").Random} Random */
/** @typedef {import("./world.mjs").World} World */

/**
 * A path that may lead anywhere, and the folder that it starts from.
 * @param {World} world @param {Random} random @returns {{ path: string, cwd: string }}
 */
export function anyPath(world, random) {
  const folder = pick(random, ["", "", ...world.folders, ...world.links]);
  const cwd = folder === "" ? world.root : `${world.root}/${folder}`;
  let path = pick(random, [
    () => pick(random, world.sections),
    () => pick(random, [...world.links, ...world.folders]),
    () => `${pick(random, world.links.length > 0 ? world.links : world.folders)}/${rest(world, random)}`,
    () => walk(world, random),
    () => climb(world, random),
  ])();
  if (random.chance(0.3)) path = detour(path, world, random);
  if (random.chance(0.3)) path = noise(path, random);
  if (random.chance(0.3)) path = respell(path, random);
  return { path: random.chance(0.5) ? `${world.root}/${path}` : path, cwd };
}

/**
 * A path to an ordinary file or folder through ordinary folders: one that the guard has to let through.
 * @param {World} world @param {Random} random @returns {{ path: string, cwd: string }}
 */
export function plainPath(world, random) {
  let path = pick(random, [...world.files, ...world.folders, `${pick(random, world.folders)}/new/file.md`]);
  if (random.chance(0.5)) path = `${pick(random, world.folders)}/../`.replace(/^.*\/(?=[^/]+\/\.\.)/, "") + path;
  // The detour above stays at the top for a folder of the top alone.
  if (path.includes("..") && !world.folders.includes(path.slice(0, path.indexOf("/"))))
    path = pick(random, world.files);
  if (random.chance(0.5)) path = noise(path, random);
  return { path: random.chance(0.3) ? `${world.root}/${path}` : path, cwd: world.root };
}

/** Names after a link. @param {World} world @param {Random} random */
function rest(world, random) {
  return pick(random, ["goals.md", "ux/x.md", "new.md", "..", "../alpha.tsk/goals.md", "", walk(world, random)]);
}

/** Out of what a link leads to, and on by a link that stands there. @param {World} world @param {Random} random */
function climb(world, random) {
  if (world.climbs.length === 0) return walk(world, random);
  return pick(random, world.climbs) + pick(random, ["", "/goals.md", "/new.md"]);
}

/** Names that are there somewhere, in any order. @param {World} world @param {Random} random */
function walk(world, random) {
  const names = [...world.folders, ...world.links, ...world.packages].map((path) => path.split("/").at(-1) ?? "");
  return Array.from({ length: 1 + random.below(6) }, () =>
    pick(random, [pick(random, names), "..", "..", "goals.md", "."]),
  ).join("/");
}

/** In through something and out again. @param {string} path @param {World} world @param {Random} random */
function detour(path, world, random) {
  const through = pick(random, [...world.links, ...world.folders, "nothing"]);
  return `${through}/${"../".repeat(random.chance(0.8) ? through.split("/").length : 1)}${path}`;
}

/** Parts of a path without effect. @param {string} path @param {Random} random */
function noise(path, random) {
  return path
    .split("/")
    .map((name) => pick(random, [name, name, `./${name}`, `/${name}`]))
    .join("/")
    .replace(/^\/+/, "");
}

/** Another spelling of one name, under which a file system may find it. @param {string} path @param {Random} random */
function respell(path, random) {
  const names = path.split("/");
  const at = random.below(names.length);
  names[at] = pick(random, SAME_NAME)(names[at] ?? "", random);
  return names.join("/");
}

/** @typedef {(name: string, random: Random) => string} Spelling */

/** @param {string} name @param {Random} random @param {(char: string) => string} change */
const some = (name, random, change) => Array.from(name, (char) => (random.chance(0.5) ? change(char) : char)).join("");

/** Spellings that some file system or program takes for the same name. @type {Spelling[]} */
const SAME_NAME = [
  (name, random) => some(name, random, (char) => char.toUpperCase()),
  (name) => name.toUpperCase(),
  (name) => name.normalize("NFD"),
  (name) => name.normalize("NFC"),
  (name, random) => some(name, random, wide),
  (name, random) => some(name, random, (char) => OTHER_LETTER[char.toLowerCase()] ?? char),
  (name, random) => some(name, random, (char) => char + pick(random, UNSEEN)),
  (name, random) => name + pick(random, [".", "..", " ", ". .", "\u00A0", "\u3000"]),
  (name, random) => name + pick(random, ["::$DATA", ":x", ":x:$DATA", "::$INDEX_ALLOCATION", "\uFF1A$DATA"]),
];

const UNSEEN = ["\u200B", "\u200C", "\u200D", "\u2060", "\uFEFF", "\u00AD", "\u180E", "\u0301", "\uE000", "\u{E0020}"];

/** @type {Record<string, string>} */
const OTHER_LETTER = { ".": "\u2024", t: "\u0442", s: "\u0455", k: "\u212A" };

/** Full width, as some keyboards type it. @param {string} char */
function wide(char) {
  const code = char.charCodeAt(0);
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code + 0xfee0) : char;
}

/** Beginnings before a name that change nothing. */
const BEFORE = [
  "",
  "./",
  "x/",
  "x/../",
  "..\\",
  "C:",
  "C:\\",
  "\\\\host\\share\\",
  "\\\\?\\C:\\",
  "//host/share/",
  "/",
];
const AFTER = ["", "/", "/goals.md", "\\goals.md", "/..", "\\..\\x", "\uFF0Fgoals.md", "\u2215goals.md", "//."];

/**
 * A path that the guard has to refuse by its letters alone. It is the name of a package in up to four other spellings, one upon
 * the other.
 * @param {Random} random
 */
export function spelledPackage(random) {
  return spelled(pick(random, ["a.tsk", "my plan.tsk", "taskdoc.tsk", "A~1.TSK", "r\u00E4tsel.tsk"]), random);
}

/**
 * The same made of a name that is no package: it has to be let through.
 * @param {Random} random
 */
export function spelledOther(random) {
  return spelled(pick(random, ["a.md", "my tsk", "taskdoc.md", "a.tsk.bak", "r\u00E4tsel", "tsk", "a.tskx"]), random);
}

/** @param {string} name @param {Random} random */
function spelled(name, random) {
  let text = name;
  for (let n = random.below(5); n > 0; n--) text = pick(random, SAME_NAME)(text, random);
  return pick(random, BEFORE) + text + pick(random, AFTER);
}
