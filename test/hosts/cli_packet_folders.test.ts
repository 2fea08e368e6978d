// @module-tag rotating
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { run } from "./cli_support.ts";

const SERVANTS = join(ROOT, "test/runner/servants");

/** `configs/servant/` with the small servants of the tests. */
function configs(): string {
  const folder = tempFolder();
  const files = {
    gemini: { args: ["-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"], prompt: "file" },
    codex: { args: ["exec", "--model", "{model}", "--role", "{role}", "-"], prompt: "stdin" },
    copilot: { args: ["--model", "{model}", "--role", "{role}", "-p"], prompt: "argument" },
  };
  mkdirSync(join(folder, "servant"));
  for (const [tool, { args, prompt }] of Object.entries(files)) {
    const command = [process.execPath, join(SERVANTS, `${tool}.mjs`), ...args];
    const config = { tool, command, prompt, default_model: "m-1", allowed_models: ["m-1"], purpose_models: {} };
    const text = JSON.stringify({ ...config, paid: true, timeout_sec: 60, transient_exit_codes: [13] });
    writeFileSync(join(folder, "servant", `${tool}.yaml`), text);
  }
  return folder;
}

const PACK = "## 0. Goal\n\nRead it once.\n\n## Verify Commands\n\n```sh\ntest -f src/a.js\n```\n";
const ARTIFACTS = [
  "codex_precision_review.md",
  "gemini_review.md",
  "summary.md",
  "test_implementation_report.md",
  "test_matrix.md",
  "verification_checklist.md",
  "verification_report.md",
];

function repository(): string {
  const root = tempFolder();
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root });
  git("init", "-q");
  mkdirSync(join(root, "src"));
  for (const [path, text] of [
    ["src/a.js", "x\n"],
    ["pack.md", PACK],
    ["report.md", "Done.\n"],
  ] as const)
    writeFileSync(join(root, path), text);
  git("add", "-A");
  git("-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", "x");
  return root;
}

describe("taskfold packet review", () => {
  it("[PACKET-81] [PACKET-212] makes the packet, runs six servants, and leaves six artifacts and the summary", async () => {
    const root = repository();
    const setting = { cwd: root, env: { PATH: process.env["PATH"]! } };
    const argv = ["packet", "review", "pack.md", "report.md", "out", "--config", configs(), "--json"];
    const { code, out } = await run(setting, ...argv, "--allow-commands");
    expect(JSON.parse(out)).toMatchObject({
      success: true,
      intent: "packet_review",
      result: { outcome: "done", missing: [], files: ARTIFACTS },
    });
    expect(code).toBe(0);
    expect(readdirSync(join(root, "out")).toSorted()).toEqual(ARTIFACTS);
    expect(readFileSync(join(root, "out/gemini_review.md"), "utf8")).toContain("## Findings");
    const { task } = (JSON.parse(out) as { result: { task: string } }).result;
    const again = await run(setting, "packet", "export-review", task, "again", "--json");
    expect(JSON.parse(again.out)).toMatchObject({ intent: "packet_export_review", result: { files: ARTIFACTS } });
    expect((await run(setting, "verify")).code).toBe(0);
  }, 180_000);

  it("[PACKET-212] without the right to run commands the verification fails, and the artifacts are there", async () => {
    const root = repository();
    const setting = { cwd: root, env: { PATH: process.env["PATH"]! } };
    const { code, out, err } = await run(setting, "packet", "review", "pack.md", "report.md", "--config", configs());
    expect(code).toBe(1);
    expect(out).toContain("failed at codex_verify");
    expect(err).toContain("codex_verify failed");
    expect(readdirSync(join(root, ".tmp/review/TASK-001")).toSorted()).toEqual(ARTIFACTS);
  }, 180_000);

  it("[regression PACKET-269] looks at the folder for the artifacts before anything is made or paid", async () => {
    const root = repository();
    const setting = { cwd: root, env: { PATH: process.env["PATH"]! } };
    mkdirSync(join(root, "closed"), { mode: 0o500 });
    const asRoot = process.getuid?.() === 0;
    const cases = [
      ["report.md", "INVALID_INPUT", "report.md"],
      ["report.md/below", "STORAGE_FAILED", "report.md/below"],
      [".coco/x", "PATH_UNSAFE", ".coco/x"],
      ...(asRoot ? [] : [["closed", "READ_ONLY", "closed"]]),
    ] as const;
    for (const [dir, code, named] of cases) {
      const { out } = await run(
        setting,
        "packet",
        "review",
        "pack.md",
        "report.md",
        dir!,
        "--config",
        configs(),
        "--json",
      );
      expect(JSON.parse(out)).toMatchObject({ error: { code, message: expect.stringContaining(named!) } });
    }
    expect(existsSync(join(root, ".coco"))).toBe(false);
  });

  it("[PACKET-212] makes nothing of documents that are not there", async () => {
    const root = repository();
    const { code } = await run({ cwd: root }, "packet", "review", "pack.md", "nowhere.md");
    expect(code).toBe(2);
    expect(existsSync(join(root, ".coco"))).toBe(false);
  });
});

describe("a command that fails in a folder without a workspace", () => {
  it("[ENG-12] [ERR-2] leaves no workspace there, and no folder", async () => {
    const root = repository();
    rmSync(join(root, ".coco"), { recursive: true, force: true });
    mkdirSync(join(root, "faulty"));
    writeFileSync(join(root, "faulty/manifest.yaml"), "goal: x\n");
    writeFileSync(join(root, "masked.md"), `${PACK}\n## 1. Scope\n${"x".repeat(300_000)}`);
    const manifest = { workspace: "a/b", create: true, manifest: {} };
    const before = tree(root);
    for (const args of [
      ["packet", "import", "nowhere"],
      ["packet", "import", "faulty"],
      ["packet", "create", "faulty/manifest.yaml"],
      ["packet", "review", "pack.md", "report.md", "pack.md"],
      ["packet", "review", "masked.md", "report.md", "out/deep"],
      ["packet", "next", "TASK-001"],
      ["call", "packet_define", JSON.stringify(manifest)],
      ["call", "tasks_create", '{"workspace":"a/b","title":"x","parent":"PLAN-009"}'],
      ["call", "tasks_create", '{"workspace":"a/b","title":"x","id":"con"}'],
      ["call", "tasks_macro_start", '{"workspace":"a/b","task_title":"x","plan":"PLAN-009"}'],
      ["call", "tasks_scaffold", '{"workspace":"a/b","template":"none","kind":"task","title":"x"}'],
    ]) {
      const { code } = await run({ cwd: root }, ...args);
      expect([args, code === 0, tree(root)]).toEqual([args, false, before]);
    }
  });
});

describe("taskfold packet archive, restore, import and export", () => {
  it("[PACKET-180] [PACKET-190] [PACKET-200] each answers with the reply of its name, and in words", async () => {
    const root = repository();
    const setting = { cwd: root };
    await run(setting, "init", "--workspace", "a/b");
    await run(setting, "packet", "review", "pack.md", "report.md", "--config", join(root, "nowhere"));
    const made = await run(
      setting,
      "call",
      "packet_review",
      JSON.stringify({ context_pack: PACK, impl_report: "Done.\n", id: "a-1" }),
    );
    expect(made.code).toBe(0);
    const replyOf = async (...argv: string[]): Promise<{ intent: string; error: unknown; result: object }> =>
      JSON.parse((await run(setting, "packet", ...argv, "--json")).out) as never;
    expect(await replyOf("archive", "a-1", "--outputs", "1000")).toMatchObject({
      intent: "packet_archive",
      error: null,
    });
    expect(await replyOf("export", "a-1", "out")).toMatchObject({ intent: "packet_export", error: null });
    expect(await replyOf("restore", "a-1")).toMatchObject({ intent: "packet_restore", error: null });
    const manifest = join(root, "out/manifest.yaml");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("a-1", "b-2"));
    expect(await replyOf("import", "out")).toMatchObject({ intent: "packet_import", result: { task: "b-2" } });
    const words = await run(setting, "packet", "import", ".coco/tasks/b-2");
    expect(words).toMatchObject({ code: 0, out: "b-2: nothing new to take in.\n" });
    expect((await run(setting, "packet", "archive", "b-2")).out).toBe("b-2 is in .coco/archive/b-2.\n");
    expect((await run(setting, "packet", "restore", "b-2")).out).toContain("b-2 is back");
    expect((await run(setting, "packet", "archive", "b-2", "--outputs", "some")).code).toBe(2);
    expect((await run(setting, "packet", "restore", "c-3")).code).toBe(3);
  });
});
