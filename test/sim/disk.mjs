// @ts-check
/**
 * The disk of a simulated machine, in memory: what a file system keeps of writes and names, and what it may lose. A sync makes bytes
 * last, and the sync of a folder makes names last. A power cut keeps of the rest what the caller chooses.
 */
import { errno, Visible } from "./visible.mjs";

/** @typedef {{ below(limit: number): number, chance(probability: number): boolean }} Random */
/** A change of bytes that no sync has covered: bytes at a place, or a new size. @typedef {{ at: number, bytes: Buffer | null, size: number }} Unsynced */
/** A change of names, whole or not at all. @typedef {{ sets: { folder: number, name: string, ino: number | null }[] }} Naming */
/**
 * The effect of a cut on bytes that no sync covered. `lost`: all of them go. `kept`: none goes. `torn`: those of later writes go, from any
 * byte on. `reordered`: any pages of 4 KiB go. `zeros`: the size stays, and the bytes read as zeros.
 * @typedef {"lost" | "kept" | "torn" | "reordered" | "zeros"} Bytes
 */
/** The same for names: of `ordered` ones the later are lost, of `any` each may be that no kept one builds on. @typedef {"lost" | "kept" | "ordered" | "any"} Names */

/** Effects of a cut besides losing all or nothing. Each can be switched off. */
export const ASSUMPTIONS = /** @type {const} */ (["torn", "reordered", "zeros", "ordered", "any"]);

const PAGE = 4096;
/** A file system notes times by a clock that ticks. */
const TICK_MS = 4;
/** @type {Buffer} */
const EMPTY = Buffer.alloc(0);

/** Bytes go to the end of a file that was opened for that, wherever the caller wants them. @param {{ flags: string }} file @param {number | null | undefined} position */
export function positionOf({ flags }, position) {
  return flags === "a+" || flags === "ra" ? undefined : (position ?? undefined);
}

export class Inode {
  /** The bytes that readers see. */
  data = EMPTY;
  /** The bytes on the medium. */
  synced = EMPTY;
  /** @type {Unsynced[]} */
  unsynced = [];
  /** Bytes that a failed sync gave up: no later sync writes them. @type {[number, number][]} */
  givenUp = [];
  /** @type {Map<string, number>} */
  names = new Map();
  /** @type {Map<string, number>} */
  syncedNames = new Map();
  /** How many names stand for it: one or none, for nothing here makes a second. */
  links = 0;
  mtimeMs = 0;
  ctimeMs = 0;

  /** @param {number} ino @param {"file" | "folder"} kind @param {number} birth */
  constructor(ino, kind, birth) {
    this.ino = ino;
    this.kind = kind;
    this.birth = birth;
  }

  /** @param {Unsynced} change @param {Buffer} data */
  static after({ at, bytes, size }, data) {
    if (bytes === null)
      return data.length >= size ? data.subarray(0, size) : Buffer.concat([data, Buffer.alloc(size - data.length)]);
    const end = at + bytes.length;
    const whole = Buffer.alloc(Math.max(end, data.length));
    data.copy(whole);
    bytes.copy(whole, at);
    return whole;
  }
}

/** @extends {Visible<Inode>} */
export class Disk extends Visible {
  /** Changes of names that no sync of a folder has covered, oldest first. @type {Naming[]} */
  namings = [];
  #last = 1;
  #now;
  /** For each copy of the visible part, the changes that it lacks. @type {Set<Set<Inode>>} */
  #untold = new Set();

  /** @param {() => number} now milliseconds since 1970 */
  constructor(now) {
    super();
    this.#now = now;
    this.inodes.set(1, new Inode(1, "folder", now()));
  }

  #time() {
    return Math.floor(this.#now() / TICK_MS) * TICK_MS;
  }

  /** Files and folders made from now on have numbers above that one. @param {number} last */
  numberAbove(last) {
    if (this.#last > last) throw new Error(`expected numbers up to ${last}, found ${this.#last}`);
    this.#last = last;
  }

  /** @param {"file" | "folder"} kind */
  #make(kind) {
    // As on a file system that gives a number again: never, so that two files are never taken for one.
    const inode = new Inode(++this.#last, kind, this.#now());
    inode.mtimeMs = inode.ctimeMs = this.#time();
    this.inodes.set(inode.ino, inode);
    this.#changed(inode);
    return inode;
  }

  /** From now on notes what a copy of the visible part lacks: at first all of it. `end`: no one needs that any more. */
  copying() {
    const changed = new Set(this.inodes.values());
    this.#untold.add(changed);
    return { changed, end: () => void this.#untold.delete(changed) };
  }

  /** @param {Inode} inode */
  #changed(inode) {
    for (const untold of this.#untold) untold.add(inode);
  }

  /** @param {string} path */
  #parent(path) {
    const at = path.lastIndexOf("/");
    const folder = this.there(path.slice(0, at));
    if (folder.kind !== "folder") throw errno("ENOTDIR", path);
    return { folder, name: path.slice(at + 1) };
  }

  /** @param {Naming["sets"]} sets */
  #name(sets) {
    for (const { folder, name, ino } of sets) {
      const inode = this.inode(folder);
      this.asked?.sets(inode, name);
      const before = this.inodes.get(inode.names.get(name) ?? 0);
      if (before?.kind === "folder") this.forgetFolders();
      if (before) {
        before.links--;
        this.#changed(before);
      }
      if (ino === null) inode.names.delete(name);
      else {
        const named = this.inode(ino);
        inode.names.set(name, ino);
        named.links++;
        this.#changed(named);
      }
      inode.mtimeMs = inode.ctimeMs = this.#time();
      this.#changed(inode);
    }
    this.namings.push({ sets });
  }

  /** @param {string} path @param {string} flags */
  open(path, flags) {
    const found = this.find(path);
    if (found?.kind === "folder") throw errno("EISDIR", path);
    if (found && flags === "wx") throw errno("EEXIST", path);
    if (found) return found;
    if (flags !== "a+" && flags !== "wx") throw errno("ENOENT", path);
    const { folder, name } = this.#parent(path);
    this.asked?.did("open", path, flags);
    const made = this.#make("file");
    this.#name([{ folder: folder.ino, name, ino: made.ino }]);
    return made;
  }

  /** @param {number} ino @param {Buffer} bytes @param {number | undefined} position at the end, if left out */
  write(ino, bytes, position) {
    const inode = this.inode(ino);
    this.asked?.did("write", ino, bytes, position);
    this.#change(inode, { at: position ?? inode.data.length, bytes, size: 0 });
    return bytes.length;
  }

  /** @param {number} ino @param {number} size */
  truncate(ino, size) {
    this.asked?.did("truncate", ino, size);
    this.#change(this.inode(ino), { at: 0, bytes: null, size });
  }

  /** @param {Inode} inode @param {Unsynced} change */
  #change(inode, change) {
    this.asked?.touches(inode);
    inode.data = Inode.after(change, inode.data);
    inode.unsynced.push(change);
    const [from, to] = change.bytes ? [change.at, change.at + change.bytes.length] : [change.size, Infinity];
    inode.givenUp = inode.givenUp.flatMap(([a, b]) =>
      /** @type {[number, number][]} */ ([
        [a, Math.min(b, from)],
        [Math.max(a, to), b],
      ]).filter(([c, d]) => c < d),
    );
    inode.mtimeMs = inode.ctimeMs = this.#time();
    this.#changed(inode);
  }

  /** Notes all that a sync which begins now will cover. Gives what is done when it ends. @param {number} ino */
  syncing(ino) {
    const inode = this.inode(ino);
    const { data } = inode;
    const covered = new Set(inode.unsynced);
    return {
      done: () => {
        const next = Buffer.from(data);
        for (const [from, to] of inode.givenUp) {
          if (from >= next.length) continue;
          const end = Math.min(to, next.length);
          next.fill(0, from, end);
          if (from < inode.synced.length) inode.synced.copy(next, from, from, end);
        }
        inode.synced = next;
        inode.unsynced = inode.unsynced.filter((change) => !covered.has(change));
      },
      /** The pages are gone: `seen`, readers see it at once; else only after a cut. @param {boolean} seen */
      failed: (seen) => {
        for (const change of covered)
          if (change.bytes) inode.givenUp.push([change.at, change.at + change.bytes.length]);
        inode.unsynced = inode.unsynced.filter((change) => !covered.has(change));
        if (!seen) return;
        inode.data = inode.synced;
        for (const change of inode.unsynced) inode.data = Inode.after(change, inode.data);
        inode.givenUp = [];
        this.#changed(inode);
      },
    };
  }

  /** @param {string} path */
  syncFolder(path) {
    const folder = this.there(path);
    if (folder.kind !== "folder") throw errno("ENOTDIR", path);
    const wanted = this.namings.filter(({ sets }) => sets.some((set) => set.folder === folder.ino));
    this.#keepNames(this.#withEarlier(new Set(wanted)));
  }

  /** Those, and earlier changes of the same names. @param {Set<Naming>} wanted */
  #withEarlier(wanted) {
    const keys = new Set();
    const all = [];
    for (const naming of this.namings.toReversed()) {
      const own = naming.sets.map(({ folder, name }) => `${folder} ${name}`);
      if (!wanted.has(naming) && !own.some((key) => keys.has(key))) continue;
      all.unshift(naming);
      for (const key of own) keys.add(key);
    }
    return all;
  }

  /** @param {Naming[]} kept */
  #keepNames(kept) {
    for (const { sets } of kept)
      for (const { folder, name, ino } of sets) {
        const { syncedNames } = this.inode(folder);
        if (ino === null) syncedNames.delete(name);
        else syncedNames.set(name, ino);
      }
    const done = new Set(kept);
    this.namings = this.namings.filter((naming) => !done.has(naming));
  }

  /** Everything is on the medium, as after a long while. */
  syncAll() {
    this.#keepNames(this.namings);
    for (const ino of this.inodes.keys()) this.syncing(ino).done();
  }

  /** @param {string} path */
  mkdir(path) {
    if (this.find(path)) throw errno("EEXIST", path);
    const { folder, name } = this.#parent(path);
    this.asked?.did("mkdir", path);
    this.#name([{ folder: folder.ino, name, ino: this.#make("folder").ino }]);
  }

  /** @param {string} from @param {string} to */
  rename(from, to) {
    const moved = this.there(from);
    const [a, b] = [this.#parent(from), this.#parent(to)];
    const replaced = this.find(to);
    if (replaced === moved) return;
    if (replaced?.kind === "folder") {
      if (moved.kind !== "folder") throw errno("EISDIR", to);
      this.asked?.names(replaced);
      if (replaced.names.size > 0) throw errno("ENOTEMPTY", to);
    } else if (replaced && moved.kind === "folder") throw errno("ENOTDIR", to);
    if (moved.kind === "folder" && `${to}/`.startsWith(`${from}/`)) throw errno("EINVAL", to);
    this.asked?.did("rename", from, to);
    this.asked?.moves(moved);
    this.#name([
      { folder: a.folder.ino, name: a.name, ino: null },
      { folder: b.folder.ino, name: b.name, ino: moved.ino },
    ]);
    moved.ctimeMs = this.#time();
  }

  /** @param {string} one @param {string} other */
  exchange(one, other) {
    const [x, y] = [this.there(one), this.there(other)];
    const [a, b] = [this.#parent(one), this.#parent(other)];
    this.asked?.did("exchange", one, other);
    for (const inode of [x, y]) this.asked?.moves(inode);
    this.#name([
      { folder: a.folder.ino, name: a.name, ino: y.ino },
      { folder: b.folder.ino, name: b.name, ino: x.ino },
    ]);
    x.ctimeMs = y.ctimeMs = this.#time();
  }

  /** @param {string} path */
  unlink(path) {
    if (this.there(path).kind === "folder") throw errno("EISDIR", path);
    const { folder, name } = this.#parent(path);
    this.asked?.did("unlink", path);
    this.#name([{ folder: folder.ino, name, ino: null }]);
  }

  /** @param {string} path */
  rmdir(path) {
    const inode = this.there(path);
    if (inode.kind !== "folder") throw errno("ENOTDIR", path);
    this.asked?.names(inode);
    if (inode.names.size > 0) throw errno("ENOTEMPTY", path);
    const { folder, name } = this.#parent(path);
    this.asked?.did("rmdir", path);
    this.#name([{ folder: folder.ino, name, ino: null }]);
  }

  /**
   * The power fails. `names` and `bytes` say what becomes of what no sync covered; `bytes` is asked for each file.
   * @param {Random} random @param {Names} names @param {() => Bytes} bytes
   */
  cut(random, names, bytes) {
    const count =
      names === "kept" ? this.namings.length : names === "ordered" ? random.below(this.namings.length + 1) : 0;
    if (names === "any") this.#keepNames(this.#withoutGaps(() => random.chance(0.5)));
    else this.#keepNames(this.namings.slice(0, count));
    this.namings = [];
    this.forgetFolders();
    const there = new Set();
    /** @param {Inode} inode */
    const walk = (inode) => {
      there.add(inode.ino);
      this.#changed(inode);
      inode.names = new Map(inode.syncedNames);
      inode.links = 1;
      for (const ino of inode.names.values()) walk(this.inode(ino));
      if (inode.unsynced.length > 0 || inode.givenUp.length > 0) this.#lose(inode, random, bytes());
    };
    walk(this.inode(1));
    for (const ino of this.inodes.keys()) if (!there.has(ino)) this.inodes.delete(ino);
  }

  /** A change of a name is kept only if all before it of the same name are. @param {(naming: Naming) => boolean} isKept */
  #withoutGaps(isKept) {
    const broken = new Set();
    return this.namings.filter((naming) => {
      const keys = naming.sets.map(({ folder, name }) => `${folder} ${name}`);
      if (isKept(naming) && !keys.some((key) => broken.has(key))) return true;
      for (const key of keys) broken.add(key);
      return false;
    });
  }

  /**
   * The names of every folder, as the medium would have them if it kept those changes that `isKept` names and that build on kept ones.
   * @param {(naming: Naming) => boolean} isKept @returns {(folder: Inode) => ReadonlyMap<string, number>}
   */
  namesWith(isKept) {
    /** @type {Map<number, Map<string, number>>} */
    const changed = new Map();
    for (const { sets } of this.#withoutGaps(isKept))
      for (const { folder, name, ino } of sets) {
        const names = changed.get(folder) ?? new Map(this.inode(folder).syncedNames);
        changed.set(folder, names);
        if (ino === null) names.delete(name);
        else names.set(name, ino);
      }
    return ({ ino, syncedNames }) => changed.get(ino) ?? syncedNames;
  }

  /** A disk of its own that has the same, and may lose the same. @param {() => number} now @returns {Disk} */
  clone(now) {
    const copy = new Disk(now);
    copy.#last = this.#last;
    copy.namings = [...this.namings];
    for (const inode of this.inodes.values()) {
      const { ino, kind, birth, unsynced, givenUp, names, syncedNames } = inode;
      const sets = { names: new Map(names), syncedNames: new Map(syncedNames) };
      const own = { unsynced: [...unsynced], givenUp: [...givenUp], ...sets };
      copy.inodes.set(ino, Object.assign(new Inode(ino, kind, birth), inode, own));
    }
    return copy;
  }

  /**
   * A disk of its own, on which all that it has is synced. @param {(folder: Inode) => ReadonlyMap<string, number>} namesOf
   * @param {(file: Inode) => Buffer} bytesOf @param {() => number} now @returns {Disk}
   */
  copy(namesOf, bytesOf, now) {
    const copy = new Disk(now);
    copy.#last = this.#last;
    copy.inodes.clear();
    /** @param {Inode} inode */
    const put = (inode) => {
      const own = new Inode(inode.ino, inode.kind, inode.birth);
      own.mtimeMs = inode.mtimeMs;
      own.ctimeMs = inode.ctimeMs;
      own.links = 1;
      copy.inodes.set(inode.ino, own);
      if (inode.kind === "file") own.data = own.synced = bytesOf(inode);
      else {
        own.names = new Map(namesOf(inode));
        own.syncedNames = new Map(own.names);
        for (const ino of own.names.values()) put(this.inode(ino));
      }
    };
    put(this.inode(1));
    return copy;
  }

  /** @param {Inode} inode @param {Random} random @param {Bytes} bytes */
  #lose(inode, random, bytes) {
    const { data, synced, unsynced } = inode;
    /** @type {Buffer} */
    let left = synced;
    if (bytes === "kept") for (const change of unsynced) left = Inode.after(change, left);
    else if (bytes === "torn" && unsynced.length > 0) {
      const last = random.below(unsynced.length);
      for (const change of unsynced.slice(0, last)) left = Inode.after(change, left);
      const torn = /** @type {Unsynced} */ (unsynced[last]);
      const keep = torn.bytes ? random.below(torn.bytes.length + 1) : 0;
      if (torn.bytes && keep > 0) left = Inode.after({ ...torn, bytes: torn.bytes.subarray(0, keep) }, left);
    } else if (bytes === "reordered" || bytes === "zeros") {
      left = Buffer.alloc(data.length);
      synced.copy(left);
      for (let at = 0; bytes === "reordered" && at < data.length; at += PAGE)
        if (random.chance(0.5)) data.copy(left, at, at, at + PAGE);
    }
    inode.data = inode.synced = Buffer.from(left);
    inode.unsynced = [];
    inode.givenUp = [];
  }
}
