/** Every call to the disk of a machine fails in turn, while a change of it is acknowledged and while it takes in those of another one. */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { TEMP_PREFIX } from "../../src/files/atomic.ts";
import type { DiskFault, KeyedCall } from "../support/disk_faults.ts";
import { FAULTS, spoiltCall } from "../support/disk_faults.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { quick } from "../support/faulty_task.ts";
import { filesOf, machine } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { keysInLogs } from "../support/log_keys.ts";
import { numbersOf, SWEEP } from "../support/sweep.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

const STEP = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
const block = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });

/** A change of one log, of two logs, and a creation of two. */
const CALLS: readonly KeyedCall[] = [
  { tool: "tasks_note", input: { task: "TASK-001", note: "one" } },
  { tool: "tasks_batch", input: { atomic: true, operations: ["TASK-001", "TASK-002"].map(block) } },
  { tool: "tasks_bootstrap", input: { plan_title: "P", task_title: "T", steps: [STEP] } },
];
const KEYS = CALLS.map((_call, i) => `key-${i}`);

/** The code of each, one after the other; null where it was done. */
async function codesOf(ws: Workspace): Promise<(string | null)[]> {
  const codes: (string | null)[] = [];
  for (const [i, { tool, input }] of CALLS.entries()) {
    const all = { workspace: WORKSPACE, idempotency_key: KEYS[i]!, ...input };
    codes.push((await ws.callTool(tool, all as never)).error?.code ?? null);
  }
  return codes;
}

/** Files without what a write that failed left under a temporary name. */
function keptIn(root: string): [path: string, text: string][] {
  return Object.entries(filesOf(root)).filter(([path]) => !basename(path).startsWith(TEMP_PREFIX));
}

/** A line that a failed sync had appended again counts once (DUR-5), and it may stand behind an empty one. */
function linesOnce(text: string): string {
  return [...new Set(text.split("\n").filter((line) => line !== ""))].join("\n");
}

function logsIn(root: string): [path: string, text: string][] {
  return keptIn(root).filter(([path]) => path.endsWith("/events.jsonl"));
}

/** Which machine makes the calls, while the disk of the first one fails. */
const CALLERS = { "a change of its own is acknowledged": "own", "it takes in another's": "other" } as const;

/** How what the machines have in the end differs from the answers; null if there is no n-th call to spoil. */
async function untrue(url: string, stream: string, caller: "own" | "other", fault: DiskFault, n: number) {
  const log = { stream };
  const disk = new FaultyDisk(quick);
  const faulty = machine(url, { disk, durability: "fsync", lockTimeoutMs: 2000, log });
  await faulty.shared.init(WORKSPACE);
  for (const id of ["TASK-001", "TASK-002"]) await newTask(faulty, id);
  const other = machine(url, { disk: quick, log });
  await other.shared.sync(WORKSPACE);
  const before = disk.calls.length;
  fault.spoil(disk, n);
  const codes = await codesOf(caller === "own" ? faulty : other);
  if (caller === "other") await Promise.allSettled([faulty.shared.sync()]);
  const spoilt = spoiltCall(disk, fault, before, n);
  disk.mend();
  await faulty.close();
  if (!spoilt) return null;
  await other.shared.sync();
  const settled = keysInLogs(other.root);
  const fresh = machine(url, { root: faulty.root, log });
  const again = await codesOf(fresh);
  // The next write finishes what the journal has. Of files that could not be written a warning said that a rebuild writes them.
  await ok(fresh, "tasks_note", { task: "TASK-001", note: "after" });
  for (const one of [fresh, other]) await one.shared.sync();
  const mayRepeat = spoilt.kind === "fdatasync";
  const areAlike = (of: (root: string) => [path: string, text: string][]): boolean => {
    const [one, two] = [fresh, other].map(({ root }) =>
      of(root).map(([path, text]) => [path, mayRepeat && path.endsWith("/events.jsonl") ? linesOnce(text) : text]),
    );
    return isDeepStrictEqual(one, two);
  };
  const areSameLogs = areAlike(logsIn);
  await fresh.repair.rebuild();
  const areSame = areAlike(keptIn);
  const findings = [fresh, other]
    .flatMap((one) => one.verify().findings)
    .filter(({ info, code }) => info !== true && !(mayRepeat && code === "LINE_DUPLICATE"));
  const compared = (await fresh.shared.verify()).findings;
  const all = [fresh, other].map(({ root }) => keysInLogs(root));
  const wrong = KEYS.flatMap((key, i) => [
    ...(codes[i] === null && !settled.includes(key) ? [`${key} was acknowledged, and is lost`] : []),
    ...(codes[i] !== null && codes[i] !== "UNKNOWN_OUTCOME" && settled.includes(key)
      ? [`${key} was refused (${codes[i]!}), and is there`]
      : []),
    ...(again[i] === null ? [] : [`${key} cannot be repeated (${again[i]})`]),
    ...(all.every((keys) => keys.filter((one) => one === key).length === 1) ? [] : [`${key} is not there once`]),
  ]);
  return [
    ...wrong,
    ...(areSameLogs ? [] : ["the machines have other logs"]),
    ...(areSame ? [] : ["the machines have other files"]),
    ...[...findings, ...compared].map(({ code, message }) => `${code} ${message}`),
  ].map((text) => `${n}: ${spoilt.kind} ${spoilt.path}: ${text}`);
}

describe("a disk that refuses beside a shared log", SWEEP, () => {
  for (const [what, caller] of Object.entries(CALLERS))
    for (const [how, fault] of Object.entries(FAULTS))
      it(
        `[regression DUR-69, SHARED-67] loses no acknowledged change if ${how} while ${what}`,
        { timeout: 1_800_000 },
        async () => {
          const { url } = await natsServer();
          for (const n of numbersOf(40)) {
            const wrong = await untrue(url, `sweep-${n}`, caller, fault, n);
            if (wrong === null) break;
            expect(wrong).toEqual([]);
          }
        },
      );
});
