import { expected } from "./command/values.ts";
import type { JsonObject } from "../../index.ts";
import type { ProofModes } from "../../state/proof_modes.ts";

/** A step without a criterion closes by anything: a script whose variable is empty is to be told. */
function refuseEmpty(text: string): void {
  if (text.trim() === "") throw expected("a text, found none");
}

/** Steps in the order of the options: criteria and tests belong to the step before them, or to every step. */
export class StepOptions {
  readonly #steps: { title: string; success_criteria: string[]; tests: string[]; proof: ProofModes }[] = [];
  readonly #all = { success_criteria: [] as string[], tests: [] as string[], proof: {} as ProofModes };

  step = (title: string): this => {
    this.#steps.push({ title, success_criteria: [], tests: [], proof: {} });
    return this;
  };

  criteria = (text: string): this => {
    refuseEmpty(text);
    (this.#steps.at(-1) ?? this.#all).success_criteria.push(text);
    return this;
  };

  test = (text: string): this => {
    refuseEmpty(text);
    (this.#steps.at(-1) ?? this.#all).tests.push(text);
    return this;
  };

  proof = (modes: ProofModes): this => {
    Object.assign((this.#steps.at(-1) ?? this.#all).proof, modes);
    return this;
  };

  /** Criteria, tests and proof without a step make one of the task's own title. */
  of(title: string): JsonObject[] {
    const { success_criteria, tests, proof } = this.#all;
    const isAsked = success_criteria.length + tests.length + Object.keys(proof).length > 0;
    const own = { title, success_criteria: [], tests: [], proof: {} };
    const steps = this.#steps.length === 0 && isAsked ? [own] : this.#steps;
    return steps.map((step) => {
      const modes = { ...proof, ...step.proof };
      return {
        title: step.title,
        success_criteria: [...success_criteria, ...step.success_criteria],
        tests: [...tests, ...step.tests],
        ...(Object.keys(modes).length === 0 ? {} : { proof: modes }),
      };
    });
  }
}
