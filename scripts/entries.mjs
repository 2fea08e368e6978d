// @ts-check
/** The source of each entry point of the package, by the name of its files: `dist/NAME.js` and `dist/types/NAME.d.ts`. */
export const ENTRIES = {
  index: "src/index.ts",
  guard: "src/guard/index.ts",
  replay: "src/replay.ts",
  testing: "src/testing.ts",
  git: "src/hosts/git/git_port.ts",
  signers: "src/hosts/signatures/open_signers.ts",
  jetstream: "src/hosts/jetstream/index.ts",
  otel: "src/hosts/otel/otel.ts",
  runner: "src/runner/index.ts",
};
