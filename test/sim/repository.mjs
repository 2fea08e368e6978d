// @ts-check
/**
 * A model of git in the clone of one machine. A command is a row of steps, and other programs work between two of them. As git does, it
 * reads a file once, unlinks a changed one and makes it anew. The `union` of the real git joins logs.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @typedef {import("./disk.mjs").Disk} Disk */
/** By path below the root. @typedef {Map<string, Buffer>} Files */
/** @typedef {{ id: number, parents: Commit[], files: Files }} Commit */
/** The repository that all machines push to. @typedef {{ head: Commit | null, last: number }} Remote */
/** @typedef {Generator<string, string, void>} Steps each tells what was done; at the end what git says */

const ROOT = "/w";
/** Files of this machine alone, as `.coco/.gitignore` has them. */
const IGNORED = /^\.coco\/(?:registry|locks)$|\/\.tf-tmp-[^/]*$/;
/** An index of the second version without entries: the engine looks there for what a sparse checkout leaves out. */
const INDEX = indexOf(Buffer.from("DIRC\0\0\0\u0002\0\0\0\0", "latin1"));
const LOG = /\/events\.jsonl$/;

export class Repository {
  /** @type {Commit | null} */
  head = null;
  /** Files as they were checked out or staged. Git compares the work tree with them. @type {Files} */
  index = new Map();
  /** @type {Commit[]} */
  stashes = [];
  /** The branch that is not checked out. @type {Commit | null} */
  side = null;
  /** The other side of a merge that is not committed yet. @type {Commit | null} */
  merging = null;
  /** Versions of the logs that the last merge joined. @type {Map<string, { bytes: Buffer, isBase: boolean }[]>} */
  versions = new Map();
  #isBusy = false;
  #disk;
  #remote;
  #commands = new Map([
    ["clone", () => this.#clone()],
    ["commit", () => this.#commit()],
    ["pull", () => this.#merge(this.#remote.head)],
    ["push", () => this.#push()],
    ["switch", () => this.#switch()],
    ["join", () => this.#merge(this.side)],
    ["stash", () => this.#stash()],
    ["pop", () => this.#pop()],
    ["reset", () => this.#reset()],
  ]);

  /** @param {Disk} disk @param {Remote} remote */
  constructor(disk, remote) {
    this.#disk = disk;
    this.#remote = remote;
  }

  /** @param {string} what @returns {Steps} */
  *run(what) {
    const command = this.#commands.get(what);
    if (!command) throw new Error(`expected one of ${[...this.#commands.keys()].join(", ")}; found ${what}`);
    if (this.#isBusy) return "refused: index.lock is there";
    this.#isBusy = true;
    const said = yield* command();
    this.#isBusy = false;
    return said;
  }

  /** Versions of a log that the last merge joined, in Base64. @param {string} path */
  versionsOf(path) {
    return (this.versions.get(path) ?? []).map(({ bytes, isBase }) => ({ bytes: bytes.toString("base64"), isBase }));
  }

  /** Finds a branch, else a stash, that has this text in one of these files. @param {readonly string[]} paths @param {string} text of one character for each byte */
  heldBy(paths, text) {
    const bytes = Buffer.from(text, "latin1");
    const has = (/** @type {Commit} */ { files }) => paths.some((path) => files.get(path)?.includes(bytes));
    const branches = [this.head, this.side, this.merging, this.#remote.head].filter((one) => one !== null);
    if (branches.some((one) => [...ancestors(one)].some(has)))
      return { holder: "branch", name: "", object: "", isPassing: false, isCut: false };
    const at = this.stashes.toReversed().findIndex(has);
    return at < 0 ? null : { holder: "stash", name: `stash@{${at}}`, object: "", isPassing: false, isCut: false };
  }

  /** Whether a branch or a stash has a text in any file. @param {string} text */
  hasEver(text) {
    const all = [this.head, this.side, this.merging, this.#remote.head, ...this.stashes].filter((one) => one !== null);
    return all.some((one) =>
      [...ancestors(one)].some(({ files }) => [...files.values()].some((f) => f.includes(text))),
    );
  }

  /** All branches and what they lead to, as one text: another one once a branch may have lost what it had. */
  refs() {
    return [this.head, this.side, this.#remote.head].map((one) => one?.id ?? "").join(" ");
  }

  /** @returns {Steps} */
  *#clone() {
    const { head } = this.#remote;
    yield* this.#checkOut(head?.files ?? new Map());
    this.head = head;
    return "cloned";
  }

  /** All files of the work tree that are not ignored. @returns {Generator<string, Files, void>} */
  *#workTree() {
    /** @type {Files} */
    const files = new Map();
    const folders = [".coco"];
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
      for (const name of this.#namesIn(folder)) {
        const path = `${folder}/${name}`;
        if (IGNORED.test(path)) continue;
        const inode = this.#disk.find(`${ROOT}/${path}`);
        if (inode?.kind === "folder") folders.push(path);
        else if (inode) {
          files.set(path, inode.data);
          yield `reads ${path}`;
        }
      }
    return files;
  }

  /** @param {string} folder */
  #namesIn(folder) {
    return this.#disk.find(`${ROOT}/${folder}`)?.kind === "folder"
      ? this.#disk.readdir(`${ROOT}/${folder}`).toSorted()
      : [];
  }

  /** @param {Files} files @param {Commit[]} parents @returns {Commit} */
  #made(files, parents) {
    return { id: ++this.#remote.last, parents, files };
  }

  /** @returns {Steps} */
  *#commit() {
    const files = yield* this.#workTree();
    const parents = [this.head, this.merging].filter((one) => one !== null);
    yield* this.#indexed(files);
    if (!this.merging && this.head && isSame(files, this.head.files)) return "nothing to commit";
    this.head = this.#made(files, parents);
    this.merging = null;
    return `commit ${this.head.id}`;
  }

  /** @param {Files} files @returns {Generator<string, void, void>} */
  *#indexed(files) {
    this.index = new Map(files);
    const disk = this.#disk;
    if (!disk.find(`${ROOT}/.git`)) disk.mkdir(`${ROOT}/.git`);
    for (const name of ["HEAD", "index"]) {
      const lock = disk.open(`${ROOT}/.git/${name}.lock`, "wx");
      disk.write(lock.ino, name === "index" ? INDEX : Buffer.from("ref: refs/heads/main\n"), undefined);
      yield `writes .git/${name}.lock`;
      disk.rename(`${ROOT}/.git/${name}.lock`, `${ROOT}/.git/${name}`);
      yield `renames .git/${name}.lock`;
    }
  }

  /** Whether git would overwrite what no commit has. @param {Files} wanted @returns {Generator<string, boolean, void>} */
  *#isInTheWay(wanted) {
    for (const path of new Set([...wanted.keys(), ...this.index.keys()])) {
      if (isEqual(wanted.get(path), this.index.get(path))) continue;
      const there = this.#disk.find(`${ROOT}/${path}`)?.data;
      yield `looks at ${path}`;
      if (!isEqual(there, this.index.get(path)) && !isEqual(there, wanted.get(path))) return true;
    }
    return false;
  }

  /** @param {Files} wanted @returns {Generator<string, void, void>} */
  *#checkOut(wanted) {
    for (const path of new Set([...this.index.keys(), ...wanted.keys()])) {
      const bytes = wanted.get(path);
      if (isEqual(bytes, this.index.get(path))) continue;
      yield* bytes ? this.#put(path, bytes) : this.#remove(path);
    }
    yield* this.#indexed(wanted);
  }

  /** @param {string} path @param {Buffer} bytes @returns {Generator<string, void, void>} */
  *#put(path, bytes) {
    const disk = this.#disk;
    const parts = path.split("/");
    for (let i = 1; i < parts.length; i++) {
      const folder = `${ROOT}/${parts.slice(0, i).join("/")}`;
      if (!disk.find(folder)) disk.mkdir(folder);
    }
    if (disk.find(`${ROOT}/${path}`)) {
      disk.unlink(`${ROOT}/${path}`);
      yield `unlinks ${path}`;
    }
    // Another program made it meanwhile: git says so, and leaves it.
    if (disk.find(`${ROOT}/${path}`)) return;
    const made = disk.open(`${ROOT}/${path}`, "wx");
    yield `makes ${path}`;
    // Where the file began, whatever another program has put there meanwhile.
    disk.write(made.ino, bytes, 0);
    yield `writes ${path}`;
  }

  /** @param {string} path @returns {Generator<string, void, void>} */
  *#remove(path) {
    const disk = this.#disk;
    if (disk.find(`${ROOT}/${path}`)) disk.unlink(`${ROOT}/${path}`);
    yield `unlinks ${path}`;
    for (
      let folder = path.replace(/\/[^/]*$/, "");
      folder.split("/").length > 2;
      folder = folder.replace(/\/[^/]*$/, "")
    ) {
      if (disk.find(`${ROOT}/${folder}`)?.kind !== "folder" || disk.readdir(`${ROOT}/${folder}`).length > 0) break;
      disk.rmdir(`${ROOT}/${folder}`);
    }
  }

  /** @param {Commit | null} theirs @returns {Steps} */
  *#merge(theirs) {
    const { head } = this;
    if (this.merging) return "refused: a merge is not committed";
    if (!theirs || theirs === head || (head && ancestors(head).has(theirs))) return "up to date";
    const isForward = !head || ancestors(theirs).has(head);
    const base = head && baseOf(head, theirs);
    const files = isForward ? theirs.files : this.#joined(base?.files ?? new Map(), head.files, theirs.files);
    if (yield* this.#isInTheWay(files)) return "refused: changes would be overwritten";
    yield* this.#checkOut(files);
    if (isForward) this.head = theirs;
    else this.merging = theirs;
    return isForward ? "forward" : "merged";
  }

  /** @param {Files} base @param {Files} ours @param {Files} theirs @returns {Files} */
  #joined(base, ours, theirs) {
    /** @type {Files} */
    const files = new Map();
    this.versions = new Map();
    for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
      const [was, own, other] = [base.get(path), ours.get(path), theirs.get(path)];
      const bytes =
        isEqual(own, other) || isEqual(was, other)
          ? own
          : isEqual(was, own)
            ? other
            : this.#both(path, was, own, other);
      if (bytes) files.set(path, bytes);
    }
    return files;
  }

  /** @param {string} path @param {Buffer | undefined} was @param {Buffer | undefined} own @param {Buffer | undefined} other */
  #both(path, was, own, other) {
    if (!own || !other) return own ?? other;
    if (!LOG.test(path)) return own;
    this.versions.set(path, [
      ...(was ? [{ bytes: was, isBase: true }] : []),
      { bytes: own, isBase: false },
      { bytes: other, isBase: false },
    ]);
    return union(was ?? Buffer.alloc(0), own, other);
  }

  /** @returns {Steps} */
  *#push() {
    const { head } = this.#remote;
    yield "asks the remote";
    if (!this.head || (head && head !== this.head && !ancestors(this.head).has(head))) return "refused: not forward";
    this.#remote.head = this.head;
    return "pushed";
  }

  /** @returns {Steps} */
  *#switch() {
    const to = this.side ?? this.head;
    if (!to || this.merging) return "refused: a merge is not committed";
    if (yield* this.#isInTheWay(to.files)) return "refused: changes would be overwritten";
    yield* this.#checkOut(to.files);
    [this.head, this.side] = [to, this.head];
    return "switched";
  }

  /** @returns {Steps} */
  *#stash() {
    const { head } = this;
    if (!head || this.merging) return "refused";
    /** @type {Files} */
    const files = new Map();
    for (const path of this.index.keys()) {
      const bytes = this.#disk.find(`${ROOT}/${path}`)?.data;
      if (bytes) files.set(path, bytes);
      yield `reads ${path}`;
    }
    if (isSame(files, head.files)) return "nothing to stash";
    this.stashes.push(this.#made(files, [head]));
    this.index = files;
    yield* this.#checkOut(head.files);
    return "stashed";
  }

  /** `reset --hard`: what no commit has of the files that git knows is gone. @returns {Steps} */
  *#reset() {
    const { head } = this;
    if (!head || this.merging) return "refused";
    /** @type {Files} */
    const files = new Map();
    for (const path of new Set([...this.index.keys(), ...head.files.keys()])) {
      const bytes = this.#disk.find(`${ROOT}/${path}`)?.data;
      if (bytes) files.set(path, bytes);
      yield `looks at ${path}`;
    }
    this.index = files;
    yield* this.#checkOut(head.files);
    return "reset";
  }

  /** @returns {Steps} */
  *#pop() {
    const stash = this.stashes.at(-1);
    const [base] = stash?.parents ?? [];
    if (!stash || !base || !this.head || this.merging) return "refused: no stash";
    const files = this.#joined(base.files, this.head.files, stash.files);
    if (yield* this.#isInTheWay(files)) return "refused: changes would be overwritten";
    yield* this.#checkOut(files);
    // It stages nothing: a switch finds the changes.
    this.index = new Map(this.head.files);
    this.stashes.pop();
    return "popped";
  }
}

/** @param {Buffer} entries */
function indexOf(entries) {
  return Buffer.concat([entries, createHash("sha1").update(entries).digest()]);
}

/** @param {Buffer | undefined} one @param {Buffer | undefined} other */
function isEqual(one, other) {
  return one === other || (one !== undefined && other !== undefined && one.equals(other));
}

/** @param {Files} one @param {Files} other */
function isSame(one, other) {
  return one.size === other.size && [...one].every(([path, bytes]) => isEqual(bytes, other.get(path)));
}

/** It and all that lie before it, the later ones first. @param {Commit} commit @returns {Set<Commit>} */
function ancestors(commit) {
  const found = new Set([commit]);
  for (const one of found) for (const parent of one.parents) found.add(parent);
  return found;
}

/** The latest commit that both have. @param {Commit} one @param {Commit} other @returns {Commit | null} */
function baseOf(one, other) {
  const theirs = ancestors(other);
  const both = [...ancestors(one)].filter((commit) => theirs.has(commit));
  return both.toSorted((a, b) => b.id - a.id)[0] ?? null;
}

/** @type {string | undefined} */
let scratch;

/** By the real git. @param {Buffer} base @param {Buffer} ours @param {Buffer} theirs @returns {Buffer} */
function union(base, ours, theirs) {
  if (scratch === undefined) {
    const made = mkdtempSync(join(tmpdir(), "taskfold-union-"));
    scratch = made;
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  }
  const paths = Object.entries({ ours, base, theirs }).map(([name, bytes]) => {
    const path = join(/** @type {string} */ (scratch), name);
    writeFileSync(path, bytes);
    return path;
  });
  const { stdout, status } = spawnSync("git", ["merge-file", "-p", "--union", ...paths]);
  if (status !== 0) throw new Error(`git merge-file ended with ${status}`);
  return stdout;
}
