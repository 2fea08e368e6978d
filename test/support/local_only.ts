/** Tests that do not run over a shared log, by the reason. Every other test of the folders in vitest.config.ts does. */
import type { SharedMode } from "../../src/engine/core/shared_log.ts";

export interface LocalOnly {
  reason: string;
  /** In this mode alone; else in both. */
  mode?: SharedMode;
  /** Parts of the names of tests, by file; `all` of a file. */
  tests: Readonly<Record<string, readonly string[] | "all">>;
}

export const LOCAL_ONLY: readonly LocalOnly[] = [
  {
    reason:
      "A disk fails, or a process dies with it, behind the publish: the outcome is unknown, and not a refusal (SHARED-9).",
    mode: "strict",
    tests: {
      "test/engine/archive.test.ts": [": a process that dies at"],
      "test/engine/broken_locks.test.ts": "all",
      "test/engine/fault_sweep.test.ts": "all",
      "test/engine/faults.test.ts": "all",
      "test/engine/hostile_disk.test.ts": [
        "is read-only (EROFS at",
        "in the place of shared/ sends no file",
        ", another log behind it: refused",
        ", the open log itself behind",
        ": nothing is created behind it",
      ],
      "test/engine/hostile_log.test.ts": ["taken away between the look at it and the write"],
      "test/engine/large_input.test.ts": ["where the write of the first fails"],
      "test/engine/packet_crash.test.ts": ["a process that dies", "the process dies", "the power goes"],
      "test/engine/packet_import.test.ts": ["the task that it makes is in the notification file before its folder"],
      "test/engine/planted.test.ts": ["the journal itself as a link"],
      "test/engine/torn_tail.test.ts": ["a refused call leaves it"],
      "test/engine/transactions.test.ts": [
        "is finished by the next write of",
        "is not made again by a call with",
        "is tried once by each later write while the system refuses it, which",
        "a write waits for no lock of",
        "is finished by the process that could not wait for its locks",
        "whose locks cannot be had puts its lines",
        "is finished before a call that needs",
        "waits while a log has a part",
        "[DUR-113] [TXN-3]",
      ],
    },
  },
  {
    reason: "Of two calls in one turn the one beside the tools goes out first.",
    mode: "merge",
    tests: { "test/engine/taskdoc_edits.test.ts": ["[TASKDOC-32] does not write over"] },
  },
  {
    reason:
      "The shared log keeps a change of several plans and tasks together, and no journal of this machine (SHARED-1).",
    mode: "strict",
    tests: {
      "test/engine/sync_fails.test.ts": ["[DUR-97] the same for lines of a transaction"],
      "test/engine/transactions.test.ts": [
        "[TXN-3]",
        "is finished by the next write in",
        "is finished with a warning of an",
        "is finished with what people",
        "is waited for by every write",
        "is finished by rebuild too, which goes on with a",
        "is finished by adopt before it takes",
        "gives what it makes another name",
        "counts for readers as if",
        "counts for the focus, the log and the texts of files",
        "counts for a watch, once",
        "counts also for what is only",
        "goes to quarantine whole",
        "is set aside when nobody",
        "[VERIFY-9]",
        "waits while a log has a part",
        "is set aside by resolve with",
        "[TXN-8] is answered",
      ],
    },
  },
  {
    reason: "Lines that a log has lost come back from the shared log (SHARED-12).",
    tests: {
      "test/engine/delta.test.ts": ["[DELTA-3] a cursor whose list is gone", "[DELTA-2] [DELTA-3]"],
      "test/engine/hostile_log.test.ts": [
        "replaced by another file",
        "truncated in place",
        "edited in place",
        ": writes are refused with",
      ],
      "test/engine/log_truncated.test.ts": "all",
      "test/engine/torn_tail.test.ts": ["our own last line, cut"],
      "test/engine/transactions_git.test.ts": "all",
      "test/engine/verify.test.ts": ["an op that was cut short"],
      "test/engine/two_folders.test.ts": [
        "while lines are missing, both folders stay as they are",
        "[RESOLVE-53] until then no door",
      ],
      "test/engine/went_away.test.ts": "all",
      "test/engine/went_back.test.ts": "all",
    },
  },
  {
    reason: "Of two entities in one log the later one moves by itself (SHARED-12).",
    tests: {
      "test/engine/resolve.test.ts": ["[RESOLVE-3] the later of two entities"],
      "test/engine/two_folders.test.ts": ["[RESOLVE-3]"],
    },
  },
  {
    reason:
      "A call waits for the workspace's lock under that of the shared log, so no other process of the machine is faster (SHARED-1).",
    tests: {
      "test/engine/transactions.test.ts": [
        "[TXN-10] a transaction has its ids with its first turn",
        "[TXN-10] a transaction whose parts change each time",
      ],
    },
  },
  {
    reason:
      "A lock is held beyond the wait for it, which is also that of the publishing behind a change: the next answer says so (SHARED_BEHIND).",
    mode: "merge",
    tests: {
      "test/engine/archive.test.ts": ["[ARCHIVE-22] a folder does not move"],
      "test/engine/sync_fails.test.ts": ["[DUR-7] where the file was replaced meanwhile"],
    },
  },
  {
    reason: "Another folder comes to the name of an open root: its shared log is another one (SHARED-13).",
    tests: { "test/engine/planted_names.test.ts": ["[regression DIR-57]", "[DIR-54]"] },
  },
  {
    reason: "The first call of a root takes in what the shared log has, also where it reads (SHARED-16).",
    tests: {
      "test/engine/delta.test.ts": ["the list behind a cursor"],
      "test/engine/hostile_disk.test.ts": ["[ENG-8] a log that may not be read", "[ENG-10] an unbound root"],
      "test/engine/machine_locks.test.ts": ["reading chooses nothing"],
      "test/engine/snapshot.test.ts": ["is written by a write or"],
      "test/engine/storage.test.ts": ["[STORE-1] is told"],
    },
  },
  {
    reason: "A server answers in the time of the real machine, and these have a virtual one.",
    tests: { "test/engine/runtime.test.ts": "all" },
  },
  {
    reason: "It opens several workspaces by one call, which gives each root what its own options name.",
    tests: { "test/engine/workspaces.test.ts": "all" },
  },
  {
    reason: "It counts what a process reads or writes that works alone.",
    tests: {
      "test/engine/delta.test.ts": ["[regression DELTA-9]"],
      "test/engine/group_commit.test.ts": "all",
      "test/engine/listing.test.ts": ["[VIEW-16]"],
      "test/engine/listing_heads.test.ts": ["[VIEW-16]"],
      "test/engine/locks.test.ts": ["leaves timers and signals their turn"],
      "test/engine/memory.test.ts": ["those that were used last"],
      "test/engine/plan_tasks.test.ts": [
        "reads the logs of the plan and of its open tasks",
        "a folder that cannot be read",
      ],
      "test/engine/transactions.test.ts": [
        "[TXN-5] [TXN-4] a write waits",
        "[TXN-4] is finished by the process that could not wait",
      ],
    },
  },
  {
    reason: "It spoils a certain sync, and the position in the shared log is synced as well.",
    tests: {
      "test/engine/durability.test.ts": ["[DUR-1] at group a late sync"],
      "test/engine/sync_fails.test.ts": ["[DUR-5] another process brings the bytes back also when", "[DUR-5] rebuild"],
    },
  },
  {
    reason: "It compares the times of two runs, and the clock of a test goes on with each look.",
    tests: {
      "test/engine/memory.test.ts": ["no answer depends on how much"],
      "test/engine/snapshot.test.ts": ["what was done before the"],
    },
  },
  {
    reason: "It compares all files around a refusal, and what came before is published behind it (SHARED-30).",
    mode: "merge",
    tests: { "test/engine/bad_input.test.ts": "all" },
  },
  {
    reason: "A claim warns that others do not know of it yet (SHARED-32).",
    mode: "merge",
    tests: {
      "test/engine/claim_next.test.ts": ["is passed over by a call"],
      "test/engine/claims.test.ts": ["[LEASE-8] [TOOL-14]"],
    },
  },
];

/** Why a test is left out; undefined where it runs. */
export function whyLocal(mode: SharedMode, file: string, name: string): string | undefined {
  const isMeant = (own: LocalOnly["tests"][string] | undefined): boolean =>
    own === "all" || own?.some((part) => name.includes(part)) === true;
  return LOCAL_ONLY.find((one) => (one.mode ?? mode) === mode && isMeant(one.tests[file]))?.reason;
}
