// @module-tag long
// @module-tag rotating
/** Nothing that a repository says is executed: each attack first by plain git, which shows that it works, then by Taskfold. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";
import { describe, expect, it, onTestFinished } from "vitest";
import { deriveWorkspaceId } from "../../src/hosts/cli/workspace_id.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { Clone } from "../support/git_clone.mjs";
import { KeptFolder } from "../support/kept_folder.mjs";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

const LOG = ".coco/tasks/TASK-001/events.jsonl";
const MISSING = "1234567890123456789012345678901234567890";

/** A program that leaves a file outside of the repository, whatever it is started as. */
class Canary {
  readonly #folder = tempFolder();
  readonly program = join(this.#folder, "canary.sh");

  constructor() {
    writeFileSync(this.program, `#!/bin/sh\necho "$0 $*" >> ${this.#folder}/sang\nexit 1\n`);
    chmodSync(this.program, 0o755);
  }

  /** Whether it was started since the last look. */
  sang(): boolean {
    const song = join(this.#folder, "sang");
    if (!existsSync(song)) return false;
    rmSync(song);
    return true;
  }
}

interface Hostile {
  repo: Clone;
  canary: Canary;
  /** A folder outside of the repository. */
  outside: string;
  config: (...settings: [name: string, value: string][]) => void;
  write: (path: string, text: string) => void;
}

/** The repository of `hostile` as it was made once. */
let made: KeptFolder | undefined;

/** Makes a repository with a loss and a change that is in no commit, for every question to have something to look at. */
async function makeHostile(): Promise<Clone> {
  const repo = Clone.init(join(tempFolder(), "repo"));
  const ws = openTemp({ root: repo.root });
  await newTask(ws);
  await ok(ws, "tasks_note", { task: "TASK-001", note: "first" });
  repo.commit("first");
  await ok(ws, "tasks_note", { task: "TASK-001", note: "second" });
  repo.commit("second");
  repo.git("revert", "--no-edit", "HEAD");
  await ok(openTemp({ root: repo.root }), "tasks_note", { task: "TASK-001", note: "third" });
  const items = [{ kind: "fix", commit: MISSING }];
  await ok(openTemp({ root: repo.root }), "tasks_evidence_capture", { task: "TASK-001", items });
  return repo;
}

/** A copy of it, for one attack. */
async function hostile(): Promise<Hostile> {
  made ??= new KeptFolder((await makeHostile()).root);
  const outside = tempFolder();
  const repo = new Clone(join(outside, "repo"));
  made.writeTo(repo.root);
  return {
    repo,
    canary: new Canary(),
    outside,
    config: (...settings) => {
      for (const [name, value] of settings) repo.git("config", name, value);
    },
    write: (path, text) => {
      mkdirSync(join(repo.root, path, ".."), { recursive: true });
      writeFileSync(join(repo.root, path), text);
    },
  };
}

/**
 * Every question to git that Taskfold has, with what is written for the answers. Gives the codes of what was found. Verifying with a base asks
 * all that it asks without one, and so does a resolve beside one that writes nothing.
 */
async function everyQuestion(root: string): Promise<string[]> {
  const codes: string[] = [];
  deriveWorkspaceId(root);
  const open = () => openTemp({ root, git: () => openGit(root) });
  const git = openGit(root);
  git?.hasCommit(MISSING);
  git?.find(MISSING, LOG);
  for (const tool of ["tasks_snapshot", "tasks_evidence_verify", "tasks_lint"] as const)
    await ok(open(), tool, { task: "TASK-001" } as never);
  if (!git) return codes;
  codes.push(
    ...open()
      .verify(undefined, { git, gitBase: "HEAD~1" })
      .findings.map((f) => f.code),
  );
  const report = await open().repair.resolve(undefined, { git, restore: true, stage: true });
  codes.push(...report.findings.map((f) => f.code));
  expect([...git.everHeld([LOG], () => undefined)].length).toBeGreaterThan(0);
  return codes;
}

/** What plain git does: whether it succeeds does not matter. */
function plain({ repo }: Hostile, ...args: string[]): void {
  spawnSync("git", args, { cwd: repo.root, stdio: "ignore", timeout: 120_000 });
}

interface Attack {
  name: string;
  /** Sets the trap. */
  plant: (hostile: Hostile) => void;
  /** Springs it by plain git. */
  spring: (hostile: Hostile) => void;
}

/** A file of a filter or a driver is looked at when its time differs from that in the index. */
function touched(hostile: Hostile): void {
  const path = join(hostile.repo.root, LOG);
  writeFileSync(path, `${readFileSync(path, "utf8")}\n`);
}

const promisor = (url: string, ...more: [string, string][]) => {
  return ({ config }: Hostile): void =>
    config(
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.partialCloneFilter", "blob:none"],
      ["remote.origin.url", url],
      ...more,
    );
};
const fetched = (hostile: Hostile): void => plain(hostile, "cat-file", "-e", `${MISSING}^{commit}`);

const ATTACKS: Attack[] = [
  {
    name: "core.fsmonitor",
    plant: ({ config, canary }) => config(["core.fsmonitor", canary.program]),
    spring: (h) => plain(h, "status"),
  },
  {
    name: "core.fsmonitor behind include.path",
    plant: ({ config, canary, write }) => {
      write("included", `[core]\n\tfsmonitor = ${canary.program}\n`);
      config(["include.path", "../included"]);
    },
    spring: (h) => plain(h, "status"),
  },
  {
    name: "core.fsmonitor behind includeIf",
    plant: ({ config, canary, write }) => {
      write("included", `[core]\n\tfsmonitor = ${canary.program}\n`);
      config(["includeIf.gitdir:**.path", "../included"]);
    },
    spring: (h) => plain(h, "status"),
  },
  ...(["clean", "process"] as const).map((kind): Attack => ({
    name: `filter.*.${kind}`,
    plant: (h) => {
      h.config([`filter.evil.${kind}`, h.canary.program], ["filter.evil.required", "false"]);
      h.write(".git/info/attributes", "* filter=evil\n");
    },
    spring: (h) => {
      touched(h);
      plain(h, "diff", "HEAD");
    },
  })),
  {
    name: "filter.*.smudge",
    plant: (h) => {
      h.config(["filter.evil.smudge", h.canary.program]);
      h.write(".git/info/attributes", "* filter=evil\n");
    },
    spring: (h) => plain(h, "checkout", "HEAD~1", "--", LOG),
  },
  {
    name: "the hook post-index-change",
    plant: (h) => symlinkSync(h.canary.program, join(h.repo.root, ".git/hooks/post-index-change")),
    spring: (h) => plain(h, "add", LOG),
  },
  {
    name: "core.hooksPath",
    plant: (h) => {
      mkdirSync(join(h.repo.root, "hooks"));
      symlinkSync(h.canary.program, join(h.repo.root, "hooks/post-index-change"));
      h.config(["core.hooksPath", "hooks"]);
    },
    spring: (h) => plain(h, "add", LOG),
  },
  {
    name: "a hook by configuration, hook.*.command",
    plant: (h) => h.config(["hook.evil.event", "post-index-change"], ["hook.evil.command", h.canary.program]),
    spring: (h) => plain(h, "add", LOG),
  },
  {
    name: "core.sshCommand with a promisor remote",
    plant: (h) => promisor("ssh://nowhere.invalid/x", ["core.sshCommand", h.canary.program])(h),
    spring: fetched,
  },
  {
    name: "protocol.ext.allow with a promisor remote",
    plant: (h) => promisor(`ext::${h.canary.program}`, ["protocol.ext.allow", "always"])(h),
    spring: fetched,
  },
  {
    name: "core.gitProxy with a promisor remote",
    plant: (h) => promisor("git://nowhere.invalid/x", ["core.gitProxy", h.canary.program])(h),
    spring: fetched,
  },
  {
    name: "remote.*.uploadpack with a promisor remote",
    plant: (h) => promisor(h.repo.root, ["remote.origin.uploadpack", h.canary.program])(h),
    spring: fetched,
  },
  {
    name: "diff.*.textconv",
    plant: (h) => {
      h.config(["diff.evil.textconv", h.canary.program]);
      h.write(".git/info/attributes", "* diff=evil\n");
    },
    spring: (h) => plain(h, "log", "-p"),
  },
  {
    name: "diff.external",
    plant: (h) => h.config(["diff.external", h.canary.program]),
    spring: (h) => plain(h, "diff", "HEAD"),
  },
  {
    name: "diff.*.command",
    plant: (h) => {
      h.config(["diff.evil.command", h.canary.program]);
      h.write(".git/info/attributes", "* diff=evil\n");
    },
    spring: (h) => plain(h, "diff", "HEAD"),
  },
  {
    name: "gpg.program with log.showSignature",
    plant: (h) => {
      h.config(["gpg.program", h.canary.program], ["log.showSignature", "true"]);
      const commit = h.repo.git("cat-file", "commit", "HEAD");
      const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
      h.write("commit", commit.replace("\n\n", `\n${signature}\n`));
      const signed = h.repo.git("hash-object", "-t", "commit", "-w", "commit").trim();
      h.repo.git("update-ref", "refs/heads/main", signed);
    },
    spring: (h) => plain(h, "log", "-1"),
  },
  {
    name: "core.pager",
    plant: (h) => h.config(["core.pager", h.canary.program], ["pager.rev-list", "true"], ["pager.log", "true"]),
    spring: (h) =>
      void spawnSync("sh", ["-c", `script -qec "git log" /dev/null`], {
        cwd: h.repo.root,
        stdio: "ignore",
        timeout: 120_000,
      }),
  },
  {
    name: "core.editor",
    plant: (h) => h.config(["core.editor", h.canary.program]),
    spring: (h) => plain(h, "commit", "--allow-empty"),
  },
  {
    name: "alias.*",
    plant: (h) =>
      h.config(
        ...["evil", "rev-parse", "rev-list", "diff-tree", "cat-file", "ls-files", "config", "update-index"].map(
          (name): [string, string] => [`alias.${name}`, `!${h.canary.program}`],
        ),
      ),
    spring: (h) => plain(h, "evil"),
  },
  {
    name: "core.alternateRefsCommand",
    plant: (h) => {
      h.config(["core.alternateRefsCommand", h.canary.program]);
      const other = Clone.of(join(h.outside, "other"), h.repo);
      h.write(".git/objects/info/alternates", `${other.root}/.git/objects\n`);
    },
    spring: (h) => plain(h, "rev-list", "--alternate-refs"),
  },
];

/** Hooks by configuration came with git 2.54; a pager needs a terminal, which the program `script` gives it. */
const NOT_EVERYWHERE = ["a hook by configuration, hook.*.command", "core.pager"];

/** Runs a thing with other variables in the environment. */
async function withEnvironment<T>(variables: Record<string, string>, work: () => T | Promise<T>): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Says by name what the installed git or system cannot show. */
function needs(context: TestContext, there: boolean, feature: string): void {
  if (!there) context.skip(`${execFileSync("git", ["--version"], { encoding: "utf8" }).trim()} here: no ${feature}`);
}

describe("a repository that names programs", () => {
  it.for(ATTACKS)("[HISTORY-20] $name executes nothing", async ({ name, plant, spring }, context) => {
    const h = await hostile();
    plant(h);
    const before = h.canary.sang();
    await withEnvironment(IDENTITY, () => spring(h));
    const works = h.canary.sang() || before;
    await everyQuestion(h.repo.root);
    expect(h.canary.sang(), "Taskfold executes it").toBe(false);
    needs(context, works || !NOT_EVERYWHERE.includes(name), name);
    expect(works, "plain git executes it").toBe(true);
  });

  it("[HISTORY-20] credential.helper and core.askPass execute nothing", async () => {
    const h = await hostile();
    const server = `const s = require("http").createServer((q, r) => r.writeHead(401, {"WWW-Authenticate": "Basic realm=x"}).end());
      s.listen(0, "127.0.0.1", () => console.log(s.address().port));`;
    const child = spawn(process.execPath, ["-e", server], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill());
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${port.toString().trim()}/x`;
    promisor(url, ["credential.helper", h.canary.program], ["core.askPass", h.canary.program])(h);
    fetched(h);
    expect(h.canary.sang(), "plain git executes it").toBe(true);
    await everyQuestion(h.repo.root);
    expect(h.canary.sang()).toBe(false);
  });

  it("[HISTORY-20] variables of the caller lead to no program and to no other repository", async () => {
    const h = await hostile();
    const other = Clone.init(join(h.outside, "other"));
    const { program } = h.canary;
    const variables = {
      GIT_EXTERNAL_DIFF: program,
      GIT_SSH_COMMAND: program,
      GIT_ASKPASS: program,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: program,
    };
    await withEnvironment(variables, async () => {
      plain(h, "status");
      expect(h.canary.sang(), "plain git executes it").toBe(true);
      await everyQuestion(h.repo.root);
      expect(h.canary.sang()).toBe(false);
    });
    const before = tree(other.root);
    const elsewhere = {
      GIT_DIR: join(other.root, ".git"),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: join(h.outside, "x"),
    };
    await withEnvironment(elsewhere, async () => {
      expect(openGit(h.repo.root)!.base()).toMatchObject({ base: "main", commit: h.repo.head() });
      await everyQuestion(h.repo.root);
    });
    expect(tree(other.root)).toEqual(before);
    expect(existsSync(join(h.outside, "x"))).toBe(false);
  });

  it("[HISTORY-20] a program called git in the repository is not taken for git, whatever PATH says", async () => {
    const h = await hostile();
    mkdirSync(join(h.repo.root, "node_modules/.bin"), { recursive: true });
    for (const path of ["git", "node_modules/.bin/git"]) symlinkSync(h.canary.program, join(h.repo.root, path));
    const path = [".", "", join(h.repo.root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
    await withEnvironment({ PATH: path }, async () => {
      plain(h, "status");
      expect(h.canary.sang(), "the system takes it").toBe(true);
      await everyQuestion(h.repo.root);
      expect(h.canary.sang()).toBe(false);
    });
  });

  it("[HISTORY-20] the user's own settings count: safe.directory opens a repository of another user", async (context) => {
    needs(context, process.getuid?.() === 0, "way to give a folder to another user");
    const h = await hostile();
    for (const path of [h.repo.root, join(h.repo.root, ".git")]) chownSync(path, 12_345, 12_345);
    const settings = join(h.outside, "gitconfig");
    writeFileSync(settings, "");
    await withEnvironment({ GIT_CONFIG_GLOBAL: settings }, () => {
      expect(openGit(h.repo.root)).toBeUndefined();
      writeFileSync(settings, `[safe]\n\tdirectory = ${h.repo.root}\n`);
      expect(openGit(h.repo.root)?.base()).toMatchObject({ base: "main" });
    });
  });
});

describe("a repository that is not where it seems", () => {
  it("[HISTORY-21] a bare repository among the committed files is none, also where Taskfold works in it", async () => {
    const h = await hostile();
    const sub = join(h.repo.root, "sub");
    h.repo.git("init", "-q", "--bare", "sub");
    rmSync(join(sub, "hooks"), { recursive: true });
    writeFileSync(join(sub, "refs/kept"), "");
    writeFileSync(join(sub, "objects/kept"), "");
    const settings = [
      "repositoryFormatVersion = 0",
      "bare = false",
      "worktree = ..",
      `fsmonitor = ${h.canary.program}`,
    ];
    writeFileSync(join(sub, "config"), ["[core]", ...settings, ""].join("\n"));
    copyFileSync(join(h.repo.root, ".git/index"), join(sub, "index"));
    h.repo.git("add", "-f", "sub");
    h.repo.git("commit", "-qm", "a bare repository");
    const clone = Clone.of(join(h.outside, "clone"), h.repo);
    const root = join(clone.root, "sub");
    spawnSync("git", ["status"], { cwd: root, stdio: "ignore" });
    expect(h.canary.sang(), "plain git executes it").toBe(true);
    const ws = openTemp({ root, git: () => openGit(root) });
    await newTask(ws);
    await everyQuestion(root);
    expect(h.canary.sang()).toBe(false);
    expect(openGit(root)).toBeUndefined();
  });

  it.each(["file", "link", "commondir", "worktree", "link to the file of a worktree"])(
    "[HISTORY-21] a .git that leads to another repository by a %s is not followed: nothing runs, nothing is read or written there",
    async (how) => {
      const h = await hostile();
      const victim = await hostile();
      const root = join(h.outside, "archive");
      execFileSync("cp", ["-r", h.repo.root, root]);
      const git = join(root, ".git");
      victim.config(["core.fsmonitor", h.canary.program]);
      rmSync(git, { recursive: true });
      const there = join(victim.repo.root, ".git");
      if (how === "file") writeFileSync(git, `gitdir: ${there}\n`);
      if (how === "link") symlinkSync(there, git);
      if (how === "commondir") {
        mkdirSync(git);
        writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
        writeFileSync(join(git, "commondir"), there);
      }
      if (how.endsWith("worktree")) {
        victim.repo.git("worktree", "add", "-q", join(victim.outside, "linked"), "-b", "linked");
        if (how === "worktree") writeFileSync(git, `gitdir: ${there}/worktrees/linked\n`);
        else symlinkSync(join(victim.outside, "linked/.git"), git);
      }
      spawnSync("git", ["status"], { cwd: root, stdio: "ignore" });
      expect(h.canary.sang(), "plain git executes it").toBe(true);
      const before = tree(there);
      await everyQuestion(root);
      expect(h.canary.sang()).toBe(false);
      expect(tree(there)).toEqual(before);
      expect(openGit(root)).toBeUndefined();
    },
  );

  it("[HISTORY-21] a linked work tree, a submodule and a folder below the top work as ever", async () => {
    const h = await hostile();
    h.repo.commit("all");
    const linked = join(h.outside, "linked");
    h.repo.git("worktree", "add", "-q", linked, "-b", "linked");
    const around = Clone.init(join(h.outside, "around"));
    around.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", h.repo.root, "packages/sub");
    const below = join(around.root, "below");
    mkdirSync(below);
    await newTask(openTemp({ root: below }));
    around.commit("all");
    for (const root of [linked, join(around.root, "packages/sub"), below]) {
      const git = openGit(root)!;
      await ok(openTemp({ root }), "tasks_note", { task: "TASK-001", note: "here" });
      git.add(git.changed(".coco/tasks/TASK-001"));
      const staged = new Clone(root).git("diff", "--cached", "--name-only", "--relative").split("\n");
      expect(staged).toContain(LOG);
      expect(new Clone(root).git("status", "--porcelain", "--", ".coco").split("\n").filter(Boolean)).toEqual(
        staged.filter(Boolean).map((path) => expect.stringMatching(`^M  .*${path}$`) as unknown),
      );
    }
  });

  it.each(["index", "objects", "objects/ab"])(
    "[HISTORY-21] a link at .git/%s does not lead what is staged out of the repository",
    async (name) => {
      const h = await hostile();
      const out = join(h.outside, "out");
      const path = join(h.repo.root, ".git", name);
      if (existsSync(path)) execFileSync("mv", [path, out]);
      else mkdirSync(out);
      symlinkSync(out, path);
      const before = existsSync(join(out, "info")) || name !== "index" ? tree(out) : readFileSync(out, "latin1");
      const git = openGit(h.repo.root)!;
      expect(() => git.add([LOG])).toThrow(expect.objectContaining({ code: "PATH_UNSAFE" }));
      expect(name === "index" ? readFileSync(out, "latin1") : tree(out)).toEqual(before);
    },
  );

  it.each(["MERGE_HEAD", "refs/heads/other", "logs/HEAD", "worktrees/x/HEAD"])(
    "[HISTORY-23] a pipe or a device at .git/%s is not waited for",
    async (name) => {
      const h = await hostile();
      for (const plant of [
        (path: string) => execFileSync("sh", ["-c", `mkfifo "$0"`, path]),
        (path: string) => symlinkSync("/dev/zero", path),
      ]) {
        const path = join(h.repo.root, ".git", name);
        mkdirSync(join(path, ".."), { recursive: true });
        rmSync(path, { force: true });
        plant(path);
        expect(openGit(h.repo.root)).toBeUndefined();
      }
    },
  );
});

describe("staging without filters", () => {
  it("[RESOLVE-8] gives the index that git add gives, in every form of an index", async () => {
    for (const form of ["plain", "split", "sha256", "sparse"]) {
      const root = join(tempFolder(), form);
      const repo =
        form === "sha256"
          ? (execFileSync("git", ["init", "-q", "-b", "main", "--object-format=sha256", root]), new Clone(root))
          : Clone.init(root);
      const ws = openTemp({ root });
      await newTask(ws, "TASK-001");
      await newTask(ws, "TASK-002");
      writeFileSync(join(root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
      writeFileSync(join(root, ".coco/tasks/TASK-001/shared/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
      repo.commit("all");
      if (form === "split") repo.git("update-index", "--split-index");
      if (form === "sparse") repo.git("sparse-checkout", "set", "--cone", ".coco/tasks/TASK-001");
      await ok(ws, "tasks_note", { task: "TASK-001", note: "ä" });
      writeFileSync(join(root, ".coco/tasks/TASK-001/shared/run.sh"), "#!/bin/sh\ntrue\n");
      writeFileSync(join(root, ".coco/tasks/TASK-001/shared/new ü.txt"), "new\n");
      rmSync(join(root, ".coco/tasks/TASK-001/shared/human-notes.md"));
      const git = openGit(root)!;
      const changed = git.changed(".coco/tasks/TASK-001");
      expect(git.add(changed)).toEqual([]);
      const ours = repo.git("ls-files", "-s");
      expect(repo.git("diff", "--name-only"), form).toBe("");
      repo.git("read-tree", "HEAD");
      repo.git("add", ".coco/tasks/TASK-001");
      expect(ours, form).toBe(repo.git("ls-files", "-s"));
      repo.git("fsck", "--strict");
    }
  });

  it("[RESOLVE-8] leaves files to git add that it would convert, says which, and stages the rest", async () => {
    const h = await hostile();
    h.write(".coco/tasks/TASK-001/shared/.gitattributes", "*.bin filter=lfs\n");
    h.write(".coco/tasks/TASK-001/shared/big.bin", "large\n");
    h.write(".coco/tasks/TASK-001/shared/dos.txt", "one\r\n");
    h.write(".git/info/attributes", "README.md filter=lfs\n");
    const ws = openTemp({ root: h.repo.root });
    const { findings, staged } = await ws.repair.resolve("TASK-001", { git: openGit(h.repo.root)!, stage: true });
    expect(findings.filter((f) => f.code === "FILE_NOT_STAGED").map((f) => [f.file, f.info === true])).toEqual([
      [".coco/tasks/TASK-001/README.md", false],
      [".coco/tasks/TASK-001/shared/big.bin", true],
      [".coco/tasks/TASK-001/shared/dos.txt", true],
    ]);
    expect(staged).toContain(LOG);
    expect(h.repo.git("diff", "--cached", "--name-only")).not.toMatch(/README|big|dos/);
  });

  it("[RESOLVE-8] a file that was checked out with CR LF is not changed by that", async () => {
    const h = await hostile();
    const notes = ".coco/tasks/TASK-001/shared/human-notes.md";
    h.write(notes, "a\nb\n");
    h.repo.commit("notes");
    h.write(notes, "a\r\nb\r\n");
    expect(openGit(h.repo.root)!.changed(".coco/tasks/TASK-001")).toEqual([]);
  });

  it("[RESOLVE-8] a link is not followed, and another repository in the folder is left alone", async () => {
    const h = await hostile();
    h.repo.commit("all");
    writeFileSync(join(h.outside, "secret"), "secret\n");
    symlinkSync(join(h.outside, "secret"), join(h.repo.root, ".coco/tasks/TASK-001/shared/linked"));
    const nested = Clone.init(join(h.repo.root, ".coco/tasks/TASK-001/shared/nested"));
    writeFileSync(join(nested.root, "x"), "x");
    nested.commit("x");
    const git = openGit(h.repo.root)!;
    expect(git.add(git.changed(".coco/tasks/TASK-001"))).toEqual([".coco/tasks/TASK-001/shared/linked"]);
    expect(h.repo.git("diff", "--cached", "--name-only")).toBe("");
  });

  it("[RESOLVE-8] leaves nothing behind in the folder for temporary files", async () => {
    const h = await hostile();
    const temp = tempFolder();
    await withEnvironment({ TMPDIR: temp }, () => everyQuestion(h.repo.root));
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe("notes stay where they are", () => {
  it("[HISTORY-20] what was asked is answered: the loss is found and brought back", async () => {
    const h = await hostile();
    h.config(["core.fsmonitor", h.canary.program]);
    expect(await everyQuestion(h.repo.root)).toContain("LINE_LOST");
    expect(notesOf(h.repo.root).toSorted()).toEqual(["first", "second", "third"]);
    expect(h.repo.git("-c", "core.fsmonitor=", "diff", "--cached", "--name-only")).toContain(LOG);
    expect(existsSync(logPath(h.repo.root))).toBe(true);
  });
});
