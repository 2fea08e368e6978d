// @ts-check
// A clone of a repository with nothing installed: no driver, no hook, no configuration of this machine or user.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KeptFolder } from "./kept_folder.mjs";

const ENV = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_MERGE_AUTOEDIT: "no",
  // The repositories are thrown away; syncing them would take most of the time.
  GIT_TEST_FSYNC: "0",
  LC_ALL: "C",
};

/** A new repository, as git made the first one: the others are written without a process. @type {KeptFolder | undefined} */
let empty;

/** Nothing has to be packed: each commit, fetch and merge would start a program that looks. */
const UNPACKED = "-cmaintenance.auto=false";

/** The shell commits the work tree if anything differs: Node starts one process for those of git. */
const COMMIT = 'git add -A && { git commit -q -m "$1" || git diff --cached --quiet; }';

export class Clone {
  /** The environment that git and hooks see. */
  static env = ENV;
  /** @type {string} */
  root;

  /** @param {string} root */
  constructor(root) {
    this.root = root;
  }

  /** A new repository. @param {string} root */
  static init(root) {
    if (empty) empty.writeTo(join(root, ".git"));
    else {
      execFileSync("git", ["init", "-q", "-b", "main", root], { env: ENV, stdio: "pipe" });
      appendFileSync(join(root, ".git/config"), "[maintenance]\n\tauto = false\n");
      empty = new KeptFolder(join(root, ".git"), (name) => !name.endsWith(".sample"));
    }
    return new Clone(root);
  }

  /** @param {string} root @param {Clone} of */
  static of(root, of) {
    execFileSync("git", ["clone", "-q", UNPACKED, of.root, root], { env: ENV, stdio: "pipe" });
    return new Clone(root);
  }

  /** Output of a command that has to succeed. @param {...string} args */
  git(...args) {
    return execFileSync("git", args, { cwd: this.root, env: ENV, stdio: "pipe", encoding: "utf8", maxBuffer: 1 << 28 });
  }

  /** Whether a command succeeds. @param {...string} args */
  tries(...args) {
    return spawnSync("git", args, { cwd: this.root, env: ENV, stdio: "pipe" }).status === 0;
  }

  /** Runs a program of ours here. @param {string} file @param {...string} args */
  program(file, ...args) {
    return execFileSync(process.execPath, [file, ...args], {
      cwd: this.root,
      env: ENV,
      stdio: "pipe",
      encoding: "utf8",
    });
  }

  /** Commits what there is, if there is anything. @param {string} message */
  commit(message) {
    execFileSync("sh", ["-c", COMMIT, "sh", message], { cwd: this.root, env: ENV, stdio: "pipe" });
  }

  head() {
    return this.git("rev-parse", "HEAD").trim();
  }

  /** Fetches from another clone and merges a commit of it; true when git did not stop. @param {Clone} other @param {string} [commit] */
  merge(other, commit = other.head()) {
    this.git("fetch", "-q", other.root, "main");
    return this.tries("merge", "-q", "--no-edit", commit);
  }

  /** Concludes a merge that stopped, or commits what resolve staged after one that did not. @param {string} message */
  conclude(message) {
    if (existsSync(join(this.root, ".git", "MERGE_HEAD"))) this.git("commit", "-q", "--no-edit");
    else if (!this.tries("diff", "--cached", "--quiet")) this.git("commit", "-q", "-m", message);
  }

  /** Files that a merge left open, with the stages there are. */
  unmerged() {
    /** @type {Map<string, number[]>} */
    const files = new Map();
    for (const entry of this.git("ls-files", "-u", "-z").split("\0").filter(Boolean)) {
      const [meta = "", path = ""] = entry.split("\t");
      files.set(path, [...(files.get(path) ?? []), Number(meta.split(" ")[2])]);
    }
    return files;
  }

  /** Lines of all logs in the work tree, without markers, blanks and copies. */
  lines() {
    /** @type {Set<string>} */
    const lines = new Set();
    for (const part of ["tasks", "archive"]) {
      const folder = join(this.root, ".coco", part);
      for (const id of existsSync(folder) ? readdirSync(folder) : []) {
        const log = join(folder, id, "events.jsonl");
        for (const line of existsSync(log) ? readFileSync(log, "utf8").split("\n") : [])
          if (line.startsWith("{")) lines.add(line);
      }
    }
    return lines;
  }

  /** Every folded file of live and archived entities: path to text. Logs are given as sorted lines: git may order them otherwise on each side. */
  state() {
    /** @type {Map<string, string>} */
    const state = new Map();
    for (const name of readdirSync(join(this.root, ".coco"), { recursive: true, encoding: "utf8" })) {
      const path = name.replaceAll("\\", "/");
      if (/^(registry|locks)\b/.test(path) || !/\.(jsonl|yaml|md|json)$|blobs\/.+/.test(path)) continue;
      const text = readFileSync(join(this.root, ".coco", path), "utf8");
      state.set(path, path.endsWith("events.jsonl") ? [...new Set(text.split("\n"))].toSorted().join("\n") : text);
    }
    return state;
  }
}
