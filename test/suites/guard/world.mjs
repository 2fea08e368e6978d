// @ts-check
// A folder to attack: ordinary files, Taskdoc packages, and links of every kind between them. The judge shares nothing with the
// guard: it knows the inside of a package by device and inode on the disk, not by names.
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, parse, relative, resolve, sep } from "node:path";

/** Stands in every file of a package, and in no other. */
export const SECRET = "SECRET-OF-A-PACKAGE";
/** Is in the name of a file of every package, and in no other. */
export const INSIDE = "only-in-a-package";

const FOLDERS = ["plans", "plans/old", "src", "src/deep/er", "with blank", "unüsual", "work"];
const FILES = ["notes.md", "main.ts", "a.tsk.bak", "tskdoc.md", "rätsel.txt"];
const PACKAGES = ["alpha.tsk", "Beta.TSK", "rätsel.tsk", "taskdoc.tsk", "two words.tsk"];

/** @typedef {import("../../support/random_calls.mjs").Random} Random */

/** @template T @param {Random} random @param {readonly T[]} list @returns {T} */
export function pick(random, list) {
  return /** @type {T} */ (list[random.below(list.length)]);
}

export class World {
  /** Paths from the root, with `/`. @type {string[]} */
  folders = [...FOLDERS];
  /** Ordinary files, each in an ordinary folder. @type {string[]} */
  files = [];
  /** @type {string[]} */
  packages = [];
  /** Files in packages, there or not. @type {string[]} */
  sections = [];
  /** @type {string[]} */
  links = [];
  /** @type {string[]} */
  climbs = [];
  /** `device:inode` of every package and of all that is in it. @type {Set<string>} */
  #inside = new Set();
  #before = "";

  /** @param {string} root @param {Random} random @param {boolean} withLinks */
  constructor(root, random, withLinks) {
    this.root = root;
    this.random = random;
    this.#make(withLinks);
  }

  /** @param {boolean} withLinks */
  #make(withLinks) {
    const { root, random } = this;
    for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
    for (const folder of FOLDERS) {
      const file = `${folder}/${pick(random, FILES)}`;
      writeFileSync(join(root, file), `open text of ${file}\n`);
      this.files.push(file);
    }
    for (const name of PACKAGES) this.#makePackage(`${pick(random, FOLDERS)}/${name}`);
    for (let i = 0; withLinks && i < 14; i++) this.#makeLink(`${pick(random, FOLDERS)}/lnk${i}`);
    this.climbs = this.#climbs();
    for (const path of this.packages) this.#remember(join(root, path));
    this.#before = this.#state();
  }

  /** @param {string} path */
  #makePackage(path) {
    for (const section of ["goals.md", "constraints.md", "progress.md", `ux/${INSIDE}.md`]) {
      mkdirSync(dirname(join(this.root, path, section)), { recursive: true });
      writeFileSync(join(this.root, path, section), `${SECRET} ${section}\n`);
      this.sections.push(`${path}/${section}`);
    }
    this.packages.push(path);
    this.sections.push(`${path}/not-there.md`, path);
  }

  /** Somewhere that matters: a package, its inside, what holds it, another link, nothing yet. @param {string} path */
  #makeLink(path) {
    const { root, random } = this;
    const target = pick(random, [
      ...this.packages,
      ...this.sections,
      ...this.folders,
      ...this.links,
      ...this.links,
      path,
      `${pick(random, FOLDERS)}/ghost.tsk`,
      `${pick(random, FOLDERS)}/lnk${random.below(14)}`,
      ".",
    ]);
    const from = join(root, dirname(path));
    const forms = [join(root, target), relative(from, join(root, target)), `./${relative(from, join(root, target))}/`];
    // Through another folder and back: the system walks it name by name.
    const about = pick(random, [...FOLDERS, ...this.links]);
    forms.push(`${relative(from, join(root, about))}/../${relative(dirname(join(root, about)), join(root, target))}`);
    symlinkSync(pick(random, forms) || ".", join(root, path));
    this.links.push(path);
  }

  /** Paths that are something else by their letters than as the system walks them: out of one link, into a package by another. */
  #climbs() {
    const inner = this.links.map((link) => ({ link, real: this.#leadsTo(link) }));
    const doors = inner.filter(({ real }) => /\.tsk/i.test(real)).map(({ link }) => link);
    return inner.flatMap(({ link, real }) =>
      doors
        .filter((door) => dirname(door) === dirname(real) && dirname(door) !== dirname(link))
        .map((door) => `${link}/../${basename(door)}`),
    );
  }

  /** Where a link leads, from the root; itself where it leads nowhere. @param {string} link */
  #leadsTo(link) {
    return relative(this.root, realOf(join(this.root, link)) ?? join(this.root, link)).replaceAll(sep, "/");
  }

  /** @param {string} at */
  #remember(at) {
    const { dev, ino } = lstatSync(at);
    this.#inside.add(`${dev}:${ino}`);
    if (lstatSync(at).isDirectory()) for (const name of readdirSync(at)) this.#remember(join(at, name));
  }

  /**
   * Whether a tool that opens this path would be in a package: by its letters (`..` taken away first), or as the system walks it.
   * It makes a missing entry and removes it again, since a tool would make it too.
   * @param {string} path @param {string} cwd
   */
  reaches(path, cwd) {
    const asGiven = path.startsWith(sep) ? path : `${cwd}/${path}`;
    return [resolve(cwd, path), asGiven].some((way) => this.#isInside(way));
  }

  /** @param {string} way */
  #isInside(way) {
    const real = realOf(way);
    if (real !== undefined) return this.#holds(real);
    if (!this.staysInside(way)) return false;
    let made;
    try {
      closeSync(openSync(way, "a"));
      made = realpathSync.native(way);
      return this.#holds(made);
    } catch {
      // The system cannot make it: no such folder, a loop, a folder in its place.
      return false;
    } finally {
      if (made !== undefined) rmSync(made);
    }
  }

  /** @param {string} real */
  #holds(real) {
    for (let at = real; ; at = dirname(at)) {
      const { dev, ino } = lstatSync(at);
      if (this.#inside.has(`${dev}:${ino}`) || /\.tsk$/i.test(at)) return true;
      if (dirname(at) === at) return false;
    }
  }

  /**
   * Whether the way of a path never leaves this folder, with its links and their targets. Otherwise the caller opens, makes and
   * removes nothing there, whatever the links here have come to mean.
   * @param {string} path absolute, or from the root
   */
  staysInside(path) {
    let at = path.startsWith(sep) ? parse(path).root : this.root;
    let entered = at === this.root;
    const ahead = path.split(sep).toReversed();
    for (let steps = 0; ahead.length > 0; steps++) {
      const name = ahead.pop() ?? "";
      if (name === "" || name === ".") continue;
      const next = name === ".." ? dirname(at) : join(at, name);
      const target = name === ".." ? undefined : targetOf(next);
      if (steps > 1000) return false;
      if (target === undefined) at = next;
      else {
        if (target.startsWith(sep)) [at, entered] = [parse(target).root, false];
        ahead.push(...target.split(sep).toReversed());
      }
      if (at === this.root) entered = true;
      const inside = at === this.root || at.startsWith(this.root + sep);
      // On the way down to the folder everything is outside; after that nothing may be.
      if (!inside && (entered || !this.root.startsWith(at))) return false;
    }
    return entered;
  }

  /** The changes in a package, or the package that came, went or moved; undefined without a change. */
  damage() {
    const now = this.#state();
    return now === this.#before ? undefined : `packages were\n${this.#before}\nand are\n${now}`;
  }

  /** Every package in the folder, where it stands and all that is in it. */
  #state() {
    /** @type {string[]} */
    const lines = [];
    /** @param {string} at @param {boolean} inside */
    const walk = (at, inside) => {
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        const path = join(at, entry.name);
        const within = inside || (/\.tsk$/i.test(entry.name) && !entry.isSymbolicLink());
        if (within) lines.push(`${relative(this.root, path)} ${entry.isFile() ? readFileSync(path, "utf8") : ""}`);
        if (entry.isDirectory()) walk(path, within);
      }
    };
    walk(this.root, false);
    return lines.toSorted().join("\n");
  }
}

/** The target of a link, undefined when there is none. @param {string} path */
function targetOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function realOf(path) {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * The names that file systems may take for the same one, tried in this folder.
 * @param {string} folder @returns {Record<string, boolean>}
 */
export function abilitiesOf(folder) {
  /** @param {string} made @param {string} asked */
  const same = (made, asked) => {
    writeFileSync(join(folder, made), "");
    const found = realOf(join(folder, asked)) !== undefined;
    rmSync(join(folder, made));
    return found;
  };
  const link = () => {
    try {
      symlinkSync("nowhere", join(folder, "link"));
      rmSync(join(folder, "link"));
      return true;
    } catch {
      return false;
    }
  };
  return {
    links: link(),
    "names without letter case": same("probe.tsk", "PROBE.TSK"),
    "names without normal form": same("pr\u00F6be.tsk", "pro\u0308be.tsk"),
    "names without what is not seen": same("probe.tsk", "pro\u200Cbe.tsk"),
    "dots and blanks dropped at the end of a name": same("probe.tsk", "probe.tsk. "),
    "short names": same("a long probe.tsk", "ALONGP~1.TSK"),
    "streams of a file": same("probe.tsk", "probe.tsk::$DATA"),
    "backslash as a separator": sep === "\\",
  };
}
