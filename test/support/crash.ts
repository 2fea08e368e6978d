/**
 * The crash harness: the script of calls runs on a disk that stops at one change, is reopened on a real one, and everything
 * that has to hold then is checked. Failures are sentences, so that a run tells all of them.
 */
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { openWorkspace } from "./open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { machinePath } from "./machine.ts";
import { unsynced } from "./exchange.ts";
import { CHANGES } from "./disk_calls.ts";
import { FaultyDisk } from "./faulty_disk.ts";
import type { Call } from "./disk_calls.ts";
import { keysInLogs, run, SCRIPT } from "./script.ts";
import { counting, ticking } from "./workspace.ts";

/** How the world goes on after the stop: the process alone is gone, or all (or some) of what no sync covered. */
export type Aftermath =
  | { power: false; tear: number }
  | { power: true; tear: number; spared: (path: string) => boolean };

export interface Outcome {
  checks: number;
  failures: string[];
}

/** Breaks one line of the protocol on purpose: the disk as the engine sees it. */
export type Sabotage = (disk: Disk) => Disk;

/** The disk's own syncs are left out: what would survive a power cut is counted, not tried. */
export const quick: Disk = unsynced(nodeDisk);

/** What a change that was never acknowledged may leave until the next write or `resolve`. */
const CUT = /^(LINE_TORN|LOG_EMPTY|OP_INCOMPLETE|FOLDER_WITHOUT_LOG) /;

/** What a reader sees after `n` calls of the script, for every n. */
export interface Reference {
  /** Changes in the whole script, in order; for writes how many bytes, in all and in the first line. */
  changes: (Call & { bytes: number; line: number })[];
  states: ReadonlyMap<string, string>[];
}

function openIn(root: string, disk: Disk, ids: string): Workspace {
  return openWorkspace({ root, disk, now: ticking(), newId: counting(ids) });
}

/** Runs the script once without a stop. */
export async function reference(root: string): Promise<Reference> {
  const sizes: { bytes: number; line: number }[] = [];
  const disk = new FaultyDisk({
    ...quick,
    write: (fd, bytes, position) => {
      sizes.push({ bytes: bytes.length, line: bytes.indexOf(0x0a) + 1 });
      return quick.write(fd, bytes, position);
    },
  });
  const ws = openIn(root, disk, "script");
  const states = [stateOf(root)];
  for (const step of SCRIPT) {
    const reply = await run(ws, step);
    if (!reply.success) throw new Error(`the script fails at ${step.key}: ${reply.error?.message}`);
    states.push(stateOf(root));
  }
  await ws.close();
  const changes = disk.calls
    .filter(({ kind }) => CHANGES.includes(kind))
    .map((call) => ({ ...call, ...(call.kind === "write" ? sizes.shift()! : { bytes: 0, line: 0 }) }));
  return { changes, states };
}

/** Stops at change `n` and checks what is left. */
export async function crash(
  root: string,
  { states }: Reference,
  n: number,
  aftermath: Aftermath,
  sabotage: Sabotage = (disk) => disk,
): Promise<Outcome> {
  const told = new Checks();
  const disk = new FaultyDisk(quick);
  disk.stop(n, aftermath.tear);
  const ws = openIn(root, sabotage(disk), "script");
  const acked: string[] = [];
  let logs = new Map<string, Buffer>();
  for (const step of SCRIPT) {
    if ((await run(ws, step)).success) {
      acked.push(step.key);
      logs = logsOf(root);
    }
    if (disk.dead) break;
  }
  if (aftermath.power) disk.losePower(aftermath.spared);
  else disk.die();
  processIsGone(root);

  const keys = keysInLogs(root);
  told.check("every acknowledged change is there once", () =>
    acked.every((key) => keys.filter((one) => one === key).length === 1),
  );
  const after = logsOf(root);
  told.check("what was acknowledged stands in the logs as it was", () =>
    [...logs].every(([id, bytes]) => after.get(id)?.subarray(0, bytes.length).equals(bytes) === true),
  );
  const again = openIn(root, quick, "again");
  try {
    await again.repair.rebuild();
    const state = stateOf(root);
    told.check("the change under way is there whole or not at all", () =>
      [acked.length, acked.length + 1].some((k) => states[k] !== undefined && same(states[k], state)),
    );
    if (again.id !== undefined)
      told.none(
        "rebuild leaves nothing to find but a change that was cut",
        found(again).filter((one) => !CUT.test(one)),
      );
    for (const step of SCRIPT) {
      const { error } = await run(again, step);
      // A key of a task that is in the archive by now: it was applied, and there is nothing left to ask.
      const archived = ["UNKNOWN_ID", "ID_TAKEN"].includes(error?.code ?? "") && keysInLogs(root).includes(step.key);
      told.none(`the work goes on with ${step.key}`, error === null || archived ? [] : [error.message]);
    }
    told.check("every key counts once in the end", () => {
      const all = keysInLogs(root).toSorted();
      return all.join(" ") === SCRIPT.map(({ key }) => key).join(" ");
    });
    await again.repair.resolve();
    told.none("resolve leaves nothing to find", found(again));
  } catch (e) {
    told.failures.push(`reopening works; found ${String(e)}`);
  } finally {
    await again.close();
  }
  const resting = machinePath(root, "exchange");
  told.none("nothing is left at rest", existsSync(resting) ? readdirSync(resting) : []);
  return told;
}

class Checks implements Outcome {
  checks = 0;
  failures: string[] = [];

  check(what: string, holds: () => boolean): void {
    this.checks++;
    if (!holds()) this.failures.push(what);
  }

  none(what: string, found: string[]): void {
    this.check(found.length === 0 ? what : `${what}; found ${found.join(", ")}`, () => found.length === 0);
  }
}

function found(ws: Workspace): string[] {
  return ws
    .verify()
    .findings.filter(({ info }) => !info)
    .map(({ code, file }) => `${code} in ${file}`);
}

/** Logs by id, wherever their folder stands. */
function logsOf(root: string): Map<string, Buffer> {
  return new Map(
    folders(root).flatMap((folder) => {
      const path = join(root, folder, "events.jsonl");
      return existsSync(path) ? [[folder.split("/").at(-1)!, readFileSync(path)] as const] : [];
    }),
  );
}

/** What readers see of every entity: its folder and the files that show its state. */
function stateOf(root: string): Map<string, string> {
  return new Map(
    folders(root)
      .filter((folder) => existsSync(join(root, folder, "events.jsonl")))
      .flatMap((folder) =>
        ["task.yaml", "README.md", "shared/evidence/index.json"].flatMap((name) => {
          const path = join(root, folder, name);
          return existsSync(path) ? [[`${folder}/${name}`, readFileSync(path, "utf8")] as const] : [];
        }),
      ),
  );
}

function folders(root: string): string[] {
  return [".coco/tasks", ".coco/archive"].flatMap((part) =>
    existsSync(join(root, part)) ? readdirSync(join(root, part)).map((id) => `${part}/${id}`) : [],
  );
}

function same(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}

/** Gives what this process left in the registry to one that is not there: a number above any that a system hands out. */
function processIsGone(root: string): void {
  for (const part of ["dirty", "exchange"]) {
    const folder = machinePath(root, part);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder))
      renameSync(join(folder, name), join(folder, name.replace(/^\d+/, "99999999")));
  }
}
