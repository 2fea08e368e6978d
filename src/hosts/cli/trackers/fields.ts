/**
 * Members of an object that another program wrote: its own ones only, and text whatever their type. It knows what a reader
 * took, so that a value without a place is never lost: `rest` has it.
 */
export class Fields {
  readonly #own: ReadonlyMap<string, unknown>;
  readonly #taken = new Set<string>();
  /** Entries of a list that a reader took and that are not of the kind it asked for. */
  readonly #over = new Map<string, Entry[]>();
  readonly #below = new Map<string, Fields[]>();
  readonly #skipped: string[] = [];

  /** Its number in the list that it stands in, from 1. */
  readonly place: number;

  constructor(value: unknown, place = 1) {
    this.place = place;
    this.#own = new Map(isObject(value) ? Object.entries(value) : []);
  }

  /** The first that says something, trimmed; empty where each is missing, null, or no single value. */
  text(...names: string[]): string {
    for (const name of names) {
      const text = scalar(this.#own.get(name));
      if (text === "") continue;
      this.#taken.add(name);
      return text;
    }
    return "";
  }

  /** The single values of a list, as they are written; one value is a list of one. */
  values(name: string): unknown[] {
    return this.#take(name, (value) => scalar(value) !== "").map(({ value }) => value);
  }

  texts(name: string): string[] {
    return this.values(name).map(scalar);
  }

  /** The objects of a list; one object is a list of one. */
  objects(name: string): Fields[] {
    const known = this.#below.get(name);
    if (known) return known;
    const below = this.#take(name, isObject).map(({ value, place }) => new Fields(value, place));
    this.#below.set(name, below);
    return below;
  }

  /** All entries of a list of records, also those that are no objects and so have no fields. `rest` passes over them. */
  records(name: string): Fields[] {
    return this.#take(name, () => true).map(({ value, place }) => new Fields(value, place));
  }

  object(name: string): Fields {
    return this.objects(name)[0] ?? new Fields(undefined);
  }

  has(name: string): boolean {
    return this.#own.has(name);
  }

  is(name: string, value: unknown): boolean {
    return this.#own.get(name) === value;
  }

  names(): string[] {
    return [...this.#own.keys()];
  }

  /** Leaves these out: the report names them. */
  skip(...names: string[]): void {
    for (const name of names) {
      if (leaves(name, this.#own.get(name)).length > 0) this.#skipped.push(name);
      this.#taken.add(name);
    }
  }

  /** Leaves out whatever no reader took before. */
  skipRest(): void {
    for (const name of this.names()) {
      for (const below of this.#below.get(name) ?? []) below.skipRest();
      if (!this.#taken.has(name)) this.skip(name);
    }
  }

  /** The names of what `skip` left out and that had a value, each once. */
  skipped(): string[] {
    const below = [...this.#below].flatMap(([name, fields]) =>
      fields.flatMap((one) => one.skipped().map((inner) => `${name}.${inner}`)),
    );
    return [...new Set([...this.#skipped, ...below])];
  }

  /** Each value that no reader took. */
  rest(): Leaf[] {
    return [...this.#own].flatMap(([name, value]): Leaf[] => {
      if (!this.#taken.has(name)) return leaves(name, value);
      const below = this.#below.get(name) ?? [];
      const isList = entriesOf(value).length > 1;
      const inner = below.flatMap((one) =>
        one.rest().map((leaf) => ({
          ...leaf,
          name: `${name}.${isList ? `${one.place}.` : ""}${leaf.name}`,
          field: name,
        })),
      );
      return [...inner, ...leavesAt(name, this.#over.get(name) ?? [])];
    });
  }

  /** The rest, which is taken then. */
  takeRest(): Leaf[] {
    const rest = this.rest();
    for (const name of this.names()) this.#taken.add(name);
    for (const below of [...this.#below.values()].flat()) below.takeRest();
    this.#over.clear();
    return rest;
  }

  /** The names that `skip` left out, each told once. */
  takeSkipped(): string[] {
    const skipped = this.skipped();
    for (const below of [...this.#below.values()].flat()) below.takeSkipped();
    this.#skipped.length = 0;
    return skipped;
  }

  #take(name: string, fits: (value: unknown) => boolean): Entry[] {
    const list = this.#over.get(name) ?? entriesOf(this.#own.get(name));
    this.#taken.add(name);
    this.#over.set(
      name,
      list.filter(({ value }) => !fits(value)),
    );
    return list.filter(({ value }) => fits(value));
  }
}

interface Entry {
  value: unknown;
  /** Its number in its list, from 1. */
  place: number;
}

/** One value is a list of one. */
function entriesOf(value: unknown): Entry[] {
  const list = Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];
  return list.map((one, at) => ({ value: one, place: at + 1 }));
}

export interface Leaf {
  /** Where it stands, such as `projectItems.2.title`. */
  name: string;
  /** The member of the outermost object. */
  field: string;
  text: string;
}

/** The single values in a value, however deep; a list of short texts is one. */
function leaves(name: string, value: unknown): Leaf[] {
  if (isObject(value)) return Object.entries(value).flatMap(([inner, one]) => leavesBelow(name, inner, one));
  if (Array.isArray(value)) return leavesAt(name, entriesOf(value));
  return saying([name, scalar(value)]).map(([, text]) => ({ name, field: name, text }));
}

function leavesBelow(name: string, inner: string, value: unknown): Leaf[] {
  return leaves(`${name}.${inner}`, value).map((leaf) => ({ ...leaf, field: name }));
}

/** Those of entries of one list, which keep their numbers there. */
function leavesAt(name: string, entries: readonly Entry[]): Leaf[] {
  const texts = entries.map(({ value }) => scalar(value));
  const isFlat = entries.every(({ value }, i) => typeof value !== "object" && !/[\n,]/.test(texts[i]!));
  if (isFlat) return leaves(name, texts.filter((text) => text !== "").join(", "));
  const [only, ...more] = entries;
  if (only?.place === 1 && more.length === 0) return leaves(name, only.value);
  return entries.flatMap(({ value, place }) => leavesBelow(name, String(place), value));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function scalar(value: unknown): string {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n").trim();
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

/** Those that say something. */
export function saying<T extends readonly [name: string, text: string, ...more: unknown[]]>(...pairs: T[]): T[] {
  return pairs.filter(([, text]) => text !== "");
}
