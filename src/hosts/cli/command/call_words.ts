/** Calls that an answer offers, as the words of the command that makes them (CLI-7). */
import type { JsonObject } from "../../../index.ts";

/** Words behind the name of a command; undefined where it cannot make this call. `intent`: the call that was refused. */
export type Make = (args: CallArgs, intent: string) => string[] | undefined;

/** The part of a command that answers and errors go by. */
export interface CommandWords {
  name: string;
  commands?: readonly CommandWords[];
  /** Calls of tools that it makes. */
  calls?: Readonly<Record<string, Make>>;
  /** Tools in whose place a sentence for people names it. */
  tools?: readonly string[];
}

/** The arguments of a call, each of which a command has to take up: what is left over has no option. */
export class CallArgs {
  readonly #left: Map<string, unknown>;

  constructor(args: JsonObject) {
    this.#left = new Map(Object.entries(args));
  }

  take(...names: string[]): string | undefined {
    const name = names.find((one) => typeof this.#left.get(one) === "string");
    const value = name === undefined ? undefined : (this.#left.get(name) as string);
    if (name !== undefined) this.#left.delete(name);
    return value;
  }

  /** Whether it is there with this value. */
  has(name: string, value: unknown): boolean {
    return this.#left.get(name) === value && this.#left.delete(name);
  }

  /** Whether it is there as a list of nothing. */
  hasEmpty(name: string): boolean {
    const value = this.#left.get(name);
    return Array.isArray(value) && value.length === 0 && this.#left.delete(name);
  }

  id(): string | undefined {
    return this.take("task", "plan", "target");
  }

  /** Both are given only where they agree. */
  step(): string | undefined {
    const id = this.take("step_id");
    return this.take("path") ?? id;
  }

  /** `gate`, `all`, or names with commas between them. */
  checkpoints(): string | undefined {
    const given = this.#left.get("checkpoints");
    if (typeof given === "string") return this.take("checkpoints");
    const entries = Object.entries((given ?? {}) as JsonObject);
    const isPlain = entries.length > 0 && entries.every(([, value]) => value === true);
    if (isPlain) this.#left.delete("checkpoints");
    return isPlain ? entries.map(([name]) => name).join(",") : undefined;
  }

  option(name: string, option = name): string[] {
    const value = this.#left.get(name);
    if (typeof value !== "string" && typeof value !== "number") return [];
    this.#left.delete(name);
    return [`--${option}`, String(value)];
  }

  /** A list of texts with the option before each. An empty list stays: not every option has a word for that. */
  repeated(name: string, option = name): string[] {
    const value = this.#left.get(name);
    if (!Array.isArray(value) || value.length === 0 || value.some((one) => typeof one !== "string")) return [];
    this.#left.delete(name);
    return (value as string[]).flatMap((one) => [`--${option}`, one]);
  }

  get isUsedUp(): boolean {
    return this.#left.size === 0;
  }
}

const nothing: Make = () => [];

export function onStep(more: Make = nothing): Make {
  return (args, intent) => {
    const [id, step, rest] = [args.id(), args.step(), more(args, intent)];
    return id === undefined || step === undefined || rest === undefined ? undefined : [id, step, ...rest];
  };
}

export function onWhole(more: Make = nothing): Make {
  return (args, intent) => {
    const [id, rest] = [args.id(), more(args, intent)];
    return id === undefined || rest === undefined ? undefined : [id, ...rest];
  };
}

/** A step, or without one the whole. */
export function onPlace(more: Make = nothing): Make {
  return (args, intent) => {
    const [id, step, rest] = [args.id(), args.step(), more(args, intent)];
    return id === undefined || rest === undefined ? undefined : [id, ...(step === undefined ? [] : [step]), ...rest];
  };
}
