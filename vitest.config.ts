import { availableParallelism, tmpdir } from "node:os";
import { defineConfig } from "vitest/config";
import { tempRoot } from "./scripts/temp_root.mjs";

const DISK = tmpdir();
/** In memory where the system allows it. */
const TEMP = tempRoot();
const DAY = 86_400_000;

/** Tests of what a real file system does with syncs, locks, renames and notifications. */
const REAL_DISK = [
  "test/engine/durability.test.ts",
  "test/engine/group_commit.test.ts",
  "test/engine/locks.test.ts",
  "test/engine/machine_locks.test.ts",
  "test/engine/storage.test.ts",
  "test/engine/sync_fails.test.ts",
  "test/engine/two_writers.test.ts",
  "test/files/replace.test.ts",
  "test/files/rooted_disk.test.ts",
  "test/storm.test.ts",
];

/** Tests of workspaces over NATS JetStream: they start real servers, which not every machine has (`npm run test:shared`). */
const WITH_SERVERS = ["test/jetstream/**/*.test.ts"];

export const common = {
  // Crash and property tests fork processes and replay thousands of logs; a slow machine is no failure.
  testTimeout: 180_000,
  hookTimeout: 60_000,
  setupFiles: ["test/support/seeded.ts"],
  unstubEnvs: true,
  restoreMocks: true,
};

export const tags = [
  { name: "sweep", description: "`npm test` takes a sample of its cases", timeout: 3_600_000 },
  { name: "rotating", description: "`npm test` runs some of these tests, and reports the others as skipped" },
];

/** `npm test` runs `--mode sample`: of sweeps it takes what the seed of the day chooses. Every other run takes them whole. */
export default defineConfig(({ mode }) => {
  const whole = mode !== "sample";
  const today = Math.floor(Date.now() / DAY);
  return {
    test: {
      maxWorkers: availableParallelism(),
      globalSetup: "test/support/announce.ts",
      tags,
      // What child processes run of the build does not count.
      coverage: {
        provider: "v8",
        reportOnFailure: true,
        include: ["src/**/*.ts"],
        exclude: ["src/*/generated/**"],
        reporter: ["text-summary"],
      },
      provide: {
        whole,
        seed: Number(process.env["TASKFOLD_SEED"] ?? (whole ? 1 : today)),
        runs: Number(process.env["TASKFOLD_RUNS"] ?? 0),
      },
      projects:
        mode === "jetstream"
          ? [{ test: { ...common, name: "jetstream", include: WITH_SERVERS, isolate: false, env: { TMPDIR: TEMP } } }]
          : [
              { test: { ...common, name: "disk", include: REAL_DISK, isolate: false, env: { TMPDIR: DISK } } },
              {
                test: {
                  ...common,
                  name: "shared",
                  include: ["test/**/*.test.ts"],
                  exclude: [...REAL_DISK, ...WITH_SERVERS],
                  isolate: false,
                  env: { TMPDIR: TEMP },
                },
              },
            ],
    },
  };
});
