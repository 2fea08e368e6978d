import { expected } from "./command/values.ts";
import type { JsonObject } from "../../index.ts";
import type { Checkpoint } from "../../state/entity.ts";
import type { ProofModes } from "../../state/proof_modes.ts";

/** A step without a criterion closes by anything: a script whose variable is empty is to be told. */
function refuseEmpty(text: string): void {
  if (text.trim() === "") throw expected("a text, found none");
}

interface Asked {
  success_criteria: string[];
  tests: string[];
  proof: ProofModes;
  confirm: Checkpoint[];
  files: string[];
}

const nothingAsked = (): Asked => ({ success_criteria: [], tests: [], proof: {}, confirm: [], files: [] });

/** Steps in the order of the options: criteria and tests belong to the step before them, or to every step. */
export class StepOptions {
  readonly #steps: (Asked & { title: string })[] = [];
  readonly #all = nothingAsked();

  step = (title: string): this => {
    this.#steps.push({ title, ...nothingAsked() });
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

  confirm = (checkpoints: readonly Checkpoint[]): this => {
    (this.#steps.at(-1) ?? this.#all).confirm.push(...checkpoints);
    return this;
  };

  files = (path: string): this => {
    refuseEmpty(path);
    (this.#steps.at(-1) ?? this.#all).files.push(path);
    return this;
  };

  /** Options without a step make one of the task's own title. */
  of(title: string): JsonObject[] {
    const { success_criteria, tests, proof, confirm, files } = this.#all;
    const isAsked = [success_criteria, tests, Object.keys(proof), confirm, files].some((given) => given.length > 0);
    const own = { title, ...nothingAsked() };
    const steps = this.#steps.length === 0 && isAsked ? [own] : this.#steps;
    return steps.map((step) => {
      const modes = { ...proof, ...step.proof };
      const [others, paths] = [
        [...confirm, ...step.confirm],
        [...files, ...step.files],
      ];
      return {
        title: step.title,
        success_criteria: [...success_criteria, ...step.success_criteria],
        tests: [...tests, ...step.tests],
        ...(Object.keys(modes).length === 0 ? {} : { proof: modes }),
        ...(others.length === 0 ? {} : { confirm: others }),
        ...(paths.length === 0 ? {} : { files: paths }),
      };
    });
  }
}
