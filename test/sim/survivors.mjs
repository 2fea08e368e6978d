// @ts-check
/**
 * Every disk that a stop may leave. A kill leaves all that was done, and of a write under way each number of its bytes. A power cut leaves of
 * each change that no sync covered what it may, up to a bound.
 *
 * A cut keeps all such changes of names, or none; and of bytes, too. From each of these four, up to `bound` changes of names and files differ. With
 * bound 0 a kill tears a write in a few places.
 * A file alone that differs has each cut of its bytes (DUR-95), also at any byte. Beside
 * another change it is kept, lost, or has one of these. Tears within one line differ in nothing but their place, and are of one class (DUR-122).
 */
import { createHash } from "node:crypto";
import { Inode } from "./disk.mjs";

/** @typedef {import("./disk.mjs").Disk} Disk */
/** @typedef {import("./disk.mjs").Naming} Naming */
/** A disk by what differs from the one of the stop. `again`: its recovery stops, too. @typedef {{ hash: string, how: string, isCut: boolean, again: boolean, disk: (now: () => number) => Disk }} Survivor */
/** A place in a write: so many of its bytes are kept. `line`: within the one that begins at that byte. `stands`: this tear stands for others of its line. @typedef {{ keep: number, line?: number, stands?: boolean }} Tear */
/** Bytes that a file may have, and what became of it. @typedef {{ bytes: () => Buffer, how: string, tear?: Tear, write?: number }} Version */
/** A log that ends with half a line. `line`: which one, by a name within the stop. @typedef {{ line: string, stands: boolean, path: string | undefined, half: () => { at: number, bytes: Buffer } }} Torn */
/** A way in which a stop may go on. `survivor`: its disk, or undefined where an earlier way left the same. @typedef {{ survivor: () => Survivor | undefined, torn?: Torn | undefined }} Way */

const PAGE = 4096;
/** So long after the last change of its file is a write that a kill tears. */
const LATER_MS = 8;
/** Longer writes, and those to other files than logs, are torn in a few places. */
const EACH_BYTE = 2048;

/** @type {WeakMap<Buffer, string>} */
const hashes = new WeakMap();

/** @param {Buffer} bytes */
export function hashOf(bytes) {
  let found = hashes.get(bytes);
  if (found === undefined) hashes.set(bytes, (found = createHash("sha1").update(bytes).digest("base64")));
  return found;
}

/** Where a write may be torn, within it. @param {Buffer} bytes @param {boolean} each @returns {Tear[]} */
function tearsOf(bytes, each) {
  const { length } = bytes;
  if (each && length <= EACH_BYTE) return [...tearsOfLines(bytes)];
  const line = bytes.indexOf(10);
  const places = [1, line, line + 1, Math.floor(length / 2), length - 1];
  for (let at = PAGE; at < length; at += PAGE) places.push(at);
  return [...new Set(places)].filter((at) => at > 0 && at < length).map((keep) => ({ keep }));
}

/** Each place. Of those that leave half of a line the first, the middle and the last one stand for the others. A line without its LF is whole (LOG-80). @param {Buffer} bytes @returns {Generator<Tear>} */
function* tearsOfLines(bytes) {
  for (let line = 0; line < bytes.length;) {
    const feed = bytes.indexOf(10, line);
    const end = feed < 0 ? bytes.length : feed;
    const stand = new Set([line + 1, (line + end) >> 1, end - 1]);
    for (let keep = line + 1; keep < end; keep++) yield { keep, line, stands: stand.has(keep) };
    for (const keep of [end, end + 1]) if (keep > line && keep < bytes.length) yield { keep };
    line = end + 1;
  }
}

/** The half line at the end of a log, and its place there. @param {Buffer} log */
function halfOf(log) {
  const at = log.lastIndexOf(10) + 1;
  return { at, bytes: log.subarray(at) };
}

/** The same bytes each time: most of these are never asked for. @param {() => Buffer} make */
function once(make) {
  /** @type {Buffer | undefined} */
  let made;
  return () => (made ??= make());
}

/** The bytes that a cut may leave of a file, besides all and none. @param {Inode} inode @param {boolean} isLog @returns {Version[]} */
function versionsOf({ data, synced, unsynced }, isLog) {
  /** @type {Version[]} */
  const found = [];
  let before = synced;
  for (const [i, change] of unsynced.entries()) {
    const [first, all] = [before, change.bytes];
    if (i > 0) found.push({ bytes: () => first, how: `the first ${i} writes` });
    for (const tear of all ? tearsOf(all, isLog) : []) {
      const bytes = once(() => Inode.after({ ...change, bytes: all?.subarray(0, tear.keep) ?? null }, first));
      found.push({ bytes, how: `torn at byte ${tear.keep} of write ${i}`, tear, write: i });
    }
    before = Inode.after(change, before);
  }
  const zeros = Buffer.alloc(data.length);
  synced.copy(zeros);
  found.push({ bytes: () => zeros, how: "zeros" });
  for (let at = 0; data.length > PAGE && at < data.length; at += PAGE) {
    const one = Buffer.from(zeros);
    data.copy(one, at, at, at + PAGE);
    const others = Buffer.from(data);
    zeros.copy(others, at, at, at + PAGE);
    found.push(
      { bytes: () => one, how: `only page ${at / PAGE}` },
      { bytes: () => others, how: `all but page ${at / PAGE}` },
    );
  }
  return found;
}

/** One of them, in the middle: what a file beside other changes has. @param {Version[]} versions */
function few(versions) {
  return versions.slice(versions.length >> 1).slice(0, 1);
}

/** The bytes that are left where a cut keeps all writes. @param {Inode} inode */
function keptOf({ synced, unsynced, data, givenUp }) {
  return givenUp.length === 0 ? data : unsynced.reduce((bytes, change) => Inode.after(change, bytes), synced);
}

/** Up to so many of them. @template T @param {readonly T[]} items @param {number} most @returns {Generator<T[]>} */
function* some(items, most, from = 0) {
  yield [];
  if (most === 0) return;
  for (let i = from; i < items.length; i++)
    for (const rest of some(items, most - 1, i + 1)) yield [/** @type {T} */ (items[i]), ...rest];
}

/** The disk at a stop, and all that may become of it. */
class Stop {
  #seen = new Set();
  #logs;
  /** @type {Map<Inode, { lost: Version, kept: Version, versions: Version[] }>} */
  #files = new Map();

  /** @param {Disk} disk */
  constructor(disk) {
    this.disk = disk;
    // The names of logs: what stands elsewhere is folded anew, or written under another name before.
    const logs = new Set([...disk.inodes.values()].flatMap(({ names }) => names.get("events.jsonl") ?? []));
    this.#logs = logs;
    for (const inode of disk.inodes.values())
      if (inode.kind === "file" && (inode.unsynced.length > 0 || inode.givenUp.length > 0))
        this.#files.set(inode, {
          lost: { bytes: () => inode.synced, how: "lost" },
          kept: { bytes: once(() => keptOf(inode)), how: "kept" },
          versions: versionsOf(inode, logs.has(inode.ino)),
        });
  }

  /** Each path that is there, and its inode. @param {(folder: Inode) => ReadonlyMap<string, number>} namesOf */
  pathsWith(namesOf) {
    /** @type {{ path: string, inode: Inode }[]} */
    const found = [];
    /** @param {number} ino @param {string} path */
    const walk = (ino, path) => {
      const inode = /** @type {Inode} */ (this.disk.inodes.get(ino));
      found.push({ path, inode });
      if (inode.kind === "folder") for (const [name, of] of namesOf(inode)) walk(of, `${path}/${name}`);
    };
    walk(1, "");
    return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * That disk, if it is a new one of this stop. @param {(folder: Inode) => ReadonlyMap<string, number>} namesOf
   * @param {{ path: string, inode: Inode }[]} paths @param {(inode: Inode) => Buffer} bytesOf @param {string} how @param {Survivor["disk"]} [killed]
   * @returns {Survivor | undefined}
   */
  survivor(namesOf, paths, bytesOf, how, killed) {
    let text = "";
    for (const { path, inode } of paths) text += `${path}\0${inode.kind === "folder" ? "" : hashOf(bytesOf(inode))}\n`;
    const hash = createHash("sha1").update(text).digest("base64");
    if (this.#seen.has(hash)) return undefined;
    this.#seen.add(hash);
    return {
      hash,
      how,
      isCut: !killed,
      again: false,
      disk: killed ?? ((now) => this.disk.copy(namesOf, bytesOf, now)),
    };
  }

  /** @param {number} bound @returns {Generator<Way>} */
  *cuts(bound) {
    const { namings } = this.disk;
    for (const keeps of [false, true])
      for (const others of some(namings, bound)) {
        const differ = new Set(others);
        const namesOf = this.disk.namesWith((naming) => keeps !== differ.has(naming));
        const paths = this.pathsWith(namesOf);
        const files = paths.map(({ inode }) => inode).filter((inode) => this.#files.has(inode));
        const names = `names ${keeps ? "kept" : "lost"} but ${others.length}`;
        for (const usual of /** @type {const} */ (["lost", "kept"]))
          for (const changed of some(files, bound - others.length)) {
            const alone = changed.length + others.length === 1;
            for (const versions of this.#choices(changed, usual, alone)) {
              const bytesOf = (/** @type {Inode} */ inode) =>
                (versions.get(inode) ?? this.#files.get(inode)?.[usual])?.bytes() ?? inode.synced;
              const survivor = () => {
                const how = [...versions].map(([{ ino }, one]) => ` ${this.#pathOf(paths, ino)} ${one.how}`);
                const cut = `power cut, ${names}, bytes ${usual} but${how.join(",")}`;
                return this.survivor(namesOf, paths, bytesOf, cut);
              };
              const [[inode, version] = []] = alone ? versions : [];
              yield {
                survivor,
                torn: inode && version && this.#torn(paths, inode, version, `power cut, ${names}, bytes ${usual}`),
              };
            }
          }
      }
  }

  /** @param {{ path: string, inode: Inode }[]} paths @param {number} ino */
  #pathOf(paths, ino) {
    return paths.find(({ inode }) => inode.ino === ino)?.path;
  }

  /** @param {{ path: string, inode: Inode }[]} paths @param {Inode} inode @param {Pick<Version, "bytes" | "tear" | "write">} version @param {string} how @returns {Torn | undefined} */
  #torn(paths, { ino }, { bytes, tear, write = 0 }, how) {
    const { line, stands = false } = tear ?? {};
    if (line === undefined || !this.#logs.has(ino)) return undefined;
    const half = () => halfOf(bytes());
    return { line: `${how}, ${ino}, write ${write}, line ${line}`, stands, path: this.#pathOf(paths, ino), half };
  }

  /** Each way in which all of those differ from what is usual. @param {Inode[]} changed @param {"lost" | "kept"} usual @param {boolean} alone @returns {Generator<Map<Inode, Version>>} */
  *#choices([first, ...rest], usual, alone) {
    if (!first) return void (yield new Map());
    const of = /** @type {{ lost: Version, kept: Version, versions: Version[] }} */ (this.#files.get(first));
    for (const version of [of[usual === "lost" ? "kept" : "lost"], ...(alone ? of.versions : few(of.versions))])
      for (const others of this.#choices(rest, usual, alone)) yield new Map([[first, version], ...others]);
  }

  /** A process ends. @param {import("./alone.mjs").DiskCall} call which it was about to make @param {boolean} each byte of a write may be its last @returns {Generator<Way>} */
  *kills({ name, args, bytes, ino }, each) {
    const namesOf = (/** @type {Inode} */ { names }) => names;
    const paths = this.pathsWith(namesOf);
    const dataOf = (/** @type {Inode} */ { data }) => data;
    yield {
      survivor: () => {
        const whole = this.survivor(namesOf, paths, dataOf, "killed", (now) => this.disk.clone(now));
        return whole && { ...whole, again: true };
      },
    };
    const written = this.disk.inodes.get(ino);
    if (name !== "write" || !bytes || !written) return;
    const all = Buffer.from(bytes);
    const position = /** @type {number | undefined} */ (args[1]);
    for (const tear of tearsOf(all, each)) {
      const part = all.subarray(0, tear.keep);
      const after = once(() =>
        Inode.after({ at: position ?? written.data.length, bytes: part, size: 0 }, written.data),
      );
      const survivor = () => {
        const bytesOf = (/** @type {Inode} */ inode) => (inode === written ? after() : inode.data);
        return this.survivor(namesOf, paths, bytesOf, `killed after ${tear.keep} bytes`, (now) => {
          // By no clock of the next process: what that one does depends on its own alone.
          const disk = this.disk.clone(() => written.mtimeMs + LATER_MS);
          disk.write(ino, part, position);
          return disk.clone(now);
        });
      };
      yield { survivor, torn: this.#torn(paths, written, { bytes: after, tear }, "killed") };
    }
  }
}

/**
 * Those of a stop before that call: each way in which it goes on.
 * @param {Disk} disk @param {import("./alone.mjs").DiskCall} call @param {number} bound @returns {Generator<Way>}
 */
export function* survivorsOf(disk, call, bound) {
  const stop = new Stop(disk);
  yield* stop.kills(call, bound > 0);
  yield* stop.cuts(bound);
}
