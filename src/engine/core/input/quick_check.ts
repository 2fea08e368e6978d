/**
 * A first look at an input, without ajv: loading ajv and compiling one schema takes longer than a whole `taskfold list`. The
 * answer "fits" is certain; every other answer means "ask ajv", which has the verdict and the words. So a keyword may be
 * checked more strictly than it says, never less, and a schema with a keyword that is not here never fits. A test holds this
 * against ajv on the schema of every tool.
 *
 * Each tool's schema becomes one function: every call asks it, and a function for each keyword would be a dozen calls.
 */
import type { TSchema } from "../../../state/schema.ts";

export type QuickCheck = (value: unknown) => boolean;

type Plain = Readonly<Record<string, unknown>>;

/** A function that returns true only for values that the schema takes. */
export function quickCheck(schema: TSchema): QuickCheck {
  return compile(schema as unknown as Plain);
}

/** Of a schema only keys and numbers come into the source, as JSON; it finds everything else in `parts`. The schemas are this project's own. */
function compile(schema: Plain): QuickCheck {
  const parts: unknown[] = [];
  const source = `return (v) => ${new Source(schema, "v", parts).text()};`;
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  return new Function("parts", source)(parts) as QuickCheck;
}

/** As ajv looks at them: members that an object inherits count, too. */
function eachMember(fits: QuickCheck): QuickCheck {
  return (value) => {
    for (const key in value as Record<string, unknown>)
      if (!fits((value as Record<string, unknown>)[key])) return false;
    return true;
  };
}

/** One schema, for the value that the expression `v` stands for. */
class Source {
  readonly #schema: Plain;
  readonly #v: string;
  readonly #parts: unknown[];

  constructor(schema: Plain, v: string, parts: unknown[]) {
    this.#schema = schema;
    this.#v = v;
    this.#parts = parts;
  }

  /** Every keyword has to hold, the type first: what the others say holds for that type. */
  text(): string {
    const { type, ...rest } = this.#schema;
    const checks = Object.entries(rest).map(([keyword, value]) => this.#check(keyword, value as never));
    const all = [type === undefined ? "true" : this.#is(type), ...checks].filter((check) => check !== "true");
    return all.length === 0 ? "true" : `(${all.join(" && ")})`;
  }

  #part(value: unknown): string {
    return `parts[${this.#parts.push(value) - 1}]`;
  }

  #is(type: unknown): string {
    const v = this.#v;
    switch (type) {
      case "string":
      case "boolean":
        return `typeof ${v} === "${type}"`;
      case "integer":
        return `Number.isSafeInteger(${v})`;
      case "null":
        return `${v} === null`;
      case "array":
        return `Array.isArray(${v})`;
      case "object":
        return `(typeof ${v} === "object" && ${v} !== null && !Array.isArray(${v}))`;
      default:
        return "false";
    }
  }

  /** Keywords for one type say nothing of others, as in JSON Schema. */
  #of(type: string, check: string): string {
    if (check === "true" || this.#schema["type"] === type) return check;
    return `(!(${this.#is(type)}) || ${check})`;
  }

  #check(keyword: string, value: never): string {
    const v = this.#v;
    const limit: number = value;
    switch (keyword) {
      case "$schema":
      case "title":
      case "description":
      case "default":
        return "true";
      case "enum":
        return `${this.#part(new Set(value))}.has(${v})`;
      case "anyOf":
        return `(${(value as Plain[]).map((one) => new Source(one, v, this.#parts).text()).join(" || ")})`;
      case "minimum":
        return this.#number(`${v} >= ${limit}`);
      case "maximum":
        return this.#number(`${v} <= ${limit}`);
      case "pattern":
        return this.#of("string", `${this.#part(new RegExp(value, "u"))}.test(${v})`);
      // Lengths count code points, of which a string has at most its length and at least half of it.
      case "minLength":
        return this.#of("string", `${v}.length >= ${limit > 1 ? 2 * limit : limit}`);
      case "maxLength":
        return this.#of("string", `${v}.length <= ${limit}`);
      case "minItems":
        return this.#of("array", `${v}.length >= ${limit}`);
      case "maxItems":
        return this.#of("array", `${v}.length <= ${limit}`);
      case "items":
        return this.#of("array", `${v}.every(${this.#part(compile(value))})`);
      case "required":
        return this.#of("object", conjunction((value as string[]).map((key) => `${this.#member(key)} !== undefined`)));
      case "properties":
        return this.#of("object", conjunction(Object.entries(value as Plain).map((entry) => this.#property(entry))));
      case "additionalProperties":
        if (value === false) return this.#of("object", this.#closed());
        // A map of the caller's names. No schema here has one beside named properties.
        return "properties" in this.#schema || value === true
          ? "false"
          : this.#of("object", `${this.#part(eachMember(compile(value)))}(${v})`);
      default:
        return "false";
    }
  }

  /** An integer is a number, too. */
  #number(check: string): string {
    return this.#schema["type"] === "integer" ? check : `(typeof ${this.#v} !== "number" || ${check})`;
  }

  #member(key: string): string {
    return `${this.#v}[${JSON.stringify(key)}]`;
  }

  #property([key, schema]: [string, unknown]): string {
    const member = this.#member(key);
    const check = new Source(schema as Plain, member, this.#parts).text();
    return check === "true" ? check : `(${member} === undefined || ${check})`;
  }

  #closed(): string {
    const known = new Set(Object.keys((this.#schema["properties"] ?? {}) as object));
    return `!${this.#part(hasOther)}(${this.#v}, ${this.#part(known)})`;
  }
}

function conjunction(checks: readonly string[]): string {
  const telling = checks.filter((check) => check !== "true");
  return telling.length === 0 ? "true" : `(${telling.join(" && ")})`;
}

/** Inherited keys count too: ajv sees them. */
function hasOther(value: object, known: ReadonlySet<string>): boolean {
  for (const key in value) if (!known.has(key)) return true;
  return false;
}
