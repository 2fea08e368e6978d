// @ts-check
/**
 * Real git on clones with nothing installed: several people work on branches through the library and merge each other in random
 * topologies. No line of a log may be lost, and no log may be left in conflict. Needs `npm run build`.
 *
 * - `npm run test:git -- [--rounds N] [--seed N] [--driver] [--json]`
 * - `npm run test:git -- --random N [--steps N] [--only ROUND] [--seed N] [--json]`: N random histories against a model of keys, half of them with the
 *   driver. `--sabotage lost|extra|doubled|split` makes a fault that has to be seen.
 *
 * With --driver each clone has the merge driver (`taskfold git install`). A merge that git made by itself then has to hold the
 * right folded files before a resolve. In rounds of kind `sparse` each works in sparse checkouts, by patterns, by cones and with a
 * sparse index. There no id that the branch has is given again. Other rounds are of repositories that give files to Git LFS (where
 * git-lfs is there) or to a filter that encrypts. Beside each round a task that a merge renamed is picked, or rebased, onto a branch
 * where it has its first name.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Clone } from "../../support/git_clone.mjs";
import { renamedHistory } from "./renamed.mjs";
import { ENCRYPTED, hasLfs, LFS, setAttributes, useFilters } from "../../support/git_filters.mjs";
import { RandomCalls, randomFrom } from "../../support/random_calls.mjs";
import { tempRoot } from "../../support/temp_root.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean" },
    driver: { type: "boolean" },
    keep: { type: "boolean" },
    dist: { type: "string" },
    random: { type: "string" },
    only: { type: "string" },
    steps: { type: "string" },
    sabotage: { type: "string" },
  },
});
const seed = Number(values.seed ?? 1);
const rounds = Number(values.rounds ?? 12);
const dist = values.dist ?? join(import.meta.dirname, "../../..", "dist");
if (values.random !== undefined) {
  const { runRandom } = await import("./random.mjs");
  const told = await runRandom({
    rounds: Number(values.random),
    steps: Number(values.steps ?? 14),
    seed,
    dist,
    keep: values.keep === true,
    ...(values.only === undefined ? {} : { only: Number(values.only) }),
    ...(values.sabotage === undefined ? {} : { sabotage: values.sabotage }),
  });
  const { operations, problems: found, ...numbers } = told;
  if (values.json) console.log(JSON.stringify(numbers));
  else console.log(JSON.stringify({ ...numbers, operations }));
  for (const line of found) console.error(`- ${line}`);
  const { lost, extra, doubled, split } = numbers;
  process.exit(lost + extra + doubled + split + found.length > 0 ? 1 : 0);
}
/** @type {typeof import("../../../src/testing.ts")} */
const { openWorkspace } = await import(`${dist}/testing.js`);
/** @type {typeof import("../../../src/hosts/git/git_port.ts")} */
const { openGit } = await import(`${dist}/hosts/git/git_port.js`);

const temp = tempRoot();
const WORKSPACE = "acme/repo";
const STEPS = 14;
const NAMES = ["ada", "bob", "cyd"];

const counts = {
  rounds: 0,
  marker_rounds: 0,
  merges: 0,
  stopped: 0,
  calls: 0,
  refused: 0,
  conflicts_in_log: 0,
  marker_conflicts: 0,
  moved_and_changed: 0,
  two_roots: 0,
  /** Ids that the branch had and that a sparse checkout left out, given again. */
  given_again: 0,
  sparse_rounds: 0,
  /** Stops of picks and rebases of a renamed task, claims refused while it had two folders, and folders that it had too many. */
  renamed_stops: 0,
  refused_twice: 0,
  two_folders: 0,
  left_out: 0,
  resolve_refused: 0,
  lost: 0,
  differing: 0,
  findings: 0,
  /** With --driver: of these merges those that were done as a rebase. */
  rebases: 0,
  rebases_stopped: 0,
  /** With --driver: what git made by itself, with every folded file right or not. */
  right: 0,
  stale: 0,
};
/** @type {string[]} */
const problems = [];
/** @type {string[]} */
const stale = [];

/** @typedef {"plain" | "autocrlf" | "markers" | "sparse" | "lfs" | "encrypted"} Kind */

/** @param {string} what */
function problem(what) {
  if (problems.length < 20) problems.push(what);
}

class Round {
  /** @param {number} number @param {Kind} kind */
  constructor(number, kind) {
    this.kind = kind;
    this.name = `round ${number} (${kind}, seed ${seed})`;
    this.random = randomFrom(seed * 1000 + number);
    this.folder = mkdtempSync(join(temp, "taskfold-git-"));
    this.calls = new RandomCalls({ workspace: WORKSPACE, deletions: kind === "markers" ? 0 : 0.015 });
    this.minutes = 0;
    this.ids = 0;
    /** @type {Clone[]} */
    this.clones = [];
    /** Every line that was ever acknowledged. @type {Set<string>} */
    this.written = new Set();
  }

  async run() {
    try {
      await this.#begin();
      if (this.kind === "markers") await this.#withoutAttributes();
      else for (let i = 0; i < STEPS; i++) await this.#step();
      await this.#settle();
    } finally {
      if (!values.keep) rmSync(this.folder, { recursive: true, force: true });
    }
  }

  async #begin() {
    const first = Clone.init(join(this.folder, "ada"));
    this.clones.push(first);
    this.#useFilters(first);
    const filter = this.kind === "lfs" ? LFS : this.kind === "encrypted" ? ENCRYPTED : undefined;
    if (filter)
      setAttributes(first, ...["*.jsonl", "*.json", "*.yaml", "*.md"].map((pattern) => `${pattern} ${filter}`));
    if (this.kind === "autocrlf") writeFileSync(join(first.root, ".gitattributes"), "* text=auto\n");
    await this.#work(first, 0, 12);
    for (const name of NAMES.slice(1)) {
      const clone = Clone.of(join(this.folder, name), first);
      this.#useFilters(clone);
      this.clones.push(clone);
    }
    if (values.driver) for (const clone of this.clones) clone.program(join(dist, "cli.cjs"), "git", "install");
  }

  /** @param {Clone} clone */
  #useFilters(clone) {
    if (this.kind === "lfs" || this.kind === "encrypted") useFilters(clone);
  }

  async #step() {
    const at = this.random.below(this.clones.length);
    const clone = /** @type {Clone} */ (this.clones[at]);
    this.#leaveOut(clone);
    const action = this.random.below(10);
    if (action < 5) return this.#work(clone, at, 1 + this.random.below(6));
    const otherAt = (at + 1 + this.random.below(this.clones.length - 1)) % this.clones.length;
    const other = /** @type {Clone} */ (this.clones[otherAt]);
    if (action < 8) return this.#merge(clone, other);
    // Criss-cross: both merge what the other had before either merged.
    await this.#work(clone, at, 2);
    await this.#work(other, otherAt, 2);
    const [mine, theirs] = [clone.head(), other.head()];
    await this.#merge(clone, other, theirs);
    await this.#merge(other, clone, mine);
  }

  /** In rounds of this kind: other plans and tasks than before are left out, in another way. @param {Clone} clone */
  #leaveOut(clone) {
    if (this.kind !== "sparse") return;
    const folders = foldersAt(clone).filter(() => this.random.below(3) === 0);
    const form = this.random.below(4);
    if (form === 0) return this.#whole(clone);
    const cone = [".coco/archive", ...folders.filter((path) => path.startsWith(".coco/tasks/"))];
    const out = foldersAt(clone).filter((path) => !folders.includes(path));
    if (form === 1) clone.git("sparse-checkout", "set", "--no-cone", "/*", ...out.map((path) => `!/${path}`));
    else clone.git("sparse-checkout", "set", "--cone", form === 2 ? "--no-sparse-index" : "--sparse-index", ...cone);
    counts.left_out += out.length;
  }

  /** Everything is in the work tree again. @param {Clone} clone */
  #whole(clone) {
    if (this.kind === "sparse" && existsSync(join(clone.root, ".git/info/sparse-checkout")))
      clone.git("sparse-checkout", "disable");
  }

  /** Lines of all logs, those that are left out too. @param {Clone} clone */
  #lines(clone) {
    return this.kind === "sparse" ? new Set(linesAt(clone, "HEAD")) : clone.lines();
  }

  /** @param {Clone} clone @param {string} message */
  #commit(clone, message) {
    if (this.kind !== "sparse") return clone.commit(message);
    // New folders may lie outside of the cone.
    clone.git("add", "--sparse", "-A");
    if (!clone.tries("diff", "--cached", "--quiet")) clone.git("commit", "-q", "-m", message);
  }

  /** One side loses the attributes, so that git writes conflict markers into the logs. */
  async #withoutAttributes() {
    const [a, b] = /** @type {[Clone, Clone, Clone]} */ (this.clones);
    unlinkSync(join(b.root, ".coco", ".gitattributes"));
    b.commit("remove the attributes");
    for (let i = 0; i < 3; i++) {
      await this.#work(a, 0, 6);
      await this.#work(b, 1, 6);
      await this.#merge(b, a);
    }
    await this.#merge(a, b);
  }

  /** @param {Clone} clone @param {number} who @param {number} times */
  async #work(clone, who, times) {
    const before = this.kind === "sparse" && clone.tries("rev-parse", "-q", "--verify", "HEAD") ? clone.head() : "";
    const ws = this.#open(clone, who);
    for (let i = 0; i < times; i++) {
      const call = this.calls.next(this.random);
      const reply = await ws.callTool(
        call.tool,
        /** @type {import("../../../src/state/json.ts").JsonObject} */ (call.input),
      );
      this.calls.heard(call, reply);
      counts.calls++;
      if (!reply.success) counts.refused++;
      if (
        reply.error &&
        ["INTERNAL", "LOG_TWO_ROOTS", "LOG_INCOMPLETE", "LOG_CONFLICT_MARKERS", "UNKNOWN_OUTCOME"].includes(
          reply.error.code,
        )
      ) {
        problem(`${this.name}: ${call.tool}: ${reply.error.code}: ${reply.error.message}`);
        counts.findings++;
      }
    }
    await ws.close();
    this.#commit(clone, `work of ${NAMES[who]}`);
    for (const line of this.#lines(clone)) this.written.add(line);
    if (before !== "") this.#countGivenAgain(clone, before);
  }

  /** The first line of a log says which entity it is: of a folder that was there it is the same one. @param {Clone} clone @param {string} before */
  #countGivenAgain(clone, before) {
    for (const path of foldersAt(clone, before)) {
      const [now, then] = ["HEAD", before].map((commit) => rootAt(clone, commit, path));
      if (now === undefined || then === undefined || now === then) continue;
      counts.given_again++;
      problem(`${this.name}: ${path} was given again`);
    }
  }

  /** @param {Clone} clone @param {number} who */
  #open(clone, who) {
    // Every look at the clock is a minute later, and the last one's clock is a day slow.
    const slow = who === NAMES.length - 1 ? 1440 : 0;
    return openWorkspace({
      root: clone.root,
      by: `human:${NAMES[who]}`,
      durability: "os",
      now: () => Date.UTC(2026, 0, 2) + 60_000 * (this.minutes++ - slow),
      git: () => openGit(clone.root),
      newId: () =>
        randomFrom(seed * 7919 + this.ids++)
          .below(2 ** 32)
          .toString(16)
          .padStart(8, "0") + this.ids.toString(16).padStart(8, "0"),
    });
  }

  /** @param {Clone} clone @param {Clone} other @param {string} [commit] */
  async #merge(clone, other, commit = "") {
    // In a criss-cross each merges what the other had, which a rebase would take away.
    const mayRebase = commit === "";
    commit ||= other.head();
    if (clone.tries("merge-base", "--is-ancestor", commit, "HEAD")) return false;
    const before = new Set([...this.#lines(clone), ...linesAt(other, commit)]);
    counts.merges++;
    clone.git("fetch", "-q", other.root, "main");
    const isMerged = (mayRebase && this.#rebased(clone, commit)) || clone.merge(other, commit);
    if (!isMerged) counts.stopped++;
    for (const [path, stages] of clone.unmerged()) {
      if (!path.endsWith("/events.jsonl")) continue;
      if (stages.length < 3 && !(stages.includes(2) && stages.includes(3))) counts.moved_and_changed++;
      else if (this.kind === "markers") counts.marker_conflicts++;
      else {
        counts.conflicts_in_log++;
        problem(`${this.name}: ${path} in conflict (stages ${stages.join(" ")})`);
      }
    }
    const ws = this.#open(clone, 0);
    if (values.driver && isMerged) this.#look(ws);
    const git = openGit(clone.root);
    const resolve = () => ws.repair.resolve(undefined, { stage: true, ...(git ? { git } : {}) });
    const report = await resolve().catch((e) => {
      // The merge stopped at one that is left out: its log has to be there.
      if (this.kind !== "sparse" || e.code !== "NOT_CHECKED_OUT") throw e;
      counts.resolve_refused++;
      clone.git("sparse-checkout", "set", "--no-cone", "/*");
      return resolve();
    });
    counts.two_roots += report.entities.reduce((sum, e) => sum + e.split.length, 0);
    for (const finding of report.findings) {
      if (finding.info || finding.code === "ATTRIBUTES_MISSING") continue;
      counts.findings++;
      problem(`${this.name}: after resolve: ${JSON.stringify(finding)}`);
    }
    await ws.close();
    for (const path of clone.unmerged().keys()) {
      counts.findings++;
      problem(`${this.name}: ${path} still open`);
      clone.git("add", "-A", "--", path);
    }
    clone.conclude("resolve");
    const after = this.#lines(clone);
    for (const line of after) this.written.add(line);
    this.#count(before, after, "a merge");
    return true;
  }

  /**
   * With --driver, every other time, where it is no merge that would be taken apart. One that stops is given up, and merged.
   * @param {Clone} clone @param {string} commit
   */
  #rebased(clone, commit) {
    if (!values.driver || this.kind === "markers" || this.random.below(2) === 0) return false;
    if (clone.git("rev-list", "--merges", `${commit}..HEAD`) !== "") return false;
    counts.rebases++;
    if (clone.tries("rebase", "-q", commit)) return true;
    counts.rebases_stopped++;
    clone.git("rebase", "--abort");
    return false;
  }

  /** Before anything is resolved. @param {import("../../../src/index.ts").Workspace} ws */
  #look(ws) {
    const found = ws.verify().findings.filter(({ code }) => code.startsWith("PROJECTION_"));
    if (found.length === 0) counts.right++;
    else {
      counts.stale++;
      stale.push(`${this.name}: ${found.map(({ code, file }) => `${code} ${file}`).join(", ")}`);
    }
  }

  /** Every clone merges every other until nothing is left to merge; then all have the same. */
  async #settle() {
    for (const clone of this.clones) this.#whole(clone);
    for (let again = true, rest = 8; again && rest > 0; rest--) {
      again = false;
      for (const clone of this.clones) {
        for (const other of this.clones) if (clone !== other && (await this.#merge(clone, other))) again = true;
      }
    }
    const states = this.clones.map((clone) => clone.state());
    const [first, ...others] = /** @type {[Map<string, string>, ...Map<string, string>[]]} */ (states);
    for (const other of others) {
      for (const path of new Set([...first.keys(), ...other.keys()])) {
        if (first.get(path) === other.get(path)) continue;
        counts.differing++;
        problem(`${this.name}: ${path} differs between clones`);
      }
    }
    for (const clone of this.clones) this.#count(this.written, clone.lines(), `the end of ${clone.root}`);
  }

  /** @param {Set<string>} wanted @param {Set<string>} found @param {string} where */
  #count(wanted, found, where) {
    for (const line of wanted) {
      if (found.has(line)) continue;
      counts.lost++;
      problem(`${this.name}: lost at ${where}: ${line.slice(0, 160)}`);
    }
  }
}

/** @param {number} number */
async function renamedRound(number) {
  const folder = mkdtempSync(join(temp, "taskfold-git-"));
  const way = number % 2 === 0 ? "pick" : "rebase";
  const install = values.driver ? join(dist, "cli.cjs") : undefined;
  try {
    const told = await renamedHistory({ folder, seed: seed * 1000 + number, way, install, openWorkspace, openGit });
    for (const name of /** @type {const} */ (["renamed_stops", "refused_twice", "two_folders", "lost", "findings"]))
      counts[name] += told[name];
    if (told.two_folders + told.lost + told.findings > 0)
      problem(`a renamed task, ${way} ${number} (seed ${seed}): ${JSON.stringify(told)}`);
  } finally {
    if (!values.keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Folders of plans and tasks that a commit has. @param {Clone} clone @param {string} [commit] */
function foldersAt(clone, commit = "HEAD") {
  const names = clone
    .git("ls-tree", "-r", "--name-only", "-z", commit, "--", ".coco/tasks", ".coco/archive")
    .split("\0");
  return names.flatMap((path) => /^(.*)\/events\.jsonl$/.exec(path)?.[1] ?? []);
}

/** The entity that a folder of a commit is about. @param {Clone} clone @param {string} commit @param {string} path */
function rootAt(clone, commit, path) {
  if (!clone.tries("cat-file", "-e", `${commit}:${path}/events.jsonl`)) return undefined;
  return /"hash":"([^"]+)"/.exec(clone.git("show", `${commit}:${path}/events.jsonl`).split("\n")[0] ?? "")?.[1];
}

/** Lines of all logs of a commit. @param {Clone} clone @param {string} commit */
function linesAt(clone, commit) {
  const logs = clone
    .git("ls-tree", "-r", "-z", "--name-only", commit, "--", ".coco")
    .split("\0")
    .filter((path) => /^\.coco\/(tasks|archive)\/[^/]+\/events\.jsonl$/.test(path));
  return logs.flatMap((path) =>
    clone
      .git("show", `${commit}:${path}`)
      .split("\n")
      .filter((line) => line.startsWith("{")),
  );
}

/** @type {Kind[]} */
const kinds = [
  "plain",
  "sparse",
  "autocrlf",
  "encrypted",
  "sparse",
  "markers",
  "plain",
  hasLfs() ? "lfs" : "encrypted",
];
for (let i = 0; i < rounds; i++) {
  const kind = /** @type {Kind} */ (kinds[i % kinds.length]);
  counts.rounds++;
  if (kind === "markers") counts.marker_rounds++;
  if (kind === "sparse") counts.sparse_rounds++;
  await new Round(i, kind).run();
  await renamedRound(i);
}

const failed =
  counts.conflicts_in_log + counts.two_folders + counts.lost + counts.differing + counts.given_again + counts.findings >
  0;
if (values.json) console.log(JSON.stringify({ seed, ...counts, ok: !failed, problems, stale }, null, 2));
else {
  console.log(
    Object.entries(counts)
      .map(([name, n]) => `${name} ${n}`)
      .join(", "),
  );
  for (const line of [...problems, ...stale.slice(0, 20)]) console.log(`- ${line}`);
}
process.exitCode = failed ? 1 : 0;
