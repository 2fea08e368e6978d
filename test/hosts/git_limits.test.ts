// @module-tag long
// @module-tag rotating
/** What is read of a repository is bounded: a small one can stand for any number of bytes. */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { linesOnlyIn } from "../../src/hosts/git/line_difference.ts";
import { Clone } from "../support/git_clone.mjs";
import { PEAK_KIB } from "../support/peak_memory.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

const MIB = 1024 * 1024;

/** Commits to fast-import: each a list of files, with `null` for one that is gone. */
function imported(repo: Clone, commits: Record<string, Buffer | null>[], from?: string): void {
  const parts: Buffer[] = [];
  commits.forEach((files, n) => {
    parts.push(
      Buffer.from(`commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_800_000_000 + n} +0000\ndata 1\nx\n`),
    );
    if (n === 0 && from !== undefined) parts.push(Buffer.from(`from ${from}\n`));
    for (const [path, bytes] of Object.entries(files)) {
      if (bytes === null) parts.push(Buffer.from(`D ${path}\n`));
      else parts.push(Buffer.from(`M 100644 inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
    }
  });
  execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: repo.root, input: Buffer.concat(parts) });
  repo.git("reset", "-q", "--hard");
}

/** Lines of another program, each another one, of about a thousand bytes that shrink to a few. */
function junk(bytes: number, seed: number): Buffer {
  const pad = "x".repeat(920);
  return Buffer.from(
    Array.from(
      { length: bytes / 1000 },
      (_, n) => `{"type":"a.b","ts":"2026-01-01T00:00:00Z","n":${seed * 1e6 + n},"pad":"${pad}"}\n`,
    ).join(""),
  );
}

const log = (n: number): string => `.coco/tasks/TASK-${100 + n}/events.jsonl`;

/** Runs a program on the built package with a small heap; gives what it said and the most memory that it had, in MiB. */
async function measured(root: string, body: string): Promise<{ said: string[]; memory: number }> {
  const dist = (name: string): string => JSON.stringify(pathToFileURL(join(ROOT, "dist", name)).href);
  if (!existsSync(join(ROOT, "dist/git.js"))) throw new Error("expected a build in dist; run `npm run build`");
  const program = join(tempFolder(), "program.mjs");
  const head = `import { openWorkspace } from ${dist("index.js")};\nimport { openGit } from ${dist("git.js")};\n`;
  const open = `const root = ${JSON.stringify(root)};\nconst git = openGit(root);\nconst ws = openWorkspace({ root });\n`;
  const tell = "process.send({ said, memory: peakKiB() / 1024 });\n";
  writeFileSync(program, `${PEAK_KIB}${head}${open}${body}\nawait ws.close();\n${tell}`);
  const running = fork(program, {
    execArgv: ["--max-old-space-size=128"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void running.kill("SIGKILL"));
  const [said] = (await Promise.race([once(running, "message"), once(running, "exit")])) as [unknown];
  expect(said).toHaveProperty("memory");
  return said as { said: string[]; memory: number };
}

async function begun(): Promise<Clone> {
  const repo = Clone.init(join(tempFolder(), "repo"));
  await newTask(openTemp({ root: repo.root }));
  repo.commit("begin");
  return repo;
}

describe("a small repository with much in it", () => {
  it.each([
    ["many logs that a commit took away", 5],
    ["one log that was written anew over and over", 15],
  ])("[HISTORY-23] 150 MB of logs take less than 200 MB of memory: %s", { timeout: 240_000 }, async (_, megabytes) => {
    const repo = await begun();
    const one = megabytes === 15;
    const files = Array.from(
      { length: 150 / megabytes },
      (__, n) => [log(one ? 0 : n), junk(megabytes * 1e6, n)] as const,
    );
    const gone = Object.fromEntries(files.map(([path]) => [path, null]));
    const commits = one ? files.map(([path, bytes]) => ({ [path]: bytes })) : [Object.fromEntries(files)];
    imported(repo, [...commits, gone], repo.head());
    const sizes = [...repo.git("count-objects", "-v").matchAll(/^size(?:-pack)?: (\d+)/gm)];
    expect(sizes.reduce((sum, [, kib]) => sum + Number(kib), 0)).toBeLessThan(3000);
    const { said, memory } = await measured(
      repo.root,
      `const codes = (findings) => [...new Set(findings.map((f) => f.code))].sort();
      const said = codes(ws.verify(undefined, { git }).findings);
      said.push(...codes((await ws.repair.resolve(undefined, { git, restore: true, dryRun: true })).findings));`,
    );
    expect(said).toContain("GIT_LIMIT");
    expect(said).toContain("LINE_LOST");
    expect(memory).toBeLessThan(200);
  });

  it("[HISTORY-23] a version that is too large, and one of too many lines, are findings; the rest is compared", async () => {
    const repo = await begun();
    const ws = openTemp({ root: repo.root });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "lost" });
    repo.commit("lost");
    repo.git("revert", "--no-edit", "HEAD");
    imported(
      repo,
      [
        { [log(1)]: Buffer.alloc(33 * MIB, "x"), [log(2)]: Buffer.alloc(2 * MIB, "{}\n") },
        { [log(1)]: null, [log(2)]: null },
      ],
      repo.head(),
    );
    const { findings } = openTemp({ root: repo.root }).verify(undefined, { git: openGit(repo.root)! });
    const of = (code: string) => findings.filter((f) => f.code === code).map((f) => f.file);
    expect(of("GIT_LIMIT")).toEqual([log(1), log(2)]);
    expect(of("LINE_LOST")).toEqual([".coco/tasks/TASK-001/events.jsonl"]);
  });

  it("[HISTORY-23] a side that is too large leaves its log as it is and unstaged; the others are put in order", async () => {
    const repo = await begun();
    const ws = openTemp({ root: repo.root });
    await newTask(ws, "TASK-002");
    repo.commit("second");
    repo.git("checkout", "-qb", "side");
    await ok(ws, "tasks_note", { task: "TASK-002", note: "of side" });
    writeFileSync(logPath(repo.root), Buffer.concat([readFileSync(logPath(repo.root)), junk(34 * MIB, 1)]));
    repo.commit("side");
    repo.git("checkout", "-q", "main");
    const b = openTemp({ root: repo.root });
    for (const task of ["TASK-001", "TASK-002"]) await ok(b, "tasks_note", { task, note: "of main" });
    repo.commit("main");
    repo.tries("merge", "-q", "--no-edit", "side");
    repo.git("checkout", "--ours", "--", ".coco/tasks/TASK-002/events.jsonl");
    const report = await openTemp({ root: repo.root }).repair.resolve(undefined, {
      git: openGit(repo.root)!,
      stage: true,
    });
    expect(report.findings.filter((f) => f.code === "GIT_LIMIT").map((f) => f.file)).toEqual([".coco/tasks/TASK-001"]);
    expect(report.staged.filter((path) => path.includes("TASK-001"))).toEqual([]);
    expect(notesOf(repo.root, "TASK-002").toSorted()).toEqual(["of main", "of side"]);
  });

  it("[HISTORY-23] more lost lines than are held come back in several rounds", async () => {
    const repo = await begun();
    const lines = Buffer.concat([0, 1].map((seed) => junk(5e6, seed)));
    const path = ".coco/tasks/TASK-001/events.jsonl";
    const before = readFileSync(join(repo.root, path));
    imported(repo, [{ [path]: Buffer.concat([before, lines]) }, { [path]: before }], repo.head());
    const ws = openTemp({ root: repo.root });
    const git = openGit(repo.root)!;
    const rounds: boolean[] = [];
    for (let again = true; again && rounds.length < 5;) {
      const { findings } = await ws.repair.resolve(undefined, { git, restore: true });
      again = findings.some((f) => f.code === "GIT_LIMIT");
      rounds.push(again);
    }
    expect(rounds).toEqual([true, false]);
    expect(readFileSync(logPath(repo.root)).length).toBe(before.length + lines.length);
  });

  it("[HISTORY-23] what a partial clone has not got is a finding, and is not fetched", async () => {
    const repo = await begun();
    imported(repo, [{ [log(1)]: junk(1000, 1) }, { [log(1)]: null }], repo.head());
    repo.git("config", "uploadpack.allowFilter", "true");
    const root = join(repo.root, "../partial");
    execFileSync("git", ["clone", "-q", "--filter=blob:none", pathToFileURL(repo.root).href, root], { stdio: "pipe" });
    const git = openGit(root)!;
    const { findings } = openTemp({ root }).verify(undefined, { git });
    const [limit] = findings.filter((f) => f.code === "OBJECT_MISSING");
    expect([limit?.file, limit?.message]).toEqual([log(1), expect.stringContaining("is not in this clone")]);
  });
});

describe("the difference of two versions", () => {
  it("[VERIFY-13] is what the one has and the other has not, line by line, the last one first", () => {
    const line = fc.constantFrom("a", "b", "bb", "c", "");
    const version = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean());
    const text = ([lines, ended]: [string[], boolean]): string => lines.join("\n") + (ended ? "\n" : "");
    fc.assert(
      fc.property(version, version, (one, other) => {
        const said = linesOnlyIn(Buffer.from(text(one)), Buffer.from(text(other)))!.map(String);
        const theirs = new Set(text(other).split("\n"));
        const only = text(one)
          .split("\n")
          .filter((l) => l !== "" && !theirs.has(l));
        // A line that stands in both may be told, but none that is in one alone is left out.
        expect(said.filter((l) => !theirs.has(l))).toEqual(only.toReversed());
        expect(said.every((l) => text(one).split("\n").includes(l))).toBe(true);
      }),
    );
  });

  it("[VERIFY-13] of a log that only grew is nothing, however long it is", () => {
    const old = junk(3e6, 1);
    expect(linesOnlyIn(old, Buffer.concat([old, junk(1e5, 2)]))).toEqual([]);
    expect(linesOnlyIn(Buffer.concat([old, junk(1e5, 2)]), old)).toHaveLength(100);
  });
});
