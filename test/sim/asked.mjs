// @ts-check
/**
 * The questions of a process to the disk that it finds, and its changes there. Its clock, ids and chance are values, so the answers alone decide how it goes on. Where
 * another disk gives the same answers to the end, the process does the same there, and its changes are made without it.
 */
import { hashOf } from "./survivors.mjs";

/** @typedef {import("./disk.mjs").Disk} Disk */
/** @typedef {import("./visible.mjs").Seen} Seen */
/** @typedef {import("./visible.mjs").FileStat} FileStat */
/** A question about a path of the disk as it was found. `own`: names in that folder that the process has set or taken away, and so knows. @typedef {{ what: "kind" | "bytes" | "size" | "links" | "mtimeMs" | "ctimeMs" | "number" | "names", path: string, own: string }} Question */
/** A call that changed the disk. @typedef {{ name: "open" | "write" | "truncate" | "mkdir" | "rename" | "exchange" | "unlink" | "rmdir", args: (string | number | Buffer | undefined)[] }} Change */
/** Questions with their answers in a row. Then comes the next question, with a row for each answer to it, or the outcome. @template T @typedef {{ questions: Question[], answers: string[], next?: { question: Question, rows: Map<string, Row<T>> } | undefined, outcome?: T | undefined }} Row */

/** Names in a list of `own`. */
const BETWEEN = "\0";

/** @param {Disk} disk as it was found @param {Question} question */
function answered(disk, { what, path, own }) {
  const inode = disk.find(path);
  if (!inode) return "";
  switch (what) {
    case "kind":
      return inode.kind;
    case "bytes":
      return hashOf(inode.data);
    case "size":
      return String(inode.data.length);
    case "number":
      return `${inode.ino} ${inode.birth}`;
    case "names": {
      const known = new Set(own.split(BETWEEN));
      const names = [...inode.names].filter(([name]) => !known.has(name));
      return names
        .map(([name, ino]) => `${name} ${disk.inode(ino).kind}`)
        .toSorted()
        .join(BETWEEN);
    }
    default:
      return String(inode[what]);
  }
}

/** The same value for each that is equal: outcomes have most of theirs in common. @type {Map<string, any>} */
const kept = new Map();

/** @template T @param {string} key @param {T} value @returns {T} */
export function oneOf(key, value) {
  const known = kept.get(key);
  if (known !== undefined) return known;
  kept.set(key, value);
  return value;
}

/** No outcome that has them is needed any more. */
export function forgetAll() {
  kept.clear();
}

/** The questions of one process, each at its first time, and its changes. It asks nothing about its own work. */
export class Asked {
  /** @type {Question[]} */
  questions = [];
  /** @type {string[]} */
  answers = [];
  /** @type {Change[]} */
  changes = [];
  /** @type {Set<Question>} */
  #known = new Set();
  /** Paths of what was found. @type {Map<number, string>} */
  #paths = new Map();
  /** Names that the process has set or taken away, by folder. @type {Map<number, Set<string>>} */
  #own = new Map();
  /** The times of these are the process's own. @type {Set<number>} */
  #touched = new Set();
  #found;
  #passesOver;

  /** @param {Disk} disk of which the process begins to ask @param {Disk} found the same, which stays as it is @param {string} [passesOver] a path: what is there and below counts for nothing */
  constructor(disk, found, passesOver) {
    this.#found = found;
    this.#passesOver = passesOver;
    /** @param {Seen} inode @param {string} path */
    const walk = (inode, path) => {
      this.#paths.set(inode.ino, path);
      for (const [name, ino] of inode.names) walk(disk.inode(ino), `${path}/${name}`);
    };
    walk(disk.inode(1), "");
    // A folder that was looked up before is looked up anew.
    disk.forgetFolders();
    disk.asked = this;
  }

  /** @param {Question["what"]} what @param {Seen} inode @param {string} [name] below it */
  #ask(what, { ino }, name) {
    const folder = this.#paths.get(ino);
    if (folder === undefined) return;
    const path = name === undefined ? folder : `${folder}/${name}`;
    if (this.#passesOver !== undefined && `${path}/`.startsWith(`${this.#passesOver}/`)) return;
    const own = what === "names" ? [...(this.#own.get(ino) ?? [])].toSorted().join(BETWEEN) : "";
    const question = oneOf(`${what} ${path}${BETWEEN}${own}`, { what, path, own });
    if (this.#known.has(question)) return;
    this.#known.add(question);
    this.questions.push(question);
    this.answers.push(answered(this.#found, question));
  }

  /** @param {Seen} folder @param {string} name */
  name(folder, name) {
    if (this.#own.get(folder.ino)?.has(name) !== true) this.#ask("kind", folder, name);
  }

  /** @param {Seen} folder */
  names(folder) {
    this.#ask("names", folder);
  }

  /** @param {Seen} file */
  bytes(file) {
    this.#ask("bytes", file);
  }

  /** @param {Seen} inode */
  number(inode) {
    this.#ask("number", inode);
  }

  /** Each fact of it is asked for where the process looks at it. @param {Seen} inode @param {FileStat} stat @returns {FileStat} */
  stat(inode, { dev, kind, ino, ...facts }) {
    const isTouched = this.#touched.has(inode.ino);
    const fact = (/** @type {keyof typeof facts} */ what) => {
      if (what.endsWith("Ms") ? !isTouched : kind === "file") this.#ask(what, inode);
      return facts[what];
    };
    const number = () => {
      this.number(inode);
      return ino;
    };
    return {
      dev,
      kind,
      get ino() {
        return number();
      },
      get size() {
        return fact("size");
      },
      get links() {
        return fact("links");
      },
      get mtimeMs() {
        return fact("mtimeMs");
      },
      get ctimeMs() {
        return fact("ctimeMs");
      },
    };
  }

  /** The process sets that name, or takes it away. @param {Seen} folder @param {string} name */
  sets(folder, name) {
    this.#own.set(folder.ino, (this.#own.get(folder.ino) ?? new Set()).add(name));
    this.#touched.add(folder.ino);
  }

  /** The process changes its bytes, and so its times. @param {Seen} file */
  touches(file) {
    this.number(file);
    this.#touched.add(file.ino);
  }

  /** The process changes its path, and so one of its times. @param {Seen} inode */
  moves(inode) {
    if (!this.#touched.has(inode.ino)) this.#ask("mtimeMs", inode);
    this.touches(inode);
  }

  /** @param {Change["name"]} name @param {Change["args"]} args */
  did(name, ...args) {
    const key = args.map((arg) => (Buffer.isBuffer(arg) ? hashOf(arg) : arg)).join(BETWEEN);
    this.changes.push(oneOf(`${name}${BETWEEN}${key}`, { name, args }));
  }
}

/** Makes the changes of a process on another disk that it would have found the same. @param {Disk} disk @param {readonly Change[]} changes */
export function made(disk, changes) {
  for (const { name, args } of changes) Reflect.apply(disk[name], disk, args);
}

/** The outcomes that are known, by the answers that led to them. @template T */
export class Outcomes {
  /** @type {Row<T> | undefined} */
  #first;

  /** That of a disk which answers as one before it did. @param {Disk} disk @returns {T | undefined} */
  of(disk) {
    for (let row = this.#first; row; row = row.next?.rows.get(answered(disk, row.next.question))) {
      const { questions, answers } = row;
      if (questions.some((question, i) => answered(disk, question) !== answers[i])) return undefined;
      if (!row.next) return row.outcome;
    }
    return undefined;
  }

  /** @param {Asked} asked @param {T} outcome */
  add({ questions, answers }, outcome) {
    const from = (/** @type {number} */ at) => ({
      questions: questions.slice(at),
      answers: answers.slice(at),
      outcome,
    });
    if (!this.#first) return void (this.#first = from(0));
    for (let row = this.#first, at = 0; ;) {
      const start = at;
      const differs = row.questions.findIndex((question, i) => {
        if (question !== questions[start + i])
          throw new Error(`expected ${question.what} ${question.path} to be asked after the same answers`);
        return row.answers[i] !== answers[start + i];
      });
      if (differs >= 0) split(row, differs);
      at += row.questions.length;
      const answer = answers[at];
      if (row.next?.question !== questions[at]) throw new Error("expected the same end after the same answers");
      if (!row.next || answer === undefined) return;
      const next = row.next.rows.get(answer);
      if (!next) return void row.next.rows.set(answer, from(at + 1));
      row = next;
      at++;
    }
  }
}

/** @template T @param {Row<T>} row @param {number} at the question whose answers differ */
function split(row, at) {
  const { questions, answers, next, outcome } = row;
  const [question, answer] = [/** @type {Question} */ (questions[at]), /** @type {string} */ (answers[at])];
  const later = { questions: questions.slice(at + 1), answers: answers.slice(at + 1), next, outcome };
  row.questions = questions.slice(0, at);
  row.answers = answers.slice(0, at);
  row.next = { question, rows: new Map([[answer, later]]) };
  row.outcome = undefined;
}
