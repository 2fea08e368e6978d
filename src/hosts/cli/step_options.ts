import { InvalidArgumentError } from "commander";
import type { JsonObject } from "../../index.ts";

/** A step without a criterion closes by anything: a script whose variable is empty is to be told. */
function refuseEmpty(text: string): void {
  if (text.trim() === "") throw new InvalidArgumentError("Expected a text, found none.");
}

/** Steps in the order of the options: criteria and tests belong to the step before them, or to every step. */
export class StepOptions {
  readonly #steps: { title: string; success_criteria: string[]; tests: string[] }[] = [];
  readonly #all = { success_criteria: [] as string[], tests: [] as string[] };

  step = (title: string): this => {
    this.#steps.push({ title, success_criteria: [], tests: [] });
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

  /** Criteria and tests without a step make one of the task's own title. */
  of(title: string): JsonObject[] {
    const { success_criteria, tests } = this.#all;
    const isAsked = success_criteria.length + tests.length > 0;
    const steps = this.#steps.length === 0 && isAsked ? [{ title, success_criteria: [], tests: [] }] : this.#steps;
    return steps.map((step) => ({
      title: step.title,
      success_criteria: [...success_criteria, ...step.success_criteria],
      tests: [...tests, ...step.tests],
    }));
  }
}
