// @module-tag long
// @module-tag rotating
/** Changes that git does not list, or lists by names that are no text: the gate of a stage sees each of them. Real files, real git. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { bytesOfName, shownName, textOfName } from "../../src/name_bytes.ts";
import { afterFailure, baselineAfter, changedIn } from "../../src/runner/baseline.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import { changedSince, readWorkTree } from "../../src/runner/work_tree.ts";
import type { WorkTreeContext } from "../../src/runner/work_tree.ts";
import { git } from "../hosts/cli_support.ts";
import { TASK } from "../packet/packet_support.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { SERVANTS } from "./stage_support.ts";
import { Tree } from "./tree.ts";

/** A path below a root, byte for byte: `\xff` in the text is that byte. */
function at(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}

function prepared(withGit = true): Tree {
  const tree = new Tree(tempFolder(), { git: withGit });
  for (const path of ["src/a.ts", "lib/l.ts"]) tree.write(path);
  tree.write(".gitignore", "run/\n*.sock\n");
  writeFileSync(at(tree.root, "lib/old\xff.txt"), "x");
  tree.repo?.commit("first");
  return tree;
}

const shown = (paths: string[]): string[] => paths.map(shownName);

describe("names that are not UTF-8", () => {
  it.each([
    [[0xff], "\\377"],
    [[0x61, 0xc3], "a\\303"],
    [[0xed, 0xa0, 0x80], "\\355\\240\\200"],
    [[0xf0, 0x9f, 0x98, 0x80, 0xff], "\u{1F600}\\377"],
    [[0xf4, 0x90, 0x80, 0x80], "\\364\\220\\200\\200"],
    [[0xc3, 0xa4, 0x2f, 0xfe, 0x2f], "ä/\\376/"],
  ])("[PACKET-106] are told apart, and keep their bytes: %j", (bytes, said) => {
    const text = textOfName(Buffer.from(bytes));
    expect([...bytesOfName(text)]).toEqual(bytes);
    expect(shownName(text)).toBe(said);
  });

  it.each([true, false])("[PACKET-106] count when they are new, changed, gone, or a folder's (git: %s)", (withGit) => {
    const tree = prepared(withGit);
    expect(tree.after(() => undefined)).toEqual([]);
    const paths = tree.after(() => {
      writeFileSync(at(tree.root, "lib/new\xff.txt"), "x");
      mkdirSync(at(tree.root, "lib/d\xff/deep"), { recursive: true });
      writeFileSync(at(tree.root, "lib/d\xff/deep/run.sh"), "x");
      writeFileSync(at(tree.root, "lib/d\xff/.gitignore"), "*\n");
    });
    expect(shown(paths)).toEqual(["lib/d\\377/.gitignore", "lib/d\\377/deep/run.sh", "lib/new\\377.txt"]);
    expect(shown(tree.after(() => appendFileSync(at(tree.root, "lib/old\xff.txt"), "y")))).toEqual([
      "lib/old\\377.txt",
    ]);
    expect(shown(tree.after(() => rmSync(at(tree.root, "lib/old\xff.txt"))))).toEqual(["lib/old\\377.txt"]);
  });

  it("[PACKET-106] count where the scope denies a folder, and where a commit has them", () => {
    const tree = prepared();
    tree.denied = ["run"];
    expect(
      shown(
        tree.after(() => {
          mkdirSync(join(tree.root, "run"));
          writeFileSync(at(tree.root, "run/key\xff.pem"), "x");
        }),
      ),
    ).toEqual(["run/key\\377.pem"]);
    const before = baselineAfter(undefined, tree.around, []);
    renameSync(at(tree.root, "lib/old\xff.txt"), at(tree.root, "lib/moved\xfe.txt"));
    tree.repo!.commit("moved");
    expect(shown(changedIn(before, tree.around).paths)).toEqual(["lib/moved\\376.txt", "lib/old\\377.txt"]);
  });

  it("[PACKET-106] [PACKET-240] are taken back by the bytes that the commit has", () => {
    const tree = prepared();
    const before = baselineAfter(undefined, tree.around, []);
    const file = at(tree.root, "lib/old\xff.txt");
    writeFileSync(file, "evil");
    const failed = afterFailure(before, changedIn(before, tree.around), tree.around);
    const next = baselineAfter(failed, tree.around, []);
    expect(shown(changedIn(next, tree.around).paths)).toEqual(["lib/old\\377.txt"]);
    writeFileSync(file, "x");
    expect(changedIn(next, tree.around).paths).toEqual([]);
  });

  it("[PACKET-240] are taken back by what the commit was made with, whatever object stands in for it", () => {
    const tree = prepared();
    const before = baselineAfter(undefined, tree.around, []);
    tree.write("lib/l.ts", "evil");
    const failed = afterFailure(before, changedIn(before, tree.around), tree.around);
    const [was, evil] = [tree.repo!.git("rev-parse", "HEAD:lib/l.ts"), tree.repo!.git("hash-object", "-w", "lib/l.ts")];
    tree.repo!.git("replace", was.trim(), evil.trim());
    const next = baselineAfter(failed, tree.around, []);
    tree.write("lib/l.ts", "evil");
    expect(changedIn(next, tree.around).paths).toEqual(["lib/l.ts"]);
  });
});

/** A disk that refuses a folder to this user: root is refused nothing. */
function refusing(tree: Tree, folder: string, mayEnter: boolean): WorkTreeContext {
  const disk = new FaultyDisk(tree.disk);
  const below = join(tree.root, folder);
  disk.fail({ kind: "entries", path: below } as never, "EACCES", { times: Infinity });
  if (!mayEnter)
    for (const name of existsSync(below) ? readdirSync(below) : [])
      disk.fail({ kind: "lstat", path: join(below, name) } as never, "EACCES", { times: Infinity });
  const outside = { ...disk.outside, isExecutable: (path: string) => path !== below || mayEnter };
  return {
    ...tree.around,
    disk: new Proxy(disk, { get: (on, name) => (name === "outside" ? outside : bound(on, name)) }),
  };
}

function bound(on: FaultyDisk, name: string | symbol): unknown {
  const value = Reflect.get(on, name, on) as unknown;
  return typeof value === "function" ? value.bind(on) : value;
}

describe("what git does not list", () => {
  const pipe = (root: string, path: string): void => void execFileSync("mkfifo", [join(root, path)]);

  it.each([true, false])(
    "[PACKET-106] counts, such as a pipe, also one in the place of a file (git: %s)",
    (withGit) => {
      const tree = prepared(withGit);
      mkdirSync(join(tree.root, "run"));
      const paths = tree.after(() => {
        pipe(tree.root, "lib/pipe");
        rmSync(join(tree.root, "lib/l.ts"));
        pipe(tree.root, "lib/l.ts");
        if (withGit) pipe(tree.root, "run/own");
        if (withGit) pipe(tree.root, "src/x.sock");
      });
      expect(paths).toEqual(["lib/l.ts", "lib/pipe"]);
      expect(tree.after(() => undefined)).toEqual([]);
      expect(tree.after(() => rmSync(join(tree.root, "lib/pipe")))).toEqual(["lib/pipe"]);
    },
  );

  it("[PACKET-106] [PACKET-300] counts by the ignore rules of before", () => {
    const tree = prepared();
    expect(
      tree.after(() => {
        tree.write("lib/.gitignore", "*\n");
        pipe(tree.root, "lib/pipe");
      }),
    ).toEqual(["lib/.gitignore", "lib/pipe"]);
  });

  it("[PACKET-106] counts where a folder is kept from the user, unless that was so before and no user can enter it", () => {
    const tree = prepared();
    for (const path of ["lib/h/evil.sh", "run/data/x"]) tree.write(path);
    const before = tree.look();
    const after = (folder: string, mayEnter: boolean, look = before): string[] =>
      changedSince(look, refusing(tree, folder, mayEnter)).paths;
    expect(after("lib/h", false)).toEqual(["lib/h", "lib/h/evil.sh"]);
    expect(after("run/data", false)).toEqual([]);
    const kept = readWorkTree(refusing(tree, "lib/h", false), { denied: [] });
    expect(after("lib/h", false, kept)).toEqual([]);
    const entered = readWorkTree(refusing(tree, "lib/h", true), { denied: [] });
    expect(after("lib/h", true, entered)).toEqual(["lib/h"]);
  });

  it("[PACKET-106] counts where a path is longer than the system takes", () => {
    const tree = prepared();
    const deep = `lib${`/${"n".repeat(199)}`.repeat(20)}`;
    expect(tree.after(() => tree.write(`${deep}/evil.sh`))).toContain(deep);
  });

  it("[PACKET-394] counts in a folder named .coco that is not the workspace's", () => {
    const tree = prepared();
    tree.write("lib/.coco/tracked.sh");
    tree.repo!.commit("second");
    const paths = tree.after(() => {
      tree.write("lib/.coco/tracked.sh", "evil");
      tree.write("lib/.coco/tasks/TASK-001/run.sh");
    });
    expect(paths).toEqual(["lib/.coco/tasks/TASK-001/run.sh", "lib/.coco/tracked.sh"]);
  });

  it("[PACKET-382] counts in a .git of a folder, which need not be a repository", () => {
    const tree = prepared();
    expect(tree.after(() => tree.write("lib/.git/hooks/deep/run.sh"))).toEqual([
      "lib/.git",
      "lib/.git/hooks/deep/run.sh",
    ]);
    expect(tree.after(() => tree.write("lib/.git/evil.sh"))).toEqual(["lib/.git/evil.sh"]);
    const made = tree.after(() => void git(join(tree.root, "src"), "init", "-q", "--template="));
    expect(made).toEqual(["src/.git", "src/.git/config"]);
    expect(tree.after(() => git(join(tree.root, "src"), "config", "core.pager", "evil"))).toEqual(["src/.git/config"]);
    expect(
      tree.after(() => {
        mkdirSync(join(tree.root, "run/clone"), { recursive: true });
        git(join(tree.root, "run/clone"), "init", "-q");
      }),
    ).toEqual([]);
  });

  it("[PACKET-382] counts in a file that the configuration includes, and behind a link to hooks", () => {
    const tree = prepared();
    tree.write(".git/more.inc", "[user]\n\tname = a\n");
    tree.write("conf/other.inc", "[include]\n\tpath = third.inc\n");
    tree.repo!.git("config", "include.path", "more.inc");
    tree.repo!.git("config", "includeIf.onbranch:never.path", "../conf/other.inc");
    tree.repo!.commit("second");
    expect(tree.after(() => undefined)).toEqual([]);
    expect(tree.after(() => tree.write(".git/more.inc", "[alias]\n\tst = !evil\n"))).toEqual([
      ".git/include.path/more.inc",
    ]);
    expect(tree.after(() => tree.write("conf/third.inc", "[alias]\n\tst = !evil\n"))).toEqual([
      expect.stringMatching(/^\.git\/include\.path\/[0-9a-f]{8}\/third\.inc$/),
      "conf/third.inc",
    ]);
    const hooks = join(tree.root, ".git/hooks");
    mkdirSync(join(tempFolder(), "h"));
    expect(
      tree.after(() => {
        rmSync(hooks, { recursive: true });
        const elsewhere = tempFolder();
        writeFileSync(join(elsewhere, "pre-commit"), "evil");
        symlinkSync(elsewhere, hooks);
      }),
    ).toEqual([".git/hooks", ".git/hooks/pre-commit"]);
  });
});

const LIMIT = { timeout: 180_000 };
const ANSWER = "## Findings\nnone\n## Test gaps\n## Breaking changes\n## Minimal fix\n";
const stage = "gemini_review";
const OTHER = ".coco/tasks/TASK-002";

async function roomOf(work: string, allow = ["."]): Promise<PacketRoom> {
  const servants = { gemini: script(`cat > /dev/null; ${work}; printf '${ANSWER.replaceAll("\n", "\\n")}'`) };
  const scope = { allow, deny: [] };
  const room = await PacketRoom.make({ manifest: { routing: { intent: "review_cross" }, scope }, servants });
  await ok(room.ws, "tasks_create", { kind: "task", title: "Another" });
  const elsewhere = openTemp({ durability: "os" });
  for (const title of ["First", "Else"]) await ok(elsewhere, "tasks_create", { kind: "task", title });
  cpSync(join(elsewhere.root, OTHER), join(room.root, ".git/else"), { recursive: true });
  git(room.root, "add", "-A");
  git(room.root, "commit", "-q", "-m", "first");
  return room;
}

describe("the folder of the workspace", () => {
  it.each([
    ["a file of no task", "echo x > .coco/workspace.yaml.bak", ".coco/workspace.yaml.bak"],
    ["the attributes", "echo '* filter=evil' >> .coco/.gitattributes", ".coco/.gitattributes"],
    ["the notes of people", `echo Mine >> ${OTHER}/shared/human-notes.md`, `${OTHER}/shared/human-notes.md`],
    ["a log cut short", `: > ${OTHER}/events.jsonl`, `${OTHER}/events.jsonl`],
    ["a folded file", `echo Mine >> ${OTHER}/README.md`, `${OTHER}/README.md`],
    ["a file beside the log", `echo x > ${OTHER}/agents/run.sh`, `${OTHER}/agents/run.sh`],
    ["a file that is gone", `rm ${OTHER}/task.yaml`, `${OTHER}/task.yaml`],
    [
      "notes that only git has",
      `cp ${OTHER}/shared/human-notes.md .git/k; echo Mine >> ${OTHER}/shared/human-notes.md; git commit -qam x; cp .git/k ${OTHER}/shared/human-notes.md; git add -A`,
      `${OTHER}/shared/human-notes.md`,
    ],
    [
      "a log in place of another, with all that it folds to",
      `rm -r ${OTHER}; cp -R .git/else ${OTHER}`,
      `${OTHER}/README.md`,
    ],
  ])("[PACKET-394] is no place for a stage to write: %s", LIMIT, async (_what, work, path) => {
    const room = await roomOf(work);
    const [result] = (await room.run({ stage })).stages;
    expect(result).toMatchObject({ outcome: "failed", class: "scope_violation" });
    const why = path.endsWith(".jsonl") ? "is a log, where tools alone write" : "lies in the folder of the workspace";
    expect(result!.reasons[0]).toContain(`found "${path}", which ${why}`);
  });

  it.each([
    ["half a line, which the next writer ends", `printf '{"v":1' >> ${OTHER}/events.jsonl`, "passed"],
    ["a log cut short", `: > ${OTHER}/events.jsonl`, "failed"],
  ])("[PACKET-382] counts in the next attempt unless a log is only longer: %s", LIMIT, async (_what, work, next) => {
    const room = await roomOf(`[ -f .git/did ] || { ${work}; touch .git/did; }`);
    expect((await room.run({ stage })).stages[0]).toMatchObject({ outcome: "failed", class: "scope_violation" });
    expect((await room.run({ stage })).stages[0]).toMatchObject({ outcome: next });
  });

  it("[PACKET-394] may be committed as it is, and take files that the scope names in it", LIMIT, async () => {
    const work = `git add -A; git commit -qm all; echo x > ${OTHER}/agents/report.md`;
    const room = await roomOf(work, [".", `${OTHER}/agents/`]);
    expect((await room.run({ stage })).stages[0]).toMatchObject({ outcome: "passed", reasons: [] });
  });

  it.each([
    ["after", "src/", 1],
    ["beside", ".", 0],
  ])(
    "[PACKET-411] [PACKET-382] has no log that a stage writes its own scope into: %s its start",
    LIMIT,
    async (where, allowed, found) => {
      const log = `.coco/tasks/${TASK}/events.jsonl`;
      const forge = `node ${join(SERVANTS, "forge.mjs")} ${log} ${where}`;
      const room = await roomOf(`[ -f .git/did ] || ${forge}; touch .git/did; echo x > outside.txt`, ["src/"]);
      const reasons = [
        expect.stringContaining(`found "${log}", which is a log`),
        expect.stringContaining('found "outside.txt"'),
      ];
      expect((await room.run({ stage })).stages[0]).toMatchObject({
        outcome: "failed",
        reasons: expect.arrayContaining(reasons),
      });
      await ok(room.ws, "tasks_note", { task: TASK, note: "another change, so the log is not as the attempt left it" });
      expect((await room.run({ stage })).stages[0]).toMatchObject({
        outcome: "failed",
        reasons: expect.arrayContaining(where === "after" ? reasons : [reasons[0]]),
      });
      expect(internalsOf(room.ws).packetAccess(TASK).packet().manifest.scope.allow[0]).toBe(allowed);
      const without = room.ws.verify(TASK).findings.filter(({ code }) => code === "EVENT_WITHOUT_EFFECT");
      expect(without).toHaveLength(found);
      await ok(room.ws, "packet_stage_reopen", { task: TASK, stage, reason: "a person has read the log" });
      writeFileSync(join(room.root, ".git/did"), "x");
      rmSync(join(room.root, "outside.txt"));
      const [last] = (await room.run({ stage })).stages;
      expect(last).toMatchObject({ outcome: where === "after" ? "failed" : "passed" });
    },
  );

  it("[PACKET-370] tells no process of the stage what it was before", LIMIT, async () => {
    const room = await roomOf("true", ["src/"]);
    await startByHand(room.ws, { task: TASK, stage });
    writeFileSync(join(room.root, "evil.sh"), "x");
    const folder = join(room.root, ".coco/registry");
    const machine = readdirSync(folder).find((name) => name.startsWith("machine-"))!;
    const kept = join(folder, machine, "packet");
    const [name] = readdirSync(kept).filter((file) => file.endsWith(".json"));
    const record = JSON.parse(readFileSync(join(kept, name!), "utf8")) as { tree: { marks: [string, number[]][] } };
    const after = readWorkTree(
      {
        disk: new Tree(room.root, { git: false }).disk,
        anywhere: new FaultyDisk(),
        root: room.root,
        git: openGit(room.root),
      },
      { denied: [] },
    );
    record.tree.marks.push(["evil.sh", [...after.marks.get("evil.sh")!]]);
    writeFileSync(join(kept, name!), JSON.stringify(record));
    const out = join(tempFolder(), "out");
    writeFileSync(out, ANSWER);
    const reply = await finishByHand(room.open(), { task: TASK, stage, exit_code: 0, out });
    const reasons = expect.arrayContaining([expect.stringContaining('found "evil.sh"')]);
    expect(reply).toMatchObject({ result: { passed: false, reasons } });
  });
});
