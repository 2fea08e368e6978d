// @ts-check
// A task that a merge renamed comes by picks or a rebase to a branch where it still has its first name. After each resolve it has one folder.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Clone } from "../../support/git_clone.mjs";
import { randomFrom } from "../../support/random_calls.mjs";

const WORKSPACE = "acme/repo";
const ID = "TASK-001";

/** @typedef {{ renamed_stops: number, refused_twice: number, two_folders: number, lost: number, findings: number }} Told */
/** @typedef {{ openWorkspace: typeof import("../../../src/testing.ts").openWorkspace, openGit: typeof import("../../../src/hosts/git/git_port.ts").openGit }} Program */

/**
 * One history. `install`: the program, where each clone has the merge driver.
 * @param {{ folder: string, seed: number, way: "pick" | "rebase", install: string | undefined } & Program} of
 * @returns {Promise<Told>}
 */
export async function renamedHistory({ folder, seed, way, install, openWorkspace, openGit }) {
  const random = randomFrom(seed);
  /** @type {Told} */
  const told = { renamed_stops: 0, refused_twice: 0, two_folders: 0, lost: 0, findings: 0 };
  /** @type {Set<string>} */
  const written = new Set();
  let hour = 0;
  let ids = 0;

  /** @template T @param {Clone} clone @param {(ws: import("../../../src/index.ts").Workspace) => Promise<T>} work */
  const within = async (clone, work) => {
    let ticks = 0;
    const start = Date.UTC(2026, 0, 1, hour++);
    const now = () => start + 1000 * ticks++;
    const newId = () => (seed * 1_000_000 + ids++).toString(16).padStart(16, "0");
    const ws = openWorkspace({ root: clone.root, workspace: WORKSPACE, by: "agent:ada", durability: "os", now, newId });
    try {
      return await work(ws);
    } finally {
      await ws.close();
    }
  };
  /** @param {Clone} clone @param {string} tool @param {import("../../../src/state/json.ts").JsonObject} input */
  const change = async (clone, tool, input) => {
    const reply = await within(clone, (ws) => ws.callTool(tool, { workspace: WORKSPACE, ...input }));
    if (reply.error) throw new Error(`${tool}: ${reply.error.message}`);
    for (const line of clone.lines()) written.add(line);
    clone.commit(tool);
  };
  /** @param {Clone} clone @param {string} task @param {number} times */
  const notes = async (clone, task, times) => {
    for (let i = 0; i < times; i++) await change(clone, "tasks_note", { task, note: `note ${written.size}` });
  };
  /** @param {Clone} clone */
  const foldersOf = (clone) => readdirSync(join(clone.root, ".coco/tasks")).filter((id) => id.startsWith(ID));
  /** The entity of each folder that has a log. @param {Clone} clone */
  const roots = (clone) =>
    foldersOf(clone)
      .map((id) => join(clone.root, ".coco/tasks", id, "events.jsonl"))
      .filter((log) => existsSync(log))
      .map((log) => /"hash":"([^"]+)"/.exec(readFileSync(log, "utf8"))?.[1]);

  /** Before a resolve no folder of a task that has two takes a claim; afterwards there is one. @param {Clone} clone */
  const resolve = async (clone) => {
    const there = roots(clone);
    if (new Set(there).size < there.length)
      for (const task of foldersOf(clone)) {
        const reply = await within(clone, (ws) => ws.callTool("tasks_claim", { workspace: WORKSPACE, task }));
        if (reply.success) told.two_folders++;
        else told.refused_twice++;
      }
    await within(clone, (ws) =>
      ws.repair.resolve(undefined, {
        git: /** @type {NonNullable<ReturnType<typeof openGit>>} */ (openGit(clone.root)),
        stage: true,
      }),
    );
    const after = roots(clone);
    if (new Set(after).size < after.length) told.two_folders++;
    const { findings } = await within(clone, async (ws) => ws.verify());
    told.findings += findings.filter((finding) => !finding.info).length;
  };
  /** Goes on with what git stopped at, until it is done. @param {Clone} clone @param {"cherry-pick" | "rebase"} command */
  const goOn = async (clone, command) => {
    const isUnderWay = () =>
      ["CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply"].some((name) => existsSync(join(clone.root, ".git", name)));
    for (let stops = 0; isUnderWay() && stops < 50; stops++) {
      told.renamed_stops++;
      await resolve(clone);
      clone.git("add", "-A");
      const isEmpty = clone.tries("diff", "--cached", "--quiet");
      clone.tries("-c", "core.editor=true", command, isEmpty ? "--skip" : "--continue");
    }
    await resolve(clone);
    clone.conclude("resolved");
  };
  /** @param {Clone} clone @param {string} of */
  const merge = async (clone, of) => {
    clone.tries("merge", "-q", "--no-edit", of);
    await resolve(clone);
    clone.conclude(`merge ${of}`);
  };

  const clone = Clone.init(join(folder, "renamed"));
  await change(clone, "tasks_create", { kind: "plan", title: "The plan" });
  if (install !== undefined) clone.program(install, "git", "install");
  clone.git("checkout", "-q", "-b", "older");
  await change(clone, "tasks_create", { kind: "task", id: ID, title: "The older" });
  await notes(clone, ID, random.below(4));
  clone.git("checkout", "-q", "main");
  await change(clone, "tasks_create", { kind: "task", id: ID, title: "The younger" });
  await notes(clone, ID, random.below(6));
  clone.git("branch", "side");
  await merge(clone, "older");
  const renamed = /** @type {string} */ (foldersOf(clone).find((id) => id !== ID));
  const from = clone.head();
  for (let i = 0; i < 4; i++) await notes(clone, random.below(3) === 0 ? ID : renamed, 1);
  await notes(clone, renamed, 1);
  const commits = clone.git("rev-list", "--reverse", `${from}..main`).split("\n").filter(Boolean);
  clone.git("checkout", "-q", "side");
  await notes(clone, ID, random.below(4));
  if (way === "rebase") {
    clone.tries("rebase", "main");
    await goOn(clone, "rebase");
  } else {
    for (const commit of commits.filter((one, i) => i === commits.length - 1 || random.below(2) === 0)) {
      clone.tries("cherry-pick", commit);
      await goOn(clone, "cherry-pick");
    }
    // The former name leads there, as long as no other task has it here.
    await notes(clone, existsSync(join(clone.root, ".coco/tasks", ID)) ? renamed : ID, 1);
  }
  await merge(clone, "main");
  clone.git("checkout", "-q", "main");
  await merge(clone, "side");
  const kept = clone.lines();
  told.lost += [...written].filter((line) => !kept.has(line)).length;
  if (roots(clone).length !== 2) told.two_folders++;
  return told;
}
