// @module-tag long
// @module-tag rotating
/** What counts as a change since a run: settings and flags of git hide none, and what git does to its own files is none. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { changedSinceRun } from "../../src/rules/staleness.ts";
import { runCaptured } from "../../src/runner/run_captured.ts";
import { Clone } from "../support/git_clone.mjs";
import { fileTempFolder } from "../support/temp.ts";
import { openWorkspace } from "../support/open.ts";

const all = fileTempFolder();
const TASK = { workspace: "acme/repo", task: "TASK-001" };

interface Case {
  /** Shell commands before the commit that the run saw, between that and the run, and after the run. */
  committed?: string;
  before?: string;
  after: string;
  /** What the run does itself. */
  run?: string;
  /** The files that are named; none: the proof holds. */
  named?: string[];
  /** What removes what no call of Node removes. */
  tidy?: string;
}

/** The files of which tasks_evidence_verify says that they changed since the run; a text says why that cannot be told. */
async function changedBy({
  committed = "",
  before = "",
  run = ":",
  after,
  tidy = "",
}: Case): Promise<string[] | string> {
  // Cases run side by side, so none of them may clear the folders of another one.
  const folder = mkdtempSync(join(all, "case-"));
  mkdirSync(join(folder, "ada"));
  const { root } = Clone.init(join(folder, "ada"));
  const shell = (script: string): void => {
    if (script !== "")
      execFileSync("sh", ["-ec", script], { cwd: root, env: { ...Clone.env, HOME: folder }, stdio: "pipe" });
  };
  mkdirSync(join(root, "d"));
  for (const name of ["src.txt", "d/f.txt"]) writeFileSync(join(root, name), "ok\n");
  shell(`${committed}
git add -A; git commit -qm first`);
  shell(before);
  const ws = openWorkspace({ root, workspace: TASK.workspace, by: "agent:ada", git: () => openGit(root) });
  await ws.callTool("tasks_create", { workspace: TASK.workspace, kind: "plan", title: "P" });
  const steps = [{ title: "one", success_criteria: ["it works"], proof: { tests: "captured" } }];
  await ws.callTool("tasks_create", { workspace: TASK.workspace, kind: "task", title: "T", parent: "PLAN-001", steps });
  await runCaptured(ws, { task: "TASK-001", path: "s:0", argv: ["sh", "-ec", run] });
  shell(after);
  const { result } = await ws.callTool("tasks_evidence_verify", TASK);
  shell(tidy);
  const [entry] = (result as unknown as { evidence: { stale?: { paths: string[]; why: string } }[] }).evidence;
  const stale = entry!.stale;
  return stale && stale.paths.length === 0 ? stale.why : (stale?.paths ?? []);
}

function cases(rule: string, named: Record<string, Case>): void {
  it.concurrent.each(Object.entries(named))(`${rule}: %s`, async (_, one) => {
    expect(await changedBy(one)).toEqual(one.named ?? []);
  });
}

const FILTER =
  "git config filter.x.clean 'tr a-z A-Z'; git config filter.x.smudge 'tr A-Z a-z'; echo '*.dat filter=x' > .gitattributes; echo abc > q.dat";
const INNER = "git init -q inner; echo 1 > inner/f; git -C inner add f; git -C inner commit -qm 1";
const OLD = "touch -d @1700000000 src.txt; git update-index --refresh; sleep 1.1";

const LONG = `${"x".repeat(200)}/`.repeat(20);

/** Makes a folder whose path is longer than the system takes, with a file in it. */
const TOO_DEEP = `node -e 'for (let n = 0; n < 22; n++) { fs.mkdirSync("y".repeat(200)); process.chdir("y".repeat(200)) } fs.writeFileSync("new", "bad")'`;

describe("a folder that cannot be looked into", () => {
  const why = expect.stringMatching(/^the folder "d\/y+…" cannot be looked into/);
  it.concurrent.each<[string, Case, unknown]>([
    ["leaves the run unknown", { after: `cd d; ${TOO_DEEP}` }, why],
    ["of the run itself does so, too", { run: `cd d; ${TOO_DEEP}`, after: "" }, why],
    [
      "does so, too, if a rule hides it that came after the run",
      { after: `echo "d/y*" >> .git/info/exclude; cd d; ${TOO_DEEP}` },
      why,
    ],
    [
      "says nothing if a rule of the commit hides it",
      { committed: "echo 'd/y*' > .gitignore", after: `cd d; ${TOO_DEEP}` },
      [],
    ],
    [
      "is named in another repository, too",
      { committed: INNER, after: `cd inner; ${TOO_DEEP}` },
      expect.stringMatching(/^the folder "inner\/y+/),
    ],
  ])("[PROOF-51] %s", async (_, one, told) => {
    expect(await changedBy({ ...one, tidy: "rm -rf d/y* inner/y*" })).toEqual(told);
  });
});

describe("flags of the index hide no change", () => {
  cases("[PROOF-47]", {
    "assume-unchanged, a change": {
      after: "git update-index --assume-unchanged src.txt; echo bad > src.txt",
      named: ["src.txt"],
    },
    "assume-unchanged before the run": {
      before: "git update-index --assume-unchanged src.txt",
      after: "echo bad > src.txt",
      named: ["src.txt"],
    },
    "assume-unchanged, and the file is gone": {
      after: "git update-index --assume-unchanged src.txt; rm src.txt",
      named: ["src.txt"],
    },
    "a path that is longer than the system takes": {
      after: `mkdir -p ${LONG}; echo 1 > ${LONG}${"f".repeat(60)}`,
      named: [`${LONG}${"f".repeat(60)}`],
    },
    "skip-worktree, a change": {
      after: "git update-index --skip-worktree src.txt; echo bad > src.txt",
      named: ["src.txt"],
    },
    "skip-worktree without a sparse checkout, and the file is gone": {
      after: "git update-index --skip-worktree src.txt; rm src.txt",
      named: ["src.txt"],
    },
    "either, and no change": {
      after: "git update-index --assume-unchanged src.txt; git update-index --skip-worktree d/f.txt",
    },
    "a sparse checkout": { after: "git sparse-checkout set --no-cone '/*' '!/d/'" },
    "a change of staged files with a flag": {
      before: "echo staged > src.txt; git add src.txt; git update-index --assume-unchanged src.txt",
      after: "echo bad > src.txt",
      named: ["src.txt"],
    },
  });
});

const OWN_RULES = "mkdir -p new/deep; echo '*' > new/deep/.gitignore";

describe("settings hide no change", () => {
  cases("[PROOF-47]", {
    "core.fileMode": { after: "git config core.fileMode false; chmod +x src.txt", named: ["src.txt"] },
    "core.trustctime, with size and time as before": {
      before: OLD,
      after: "git config core.trustctime false; echo no > src.txt; touch -d @1700000000 src.txt",
      named: ["src.txt"],
    },
    "core.checkStat, with size and time as before": {
      before: OLD,
      after:
        "git config core.checkStat minimal; git config core.trustctime false; echo no > src.txt; touch -d @1700000000 src.txt",
      named: ["src.txt"],
    },
    "core.symlinks": {
      committed: "ln -s src.txt link",
      after: "git config core.symlinks false; rm link; printf src.txt > link",
      named: ["link"],
    },
    "core.ignoreCase": { after: "git config core.ignoreCase true; echo new > SRC.txt", named: ["SRC.txt"] },
    "status.showUntrackedFiles": {
      after: "git config status.showUntrackedFiles no; echo new > new.js",
      named: ["new.js"],
    },
    "a program without a mode in the index, then committed": {
      before: "git config core.fileMode false; echo 1 > ex; chmod +x ex",
      after: "git add ex; git commit -qm second",
    },
  });
  cases("[PROOF-47]", {
    "info/exclude": { after: "echo new.js >> .git/info/exclude; echo new > new.js", named: ["new.js"] },
    "core.excludesFile": {
      after: "echo new.js > ../rules; git config core.excludesFile ../rules; echo new > new.js",
      named: ["new.js"],
    },
    "a file of rules that hides itself": {
      after: "printf '.gitignore\\nnew.js\\n' > d/.gitignore; echo new > d/new.js",
      named: ["d/.gitignore"],
    },
    "rules that were there at the run": {
      before: "echo '*.tmp' >> .git/info/exclude; printf '.gitignore\\n*.log\\n' > d/.gitignore",
      after: "echo new > new.tmp; echo new > d/new.log",
    },
    "rules that hide what the run saw": { before: "echo 1 > n.js", after: "echo n.js >> .git/info/exclude" },
    "rules that hide nothing": { after: "echo '*.tmp' >> .git/info/exclude" },
    "a new folder that hides itself": {
      after: `${OWN_RULES}; echo new > new/deep/x.js`,
      named: ["new/deep/.gitignore"],
    },
    "a folder that hides itself, made by the run": { run: OWN_RULES, after: "echo new > new/deep/x.js" },
    "the same, and gone": { run: OWN_RULES, after: "rm -r new" },
    "one that was there at the run": { before: OWN_RULES, after: "echo new > new/deep/x.js" },
    "one below a folder that a commit hides": { committed: "echo new/ > .gitignore", after: OWN_RULES },
    "a new folder that hides itself, and that another rule hides": {
      after: `echo new/ >> .git/info/exclude; ${OWN_RULES}; echo new > new/deep/x.js`,
      named: ["new/deep/.gitignore"],
    },
    "a folder that hides itself, made by the run, with rules of its own in it": {
      run: "mkdir new; echo '*' > new/.gitignore",
      after: "mkdir new/deep; echo x.js > new/deep/.gitignore",
    },
    "a new repository": {
      after: `echo inner >> .git/info/exclude; ${INNER}; echo 2 > inner/new.js`,
      named: ["inner", "inner/new.js"],
    },
    "a repository that a commit hides": {
      committed: "echo inner > .gitignore",
      after: `echo inner >> .git/info/exclude; ${INNER}`,
    },
    "a file with a name that ends like that of rules": {
      before: "echo '*.gitignore' >> .git/info/exclude; echo 1 > 'x .gitignore'",
      after: "echo 2 > 'x .gitignore'",
    },
    "rules at the end of a link, which git does not follow": {
      before: "echo .gitignore >> .git/info/exclude; echo 1 > ../rules; ln -s ../../rules d/.gitignore",
      after: "echo 2 > ../rules",
    },
  });
});

const HIDE =
  "touch -d @1700000000 src.txt; git update-index -q --refresh; sleep 0.05; echo no > src.txt; touch -d @1700000000 src.txt";

/** Git reads a file again that is as young as its index. So the index gets a later time. */
const YOUNGER = "touch -d @$(($(date +%s) + 9)) .git/index";
const ADDED = `touch src.txt; git add src.txt; echo no > src.txt; ${YOUNGER}`;

describe("the time of a file hides no change", () => {
  cases("[PROOF-47]", {
    "set back within the second of the index": { after: HIDE, named: ["src.txt"] },
    "set back before the run": { before: HIDE, after: "touch src.txt" },
    "changed within the second of an index that looks younger": { after: ADDED, named: ["src.txt"] },
    "the same before the run": { before: ADDED, after: "touch src.txt" },
    "the same before the run, which is taken back": {
      before: ADDED,
      after: "echo ok > src.txt",
      named: ["src.txt"],
    },
    "the same while it ran": { run: ADDED, after: "echo ok > src.txt", named: ["src.txt"] },
    "set back, and no change": { before: OLD, after: "git update-index -q --refresh" },
    "set back, in an index that git has to list": {
      before: "git update-index --split-index",
      after: HIDE,
      named: ["src.txt"],
    },
    "set back, in an index of version 4": { after: `git update-index --index-version 4; ${HIDE}`, named: ["src.txt"] },
  });
});

describe("rules that convert content hide no change", () => {
  const ID = "printf '$Id$\\n' > id.sh";
  const BAD = `printf '$Id: bad $\\n' > id.sh; git add id.sh; ${YOUNGER}`;
  cases("[PROOF-47]", {
    "core.autocrlf": { after: "git config core.autocrlf true; printf 'ok\\r\\n' > src.txt", named: ["src.txt"] },
    "core.autocrlf, in an index of now": {
      after: "git config core.autocrlf true; printf 'ok\\r\\n' > src.txt; git add src.txt",
      named: ["src.txt"],
    },
    "info/attributes": {
      committed: ID,
      after: "echo 'id.sh ident' > .git/info/attributes; printf '$Id: bad $\\n' > id.sh",
      named: ["id.sh"],
    },
    "core.attributesFile": {
      committed: ID,
      after: "echo 'id.sh ident' > ../rules; git config core.attributesFile ../rules; printf '$Id: bad $\\n' > id.sh",
      named: ["id.sh"],
    },
    "a filter in info/attributes": {
      after:
        "git config filter.x.clean 'echo ok'; echo 'src.txt filter=x' > .git/info/attributes; echo bad > src.txt; git add src.txt",
      named: ["src.txt"],
    },
    "a rule that came and went": {
      committed: ID,
      after: `echo 'id.sh ident' > .git/info/attributes; ${BAD}; rm .git/info/attributes`,
      named: ["id.sh"],
    },
    "a rule of the work tree that came and went": {
      committed: ID,
      after: `echo 'id.sh ident' > .gitattributes; ${BAD}; rm .gitattributes`,
      named: ["id.sh"],
    },
    "a rule that came and went while it ran": {
      committed: ID,
      run: `echo 'id.sh ident' > .gitattributes; ${BAD}; rm .gitattributes`,
      after: ID,
      named: ["id.sh"],
    },
    "rules that were there at the run": {
      before: "git config core.autocrlf input; printf 'ok\\r\\n' > src.txt; git add src.txt",
      after: "touch src.txt",
    },
    "rules that convert nothing": { after: "echo '*.txt text' > .git/info/attributes; touch src.txt" },
    "rules that say how files are compared": { after: "echo '*.txt diff=x' > .git/info/attributes" },
  });
});

/** Writes what the file is like into its entry of the index, and keeps the name of the content. */
const FORGE = String.raw`cat > ../forge.mjs <<'END'
import { createHash } from "node:crypto";
import { readFileSync, lstatSync, writeFileSync } from "node:fs";
const index = readFileSync(".git/index");
const at = index.indexOf("src.txt\0") - 62;
const { size, ino, mtimeNs, ctimeNs } = lstatSync("src.txt", { bigint: true });
const words = [ctimeNs / 10n ** 9n, ctimeNs % 10n ** 9n, mtimeNs / 10n ** 9n, mtimeNs % 10n ** 9n];
words.forEach((word, n) => index.writeUInt32BE(Number(word), at + 4 * n));
index.writeUInt32BE(Number(ino & 0xffffffffn), at + 20);
index.writeUInt32BE(Number(size), at + 36);
const body = index.subarray(0, -20);
writeFileSync(".git/index", Buffer.concat([body, createHash("sha1").update(body).digest()]));
END
echo longer > src.txt; node ../forge.mjs; ${YOUNGER}; test -z "$(git status --porcelain src.txt)"`;

describe("no index hides a change", () => {
  cases("[PROOF-47]", {
    "one that a program wrote": { after: FORGE, named: ["src.txt"] },
    "one that a program wrote while it ran": {
      run: FORGE,
      after: "echo ok > src.txt; git add src.txt",
      named: ["src.txt"],
    },
    "one that a program wrote, of a file that is staged": {
      before: "echo staged > src.txt; git add src.txt",
      after: FORGE.replace('test -z "$(git status --porcelain src.txt)"', "git diff --quiet src.txt"),
      named: ["src.txt"],
    },
    "one of a clone, in which each file is new": {
      after: "mv .git ../git; rm -r *; mv ../git .git; git checkout -q .",
    },
  });
});

describe("files with a filter count by their bytes on disk", () => {
  cases("[PROOF-47]", {
    "that git looks at anew": { committed: FILTER, after: "touch q.dat" },
    "that git looked at after the run": { committed: FILTER, before: "touch q.dat", after: "git status" },
    "that are committed after the run": {
      committed: FILTER,
      before: "echo def > q.dat",
      after: "git add -A; git commit -qm second",
    },
    "that are new": {
      committed: `${FILTER}; rm q.dat`,
      before: "echo abc > q.dat",
      after: "git add -A; git commit -qm second",
    },
    "that change": { committed: FILTER, after: "echo def > q.dat; git add q.dat", named: ["q.dat"] },
    "that are gone": { committed: FILTER, after: "rm q.dat", named: ["q.dat"] },
  });
});

it("[PROOF-47] a fresh clone has what git stores of a filtered file, also while its files are as old as its index", () => {
  const folder = mkdtempSync(join(all, "clone-"));
  const root = join(folder, "ada");
  mkdirSync(root);
  const shell = (cwd: string, script: string): string =>
    execFileSync("sh", ["-ec", script], { cwd, env: Clone.env, stdio: "pipe", encoding: "utf8" });
  Clone.init(root);
  shell(root, `${FILTER}; git add -A; git commit -qm first`);
  shell(folder, "git -c filter.x.clean='tr a-z A-Z' -c filter.x.smudge='tr A-Z a-z' clone -q ada bob");
  const bob = join(folder, "bob");
  shell(bob, "git config filter.x.clean 'tr a-z A-Z'; git config filter.x.smudge 'tr A-Z a-z'");
  const git = openGit(bob)!;
  const found = git.listingOf(shell(bob, "git rev-parse HEAD").trim());
  const changed = (): string[] => changedSinceRun(found, new Map(), git.listing(), () => true);
  expect(git.listing().files.get("q.dat")).not.toBe(found.get("q.dat"));
  expect(changed()).toEqual([]);
  writeFileSync(join(bob, "q.dat"), "abd\n");
  expect(changed()).toEqual(["q.dat"]);
});

describe("repositories in the work tree count by their commit and what differs from it", () => {
  cases("[PROOF-47]", {
    "a change in a submodule": { committed: INNER, after: "echo 2 > inner/f", named: ["inner/f"] },
    "a file of a submodule that is gone": { committed: INNER, after: "rm inner/f", named: ["inner/f"] },
    "a commit of a submodule": { committed: INNER, after: "git -C inner commit -qm 2 --allow-empty", named: ["inner"] },
    "a change in a repository that git does not know": { before: INNER, after: "echo 2 > inner/f", named: ["inner/f"] },
    "one that is committed as it was": { before: INNER, after: "git add inner; git commit -qm second" },
    "changes that the run saw": { committed: INNER, before: "echo 2 > inner/f; rm -f inner/g", after: "touch inner/f" },
    "a submodule with a filter, which is not there": {
      committed: `git config filter.x.clean cat; echo 'inner filter=x' > .gitattributes; ${INNER}`,
      after: "rm -rf inner; mkdir inner",
    },
    "a submodule that is not there": { committed: INNER, before: "rm -rf inner; mkdir inner", after: "true" },
  });
  const CRLF = "printf '1\\r\\n' > f";
  const SEEN = 'test -z "$(git status --porcelain)"';
  cases("[PROOF-47]", {
    "its index hides no change": {
      committed: INNER,
      after: `cd inner; ${CRLF}; sleep 1.1; git -c core.autocrlf=input add f; ${YOUNGER}; ${SEEN}`,
      named: ["inner/f"],
    },
    "nor do rules that convert content": {
      committed: INNER,
      after: `cd inner; git config core.autocrlf input; ${CRLF}; git add f; ${SEEN}`,
      named: ["inner/f"],
    },
    "nor do rules that hide files": {
      committed: INNER,
      after: "echo new.js >> inner/.git/info/exclude; echo new > inner/new.js",
      named: ["inner/new.js"],
    },
    "nor do those of a repository in it": {
      committed: `${INNER}; cd inner; ${INNER}; git add inner; git commit -qm 2; cd ..`,
      after: "echo new.js >> inner/inner/.git/info/exclude; echo new > inner/inner/new.js",
      named: ["inner/inner/new.js"],
    },
    "a committed file that the run itself changed": {
      committed: INNER,
      run: "echo 2 > inner/f",
      after: "",
      named: ["inner/f"],
    },
    "and that is as its commit has it again": {
      committed: INNER,
      run: "echo 2 > inner/f",
      after: "echo 1 > inner/f",
      named: ["inner/f"],
    },
    "one that the run removed": { committed: INNER, run: "rm inner/f", after: "", named: ["inner/f"] },
    "one of a repository in it": {
      committed: `${INNER}; cd inner; ${INNER}; git add inner; git commit -qm 2; cd ..`,
      run: "echo 2 > inner/inner/f",
      after: "",
      named: ["inner/inner/f"],
    },
    "one that the run found otherwise, and left as its commit has it": {
      committed: INNER,
      before: "echo 2 > inner/f",
      run: "echo 1 > inner/f",
      after: "",
      named: ["inner/f"],
    },
    "one that the run read, and whose repository the run made a file in": {
      committed: INNER,
      run: "cat inner/f; echo new > inner/new",
      after: "",
    },
    "one of a repository that the run made": { run: INNER, after: "" },
    "rules that were there at the run": {
      committed: `${INNER}; git -C inner config core.autocrlf input; echo '*.tmp' >> inner/.git/info/exclude`,
      before: `echo 1 > inner/x.tmp; cd inner; ${CRLF}; git add f`,
      after: "touch inner/f; echo 2 > inner/x.tmp",
    },
  });

  it("[PROOF-47] one that cannot be looked into leaves the run unknown", async () => {
    const why = await changedBy({
      committed: INNER,
      after: "echo 'gitdir: ../elsewhere' > x; rm -rf inner/.git; mv x inner/.git",
    });
    expect(why).toContain('the folder "inner" cannot be looked into');
  });
});
