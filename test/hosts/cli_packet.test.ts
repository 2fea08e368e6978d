// @module-tag long
// @module-tag rotating
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MANIFEST } from "../packet/packet_support.ts";
import { ROOT } from "../support/source.ts";
import { tree } from "../support/workspace.ts";
import type { Document } from "./cli_support.ts";
import { json, run } from "./cli_support.ts";
import { Desk } from "./packet_desk.ts";

const FAST = { timeout: 180_000 };
const REVIEW = "## Findings\n\n## Test gaps\n\n## Breaking changes\n\n## Minimal fix\n";
const SAFE = ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"];

describe("packet validate", () => {
  it("[PACKET-160] names every fault, and writes nothing", async () => {
    const desk = new Desk();
    expect(await desk.run("validate", "../manifest.yaml")).toEqual({
      code: 0,
      out: "The manifest is valid.\n",
      err: "",
    });
    expect((await desk.json("validate", "../manifest.yaml")).doc).toMatchObject({
      result: { valid: true, errors: [] },
    });
    desk.manifest({ task_id: "x", goal: 7, extra: 1 });
    const { code, doc } = await desk.json("validate", "../manifest.yaml");
    expect(code).toBe(1);
    const { valid, errors } = doc.result as { valid: boolean; errors: Record<string, string>[] };
    expect(valid).toBe(false);
    expect(errors.map(({ field }) => field)).toEqual(
      expect.arrayContaining(["goal", "routing.intent", "scope.allow", "scope.deny", "budgets.retry_budget"]),
    );
    expect(errors.every((error) => Object.keys(error).toSorted().join() === "field,message,reason")).toBe(true);
    writeFileSync(join(desk.folder, "manifest.yaml"), "<<<<<<< HEAD\ngoal: x\n");
    expect((await desk.json("validate", "../manifest.yaml")).doc.result).toMatchObject({ errors: [{ field: "" }] });
    writeFileSync(join(desk.folder, "manifest.yaml"), Buffer.from([0xff, 0xfe]));
    expect((await desk.run("validate", "../manifest.yaml")).code).toBe(1);
    expect((await desk.run("validate", "../none.yaml")).code).toBe(2);
    expect(existsSync(join(desk.cwd, ".coco"))).toBe(false);
  });

  it("[PACKET-160] the reply of a command that fails has the name of its tool", async () => {
    const desk = new Desk();
    for (const [intent, ...args] of [
      ["packet_validate", "validate", "nowhere.yaml"],
      ["packet_define", "create", "nowhere.yaml"],
      ["packet_stage_finish", "finish", "TASK-001", "codex_impl"],
      ["packet_budget_reset", "reset-budget", "TASK-001", "paid_call_budget", "--reason", "x"],
      ["packet_export_review", "export-review", "TASK-001", "../out"],
      ["packet", "--nope"],
    ] as [string, ...string[]][]) {
      const { code, doc } = await desk.json(...args);
      expect([code === 0, doc["intent"]], args.join(" ")).toEqual([false, intent]);
    }
  });

  it("[PACKET-8] a manifest above the limit of size is a fault of the document", async () => {
    const desk = new Desk();
    writeFileSync(join(desk.folder, "big.yaml"), `goal: "${"x".repeat(5_000_000)}"\n`);
    const { code, doc } = await desk.json("validate", "../big.yaml");
    expect([code, doc.result]).toEqual([
      1,
      {
        valid: false,
        errors: [
          {
            field: "",
            reason: "too_large",
            message: expect.stringContaining("4194304 bytes, found 5000009") as string,
          },
        ],
      },
    ]);
    const created = await desk.json("create", "../big.yaml");
    expect(created.doc.error).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("4194304") as string,
    });
  });

  it("[PACKET-12] a fault of the configuration is told with its file and field", async () => {
    const desk = new Desk();
    desk.servant("codex", ["exec"], "telepathy", { default_model: "m2" });
    const { code, doc } = await desk.json("validate", "../manifest.yaml", "--config", "../configs");
    expect([code, doc.error?.code]).toEqual([2, "INVALID_INPUT"]);
    const { errors } = (doc.error as unknown as { details: { errors: object[] } }).details;
    expect(errors).toContainEqual(expect.objectContaining({ file: "configs/servant/codex.yaml", field: "prompt" }));
    expect((await desk.run("validate", "../manifest.yaml", "--config", "../inputs")).code).toBe(2);
  });
});

describe("packet create and plan", () => {
  it("[PACKET-160] makes the task that the manifest names, with its inputs", async () => {
    const desk = new Desk();
    writeFileSync(join(desk.folder, "inputs/user_request.md"), "please\n");
    writeFileSync(join(desk.folder, "inputs/attachments/notes.md"), "note\n");
    const { code, out } = await desk.create("--inputs", "../inputs");
    expect({ code, out }).toEqual({
      code: 0,
      out: `read-once: Read the configuration once\nStages: ${SAFE.join(", ")}\nNext: taskfold packet run read-once --config ../configs\n`,
    });
    expect(desk.read("inputs/attachments/notes.md")).toBe("note\n");
    expect(desk.read("manifest.yaml")).toContain('task_id: "read-once"');
    expect((await desk.create()).code).toBe(4);
  });

  it("[PACKET-160] gives the packet to a task that is there, or makes one with another id", async () => {
    const desk = new Desk();
    expect((await desk.create("--id", "TASK-007")).out).toMatch(/^TASK-007: /);
    await run({ cwd: desk.cwd }, "call", "tasks_create", '{"kind":"task","title":"By hand"}');
    expect((await desk.create("--task", "TASK-008")).out).toMatch(/^TASK-008: /);
    expect((await desk.create("--task", "TASK-009")).code).toBe(3);
    expect((await desk.create("--id", "TASK-007")).err).toContain("ID_TAKEN");
    const both = await desk.create("--task", "TASK-008", "--id", "TASK-010");
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("Expected --task or --id, found both.")]);
  });

  it("[PACKET-5] validate and create give one answer about a manifest without task_id", async () => {
    const desk = new Desk();
    desk.manifest(MANIFEST);
    const missing = [{ field: "task_id", reason: "missing" }];
    const told = await desk.json("validate", "../manifest.yaml");
    expect([told.code, told.doc.result]).toMatchObject([1, { valid: false, errors: missing }]);
    const refused = await desk.json("create", "../manifest.yaml");
    expect([refused.code, refused.doc.error]).toMatchObject([
      2,
      { code: "INVALID_INPUT", details: { errors: missing } },
    ]);
    expect(existsSync(join(desk.cwd, ".coco"))).toBe(false);
    for (const option of ["--task", "--id"])
      expect((await desk.run("validate", "../manifest.yaml", option, "TASK-001")).code).toBe(0);
    expect((await desk.create("--id", "TASK-001")).code).toBe(0);
    expect((await desk.create("--task", "TASK-001")).code).toBe(0);
  });

  it("[PACKET-280] the title of the task is the goal without what is masked", async () => {
    const desk = new Desk({ goal: "Rotate ACME-1", security: { redaction_patterns: ["ACME-[0-9]+"] } });
    const { out, err } = await desk.create();
    expect(out).toContain("read-once: Rotate [REDACTED]\n");
    expect(err).toContain("MANIFEST_MASKED");
    expect(desk.read("README.md")).not.toContain("ACME-");
  });

  it("[PACKET-160] [regression PACKET-378] finds what is wrong before anything is made", async () => {
    const desk = new Desk();
    for (const name of ["a:b.md", "big.md"]) {
      const file = join(desk.folder, "inputs/attachments", name);
      writeFileSync(file, name === "big.md" ? "x".repeat(300_000) : "x");
      const { code, err } = await desk.create("--inputs", "../inputs");
      const why = name === "big.md" ? "big.md" : "a:b.md\": it has a ':'";
      expect([code, err]).toEqual([2, expect.stringContaining(why)]);
      rmSync(file);
    }
    const linked = new Desk();
    symlinkSync("/etc/passwd", join(linked.folder, "inputs/user_request.md"));
    expect((await linked.create("--inputs", "../inputs")).err).toContain('found a link at "../inputs/user_request.md"');
    rmSync(join(linked.folder, "inputs/user_request.md"));
    writeFileSync(join(linked.folder, "inputs/unknown.md"), "x");
    expect((await linked.create("--inputs", "../inputs")).err).toContain(
      '"../inputs/unknown.md": inputs are user_request.md',
    );
    linked.manifest({ ...MANIFEST, task_id: "read-once", routing: { intent: "dance" } });
    expect((await linked.create()).code).toBe(2);
    for (const each of [desk, linked]) expect(existsSync(join(each.cwd, ".coco"))).toBe(false);
  });

  it("[PACKET-121] [PACKET-160] more attachments than a packet takes are refused before a task is made", async () => {
    const desk = new Desk();
    for (let n = 0; n < 51; n++) writeFileSync(join(desk.folder, `inputs/attachments/${n}.md`), "x\n");
    const { code, err } = await desk.create("--inputs", "../inputs");
    expect([code, err]).toEqual([2, expect.stringContaining("at most 50 attachments, found 51")]);
    expect(existsSync(desk.path("task.yaml"))).toBe(false);
  });

  it("[PACKET-21] shows the stages of a task or of a manifest, with the time limit that holds", async () => {
    const enforce = { routing: { intent: "safe_impl", pipeline: { options: { timeout_mode: "enforce" } } } };
    const desk = new Desk(enforce);
    desk.servant("gemini", ["-m", "{model}"], "stdin", { timeout_sec: 5 });
    await desk.create();
    const before = tree(desk.cwd);
    for (const args of [["read-once"], ["--manifest", "../manifest.yaml", "--config", "../configs"]]) {
      const { doc } = await desk.json("plan", ...args);
      const { stages } = doc.result as { stages: Record<string, unknown>[] };
      expect(stages.map(({ stage }) => stage)).toEqual(SAFE);
      expect(stages[0]).toMatchObject({ tool: "gemini", role: "brief", model: "m1", timeout_sec: 5 });
      expect(stages[0]!["from"]).toMatchObject({ timeout_sec: "configs/servant/gemini.yaml: timeout_sec" });
      expect(stages[1]).toMatchObject({ timeout_sec: 60 });
    }
    desk.servant("gemini", ["-m", "{model}"], "stdin", { timeout_sec: 7 });
    expect((await desk.run("plan", "read-once", "--config", "../configs")).out).toContain("7 s (enforce)");
    expect((await desk.run("plan")).code).toBe(2);
    expect(tree(desk.cwd)).toEqual(before);
  });
});

describe("packet run", () => {
  it(
    "[PACKET-152] [PACKET-160] runs to the end with progress on stderr, and with one document for programs",
    FAST,
    async () => {
      const desk = new Desk();
      await desk.create();
      const failed = await desk.run("run", "read-once", "--config", "../configs");
      expect(failed.code).toBe(1);
      expect(failed.err).toContain("codex_verify: 1 acceptance command does not run without --allow-commands\n");
      expect(failed.out).toMatch(
        /^read-once: stopped at codex_impl\. 2 of 6 paid calls are used\.\nNext: run codex_verify\n/,
      );
      const command = "taskfold packet run read-once --config ../configs --allow-commands";
      expect(desk.read("outputs/_summary.md")).toContain(`- command: ${command}\n`);
      const one = await desk.run(
        "run",
        "read-once",
        "--config",
        "../configs",
        "--stage",
        "codex_verify",
        "--allow-commands",
      );
      expect(one.code).toBe(0);
      const { code, doc } = await desk.json("run", "read-once", "--config", "../configs", "--allow-commands");
      expect(code).toBe(0);
      expect(doc.result).toMatchObject({ outcome: "done", paid_calls_used: 4, next: { because: "done" } });
      expect((await desk.run("run", "read-once")).code).toBe(2);
      expect((await desk.run("run", "nothing")).code).toBe(3);
    },
  );
});

describe("packet run that is told to stop", () => {
  it("[regression PACKET-295] says interrupted, as the log does", FAST, async () => {
    const desk = new Desk();
    const begun = join(desk.folder, "begun");
    desk.servant("gemini", [], "stdin", { command: ["sh", "-c", `touch ${begun}; sleep 30`] });
    await desk.create();
    const stop = new AbortController();
    const watch = setInterval(() => existsSync(begun) && stop.abort(), 20);
    const setting = { cwd: desk.cwd, env: { PATH: process.env["PATH"]! }, stop: stop.signal };
    const { code, err } = await run(setting, "packet", "run", "read-once", "--config", "../configs");
    clearInterval(watch);
    expect([code, err]).toEqual([1, expect.stringMatching(/^gemini_brief interrupted \(\d+s\): its dispatcher/m)]);
    expect(err).not.toContain("failed");
  });
});

describe("one stage by hand", () => {
  it("[PACKET-160] compose writes the prompt and costs nothing", async () => {
    const desk = new Desk();
    await desk.create();
    const { code, out } = await desk.run("compose", "read-once", "gemini_brief", "--config", "../configs");
    expect({ code, out }).toEqual({ code: 0, out: ".coco/tasks/read-once/inputs/prompt/gemini.brief.md\n" });
    expect(readFileSync(join(desk.cwd, out.trim()), "utf8")).toContain("Read the configuration once");
    const composed = await json({ cwd: desk.folder }, "-C", "repo", "packet", "compose", "read-once", "gemini_brief");
    expect(composed.doc.result).toMatchObject({ path: join("repo", out.trim()) });
    expect(JSON.parse(desk.read("state/stats.json"))).toMatchObject({ paid_calls_used: 0 });
    expect((await desk.run("compose", "read-once", "codex_dance")).code).toBe(2);
  });

  it("[PACKET-215] compose and start say which inputs no prompt has", async () => {
    const desk = new Desk();
    await desk.create();
    writeFileSync(desk.path("inputs/user_request.md"), "Do it.\n");
    for (const command of ["compose", "start"]) {
      const { code, err } = await desk.run(command, "read-once", "gemini_brief");
      expect([code, err], command).toEqual([0, expect.stringContaining("No prompt has inputs/user_request.md")]);
    }
  });

  it("[PACKET-422] an end needs the run once another actor interrupted the attempt and began one of his own", async () => {
    const desk = new Desk({ routing: { intent: "review_only" } });
    await desk.create();
    writeFileSync(join(desk.folder, "answer"), REVIEW);
    const begun = /run ([0-9a-f]{20})\./;
    const mine = begun.exec((await desk.run("start", "read-once", "gemini_review")).out)![1]!;
    const target = { task: "read-once", stage: "gemini_review" };
    const servant = { cwd: desk.cwd, env: { TASKFOLD_BY: "agent:servant" } };
    await run(servant, "call", "packet_stage_interrupt", JSON.stringify({ ...target, reason: "so" }));
    const theirs = begun.exec((await run(servant, "packet", "start", "read-once", "gemini_review")).out)![1]!;
    const finish = (...more: string[]) =>
      desk.run(
        "finish",
        "read-once",
        "gemini_review",
        "--exit-code",
        "0",
        "--out",
        join(desk.folder, "answer"),
        ...more,
      );
    expect((await finish()).err).toMatch(
      new RegExp(`^STAGE_NOT_RUNNING: Expected run to name .* by agent:servant .*${theirs}`),
    );
    expect((await finish("--run", mine)).err).toContain("Attempt 1 was interrupted: so.");
    expect((await finish("--run", theirs)).err).not.toContain("STAGE_NOT_RUNNING");
  });

  it(
    "[PACKET-160] [PACKET-240] start and finish: the output is kept without secrets, and the gate is judged",
    FAST,
    async () => {
      const routing = { routing: { intent: "review_only" }, security: { redaction_patterns: ["hunter\\d"] } };
      const desk = new Desk(routing);
      await desk.create();
      const out = join(desk.folder, "answer");
      writeFileSync(out, "no headings, hunter2\n");
      const finish = (code: string) =>
        desk.run("finish", "read-once", "gemini_review", "--exit-code", code, "--out", out);
      expect((await finish("0")).err).toContain("STAGE_NOT_RUNNING");
      const started = await desk.run("start", "read-once", "gemini_review");
      expect(started.out).toMatch(
        /^gemini_review started, attempt 1, run [0-9a-f]{20}\.\nPrompt: \.coco\/tasks\/read-once\/inputs\/prompt\/gemini\.review\.md\n$/,
      );
      const failed = await finish("0");
      expect([failed.code, failed.out]).toEqual([
        1,
        expect.stringMatching(/^gemini_review failed\.\n {2}Expected the heading/),
      ]);
      expect(desk.read("outputs/gemini_review.gemini.out")).toBe("no headings, [REDACTED]\n");
      await desk.run("start", "read-once", "gemini_review");
      writeFileSync(join(desk.cwd, "outside"), "x");
      writeFileSync(out, REVIEW);
      expect((await finish("0")).out).toContain("outside");
      await run({ cwd: desk.cwd }, "packet", "reset-budget", "read-once", "retry_budget", "--reason", "looked");
      await desk.run("start", "read-once", "gemini_review");
      expect((await finish("0")).out).toContain("outside");
      await run({ cwd: desk.cwd }, "packet", "reset-budget", "read-once", "retry_budget", "--reason", "looked");
      await desk.run("start", "read-once", "gemini_review");
      rmSync(join(desk.cwd, "outside"));
      expect(await finish("0")).toMatchObject({ code: 0, out: "gemini_review passed.\nNext: archive\n" });
      expect((await run({ cwd: desk.cwd }, "verify")).code).toBe(0);
    },
  );

  it("[PACKET-106] the files that finish is given are no change of the stage", FAST, async () => {
    const desk = new Desk({ routing: { intent: "review_only" } });
    await desk.create();
    const finish = () =>
      desk.run("finish", "read-once", "gemini_review", "--exit-code", "0", "--out", "o.md", "--err", "e.txt");
    await desk.run("start", "read-once", "gemini_review");
    for (const [name, text] of Object.entries({ "o.md": REVIEW, "e.txt": "", "more.md": "" }))
      writeFileSync(join(desk.cwd, name), text);
    expect((await finish()).out).toMatch(/^gemini_review failed\.\n {2}Expected .* found "more\.md", [^\n]*\nNext/);
    await desk.run("start", "read-once", "gemini_review");
    rmSync(join(desk.cwd, "more.md"));
    expect((await finish()).out).toMatch(/^gemini_review passed/);
  });

  it("[PACKET-106] [PACKET-105] nor is a file that the run prints into, and every other one is", FAST, async () => {
    const desk = new Desk({ routing: { intent: "review_only" } });
    await desk.create();
    const cli = [process.execPath, join(ROOT, "dist/cli.cjs"), "packet", "run", "read-once", "--config", "../configs"];
    const shell = (script: string) => spawnSync("sh", ["-c", script, "sh", ...cli], { cwd: desk.cwd }).status;
    const other = "until ls .coco/tasks/read-once/outputs/*.partial; do sleep 0.05; done; echo x > of-another";
    expect(shell(`(${other}) > /dev/null 2>&1 & SERVANT_SLEEP=3 "$@" > run.log 2>&1`)).toBe(1);
    expect(desk.read("outputs/_summary.md")).toMatch(
      /found "of-another", [^\n]*\n- suggested: .*Changes of other processes/,
    );
    expect(readFileSync(join(desk.cwd, "run.log"), "utf8")).toContain("scope_violation");
    rmSync(join(desk.cwd, "of-another"));
    expect(shell('"$@" > run.log 2> err.log')).toBe(0);
  });

  it("[PACKET-160] next, reopen and reset-budget are one call each", FAST, async () => {
    const desk = new Desk({ routing: { intent: "review_only" } });
    await desk.create();
    expect((await desk.json("next", "read-once")).doc).toMatchObject({
      intent: "packet_next",
      result: { stage: "gemini_review", action: "run gemini_review", allowed: true, because: null },
    });
    await desk.run("run", "read-once", "--config", "../configs");
    expect((await desk.run("next", "read-once")).out).toBe("archive (not allowed: done)\n");
    expect((await desk.json("next", "read-once")).doc.result).toMatchObject({ stage: null, because: "done" });
    const reopened = await desk.json(
      "reopen",
      "read-once",
      "gemini_review",
      "--reason",
      "again",
      "--config",
      "../configs",
    );
    expect(reopened.doc).toMatchObject({ intent: "packet_stage_reopen", success: true });
    const reset = await desk.json("reset-budget", "read-once", "paid_call_budget", "--reason", "allowed");
    expect(reset.doc).toMatchObject({ intent: "packet_budget_reset", success: true });
    expect((await desk.run("reset-budget", "read-once", "money", "--reason", "x")).code).toBe(2);
    expect((await desk.run("reopen", "read-once", "gemini_review")).code).toBe(2);
  });
});

describe("paths in answers of packet commands", () => {
  it("[PACKET-160] [ENG-12] are as the caller typed them, and never those of the machine", FAST, async () => {
    const desk = new Desk();
    await desk.create();
    await desk.run("start", "read-once", "gemini_brief");
    writeFileSync(join(desk.cwd, "file"), "x");
    mkdirSync(join(desk.cwd, "full"));
    writeFileSync(join(desk.cwd, "full/file"), "x");
    mkdirSync(join(desk.cwd, "in/user_request.md"), { recursive: true });
    const refused: [named: string, ...args: string[]][] = [
      ["./none.yaml", "validate", "./none.yaml"],
      ["none.yaml", "plan", "--manifest", "none.yaml"],
      ["none.yaml", "create", "none.yaml"],
      ["none", "create", "../manifest.yaml", "--inputs", "none"],
      ["in/user_request.md", "create", "../manifest.yaml", "--inputs", "in"],
      ["none", "run", "read-once", "--config", "none"],
      ["../none", "import", "../none"],
      ["file", "import", "file"],
      ["none.md", "review", "none.md", "../manifest.yaml"],
      ["none.md", "review", "../manifest.yaml", "none.md"],
      ["file", "review", "../manifest.yaml", "../manifest.yaml", "file"],
      ["file/below", "review", "../manifest.yaml", "../manifest.yaml", "file/below"],
      [".coco/x", "review", "../manifest.yaml", "../manifest.yaml", ".coco/x"],
      ["none.out", "finish", "read-once", "gemini_brief", "--exit-code", "0", "--out", "none.out"],
      ["full", "export", "read-once", "full"],
      ["file", "export", "read-once", "file"],
      ["file/below", "export", "read-once", "file/below"],
      [".coco/x", "export", "read-once", ".coco/x"],
      ["file", "export-review", "read-once", "file"],
    ];
    for (const [named, ...args] of refused) {
      const { code, out, err } = await desk.run(...args, "--json");
      const { error } = JSON.parse(out) as Document;
      expect([args, code === 0, error?.message], err).toEqual([args, false, expect.stringContaining(named)]);
      expect(out, args.join(" ")).not.toContain(desk.folder);
    }
    for (const args of [
      ["export", "read-once", "../out"],
      ["export-review", "read-once", "../reviewed"],
    ])
      expect(await desk.json(...args)).toMatchObject({ code: 0, doc: { result: { folder: args[2] } } });
  });

  it("[PACKET-29] [PACKET-100] the events of a stage name the prompt from the root on", FAST, async () => {
    const desk = new Desk({ routing: { intent: "review_only" } });
    await desk.create();
    await desk.run("run", "read-once", "--config", "../configs");
    const prompt = ".coco/tasks/read-once/inputs/prompt/gemini.review.md";
    expect(desk.read("events.jsonl")).toContain(`"--prompt-file","${prompt}"`);
    expect(desk.read("outputs/gemini_review.gemini.wrapper.log")).toContain(`"${prompt}"`);
    for (const file of ["events.jsonl", "outputs/gemini_review.gemini.wrapper.log"])
      expect(desk.read(file)).not.toContain(desk.folder);
  });

  it(
    "[PACKET-112] [regression PACKET-322] a failed stage shows what it printed and where its files are",
    FAST,
    async () => {
      const desk = new Desk({ routing: { intent: "review_only" } });
      await desk.create();
      const servant = (script: string) => ({ tool: "gemini", command: ["sh", "-c", script], prompt: "stdin" });
      for (const script of ["echo of-stdout; exit 9", "echo of-stdout; echo of-stderr >&2; exit 9"]) {
        const config = { ...servant(script), default_model: "m1", allowed_models: ["m1"] };
        writeFileSync(join(desk.folder, "configs/servant/gemini.yaml"), JSON.stringify(config));
        const { err } = await desk.run("run", "read-once", "--stage", "gemini_review", "--config", "../configs");
        const said = script.includes("of-stderr >&2") ? "of-stderr" : "of-stdout";
        expect(err.match(/^ {2}\| .*$/gm)).toEqual([
          `  | ${said}`,
          "  | files: .coco/tasks/read-once/outputs/gemini_review.*",
        ]);
        expect(err).not.toMatch(/PATH|"sh"/);
      }
    },
  );
});

describe("words of messages", () => {
  it("[regression ERR-26] one thing is counted in the singular", FAST, async () => {
    const desk = new Desk();
    const inRepo = (...args: string[]) => run({ cwd: desk.cwd }, ...args);
    await inRepo("init", "--workspace", "a/b");
    await inRepo("call", "tasks_create", '{"kind":"task","title":"One"}');
    expect((await inRepo("verify")).out).toBe("1 log, 1 event: all is well\n");
    writeFileSync(join(desk.cwd, ".coco/tasks/TASK-001/README.md"), "changed\n");
    expect((await inRepo("verify")).out).toContain("1 log, 1 event: 1 finding\n");
    expect((await inRepo("log", "TASK-001")).out).toContain("1 event in all");
    await desk.create();
    expect((await desk.run("start", "read-once", "codex_impl")).err).toContain(
      "codex_impl runs although gemini_brief stands before it and is not done.",
    );
    expect((await desk.run("start", "read-once", "codex_verify")).err).toContain(
      "codex_verify runs although gemini_brief, codex_impl stand before it and are not done.",
    );
    expect((await desk.run("export-review", "read-once", "../out")).out).toBe("read-once: 1 file in ../out.\n");
  });

  it("[PACKET-190] [regression ERR-27] the root of the machine is a folder without a manifest", FAST, async () => {
    const desk = new Desk();
    const { code, err } = await desk.run("import", "/");
    expect([code, err]).toEqual([2, expect.stringContaining("Expected manifest.yaml in the folder, found none.")]);
    await desk.create();
    writeFileSync(join(desk.cwd, "file"), "x");
    for (const command of ["export", "export-review"]) {
      const blocked = await desk.run(command, "read-once", "file/below");
      expect(blocked.err).toContain("STORAGE_FAILED: Could not write into file/below: the system said ENOTDIR.");
      const file = await desk.run(command, "read-once", "file");
      expect([file.code, file.err]).toEqual([2, expect.stringContaining("INVALID_INPUT: Expected a folder")]);
    }
  });

  it("[PACKET-180] no prompt is composed in the archive", FAST, async () => {
    const desk = new Desk();
    await desk.create();
    await desk.run("archive", "read-once");
    const { code, err } = await desk.run("compose", "read-once", "gemini_brief");
    expect([code, err]).toEqual([1, expect.stringContaining("ARCHIVED: ")]);
    expect(existsSync(join(desk.cwd, ".coco/archive/read-once/inputs/prompt/gemini.brief.md"))).toBe(false);
  });

  it("[regression CLI-93] a refusal shows the command that works, and no input of a tool", FAST, async () => {
    const desk = new Desk({ budgets: { retry_budget: 1, paid_call_budget: 0, max_wallclock_sec: 9 } });
    const made = await desk.create();
    expect(made.out).toContain("Next: taskfold packet run read-once --config ../configs\n");
    const cases: [said: string, ...args: string[]][] = [
      [
        "  Such as: taskfold packet reset-budget read-once paid_call_budget --reason 'a look'\n",
        "reset-budget",
        "read-once",
        "both",
        "--reason",
        "a look",
      ],
      [
        "  Such as: taskfold packet reopen TASK-001 gemini_brief --reason",
        "reopen",
        "",
        "gemini_brief",
        "--reason",
        "x",
      ],
      ["  try: taskfold packet plan read-once\n", "start", "read-once", "gemini_dance"],
      [
        "  try: taskfold packet reset-budget read-once paid_call_budget --reason 'the owner allows it'\n",
        "start",
        "read-once",
        "gemini_brief",
      ],
      [
        "  try: taskfold packet start read-once gemini_brief\n",
        "finish",
        "read-once",
        "gemini_brief",
        "--exit-code",
        "0",
      ],
      ["  try: taskfold packet next read-once\n", "reopen", "read-once", "gemini_brief", "--reason", "x"],
    ];
    for (const [said, ...args] of cases) {
      const { err } = await desk.run(...args);
      expect(err).toContain(said);
      expect(err).not.toMatch(/\{"|taskfold call packet/);
    }
  });
});
