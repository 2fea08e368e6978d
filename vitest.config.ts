import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Crash and property tests fork processes and replay thousands of logs; a slow machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
