/**
 * Files that the programs themselves write, from random texts that are given to them as a person gives them. `npm run imports`
 * uses the programs that the PATH has; `test/data/trackers/written` has what they wrote once.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeTaskwarrior } from "./taskwarrior.ts";
import type { Said, Writing, Written } from "./writing.ts";

/** The command of each, and what makes files with it in an empty folder. */
export const PROGRAMS: Record<string, { command: string; write: (w: Writing, folder: string) => Written }> = {
  backlog: { command: "backlog", write: byBacklog },
  taskmaster: { command: "task-master", write: byTaskmaster },
  taskwarrior: { command: "task", write: byTaskwarrior },
};

export function isThere(command: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function ran(cwd: string, command: string, ...argv: string[]): string {
  const env = { ...process.env, HOME: cwd, TASKRC: join(cwd, "rc"), TASKDATA: cwd, NO_COLOR: "1" };
  return execFileSync(command, argv, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The files below a folder whose names end so. */
function filesIn(folder: string, end: RegExp): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => end.test(name));
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && !name.startsWith(".git/"));
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

const BREAKS = ["\n", "\n\n", "\n- ", "\n# ", "\n## ", "\n> ", "\n1. ", "\n    ", "\n- [x] ", "\n```\n"];

function byBacklog(w: Writing, folder: string): Written {
  const said: Said[] = [];
  const call = (...argv: (string | string[])[]): string => ran(folder, "backlog", ...argv.flat());
  ran(folder, "git", "init", "-q", ".");
  call("init", "Garden", "--defaults");
  const text = (of: string, field: string, value: string): string => {
    said.push({ of, field, value, isText: true });
    return value;
  };
  // Commas part entries of its lists.
  const plain = [" ", ": ", " #", ' "', "' ", " & ", " *", "["];
  const milestone = w.line(plain);
  call("milestone", "add", milestone);
  said.push({ of: "milestone:m-0", field: "milestone", value: milestone });
  for (const [kind, named] of [
    ["doc", "document"],
    ["decision", "decision"],
  ] as const) {
    const title = w.word();
    call(kind, "create", title);
    said.push({ field: named, value: title });
  }
  for (let n = 1; n <= 3; n++) {
    const of = `TASK-${n}`;
    const line = (field: string): string => {
      const value = w.line(plain);
      said.push({ of, field, value });
      return value;
    };
    const words = (field: string): string => {
      const value = w.word();
      said.push({ of, field, value });
      return value;
    };
    call(
      ["task", "create", line("title"), "--plain", "-d", text(of, "Description", w.text(BREAKS))],
      ["-a", `@${words("assignee")},@${words("assignee")}`, "-l", `${words("labels")},${words("labels")}`],
      ["--priority", w.pick(["high", "medium", "low"]), "--type", "bug", "--due-date", "2026-12-24"],
      ["--ac", line("Acceptance Criteria"), "--ac", `${line("Acceptance Criteria")}\n${line("Acceptance Criteria")}`],
      ["--dod", line("Definition of Done"), "--ordinal", String(9000 - n), "-m", "m-0"],
      ["--ref", `https://example.org/${words("references")}`, "--doc", `docs/${words("documentation")}.md`],
      ["--modified-file", `src/${words("modified_files")}.ts`],
      ...(n > 1 ? ["--depends-on", "TASK-1"] : []),
    );
    if (n > 1) said.push({ of, field: "dependencies", value: null, dependsOn: "TASK-1" });
    call(
      ["task", "edit", String(n), "--plain", "-s", w.pick(["In Progress", "Done"]), "--check-ac", "1"],
      [
        "--plan",
        text(of, "Implementation Plan", w.text(BREAKS)),
        "--notes",
        text(of, "Implementation Notes", w.text(BREAKS)),
      ],
      ["--final-summary", text(of, "Final Summary", w.text(BREAKS)), "--comment-author", `@${words("Comments")}`],
      ["--comment", text(of, "Comments", w.text(BREAKS)), "--comment", text(of, "Comments", w.text(BREAKS))],
    );
  }
  for (let n = 1; n <= 11; n++) {
    const title = w.word();
    call("task", "create", title, "-p", "TASK-1", "--plain", "--ac", `${title} works`);
    said.push({ of: "TASK-1", field: "subtasks", value: title });
  }
  return { path: ".", files: filesIn(folder, /^backlog\/.*(?:\.md|\.yml)$/), said };
}

function byTaskmaster(w: Writing, folder: string): Written {
  const said: Said[] = [];
  const call = (...argv: string[]): string => ran(folder, "task-master", ...argv);
  const put = (of: string, field: string, value: string): string => {
    said.push({ of, field, value });
    return value;
  };
  mkdirSync(join(folder, ".taskmaster/tasks"), { recursive: true });
  const empty = { master: { tasks: [], metadata: { description: "Tasks for master context" } } };
  writeFileSync(join(folder, ".taskmaster/tasks/tasks.json"), JSON.stringify(empty));
  for (let n = 1; n <= 3; n++) {
    const of = String(n);
    const texts = ["title", "description", "details"].flatMap((name) => [
      `--${name}`,
      put(of, name, name === "title" ? w.word() : w.text()),
    ]);
    call(
      "add-task",
      ...texts,
      "--priority",
      w.pick(["high", "medium", "low"]),
      ...(n === 1 ? [] : ["--dependencies", "1"]),
    );
    if (n > 1) said.push({ of, field: "dependencies", value: null, dependsOn: "1" });
  }
  for (let n = 1; n <= 3; n++)
    call(
      "add-subtask",
      "-p",
      "2",
      "-t",
      put("2", "title", w.word()),
      "-d",
      put("2", "description", w.text()),
      "--details",
      put("2", "details", w.text()),
    );
  for (const [from, to] of [
    ["2.2", "2.1"],
    ["2.3", "3"],
    ["2.1", "1"],
  ] as const) {
    call("add-dependency", `--id=${from}`, `--depends-on=${to}`);
    said.push({ of: "2", by: from, field: "dependencies", value: null, dependsOn: to });
  }
  call("set-status", "--id=2.1", "--status=done");
  call("set-status", "--id=3", "--status=deferred");
  return { path: ".", files: filesIn(folder, /^\.taskmaster\/tasks\/tasks\.json$/), said };
}

/** Given what it exports itself: `task import` takes it, and writes it in its own way. */
function byTaskwarrior(w: Writing, folder: string): Written {
  writeFileSync(join(folder, "rc"), "confirmation=off\nuda.journal.type=string\nuda.size.type=numeric\n");
  const taken = ["uuid", "description", "status", "entry", "due", "scheduled", "project", "journal", "annotations"];
  const said: Said[] = [];
  const kept: Record<string, unknown>[] = [];
  while (kept.length === 0) {
    const given = writeTaskwarrior(w);
    said.push(...given.said);
    for (const row of rowsIn([...given.files.values()][0]!)) {
      if (row["status"] !== "pending" && row["status"] !== "completed") continue;
      kept.push(Object.fromEntries(Object.entries(row).filter(([name]) => taken.includes(name))));
    }
  }
  // The program takes a NUL for the end of a text, and has no characters for half of a pair.
  const whole = (text: string): string => text.replaceAll(/[\0\ud800]/g, "");
  writeFileSync(join(folder, "in.json"), JSON.stringify(kept).replaceAll(/\\u(?:0000|d800)/g, ""));
  ran(folder, "task", "import", "in.json");
  const uuids = new Set(kept.map(({ uuid }) => uuid));
  const theirs = said.filter(({ of, field }) => uuids.has(of) && taken.includes(field));
  const written = theirs.map((one) => (typeof one.value === "string" ? { ...one, value: whole(one.value) } : one));
  return { path: "export.json", files: new Map([["export.json", ran(folder, "task", "export")]]), said: written };
}

function rowsIn(text: string): Record<string, unknown>[] {
  const list = text.startsWith("[") ? text : `[${text.split("\n").join(",")}]`;
  return JSON.parse(list) as Record<string, unknown>[];
}
