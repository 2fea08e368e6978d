/** Proof that is of other files than those of now: told wherever proof is told, and no reason to close a step. */
import type { Sentence } from "../../src/sentence.ts";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { JsonObject } from "../../src/index.ts";
import { runCaptured } from "../../src/runner/run_captured.ts";
import { changesBetween, changesBytes, changesIn, changedSinceRun, treeDigest } from "../../src/rules/staleness.ts";
import type { CheckAnswer } from "../../src/views/viewer/api.ts";
import { result, run as cli } from "../hosts/cli_support.ts";
import { read, viewerOf } from "../hosts/view_support.ts";
import { passTime } from "../support/clock.ts";
import { repository } from "../support/git.ts";
import { openWorkspace } from "../support/open.ts";
import { logPath } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const WORKSPACE = "acme/repo";
const TASK = { workspace: WORKSPACE, task: "TASK-001" };

async function world({ git = true, below = "" } = {}) {
  const { ada } = repository();
  const root = join(ada.root, below);
  mkdirSync(join(root, "src"), { recursive: true });
  for (const name of ["a", "b", "c", "d", "e"]) writeFileSync(join(root, `src/${name}.ts`), `${name}\n`);
  ada.commit("first");
  const ws = openWorkspace({
    root,
    workspace: WORKSPACE,
    by: "agent:ada",
    ...(git ? { git: () => openGit(root) } : {}),
  });
  const call = async (tool: string, input: JsonObject = {}) => ws.callTool(tool, { ...TASK, ...input });
  await ws.callTool("tasks_create", { workspace: WORKSPACE, kind: "plan", title: "P" });
  await ws.callTool("tasks_create", { workspace: WORKSPACE, kind: "task", title: "T", parent: "PLAN-001" });
  const proof = { tests: "captured" };
  const script = join(ada.root, "..", "test.sh");
  const argv = ["sh", script];
  await call("tasks_decompose", {
    steps: [
      { title: "one", success_criteria: ["it works"], tests: [argv.join(" ")], proof },
      { title: "two", success_criteria: ["it works"] },
    ],
  });
  const run = (text = "true") => {
    writeFileSync(script, text);
    return runCaptured(ws, { task: "TASK-001", path: "s:0", argv });
  };
  const close = () => call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  const verified = async () =>
    (await call("tasks_evidence_verify")).result as unknown as {
      summary: { stale: number };
      evidence: { degree: string; stale?: { paths: string[]; commit: string | null; why: string } }[];
    };
  const radar = async (): Promise<string[]> =>
    ((await call("tasks_radar")).result as unknown as { radar: { verify: string[] } }).radar.verify;
  const unproved = async (): Promise<string[]> =>
    ((await result(root, "status")) as unknown as { needs_you: { what: string; why: string }[] }).needs_you
      .filter(({ what }) => what === "proof")
      .map(({ why }) => why);
  return { ada, root, ws, script, call, run, close, write, verified, radar, unproved };
}

const manifest = (scope: { allow: string[]; deny: string[] }): JsonObject => ({
  goal: "g",
  routing: { intent: "safe_impl" },
  scope,
  acceptance: { commands: ["true"], criteria: ["works"] },
  budgets: { retry_budget: 1, paid_call_budget: 6, max_wallclock_sec: 900 },
  context: { digest_policy: "auto" },
});

describe("stale proof", () => {
  it("[PROOF-51] keeps a step open, and names files, commit and the command to run again", ROTATING, async () => {
    const { ada, script, run, close, write } = await world();
    await run();
    write("src/a.ts", "changed\n");
    const loose = (await close()).error!;
    expect(loose.code).toBe("PROOF_STALE");
    expect(loose.message).toContain('"src/a.ts" changed since (not committed)');
    expect(loose.recovery).toBe(`Run it again with "taskfold run TASK-001 s:0 --for tests -- sh ${script}".`);
    ada.commit("second");
    const committed = (await close()).error!;
    expect(committed.message).toContain(`"src/a.ts" changed since (commit ${ada.head().slice(0, 12)})`);
    expect(committed.details).toMatchObject({
      stale: [{ paths: ["src/a.ts"], commit: ada.head(), checkpoint: "tests" }],
    });
    await run();
    expect((await close()).success).toBe(true);
  });

  it(
    "[PROOF-51] a commit of the files that the run saw, and files that the run made, make it not stale",
    ROTATING,
    async () => {
      const { ada, run, close, write } = await world();
      write("src/a.ts", "changed\n");
      write("src/new.ts", "new\n");
      await run("echo report > report.xml");
      ada.commit("all of it");
      expect((await close()).success).toBe(true);
    },
  );

  it("[PROOF-51] a file that the run made counts as it left it", ROTATING, async () => {
    const { run, close, write } = await world();
    await run("echo report > report.xml");
    write("report.xml", "forged\n");
    expect((await close()).error?.message).toContain('"report.xml" changed since');
  });

  it(
    "[PROOF-51] a file that was there and changed while the command ran makes the proof stale, whichever process changed it",
    ROTATING,
    async () => {
      const { ada, run, close, verified } = await world();
      await run("echo formatted > src/b.ts; rm src/c.ts; echo same > made.txt");
      const loose = (await close()).error!;
      expect(loose.message).toContain('"src/b.ts", "src/c.ts" changed while it ran (not committed)');
      expect(loose.recovery).toContain(
        "If the command itself writes such a file anew on each run, let git ignore the file.",
      );
      expect((await verified()).summary.stale).toBe(1);
      ada.commit("all of it");
      expect((await close()).error?.code).toBe("PROOF_STALE");
      await run("echo formatted > src/b.ts; rm -f src/c.ts; echo same > made.txt");
      expect((await close()).success).toBe(true);
    },
  );

  it("[PROOF-51] a file that changed while the command ran makes the proof stale, also when it is again as it was", async () => {
    const { run, close, write } = await world();
    await run("echo other > src/b.ts");
    write("src/b.ts", "b\n");
    expect((await close()).error?.message).toContain('"src/b.ts" changed while it ran');
  });

  it.each(["undo", "redo"])(
    "[PROOF-51] %s closes no step on stale proof, and none whose proof is gone",
    ROTATING,
    async (verb) => {
      const { root, call, run, close, write } = await world();
      const { evidence } = await run();
      expect((await close()).success).toBe(true);
      const opened = verb === "redo" ? call("tasks_undo") : call("tasks_progress", { path: "s:0", completed: false });
      expect((await opened).success).toBe(true);
      const turn = () => call(`tasks_${verb}`);
      const log = (): string => readFileSync(logPath(root, "TASK-001"), "utf8");
      const before = log();
      write("src/a.ts", "changed\n");
      expect((await turn()).error).toMatchObject({
        code: "PROOF_STALE",
        message: expect.stringContaining('"src/a.ts" changed since') as string,
      });
      expect(log()).toBe(before);
      write("src/a.ts", "a\n");
      const aside = { path: "s:0", supersedes: [evidence!], reason: "it ran elsewhere" };
      expect((await call("tasks_evidence_capture", aside)).success).toBe(true);
      expect((await turn()).error?.code).toBe("PROOF_REQUIRED");
      await run();
      expect((await turn()).success).toBe(true);
      expect((await close()).error?.code).toBe("ALREADY_DONE");
    },
  );

  it.each(["a new file", "a file that is gone"])("[PROOF-51] %s is a change", ROTATING, async (what) => {
    const { root, run, close, write } = await world();
    await run();
    if (what === "a new file") write("src/new.ts", "new\n");
    else rmSync(join(root, "src/b.ts"));
    expect((await close()).error?.code).toBe("PROOF_STALE");
  });

  it(
    "[PROOF-51] only files in the scope of the packet count; folders of a root below the top are named from it",
    ROTATING,
    async () => {
      const { call, run, close, write, ada } = await world({ below: "part" });
      const packet = { manifest: manifest({ allow: ["src"], deny: ["src/b.ts"] }) };
      expect((await call("packet_define", packet)).error).toBeNull();
      await run();
      write("README.md", "new\n");
      write("src/b.ts", "changed\n");
      writeFileSync(join(ada.root, "beside.txt"), "new\n");
      write("src/c.ts", "changed\n");
      expect((await close()).error?.details).toMatchObject({ stale: [{ paths: ["src/c.ts"] }] });
      write("src/c.ts", "c\n");
      expect((await close()).success).toBe(true);
    },
  );

  it(
    "[PROOF-51] a packet that is defined or patched after the run takes no file out of the scope, and may add some",
    ROTATING,
    async () => {
      const { call, run, close, write, verified } = await world();
      const stale = async () => {
        const { error } = await close();
        return (error!.details as { stale: { paths: string[] }[] }).stale[0]!.paths;
      };
      await run();
      write("src/a.ts", "changed\n");
      const packet = { manifest: manifest({ allow: ["src/b.ts"], deny: [] }) };
      expect((await call("packet_define", packet)).error).toBeNull();
      expect(await stale()).toEqual(["src/a.ts"]);
      await run();
      write("src/a.ts", "again\n");
      expect((await verified()).summary.stale).toBe(1);
      const patch = (allow: string[]) => call("packet_patch", { manifest: { scope: { allow, deny: [] } } });
      expect((await patch(["src/c.ts"])).error).toBeNull();
      write("src/b.ts", "changed\n");
      expect(await stale()).toEqual(["src/b.ts"]);
      expect((await patch(["src/a.ts"])).error).toBeNull();
      expect(await stale()).toEqual(["src/a.ts", "src/b.ts"]);
      await run();
      expect((await close()).success).toBe(true);
    },
  );

  it(
    "[PROOF-51] only the files of a step count where it names some, and those that are named after the run take none out",
    ROTATING,
    async () => {
      const { root, ws, call, run, close, write, verified } = await world();
      const define = (files: string[]) => call("tasks_define", { path: "s:0", files });
      const stale = async () => {
        const { error } = await close();
        return (error!.details as { stale: { paths: string[] }[] }).stale[0]!.paths;
      };
      expect((await call("packet_define", { manifest: manifest({ allow: ["src/c.ts"], deny: [] }) })).error).toBeNull();
      expect((await define(["./src/a.ts", "src/b.ts"])).error).toBeNull();
      await run();
      write("src/c.ts", "changed\n");
      expect((await verified()).summary.stale).toBe(0);
      write("src/b.ts", "changed\n");
      expect(await stale()).toEqual(["src/b.ts"]);
      await define(["src/a.ts"]);
      expect(await stale()).toEqual(["src/b.ts"]);
      await define(["src/a.ts", "src/d.ts"]);
      write("src/d.ts", "changed\n");
      expect(await stale()).toEqual(["src/b.ts", "src/d.ts"]);
      expect((await define(["../beside"])).error?.code).toBe("PATH_UNSAFE");
      expect(ws.files("TASK-001").get("README.md")).toContain("files: src/a.ts, src/d.ts");
      const { step_list } = (await result(root, "show", "TASK-001")) as unknown as { step_list: JsonObject[] };
      expect(step_list.map(({ files }) => files)).toEqual([["src/a.ts", "src/d.ts"], undefined]);
      expect((await call("tasks_undo")).success).toBe(true);
      await run();
      write("src/d.ts", "again\n");
      expect((await close()).success).toBe(true);
    },
  );

  it("[PROOF-51] add and edit take the files of a step, and empty ones take them back", async () => {
    const { root } = await world();
    const rows = async () =>
      ((await result(root, "show", "TASK-002")) as unknown as { step_list: JsonObject[] }).step_list.map(
        ({ files = null, confirm = null }) => ({ files, confirm }),
      );
    const made = [
      "--step",
      "one",
      "--files",
      "src",
      "--files",
      "docs/",
      "--confirm",
      "criteria=other",
      "--step",
      "two",
    ];
    await result(root, "add", "T", "--plan", "PLAN-001", ...made);
    expect(await rows()).toEqual([
      { files: ["src", "docs"], confirm: ["criteria"] },
      { files: null, confirm: null },
    ]);
    await result(root, "edit", "TASK-002", "s:0", "--files", "", "--confirm", "");
    await result(root, "edit", "TASK-002", "s:1", "--files", ".", "--confirm", "tests");
    expect(await rows()).toEqual([
      { files: null, confirm: null },
      { files: ["."], confirm: ["tests"] },
    ]);
  });

  it(
    "[PROOF-51] a run whose work tree cannot be told is stale, and one that was made without git is compared with nothing there",
    ROTATING,
    async () => {
      const { root, run, close, write } = await world();
      write("src/a.ts", "seen\n");
      await run();
      write("src/a.ts", "changed\n");
      const blobs = join(root, ".coco/tasks/TASK-001/shared/evidence/blobs");
      for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), "forged");
      expect((await close()).error?.message).toContain("the list of files that it saw is not there as it was");
      const other = await world({ git: false });
      await other.run();
      other.write("src/a.ts", "changed\n");
      expect((await other.close()).success).toBe(true);
    },
  );

  it(
    "[PROOF-51] without git a run that recorded a work tree is stale, and the refusal says how a program gets git",
    ROTATING,
    async () => {
      const { root, run, write, close } = await world();
      await run();
      write("src/a.ts", "changed\n");
      const library = openWorkspace({ root, workspace: WORKSPACE, by: "agent:ada" });
      const refused = (await library.callTool("tasks_close_step", { ...TASK, path: "s:0", checkpoints: "gate" }))
        .error!;
      expect(refused.code).toBe("PROOF_STALE");
      expect(refused.message).toContain("there is no git here to compare with");
      expect(refused.recovery).toContain("openWorkspace({ root, git: () => openGit(root) })");
      const radar = (await library.callTool("tasks_radar", TASK)).result as unknown as { radar: { verify: string[] } };
      expect(radar.radar.verify.join()).toContain("proof of tests is stale: there is no git here to compare with");
      write("src/a.ts", "a\n");
      expect((await close()).success).toBe(true);
    },
  );

  it("[PROOF-51] a run after which git cannot list the files is stale, also when it can again", ROTATING, async () => {
    const { root, run, close, verified } = await world();
    await run("mv .git/index .git/kept && mkdir .git/index");
    rmSync(join(root, ".git/index"), { recursive: true });
    renameSync(join(root, ".git/kept"), join(root, ".git/index"));
    const words = "the files that it left otherwise are not known, so the files that changed since cannot be told";
    expect((await close()).error).toMatchObject({
      code: "PROOF_STALE",
      message: expect.stringContaining(words) as string,
    });
    expect((await verified()).evidence[0]!.stale).toMatchObject({ paths: [], why: words });
    await run();
    expect((await close()).success).toBe(true);
  });

  it("[PROOF-51] a run that left more changes than are kept is stale, also when they are gone", ROTATING, async () => {
    const { root, run, close } = await world();
    const folder = Array.from({ length: 14 }, () => "d".repeat(240)).join("/");
    // So many paths have more than 4 MiB together.
    await run(`mkdir -p ${folder} && cd ${folder} && seq 1300 | xargs touch`);
    rmSync(join(root, "d".repeat(240)), { recursive: true });
    expect((await close()).error).toMatchObject({ code: "PROOF_STALE" });
  });

  it("[PROOF-51] files that git cannot list keep a step open, and radar answers", ROTATING, async () => {
    const { root, run, close, radar } = await world();
    await run();
    rmSync(join(root, ".git/index"));
    mkdirSync(join(root, ".git/index"));
    expect((await close()).error).toMatchObject({ code: "PROOF_STALE" });
    expect((await radar()).join()).toContain("proof of tests is stale: git could not list the files");
  });

  it("[PROOF-51] of an index that is cut off no file is named", ROTATING, async () => {
    const { root, run, verified } = await world();
    await run();
    const index = readFileSync(join(root, ".git/index"));
    for (const length of [39, 72]) {
      writeFileSync(join(root, ".git/index"), index.subarray(0, length));
      const { evidence } = await verified();
      expect([length, evidence[0]!.stale]).toMatchObject([
        length,
        { paths: [], why: expect.stringMatching(/^git could not list the files \(/) },
      ]);
    }
    writeFileSync(join(root, ".git/index"), index);
    expect((await verified()).evidence[0]).not.toHaveProperty("stale");
  });

  it("[PROOF-52] evidence, radar and status tell of it", ROTATING, async () => {
    const { run, close, write, verified, radar, unproved } = await world();
    await run();
    expect((await verified()).summary).toMatchObject({ stale: 0, total: 1 });
    expect((await verified()).evidence[0]).not.toHaveProperty("stale");
    expect((await close()).success).toBe(true);
    expect([await radar(), await unproved()].flat().filter((line) => line.includes("stale"))).toEqual([]);
    for (const name of ["a", "b", "c", "d", "e"]) write(`src/${name}.ts`, "changed\n");
    const { evidence, summary } = await verified();
    expect([summary.stale, evidence[0]!.degree]).toEqual([1, "captured"]);
    expect(evidence[0]!.stale).toMatchObject({
      paths: ["a", "b", "c", "d", "e"].map((n) => `src/${n}.ts`),
      commit: null,
    });
    const line =
      's:0 one: proof of tests is stale: "src/a.ts", "src/b.ts", "src/c.ts" and 2 more files changed since (not committed)';
    expect(await radar()).toContain(line);
    expect(await unproved()).toContain(line);
  });

  it(
    "[PROOF-52] a task is completed with stale proof of a closed step, and the call to run again is told",
    ROTATING,
    async () => {
      const { call, run, close, write } = await world();
      await run();
      await close();
      await call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
      const complete = async () => call("tasks_complete");
      const stale = (reply: Awaited<ReturnType<typeof complete>>) =>
        reply.warnings.filter(({ code }) => code === "PROOF_STALE");
      expect(stale(await complete())).toEqual([]);
      await call("tasks_complete", { status: "ACTIVE" });
      write("src/a.ts", "changed\n");
      const done = await complete();
      expect(done.success).toBe(true);
      expect(stale(done)).toMatchObject([
        {
          code: "PROOF_STALE",
          message: expect.stringContaining('"src/a.ts" changed since (not committed)') as string,
          recovery: expect.stringMatching(
            /^Run it again with "taskfold run TASK-001 s:0 --for tests -- sh \S+"\.$/,
          ) as string,
        },
      ]);
      await call("tasks_undo");
      expect(stale(await call("tasks_redo"))).toHaveLength(1);
    },
  );

  it(
    "[PROOF-52] show, diff and handoff say the degree, show marks stale proof, and a claim has no word",
    ROTATING,
    async () => {
      const { root, call, run, close, write } = await world();
      const claim = { kind: "run", command: "make docs", exit_code: 0, stdout: "made" };
      await call("tasks_evidence_capture", { path: "s:1", items: [claim], checkpoint: "tests" });
      await run();
      await close();
      await call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
      const show = async (): Promise<string[]> => {
        const { out } = await cli({ cwd: root }, "show", "TASK-001");
        return out.split("\n").filter((line) => line.includes("- proof of "));
      };
      expect(await show()).toEqual([
        expect.stringMatching(/proof of tests: exit 0, captured, 20\S+: sh \S+ \(cmd-\S+\)$/),
        expect.stringMatching(/proof of tests: exit 0, 20\S+: make docs \(cmd-\S+\)$/),
      ]);
      const { done } = (await call("tasks_handoff")).result!["handoff"] as { done: string[] };
      expect(done).toEqual(["s:0 one (tests captured)", "s:1 two"]);
      const diff = (await cli({ cwd: root }, "diff", "--markdown", "HEAD")).out;
      expect(diff).toMatch(/sh \S+test.sh"?`? passed \(captured\)/);
      expect(diff).toMatch(/make docs`? passed\./);
      // A claim is none of the tests that Taskfold ran.
      expect(diff).toMatch(/^\*\*1 plan; 1 task; 2 steps done, 1 with captured tests\*\*\n/);
      write("src/a.ts", "changed\n");
      expect((await show())[0]).toMatch(/test\.sh \(stale\) \(cmd-\S+\)$/);
      const { evidence } = (await result(root, "show", "TASK-001")) as unknown as { evidence: { stale?: string }[] };
      expect(evidence.map(({ stale }) => stale)).toEqual([undefined, '"src/a.ts" changed since (not committed)']);
      await call("tasks_complete");
      expect((await show())[0]).toMatch(/test\.sh \(cmd-\S+\)$/);
    },
  );

  it(
    "[regression PROOF-99] the viewer says it on the page of the task, where alone it asks git",
    ROTATING,
    async () => {
      const { ada, root, run, close, write, call } = await world();
      await run();
      await close();
      let asked = 0;
      const git = () => (asked++, openGit(root));
      const viewer = new Viewer({ root, version: "0.0.0", git });
      onTestFinished(() => viewer.close());
      const check = async () => {
        passTime(60_001);
        return read<CheckAnswer>(viewer, "entities/TASK-001/check.json");
      };
      expect((await check()).stale).toEqual([]);
      write("src/a.ts", "changed\n");
      const told = expect.objectContaining({ text: '"src/a.ts" changed since (not committed)' }) as Sentence;
      const { stale, evidence } = await check();
      expect(stale).toEqual([
        {
          step: expect.objectContaining({ path: "s:0", title: "one" }) as object,
          checkpoint: "tests",
          why: told,
          is_need: true,
        },
      ]);
      expect(Object.values(evidence)).toMatchObject([{ stale: told, status: "unverifiable" }]);
      const before = asked;
      await read(viewer, "entities/TASK-001/check.json");
      for (const name of ["board/0.json", "workspace.json", "health.json", "agents.json", "entities/TASK-001.json"])
        await read(viewer, name);
      expect(asked, "git is asked again within twice as long as it took, or for another page").toBe(before);
      ada.commit("second");
      expect((await check()).stale[0]!.why.text).toMatch(/^"src\/a.ts" changed since \(commit [0-9a-f]{12}\)$/);
      const export_ = viewerOf(root);
      const without = await read<CheckAnswer>(export_, "entities/TASK-001/check.json");
      expect([without.stale, Object.values(without.evidence)[0]!.stale]).toEqual([[], null]);
      await call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
      expect((await call("tasks_complete")).success).toBe(true);
      const ended = await check();
      expect([ended.stale, Object.values(ended.evidence)[0]!.stale]).toEqual([[], null]);
    },
  );

  it(
    "[PROOF-52] the page marks stale proof of a closed step whose mode takes a claim, and no status names it",
    ROTATING,
    async () => {
      const { root, run, close, write, call, radar, unproved } = await world();
      await call("tasks_define", { path: "s:0", proof: { tests: "require" } });
      await run();
      expect((await close()).success).toBe(true);
      const viewer = new Viewer({ root, version: "0.0.0", git: () => openGit(root) });
      onTestFinished(() => viewer.close());
      const check = async () => {
        passTime(60_001);
        return read<CheckAnswer>(viewer, "entities/TASK-001/check.json");
      };
      expect((await check()).stale).toEqual([]);
      write("src/a.ts", "changed\n");
      const { stale, evidence } = await check();
      expect(stale).toMatchObject([{ step: { path: "s:0" }, checkpoint: "tests", is_need: false }]);
      expect(stale.map(({ why }) => why)).toEqual(Object.values(evidence).map((one) => one.stale));
      expect((await cli({ cwd: root }, "show", "TASK-001")).out).toContain("(stale)");
      expect([await radar(), await unproved()].flat().filter((line) => line.includes("stale"))).toEqual([]);
    },
  );

  it("[PROOF-52] a fresh run of another command hides no stale proof of a declared test", ROTATING, async () => {
    const { ws, call, run, write, radar, unproved } = await world();
    await run();
    write("src/a.ts", "changed\n");
    await runCaptured(ws, { task: "TASK-001", path: "s:0", argv: ["true"], test: 0 });
    const line = 's:0 one: proof of tests is stale: "src/a.ts" changed since (not committed)';
    expect(await radar()).toContain(line);
    expect(await unproved()).toContain(line);
    await call("tasks_define", { path: "s:0", proof: { tests: "require" } });
    expect((await radar()).filter((said) => said.includes("stale"))).toEqual([]);
  });

  it(
    "[PROOF-52] README and the row of the step name the degree of a proof, and a claim has no word",
    ROTATING,
    async () => {
      const { ws, call, run } = await world();
      const claim = { kind: "run", command: "make docs", exit_code: 0, stdout: "made" };
      await call("tasks_evidence_capture", { path: "s:0", items: [claim], checkpoint: "docs" });
      const done = await run();
      const readme = ws.files("TASK-001").get("README.md")!;
      expect(readme).toMatch(new RegExp(`evidence:${done.evidence}[^\n]*, exit code 0, \`captured\``));
      expect(readme).toContain(`(evidence:${done.evidence} \`passed\` \`captured\`)`);
      expect(readme).not.toMatch(/make docs[^\n]*`(?:claimed|captured)`/);
      const [step] = ((await result(ws.root, "show", "TASK-001")) as unknown as { step_list: JsonObject[] }).step_list;
      expect(step).toMatchObject({ proof_tests_degree: "captured", proof_docs_present: true });
      expect(step).not.toHaveProperty("proof_docs_degree");
    },
  );

  it("[PROOF-47] a digest is that of lines in the order of their bytes, whichever order the list has", () => {
    const paths = ["a", "a/b", "b", "\u00e9", "\u00ff"];
    const digest = createHash("sha256")
      .update(Buffer.from(paths.map((path) => `100644 x ${path}\0`).join(""), "latin1"))
      .digest("hex");
    for (const order of [paths, paths.toReversed(), [...paths.slice(2), ...paths.slice(0, 2)]])
      expect(treeDigest(new Map(order.map((path) => [path, "100644 x"])))).toBe(digest);
  });

  it("[PROOF-51] lists of changes come back as they were written", () => {
    const before = new Map([
      ["a", "100644 1"],
      ["b c\nd", "100755 2"],
      ["\u00ff", "120000 3"],
    ]);
    const after = new Map([
      ["a", "100644 9"],
      ["\u00ff", "120000 3"],
      ["new", "100644 4"],
    ]);
    const changes = changesBetween(before, after);
    expect(changesIn(changesBytes(changes)!)).toEqual(changes);
    expect(changesBytes(new Map())).toBeUndefined();
    expect(changedSinceRun(before, changes, { files: after }, () => true)).toEqual(["a", "b c\nd"]);
    expect(changedSinceRun(before, new Map(), { files: after }, (path) => path !== "a")).toEqual(["b c\nd", "new"]);
  });
});
