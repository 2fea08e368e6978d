import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../src/hosts/cli/commands/index.ts";
import { TOOLS } from "../src/tools/index.ts";
import { LAYERS, ROOMS } from "./support/layers.mjs";
import { filesBelow, readSource, ROOT, sources, type SourceFile } from "./support/source.ts";

/** Layers that see no disk, no clock, no process and no chance: the same input gives the same output for ever. */
const PURE = ["state", "events", "rules", "views", "projections", "tools", "log", "attest"];
/** The machine, in whatever spelling: its clock, chance, timers, threads and processes. `Date.parse`, `Date.UTC` and `new Date(of)` ask no clock. */
const GLOBAL = [
  /(?<!\bnew |: )\bDate\b(?!\.(?:parse|UTC)\()/,
  /\bnew Date\b(?!\s*\(\s*[^\s)])/,
  /\bDateTimeFormat\b/,
  /\bMath\.random\b/,
  /\brandom(UUID|Bytes|Int|FillSync)\b/,
  /\bgetRandomValues\b/,
  /\bperformance\b/,
  /\bhrtime\b/,
  /\bprocess\.(pid|ppid|kill|uptime|nextTick)\b/,
  /\bprocess\s*\[/,
  /\b(set|clear)(Timeout|Interval|Immediate)\b/,
  /\bqueueMicrotask\b/,
  /\bMessageChannel\b/,
  /\bAtomics\.wait/,
  /\bAbortSignal\.timeout\b/,
  /\bgetBuiltinModule\b/,
];
/** Modules that have the same. A file of ours is loaded by `createRequire`, too, so their names are looked for. */
const MACHINE_MODULE = /["'`]node:(?:child_process|worker_threads|timers|perf_hooks|vm|cluster)\b/;
/** A pure layer makes no date object either, and knows no process. */
const IMPURE = [...GLOBAL, /\bnew Date\b/, /\bprocess\.[a-z]/];

/** Layers that see the machine by its disk and its `Runtime` alone, so that a host may give another one: a simulation has no other. */
const GIVEN = ["files", "guard", "engine", "runner"];
/** Locks of the system itself, which exclude processes of the system. A simulation gives locks of its own. */
const OF_THE_SYSTEM = ["src/engine/locks/lock_range.ts", "src/engine/locks/os_lock.ts"];

/** `src/log/order.ts` is of layer `log`, `src/errors.ts` of layer `errors`. */
function layerOf(path: string): string {
  return (path.split("/")[1] ?? "").replace(/\.ts$/, "");
}

/** `log/types` of `src/log/types.ts`. */
function nameOf(path: string): string {
  return path.replace(/^src\//, "").replace(/\.ts$/, "");
}

/** What is wrong with the imports of one file, as sentences; the layer table decides. */
function importFaults(file: SourceFile): string[] {
  const own = layerOf(file.path);
  const layer = LAYERS[own];
  if (!layer) return [`${file.path}: layer "${own}" is not in the table`];
  const faults: string[] = [];
  for (const { target, relative, typeOnly } of file.imports) {
    const fits = (list: string[]): boolean => list.includes(layerOf(target)) || list.includes(nameOf(target));
    if (relative) {
      if (!target.endsWith(".ts")) faults.push(`${file.path}: relative imports end in .ts: ${target}`);
      if (layerOf(target) === own && target.startsWith("src/")) continue;
      if (target.startsWith("src/") && (fits(layer.may) || (typeOnly && fits(layer.types ?? [])))) continue;
      faults.push(`${file.path}: ${own} may not import ${typeOnly ? "types of " : ""}${target}`);
    } else if (target === "typebox") {
      if (!typeOnly)
        faults.push(`${file.path}: typebox is for "import type" only; loading it costs more than starting node`);
    } else if (
      !(layer.packages ?? []).some((name) => name === target || (name === "node:*" && target.startsWith("node:")))
    ) {
      faults.push(`${file.path}: ${own} may not import ${target}`);
    }
  }
  return faults;
}

/** `core` of `src/engine/core/context.ts`, `parts.ts` of `src/engine/parts.ts`; undefined outside of the engine. */
function roomOf(path: string): string | undefined {
  const [, layer, room = ""] = path.split("/");
  return layer === "engine" ? room : undefined;
}

/** Imports of a room that its line in the table does not name. */
function roomFaults({ path, imports }: SourceFile): string[] {
  const own = roomOf(path);
  if (own === undefined) return [];
  if (!ROOMS[own]) return [`${path}: room "${own}" is not in the table`];
  const may = [own, ...ROOMS[own]];
  return imports.flatMap(({ target, relative }) => {
    const room = relative ? roomOf(target) : undefined;
    if (room === undefined || may.includes(room)) return [];
    return [`${path}: ${own} may not import ${target}`];
  });
}

/** Import lines, and lines that export what another file has. */
const PASSED_ON = /^(?:import|export)\b[^;]*?\bfrom\s*""\s*;/gm;

/** Files that import each other, types included, each such group on a line. */
function circles(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const place = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[] = [];
  const visit = (path: string): number => {
    let low = place.size;
    place.set(path, low);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!place.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, place.get(target)!);
    }
    lowest.set(path, low);
    if (low === place.get(path)) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1) found.push(group.toSorted().join(", "));
    }
    return low;
  };
  for (const path of targets.keys()) if (!place.has(path)) visit(path);
  return found;
}

/** Import lines and exports of a file that are no types. */
function valuesIn({ imports, code }: SourceFile): string[] {
  const exported = [...code.matchAll(/^export\s+(?!type\b|interface\b).*$/gm)].map(([line]) => line);
  return [...imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target), ...exported];
}

/** Files that import this file, or this one name of it. */
function importersOf(files: readonly SourceFile[], target: string, name?: string): string[] {
  const isIt = (one: SourceFile["imports"][number]): boolean =>
    one.target === target && (name === undefined || one.names.includes(name) || one.names.includes("*"));
  return files.filter(({ imports }) => imports.some(isIt)).map(({ path }) => path);
}

/** Files that make an object of this class. */
function makersOf(files: readonly SourceFile[], name: string): string[] {
  return files.filter(({ code }) => new RegExp(`\\bnew ${name}\\(`).test(code)).map(({ path }) => path);
}

function impurities(file: SourceFile): string[] {
  return PURE.includes(layerOf(file.path)) ? found(IMPURE, file) : [];
}

function globals(file: SourceFile): string[] {
  return GIVEN.includes(layerOf(file.path)) && !OF_THE_SYSTEM.includes(file.path) ? found(GLOBAL, file) : [];
}

function found(patterns: readonly RegExp[], { path, code, text }: SourceFile): string[] {
  const all = [
    ...patterns.filter((pattern) => pattern.test(code)),
    ...(MACHINE_MODULE.test(text) ? [MACHINE_MODULE] : []),
  ];
  return all.map((pattern) => `${path}: ${pattern.source}`);
}

describe("architecture", () => {
  const files = sources();

  it("finds the sources", () => {
    expect(files.map((file) => file.path)).toContain("src/errors.ts");
  });

  it("every import follows the layer table", () => {
    expect(files.flatMap(importFaults)).toEqual([]);
  });

  it("rooms of the engine import those that the table names, and no room below imports one above", () => {
    expect(files.flatMap(roomFaults)).toEqual([]);
    const order = Object.keys(ROOMS);
    const upward = Object.entries(ROOMS).flatMap(([room, may]) =>
      may
        .filter((other) => !order.includes(other) || order.indexOf(other) >= order.indexOf(room))
        .map((other) => `${room} -> ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it("the table of rooms names no room and no import that is gone", () => {
    const rooms = new Map<string, Set<string>>();
    for (const { path, imports } of files) {
      const own = roomOf(path);
      if (own === undefined) continue;
      const used = rooms.get(own) ?? new Set();
      for (const { target, relative } of imports) if (relative) used.add(roomOf(target) ?? "");
      rooms.set(own, used);
    }
    const gone = Object.entries(ROOMS).flatMap(([room, may]) =>
      may.filter((other) => !rooms.get(room)?.has(other)).map((other) => `${room} -> ${other}`),
    );
    expect([...Object.keys(ROOMS).filter((room) => !rooms.has(room)), ...gone]).toEqual([]);
  });

  it("parts.ts holds types alone", () => {
    const parts = files.find(({ path }) => path === "src/engine/parts.ts")!;
    expect(valuesIn(parts)).toEqual([]);
    expect(valuesIn(readSource("src/a.ts", 'import { b } from "./b.ts";\nexport const c = 1;'))).toHaveLength(2);
  });

  it("no two files import each other, on whatever way, types included", () => {
    expect(circles(files)).toEqual([]);
  });

  it("the reader and the viewer load no code that writes logs", () => {
    const loaded = new Set(["src/engine/reader.ts", "src/engine/open_reader.ts", "src/engine/open_viewer.ts"]);
    for (const path of loaded)
      for (const { target, relative, typeOnly, lazy } of files.find((file) => file.path === path)?.imports ?? [])
        if (relative && !typeOnly && !lazy) loaded.add(target);
    expect(loaded.size).toBeGreaterThan(100);
    expect(
      [...loaded].filter((path) => /commit\/(?:log_writer|log_syncs|append_durably)|roll_forward/.test(path)),
    ).toEqual([]);
  });

  it("CONTRIBUTING.md names every folder of the sources, and every room of the engine in its order", () => {
    const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => `\`src/${name}\``).filter((name) => !page.includes(name))).toEqual([]);
    const [, rows = ""] = /^\| room \| holds \|\n\| --- \| --- \|\n((?:\|.*\n)*)/m.exec(page) ?? [];
    expect([...rows.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, room]) => room)).toEqual(Object.keys(ROOMS));
  });

  it("[DIR-50] one module opens files: no other imports node:fs", () => {
    const importers = files.filter((file) => file.imports.some(({ target }) => /^(node:)?fs(\/|$)/.test(target)));
    expect(importers.map((file) => file.path)).toEqual(["src/disk.ts"]);
  });

  it("one file has what writes logs: no other imports the function that appends, or the whole files", () => {
    const writer = ["src/engine/commit/log_writer.ts"];
    expect(importersOf(files, "src/log/file_log.ts", "appendTo")).toEqual(writer);
    expect(importersOf(files, "src/engine/commit/whole_log.ts")).toEqual(writer);
  });

  it("one class puts together what answers are read from, and one function the same with the lines of the journal", () => {
    expect(makersOf(files, "Journal")).toEqual(["src/engine/open_read_model.ts"]);
    expect(makersOf(files, "Entities")).toEqual([
      "src/engine/open_read_model.ts",
      "src/engine/transaction/journal_lines.ts",
    ]);
    expect(importersOf(files, "src/engine/core/input/validate.ts", "validate")).toEqual([
      "src/engine/answer_call.ts",
      "src/engine/transaction/txn_plan.ts",
    ]);
    expect(makersOf([readSource("src/a.ts", "const a = new Journal(b);")], "Journal")).toEqual(["src/a.ts"]);
  });

  it("one list keeps rows by the stats of logs, and one function reads a short log: both take from outside what a row is", () => {
    const ofRows = (path: string): boolean => /^src\/engine\/(listing|viewer)\//.test(path);
    expect(makersOf(files, "RowsByStat")).toEqual(["src/engine/listing/listing.ts", "src/engine/viewer/rows.ts"]);
    expect(importersOf(files, "src/files/file_sign.ts", "same").filter(ofRows)).toEqual([
      "src/engine/listing/notification_reader.ts",
      "src/engine/listing/rows_by_stat.ts",
    ]);
    expect(importersOf(files, "src/engine/listing/short_log.ts")).toEqual([
      "src/engine/listing/listed_row_maker.ts",
      "src/engine/viewer/short_row.ts",
    ]);
  });

  it("no file of the engine only passes on what another one has: its users import that from its home", () => {
    const passing = files.filter(
      ({ path, code }) => layerOf(path) === "engine" && code.replaceAll(PASSED_ON, "").trim() === "",
    );
    expect(passing.map(({ path }) => path)).toEqual([]);
  });

  it("only the command line starts a host", () => {
    const importers = files.filter(
      (file) => layerOf(file.path) !== "hosts" && file.imports.some((i) => i.relative && layerOf(i.target) === "hosts"),
    );
    expect(importers.map((file) => file.path).filter((path) => path !== "src/cli.ts")).toEqual([]);
  });

  it("the table has no cycle: an arrow never points back up", () => {
    const above = (name: string, seen: string[]): string[] => {
      if (seen.includes(name)) return [[...seen, name].join(" -> ")];
      const next = [...(LAYERS[name]?.may ?? []), ...(LAYERS[name]?.types ?? [])].map((to) => to.split("/")[0] ?? to);
      return next.flatMap((to) => above(to, [...seen, name]));
    };
    expect(Object.keys(LAYERS).flatMap((name) => above(name, []))).toEqual([]);
  });

  it("pure layers read no clock, no chance, no process", () => {
    expect(files.flatMap(impurities)).toEqual([]);
  });

  it("[ENG-105] the engine, its files and the runner take time, chance, threads and processes from the runtime that a host gives", () => {
    expect(files.flatMap(globals)).toEqual([]);
    const read = (text: string): string[] => globals(readSource("src/engine/core/a.ts", text));
    for (const line of [
      "const a = Date.now();",
      "setTimeout(a, 5);",
      "performance.now();",
      "process.kill(pid, 0);",
      "new Date();",
      "new Date;",
      "const { now } = Date;",
      "Reflect.construct(Date, []);",
      "new Intl.DateTimeFormat().format();",
      'globalThis.process["pid"];',
      "new MessageChannel();",
      "queueMicrotask(a);",
      'createRequire(import.meta.url)("node:child_process");',
    ])
      expect(read(line), line).toHaveLength(1);
    expect(read("new Date(ms); Date.parse(ts); runtime.now();")).toEqual([]);
    expect(impurities(readSource("src/log/a.ts", "AbortSignal.timeout(5);"))).toHaveLength(1);
    const importers = (target: string): string[] =>
      importersOf(files, target).filter((path) => !path.startsWith("src/hosts/"));
    expect(importers("node:worker_threads")).toEqual(["src/node_runtime.ts"]);
    expect(importers("node:timers")).toEqual(["src/node_runtime.ts"]);
  });

  it("[ENG-105] the engine, its files and the runner take every disk from what a host gave", () => {
    const using = (target: string, name?: string): string[] =>
      importersOf(files, target, name).filter((path) => GIVEN.includes(layerOf(path)));
    expect([...using("src/disk.ts", "nodeDisk"), ...using("src/rooted_disk.ts")]).toEqual([]);
    // Programs of threads: none is started beside the disk of a host.
    expect(using("src/disks.ts", "nodeDisks")).toEqual([
      "src/engine/repair/verify_worker.ts",
      "src/engine/viewer/rows_worker.ts",
    ]);
  });

  it("nothing is exported by star or by default", () => {
    // A .d.ts file says what somebody else's package exports.
    const ours = files.filter((file) => !file.path.endsWith(".d.ts"));
    expect(ours.filter((file) => /^\s*export\s+(\*|default\b)/m.test(file.code)).map((file) => file.path)).toEqual([]);
  });
});

describe("one definition for one job", () => {
  const files = sources();
  const naming = (pattern: RegExp): string[] => files.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
  /** Files of the sources and of the viewer with this text, strings included. */
  const written = (pattern: RegExp): string[] =>
    ["src", "viewer/src"]
      .flatMap((folder) => [...filesBelow(folder, ".ts"), ...filesBelow(folder, ".tsx")])
      .filter((path) => pattern.test(readFileSync(join(ROOT, path), "utf8")));

  it("whether a file is as it was: files/file_sign.ts compares, and no other file compares times of files", () => {
    // The other three make a stat, or keep one as numbers.
    expect(naming(/\bctimeMs\b/)).toEqual([
      "src/disk.ts",
      "src/engine/listing/listing_index.ts",
      "src/files/file_sign.ts",
      "src/log/file_log.ts",
    ]);
    // Ages of files, their order by time, and the folded file that is to be no older than its log.
    expect(naming(/\bmtimeMs\b/).filter((path) => !naming(/\bctimeMs\b/).includes(path))).toEqual([
      "src/engine/listing/listed_row_maker.ts",
      "src/engine/locks/lock_folder.ts",
      "src/engine/query/cursors.ts",
    ]);
  });

  it("lines get into a log by two methods of its writer: append and replace", () => {
    const { code } = files.find(({ path }) => path === "src/engine/commit/log_writer.ts")!;
    const methods = [...code.matchAll(/^ {2}(?:async )?(\w+)\(.*$/gm)].map(([, name]) => name);
    // The other two do not write: `finish` syncs, and `isInPlace` looks.
    expect([...new Set(methods)].toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual([
      "append",
      "constructor",
      "finish",
      "isInPlace",
      "replace",
    ]);
  });

  it("files of other programs are polled by chokidar, behind the disk; folders are watched in files/", () => {
    expect(importersOf(files, "chokidar")).toEqual(["src/poll_files.ts"]);
    expect(importersOf(files, "src/poll_files.ts")).toEqual(["src/disk.ts"]);
    expect(naming(/\bdisk\.pollFiles\?\.\(/)).toEqual(["src/engine/watch/other_files.ts"]);
    expect(naming(/#disk\.watch\(/)).toEqual([
      "src/files/file_watcher.ts",
      "src/files/folder_watches.ts",
      "src/files/log_watcher.ts",
    ]);
  });

  it("when files are looked at again: files/look_again.ts has the times", () => {
    expect(naming(/\bSHARE\b|\b(?:LOOK|HOLDS|WATCHED|UNWATCHED)\w*_MS\b/)).toEqual([
      // How often the shared log is asked, which is no file.
      "src/engine/shared/consumer.ts",
      "src/hosts/view/following.ts",
    ]);
    expect(importersOf(files, "src/files/look_again.ts", "holdsFor")).toEqual([
      "src/engine/entity/went_away.ts",
      "src/engine/listing/change_feed.ts",
      "src/engine/viewer/checks.ts",
      "src/engine/viewer/look_by_the_clock.ts",
      "src/engine/viewer/rows.ts",
      "src/engine/viewer/status.ts",
      "src/engine/viewer/tree_now.ts",
      "src/files/log_watcher.ts",
    ]);
  });

  it("a command of the command line: one record in commands/<name>.ts; the parser, its start without one, help and completion go by that", () => {
    const records = filesBelow("src/hosts/cli/commands", ".ts").filter((path) => !path.endsWith("/index.ts"));
    // Scripts call that one, so that its name is no word.
    const names = commands().map(({ name }) => (name === "__complete" ? "complete_words" : name));
    expect(records.map((path) => basename(path, ".ts"))).toEqual(names.toSorted());
    expect(naming(/\.command\(/)).toEqual(["src/hosts/cli/program.ts"]);
    expect(importersOf(files, "commander")).toEqual(["src/hosts/cli/parsed.ts", "src/hosts/cli/program.ts"]);
    for (const word of ["list", "done"]) expect(written(new RegExp(`name: "${word}"`)), word).toHaveLength(1);
  });

  it("statuses and checkpoints: state/entity.ts names all of them, and state/ended.ts says which statuses are an end", () => {
    const ended = /"DONE",\s*"FAILED",\s*"CANCELED"/;
    expect(written(ended)).toEqual(["src/state/ended.ts", "src/state/entity.ts"]);
    expect(written(/"security",\s*"perf",\s*"docs"/)).toEqual(["src/state/entity.ts"]);
    expect(naming(/\bfunction (?:hasEnded|isEnded)\b/)).toEqual(["src/state/ended.ts"]);
    const compared =
      /[!=]== "(?:TODO|ACTIVE)" (?:&&|\|\|) [\w.]+ [!=]== "(?:TODO|ACTIVE)"|"(?:DONE|FAILED)" \|\| [\w.]+ === "(?:FAILED|CANCELED)"\s*\|\|/;
    expect(written(compared)).toEqual([]);
    expect('a === "DONE" || a === "FAILED" || a === "CANCELED"').toMatch(compared);
    expect('a.status === "TODO" || a.status === "ACTIVE"').toMatch(compared);
  });

  it("a remedy names a tool and the program as parts, so that the command line makes its own words and rewrites no sentence", () => {
    const tools = Object.keys(TOOLS).join("|");
    const inSentence = new RegExp(`recovery(?::| =)\\s*(?:"[^"]*|\`[^\`]*)\\b(?:${tools})\\b`);
    expect(written(inSentence)).toEqual([]);
    expect('recovery: "Give it one with tasks_plan."').toMatch(inSentence);
    expect("recovery =\n  `${id}: tasks_note`").toMatch(inSentence);
    const program = /recovery(?::| =)\s*(?:["'][^"']*|`[^`]*)\btaskfold [a-z-]/;
    expect(written(program)).toEqual([]);
    expect('recovery: "Run taskfold verify."').toMatch(program);
    const rewritten = /\brecovery\)?[!?]?\s*\.(?:replace|replaceAll|match|split)\(/;
    expect(written(rewritten)).toEqual([]);
    expect('return recovery\n    .replace("a", "b")').toMatch(rewritten);
  });

  it("a time in a message is a part, so that each host words it (ERR-29)", () => {
    const raw = /\b(?:at|since|until) \$\{(?:\w+[!?]?\.)*(?:\w+_at|ts)\}/;
    expect(written(raw)).toEqual([]);
    expect("`was closed at ${step.done_at} by`").toMatch(raw);
    expect("`until ${expires_at} (claim`").toMatch(raw);
  });

  it("a log becomes a state by fold_log.ts; a loaded entity goes on with the fold that it keeps", () => {
    expect(naming(/\bnew Fold\(/)).toEqual(["src/engine/entity/loaded_entity.ts", "src/fold_log.ts"]);
    // The other two need no state: all ops at once, and lines in the order of replay.
    expect(naming(/\bnew Replay\(/)).toEqual([
      "src/engine/entity/loaded_entity.ts",
      "src/engine/repair/replay_order.ts",
      "src/fold_log.ts",
      "src/log/read_ops.ts",
    ]);
  });
});

describe("the reader of import lines", () => {
  const faultsOf = (path: string, text: string): string[] => importFaults(readSource(path, text));

  it("refuses an arrow that points up, in every spelling", () => {
    const spellings = [
      'import { a } from "../engine/a.ts";',
      'import type { A } from "../engine/a.ts";',
      'import "../engine/a.ts";',
      'import {\n  a,\n  b,\n} from "../engine/a.ts";',
      'export { a } from "../engine/a.ts";',
      'export type { A } from "../engine/a.ts";',
      'const a = await import("../engine/a.ts");',
      'import * as a from "../engine/a.ts";',
    ];
    for (const text of spellings) expect(faultsOf("src/state/x.ts", text), text).toHaveLength(1);
  });

  it("tells types from values", () => {
    expect(faultsOf("src/log/x.ts", 'import type { Disk } from "../disk.ts";')).toEqual([]);
    expect(faultsOf("src/log/x.ts", 'import { nodeDisk } from "../disk.ts";')).toHaveLength(1);
    expect(faultsOf("src/events/x.ts", 'import type { Event } from "../log/types.ts";')).toEqual([]);
    expect(faultsOf("src/events/x.ts", 'import type { Op } from "../log/order.ts";')).toHaveLength(1);
    expect(faultsOf("src/events/x.ts", 'import { type TObject } from "typebox";')).toHaveLength(1);
    expect(faultsOf("src/events/x.ts", 'import type { TObject } from "typebox";')).toEqual([]);
  });

  it("refuses packages and builtins that a layer has no use for", () => {
    expect(faultsOf("src/rules/x.ts", 'import { readFileSync } from "node:fs";')).toHaveLength(1);
    expect(faultsOf("src/log/x.ts", 'import { join } from "node:path";')).toHaveLength(1);
    expect(faultsOf("src/tools/x.ts", 'import { Ajv2020 } from "ajv/dist/2020.js";')).toHaveLength(1);
    expect(faultsOf("src/state/x.ts", 'import { a } from "../errors.js";')).toHaveLength(2);
    expect(faultsOf("src/nowhere/x.ts", "")).toHaveLength(1);
  });

  it("sees rooms and circles", () => {
    const core = readSource("src/engine/core/a.ts", 'import type { B } from "../locks/b.ts";');
    const locks = readSource("src/engine/locks/b.ts", 'import { a } from "../core/a.ts";');
    expect(roomFaults(core)).toHaveLength(1);
    expect(roomFaults(locks)).toEqual([]);
    expect(roomFaults(readSource("src/engine/attic/c.ts", ""))).toHaveLength(1);
    expect(circles([core, locks])).toEqual(["src/engine/core/a.ts, src/engine/locks/b.ts"]);
    expect(circles([locks])).toEqual([]);
  });

  it("sees what is imported by name, in every spelling", () => {
    const spellings = [
      'import { append } from "./log.ts";',
      'import {\n  other,\n  append as write,\n} from "./log.ts";',
      'import * as log from "./log.ts";',
      'export { append } from "./log.ts";',
      'const { append } = await import("./log.ts");',
    ];
    for (const text of spellings)
      expect(importersOf([readSource("src/a.ts", text)], "src/log.ts", "append"), text).toEqual(["src/a.ts"]);
    const other = readSource("src/a.ts", 'import { appended } from "./log.ts";');
    expect(importersOf([other], "src/log.ts", "append")).toEqual([]);
    expect(importersOf([other], "src/log.ts")).toEqual(["src/a.ts"]);
  });

  it("does not take comments and strings for code", () => {
    expect(faultsOf("src/state/x.ts", '// import { a } from "../engine/a.ts";')).toEqual([]);
    const impure = (text: string): string[] => impurities(readSource("src/state/x.ts", text));
    expect(impure('const doc = "Date.now() is read by the host"; // new Date()')).toEqual([]);
    expect(impure("const now = Date.now();")).toHaveLength(1);
    expect(impure("const id = `x${Math.random()}`;")).toHaveLength(1);
    expect(impure("const home = process.env.HOME;")).toHaveLength(1);
  });
});
