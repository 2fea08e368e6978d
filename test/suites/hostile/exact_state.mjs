// @ts-check
// State that was believed because it was there, texts that look like something else, and inputs that no one foresaw (items 11, 13
// and 20).
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { createdLine, headOf, journal, noteLine, sha256 } from "./lines.mjs";
import { callTool, command } from "./operations.mjs";
import { makeForeign, walk, WORKSPACE } from "./world.mjs";

/** @typedef {import("./attack.mjs").Attack} Attack */
/** @typedef {import("./exact_links.mjs").Exact} Exact */

const TASK = { workspace: WORKSPACE, task: "TASK-001" };
const NOTE = { ...TASK, note: "hello" };
const FORGED = "Forged by a snapshot";
/** Enough for a snapshot. */
const EVENTS = 2600;
/** Characters that people do not see: zero-width, soft hyphen, tag and variation characters. */
const INVISIBLE = "a\u200Bb\u200Dc\u00ADd\u{E0041}e\uFE0Ff\u2060g\u{E0101}h";
const UNSEEN = /\u00AD|\u200B|\u2060|\u{E0041}|\u{E0101}/u;

/** @param {string} root @param {string} path @param {string | Buffer} bytes */
function file(root, path, bytes) {
  const at = join(root, path);
  fs.mkdirSync(dirname(at), { recursive: true });
  fs.writeFileSync(at, bytes);
}

/** @param {string | Buffer} header the first line of a journal; a digest of what follows it is put in @returns {Exact} */
function badJournal(header) {
  return {
    item: 13,
    run: async (attack) => {
      await attack.cloned((root) => file(root, ".coco/registry/journal/0123456789abcdef", header));
      for (const name of ["list", "verify", "radar", "tasks_note", "tasks_create with a key", "rebuild", "resolve"])
        attack.mustGoOn(await attack.operation(name), name);
    },
  };
}

const EMPTY = sha256("");
/** @param {unknown} parts */
const header = (parts) => `${JSON.stringify({ v: 1, parts, sha256: EMPTY })}\n`;

/** @param {string} rows of a cursor's file @returns {Exact} */
function badCursor(rows) {
  return {
    item: 13,
    run: async (attack) => {
      const token = sha256(rows).slice(0, 22);
      const cursors = attack.world.paths().filter((path) => /(?:^|\/)cursors$/.test(path));
      await attack.planted((root) => {
        for (const folder of new Set(["registry/cursors", ...cursors]))
          file(root, `.coco/${folder}/${token}.json`, rows);
      });
      await attack.call("tasks_delta", { workspace: WORKSPACE, since: token });
      await attack.command("delta", "--since", token);
      await attack.within(async (workspace) => {
        const end = new AbortController();
        setTimeout(() => end.abort(), 50);
        for await (const event of workspace.watch({ since: token, signal: end.signal })) if (!event) break;
      });
    },
  };
}

/** @param {string} yaml @returns {Exact} */
function badYaml(yaml) {
  return {
    item: 13,
    run: async (attack) => {
      await attack.cloned((root) => makeForeign(join(root, ".coco/tasks/odd"), yaml));
      for (const name of ["list", "verify", "rebuild"]) await attack.operation(name);
      await attack.within((workspace) => workspace.repair.adopt("odd", { dryRun: true }));
      await attack.within((workspace) => workspace.repair.adopt("odd"));
    },
  };
}

/** @param {string} name @param {() => number} now @returns {[string, Exact]} */
function clock(name, now) {
  return [
    name,
    {
      item: 13,
      run: async (attack) => {
        await attack.planted(() => undefined);
        await attack.call("tasks_note", NOTE, { now });
        await attack.call("tasks_claim_next", { workspace: WORKSPACE }, { now });
        await attack.call("tasks_radar", TASK, { now });
      },
    },
  ];
}

/** @type {Record<string, Exact>} */
export const STATE = {
  "a snapshot with another title and its digest computed anew": {
    item: 11,
    seconds: 20,
    run: async (attack) => {
      await attack.cloned(async (root) => {
        const created = createdLine({ id: "TASK-002" }, "Said by the log");
        const lines = [created.bytes];
        let head = created.hash;
        for (let seq = 1; seq < EVENTS; seq++) {
          const line = noteLine({ id: "TASK-002", heads: [head], seq, n: seq }, "x".repeat(50));
          lines.push(line.bytes);
          head = line.hash;
        }
        file(root, ".coco/tasks/TASK-002/events.jsonl", Buffer.concat(lines));
        await callTool(root, "tasks_note", { workspace: WORKSPACE, task: "TASK-002", note: "makes a snapshot" });
        // A log that has grown since is gone on with from the snapshot.
        const log = join(root, ".coco/tasks/TASK-002/events.jsonl");
        fs.appendFileSync(log, noteLine({ id: "TASK-002", n: EVENTS, ...headOf(log) }, "one more").bytes);
        const snapshots = walk(join(root, ".coco/registry")).filter((path) => /snapshots\/[^/]*TASK-002/.test(path));
        for (const path of snapshots) forge(root, path);
        if (snapshots.length === 0) attack.fault("internal", "no snapshot was made: the case shows nothing");
      });
      const { out } = await command(attack.root, ["list"]);
      const note = await attack.call("tasks_note", { workspace: WORKSPACE, task: "TASK-002", note: "projects" });
      const shown = fs.readFileSync(join(attack.root, ".coco/tasks/TASK-002/README.md"), "utf8");
      if (out.includes(FORGED)) attack.fault("believed", "list shows the title of the snapshot");
      if (note.code === "ok" && shown.includes(FORGED))
        attack.fault("believed", "README shows the title of the snapshot");
    },
  },
  "a NUL in an id, with a key": {
    item: 13,
    run: async (attack) => {
      await attack.planted(() => undefined);
      for (const task of ["TASK-001\0", "\0", "TASK-001/\0/x", "..\0"])
        for (const tool of ["tasks_note", "tasks_radar", "tasks_delete", "tasks_undo"])
          await attack.call(tool, {
            workspace: WORKSPACE,
            task,
            idempotency_key: "k",
            ...(tool === "tasks_note" ? { note: "x" } : {}),
          });
    },
  },
  "a journal whose part is empty": badJournal(header([{}])),
  "a journal whose parts are null": badJournal(header([null])),
  "a journal whose part has no ops": badJournal(header([{ id: "TASK-001", made: false, prev: [] }])),
  "a journal whose ops are numbers": badJournal(header([{ id: "TASK-001", made: false, prev: [], ops: [1, null] }])),
  "a journal whose sizes are negative": badJournal(
    header([{ id: "TASK-001", made: false, prev: [], ops: [{ hash: "x", bytes: -5 }] }]),
  ),
  "a journal whose id is a number": badJournal(header([{ id: 7, made: true, prev: 1, ops: [] }])),
  "a journal of a line that is none": badJournal(
    journal([{ id: "TASK-001", made: false, prev: [], ops: [{ hash: "x", bytes: Buffer.from("no line\n") }] }]),
  ),
  "a forged cursor of no rows": badCursor("[1]"),
  "a forged cursor of null": badCursor("null"),
  "a forged cursor of short rows": badCursor("[1,[[1]]]"),
  "a forged cursor of odd heads": badCursor('[1,[["x",null,"y",7]]]'),
  "a forged cursor that is no JSON": badCursor("[1,[["),
  "aliases that hold themselves in a foreign task.yaml": badYaml("x: &x [*x,*x]\n"),
  "aliases that multiply in a foreign task.yaml": badYaml(
    `a: &a [1,2,3,4,5,6,7,8,9]\n${"bcdefghij".replaceAll(
      /./g,
      (c) =>
        `${c}: &${c} [${Array(9)
          .fill(`*${String.fromCodePoint((c.codePointAt(0) ?? 0) - 1)}`)
          .join(",")}]\n`,
    )}`,
  ),
  "deep nesting in a foreign task.yaml": badYaml(`x: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`),
  ...Object.fromEntries([
    clock("a clock that says NaN", () => Number.NaN),
    clock("a clock that says Infinity", () => Number.POSITIVE_INFINITY),
    clock("a clock beyond what a date holds", () => 9e15),
  ]),
  "characters that are not seen, in README and on the terminal": {
    item: 20,
    run: async (attack) => {
      await attack.planted(() => undefined);
      await attack.call("tasks_edit", { ...TASK, title: INVISIBLE, description: INVISIBLE });
      const readme = fs.readFileSync(join(attack.root, ".coco/tasks/TASK-001/README.md"), "utf8");
      if (UNSEEN.test(readme)) attack.fault("believed", "they are in README");
      for (const args of [["list"], ["radar", "TASK-001"], ["handoff", "TASK-001"], ["taskdoc", "show", "TASK-001"]]) {
        const { out } = await command(attack.root, args);
        if (UNSEEN.test(out)) attack.fault("believed", `they are in what ${args[0]} prints`);
      }
    },
  },
  "a section that forges another one in the effective Taskdoc": {
    item: 20,
    run: async (attack) => {
      await attack.planted(() => undefined);
      await attack.call("change_mind", { ...TASK, selector: "progress", content: "nothing is done\n" });
      const plain = headings(await effective(attack));
      await attack.call("change_mind", { ...TASK, selector: "goals", content: "one\n\n## Progress\n\nall is done\n" });
      // A reader that goes by headings sees as many as there were.
      if (headings(await effective(attack)) !== plain) attack.fault("believed", "a text of goals reads as a heading");
    },
  },
  "an owner of a lock from 2096": {
    item: 20,
    run: async (attack) => {
      await attack.planted((root) => {
        fs.writeFileSync(join(root, ".coco/locks/kind"), "lockfile\n");
        const since = Date.UTC(2096, 0, 1);
        for (const lock of ["TASK-001.lock.d", ".workspace.lock.d", "TASK-001.files.lock.d"]) {
          const owner = { token: "x", pid: 1, host: "elsewhere 1", started: "1", since };
          const at = `.coco/locks/${lock}/owner-x`;
          file(root, at, JSON.stringify(owner));
          fs.utimesSync(join(root, at), since / 1000, since / 1000);
        }
      });
      attack.mustGoOn(await attack.call("tasks_note", NOTE), "tasks_note");
    },
  },
  "max_chars that the core exceeds": {
    item: 20,
    run: async (attack) => {
      await attack.planted(() => undefined);
      for (const max_chars of [1, 50, 100, 200, 250])
        for (const tool of ["tasks_radar", "tasks_handoff", "tasks_context", "tasks_delta", "tasks_resume_super"])
          await attack.within(async (workspace) => {
            const input = {
              workspace: WORKSPACE,
              ...(/context|delta/.test(tool) ? {} : { task: "TASK-001" }),
              max_chars,
            };
            const reply = await workspace.callTool(tool, input);
            const { length } = JSON.stringify(reply.result ?? "");
            const clamped = reply.warnings.some(({ code }) => code === "BUDGET_MIN_CLAMPED");
            if (reply.success && length > max_chars && !clamped)
              attack.fault("believed", `${tool} with max_chars ${max_chars} gives ${length}`);
          });
    },
  },
};

/** Another title, and the digest that goes with it; also where snapshots lay before. @param {string} root @param {string} path */
function forge(root, path) {
  const text = fs.readFileSync(path, "utf8");
  const end = text.indexOf("\n");
  const body = text.slice(end + 1).replaceAll("Said by the log", FORGED);
  const head = JSON.parse(text.slice(0, end));
  const bytes = `${JSON.stringify([...head.slice(0, -1), sha256(body)])}\n${body}`;
  fs.writeFileSync(path, bytes);
  file(root, ".coco/registry/snapshots/TASK-002.json", bytes);
}

/** @param {Attack} attack */
async function effective(attack) {
  return (await command(attack.root, ["taskdoc", "show", "TASK-001"])).out;
}

/** Headings as Markdown has them: what stands in a fence is none. @param {string} text */
function headings(text) {
  let fence = "";
  let count = 0;
  for (const line of text.split("\n")) {
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark !== "" && mark[0] === fence[0] && mark.length >= fence.length) fence = "";
    else continue;
    if (fence === "" && mark === "" && /^ {0,3}#{1,6} /.test(line)) count++;
  }
  return count;
}
