// @ts-check
// Calls of tools by the schemas of their inputs.
import { TOOLS } from "../../../dist/index.js";
import { fromSchema, mutated, pick } from "./values.mjs";

/** @typedef {import("../../support/random_calls.mjs").Random} Random */

/** A tool and an input that its schema allows, or nearly. @param {Random} random @returns {[string, Record<string, unknown>]} */
export function toolCall(random) {
  const tool = pick(random, Object.values(TOOLS));
  const schema = /** @type {import("./values.mjs").Schema} */ (/** @type {unknown} */ (tool.input));
  const example = random.chance(0.3) ? pick(random, tool.examples) : undefined;
  let input = example === undefined ? fromSchema(schema, random) : example;
  for (let left = random.below(3); left > 0; left--) input = mutated(input, random);
  return [tool.name, /** @type {Record<string, unknown>} */ (input)];
}
