// @module-tag long
// @module-tag rotating
/** The scope of a stage against servants that hide what they write: real programs, real git. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/state/json.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import { git } from "../hosts/cli_support.ts";
import { TASK } from "../packet/packet_support.ts";
import { tempFolder } from "../support/temp.ts";
import { ok } from "../support/workspace.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { until } from "./stage_support.ts";

const LIMIT = { timeout: 180_000 };
const ANSWER = String.raw`printf '## Findings\nnone\n## Test gaps\n## Breaking changes\n## Minimal fix\n'`;

afterEach(() => void vi.unstubAllEnvs());

async function roomOf(
  work: string,
  scope: JsonObject = { allow: ["src/"], deny: ["src/secret/"] },
): Promise<PacketRoom> {
  vi.stubEnv("HOME", tempFolder());
  vi.stubEnv("XDG_CONFIG_HOME", "");
  const servants = { gemini: script(`cat > prompt.txt; rm prompt.txt; ${work}; ${ANSWER}`) };
  const manifest = { routing: { intent: "review_cross" }, scope };
  const room = await PacketRoom.make({ manifest, servants });
  await ok(room.ws, "change_mind", { task: TASK, selector: "progress", content: "Begun." });
  mkdirSync(join(room.root, "src"));
  for (const [path, text] of [
    [".gitignore", "dist/\nnode_modules/\n.coco/\n"],
    ["src/a.ts", "a\n"],
  ] as const)
    writeFileSync(join(room.root, path), text);
  git(room.root, "add", "-A");
  git(room.root, "commit", "-q", "-m", "first");
  return room;
}

async function ran(work: string, scope?: JsonObject) {
  const room = await roomOf(work, scope);
  const { stages } = await room.run({ stage: "gemini_review" });
  return stages[0]!;
}

function violation(path: string) {
  return { outcome: "failed", class: "scope_violation", reasons: [expect.stringContaining(`found "${path}"`)] };
}

describe("a stage", () => {
  it("[PACKET-300] [regression PACKET-377] hides no file by rules that it writes itself", LIMIT, async () => {
    const beside = "echo secret/ >> src/.gitignore; mkdir src/secret; echo 1 > src/secret/x";
    expect(await ran(beside)).toMatchObject(violation("src/secret/x"));
    const root = "echo vault/ >> .gitignore; mkdir vault; echo 1 > vault/x";
    expect(await ran(root, { allow: ["."], deny: ["vault/"] })).toMatchObject(violation("vault/x"));
    const itself = "mkdir made; echo '*' > made/.gitignore";
    expect(await ran(itself)).toMatchObject(violation("made/.gitignore"));
    expect((await ran(itself)).reasons[0]).toContain('add "made/" to .gitignore before the run');
  });

  it("[PACKET-300] hides no file by rules of the user, and may not change them", LIMIT, async () => {
    const rules = 'mkdir -p "$HOME/.config/git"; echo other.txt > "$HOME/.config/git/ignore"; echo 1 > other.txt';
    const reasons = [expect.stringContaining('".git/core.excludesFile"'), expect.stringContaining('"other.txt"')];
    expect(await ran(rules)).toMatchObject({ class: "scope_violation", reasons });
    const named = 'echo other.txt > "$HOME/r"; git config --global core.excludesFile "~/r"; echo 1 > other.txt';
    expect(await ran(named)).toMatchObject({ class: "scope_violation", reasons });
  });

  it("[PACKET-300] writes below no denied path, though git ignored it before", LIMIT, async () => {
    const scope = { allow: ["src"], deny: ["dist"] };
    expect(await ran("mkdir dist; echo 1 > dist/x", scope)).toMatchObject(violation("dist/x"));
  });

  it.each([
    ["a file written", "echo Mine > $T/taskdoc.tsk/goals.md", "taskdoc.tsk/goals.md"],
    [
      "a section made",
      "mkdir $T/taskdoc.tsk/plans; echo Mine > $T/taskdoc.tsk/plans/next.md",
      "taskdoc.tsk/plans/next.md",
    ],
    ["a file removed", "rm $T/taskdoc.tsk/goals.md", "taskdoc.tsk/goals.md"],
    [
      "a link in its place",
      "rm $T/taskdoc.tsk/goals.md; ln -s ../README.md $T/taskdoc.tsk/goals.md",
      "taskdoc.tsk/goals.md",
    ],
    ["a package beside it", "mkdir $T/notes.TSK; echo Mine > $T/notes.TSK/a.md", "notes.TSK/a.md"],
  ])("[PACKET-382] %s: a stage changes no Taskdoc, whatever the scope allows", LIMIT, async (_what, work, file) => {
    const result = await ran(`T=.coco/tasks/${TASK}; ${work}`, { allow: [".", ".coco/"], deny: [] });
    expect(result).toMatchObject(violation(`.coco/tasks/${TASK}/${file}`));
    expect(result.reasons[0]).toContain("which lies in a Taskdoc package, and change_mind alone changes one");
  });

  it("[PACKET-382] writes into no other package of the work tree", LIMIT, async () => {
    const work = "mkdir -p src/plan.tsk; echo Mine > src/plan.tsk/goals.md";
    expect(await ran(work)).toMatchObject(violation("src/plan.tsk/goals.md"));
  });

  it.each(["src/plan.tsk", "dist/deep/plan.tsk"])(
    "[PACKET-382] [PACKET-300] writes into no package that git ignored before: %s",
    LIMIT,
    async (folder) => {
      const room = await roomOf(`mkdir -p ${folder}; echo Mine > ${folder}/goals.md`, { allow: ["."], deny: [] });
      writeFileSync(join(room.root, ".gitignore"), "*.tsk/\ndist/\n");
      git(room.root, "add", ".gitignore");
      git(room.root, "commit", "-qm", "rules");
      const result = await room.run({ stage: "gemini_review" });
      expect(result.stages[0]).toMatchObject(violation(`${folder}/goals.md`));
    },
  );

  it("[PACKET-382] may see the Taskdoc change by the log, of its own task and of others", LIMIT, async () => {
    const cli = join(import.meta.dirname, "../../dist/cli.cjs");
    const call = (tool: string, input: object): string =>
      `node ${cli} call ${tool} '${JSON.stringify(input)}' > /dev/null`;
    const work = [
      call("tasks_create", { kind: "task", title: "Another" }),
      call("change_mind", { task: TASK, selector: "goals", content: "By the log" }),
      call("change_mind", { task: "TASK-002", selector: "next", category: "plans", content: "By the log" }),
    ].join("; ");
    const room = await roomOf(work);
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject({ outcome: "passed", reasons: [] });
    expect(room.read("taskdoc.tsk/goals.md")).toBe("By the log\n");
  });

  it("[PACKET-382] may see a task deleted, and another one archived, beside the stage", LIMIT, async () => {
    const cli = join(import.meta.dirname, "../../dist/cli.cjs");
    const calls = [
      ["tasks_delete", "TASK-002"],
      ["tasks_archive", "TASK-003"],
    ].map(([tool, task]) => `node ${cli} call ${tool} '${JSON.stringify({ task })}' > /dev/null`);
    const room = await roomOf(calls.join("; "));
    for (const title of ["To go", "To keep"]) await ok(room.ws, "tasks_create", { kind: "task", title });
    await ok(room.ws, "tasks_complete", { task: "TASK-003", status: "CANCELED", reason: "not needed" });
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject({ outcome: "passed", reasons: [] });
    expect(readdirSync(join(room.root, ".coco/archive")).toSorted()).toEqual(["TASK-002", "TASK-003"]);
  });

  it("[PACKET-382] passes once the next attempt finds the Taskdoc as its log says", LIMIT, async () => {
    const goals = `.coco/tasks/${TASK}/taskdoc.tsk/goals.md`;
    const room = await roomOf(`[ -f .git/once ] || { touch .git/once; echo Mine > ${goals}; }`);
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject(violation(goals));
    await room.ws.repair.rebuild(TASK);
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject({ outcome: "passed" });
  });

  it("[PACKET-300] may change rules in its scope, and what was ignored before", LIMIT, async () => {
    const work = `mkdir -p dist node_modules/a; echo 1 > dist/x; echo 1 > node_modules/a/x
      echo '*.log' > src/.gitignore; echo 1 > src/run.log; echo 1 > src/new.ts`;
    expect(await ran(work)).toMatchObject({ outcome: "passed" });
  });

  it("[PACKET-300] hides nothing by rules of an attempt that failed", LIMIT, async () => {
    const work = `if [ -f .git/once ]; then rm src/secret/x; echo 2 > other/y; else
      touch .git/once; printf 'secret/\\n' > src/.gitignore; printf 'other/\\n' >> .gitignore; mkdir src/secret other; echo 1 > src/secret/x; fi`;
    const room = await roomOf(work, { allow: ["src", ".gitignore"], deny: ["src/secret"] });
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject(violation("src/secret/x"));
    expect((await room.run({ stage: "gemini_review" })).stages[0]).toMatchObject(violation("other/y"));
  });

  it("[PACKET-300] hides no file when another process ends it", LIMIT, async () => {
    const room = await roomOf("true");
    const stage = "gemini_review";
    expect(await startByHand(room.ws, { task: TASK, stage })).toMatchObject({ success: true });
    writeFileSync(join(room.root, ".gitignore"), "other.txt\n");
    writeFileSync(join(room.root, "other.txt"), "x");
    const out = join(tempFolder(), "out");
    writeFileSync(out, "## Findings\nnone\n## Test gaps\n## Breaking changes\n## Minimal fix\n");
    const reply = await finishByHand(room.open(), { task: TASK, stage, exit_code: 0, out });
    const reasons = [".gitignore", "other.txt"].map((path) => expect.stringContaining(`found "${path}"`));
    expect(reply).toMatchObject({ result: { passed: false, reasons } });
  });

  it("[regression PACKET-305] costs two calls of git", LIMIT, async () => {
    const room = await roomOf("true");
    const calls = join(tempFolder(), "calls");
    const bin = tempFolder();
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$*" >> ${calls}\nexec ${real} "$@"\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    expect(await room.run()).toMatchObject({ outcome: "done" });
    const made = readFileSync(calls, "utf8").trimEnd().split("\n");
    expect(made.filter((call) => call.includes("ls-files"))).toHaveLength(2 * room.packet.plan.stages.length);
    expect(made.filter((call) => !call.includes("ls-files"))).toHaveLength(3);
  });
});

describe("a stage in a folder of the repository", () => {
  it("[PACKET-382] changes nothing beside the folder, by files, the index or a commit", LIMIT, async () => {
    const top = tempFolder();
    git(top, "init", "-q");
    const root = join(top, "pkg");
    mkdirSync(join(root, "src"), { recursive: true });
    writeFileSync(join(top, ".gitignore"), "*.log\n");
    writeFileSync(join(top, "above.txt"), "a\n");
    git(top, "add", "-A");
    git(top, "commit", "-q", "-m", "first");
    for (const [work, found] of [
      ["mkdir -p ../other; echo 1 > ../other/new.txt", "../other/new.txt"],
      ["echo 2 > ../above.txt", "../above.txt"],
      ["echo 3 > ../above.txt; git commit -qam hidden", "../above.txt"],
      ["echo 1 > ../run.log; echo 1 > src/a.ts", null],
    ] as const) {
      const room = await PacketRoom.make({
        root,
        manifest: { routing: { intent: "review_cross" }, scope: { allow: ["src/"], deny: [] } },
        servants: { gemini: script(`cat > /dev/null; ${work}; ${ANSWER}`) },
      });
      const [stage] = (await room.run({ stage: "gemini_review" })).stages;
      expect(stage, work).toMatchObject(found === null ? { outcome: "passed" } : violation(found));
      await room.ws.close();
      rmSync(join(root, ".coco"), { recursive: true });
    }
  });
});

const REPORT = "## Findings\nnone\n## Test gaps\n## Breaking changes\n## Minimal fix\n";
const stage = "gemini_review";

/** As `git clean -fdx` does, or another machine. */
function forget(room: PacketRoom): void {
  rmSync(join(room.root, ".coco/registry"), { recursive: true, force: true });
}

async function ended(room: PacketRoom, ws = room.open()) {
  const out = join(tempFolder(), "out");
  writeFileSync(out, REPORT);
  return finishByHand(ws, { task: TASK, stage, exit_code: 0, out });
}

describe("an attempt whose record of the work tree is gone", () => {
  it("[PACKET-370] fails for what differs from the commit of its start", LIMIT, async () => {
    for (const work of [
      (root: string) => writeFileSync(join(root, "other.txt"), "x"),
      (root: string) => writeFileSync(join(root, "kept.txt"), "x"),
      (root: string) => (writeFileSync(join(root, "kept.txt"), "x"), git(root, "commit", "-qam", "hidden")),
      (root: string) => (rmSync(join(root, "kept.txt")), git(root, "add", "-A", "kept.txt")),
      (root: string) => writeFileSync(join(root, ".git/hooks/pre-commit"), "x"),
    ]) {
      const room = await roomOf("true");
      writeFileSync(join(room.root, "kept.txt"), "1\n");
      git(room.root, "add", "-A");
      git(room.root, "commit", "-q", "-m", "second");
      await startByHand(room.ws, { task: TASK, stage });
      work(room.root);
      forget(room);
      const reasons = expect.arrayContaining([
        expect.stringContaining("found none on this machine"),
        expect.stringContaining("Expected changes inside the scope"),
      ]);
      expect(await ended(room), String(work)).toMatchObject({ result: { passed: false, reasons } });
      // The next attempt knows of it, too.
      await startByHand(room.ws, { task: TASK, stage });
      expect(await ended(room), String(work)).toMatchObject({ result: { passed: false } });
    }
  });

  it("[PACKET-370] passes where only the scope differs, or nothing", LIMIT, async () => {
    for (const path of ["src/new.ts", undefined]) {
      const room = await roomOf("true");
      await startByHand(room.ws, { task: TASK, stage });
      if (path) writeFileSync(join(room.root, path), "x");
      forget(room);
      expect(await ended(room)).toMatchObject({ result: { passed: true } });
    }
  });

  it("[PACKET-370] passes once the file is gone, or a person has written it again", LIMIT, async () => {
    for (const mend of [
      (file: string) => rmSync(file),
      (file: string) => utimesSync(file, new Date(), new Date(1_000_000)),
    ]) {
      const room = await roomOf("true");
      const file = join(room.root, "other.txt");
      writeFileSync(file, "x");
      await startByHand(room.ws, { task: TASK, stage });
      writeFileSync(join(room.root, "src/a.ts"), "b");
      forget(room);
      expect(await ended(room)).toMatchObject({ result: { passed: false } });
      mend(file);
      await startByHand(room.ws, { task: TASK, stage });
      expect(await ended(room)).toMatchObject({ result: { passed: true } });
    }
  });

  it("[PACKET-370] fails in the run that takes it over, and after a failure", LIMIT, async () => {
    const room = await roomOf("[ -e other.txt ] || { echo 1 > other.txt; sleep 60; }");
    const abort = new AbortController();
    const stopped = room.run({ stage, signal: abort.signal });
    await until(() => existsSync(join(room.root, "other.txt")), "the servant's file");
    abort.abort();
    expect(await stopped).toMatchObject({ outcome: "aborted" });
    forget(room);
    const first = (await room.run({ stage })).stages[0]!;
    expect(first.reasons).toContainEqual(expect.stringContaining('"other.txt"'));
    forget(room);
    const again = (await room.run({ stage })).stages[0]!;
    expect(again).toMatchObject({ outcome: "failed", class: "scope_violation" });
    expect(again.reasons.join()).toContain('"other.txt"');
  });

  it("[PACKET-370] is not known without git, and the attempt fails", LIMIT, async () => {
    const room = await roomOf("true");
    rmSync(join(room.root, ".git"), { recursive: true });
    await startByHand(room.open(), { task: TASK, stage });
    writeFileSync(join(room.root, "other.txt"), "x");
    forget(room);
    const reasons = [expect.stringContaining("It is not known what changed")];
    expect(await ended(room)).toMatchObject({ result: { passed: false, reasons } });
  });
});
