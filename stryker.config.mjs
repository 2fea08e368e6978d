// @ts-check
// How `npm run mutants` changes code, and which tests have to notice. spec/decisions/0016-mutants.md has the reasons.
import { sampleOptions } from "./test/suites/mutants/sample.mjs";

/** @type {ConstructorParameters<typeof import("@stryker-mutator/core").Stryker>[0]} */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner", "./test/suites/mutants/sample.mjs"],
  // The tool knows no test that an imported file concerns: nearly every test imports all rules.
  vitest: { configFile: "vitest.mutants.config.ts", related: false },
  mutate: sampleOptions().mutate,
  ignorers: ["sample", "prose"],
  // A constant of a module is read once. Each of its mutants would need all tests in a process of their own.
  ignoreStatic: true,
  // TypeScript 7 has no interface for the tool, and no test asks for types.
  disableTypeChecks: false,
  tsconfigFile: "none",
  ignorePatterns: ["/dist", "/site", "/viewer", "/bench", "/examples", "/test/golden_screens"],
  concurrency: 1,
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 30,
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
};
