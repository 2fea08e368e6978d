/** The part of a tool that callers see: its name, its schemas and its words. */
import type { Kind } from "../state/entity.ts";
import type { Infer, TSchema } from "../state/schema.ts";
import { targetFrom } from "./output_views.ts";

export type Target = "entity" | "workspace";

/** The part of a tool that callers see. */
export interface Described<I extends TSchema, O extends TSchema, Example> {
  name: string;
  /** At most 40 characters, for tool lists. */
  title: string;
  /** The effect of the tool, for the agent that has to choose. */
  doc: string;
  input: I;
  /** The shape of `result` when the call succeeds. */
  output: O;
  /** Inputs that validate; the first one stands in the docs. */
  examples: Example[];
  /** Which kinds of entity it works on; both when left out. */
  kinds?: readonly Kind[];
  /**
   * Throws the tool's own refusal of an input that its schema does not take, where it has one. The input may be any
   * object; when nothing is thrown, the schema's words are the answer.
   */
  explainInvalidInput?: (input: Readonly<Record<string, unknown>>) => void;
}

export type Named = Described<TSchema, TSchema, unknown>;

/** The effect of a call, and whether it is about an entity or the workspace. */
export interface Effect<E extends string, T extends Target> {
  effect: E;
  target: T;
}

/** A tool with the schemas by which the types of its input and its result are known. */
export type Defined<T, I extends TSchema, O extends TSchema> = T & { input: I; output: O };

/** A description as its tool writes it. */
export type Spec<I extends TSchema, O extends TSchema> = Described<I, O, Infer<I>>;

/** Makes the record of a kind. `goesByFocus`: an answer may say that a focus decided what the call is about. */
export function defined<D>(effect: string, spec: { output: TSchema; target: Target }, goesByFocus: boolean): D {
  const output = goesByFocus ? withTargetFrom(spec.output) : spec.output;
  return { ...spec, output, effect } as unknown as D;
}

/** Whether the tool cuts its whole answer to `max_chars`. */
export function takesBudget({ input }: Pick<Named, "input">): boolean {
  return "max_chars" in (input as unknown as Members).properties;
}

interface Members {
  anyOf?: TSchema[];
  properties: Record<string, TSchema>;
}

/** Any answer says when a focus decided what the call is about (TOOL-31). */
function withTargetFrom(output: TSchema): TSchema {
  const { anyOf, properties } = output as unknown as Members;
  if (anyOf) return { ...output, anyOf: anyOf.map(withTargetFrom) } as unknown as TSchema;
  return { ...output, properties: { ...properties, target_from: targetFrom } } as unknown as TSchema;
}
