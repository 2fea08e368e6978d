/** Says once, before the first test, which samples a run takes. */
import type { TestProject } from "vitest/node";
import type {} from "./sweep.ts";

export default function announce(project: TestProject): void {
  const { whole, seed, runs } = project.getProvidedContext();
  const what =
    runs > 0
      ? `Properties make ${runs} runs`
      : whole
        ? "Sweeps run whole"
        : "Sweeps run a sample, and rotating tests take turns";
  process.stderr.write(`${what}: seed ${seed}. TASKFOLD_SEED=${seed} repeats this run.\n`);
}
