// @ts-check
/**
 * A model of keys over random histories of real git. Each call has a key. The model knows the acknowledged keys that the logs of a
 * commit hold: those of its parents, and those of the work since. An operation of git and a `resolve` end in a work tree with just
 * these keys. Each stands in one change, and each plan or task has one folder. `npm run test:git -- --random N` runs it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Clone } from "../../support/git_clone.mjs";
import { RandomCalls, randomFrom } from "../../support/random_calls.mjs";
import { tempRoot } from "../../support/temp_root.mjs";

const NAMES = ["ada", "bob", "cyd"];
const WORKSPACE = "acme/repo";
/** A stopped rebase or pick is gone on with so often at most: it has fewer commits. */
const MAX_STOPS = 60;
/** Findings that are no fault: attributes may differ by side, and what people wrote is theirs to join (RESOLVE-8). */
const ALLOWED = new Set(["ATTRIBUTES_MISSING", "FILE_UNMERGED"]);
const PEOPLES = /\/shared\/(?:human-notes\.md|context-manifest\.yaml)$/;
const FAULTS = new Set(["INTERNAL", "LOG_TWO_ROOTS", "LOG_INCOMPLETE", "LOG_CONFLICT_MARKERS", "UNKNOWN_OUTCOME"]);

/** @typedef {Set<string>} Keys */

/**
 * @param {{ rounds: number, steps: number, seed: number, dist: string, keep: boolean, only?: number, sabotage?: string }} options `only`: the
 * number of one round. `sabotage`: a fault that is made in the first clone, and has to be seen
 */
export async function runRandom({ rounds, steps, seed, dist, keep, only, sabotage }) {
  const counts = { rounds: 0, acknowledged: 0, lost: 0, extra: 0, doubled: 0, split: 0 };
  /** How often each operation was done. @type {Record<string, number>} */
  const operations = {};
  /** @type {string[]} */
  const problems = [];
  /** @type {typeof import("../../../src/testing.ts")} */
  const { openWorkspace } = await import(`${dist}/testing.js`);
  /** @type {typeof import("../../../src/hosts/git/git_port.ts")} */
  const { openGit } = await import(`${dist}/hosts/git/git_port.js`);
  /** @type {typeof import("../../../src/hosts/git/repository.ts")} */
  const { openRepository } = await import(`${dist}/hosts/git/repository.js`);
  /** @type {typeof import("../../../src/hosts/git/install_driver.ts")} */
  const { installDriver } = await import(`${dist}/hosts/git/install_driver.js`);

  /** As `taskfold git install` does. @param {Clone} clone */
  function install(clone) {
    const repository = openRepository(clone.root);
    if (!repository) throw new Error(`expected a repository in ${clone.root}`);
    installDriver(repository, [process.execPath, join(dist, "cli.cjs")]);
  }

  class Round {
    /** @param {number} number */
    constructor(number) {
      this.driver = number % 2 === 1;
      this.name = `round ${number}${this.driver ? " with the driver" : ""}, seed ${seed}`;
      this.random = randomFrom(seed * 1000 + number);
      this.folder = mkdtempSync(join(tempRoot(), "taskfold-git-"));
      this.calls = new RandomCalls({ workspace: WORKSPACE, deletions: 0.01 });
      this.ids = 0;
      this.minutes = 0;
      this.keys = 0;
      /** @type {Clone[]} */
      this.clones = [];
      /** The keys that the logs of a commit hold. @type {Map<string, Keys>} */
      this.held = new Map();
      /** Every key that was acknowledged. No operation here drops one for good. @type {Keys} */
      this.all = new Set();
      this.operation = "";
    }

    async run() {
      try {
        const first = Clone.init(join(this.folder, "ada"));
        this.clones.push(first);
        // An amended first commit would have no history in common with the others.
        first.git("commit", "-q", "--allow-empty", "-m", "before all work");
        this.held.set(first.head(), new Set());
        await this.#work(first, 8);
        this.#commit(first, this.#has(first), "first");
        for (const name of NAMES.slice(1)) this.clones.push(Clone.of(join(this.folder, name), first));
        if (this.driver) for (const clone of this.clones) install(clone);
        for (let i = 0; i < steps; i++) await this.#step();
        await this.#settle();
      } catch (e) {
        this.#problem(`stopped: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}`);
        counts.lost++;
      } finally {
        if (!keep) rmSync(this.folder, { recursive: true, force: true });
      }
    }

    async #step() {
      const clone = this.#one(this.clones);
      const operation = this.#one([...OPERATIONS]);
      this.operation = operation;
      operations[operation] = (operations[operation] ?? 0) + 1;
      // Work on both sides, so that there is something to bring together.
      const before = await this.#worked(clone);
      const other = this.#one(this.clones.filter((one) => one !== clone));
      if (this.random.chance(0.6)) await this.#worked(other);
      switch (operation) {
        case "commit":
          return;
        case "amend":
          await this.#work(clone, 2);
          clone.git("add", "-A");
          clone.git("commit", "-q", "--amend", "--no-edit", "--allow-empty");
          return this.#expect(clone, new Set([...before, ...this.#fresh(clone)]));
        case "switch":
          return this.#switch(clone);
        case "merge":
          return this.#join(clone, [this.#tip(other)], (tip) => clone.tries("merge", "-q", "--no-edit", tip));
        case "squash":
          return this.#join(clone, [this.#tip(other)], (tip) => clone.tries("merge", "-q", "--squash", tip));
        case "octopus":
          return this.#octopus(clone);
        case "rebase":
          return this.#rebase(clone, this.#tip(other));
        case "cherry-pick":
          return this.#pick(clone, other);
        default:
          return this.#stash(clone);
      }
    }

    /** Work that is committed. Returns the keys of the commit. @param {Clone} clone */
    async #worked(clone) {
      const had = this.#has(clone);
      await this.#work(clone, 2 + this.random.below(4));
      return this.#commit(clone, new Set([...had, ...this.#fresh(clone)]), "work");
    }

    /** Keys that were acknowledged in this clone since its last commit. @type {Map<Clone, Keys>} */
    #since = new Map();

    /** @param {Clone} clone */
    #fresh(clone) {
      return this.#since.get(clone) ?? new Set();
    }

    /** Keys of HEAD, as the model has them. @param {Clone} clone @returns {Keys} */
    #has(clone) {
      if (!clone.tries("rev-parse", "--verify", "-q", "HEAD")) return new Set();
      const known = this.held.get(clone.head());
      if (known) return known;
      throw new Error(`the model does not know ${clone.head()}`);
    }

    /** Commits what there is, looks whether it is as the model says, and keeps that. @param {Clone} clone @param {Keys} keys @param {string} message */
    #commit(clone, keys, message) {
      for (const key of this.#fresh(clone)) keys.add(key);
      clone.commit(message);
      return this.#expect(clone, keys);
    }

    /** @param {Clone} clone @param {Keys} keys @param {Keys} [allowed] others that may be there */
    #expect(clone, keys, allowed = new Set()) {
      if (sabotage !== undefined && clone === this.clones[0]) spoil(clone, sabotage);
      const found = this.#look(clone);
      for (const key of keys) if (!found.has(key)) this.#fault("lost", clone, key);
      for (const key of found) if (!keys.has(key) && !allowed.has(key)) this.#fault("extra", clone, key);
      this.#since.set(clone, new Set());
      this.held.set(clone.head(), found);
      return found;
    }

    /** Keys in the logs of the work tree, and faults that they show by themselves. @param {Clone} clone @returns {Keys} */
    #look(clone) {
      /** @type {Map<string, string>} */
      const ops = new Map();
      /** @type {Map<string, string>} */
      const roots = new Map();
      for (const [folder, lines] of logsOf(clone)) {
        const seen = new Set();
        for (const line of lines) {
          const event = JSON.parse(line);
          if (seen.has(event.hash)) this.#fault("doubled", clone, `${event.hash} in ${folder}`);
          seen.add(event.hash);
          if (event.op?.n !== 1) continue;
          const { key, id } = event.op;
          if (key === undefined) continue;
          if (ops.has(key) && ops.get(key) !== id) this.#fault("doubled", clone, key);
          ops.set(key, id);
        }
        const root = JSON.parse(lines[0] ?? "null")?.hash;
        if (root && roots.has(root)) this.#fault("split", clone, `${folder} and ${roots.get(root)}`);
        roots.set(root, folder);
      }
      return new Set(ops.keys());
    }

    /** @param {"lost" | "extra" | "doubled" | "split"} kind @param {Clone} clone @param {string} what */
    #fault(kind, clone, what) {
      counts[kind]++;
      this.#problem(`${kind} in ${clone.root.split("/").at(-1)} after ${this.operation}: ${what}`);
    }

    /** @param {string} what */
    #problem(what) {
      if (problems.length < 40) problems.push(`${this.name}: ${what}`);
    }

    /** @param {Clone} clone @param {number} times */
    async #work(clone, times) {
      const ws = this.#open(clone);
      const fresh = this.#since.get(clone) ?? new Set();
      this.#since.set(clone, fresh);
      const before = this.#look(clone);
      /** @type {Keys} */
      const acknowledged = new Set();
      for (let i = 0; i < times; i++) {
        const call = this.calls.next(this.random);
        const key = `key-${this.keys++}`;
        const reply = await ws.callTool(call.tool, { ...call.input, idempotency_key: key });
        this.calls.heard(call, reply);
        if (reply.success) acknowledged.add(key);
        else if (reply.error && FAULTS.has(reply.error.code))
          this.#problem(`${call.tool}: ${reply.error.code}: ${reply.error.message}`);
      }
      await ws.close();
      // A call that had nothing to do left no line, and its key stands nowhere.
      const now = this.#look(clone);
      for (const key of before) if (!now.has(key)) this.#fault("lost", clone, `${key} during work`);
      for (const key of acknowledged) if (now.has(key)) this.#acknowledged(fresh, key);
    }

    /** @param {Keys} fresh @param {string} key */
    #acknowledged(fresh, key) {
      counts.acknowledged++;
      fresh.add(key);
      this.all.add(key);
    }

    /** @param {Clone} clone */
    #open(clone) {
      return openWorkspace({
        root: clone.root,
        workspace: WORKSPACE,
        by: `human:${clone.root.split("/").at(-1)}`,
        durability: "os",
        git: () => openGit(clone.root),
        now: () => Date.UTC(2026, 0, 2) + 60_000 * this.minutes++,
        newId: () =>
          randomFrom(seed * 7919 + this.ids++)
            .below(2 ** 32)
            .toString(16)
            .padStart(8, "0") + this.ids.toString(16).padStart(8, "0"),
      });
    }

    /** @param {Clone} clone @param {boolean} [isTold] whether a finding is a fault */
    async #resolve(clone, isTold = true) {
      const ws = this.#open(clone);
      const git = openGit(clone.root);
      const report = await ws.repair.resolve(undefined, { stage: true, ...(git ? { git } : {}) });
      for (const finding of report.findings)
        if (isTold && !finding.info && !ALLOWED.has(finding.code))
          this.#problem(`after ${this.operation}: ${JSON.stringify(finding)}`);
      await ws.close();
      for (const path of clone.unmerged().keys()) {
        if (!PEOPLES.test(path)) this.#problem(`after ${this.operation}: ${path} is still open`);
        clone.git("add", "-A", "--", path);
      }
    }

    /** A commit of another clone that this one can name. @param {Clone} other */
    #tip(other) {
      return other.head();
    }

    /** @param {Clone} clone */
    #fetchAll(clone) {
      for (const other of this.clones) {
        if (other === clone) continue;
        clone.git("fetch", "-q", other.root, `+refs/heads/*:refs/remotes/${other.root.split("/").at(-1)}/*`);
      }
    }

    /** @param {Clone} clone @param {string[]} commits @param {(tip: string) => boolean} merge */
    async #join(clone, commits, merge) {
      this.#fetchAll(clone);
      const keys = new Set(this.#has(clone));
      await this.#joinInto(clone, keys, commits, merge);
    }

    /** @param {Clone} clone @param {Keys} keys what it had before @param {string[]} commits @param {(tip: string) => boolean} merge */
    async #joinInto(clone, keys, commits, merge) {
      for (const commit of commits) {
        for (const key of this.held.get(commit) ?? []) keys.add(key);
        merge(commit);
        await this.#resolve(clone);
        clone.git("add", "-A");
        clone.conclude("resolve");
      }
      this.#expect(clone, keys);
    }

    /** Git gives an octopus up where it is no plain one. Then the branches are merged one after the other. @param {Clone} clone */
    async #octopus(clone) {
      const commits = this.clones.filter((one) => one !== clone).map((one) => this.#tip(one));
      this.#fetchAll(clone);
      const keys = new Set(this.#has(clone));
      if (clone.tries("merge", "-q", "--no-edit", ...commits)) return this.#joinInto(clone, keys, commits, () => true);
      clone.git("reset", "-q", "--hard");
      return this.#join(clone, commits, (tip) => clone.tries("merge", "-q", "--no-edit", tip));
    }

    /** @param {Clone} clone @param {string} onto */
    async #rebase(clone, onto) {
      this.#fetchAll(clone);
      const keys = new Set([...this.#has(clone), ...(this.held.get(onto) ?? [])]);
      let isDone = clone.tries("-c", "rebase.autoStash=false", "rebase", "-q", onto);
      for (let stops = 0; !isDone && stops < MAX_STOPS && isRebasing(clone); stops++) {
        await this.#resolve(clone);
        clone.git("add", "-A");
        const isEmpty = clone.tries("diff", "--cached", "--quiet", "HEAD");
        isDone = clone.tries("-c", "core.editor=true", "rebase", isEmpty ? "--skip" : "--continue");
      }
      if (isRebasing(clone)) throw new Error("the rebase did not end");
      await this.#resolve(clone);
      clone.conclude("resolve");
      this.#expect(clone, keys);
    }

    /** One commit of another clone. With the driver it brings what it builds on, too. @param {Clone} clone @param {Clone} other */
    async #pick(clone, other) {
      this.#fetchAll(clone);
      const commits = other
        .git("rev-list", "--no-merges", "--min-parents=1", "-n6", "HEAD")
        .split("\n")
        .filter(Boolean);
      if (commits.length === 0) return;
      const commit = this.#one(commits);
      const parent = other.git("rev-parse", `${commit}^`).trim();
      // A rebase makes commits that the model did not see.
      const [its, before] = [keysAt(other, commit), keysAt(other, parent)];
      const keys = new Set([...this.#has(clone), ...[...its].filter((key) => !before.has(key))]);
      const isPicked = clone.tries("cherry-pick", commit);
      await this.#resolve(clone);
      clone.git("add", "-A");
      if (!isPicked && existsSync(join(clone.root, ".git/CHERRY_PICK_HEAD"))) {
        const isEmpty = clone.tries("diff", "--cached", "--quiet", "HEAD");
        clone.git("-c", "core.editor=true", "cherry-pick", isEmpty ? "--skip" : "--continue");
      } else clone.conclude("resolve");
      this.#expect(clone, keys, its);
    }

    /** To a branch of the clone that is there or not yet. @param {Clone} clone */
    #switch(clone) {
      const [here, branch] = [clone.git("branch", "--show-current").trim(), this.#one(["main", "side"])];
      if (branch === here) return;
      const isNew = !clone.tries("rev-parse", "--verify", "-q", `refs/heads/${branch}`);
      clone.git("switch", "-q", ...(isNew ? ["-c"] : []), branch);
      this.#expect(clone, this.#has(clone));
    }

    /** Beside a process that writes: each key is in the work tree or in the stash, and comes back with it. @param {Clone} clone */
    async #stash(clone) {
      const keys = new Set(this.#has(clone));
      await this.#work(clone, 2);
      for (const key of this.#fresh(clone)) keys.add(key);
      const tasks = clone.git("ls-tree", "--name-only", "HEAD", ".coco/tasks/").split("\n");
      const task = tasks
        .find((path) => path.startsWith(".coco/tasks/TASK-"))
        ?.split("/")
        .at(-1);
      if (task === undefined) return void this.#commit(clone, keys, "no task to write to");
      const written = Array.from({ length: 12 }, () => `key-${this.keys++}`);
      const writer = spawn(
        process.execPath,
        [join(import.meta.dirname, "random_writer.mjs"), dist, clone.root, task, ...written],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      let said = "";
      writer.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => (said += text));
      const ended = once(writer, "close");
      // The stash falls among its notes, or before or behind them.
      await Promise.race([once(writer.stdout, "data"), ended]);
      const isThere = (/** @type {string[]} */ ...args) =>
        this.#gitRun(clone, ...args) && clone.tries("rev-parse", "-q", "--verify", "refs/stash");
      const isStashed = isThere("stash", this.random.chance(0.5) ? "-q" : "-qu");
      await ended;
      // A stash leaves new files. A folder of the archive is a second one of its task then, and a section is a stray until the stash is back.
      await this.#resolve(clone, false);
      for (const key of said.split("\n").filter(Boolean)) {
        this.#acknowledged(this.#fresh(clone), key);
        keys.add(key);
      }
      clone.commit("beside a stash");
      if (isStashed) {
        this.held.set(clone.head(), this.#look(clone));
        this.#gitRun(clone, "stash", "pop", "-q");
        await this.#resolve(clone);
        clone.git("add", "-A");
        clone.tries("stash", "drop", "-q");
        clone.commit("popped");
      }
      this.#expect(clone, keys);
    }

    /** @param {Clone} clone @param {...string} args */
    #gitRun(clone, ...args) {
      try {
        clone.program(join(dist, "cli.cjs"), "git", "run", "--", ...args);
        return true;
      } catch {
        // A pop that stops at folded files says so by its exit code.
        return false;
      }
    }

    /** One clone takes in every branch of all, and has every key then. */
    async #settle() {
      this.operation = "the end";
      const [first] = /** @type {[Clone]} */ (this.clones);
      const tips = this.clones.flatMap((clone) =>
        clone.git("for-each-ref", "--format=%(objectname)", "refs/heads").split("\n").filter(Boolean),
      );
      await this.#join(first, [...new Set(tips)], (tip) => merged(first, tip));
      this.#expect(first, this.all);
      const ws = this.#open(first);
      for (const finding of ws.verify().findings)
        if (!finding.info) this.#problem(`at the end: ${JSON.stringify(finding)}`);
      await ws.close();
    }

    /** @template T @param {T[]} some @returns {T} */
    #one(some) {
      return /** @type {T} */ (some[this.random.below(some.length)]);
    }
  }

  for (let number = only ?? 0; number < (only === undefined ? rounds : only + 1); number++) {
    counts.rounds++;
    await new Round(number).run();
  }
  return { ...counts, operations, problems };
}

const OPERATIONS = [
  "commit",
  "amend",
  "switch",
  "merge",
  "merge",
  "octopus",
  "rebase",
  "rebase",
  "squash",
  "cherry-pick",
  "cherry-pick",
  "stash",
];

/** @param {Clone} clone @param {string} tip */
function merged(clone, tip) {
  return clone.tries("merge", "-q", "--no-edit", tip);
}

/** @param {Clone} clone @param {string} fault */
function spoil(clone, fault) {
  const [[folder, lines] = ["", []]] = [...logsOf(clone)].filter(([path]) => path.includes("/tasks/"));
  const log = join(folder, "events.jsonl");
  const last = lines.findLast((line) => JSON.parse(line).op?.key !== undefined) ?? "";
  const others = lines.filter((line) => line !== last);
  if (fault === "lost") writeFileSync(log, others.map((line) => `${line}\n`).join(""));
  else if (fault === "extra")
    writeFileSync(
      log,
      `${lines.join("\n")}\n${last.replace(/"key":"[^"]*"/, '"key":"of-nobody"').replace(/"hash":"/, '"hash":"x')}\n`,
    );
  else if (fault === "doubled") writeFileSync(log, `${lines.join("\n")}\n${last}\n`);
  else cpSync(folder, `${folder}-copy`, { recursive: true });
}

/** @param {Clone} clone */
function isRebasing(clone) {
  return ["rebase-merge", "rebase-apply"].some((name) => existsSync(join(clone.root, ".git", name)));
}

/** Keys in the logs of a commit. @param {Clone} clone @param {string} commit @returns {Keys} */
function keysAt(clone, commit) {
  const paths = clone
    .git("ls-tree", "-r", "-z", "--name-only", commit, "--", ".coco/tasks", ".coco/archive")
    .split("\0");
  const logs = paths.filter((path) => /^\.coco\/(?:tasks|archive)\/[^/]+\/events\.jsonl$/.test(path));
  const lines = logs.flatMap((path) => clone.git("show", `${commit}:${path}`).split("\n"));
  return new Set(lines.flatMap((line) => (line.startsWith("{") ? (JSON.parse(line).op?.key ?? []) : [])));
}

/** Lines of ours in each log, by its folder, the live ones and those of the archive. @param {Clone} clone */
function logsOf(clone) {
  /** @type {Map<string, string[]>} */
  const logs = new Map();
  for (const part of ["tasks", "archive"]) {
    const folder = join(clone.root, ".coco", part);
    for (const id of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, id, "events.jsonl");
      if (!existsSync(path)) continue;
      const lines = readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{"));
      logs.set(`${folder}/${id}`, lines);
    }
  }
  return logs;
}
