import { availableParallelism, tmpdir } from "node:os";
import { defineConfig } from "vitest/config";
import { tempRoot } from "./test/support/temp_root.mjs";
import { SHARED_MODES } from "./src/engine/core/shared_log.ts";
import { compiledSources, EXTERNAL } from "./test/support/compiled.ts";
import { isDrawnBy } from "./test/support/random.ts";
import { sharingFiles } from "./test/support/sharing_files.ts";
import { LongFirst } from "./test/support/long_first.ts";

const DISK = tmpdir();
/** In memory where the system allows it. */
const TEMP = tempRoot();
const DAY = 86_400_000;

/** Tests of workspaces over NATS JetStream: they start real servers, which not every machine has (`npm run test:shared`). */
const WITH_SERVERS = ["test/jetstream/**/*.test.ts"];

export const common = {
  // Crash and property tests fork processes and replay thousands of logs; a slow machine is no failure.
  testTimeout: 180_000,
  hookTimeout: 60_000,
  // A poll ends as soon as it holds; a slow machine is no failure here, either.
  expect: { poll: { timeout: 30_000 } },
  setupFiles: ["test/support/seeded.ts"],
  unstubEnvs: true,
  restoreMocks: true,
};

export const tags = [
  { name: "sweep", description: "`npm test` takes a sample of its cases", timeout: 3_600_000 },
  { name: "rotating", description: "`npm test` runs some of these tests, and reports the others as skipped" },
  {
    name: "long",
    description: "whole sweeps of these files take minutes: `.ci/run` leaves them to `npm run test:all`",
  },
];

/** A sample runs one file of the engine's tests in so many over a shared log: to load a file for few of its tests costs more than they do. */
const ONE_IN = 16;

/** Projects of the tests that need servers: their own, and those of the engine in each mode of a shared log. */
function sharing(mode: string, seed: number) {
  const engine = sharingFiles();
  const own = { ...common, isolate: false, env: { TMPDIR: TEMP } };
  return [
    { test: { ...own, name: "jetstream", include: WITH_SERVERS } },
    ...SHARED_MODES.map((name) => ({
      test: {
        ...own,
        name,
        include: mode === "shared" ? engine : engine.filter((file) => isDrawnBy(seed, `${name} ${file}`, ONE_IN)),
        setupFiles: [...common.setupFiles, "test/support/shared_setup.ts"],
        globalSetup: "test/support/shared_server.ts",
        provide: { mode: name },
      },
    })),
  ];
}

/**
 * `npm test` runs `--mode sample`: of sweeps it takes what the seed of the day chooses. A run without a mode takes them whole. Mode
 * `shared` runs the tests that need servers, and mode `shared-sample` some files of those that also run without.
 */
export default defineConfig(({ mode }) => {
  const whole = !["sample", "shared-sample", "shared"].includes(mode);
  const today = Math.floor(Date.now() / DAY);
  const seed = Number(process.env["TASKFOLD_SEED"] ?? (whole ? 1 : today));
  return {
    plugins: [compiledSources()],
    test: {
      ...common,
      server: { deps: { external: EXTERNAL } },
      ...(mode.startsWith("shared")
        ? { projects: sharing(mode, seed) }
        : { include: ["test/**/*.test.ts"], exclude: WITH_SERVERS }),
      isolate: false,
      // Tests of servers wait for elections and timeouts most of the time.
      maxWorkers: availableParallelism() + (mode.startsWith("shared") ? 2 : 0),
      sequence: { sequencer: LongFirst },
      // What the compiler makes of a file stays until the file, a setting or package-lock.json changes.
      experimental: { fsModuleCache: true, fsModuleCachePath: ".vitest-cache" },
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
      env: { TMPDIR: TEMP },
      provide: {
        disk: DISK,
        whole,
        seed,
        runs: Number(process.env["TASKFOLD_RUNS"] ?? 0),
      },
    },
  };
});
