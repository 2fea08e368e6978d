// @ts-check
// One folder to attack: a workspace below `root`, and canaries beside it that nothing may touch. Memory keeps the template, so
// that each case begins with the same bytes. It also begins in the same folder: machine-local state may be bound to its inode.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../../dist/testing.js";

export const WORKSPACE = "acme/repo";
export const BY = "agent:mallory";

/** @typedef {{ path: string, mode: number, bytes?: Buffer, link?: string }} Entry */
/** @typedef {import("../../../dist/index.js").Workspace} Workspace */

/** Long enough ago that even a mount with `relatime` notes the next read. */
const LONG_AGO = 1_700_000_000;

/** Git with nothing of this machine or user in it. */
export const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Mallory",
  GIT_AUTHOR_EMAIL: "mallory@example.org",
  GIT_COMMITTER_NAME: "Mallory",
  GIT_COMMITTER_EMAIL: "mallory@example.org",
  GIT_TEST_FSYNC: "0",
  LC_ALL: "C",
};

/** Output of a git command that has to succeed. @param {string} cwd @param {...string} args */
export function git(cwd, ...args) {
  const env = { ...process.env, ...GIT_ENV };
  return execFileSync("git", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

export class World {
  /** Holds `root` and `out`, and nothing else that is compared. @type {string} */
  base;
  /** @type {string} */
  root;
  /** @type {string} */
  coco;
  /** The canaries. @type {string} */
  out;
  /** Of the harness: markers of executed programs, and what is moved out of the way. @type {string} */
  own;
  /** A cursor of the template. */
  cursor = "";
  /** @type {Entry[]} */
  #coco = [];
  /** @type {Entry[]} */
  #git = [];
  /** @type {Entry[]} */
  #out = [];
  /** @type {Map<string, string>} */
  #seen = new Map();
  /** Whether this mount notes when a file was read. */
  #notesReads = false;
  /** By path below `.coco`: what tells that it is as it was written. @type {Map<string, string>} */
  #signs = new Map();
  /** Whether the canaries have to be made anew. */
  #damaged = true;

  /** @param {string} folder empty, and of this world alone */
  constructor(folder) {
    this.base = join(folder, "world");
    this.root = join(this.base, "root");
    this.coco = join(this.root, ".coco");
    this.out = join(this.base, "out");
    this.own = join(folder, "own");
    for (const path of [this.base, this.root, this.out, this.own]) fs.mkdirSync(path, { recursive: true });
    // This home has no file that git and others look for.
    process.env["HOME"] = this.own;
    Object.assign(process.env, GIT_ENV);
  }

  /** Builds the workspace and the canaries, and remembers both. */
  async build() {
    this.cursor = await makeWorkspace(this.root);
    this.#coco = entriesBelow(this.coco);
    this.#git = entriesBelow(join(this.root, ".git"));
    await this.#makeCanaries();
    this.#out = entriesBelow(this.out);
    this.#notesReads = notesReads(join(this.out, "secret.txt"));
    this.watch();
  }

  get notesReads() {
    return this.#notesReads;
  }

  /** Paths below `.coco` as they are now, sorted. */
  paths() {
    return this.#coco.map(({ path }) => path).toSorted();
  }

  /** Bytes that the template has at a path below `.coco`. @param {string} path */
  bytesOf(path) {
    return this.#coco.find((entry) => entry.path === path)?.bytes;
  }

  /** Whether git's own files may have changed: to write them anew costs more than most cases. */
  gitChanged = true;

  /** Everything as it was built. */
  restore() {
    removeAll(this.base, ["root", "out"]);
    removeAll(this.root, [".coco", ".git"]);
    const aside = join(this.own, "coco");
    if (fs.existsSync(aside)) {
      remove(this.coco);
      fs.renameSync(aside, this.coco);
    }
    this.#restoreCoco();
    if (this.gitChanged) {
      remove(join(this.root, ".git"));
      fs.mkdirSync(join(this.root, ".git"));
      write(join(this.root, ".git"), this.#git);
      this.gitChanged = false;
    }
    fs.mkdirSync(join(this.root, "src"));
    fs.writeFileSync(join(this.root, "src", "a.ts"), "export const a = 1;\n");
    if (this.#damaged) {
      removeAll(this.out, []);
      write(this.out, this.#out);
      this.#damaged = false;
    }
    for (const name of fs.readdirSync(this.own)) if (name.startsWith("ran-")) fs.unlinkSync(join(this.own, name));
  }

  /** Keeps the entries that a case left alone: to write a hundred files anew would take longer than most cases. */
  #restoreCoco() {
    if (fs.lstatSync(this.coco, { throwIfNoEntry: false })?.isDirectory() !== true) {
      remove(this.coco);
      fs.mkdirSync(this.coco);
    }
    fs.chmodSync(this.coco, 0o755);
    const wanted = new Map(this.#coco.map((entry) => [entry.path, entry]));
    removeOthers(this.coco, "", (path, stat) => wanted.has(path) && signOf(stat) === this.#signs.get(path));
    for (const entry of this.#coco) {
      if (fs.lstatSync(join(this.coco, entry.path), { throwIfNoEntry: false })) continue;
      write(this.coco, [entry]);
    }
    for (const { path } of this.#coco) this.#signs.set(path, signOf(fs.lstatSync(join(this.coco, path))));
  }

  /** An empty root, and the same folder still. */
  clear() {
    this.gitChanged = true;
    removeAll(this.root, []);
  }

  /** Moves `.coco` itself out of the way; `restore` brings the same folder back. */
  setCocoAside() {
    fs.renameSync(this.coco, join(this.own, "coco"));
  }

  /** A marker that a planted program makes when it is run. @param {string} name */
  marker(name) {
    return join(this.own, `ran-${name}`);
  }

  /** Names of the planted programs that were run. */
  executed() {
    return fs.readdirSync(this.own).filter((name) => name.startsWith("ran-"));
  }

  /** Puts a file or folder beside the other canaries, for a planted link to lead to. @param {readonly Entry[]} entries @param {string} name */
  plantOutside(name, entries) {
    this.#damaged = true;
    const at = join(this.out, name);
    remove(at);
    write(
      this.out,
      entries.map((entry) => ({ ...entry, path: join(name, entry.path).replace(/\/$/, "") })),
    );
    return at;
  }

  /** The entries of the template at a path below `.coco` and below it, by paths from there. @param {string} path */
  below(path) {
    return this.#coco
      .filter((entry) => path === "" || entry.path === path || entry.path.startsWith(`${path}/`))
      .map((entry) => ({ ...entry, path: path === "" ? entry.path : entry.path.slice(path.length + 1) }));
  }

  /** Remembers the canaries as they are from here on. */
  watch() {
    this.#settleTimes();
    this.#seen = this.#look();
  }

  /**
   * The changes of the canaries since `watch`.
   * @param {{ linked?: string }} [options] one that has a second name inside the root: it may be read there, and lose that name
   */
  damage({ linked } = {}) {
    const now = this.#look();
    /** @type {string[]} */
    const found = [];
    for (const [path, before] of this.#seen) {
      const after = now.get(path);
      if (after === undefined) found.push(`${path} is gone`);
      else if (path === linked) {
        if (contentOf(after) !== contentOf(before)) found.push(`${path} was changed`);
      } else if (after !== before) found.push(`${path}: ${difference(before, after)}`);
    }
    for (const path of now.keys()) if (!this.#seen.has(path)) found.push(`${path} was made`);
    this.#damaged ||= found.length > 0;
    return found;
  }

  async #makeCanaries() {
    fs.writeFileSync(join(this.out, "secret.txt"), "SECRET=outside\n", { mode: 0o600 });
    for (const name of ["canary", "goals.md", "events.jsonl"])
      fs.writeFileSync(join(this.out, name), `canary ${name}\n`);
    fs.mkdirSync(join(this.out, "hollow"));
    fs.mkdirSync(join(this.out, "folder"));
    for (const name of ["a.txt", "TASK-001", "events.jsonl"])
      fs.writeFileSync(join(this.out, "folder", name), `canary ${name}\n`);
    const victim = join(this.out, "victim");
    fs.mkdirSync(victim);
    const workspace = openWorkspace({ root: victim, by: "human:victim", ...fixed("victim") });
    await call(workspace, "tasks_create", { kind: "task", id: "TASK-001", title: "Somebody else's" });
    await workspace.close();
    // A log is enough to be written to, and fewer files are compared sooner.
    for (const path of [
      "locks",
      "registry",
      "tasks/TASK-001/shared",
      "tasks/TASK-001/taskdoc.tsk",
      "tasks/TASK-001/agents",
    ])
      remove(join(victim, ".coco", path));
  }

  /** Reads are seen only when the last one noted is old. */
  #settleTimes() {
    for (const path of walk(this.out)) {
      if (fs.lstatSync(path).isSymbolicLink()) fs.lutimesSync(path, LONG_AGO, LONG_AGO);
      else fs.utimesSync(path, LONG_AGO, LONG_AGO);
    }
  }

  /** By path: what a comparison goes by. */
  #look() {
    /** @type {Map<string, string>} */
    const seen = new Map([[".", fs.readdirSync(this.base).join(" ")]]);
    this.#lookAt(this.out, seen);
    this.#settleTimes();
    return seen;
  }

  /** The times before the bytes or names: this look is a read, too. @param {string} path @param {Map<string, string>} seen */
  #lookAt(path, seen) {
    const stat = fs.lstatSync(path);
    const names = stat.isDirectory() ? fs.readdirSync(path) : [];
    const facts = [
      stat.isFile() ? digest(readQuietly(path)) : stat.isDirectory() ? `names ${names.join("/")}` : "",
      `size ${stat.isFile() ? stat.size : 0}`,
      `mode ${stat.mode.toString(8)}`,
      `mtime ${stat.mtimeMs}`,
      `links ${stat.isFile() ? stat.nlink : 0}`,
      `read ${this.#notesReads && !stat.isSymbolicLink() ? stat.atimeMs : 0}`,
    ];
    seen.set(path.slice(this.base.length + 1), facts.join(", "));
    for (const name of names) this.#lookAt(join(path, name), seen);
  }
}

/** The same in every process: then names that are digests are the same, too. @param {string} seed @param {number} [hour] */
export function fixed(seed, hour = 0) {
  let ticks = 0;
  let ids = 0;
  return {
    now: () => Date.UTC(2026, 0, 1, hour) + 1000 * ticks++,
    newId: () => createHash("sha256").update(`${seed} ${ids++}`).digest("hex").slice(0, 16),
  };
}

/** The result of a call that has to succeed. @param {Workspace} workspace @param {string} tool @param {Record<string, unknown>} input */
export async function call(workspace, tool, input) {
  const reply = await workspace.callTool(tool, { workspace: WORKSPACE, ...input });
  if (!reply.success) throw new Error(`${tool}: ${reply.error?.message}`);
  return /** @type {Record<string, unknown>} */ (reply.result);
}

/** Some of everything that `.coco` may hold, in a repository with one commit. @param {string} root */
async function makeWorkspace(root) {
  const workspace = openWorkspace({ root, by: BY, ...fixed("template") });
  await call(workspace, "tasks_create", { id: "PLAN-001", title: "A plan" });
  const steps = [1, 2].map((n) => ({ title: `Step ${n}`, success_criteria: ["it works"], tests: ["npm test"] }));
  const create = { parent: "PLAN-001", title: "A task", steps, idempotency_key: "made" };
  await call(workspace, "tasks_create", { ...create, id: "TASK-001" });
  for (const id of ["TASK-002", "TASK-003"]) await call(workspace, "tasks_create", { kind: "task", id, title: id });
  const task = { task: "TASK-001" };
  const items = [
    { kind: "test", command: "npm test", stdout: "1 passed\n".repeat(400), exit_code: 0 },
    { kind: "code", path: "src/a.ts", start_line: 1 },
    { kind: "commit", summary: "made by hand", commit: "1234567890123456789012345678901234567890" },
  ];
  fs.mkdirSync(join(root, "src"));
  fs.writeFileSync(join(root, "src", "a.ts"), "export const a = 1;\n");
  await call(workspace, "tasks_evidence_capture", { ...task, path: "s:0", items, checkpoint: "tests" });
  await call(workspace, "change_mind", { ...task, selector: "goals", content: "Every sample parses.\n" });
  await call(workspace, "change_mind", { ...task, category: "ux", selector: "list", content: "- one\n" });
  await call(workspace, "tasks_note", { ...task, note: "a note" });
  await call(workspace, "tasks_think", { ...task, decision: { title: "By hand", text: "A parser written by hand." } });
  await call(workspace, "tasks_report", task);
  await call(workspace, "tasks_focus_set", task);
  await call(workspace, "tasks_delete", { task: "TASK-003" });
  await call(workspace, "tasks_context", {});
  await makePacket(workspace, "TASK-002");
  const delta = await call(workspace, "tasks_delta", {});
  makeForeign(join(root, ".coco", "tasks", "foreign-1"));
  fs.mkdirSync(join(root, ".coco", "tasks", "TASK-001", "agents", "w1"), { recursive: true });
  fs.writeFileSync(join(root, ".coco", "tasks", "TASK-001", "agents", "w1", "notes.md"), "an agent's own\n");
  // Before it is closed: some of what belongs to a running process is there, too.
  const running = entriesBelow(join(root, ".coco"));
  await workspace.close();
  write(join(root, ".coco"), running);
  execFileSync("git", ["init", "-q", "-b", "main", "--template=", root], { stdio: "pipe" });
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "template");
  git(root, "gc", "-q");
  return typeof delta["cursor"] === "string" ? delta["cursor"] : "";
}

/** A packet of which one stage is done, and another one failed. @param {Workspace} workspace @param {string} task */
async function makePacket(workspace, task) {
  const manifest = {
    goal: "Read it once",
    routing: { intent: "review_cross" },
    scope: { allow: ["src/"], deny: [] },
    acceptance: { commands: ["true"], criteria: [] },
    budgets: { retry_budget: 3, paid_call_budget: 9, max_wallclock_sec: 60 },
    context: { digest_policy: "off" },
  };
  const inputs = { "user_request.md": "Read it once.\n", "attachments/notes.md": "notes\n" };
  await call(workspace, "packet_define", { task, manifest, inputs });
  const out = "## Findings\n\n## Test gaps\n\n## Breaking changes\n\n## Minimal fix\n";
  for (const [stage, exit_code] of /** @type {const} */ ([
    ["gemini_review", 0],
    ["codex_review", 1],
    ["codex_review", 1],
  ])) {
    await call(workspace, "packet_stage_start", { task, stage });
    await call(workspace, "packet_stage_finish", { task, stage, exit_code, out, err: "ETIMEDOUT\n" });
  }
}

/** A folder as Coco makes it. @param {string} folder */
export function makeForeign(folder, more = "") {
  fs.mkdirSync(join(folder, "shared"), { recursive: true });
  const id = folder.slice(folder.lastIndexOf("/") + 1);
  const head = `---\nid: ${id}\ntitle: By another program\ndescription: ""\ntopology: swarm\nstate: working\n`;
  const times = 'createdAt: "2026-01-01T00:00:00Z"\nupdatedAt: "2026-01-01T00:00:00Z"\n';
  const rest = "milestones: []\nroster: []\ngates: []\nconfig:\n  maxConcurrentAgents: 3\n";
  fs.writeFileSync(join(folder, "task.yaml"), head + times + rest + more);
  fs.writeFileSync(join(folder, "events.jsonl"), "");
}

/** The entries below a folder, parents first. @param {string} folder @returns {Entry[]} */
function entriesBelow(folder) {
  return walk(folder)
    .filter((path) => path !== folder)
    .map((path) => {
      const stat = fs.lstatSync(path);
      const entry = { path: path.slice(folder.length + 1), mode: stat.mode };
      if (stat.isSymbolicLink()) return { ...entry, link: fs.readlinkSync(path) };
      return stat.isDirectory() ? entry : { ...entry, bytes: fs.readFileSync(path) };
    });
}

/** @param {string} folder @param {readonly Entry[]} entries */
function write(folder, entries) {
  for (const { path, mode, bytes, link } of entries) {
    const at = join(folder, path);
    if (link !== undefined) fs.symlinkSync(link, at);
    else if (bytes) fs.writeFileSync(at, bytes, { mode: mode & 0o777 });
    else fs.mkdirSync(at, { recursive: true });
  }
}

/** Of a folder the kind and the rights alone: its names are looked at one by one. @param {fs.Stats} stat */
function signOf(stat) {
  if (stat.isDirectory()) return `folder ${stat.mode}`;
  return `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.nlink}`;
}

/** @param {string} folder @param {string} path @param {(path: string, stat: fs.Stats) => boolean} keep */
function removeOthers(folder, path, keep) {
  for (const name of fs.readdirSync(join(folder, path))) {
    const below = path === "" ? name : `${path}/${name}`;
    const stat = fs.lstatSync(join(folder, below));
    if (!keep(below, stat)) remove(join(folder, below));
    else if (stat.isDirectory()) removeOthers(folder, below, keep);
  }
}

/** A path and all below it, links as themselves. @param {string} path @returns {string[]} */
export function walk(path) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return [path, ...fs.readdirSync(path).flatMap((name) => walk(join(path, name)))];
}

/** @param {string} folder @param {readonly string[]} but */
function removeAll(folder, but) {
  for (const name of fs.readdirSync(folder)) if (!but.includes(name)) remove(join(folder, name));
}

/** Also where a case took the right to look into a folder away. @param {string} path */
export function remove(path) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    fs.unlinkSync(path);
    return;
  }
  if ((stat.mode & 0o700) !== 0o700) fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path)) remove(join(path, name));
  fs.rmdirSync(path);
}

/** Without leaving word that it was read, where the system lets us. @param {string} path */
function readQuietly(path) {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOATIME ?? 0));
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** @param {string} path */
function notesReads(path) {
  const { mtimeMs } = fs.statSync(path);
  fs.utimesSync(path, LONG_AGO, mtimeMs / 1000);
  fs.readFileSync(path);
  return fs.statSync(path).atimeMs / 1000 > LONG_AGO;
}

/** @param {Buffer} bytes */
function digest(bytes) {
  return `bytes ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`;
}

/** @param {string} facts */
function contentOf(facts) {
  return facts.split(", ").slice(0, 2).join(", ");
}

/** @param {string} before @param {string} after */
function difference(before, after) {
  const then = before.split(", ");
  const changed = after.split(", ").filter((fact, i) => fact !== then[i]);
  const words = changed.map((fact) => fact.split(" ")[0]);
  return words.length === 1 && words[0] === "read" ? "was read" : `changed in ${words.join(", ")}`;
}
