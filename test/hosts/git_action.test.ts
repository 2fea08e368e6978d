// @module-tag long
// @module-tag rotating
/** The GitHub Action as a runner starts it: its script, the event file, a clone, and a server that answers as the API does. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { Clone } from "../support/git_clone.mjs";
import { branched, change, commitChange, driven, expectRight, inWorkspace } from "../support/git_work.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { notesOf, ok } from "../support/workspace.ts";
import { PROGRAM } from "./cli_support.ts";

interface Comment {
  id: number;
  user: { login: string };
  body: string;
}

interface Api {
  url: string;
  comments: Comment[];
  /** Method, path and token of each request. */
  asked: string[];
}

/** Comments of pull request 7. `status` answers each change instead. */
async function api(comments: Comment[] = [], status?: number): Promise<Api> {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const { method = "", url = "" } = request;
    asked.push(`${method} ${url} ${request.headers.authorization ?? ""}`);
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      const answer = (code: number, document: unknown): void => {
        reply.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(document));
      };
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
      if (method === "GET") return answer(200, comments.slice((page - 1) * 100, page * 100));
      if (status !== undefined) return answer(status, { message: "Resource not accessible by integration" });
      const text = (JSON.parse(body) as { body: string }).body;
      const known = comments.find((one) => url.endsWith(`/repos/acme/repo/issues/comments/${one.id}`));
      if (method === "PATCH" && known) known.body = text;
      else if (url === "/repos/acme/repo/issues/7/comments")
        comments.push({ id: 1000 + comments.length, user: { login: "github-actions[bot]" }, body: text });
      else return answer(404, {});
      answer(method === "POST" ? 201 : 200, {});
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => new Promise<void>((closed) => void server.close(() => closed())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, asked };
}

interface Runner {
  clone: Clone;
  env: Record<string, string>;
  event: Record<string, unknown>;
}

/** What `actions/checkout` leaves of a pull request of `side` to `main`, as a merge that GitHub made would be. */
function runner(origin: Clone, { url }: Api): Runner {
  const folder = tempFolder();
  const clone = Clone.of(join(folder, "work"), origin);
  clone.git("checkout", "-q", "--detach", "origin/side");
  const [base, head] = ["origin/main", "origin/side"].map((ref) => clone.git("rev-parse", ref).trim());
  const side = (sha: string | undefined, ref: string): object => ({ sha, ref, repo: { full_name: "acme/repo" } });
  const event = { pull_request: { number: 7, base: side(base, "main"), head: side(head, "side") } };
  const env = {
    ...(Clone.env as Record<string, string>),
    GITHUB_EVENT_PATH: join(folder, "event.json"),
    GITHUB_WORKSPACE: clone.root,
    GITHUB_REPOSITORY: "acme/repo",
    GITHUB_API_URL: url,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    GITHUB_OUTPUT: join(folder, "output"),
    TASKFOLD_PROGRAM: PROGRAM,
    TASKFOLD_TOKEN: "the-token",
  };
  return { clone, env, event };
}

function act({ env, event }: Runner, more: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  writeFileSync(env["GITHUB_EVENT_PATH"]!, JSON.stringify(event));
  return new Promise((done) => {
    execFile(process.execPath, [join(ROOT, "action/run.mjs")], { env: { ...env, ...more } }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    );
  });
}

/** A repository whose branch `side` has a task with this test, and a file of its own. */
async function declaring(test: string): Promise<{ clone: Clone }> {
  const { clone } = await driven(null);
  clone.git("checkout", "-q", "-b", "side");
  await inWorkspace(clone.root, (ws) =>
    ok(ws, "tasks_create", {
      kind: "task",
      title: "Tested",
      steps: [{ title: "one", success_criteria: ["it works"], tests: [test] }],
    }),
  );
  writeFileSync(join(clone.root, "side.txt"), "x\n");
  clone.commit("a tested task");
  clone.git("checkout", "-q", "main");
  return { clone };
}

describe("the GitHub Action", () => {
  it("[GIT-40] [GIT-41] verifies against the base, writes one comment, and keeps that one up to date", async () => {
    const repo = await driven(null);
    const { clone: origin } = repo;
    await branched(repo, ["on the side"], ["on main"]);
    const server = await api([{ id: 1, user: { login: "mallory" }, body: "<!-- taskfold --> mine" }]);
    const first = runner(origin, server);
    const { code, said } = await act(first);
    expect([code, said]).toEqual([0, "1 plans and tasks changed, 0 findings of verify.\n"]);
    const [foreign, comment] = server.comments;
    expect(foreign!.body).toBe("<!-- taskfold --> mine");
    expect(comment!.body).toMatch(
      /^<!-- taskfold -->\n### Taskfold\n\n\*\*1 task\*\*\n\n0 findings of `verify`\.\n\n#### \[`TASK-001`\]/,
    );
    // Not the merge that GitHub made for a try: that is gone with the pull request.
    const head = origin.git("rev-parse", "side").trim();
    expect(comment!.body).toContain(`(https://github.com/acme/repo/blob/${head}/.coco/tasks/TASK-001/README.md)`);
    expect(comment!.body).toContain("- Note by `human:local` on s:0 `First`: `on the side`");
    // What main did meanwhile is no change of the pull request.
    expect(comment!.body).not.toContain("on main");
    expect(readFileSync(first.env["GITHUB_STEP_SUMMARY"]!, "utf8")).toBe(`${comment!.body}\n`);
    expect(readFileSync(first.env["GITHUB_OUTPUT"]!, "utf8")).toBe("findings=0\ntasks=1\nproved=\npushed=false\n");
    expect(server.asked[0]).toBe("GET /repos/acme/repo/issues/7/comments?per_page=100&page=1 Bearer the-token");

    origin.git("checkout", "-q", "side");
    await commitChange(origin, "once more");
    await act(runner(origin, server));
    expect(server.comments).toHaveLength(2);
    expect(server.comments[1]!.body).toContain("once more");
  });

  it("[GIT-40] findings fail the job, and are named; so does a base that is not in the clone", async () => {
    const repo = await driven(null);
    const { clone: origin } = repo;
    await branched(repo, ["one", "two"], []);
    origin.git("checkout", "-q", "side");
    origin.git("revert", "--no-edit", "HEAD");
    const server = await api();
    const { clone, env, event } = runner(origin, server);
    expect((await act({ clone, env, event })).code).toBe(1);
    expect(server.comments[0]!.body).toMatch(
      /#### Findings\n\n- `LINE_LOST` `\.coco\/tasks\/TASK-001\/events\.jsonl`: `Expected the event /,
    );
    expect((await act({ clone, env, event }, { TASKFOLD_FAIL: "false" })).code).toBe(0);

    const pull = event["pull_request"] as { base: { sha: string } };
    pull.base.sha = "1".repeat(40);
    expect((await act({ clone, env, event })).code).toBe(1);
    expect(server.comments[0]!.body).toContain("`verify` was refused:");
  });

  it("[GIT-41] a token that may not write, and an event that is no pull request, are no failure", async () => {
    const repo = await driven(null);
    await branched(repo, ["side"], []);
    const server = await api([], 403);
    const one = runner(repo.clone, server);
    expect(await act(one)).toEqual({
      code: 0,
      said: expect.stringMatching(/^::warning::No comment was written: POST .* was answered with 403\.\n/),
    });
    const pull = one.event["pull_request"] as { base: { sha: string } };
    const asked = server.asked.length;
    expect(await act({ ...one, event: { before: pull.base.sha } })).toEqual({
      code: 0,
      said: "1 plans and tasks changed, 0 findings of verify.\n",
    });
    expect(await act({ ...one, event: { before: "0".repeat(40) } })).toEqual({
      code: 0,
      said: "0 plans and tasks changed, 0 findings of verify.\n",
    });
    expect(server.asked).toHaveLength(asked);
  });

  it("[GIT-41] titles and notes cannot leave their place in the comment, nor command the runner", async () => {
    const { clone: origin } = await driven(null);
    origin.git("checkout", "-q", "-b", "side");
    await inWorkspace(origin.root, async (ws) => {
      await ok(ws, "tasks_edit", {
        task: "TASK-001",
        title: "</details> `x` <img src=x onerror=alert(1)> @acme/everyone",
      });
      await ok(ws, "tasks_note", {
        task: "TASK-001",
        note: "a\n::error::b\n##[set-output name=c]d\n<!-- taskfold -->\n# e",
      });
    });
    origin.commit("side");
    const server = await api();
    const { said } = await act(runner(origin, server));
    expect(said).not.toMatch(/::error|##\[/);
    const { body } = server.comments[0]!;
    // Outside of code spans stand words of ours alone.
    const rest = body.replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "");
    expect(rest).not.toMatch(/<img|details|@|::|#\[/);
    expect(body.split("\n").filter((line) => /^(?:#|<|:)/.test(line))).toEqual([
      "<!-- taskfold -->",
      "### Taskfold",
      expect.stringMatching(/^#### \[`TASK-001`\]/),
    ]);
  });

  it("[GIT-41] a comment has at most what GitHub takes, and is cut between tasks", async () => {
    const { report, code } = await import("../../action/report.mjs");
    const markdown = Array.from(
      { length: 900 },
      (_, n) => `#### ${code(`TASK-${n}`)} ${code("`".repeat(90))}\n\n- x\n`,
    ).join("\n");
    const text = report({ verified: { findings: [] }, markdown, pushed: false });
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/- x\n\n\d+ more sections are left out; `taskfold diff` has all of them\.$/);
    // A task that is too long hides no other.
    const long = `#### ${code("TASK-1")}\n\n${"- x\n".repeat(20_000)}\n\n#### ${code("TASK-2")}\n\n- y\n`;
    expect(report({ verified: { findings: [] }, markdown: long, pushed: false })).toMatch(
      /TASK-2[^]*- y\n\n1 more section is left out/,
    );
  });

  it("[GIT-40] when asked, it merges the base where both changed one task, resolves and pushes; never for a fork", async () => {
    const repo = await driven(null);
    const { clone: origin } = repo;
    await branched(repo, ["side"], ["main"]);
    const server = await api();
    const fork = runner(origin, server);
    const pull = fork.event["pull_request"] as { head: { repo: { full_name: string } } };
    const side = origin.git("rev-parse", "side");
    pull.head.repo.full_name = "mallory/repo";
    expect((await act(fork, { TASKFOLD_RESOLVE: "true" })).said).toContain(
      "::warning::Nothing was resolved: the branch belongs to a fork.",
    );
    expect(origin.git("rev-parse", "side")).toBe(side);

    const own = runner(origin, server);
    expect((await act(own, { TASKFOLD_RESOLVE: "true" })).code).toBe(0);
    expect(readFileSync(own.env["GITHUB_OUTPUT"]!, "utf8")).toContain("pushed=true");
    expect(server.comments[0]!.body).toContain("that was pushed to this branch");
    origin.git("checkout", "-q", "side");
    expect(origin.git("rev-parse", "side^1", "side^2").split("\n").slice(0, 2)).toEqual([
      side.trim(),
      origin.git("rev-parse", "main").trim(),
    ]);
    await expectRight(origin);
    expect(notesOf(origin.root).toSorted()).toEqual(["main", "side"]);
    expect(own.clone.tries("config", "--get", "merge.taskfold.driver")).toBe(false);

    // Once more: there is nothing left to do.
    origin.git("checkout", "-q", "main");
    await act(runner(origin, server), { TASKFOLD_RESOLVE: "true" });
    expect(origin.git("rev-parse", "side^1")).toBe(side);
  });

  it("[GIT-40] a conflict in other files is left to people, and nothing is pushed", async () => {
    const repo = await driven(null);
    const { clone: origin } = repo;
    for (const branch of ["side", "main"]) {
      origin.git("checkout", "-q", ...(branch === "side" ? ["-b", "side"] : ["main"]));
      writeFileSync(join(origin.root, "other.txt"), `${branch}\n`);
      await change(origin.root, branch);
      origin.commit(branch);
    }
    const side = origin.git("rev-parse", "side");
    const server = await api();
    const { said } = await act(runner(origin, server), { TASKFOLD_RESOLVE: "true" });
    expect(said).toContain("::warning::Nothing was resolved: the merge with the base branch stops at files of people.");
    expect(origin.git("rev-parse", "side")).toBe(side);
  });

  it("[GIT-40] with `prove` the declared tests of changed tasks run at the commit of the branch; a failure fails the job", async () => {
    const { clone: origin } = await declaring('test ! -e broken && test -z "$TASKFOLD_TOKEN"');
    const server = await api();
    const left = runner(origin, server);
    expect(await act(left)).toMatchObject({ code: 0 });
    expect(server.comments[0]!.body).not.toContain("Declared tests");
    const one = runner(origin, server);
    expect(
      await act(one, { TASKFOLD_PROVE: "true", TASKFOLD_PROVE_PREPARE: "true\n\ntest -e side.txt\n" }),
    ).toMatchObject({ code: 0 });
    expect(readFileSync(one.env["GITHUB_OUTPUT"]!, "utf8")).toContain("proved=true\npushed=false\n");
    expect(server.comments[0]!.body).toMatch(
      /#### Declared tests\n\n- `test ! -e broken .*` passed \(`repeated`\): `TASK-003 s:0`\n/,
    );
    origin.git("checkout", "-q", "side");
    writeFileSync(join(origin.root, "broken"), "x\n");
    origin.commit("broken");
    const failing = runner(origin, server);
    const { code, said } = await act(failing, { TASKFOLD_PROVE: "true" });
    expect([code, said]).toEqual([1, expect.stringContaining("::error::A declared test failed")]);
    expect(server.comments[0]!.body).toContain("failed with exit code 1");
    expect(readFileSync(failing.env["GITHUB_OUTPUT"]!, "utf8")).toContain("proved=false\n");
  });

  it("[GIT-40] with `prove: push` the evidence is pushed to the branch; a fork's commands never run", async () => {
    const { clone: origin } = await declaring("touch ../witness");
    const server = await api();
    const fork = runner(origin, server);
    const pull = fork.event["pull_request"] as { head: { repo: { full_name: string } } };
    pull.head.repo.full_name = "mallory/repo";
    const said = await act(fork, { TASKFOLD_PROVE: "push", TMPDIR: fork.clone.root });
    expect(said).toEqual({
      code: 0,
      said: expect.stringContaining("::warning::No test was run: the branch belongs to a fork"),
    });
    expect(existsSync(join(fork.clone.root, "witness"))).toBe(false);
    const side = origin.git("rev-parse", "side").trim();
    const own = runner(origin, server);
    expect((await act(own, { TASKFOLD_PROVE: "push" })).code).toBe(0);
    expect(readFileSync(own.env["GITHUB_OUTPUT"]!, "utf8")).toContain("proved=true\npushed=true\n");
    expect(origin.git("rev-parse", "side^").trim()).toBe(side);
    origin.git("checkout", "-q", "side");
    await expectRight(origin);
    expect(readFileSync(join(origin.root, ".coco/tasks/TASK-003/events.jsonl"), "utf8")).toContain(
      `"git_commit":"${side}"`,
    );
  });

  it("[GIT-40] it is composite, starts no action of others, and puts no expression into a command", () => {
    const action = parse(readFileSync(join(ROOT, "action/action.yml"), "utf8")) as {
      runs: { using: string; steps: { uses?: string; run: string }[] };
    };
    expect(action.runs.using).toBe("composite");
    for (const { uses, run } of action.runs.steps) {
      expect(uses).toBeUndefined();
      expect(run).not.toContain("${{");
    }
  });
});
